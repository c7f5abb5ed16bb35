"""Azul Duel, played at a table that is watched from a position on."""

from __future__ import annotations

from typing import Any

from companion.reconcile.belief import Event
from companion.trials.run import FRAME_NS
from tests.companion.reconcile.duel_positions import GAME, PLAYED, walk
from tests.companion.reconcile.watching import Watching


class Table(Watching):
    """A table that has been seen to show a position."""

    def __init__(self, state: Any, every_ns: int = FRAME_NS) -> None:
        super().__init__(PLAYED, state, every_ns)
        self.show(GAME.visible(state), 4)

    def show(self, table: dict[str, Any], frames: int = 12, hand: bool = False) -> list[Event]:
        return self.watch(table, frames, hand)


def uncovering(seed: int) -> tuple[Any, Any, str]:
    """A position, what it becomes by a move that takes the last tile off a chip, and where that chip lies."""
    return next(
        (state, after, next(iter(request.choices)))
        for state in walk(seed) if GAME.deal_request(state) is None
        for move in GAME.legal_moves(state) if str(GAME.describe(move)["to"]).startswith("line")
        for after in (GAME.play(state, move),) for request in (GAME.deal_request(after),)
        if request is not None and not request.places and len(request.choices) == 1
    )
