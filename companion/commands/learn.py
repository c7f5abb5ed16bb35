"""`companion learn`: fit again, from recordings with truth, the numbers that the companion knows from memory."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

import vision
from calibration.calibrate import light_between, sample_patches
from calibration.colour_training import source
from calibration.scikit import TrainingError
from calibration.slot_training import RECIPES, Examples, fit, leave_one_out
from companion.complaints import complain
from companion.disturbances import GRAIN, LIGHTS
from companion.replay import Start, calibrate_recording, open_recording
from vision.colours import Light
from vision.observe import Observer
from vision.pictures import read_picture
from vision.readers.slots import SlotReader
from vision.recording import FrameFile, Recording

MADE = "made table "
"""How the sources are called that come from the sample tiles of recordings. The others are kept: they were measured on
photographs of real tables, and on start markers, of which no samples are shown."""


@click.group(name="learn")
def command() -> None:
    """Fit again what the companion knows from memory, from recordings with their truth."""


@command.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write the model to this file; only judge it otherwise.")
@click.option("--disturbed/--plain", default=True, help="Also learn from the same frames under other lights and noise.")
def slots(folders: tuple[Path, ...], out: Path | None, disturbed: bool) -> None:
    """The slot model, and how it does on each of FOLDERS when that one is left out."""
    models = {}
    with complain():
        examples = {is_own: {folder.name: gather(folder, is_own, disturbed) for folder in folders}
                    for is_own in (True, False)}
        for kind, recipe in RECIPES.items():
            click.echo(f"{kind}: recording, wrong of slots, wrong among those given 99 %")
            for name, trial in leave_one_out(examples[recipe.is_own], recipe).items():
                click.echo(f"  {name:20s} {trial.wrong:6d} of {trial.of}   {trial.sure_wrong} of {trial.sure}")
            models[kind] = fit(examples[recipe.is_own], recipe)
    if out is not None:
        out.write_text(json.dumps({name: model.to_json() for name, model in models.items()}, indent=1) + "\n")
        click.echo(f"written to {out}")


@command.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write them to this file; only show them otherwise.")
def colours(folders: tuple[Path, ...], out: Path | None) -> None:
    """The tile colours, from the sample tiles of FOLDERS; those from photographs, of the first one's game, are kept."""
    known = json.loads((Path(vision.__file__).parent / "builtin_colours.json").read_text(encoding="utf-8"))
    kept = [each for each in known if not each["source"].startswith(MADE)]
    with complain():
        first = open_recording(folders[0])[0].game
        game_of = {colour: first for each in kept for colour in each["colours"]}
        made = [measure_colours(folder, game_of) for folder in folders]
    lines = [json.dumps(each) for each in [*kept, *made]]
    for line in lines[len(kept) :]:
        click.echo(line)
    if out is not None:
        out.write_text("[\n " + ",\n ".join(lines) + "\n]\n", encoding="utf-8")
        click.echo(f"written to {out}")


def measure_colours(folder: Path, game_of: dict[str, str]) -> dict[str, Any]:
    """The colours of one table, of its sample tiles. Each colour is measured in the first game that has it: what passes
    for white on the boards of another may be cream, and the same tile looks otherwise beside it."""
    recording, played = open_recording(folder)
    calibration = calibrate_recording(recording, played, Start.EMPTY)
    samples = [(read_picture(sample.picture), sample.tiles) for sample in recording.setup.samples]
    if calibration.empty is None or not samples:
        raise TrainingError(f"{folder}: a picture of the empty table and one with sample tiles are needed")
    # Pictures of one recording have one size: all are to be shrunk as the calibration shrank the empty one.
    scale = calibration.size_px[0] / samples[0][0].shape[1]
    light = light_between(calibration.matrices, played.layout, calibration.empty)
    tops = sample_patches(samples, scale, calibration.camera, played.layout, Light())
    own = {name: each for name, each in tops.items() if game_of.setdefault(name, recording.game) == recording.game}
    return source(MADE + folder.name, light, own)


def settled(recording: Recording) -> list[tuple[FrameFile, dict[str, Any]]]:
    """The frames of a table at rest, with what lay on it."""
    return [both for both in zip(recording.frames, recording.truth(), strict=True) if both[1]["settled"]]


def gather(folder: Path, is_own: bool, disturbed: bool) -> Examples:
    """Measured slots of every settled frame, against the empty picture or against sister places."""
    recording, played = open_recording(folder)
    calibration = calibrate_recording(recording, played, Start.EMPTY)
    observer = Observer(played.layout, calibration)
    reader = next(reader for reader in observer.readers if isinstance(reader, SlotReader))
    rows, full = [], []
    ways = list({**LIGHTS, **GRAIN}.values()) if disturbed else []
    with click.progressbar(settled(recording), label=folder.name, file=sys.stderr) as bar:
        for number, (file, truth) in enumerate(bar):
            plain = read_picture(file.path)
            images = [plain] if not ways else [plain, ways[number % len(ways)](plain)]
            for image in images:
                view = observer.view(image)
                if not is_own:
                    reader.borrow(view)
                for place, values in zip(reader.grid.all, reader.measure(view), strict=True):
                    content = truth["places"].get(place.name, "?")
                    if content != "?":
                        rows.append(values)
                        full.append(content is not None)
    return Examples(np.array(rows, dtype=np.float64), np.array(full))
