"""A move of which nothing shows, because a like tile lies beneath the one that was taken and on the pile it went to: if
one of these fails, another move is told in its place, without a word."""

from __future__ import annotations

from companion.reconcile.belief import Asked, SlipRaised, TakenBack
from tests.companion.reconcile.duel_positions import GAME, PLAYED, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

TURQUOISE_BELOW = (
    'azul-duel {"bag":[2,6,6,2,3],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0'
    ',0,0,0],"marker_on_large":true,"moons":[[1],[0,3,2],[3,3],[4,4,4]],"offer":[-1,4,-1],"options":{"par'
    'tial_voluntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":fa'
    'lse,"stack_draw_at_zero":"free"},"phase":"acquire","players":[{"broken":[1,1],"cells":[-1,-1,2,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips'
    '":[25,22,6,20,9,2,-1,-1,-1,-1],"colours":[3,4,0,0,3,0],"counts":[1,2,1,2,3,1],"has_marker":false,"ha'
    's_passed":false,"has_tiled":false,"plates":[68,14,29,55,56,66,46,60,-1],"score":0,"tokens_used":1},{'
    '"broken":[4],"cells":[-1,-1,-1,2,-1,0,2,-1,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1],"chips":[1,21,20,23,5,0,-1,-1,-1,-1],"colours":[-1,-1,1,2,3,0],"counts":[0'
    ',0,3,1,4,4],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[24,19,49,11,35,3,36,21'
    ',40],"score":0,"tokens_used":2}],"round":4,"starter":2,"suns":[[0,1,2,0,2],[0,0,0,0,0],[0,0,0,0,0],['
    '0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,0,0,0,0],"turn":2}'
)
"""Player 2 is to move, on whose broken track a turquoise tile lies. On factory 4 there are three of them, and on
factory 3 two black ones."""


def test_a_tile_that_should_have_shown_on_a_broken_track_while_the_next_player_played_was_not_broken() -> None:
    """It was told that a black tile had been broken, for which there was a like one beneath as well. Nobody had seen it
    on the track, on which turquoise ones lay before and after; but the next player had played on, and it was in plain
    sight."""
    start = GAME.parse_position(TURQUOISE_BELOW)
    made = parsed(
        "p2 moon turquoise*1 broken f4=turquoise", "p1 sun big red*2 broken",
        "p2 moon turquoise*3 line1 f4=turquoise big",
    )
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 20)
    between = GAME.visible(after(start, *made[:2]))
    table.watch({**between, "p2.line1.1": "?"}, 4)
    table.watch(between, 6, hand=True)
    table.watch(GAME.visible(after(start, *made)), 20)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    assert moves_of(table.events) == made
