"""Players who tile at the same time: if one of these fails, everybody waits for one, or is accused of what is none."""

from __future__ import annotations

from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, PLAYED, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

TILING = (
    'azul-duel {"bag":[0,0,0,1,1],"chips":[-1,-1,-1,-1],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,-1,17],"options":{"partial_voluntary_break":'
    'false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"f'
    'ree"},"phase":"tiling","players":[{"broken":[3,3,3,3],"cells":[3,-1,-1,-1,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[1,24,23,19,4,0,-1,-1,-1,-1],"co'
    'lours":[4,2,2,1,0,4],"counts":[1,2,3,3,5,1],"has_marker":false,"has_passed":false,"has_tiled":false,"plat'
    'es":[4,-1,-1,63,71,48,2,15,37],"score":0,"tokens_used":2},{"broken":[2,3],"cells":[-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[21,21,0,9,'
    '6,7,-1,-1,-1,-1],"colours":[3,4,4,1,4,0],"counts":[1,2,2,4,3,4],"has_marker":true,"has_passed":true,"has_'
    'tiled":false,"plates":[-1,54,57,-1,47,65,40,28,10],"score":0,"tokens_used":2}],"round":3,"starter":1,"sun'
    's":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[4,6,6,5,'
    '2],"turn":1}'
)
"""Both players tile next."""
FIRST, SECOND = "p1 tile ..425. chips=1,5,6", "p2 tile 3346.. chips=5,6"
REFILL = "deal big.sun=BBYKT f1.sun=BRRK f2.sun=YKKT f3.sun=BRRK f4.sun=BYKK offer.1=5@90 offer.2=6@270"


def test_a_board_under_a_sleeve_keeps_nobody_else_waiting() -> None:
    """Both players tiled, and a sleeve lay over half of one board: nobody's tiling was told, so that the refill came on
    top of it, and then the next move, and a slip was named that nobody had made."""
    start = GAME.parse_position(TILING)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    both = GAME.visible(after(start, *parsed(FIRST, SECOND)))
    covered = ("p2.dome.1.3", "p2.dome.2.3", "p2.dome.3.4", "p2.dome.4.6")
    watching.watch({**both, **dict.fromkeys(covered, UNKNOWN)}, 8)
    assert moves_of(watching.events) == parsed(FIRST)
    watching.watch(both, 8)
    assert moves_of(watching.events) == parsed(FIRST, SECOND)


def test_a_refill_after_two_tilings_is_found_though_a_slip_and_the_refill_explain_as_much() -> None:
    """Two players tiled and one refilled while nobody could look, and one space was hidden afterwards. A tile laid
    wrong there explained more than the two tilings alone: what explains all of it was not looked for any more."""
    start, moves = GAME.parse_position(TILING), parsed(FIRST, SECOND, REFILL)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    watching.distrust(GAME.visible(start), 20)
    watching.watch({**GAME.visible(after(start, *moves)), "p2.dome.1.5": UNKNOWN}, 15)
    assert watching.reconciler.state == after(start, *moves)
