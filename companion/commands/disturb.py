"""`companion disturb`: how well tables are read when the light, the picture or a board is not what it was."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from companion.catalogue import PlayedGame
from companion.disturbances import GRAIN, LIGHTS, Disturbance, hand, hidden_by_hand, nudged, shifted
from companion.replay import Start, calibrate_recording, open_recording
from vision.calibration import Calibration
from vision.frame import Frame, Image
from vision.observe import Observer
from vision.pictures import read_picture
from vision.reading import Kind, Observation

NUDGES_PX = (4, 8, 12, 20, 30, 40)
SMALLEST_BOARD_MM = 100.0
SLOTS = (Kind.SLOT, Kind.CELL, Kind.PLATE)


@dataclass(slots=True)
class Score:
    """Slots read right among those not hidden."""

    right: int = 0
    of: int = 0
    unseen: int = 0
    """Not hidden, but said to be."""


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--start", type=click.Choice([start.value for start in Start]), default=Start.EMPTY.value)
@click.option("--frames", "number", type=int, default=4, show_default=True, help="Settled frames to use.")
@click.option("--only", help="Only the disturbances whose name contains this.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write the figures as a page in Markdown.")
def command(folders: tuple[Path, ...], start: str, number: int, only: str | None, out: Path | None) -> None:
    """Disturb settled frames of FOLDERS in every way and count the slots that are still read right."""
    table: dict[str, Score] = {}
    for folder in folders:
        recording, played = open_recording(folder)
        calibration = calibrate_recording(recording, played, Start(start))
        both = zip(recording.frames, recording.truth(), strict=True)
        settled = [(file, truth) for file, truth in both if truth["settled"]]
        chosen = [settled[round(index)] for index in np.linspace(0, len(settled) - 1, min(number, len(settled)))]
        ways = {name: way for name, way in _ways(calibration).items() if only is None or only in name}
        for name in ways:
            table.setdefault(name, Score())
        tasks = [(number, name) for number in range(len(chosen)) for name in ways]
        before: tuple[int, Image, Observer] | None = None
        with click.progressbar(tasks, label=folder.name, file=sys.stderr) as bar:
            for index, name in bar:
                file, truth = chosen[index]
                if before is None or before[0] != index:
                    plain = read_picture(file.path)
                    before = (index, plain, Observer(played.layout, calibration))
                    before[2].observe(Frame(plain, 0))
                for disturb, hidden in ways[name]:
                    seen = deepcopy(before[2]).observe(Frame(disturb(before[1]), 1))
                    _count(table[name], played, seen, truth["places"], hidden)
    click.echo(f"{'disturbance':24s} {'slots right':>18s}   called hidden though in sight")
    for name, score in table.items():
        share = 100.0 * score.right / max(1, score.of)
        click.echo(f"{name:24s} {score.right:7d} of {score.of:6d} {share:6.2f} %   {score.unseen}")
    if out is not None:
        out.write_text(page(table, [folder.name for folder in folders], start, number), encoding="utf-8")


def page(table: Mapping[str, Score], recordings: Sequence[str], start: str, number: int) -> str:
    """The figures as a page in Markdown."""
    lines = [
        "# How well a disturbed table is read", "",
        f"Slots read right among those in sight, over {number} settled frames of each of {', '.join(recordings)}.",
        "One frame is read as it is, the next one disturbed. A slot in sight that was said to be hidden counts as",
        "not right.",
        "Written by:", "", "```",
        f"companion disturb {' '.join(recordings)} --start {start} --frames {number} --out docs/figures.md", "```", "",
        "| disturbance | slots right | of | share | said to be hidden |", "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, score in table.items():
        share = 100.0 * score.right / max(1, score.of)
        lines.append(f"| {name} | {score.right} | {score.of} | {share:.2f} % | {score.unseen} |")
    return "\n".join(lines) + "\n"


def _ways(calibration: Calibration) -> dict[str, list[tuple[Disturbance, tuple[str, int] | None]]]:
    """Every disturbance by name: pictures to make, and the board and side that a hand hides."""
    boards = [name for name, pose in calibration.poses.items() if pose.size_mm[0] > SMALLEST_BOARD_MM]
    ways: dict[str, list[tuple[Disturbance, tuple[str, int] | None]]] = {"nothing": [(lambda image: image, None)]}
    ways.update({name: [(disturb, None)] for name, disturb in {**LIGHTS, **GRAIN}.items()})
    for index, distance in enumerate(NUDGES_PX):
        angle = 2.4 * index
        x, y = distance * np.cos(angle), distance * np.sin(angle)
        ways[f"board nudged {distance} px"] = [
            (nudged(calibration.matrices[name], x, y, 0.01 * (-1) ** index), None) for name in boards
        ]
        ways[f"picture moved {distance} px"] = [(shifted(x, y), None)]
    ways["hand over a third"] = [
        (hand(calibration.matrices[name], side), (name, side)) for side, name in enumerate(boards[:4])
    ]
    return ways


def _count(
    score: Score, played: PlayedGame, seen: Observation, truth: dict[str, Any], hidden: tuple[str, int] | None
) -> None:
    """What was seen of a table in play when it was disturbed."""
    for name, place in played.layout.places.items():
        content = truth.get(name, "?")
        if place.kind not in SLOTS or content == "?":
            continue
        if hidden is not None and place.piece == hidden[0] and hidden_by_hand(hidden[1], place.at):
            continue
        reading = seen.readings.get(name)
        score.of += 1
        if reading is None or reading.occluded:
            score.unseen += 1
        elif reading.best()[0] == content:
            score.right += 1

