"""Tables for the tests: a game that is shown to a sitting without pictures, and a whole one on the simulated table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.catalogue import played_game
from companion.config import Settings
from companion.runtime.sitting import Sitting
from companion.runtime.sources import make_source
from companion.runtime.table import Table
from companion.runtime.told import CLEAR
from companion.store.games import GameStore, SeatRow
from companion.trials.noise import NoisyCamera
from engine.journal import Header, Journal
from engine.players import GreedyPlayer
from engine.registry import find_games
from web.contract import Snapshot

STEP_NS = 500_000_000
SEATS = (SeatRow("Ann", "blue"), SeatRow("Bo", "red"))


class Shown:
    """A sitting to which tables are shown, one look after another."""

    def __init__(self, game: str = "azul", seed: int = 1) -> None:
        self.play = played_game(game, 2)
        self.sitting = Sitting(1, self.play, SEATS, Journal(Header(game, ("Ann", "Bo"))))
        self.state = self.sitting.state
        self.seed = seed
        self._camera = NoisyCamera(self.play.layout, CLEAR, 1)
        self._player = GreedyPlayer(seed, 10)
        self._t_ns = 0

    def show(self, table: Mapping[str, Any], looks: int = 3) -> None:
        for _ in range(looks):
            self._t_ns += STEP_NS
            self.sitting.observe(self._camera.look(table, self._t_ns))

    def now(self) -> dict[str, Any]:
        return dict(self.play.game.visible(self.state))

    def step(self) -> Any:
        """One true move or deal, shown."""
        game = self.play.game
        if game.deal_request(self.state) is not None:
            move = game.random_deal(self.state, self.seed)
        else:
            move = self._player.choose(game, self.state)
        self.state = game.play(self.state, move)
        self.show(self.now())
        return move


def quick_settings(folder: Path, **more: Any) -> Settings:
    """A simulated table that is over in seconds."""
    chosen: dict[str, Any] = {
        "data": str(folder), "readings": "told", "speed": 0.0, "width_px": 640, "height_px": 360, "slips": 0.0,
        "haste": 6.0, "pause_s": 0.0, "port": 0, **more,
    }
    return Settings(**chosen)


def quick_table(folder: Path, **more: Any) -> Table:
    settings = quick_settings(folder, **more)
    return Table(settings, find_games(), GameStore(settings.data_folder), make_source(settings))


def wait_for(table: Table, done: Callable[[Snapshot], bool], seconds: float = 120.0) -> Snapshot:
    """Until the snapshot says so; fails when it takes far too long."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        snapshot = table.snapshot()
        if done(snapshot):
            return snapshot
        assert table.alive, "the table's thread has ended"
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s for the table, which shows {table.snapshot()}")
