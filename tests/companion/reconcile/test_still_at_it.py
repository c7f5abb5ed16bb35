"""Tiles that are laid one after the other: if one of these fails, the first of them are told as a move of their own,
and whoever lays the others is accused of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.reconcile.belief import Asked, SlipRaised, TakenBack
from tests.companion.reconcile.duel_positions import GAME, PLAYED, acquiring, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

ALIKE_ON_TWO = (
    'azul-duel {"bag":[0,1,0,1,0],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0'
    ',0,0,0],"marker_on_large":false,"moons":[[2,2],[3,3,2],[0,4,4],[]],"offer":[-1,70,-1],"options":{"pa'
    'rtial_voluntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":f'
    'alse,"stack_draw_at_zero":"free"},"phase":"acquire","players":[{"broken":[2,4,1,1],"cells":[-1,-1,3,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"'
    'chips":[0,4,3,6,-1,-1,-1,-1,-1,-1],"colours":[2,3,-1,1,3,3],"counts":[1,2,0,1,1,1],"has_marker":fals'
    'e,"has_passed":false,"has_tiled":false,"plates":[-1,27,50,-1,37,20,41,2,34],"score":0,"tokens_used":'
    '2},{"broken":[1,0,0],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[5,5,1,7,-1,-1,-1,-1,-1,-1],"colours":[0,3,0,0,0,1],"c'
    'ounts":[1,1,1,1,1,4],"has_marker":true,"has_passed":false,"has_tiled":false,"plates":[19,56,62,11,-1'
    ',31,-1,14,52],"score":0,"tokens_used":2}],"round":3,"starter":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0'
    ',0,0,0],[0,0,0,0,0],[2,0,0,0,2]],"supply_is_split":true,"tower":[3,4,7,4,8],"turn":2}'
)
"""Player 2 is to move. Turquoise tiles top the stack on factory 3 and lie on factory 4."""

YELLOW_ON_TWO = (
    'azul-duel {"bag":[0,0,1,1,0],"chips":[11,11,11,7],"format":"azul-duel-position/1","large_moon":[1,0,'
    '0,1,0],"marker_on_large":false,"moons":[[4],[1,4,1],[1],[]],"offer":[-1,-1,68],"options":{"partial_v'
    'oluntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"s'
    'tack_draw_at_zero":"free"},"phase":"acquire","players":[{"broken":[2,1,1,3],"cells":[2,0,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":['
    '8,4,3,2,-1,-1,-1,-1,-1,-1],"colours":[2,1,1,3,3,2],"counts":[1,1,2,1,3,4],"has_marker":true,"has_pas'
    'sed":false,"has_tiled":false,"plates":[11,38,-1,52,16,60,22,-1,49],"score":0,"tokens_used":2},{"brok'
    'en":[2,1,1],"cells":[2,4,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1],"chips":[25,4,21,17,-1,-1,-1,-1,-1,-1],"colours":[-1,3,0,4,3,1],"counts":['
    '0,1,1,2,1,3],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[64,26,43,15,45,4,-1,3'
    '1,-1],"score":0,"tokens_used":2}],"round":3,"starter":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],'
    '[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[9,0,2,4,7],"turn":2}'
)
"""Player 2 is to move. Yellow tiles top the stacks on factories 2 and 3, under the first of which another one lies."""


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


def test_a_tile_that_lay_on_its_stack_after_one_was_broken_was_not_that_one() -> None:
    """A like one had lain on it, so that the stack looked as before. What was taken from there next, with another, was
    told as the first, and the game went on with the wrong player to move."""
    start = GAME.parse_position(ALIKE_ON_TWO)
    made = parsed(
        "p2 moon turquoise*1 broken f3=turquoise", "p1 sun f4 blue*2 line3 top=turquoise",
        "p2 moon turquoise*2 broken f3=blue f4=turquoise",
    )
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 12)
    for number, looks in ((1, 12), (2, 9)):
        table.watch({**GAME.visible(after(start, *made[:number])), "f3.moon": "?"}, looks)
    table.watch(GAME.visible(after(start, *made[:2])), 2)
    table.watch(GAME.visible(after(start, *made)), 20)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    assert moves_of(table.events) == made


def test_a_tile_that_was_taken_long_after_the_rest_of_a_move_was_taken_by_the_next_player() -> None:
    """Two yellow tiles were broken, and a third came up. The next player took it, and laid it where a sleeve was: the
    two were told to have been others, and whoever had laid the third was accused."""
    start = GAME.parse_position(YELLOW_ON_TWO)
    made = parsed("p2 moon yellow*2 broken f2=yellow f3=-", "reveal f3.chip=TY", "p1 moon yellow*1 line2 f2=turquoise")
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 12)
    table.watch(GAME.visible(after(start, made[0])), 18)
    table.watch({**GAME.visible(after(start, *made)), "p1.line2.2": "?"}, 5)
    table.watch(GAME.visible(after(start, *made)), 20)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    assert moves_of(table.events) == made
