"""`companion bench runtime`: what the companion costs while nothing moves, and how soon a settled move is shown."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import asdict, dataclass
from statistics import median

import click

from companion.config import Settings
from companion.runtime.loop import CameraLoop
from companion.runtime.memory import keep_pictures_apart, memory_mb
from companion.runtime.messages import Inbox
from companion.runtime.sitting import Sitting
from companion.runtime.sources import SimulatedSource, Wanted
from companion.simulation.table import SimulatedTable
from companion.store.games import SeatRow
from engine.journal import Header, Journal
from vision.camera import EndOfFramesError
from vision.frame import Frame


@dataclass(frozen=True, slots=True)
class RuntimeFigures:
    """What was measured."""

    fps: float
    still_core_share: float
    """Share of one core for reading frames of a table at rest at that rate, drawing them not counted."""
    memory_mb: float
    moves: int
    settled_to_agreed_s: float
    """Simulated seconds from the moment a move is settled until it is agreed on, in the middle …"""
    settled_to_agreed_worst_s: float
    """… and at worst; early is 0."""


@click.command(name="runtime")
@click.option("--readings", default="camera", show_default=True, help="camera, or told (do not read pictures).")
@click.option("--frames", default=200, show_default=True, help="Still frames to time.")
@click.option("--moves", default=8, show_default=True, help="Moves to wait for.")
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one object.")
def command(readings: str, frames: int, moves: int, seed: int, as_json: bool) -> None:
    """Processor, memory and delay of the running companion at ten frames of 1536 × 864 a second."""
    keep_pictures_apart()
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        figures = measure(Settings(data=folder, readings=readings, speed=0.0, slips=0.0, seed=seed, port=0), frames,
                          moves)
    if as_json:
        click.echo(json.dumps(asdict(figures)))
        return
    for name, value in asdict(figures).items():
        click.echo(f"{name.replace('_', ' '):28} {value}")


def measure(settings: Settings, frames: int, moves: int) -> RuntimeFigures:
    """Time frames of a table at rest, then follow some moves."""
    source = SimulatedSource(settings)
    share = cost_at_rest(settings, source, frames)
    delays = follow(settings, source, moves)
    return RuntimeFigures(settings.fps, round(share, 4), round(memory_mb(), 1), len(delays),
                          round(median(delays or [float("nan")]), 2), round(max(delays or [float("nan")]), 2))


def cost_at_rest(settings: Settings, source: SimulatedSource, frames: int) -> float:
    """The share of one core that reading a table at rest takes at the rate of the settings."""
    rig = source.rig(Wanted(source.ready().play))
    table = rig.camera
    assert isinstance(table, SimulatedTable)
    loop = CameraLoop(Inbox(), settings.fps, settings.still_fps)
    still = [Frame(table.picture(), round(number * 1e9 / settings.fps)) for number in range(8)]
    for frame in still:
        loop.read_frame(rig, frame)
    began_s = time.process_time()
    for number in range(frames):
        loop.read_frame(rig, Frame(still[number % 8].image, round((8 + number) * 1e9 / settings.fps)))
    return (time.process_time() - began_s) / frames * settings.fps


def follow(settings: Settings, source: SimulatedSource, moves: int) -> list[float]:
    """Simulated seconds between a settled move and its agreement, for a number of moves."""
    ready = source.ready()
    rig = source.rig(Wanted(ready.play))
    table = rig.camera
    assert isinstance(table, SimulatedTable)
    loop = CameraLoop(Inbox(), settings.fps, settings.still_fps)
    names = tuple(name for name, _ in ready.seats)
    sitting = Sitting(1, ready.play, tuple(SeatRow(name, "blue") for name in names),
                      Journal(Header(ready.play.game.id, names)))
    game = ready.play.game
    agreed: list[float] = []
    settled: list[float] = []
    while len(agreed) < moves:
        try:
            frame = table.read()
        except EndOfFramesError:
            break
        if frame is None:
            continue
        observation = loop.read_frame(rig, frame)
        if observation is not None:
            sitting.observe(observation)
        settled = [move["t"] for move in table.outcome()["moves"]]
        told = [line for line in sitting.played.lines if line.move is not None and game.describe(line.move)]
        agreed += [table.t_s] * (len(told) - len(agreed))
        if len(settled) > len(agreed) + 4:
            break
    return [max(0.0, now - then) for then, now in zip(settled, agreed, strict=False)]
