"""Tiles that are laid one after the other: if one of these fails, the first of them are told as a move of their own,
and whoever lays the others is accused of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.reconcile.belief import Asked, SlipRaised, TakenBack
from tests.companion.reconcile.duel_positions import GAME, PLAYED, acquiring
from tests.companion.reconcile.watching import Watching, moves_of


def spilling() -> Iterator[tuple[Any, Any, dict[str, Any], list[str]]]:
    """Positions, a move that fills a line of two and spills the rest, what shows of breaking all of them, and the two
    spaces of the line."""
    for seed in range(40):
        for state in acquiring(seed):
            moves = GAME.legal_moves(state)
            for move in moves:
                if getattr(move, "to", "") != "line2" or GAME.deal_request(GAME.play(state, move)) is not None:
                    continue
                broken = replace(move, to="broken")
                if broken in moves:
                    shown, less = (GAME.changes(state, GAME.play(state, each)) for each in (move, broken))
                    more = sorted(shown.keys() - less.keys())
                    if less.items() < shown.items() and len(more) == 2:
                        yield state, move, less, more


def test_tiles_that_come_to_lie_in_a_line_at_the_last_moment_belong_to_the_move() -> None:
    """What had spilled lay there first. The very look in which the first tile came to the line was one too few to count
    for it: all were told to have been broken, and their player was said to have moved out of turn."""
    state, move, spilled, (first, second) = next(spilling())
    before, last = GAME.visible(state), GAME.visible(GAME.play(state, move))
    table = Watching(PLAYED, state)
    table.watch(before, 12)
    table.watch({**before, **spilled, first: "?", second: "?"}, 2)
    table.watch({**before, **spilled}, 3)
    table.watch({**last, first: None}, 1)
    table.watch(last, 20)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    assert moves_of(table.events) == [move]
