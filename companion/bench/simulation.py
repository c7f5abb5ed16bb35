"""`companion bench simulation`: what a frame of the simulated table costs, beside encoding it as a JPEG.

The table must leave a core free for reading what it shows: at ten frames a second a frame may cost a tenth of a
second at the very most. The ratio to a JPEG encoding of the same frame holds on any machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import cv2
import numpy as np

from companion.simulation.table import SimulatedTable
from engine.registry import find_games
from vision.layout import load_layout


@dataclass(frozen=True, slots=True)
class FrameFigures:
    """What frames of one game's table cost, in milliseconds of processor time."""

    game: str
    players: int
    still_ms: float
    """Nothing moves."""
    hand_ms: float
    """A hand is in the picture."""
    worst_ms: float
    """The dearest frame of all."""
    jpeg_ms: float
    """Encoding one frame as a JPEG, for comparison."""
    hand_over_jpeg: float
    frames: int


def milliseconds(task: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    task()
    return (time.process_time() - start) * 1000


def measure(table: SimulatedTable, frames: int) -> FrameFigures:
    """Read frames and time each."""
    still: list[float] = []
    hand: list[float] = []
    for _ in range(frames):
        cost = milliseconds(table.read)
        (hand if table.hands_in_view() else still).append(cost)
    picture = table.picture()
    jpeg = [milliseconds(lambda: cv2.imencode(".jpg", picture)) for _ in range(10)]
    return FrameFigures(
        table.game.id, table.players, round(float(np.median(still or [0.0])), 2),
        round(float(np.median(hand or [0.0])), 2), round(max(still + hand), 2), round(float(np.median(jpeg)), 2),
        round(float(np.median(hand or [0.0]) / np.median(jpeg)), 2), frames,
    )


@click.command(name="simulation")
@click.option("--game", "only", default=None, help="One game; all of them when left out.")
@click.option("--frames", default=300, show_default=True, help="How many frames are timed for each game.")
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a game.")
@click.option("--pictures", type=click.Path(path_type=Path, file_okay=False), help="Write each game's last frame here.")
def command(only: str | None, frames: int, seed: int, as_json: bool, pictures: Path | None) -> None:
    """What a frame of the simulated table costs."""
    games = find_games()
    for game_id in [only] if only else list(games):
        game, count = games[game_id], games[game_id].players.start
        layout = load_layout(games.folders[game_id] / "layout.toml", count)
        table = SimulatedTable(game, layout, count, seed=seed, endless=True)
        table.advance(60.0)
        figures = measure(table, frames)
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(pictures / f"{game_id}.png"), table.picture())
        if as_json:
            click.echo(json.dumps(asdict(figures)))
        else:
            click.echo(
                f"{game_id:12} {count} players   still {figures.still_ms:6.2f} ms   hand {figures.hand_ms:6.2f} ms   "
                f"worst {figures.worst_ms:6.2f} ms   JPEG {figures.jpeg_ms:6.2f} ms   "
                f"hand/JPEG {figures.hand_over_jpeg:.2f}"
            )
