"""`companion bench vision`: what reading a frame costs, beside decoding the same frame's JPEG.

A simulated table of four plays by itself; each settled position is read once it came about, and then looked at again
when nothing had changed. Both are given as ratios to cv2.imdecode, which hold on any machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.calibrate import calibrate
from companion.catalogue import played_game
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from vision.frame import Frame
from vision.observe import Observer
from vision.recording import read_tap


@dataclass(frozen=True, slots=True)
class ReadingFigures:
    """What reading costs, in milliseconds of processor time."""

    decode_ms: float
    """cv2.imdecode of a frame's JPEG."""
    first_ms: float
    """The very first frame, in which everything is new."""
    changed_ms: float
    """A settled frame after a move: the median."""
    unchanged_ms: float
    """A frame in which nothing changed."""
    changed_over_decode: float
    unchanged_over_decode: float
    frames: int


def milliseconds(task: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    task()
    return (time.process_time() - start) * 1000


def measure(game: str, players: int, frames: int, seed: int) -> ReadingFigures:
    """Read settled frames of a simulated table."""
    played = played_game(game, players)
    view = replace(View(), width_px=2304, height_px=1296)
    table = SimulatedTable(played.game, played.layout, players, seed=seed, scenery=Scenery(view))
    setup = table.setup()
    places = setup.recording["setup"]["places"]
    taps = {name: read_tap(tap, Path("simulated"), name) for name, tap in places.items()}
    calibration = calibrate(played.layout, taps, empty=setup.empty)
    observer = Observer(played.layout, calibration)
    decode: list[float] = []
    changed: list[float] = []
    unchanged: list[float] = []
    while len(changed) < frames:
        event_s = table.next_event_s()
        if event_s is None:
            break
        table.advance(event_s + 0.01)
        if not table.settled:
            continue
        _, jpeg = cv2.imencode(".jpg", table.picture())
        decode.append(milliseconds(partial(cv2.imdecode, jpeg, cv2.IMREAD_COLOR)))
        image = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), dtype=np.uint8)
        frame = Frame(image, len(changed))
        changed.append(milliseconds(partial(observer.observe, frame)))
        unchanged.append(milliseconds(partial(observer.observe, frame)))
    decode_ms, changed_ms = float(np.median(decode)), float(np.median(changed[1:]))
    unchanged_ms = float(np.median(unchanged))
    return ReadingFigures(
        round(decode_ms, 2), round(changed[0], 2), round(changed_ms, 2), round(unchanged_ms, 2),
        round(changed_ms / decode_ms, 3), round(unchanged_ms / decode_ms, 3), len(changed),
    )


@click.command()
@click.option("--game", default="azul", show_default=True)
@click.option("--players", default=4, show_default=True)
@click.option("--frames", default=20, show_default=True, help="How many settled frames to read.")
@click.option("--seed", default=1, show_default=True)
def command(game: str, players: int, frames: int, seed: int) -> None:
    """Time the reading of settled frames of 2304 × 1296, as ratios to decoding their JPEG."""
    cv2.setNumThreads(1)
    click.echo(json.dumps(asdict(measure(game, players, frames, seed)), indent=1))
