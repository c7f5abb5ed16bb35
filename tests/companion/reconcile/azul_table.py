"""A table of two players of Azul that shows a position, but for some places."""

from __future__ import annotations

from typing import Any

from companion.catalogue import played_game
from companion.reconcile.belief import Event
from tests.companion.reconcile.watching import Watching

PLAYED = played_game("azul", 2)
GAME = PLAYED.game
KINDS = {name: place.kind for name, place in PLAYED.layout.places.items()}


class Table(Watching):
    """A table that shows a position, but for some places."""

    def __init__(self, state: Any) -> None:
        super().__init__(PLAYED, state)

    def show(self, state: Any, frames: int = 8, hidden: tuple[str, ...] = (), **places: Any) -> list[Event]:
        return self.watch({**GAME.visible(state), **places, **{place: "?" for place in hidden}}, frames)


def dealt(seed: int = 5) -> Any:
    state = GAME.new(2, PLAYED.options, 1)
    return GAME.play(state, GAME.random_deal(state, seed))


def take(state: Any, wanted: str) -> Any:
    return next(move for move in GAME.legal_moves(state) if wanted in GAME.format_move(move))
