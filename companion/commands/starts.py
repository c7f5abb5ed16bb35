"""`companion starts`: how well a table in mid-game is read that was never seen before, from taps alone."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import numpy as np

from calibration.calibrate import calibrate
from companion.complaints import complain
from companion.evaluate import Figures, count_frame
from companion.outcome import OutcomeBook
from companion.replay import Look, Replay, open_recording
from vision.colour_learning import builtin_sources
from vision.frame import Frame
from vision.observe import Observer
from vision.pictures import read_picture

SHARES = ("slots", "heaps", "stones", "frames")


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--starts", "number", default=8, show_default=True, help="How many settled frames to start from.")
@click.option("--worst", default=0, show_default=True, help="Print this many of the surest misreadings.")
def command(folders: tuple[Path, ...], number: int, worst: int) -> None:
    """Start afresh at settled frames of each of FOLDERS, knowing only the taps, and read that frame.

    The colours of the recording itself are left out of the built-in ones.
    """
    total = Figures()
    with complain():
        for folder in folders:
            figures = fresh_starts(folder, number)
            total.add(figures)
            click.echo(_line(folder.name, figures))
    if len(folders) > 1:
        click.echo(_line("total", total))
    for wrong in sorted(total.misread, key=lambda wrong: -wrong.probability)[:worst]:
        click.echo(
            f"  {wrong.folder} t={wrong.t_s} {wrong.place}: {wrong.true!r} read as {wrong.seen!r}"
            f" ({wrong.probability:.3f})"
        )


def fresh_starts(folder: Path, number: int) -> Figures:
    """Read some settled frames of a recording, each as if it were the first one ever seen."""
    recording, played = open_recording(folder)
    truth = {line["t"]: line for line in recording.truth()}
    settled = [file for file in recording.frames if truth.get(file.t_s, {}).get("settled")]
    chosen = [settled[round(index)] for index in np.linspace(0, len(settled) - 1, min(number, len(settled)))]
    without = [source for source in builtin_sources() if folder.name in source]
    figures = Figures()
    with click.progressbar(chosen, label=folder.name, file=sys.stderr) as bar:
        for file in bar:
            image = read_picture(file.path)
            calibration = calibrate(played.layout, recording.setup.taps, first=image, without=without)
            observation = Observer(played.layout, calibration).observe(Frame(image, 0))
            replay = Replay(recording, played, calibration, OutcomeBook(played.game))
            count_frame(figures, Look(file, image, observation, None, 0.0), truth[file.t_s]["places"], replay)
    return figures


def _line(name: str, figures: Figures) -> str:
    return f"{name:24s} " + "   ".join(f"{key} {getattr(figures, key)}" for key in SHARES)
