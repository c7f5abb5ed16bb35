"""`companion bench reconcile`: what working out the game costs, beside reading the frames it is worked out from.

A whole game is shown to the reconciler as noisy readings, frames in which nothing happened and all; the same game's
table is read from pictures of 2304 × 1296. Both are timed in one run, so that their ratio holds on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial

import click
import cv2
import numpy as np

from companion.bench.vision import measure as measure_reading
from companion.bench.vision import milliseconds
from companion.catalogue import PlayedGame, played_game
from companion.reconcile.belief import Confirmed, Update, Verdict
from companion.reconcile.reconciler import Reconciler
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS, start_player
from companion.trials.script import Played, scenes


@dataclass(frozen=True, slots=True)
class ReconcileFigures:
    """What following a game costs, in milliseconds of processor time."""

    game: str
    players: int
    frames: int
    confirmed: int
    """Moves and deals that were agreed on."""
    mean_ms: float
    p95_ms: float
    worst_ms: float
    quiet_ms: float
    """The mean over frames that changed nothing."""
    read_ms: float
    """Reading a settled frame of such a table after a move."""
    mean_over_read: float
    p95_over_read: float


def follow_game(played: PlayedGame, seed: int, noise: Noise) -> Iterator[tuple[float, Update]]:
    """Every frame of one game: what taking it into account cost, and what came of it."""
    camera = NoisyCamera(played.layout, noise, seed)
    kinds = {name: place.kind for name, place in played.layout.places.items()}
    state = played.game.new(played.players, played.options, start_player(played, seed))
    reconciler = Reconciler(played.game, kinds, state)
    frame = 0
    for item in scenes(played, seed, noise.double, most_unseen=noise.most_unseen):
        if isinstance(item, Played):
            continue
        for _ in range(item.frames):
            frame += 1
            updates: list[Update] = []
            observe = partial(reconciler.observe, camera.look(item.table, frame * FRAME_NS, item.hidden))
            yield milliseconds(lambda: updates.append(observe())), updates[0]  # noqa: B023 called at once


def measure(game: str, players: int, seed: int, frames: int) -> ReconcileFigures:
    """Follow a whole game, and read some frames of its table."""
    played = played_game(game, players)
    # A machine may slow down or speed up in between: half of the frames are read before the game, half after it.
    before_ms = measure_reading(game, players, frames // 2, seed).changed_ms
    costs: list[float] = []
    quiet: list[float] = []
    confirmed = 0
    for cost_ms, update in follow_game(played, seed, Noise()):
        costs.append(cost_ms)
        confirmed += sum(isinstance(event, Confirmed) for event in update.events)
        if update.belief.verdict is Verdict.UNCHANGED:
            quiet.append(cost_ms)
    read_ms = (before_ms + measure_reading(game, players, frames - frames // 2, seed).changed_ms) / 2
    mean_ms, p95_ms = float(np.mean(costs)), float(np.percentile(costs, 95))
    return ReconcileFigures(
        game, players, len(costs), confirmed, round(mean_ms, 3), round(p95_ms, 3), round(max(costs), 2),
        round(float(np.mean(quiet or [0.0])), 3), round(read_ms, 2), round(mean_ms / read_ms, 3),
        round(p95_ms / read_ms, 3),
    )


@click.command()
@click.option("--game", default="azul", show_default=True)
@click.option("--players", default=4, show_default=True)
@click.option("--frames", default=12, show_default=True, help="How many pictures to read for comparison.")
@click.option("--seed", default=1, show_default=True)
def command(game: str, players: int, frames: int, seed: int) -> None:
    """Time the following of a whole game, as a ratio to reading a frame of it."""
    cv2.setNumThreads(1)
    click.echo(json.dumps(asdict(measure(game, players, seed, frames)), indent=1))
