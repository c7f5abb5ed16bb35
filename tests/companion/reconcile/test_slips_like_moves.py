"""Slips that look like moves until they are put right: if one of these fails, a game is lost from there on."""

from __future__ import annotations

import pytest

from companion.reconcile.belief import Asked, Confirmed, SlipRaised, TakenBack
from tests.companion.reconcile.duel_positions import GAME, PLAYED, after, parsed
from tests.companion.reconcile.watching import Watching

LIKE_TWO_MOVES = (
    'azul-duel {"bag":[2,5,7,4,5],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":true,"moons":[[],[],[],[]],"offer":[8,-1,68],"options":{"partial_voluntary_break":fa'
    'lse,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"fre'
    'e"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[1,6,-1,-1,-1,-1,-1,-1,-1,-1],"colours"'
    ':[-1,3,4,2,-1,0],"counts":[0,1,1,1,0,2],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":'
    '[-1,-1,54,-1,39,12,41,-1,-1],"score":0,"tokens_used":1},{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,0,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[3,5,-1,-1,-1,-1'
    ',-1,-1,-1,-1],"colours":[1,-1,-1,3,3,1],"counts":[1,0,0,1,2,1],"has_marker":false,"has_passed":false,"has'
    '_tiled":false,"plates":[-1,30,25,50,-1,66,-1,60,-1],"score":0,"tokens_used":2}],"round":2,"starter":2,"su'
    'ns":[[2,1,0,0,2],[2,1,1,0,0],[1,0,0,2,1],[0,2,1,1,0],[0,1,1,2,0]],"supply_is_split":true,"tower":[3,1,1,0'
    ',4],"turn":1}'
)
"""Player 1 is to move; on line 1 of player 1 there is room for one tile."""


@pytest.mark.parametrize("unseen", [0, 2])
def test_what_looked_like_two_moves_was_none_once_it_is_put_right(unseen: int) -> None:
    """A player whose move nobody could see moved once more, out of turn: as if the two had made one move each. When it
    was put right, what had plainly lain there was held against what had been played; or nobody thought of it any more,
    because the moves before it had hardly been seen either. The next to move was told to be out of turn."""
    made = parsed(
        "p1 sun f3 black*1 line5 top=yellow", "p2 moon yellow*1 line2 f3=red", "p1 sun f4 black*2 line5 top=red",
        "p2 sun f1 yellow*1 broken top=blue", "p1 plate stack 14@90 plate.2.1 drawn=1", "p2 sun big blue*2 broken",
        "p1 moon blue*1 broken f1=red", "p2 moon turquoise*2 line3 big",
    )
    start = GAME.parse_position(LIKE_TWO_MOVES)
    states = [after(start, *made[:number]) for number in range(len(made) + 1)]
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    watching.distrust(GAME.visible(states[unseen]), 20)
    for state in states[unseen:7]:
        watching.watch(GAME.visible(state), 14)
    watching.distrust(GAME.visible(states[7]), 20)
    slip = next(
        each for each in GAME.plausible_moves(states[7])
        if [(slip.slug, slip.places) for slip in each.slips] == [("out-of-turn", ("p1.line1.1", "p1.broken"))]
        and each.places["f2.moon"] == {"top": "turquoise"}
    )
    wrong = watching.watch({**GAME.visible(states[7]), **slip.places}, 30)
    assert len([event for event in wrong if isinstance(event, Confirmed)]) == 2, "so it looks"
    found = watching.watch(GAME.visible(states[8]), 40)
    assert [event for event in found if isinstance(event, TakenBack)]
    assert watching.reconciler.state == states[8]
    assert not [event for event in watching.events if isinstance(event, SlipRaised | Asked)]


CHIPS_TO_CHOOSE = (
    'azul-duel {"bag":[0,0,0,1,0],"chips":[-1,-1,-1,-1],"format":"azul-duel-position/1","large_moon":[0,0,0,0'
    ',0],"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break'
    '":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero"'
    ':"free"},"phase":"tiling","players":[{"broken":[1],"cells":[-1,-1,3,-1,-1,-1,-1,2,4,-1,-1,-1,-1,-1,-1,-1'
    ',-1,2,-1,-1,-1,2,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,4],"chips":[16,18,23,21,22,22,20,19,8,8],"colours'
    '":[1,2,2,3,1,0],"counts":[1,2,1,2,1,1],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":'
    '[39,16,1,45,40,15,67,54,58],"score":0,"tokens_used":0},{"broken":[4,0,3,3],"cells":[-1,-1,-1,-1,-1,-1,-1'
    ',4,-1,-1,4,-1,-1,-1,-1,-1,-1,4,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[5,16,19,25'
    ',18,20,7,17,1,9],"colours":[-1,-1,1,-1,2,4],"counts":[0,0,1,0,4,2],"has_marker":true,"has_passed":false,'
    '"has_tiled":false,"plates":[23,51,35,62,28,9,26,68,5],"score":0,"tokens_used":0}],"round":5,"starter":2,'
    '"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[9,9'
    ',3,7,5],"turn":2}'
)
"""Player 2 has four tiles on line 5; the fifth may be paid for with any three of four chips."""


def test_a_line_that_nobody_paid_for_with_chips_is_named_though_several_might_have_been_turned() -> None:
    """Which three of four chips are to be turned is not known until they are. They were waited for until the round was
    over, and what was not paid for counted."""
    state = GAME.parse_position(CHIPS_TO_CHOOSE)
    slip = next(
        each for each in GAME.plausible_moves(state)
        if [(slip.slug, slip.places) for slip in each.slips] == [("chips-misused", ("p2.dome.5.6",))]
    )
    watching = Watching(PLAYED, state)
    watching.watch(GAME.visible(state), 20)
    found = watching.watch({**GAME.visible(state), **slip.places}, 60)
    assert [slip.slug for event in found if isinstance(event, SlipRaised) for slip in event.slips] == ["chips-misused"]


UNSEEN_BROKEN = (
    'azul-duel {"bag":[0,0,0,0,0],"chips":[11,11,1,11],"format":"azul-duel-position/1","large_moon":[0,1,0,0,'
    '0],"marker_on_large":false,"moons":[[0,4,2],[3,4,4],[],[3,1]],"offer":[-1,-1,-1],"options":{"partial_vol'
    'untary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_d'
    'raw_at_zero":"free"},"phase":"acquire","players":[{"broken":[4,2],"cells":[-1,-1,-1,-1,-1,1,0,-1,-1,2,-1'
    ',-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,0,-1],"chips":[18,16,21,17,16,23,3,7'
    ',-1,-1],"colours":[2,2,1,2,1,0],"counts":[1,1,2,1,3,3],"has_marker":true,"has_passed":false,"has_tiled":'
    'false,"plates":[45,27,20,18,8,14,57,62,32],"score":0,"tokens_used":0},{"broken":[3,3,0,3],"cells":[2,-1,'
    '4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1],"chip'
    's":[20,24,2,22,3,9,9,4,-1,-1],"colours":[3,-1,4,2,3,1],"counts":[1,0,1,2,1,2],"has_marker":false,"has_pa'
    'ssed":false,"has_tiled":false,"plates":[67,50,69,43,30,37,0,5,55],"score":0,"tokens_used":0}],"round":5,'
    '"starter":2,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,'
    '"tower":[6,2,3,5,5],"turn":2}'
)
"""Player 2 takes one of two turquoise tiles of factory 2, for which there is no room any more: nothing shows of it."""


def test_a_chip_that_was_not_there_yet_was_not_taken_before_what_lay_beside_it() -> None:
    """Of a move that shows nowhere it was thought that it had been a chip, which was taken out of turn long after: its
    place on the board had plainly been bare. The move was taken back, and nobody was told of the slip."""
    made = parsed("p2 moon turquoise*1 broken f2=turquoise", "p1 moon red*1 line4 f1=turquoise",
                  "p2 moon turquoise*2 line3 f1=blue f2=black")
    start = GAME.parse_position(UNSEEN_BROKEN)
    states = [after(start, *made[:number]) for number in range(len(made) + 1)]
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    watching.distrust(GAME.visible(states[2]), 12)
    watching.watch(GAME.visible(states[2]), 14)
    watching.watch(GAME.visible(states[3]), 14)
    wrong = {**GAME.visible(states[3]), "f3.chip": None, "p2.chips.9": ["yellow"]}
    watching.distrust(wrong, 6)
    found = watching.watch(wrong, 40)
    assert [slip.slug for event in found if isinstance(event, SlipRaised) for slip in event.slips] == ["out-of-turn"]
    assert not [event for event in watching.events if isinstance(event, TakenBack)]
