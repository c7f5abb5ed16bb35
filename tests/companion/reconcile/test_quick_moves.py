"""Moves made one right after another: if one of these fails, a game goes astray without a word."""

from __future__ import annotations

from companion.reconcile.belief import SlipRaised
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, PLAYED, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

SPARE = (
    'azul-duel {"bag":[6,5,6,4,2],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0'
    '],"marker_on_large":true,"moons":[[],[0,1,2],[],[4,0]],"offer":[25,53,28],"options":{"partial_voluntary_br'
    'eak":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero'
    '":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,-1,-1,4,-1,-1,-1,-1,2,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[1,0,-1,-1,-1,-1,-1,-1,-1,-1],"colou'
    'rs":[-1,4,4,1,-1,2],"counts":[0,1,3,2,0,1],"has_marker":false,"has_passed":false,"has_tiled":false,"plates'
    '":[63,-1,38,22,34,-1,4,-1,-1],"score":0,"tokens_used":2},{"broken":[],"cells":[-1,-1,-1,0,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[5,3,-1,-1,-1,-1,'
    '-1,-1,-1,-1],"colours":[-1,1,4,3,3,1],"counts":[0,1,1,4,2,1],"has_marker":false,"has_passed":false,"has_ti'
    'led":false,"plates":[14,11,-1,-1,56,42,46,-1,-1],"score":0,"tokens_used":2}],"round":2,"starter":1,"suns":'
    '[[1,0,1,2,1],[0,1,1,1,1],[0,0,0,0,0],[1,1,0,0,2],[0,0,0,0,0]],"supply_is_split":true,"tower":[2,1,2,0,0],"'
    'turn":1}'
)
"""Player 1 is to move and has one place left for a turquoise tile."""

LINE = (
    'azul-duel {"bag":[4,4,4,6,5],"chips":[11,6,8,9],"format":"azul-duel-position/1","large_moon":[0,0,0,0,2],"'
    'marker_on_large":false,"moons":[[2,1],[],[],[]],"offer":[36,33,24],"options":{"partial_voluntary_break":fa'
    'lse,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"free'
    '"},"phase":"acquire","players":[{"broken":[4,4,3],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[8,1,-1,-1,-1,-1,-1,-1,-1,-1],"colour'
    's":[0,1,3,-1,-1,1],"counts":[1,2,3,0,0,3],"has_marker":false,"has_passed":false,"has_tiled":false,"plates"'
    ':[21,43,-1,1,-1,46,-1,71,-1],"score":0,"tokens_used":2},{"broken":[1,1,0,2],"cells":[-1,-1,-1,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[5,0,-1,-1'
    ',-1,-1,-1,-1,-1,-1],"colours":[1,4,0,0,0,2],"counts":[1,2,2,1,2,3],"has_marker":true,"has_passed":false,"h'
    'as_tiled":false,"plates":[-1,-1,-1,58,17,-1,15,7,65],"score":0,"tokens_used":2}],"round":2,"starter":2,"su'
    'ns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[2,0,4,2,'
    '2],"turn":1}'
)
"""Player 1 is to move; a red tile lies on top of what player 2 has broken."""

TWO_REDS = (
    'azul-duel {"bag":[2,0,1,2,1],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0],'
    '"marker_on_large":true,"moons":[[3,0],[],[],[0,3,2]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break"'
    ':false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"fre'
    'e"},"phase":"acquire","players":[{"broken":[1,1],"cells":[2,-1,-1,-1,-1,4,-1,-1,-1,-1,-1,1,-1,-1,-1,-1,3,1,-'
    '1,-1,-1,-1,-1,4,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,4],"chips":[19,21,20,22,16,24,20,3,-1,-1],"colours":[-1,-1,-'
    '1,-1,1,-1],"counts":[0,0,0,0,2,0],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[4,41,55,'
    '70,31,12,67,21,8],"score":0,"tokens_used":0},{"broken":[],"cells":[3,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,3],"chips":[18,21,22,25,17,23,1,2,-1,-1],"colo'
    'urs":[-1,-1,4,1,1,0],"counts":[0,0,2,1,2,4],"has_marker":false,"has_passed":false,"has_tiled":false,"plates"'
    ':[37,19,49,45,62,27,2,32,59],"score":0,"tokens_used":0}],"round":5,"starter":1,"suns":[[1,0,3,1,0],[0,0,0,0,'
    '0],[0,1,2,1,0],[0,1,2,1,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[3,2,2,3,7],"turn":1}'
)
"""Player 1 is to move; a red tile lies on top of a stack, and there are two more on a factory."""


def test_what_lay_on_a_stack_for_a_moment_tells_three_moves_from_two() -> None:
    """A tile lay on a stack for half a second before the next move took it. Two moves explain all that was there in
    the end, but not that tile: they were told, and the stack was wrong for the rest of the round."""
    moves = parsed(
        "p1 sun f3 blue*1 broken top=turquoise", "p2 sun f1 black*1 broken top=turquoise",
        "p1 moon turquoise*2 line2 f1=yellow f3=yellow",
    )
    start = GAME.parse_position(SPARE)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    hidden = {"p1.broken": UNKNOWN, "p2.broken": UNKNOWN}
    watching.watch({**GAME.visible(after(start, *moves[:2])), **hidden, "f1.moon": UNKNOWN}, 3, hand=True)
    watching.watch({**GAME.visible(after(start, *moves)), **hidden}, 3)
    watching.watch(GAME.visible(after(start, *moves)), 10)
    assert moves_of(watching.events) == moves


def test_a_tile_that_is_misread_as_it_comes_to_light_was_not_broken() -> None:
    """Four moves, most of them in the dark. The last laid a red tile under a sleeve, and as that went away the tile was
    read wrong once: it was told to lie on the red ones that are broken, and the player accused of another."""
    moves = parsed(
        "p1 moon yellow*1 line5 f1=red", "p2 chip f4 chips.3", "p1 chip f2 chips.3", "p2 moon red*1 line6 f1=-",
    )
    start = GAME.parse_position(LINE)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.distrust(GAME.visible(start), 20)
    one, three, four = (GAME.visible(after(start, *moves[:number])) for number in (1, 3, 4))
    watching.watch(one, 3)
    watching.distrust(one, 20)
    watching.watch({**three, "p2.chips.3": UNKNOWN}, 4)
    watching.watch({**four, "p2.line6.4": UNKNOWN}, 3)
    watching.watch({**four, "p2.line6.4": "yellow"}, 1)
    watching.watch(four, 10)
    assert moves_of(watching.events) == moves


def test_what_one_more_move_leaves_open_may_still_tell_that_the_move_before_it_was_another() -> None:
    """Two moves at once, the second with a red tile of the first. One line was covered as the first was told; a move
    that explained half of what came there made the doubt about the first forgotten, and the player was accused."""
    moves = parsed("p1 sun f2 yellow*1 line1 top=red", "p2 moon red*2 line2 f2=black f4=black")
    start = GAME.parse_position(TWO_REDS)
    both = GAME.visible(after(start, *moves))
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.watch({**both, "f4.moon": {"top": "red"}, "p2.line2.1": UNKNOWN, "p2.line2.2": UNKNOWN}, 3, hand=True)
    watching.watch({**both, "f4.moon": UNKNOWN, "p2.line2.1": None, "p2.line2.2": UNKNOWN}, 1, hand=True)
    watching.watch(both, 25)
    told = moves_of(watching.events)
    assert told[-2:] == moves
    assert not [event for event in watching.events if isinstance(event, SlipRaised)]
