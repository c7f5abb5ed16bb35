"""`companion bench vision`: what reading a frame costs, beside decoding the same frame's JPEG.

A simulated table plays by itself, with a noisy camera and light that drifts; each settled position is read once it came
about, and then looked at again, in another frame, when nothing had changed. Both are given as ratios to cv2.imdecode of
the same frame as this program writes it to recordings, which hold on any machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.calibrate import calibrate
from companion.catalogue import played_game
from companion.simulation.lens import View
from companion.simulation.record import JPEG_QUALITY
from companion.simulation.table import Scenery, SimulatedTable
from engine.registry import find_games
from vision.frame import Frame
from vision.observe import Observer
from vision.recording import read_tap

WIDTH_PX, HEIGHT_PX = 2304, 1296
BARRED_PLAYERS = 4
"""The table for which reading may cost no more than decoding: the largest that a family lays."""
ABOVE_DEG = View().tilt_deg
OBLIQUE_PLAYERS, OBLIQUE_DEG = 3, 40.0
"""A table seen from the side, for comparison."""


@dataclass(frozen=True, slots=True)
class ReadingFigures:
    """What reading costs, in milliseconds of processor time."""

    table: str
    decode_ms: float
    """cv2.imdecode of a frame's JPEG."""
    first_ms: float
    """The very first frame, in which everything is new."""
    changed_ms: float
    """A settled frame after something was moved: the median."""
    changed_mean_ms: float
    """The mean of the same, refills and all that is learnt from them included."""
    unchanged_ms: float
    """Another frame in which nothing changed."""
    changed_over_decode: float
    unchanged_over_decode: float
    frames: int


def milliseconds(task: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    task()
    return (time.process_time() - start) * 1000


def measure(
    game: str, players: int, frames: int, seed: int, tilt_deg: float = ABOVE_DEG, quality: int = JPEG_QUALITY
) -> ReadingFigures:
    """Read settled frames of a simulated table."""
    played = played_game(game, players)
    view = View(width_px=WIDTH_PX, height_px=HEIGHT_PX, tilt_deg=tilt_deg)
    table = SimulatedTable(played.game, played.layout, players, seed=seed, scenery=Scenery(view))
    setup = table.setup()
    places = setup.recording["setup"]["places"]
    taps = {name: read_tap(tap, Path("simulated"), name) for name, tap in places.items()}
    observer = Observer(played.layout, calibrate(played.layout, taps, empty=setup.empty))
    decode: list[float] = []
    changed: list[float] = []
    unchanged: list[float] = []
    for _ in _settled(table, frames):
        for costs in (changed, unchanged):
            _, jpeg = cv2.imencode(".jpg", table.picture(), [cv2.IMWRITE_JPEG_QUALITY, quality])
            decode.append(milliseconds(partial(cv2.imdecode, jpeg, cv2.IMREAD_COLOR)))
            image = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), dtype=np.uint8)
            costs.append(milliseconds(partial(observer.observe, Frame(image, len(decode)))))
    decode_ms, changed_ms, unchanged_ms = (float(np.median(costs)) for costs in (decode, changed[1:], unchanged))
    return ReadingFigures(
        f"{game}, {players} players, {tilt_deg:g} degrees, JPEG {quality}", round(decode_ms, 2), round(changed[0], 2),
        round(changed_ms, 2), round(float(np.mean(changed[1:])), 2), round(unchanged_ms, 2),
        round(changed_ms / decode_ms, 3), round(unchanged_ms / decode_ms, 3), len(changed),
    )


def _settled(table: SimulatedTable, frames: int) -> Iterator[None]:
    """Let the table play on, and stop whenever it has come to rest."""
    while frames:
        event_s = table.next_event_s()
        if event_s is None:
            return
        table.advance(event_s + 0.01)
        if table.settled:
            frames -= 1
            yield


def tables() -> Iterator[tuple[str, int, float]]:
    """Game, players and tilt: first the tables that have a bar, then others for comparison."""
    games = find_games()
    for name, game in games.items():
        if BARRED_PLAYERS in game.players:
            yield name, BARRED_PLAYERS, ABOVE_DEG
            break
    for name, game in games.items():
        if OBLIQUE_PLAYERS in game.players:
            yield name, OBLIQUE_PLAYERS, OBLIQUE_DEG
        else:
            yield name, max(game.players), ABOVE_DEG


@click.command()
@click.option("--game", help="Only this game's table, seen from above.")
@click.option("--players", default=BARRED_PLAYERS, show_default=True, help="How many sit there, with --game.")
@click.option("--frames", default=20, show_default=True, help="How many settled frames to read.")
@click.option("--quality", default=JPEG_QUALITY, show_default=True, help="Of the JPEGs.")
@click.option("--seed", default=1, show_default=True)
def command(game: str | None, players: int, frames: int, quality: int, seed: int) -> None:
    """Time the reading of settled frames of 2304 × 1296, as ratios to decoding their JPEG."""
    cv2.setNumThreads(1)
    for name, count, tilt_deg in [(game, players, ABOVE_DEG)] if game else tables():
        click.echo(json.dumps(asdict(measure(name, count, frames, seed, tilt_deg, quality)), indent=1))
