"""What of a position lies under the rest and still holds, though the table has come to look otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.state import FACTORIES, UNSEEN_TILE, State
from engine.types import UNKNOWN, Place, Visible


def recall(state: State, seen: Visible) -> dict[str, Any]:
    """Hints for a position: the tiles under the tops that are seen, as far as they are known from another position."""
    broken = {
        number: _broken_below(_names(player.broken), _top(seen, f"p{number}.broken"))
        for number, player in enumerate(state.players, start=1) if seen.get(f"p{number}.broken", UNKNOWN) != UNKNOWN
    }
    below = {
        name: tiles for name, stack in zip(FACTORIES[1:], state.moons, strict=True)
        if (tiles := _stacked_below(stack, _top(seen, f"{name}.moon"))) is not None
    }
    return {"start_player": state.starter, "broken": broken, "below": below}


def _broken_below(known: list[str], top: str | None) -> list[str]:
    """The broken tiles of a player, bottom to top: they are taken off all together, and otherwise only more come."""
    if top is None:
        return []
    if known and known[-1] == top:
        return known
    return [*known[: len(rules_data().broken_values) - 1], top]


def _stacked_below(stack: Sequence[int], top: str | None) -> list[str] | None:
    """The tiles under the top of a moon stack; None where nobody can know them."""
    if top is None or UNSEEN_TILE in stack:
        return None
    *below, last = _names(stack) or [""]
    if last == top:
        return below
    if top in below:
        below.remove(top)
        return below
    return None


def _top(seen: Visible, place: Place) -> str | None:
    content = seen.get(place)
    return content["top"] if content and content != UNKNOWN else None


def _names(tiles: Sequence[int]) -> list[str]:
    return [UNKNOWN if tile == UNSEEN_TILE else rules_data().colours[tile] for tile in tiles]
