"""`companion train`: fit what the companion has learnt anew, from pictures that it draws itself."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import click

import vision
from companion.training import PARTS, fit_faces, known_cells
from vision.convnet import write_weights
from vision.faces import MODEL, FaceModel, load_faces
from vision.training.faces import Figures, Lesson, lesson, measure, training_lesson
from vision.training.styles import found_styles, held_out_styles

SIZES_PX = (40.0, 24.0)
SURROUNDINGS = {
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": "2000000000",
    "MALLOC_TRIM_THRESHOLD_": "4000000000",
}
"""What a process that learns is told when it starts. One matrix product uses one core: quicker, and the same sums in
the same order. Memory is kept for the next batch instead of given back: a sixth less work."""
HEAD = f"{'':<28}{'tile':>6}{'tiles':>8}{'alone':>9}{'1 = I':>9}{'with cell':>11}{'6 ≠ 9':>9}   mistakes alone"


@contextmanager
def workers() -> Iterator[ProcessPoolExecutor]:
    """Two processes that start with `SURROUNDINGS`."""
    before = {name: os.environ.get(name) for name in SURROUNDINGS}
    os.environ.update(SURROUNDINGS)
    try:
        with ProcessPoolExecutor(PARTS, mp_context=get_context("spawn")) as pool:
            yield pool
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@click.group(name="train")
def command() -> None:
    """Fit the companion's own models anew: seeded, from pictures it draws itself."""


@command.command()
@click.option("--report", is_flag=True, help="Only measure the model that is there.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to store the model instead of in the companion.")
@click.option("--figures", type=click.Path(path_type=Path), help="Write the figures to this Markdown file as well.")
def faces(report: bool, out: Path | None, figures: Path | None) -> None:
    """The reader of numbers, letters and symbols on tiles."""
    target = out or Path(vision.__file__).parent / "data" / MODEL
    model = load_faces() if report else _fit(target)
    rows = []
    with workers() as pool:
        click.echo(HEAD)
        for name, size_px, measured in _report(model, pool):
            rows.append((name, size_px, measured))
            click.echo(_row(name, size_px, measured))
    if figures is not None:
        figures.write_text(_sheet(rows), encoding="utf-8")


def _fit(target: Path) -> FaceModel:
    """Draw, fit and store; says what it took."""
    began = time.monotonic()
    with workers() as pool:
        lessons = list(pool.map(training_lesson, range(PARTS), [PARTS] * PARTS))
        click.echo(f"{sum(len(each.faces) for each in lessons)} tiles drawn; fitting")
        model = pool.submit(fit_faces, lessons).result()
    write_weights(target, model.faces, model.temperature, model.weights)
    times = os.times()
    click.echo(
        f"stored in {target.name}: {target.stat().st_size / 1e6:.2f} MB, after {time.monotonic() - began:.0f} s "
        f"({times.children_user + times.children_system:.0f} s of one core)"
    )
    return model


def _report(model: FaceModel, pool: ProcessPoolExecutor) -> Iterator[tuple[str, float, Figures]]:
    """What is read right, for styles that were not learnt from: which, at what size, how well."""
    cells = known_cells()
    sets = [("kept-aside styles", held_out_styles(), 8)]
    if found := found_styles():
        sets.append((f"{len(found)} fonts of this machine", found, 4))
    for name, styles, each in sets:
        drawn: Iterator[Lesson] = pool.map(
            lesson, [styles] * 2, [each] * 2, SIZES_PX, [4, 5], [False] * 2
        )
        for size_px, pictures in zip(SIZES_PX, drawn, strict=True):
            yield name, size_px, measure(model, pictures, cells)


def _row(name: str, size_px: float, figures: Figures) -> str:
    mistakes = ", ".join(f"{true} as {read} ×{count}" for true, read, count in figures.confused)
    return (
        f"{name:<28}{size_px:>3.0f} px{figures.tiles:>8}{figures.alone:>9.2%}{figures.alone_one_and_i:>9.2%}"
        f"{figures.with_cell:>11.2%}{figures.strict:>9.2%}   {mistakes}"
    )


def _sheet(rows: list[tuple[str, float, Figures]]) -> str:
    """The figures as a page of the documentation."""
    lines = [
        "# How well faces are read",
        "",
        "Numbers, letters, symbols and the joker on drawn tiles: turned, shifted, blurred, lit, noisy; in styles and",
        "fonts from which nothing was learnt. *Alone*: without the cell (6 and 9 are one print). *With cell*: with the",
        "four faces that the cell accepts, over all cells on which the tile may lie.",
        "Written by:",
        "",
        "```",
        "companion train faces --report --figures docs/faces.md",
        "```",
        "",
        "| styles | tile | tiles | alone | 1 and I as one | with cell |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {name} | {size_px:.0f} px | {each.tiles} | {each.alone:.2%} | {each.alone_one_and_i:.2%} "
        f"| {each.with_cell:.2%} |"
        for name, size_px, each in rows
    ]
    return "\n".join(lines) + "\n"
