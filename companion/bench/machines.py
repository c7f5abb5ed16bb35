"""`companion bench machines FILE…`: what each step of watching a table costs at the frame sizes of some settings files.

Every step is timed on this machine, in processor time of one core; beside it stands decoding one such frame's JPEG, so
that the steps can be compared across machines. The last column is the share of one core at the settings' own rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np

from companion.bench.simulation import milliseconds
from companion.catalogue import PlayedGame, played_game
from companion.config import Settings, load_settings
from companion.runtime.sources import calibrate_simulated
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from engine.registry import find_games
from vision.frame import Frame, Image
from vision.observe import Observer
from vision.shared_frames import FrameRing, Notice, image_in
from vision.stillness import thumbnail

MOVES_A_MINUTE = 6
"""A lively table: so many frames a minute in which something was laid down and has come to rest."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one core for each step, at one frame size."""

    name: str
    settings: Settings
    handover_ms: float
    """One copy from the camera's buffer into shared memory."""
    stillness_ms: float
    """Making the small picture in which movement is looked for."""
    quiet_ms: float
    """Looking at a frame in which nothing changed."""
    read_ms: float
    """Reading a settled frame after a move."""
    decode_ms: float
    """Decoding a JPEG of this size, for comparison."""

    @property
    def core_share(self) -> float:
        """Of one core, while people play: every frame is taken in and looked at, some are read."""
        each_ms = self.handover_ms + self.stillness_ms + self.quiet_ms
        return (each_ms * self.settings.fps + self.read_ms * MOVES_A_MINUTE / 60) / 1000


def median_ms(task: Callable[[], object], times: int = 7) -> float:
    """The median of a few runs, after one that does not count."""
    task()
    return float(np.median([milliseconds(task) for _ in range(times)]))


def measure(name: str, settings: Settings, play: PlayedGame, moves: int, seed: int) -> Cost:
    """Watch a simulated table of that size for a few moves."""
    scenery = Scenery(view=View(width_px=settings.width_px, height_px=settings.height_px))
    table = SimulatedTable(play.game, play.layout, play.players, seed=seed, scenery=scenery)
    observer = Observer(play.layout, calibrate_simulated(table))
    quiet: list[float] = []
    read: list[float] = []
    while len(read) <= moves:
        moment_s = table.next_event_s()
        if moment_s is None:
            break
        table.advance(moment_s + 0.01)
        if table.settled:
            frame = Frame(table.picture().copy(), len(read))
            read.append(milliseconds(lambda one=frame: observer.observe(one)))  # type: ignore[misc]
            quiet.append(milliseconds(lambda one=frame: observer.observe(one)))  # type: ignore[misc]
    picture = table.picture()
    jpeg: Any = cv2.imencode(".jpg", picture)[1]
    return Cost(
        name, settings, handover_ms(picture), median_ms(lambda: thumbnail(picture)), float(np.median(quiet)),
        float(np.median(read[1:])), median_ms(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR)),
    )


def handover_ms(picture: Image) -> float:
    """One copy into a slot that was used before."""
    ring = FrameRing(1, picture.nbytes)
    into = image_in(ring.slot(0), Notice(0, (picture.shape[1], picture.shape[0]), None, 0))
    cost = median_ms(lambda: np.copyto(into, picture))
    ring.close()
    return cost


def sheet(costs: list[Cost]) -> str:
    """The figures as a table in Markdown."""
    lines = [
        "| settings | frame | a second | hand-over | movement | quiet frame | read after a move | JPEG decoding "
        "| of one core |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for cost in costs:
        size = f"{cost.settings.width_px} × {cost.settings.height_px}"
        steps = (cost.handover_ms, cost.stillness_ms, cost.quiet_ms, cost.read_ms, cost.decode_ms)
        lines.append(
            f"| {cost.name} | {size} | {cost.settings.fps:g} | " + " | ".join(f"{step:.1f} ms" for step in steps)
            + f" | {cost.core_share:.0%} |"
        )
    return "\n".join(lines)


@click.command(name="machines")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--game", default=None, help="The game on the simulated table; the first one when left out.")
@click.option("--players", default=2, show_default=True)
@click.option("--moves", default=6, show_default=True, help="How many settled frames are read.")
@click.option("--seed", default=1, show_default=True)
def command(files: tuple[Path, ...], game: str | None, players: int, moves: int, seed: int) -> None:
    """What each step costs at the frame sizes of settings files."""
    cv2.setNumThreads(1)
    play = played_game(game or next(iter(find_games())), players)
    known: dict[tuple[int, int], Cost] = {}
    costs: list[Cost] = []
    for file in files:
        settings = load_settings(file, environment={})
        size_px = (settings.width_px, settings.height_px)
        if size_px not in known:
            known[size_px] = measure(file.stem, settings, play, moves, seed)
        costs.append(replace(known[size_px], name=file.stem, settings=settings))
    click.echo(sheet(costs))
