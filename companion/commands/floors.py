"""`companion floors`: evaluate recordings and fail when a figure has fallen below what was reached before."""

from __future__ import annotations

from pathlib import Path

import click

from companion.commands.evaluate import describe
from companion.complaints import complain
from companion.evaluate import evaluate_folder
from companion.floors import below, best_of, read_floors, write_floors
from companion.replay import Start
from companion.side_by_side import side_by_side
from vision.recording import read_recording


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--file", "path", type=click.Path(path_type=Path), required=True, help="Where the floors are kept.")
@click.option("--start", "starts", multiple=True, type=click.Choice([each.value for each in Start]),
              default=(Start.SAMPLES.value,), help="Which starts to measure; may be given several times.")
@click.option("--jobs", type=int, default=1, show_default=True, help="How many recordings at a time.")
@click.option("--raise", "raise_floors", is_flag=True, help="Keep better figures as the new floors.")
def command(folder: Path, path: Path, starts: tuple[str, ...], jobs: int, raise_floors: bool) -> None:
    """Evaluate every recording in FOLDER and compare with the floors; exit 1 when a figure has fallen."""
    floors = read_floors(path)
    fallen: list[str] = []
    runs = [
        (recording, Start(start))
        for recording in sorted(each for each in folder.iterdir() if (each / "truth.jsonl").exists())
        for start in _starts_of(recording, starts)
    ]
    with complain():
        results = side_by_side(jobs, evaluate_folder, *zip(*runs, strict=True)) if runs else ()
        for (recording, start), figures in zip(runs, results, strict=True):
            now = figures.to_json()
            click.echo(f"start {start.value}: " + describe(recording.name, figures))
            floor = floors.get(start.value, {}).get(recording.name)
            fallen += [] if floor is None else below(f"{start.value} {recording.name}", floor, now)
            floors.setdefault(start.value, {})[recording.name] = best_of(floor, now)
    if raise_floors:
        write_floors(path, floors)
    for sentence in fallen:
        click.echo(sentence, err=True)
    if fallen:
        raise SystemExit(1)


def _starts_of(recording: Path, starts: tuple[str, ...]) -> tuple[str, ...]:
    """From what a recording is measured. A photograph of a table in mid-game has nothing but its taps to start from."""
    with complain():
        return starts if read_recording(recording).setup.empty is not None else (Start.TAPS.value,)
