"""`companion evaluate`: how much of the recordings was read and understood right."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from companion.complaints import complain
from companion.evaluate import RELIABILITY_EDGES, Figures, Progress, evaluate_folder
from companion.evaluate_sheet import write_sheet
from companion.replay import Look, Start
from companion.runtime.memory import most_memory_mb


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--start", type=click.Choice([each.value for each in Start]), default=Start.SAMPLES.value,
              show_default=True, help="How much of the set-up may be used.")
@click.option("--readings-only", is_flag=True, help="No rules, no game: just what each frame shows.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--confusion", is_flag=True, help="Print which slot contents were taken for which.")
@click.option("--reliability", is_flag=True, help="Print how often readings of a given probability were right.")
@click.option("--worst", type=int, default=0, help="Print this many of the surest misreadings.")
@click.option("--sheet", type=click.Path(path_type=Path), help="Save crops of the surest misreadings as one picture.")
def command(
    folders: tuple[Path, ...], start: str, readings_only: bool, as_json: bool, confusion: bool, reliability: bool,
    worst: int, sheet: Path | None,
) -> None:
    """Replay each of FOLDERS that has its truth beside it, and count what came out right."""
    total = Figures()
    each: dict[str, Figures] = {}
    with complain():
        for folder in folders:
            if not (folder / "truth.jsonl").exists():
                click.echo(f"{folder}: has no truth.jsonl, so there is nothing to hold against it", err=True)
                continue
            figures = evaluate_folder(folder, Start(start), readings_only, _bar(folder.name))
            each[folder.name] = figures
            total.add(figures)
            if not as_json:
                click.echo(describe(folder.name, figures))
        if sheet is not None:
            write_sheet(sheet, total.misread, {folder.name: folder for folder in folders}, Start(start))
    if as_json:
        data = {"folders": {name: figures.to_json() for name, figures in each.items()}, "total": total.to_json()}
        click.echo(json.dumps(data))
        return
    if len(each) > 1:
        click.echo(describe("total", total))
    if memory_mb := most_memory_mb():
        click.echo(f"  memory   {memory_mb:.0f} MB at most")
    if confusion:
        click.echo(confusion_table(total))
    if reliability:
        click.echo(reliability_table(total))
    for wrong in sorted(total.misread, key=lambda wrong: -wrong.probability)[:worst]:
        click.echo(
            f"  {wrong.folder} t={wrong.t_s} {wrong.place}: {wrong.true!r} read as {wrong.seen!r}"
            f" ({wrong.probability:.3f})"
        )


def _bar(label: str) -> Progress:
    def show(frames: Iterable[Look], length: int) -> Iterator[Look]:
        with click.progressbar(frames, length=length, label=label, file=sys.stderr) as bar:
            yield from bar

    return show


def describe(name: str, figures: Figures) -> str:
    """The figures of one folder, a line for each."""
    lines = [name]
    for key in Figures.SHARES:
        lines.append(f"  {key:8} {getattr(figures, key)}")
    lines.append(f"  slips    found {figures.slips_found}/{figures.slips_of}, false {figures.slips_false}")
    lines.append(f"  questions {figures.questions}, skipped frames {figures.skipped}")
    lines.append(f"  time     {figures.to_json()['ms_per_frame']} ms a frame, without decoding the picture")
    return "\n".join(lines)


def confusion_table(figures: Figures) -> str:
    """What lay there (down) against what was read (across)."""
    names = sorted({name for pair in figures.confusion for name in pair})
    rows = ["true \\ read " + " ".join(f"{name:>8}" for name in names)]
    for true in names:
        rows.append(f"{true:>11} " + " ".join(f"{figures.confusion[true, seen]:>8}" for seen in names))
    return "\n".join(rows)


def reliability_table(figures: Figures) -> str:
    """Of the readings given a probability, how many were right."""
    rows = ["probability given     right"]
    for low, high in itertools.pairwise(RELIABILITY_EDGES):
        share = figures.reliability.get(low)
        if share is not None:
            rows.append(f"{low:7.3f} to {high:5.3f}   {share}")
    return "\n".join(rows)
