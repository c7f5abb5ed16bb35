"""A companion that tells what it shows, to be killed by `companion endure kills`; also to look at by hand."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from companion.config import Settings
from companion.runtime.rig import Rig
from companion.runtime.sources import SimulatedSource, Wanted
from companion.runtime.table import Table
from companion.simulation.table import SimulatedTable
from companion.store.games import GameStore
from engine.registry import find_games
from web.contract import Snapshot

HASTE = 2.0
"""How much quicker than usual the people are, as in the other trials: nobody lays four tiles while one is seen."""


class WatchedSource(SimulatedSource):
    """The simulated source, remembering its table for the truth."""

    truth: SimulatedTable | None = None
    wishes: Sequence[str] = ()
    """Mistakes that the people at the table are to make."""

    def rig(self, wanted: Wanted | None) -> Rig:
        rig = super().rig(wanted)
        assert isinstance(rig.camera, SimulatedTable)
        self.truth = rig.camera
        self.truth.sitting.wishes = list(self.wishes)
        return rig


def run(folder: Path, seed: int) -> None:
    """Play on in `folder` until killed or until a game is over."""
    settings = Settings(data=str(folder), readings="told", speed=0.0, width_px=480, height_px=270, slips=0.0,
                        haste=HASTE, pause_s=0.0, seed=seed, port=0)
    source = WatchedSource(settings)
    table = Table(settings, find_games(), GameStore(settings.data_folder), source)
    over = threading.Event()

    def tell(snapshot: Snapshot) -> None:
        sitting = table.sitting
        if sitting is None:
            return
        told: dict[str, Any] = {
            "game": sitting.number, "entries": [entry.notation for entry in sitting.journal.entries],
            "over": snapshot.result is not None, "phase": snapshot.phase, "verdict": snapshot.verdict,
            "question": None if snapshot.question is None else snapshot.question.key,
            "troubles": [trouble.key for trouble in table.store.troubles],
        }
        if snapshot.result is not None and source.truth is not None:
            game, state = source.truth.game, source.truth.sitting.state
            told["scores"] = list(snapshot.result.scores)
            told["truth"] = [each.score for each in game.result(state).standings] if game.is_over(state) else None
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        if snapshot.result is not None:
            over.set()

    table.subscribe(tell)
    table.start()
    over.wait()
    table.stop(20)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("seed", type=int, default=1)
def command(folder: Path, seed: int) -> None:
    """Play one game in FOLDER as fast as can be, telling every snapshot."""
    run(folder, seed)


if __name__ == "__main__":
    command()
