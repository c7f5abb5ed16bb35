"""What hands are likely to do, right and wrong."""

from __future__ import annotations

from collections.abc import Iterator

from engine.games.azul_duel.state import State
from engine.types import Plausible


def plausible_moves(state: State) -> Iterator[Plausible]:
    """Nothing yet."""
    return iter(())
