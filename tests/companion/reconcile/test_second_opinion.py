"""Moves that nobody saw and that were others: if one of these fails, a game goes astray without anybody's fault."""

from __future__ import annotations

from typing import Any

from companion.catalogue import played_game
from companion.reconcile.belief import Asked, Confirmed, SlipRaised, TakenBack
from tests.companion.reconcile.watching import Watching

PLAYED = played_game("azul-duel", 2)
GAME = PLAYED.game
FRAMES_A_SECOND = 10
BEFORE = (
    'azul-duel {"bag":[0,0,1,1,0],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":true,"moons":[[],[1,2,1],[2,4],[4,4]],"offer":[-1,-1,-1],"options":{"partial_volunta'
    'ry_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_a'
    't_zero":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,1,3,-1,-1,-1,-1,0,4,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[6,8,6,2,-1,-1,-1,-1,-1,-1],"c'
    'olours":[-1,2,2,0,0,2],"counts":[0,2,2,3,1,2],"has_marker":false,"has_passed":false,"has_tiled":false,"pl'
    'ates":[25,58,34,15,40,-1,47,-1,67],"score":1,"tokens_used":2},{"broken":[],"cells":[-1,-1,1,2,-1,-1,-1,-1'
    ',2,4,-1,-1,-1,-1,-1,0,-1,-1,-1,1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[3,16,21,1,-1,-'
    '1,-1,-1,-1,-1],"colours":[3,-1,3,-1,4,1],"counts":[1,0,2,0,3,1],"has_marker":false,"has_passed":false,"ha'
    's_tiled":false,"plates":[-1,53,18,69,4,-1,-1,49,21],"score":10,"tokens_used":1}],"round":3,"starter":1,"s'
    'uns":[[2,2,0,1,0],[2,0,1,0,1],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[3,5,1,'
    '7,4],"turn":1}'
)
"""Player 1 is to move; three blue tiles lie on line 4, and two more on factory 1 with a red one and a turquoise one."""
MADE = ("p1 sun f1 red*1 line1 top=blue", "p2 plate stack 2@270 plate.1.1 drawn=1", "p1 moon blue*1 line4 f1=blue")
LIKEWISE = (
    "p1 sun f1 blue*2 line4 top=red", "p2 plate stack 2@270 plate.1.1 drawn=1", "p1 moon red*1 line1 f1=turquoise"
)
"""What leaves the same behind as those, if in the last of them a tile too many is taken and breaks."""


def played(state: Any, moves: tuple[str, ...]) -> Any:
    for move in moves:
        state = GAME.play(state, GAME.parse_move(move))
    return state


def overtaken() -> Watching:
    """A table at which two moves were made out of sight, and a third with a tile too many, which was put right."""
    state = GAME.parse_position(BEFORE)
    watching = Watching(PLAYED, state, every_ns=10**9 // FRAMES_A_SECOND)
    watching.watch(GAME.visible(state), 4 * FRAMES_A_SECOND)
    watching.pass_over(8 * FRAMES_A_SECOND)
    watching.watch(GAME.visible(played(state, LIKEWISE)), 3 * FRAMES_A_SECOND)
    assert watching.reconciler.state == played(state, LIKEWISE), "nothing tells them apart yet"
    watching.pass_over(2 * FRAMES_A_SECOND)
    return watching


def test_moves_that_nobody_saw_are_thought_over_once_they_cannot_have_been_made() -> None:
    """Who put a slip right that nobody could know of had, by what was written down, laid a tile back that was never
    taken: nothing was agreed on for a minute, and then people were asked."""
    watching = overtaken()
    right = played(GAME.parse_position(BEFORE), MADE)
    found = watching.watch(GAME.visible(right), 3 * FRAMES_A_SECOND)
    assert watching.reconciler.state == right
    taken_back = next(event for event in found if isinstance(event, TakenBack))
    assert [GAME.format_move(move) for move in taken_back.moves] == list(LIKEWISE)
    told = [GAME.format_move(event.move) for event in found if isinstance(event, Confirmed)]
    assert told == list(MADE)
    assert not [event for event in found if isinstance(event, SlipRaised | Asked)]


def test_one_place_that_is_misread_takes_no_move_back() -> None:
    watching = overtaken()
    state = watching.reconciler.state
    found = watching.watch({**GAME.visible(state), "f1.moon": {"top": "blue"}}, 8 * FRAMES_A_SECOND)
    assert not [event for event in found if isinstance(event, TakenBack)]
    assert watching.reconciler.state == state
