"""What hands are likely to do: every legal move, and the mistakes with their slips."""

from __future__ import annotations

from collections.abc import Iterator

from engine.games.azul.moves import Move
from engine.games.azul.offer import legal_takes, play_take
from engine.games.azul.state import State
from engine.games.azul.tiling import legal_tilings, play_tile
from engine.games.azul.visible import visible
from engine.types import Plausible


def plausible_moves(state: State) -> Iterator[Plausible]:
    before = visible(state)
    steps: list[tuple[Move, State]] = []
    if state.phase == "offer":
        steps = [(move, play_take(state, move)) for move in legal_takes(state)]
    elif state.phase == "tiling":
        steps = [(tiling, play_tile(state, tiling)) for tiling in legal_tilings(state)]
    for move, after in steps:
        seen = visible(after)
        yield Plausible(move, {place: content for place, content in seen.items() if before[place] != content})
