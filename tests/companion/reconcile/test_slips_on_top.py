"""A slip made over moves that nobody could see: if one of these fails, it lies there unnamed until a question comes."""

from __future__ import annotations

from typing import Any

import pytest

from companion.reconcile.belief import Event, SlipRaised
from engine.types import Plausible
from tests.companion.reconcile.azul_table import GAME, Table, dealt, take
from tests.companion.reconcile.watching import moves_of

NEARLY_FULL_FLOOR = (
    "azul 2 | 2 offer 1 1 | - - - - - | WWWYY | 0 -,-,-,W2,- ..... ..... ..... ..... ..... MKKKKY "
    "| 0 -,-,-,-,- ..... ..... ..... ..... ..... - | 16.16.16.10.10 0.0.0.0.0"
)


def slip_of(state: Any, slug: str, player: int, *places: str) -> Plausible:
    return next(
        each for each in GAME.plausible_moves(state)
        if [(slip.slug, slip.player) for slip in each.slips] == [(slug, player)] and set(places) <= set(each.places)
    )


def raised(events: list[Event]) -> list[tuple[str, int | None]]:
    return [(slip.slug, slip.player) for event in events if isinstance(event, SlipRaised) for slip in event.slips]


def after(state: Any, *wanted: str) -> tuple[Any, list[Any]]:
    """The position after some moves, and the moves."""
    played = []
    for each in wanted:
        played.append(take(state, each))
        state = GAME.play(state, played[-1])
    return state, played


@pytest.mark.parametrize("wanted", [("f1 yellow*1 line2",), ("f1 yellow*1 line2", "f2 white*2 line3")])
def test_a_slip_over_moves_that_nobody_saw_is_named_and_they_are_followed(wanted: tuple[str, ...]) -> None:
    """However many were made before it: longer runs of moves explain most of what a slip left, but not all."""
    start = dealt()
    table = Table(start)
    table.show(start, 4)
    state, played = after(start, *wanted)
    player = GAME.to_move(state)[0]
    slip = slip_of(state, "gap-in-line", player, "f5", f"p{player}.line5.2")
    table.distrust({**GAME.visible(state), **slip.places}, 20)
    table.show(state, 40, **slip.places)
    assert moves_of(table.events) == played
    assert raised(table.events) == [("gap-in-line", player)]


def test_a_slip_is_not_put_right_by_a_misreading_of_what_lies_beside_it() -> None:
    """A tile in the line tells that one on the floor is a slip. It is misread once, and a sleeve lies on it: nobody has
    put anything right, and the tiles did not all fall on the floor."""
    state = GAME.parse_position(NEARLY_FULL_FLOOR)
    table = Table(state)
    table.show(state, 4)
    slip = slip_of(state, "floor-instead-of-line", 1, "p1.line4.3", "p1.floor.7")
    table.show(state, 20, **slip.places)
    table.show(state, 1, **{**slip.places, "p1.line4.3": None})
    table.show(state, 10, ("p1.line4.3",), **slip.places)
    assert moves_of(table.events) == []
    assert table.reconciler.held is not None
