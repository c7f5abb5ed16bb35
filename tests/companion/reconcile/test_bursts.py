"""A table that could not be believed or seen for a while: if one of these fails, a move is made up of what lay there at
different moments, its order is turned round, or play is not followed any more."""

from __future__ import annotations

from tests.companion.reconcile.azul_table import GAME, Table, dealt, take
from tests.companion.reconcile.watching import moves_of

FULL_FLOORS = (
    "azul 2 | 3 offer 1 1 | - - - - - | BRRRRWW | 0 -,K2,-,-,- .Y..W ..... ..... ..... ..... MKKKKYY "
    "| 0 -,-,-,-,- ...KW ..... ..... ..... ..... BBBBYYY | 12.10.12.16.10 0.0.0.0.0"
)
"""Whatever the players take, their floors show nothing of it."""


def test_a_misreading_on_a_place_that_is_covered_since_does_not_hold_up_what_was_played() -> None:
    """Two moves lie clearly on the table; a space was misread once, and a cup stands there now."""
    state = dealt()
    table = Table(state)
    table.show(state, 4)
    first = GAME.play(state, GAME.legal_moves(state)[0])
    second = GAME.play(first, GAME.legal_moves(first)[-1])
    table.distrust(GAME.visible(second), 20)
    table.show(second, 1, **{"p1.wall.4.5": "yellow"})
    table.show(second, 8, ("p1.wall.4.5",))
    assert GAME.visible(table.reconciler.state) == GAME.visible(second)


def test_of_two_that_nobody_saw_arrive_the_one_that_left_first_was_first() -> None:
    """Full floors show nothing of what falls on them, and a hand covered the centre each time: what lay there in
    between tells who took what."""
    state = GAME.parse_position(FULL_FLOORS)
    table = Table(state)
    table.show(state, 4)
    reds = take(state, "centre red*4 floor")
    between = GAME.play(state, reds)
    blue = take(between, "centre blue*1 floor")
    last = GAME.play(between, blue)
    told = table.show(between, 3, ("centre",)) + table.show(between, 12)
    told += table.show(last, 5, ("centre",)) + table.show(last, 15)
    white = take(last, "centre white*2 line3")
    told += table.show(GAME.play(last, white), 12)
    assert moves_of(told) == [reds, blue, white]
