"""Runs of moves that nobody saw as they were made: if one of these fails, people are asked what they did, or the game
is told otherwise than it was played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from companion.reconcile.search import chains
from companion.reconcile.under_way import Look, Search, found_by
from tests.companion.reconcile.duel_positions import GAME, PLAYED, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

PLATES = (
    'azul-duel {"bag":[8,7,12,8,9],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":true,"moons":[[],[],[],[]],"offer":[6,13,44],"options":{"partial_voluntary_break":fal'
    'se,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"free"'
    '},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"colours":'
    '[-1,-1,-1,-1,-1,-1],"counts":[0,0,0,0,0,0],"has_marker":false,"has_passed":false,"has_tiled":false,"plates'
    '":[-1,-1,-1,-1,-1,-1,-1,-1,59],"score":5,"tokens_used":0},{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1],"colours":[-1,-1,-1,-1,-1,-1],"counts":[0,0,0,0,0,0],"has_marker":false,"has_passed":fals'
    'e,"has_tiled":false,"plates":[-1,-1,-1,-1,-1,-1,25,-1,-1],"score":5,"tokens_used":0}],"round":1,"starter":'
    '1,"suns":[[0,2,1,1,1],[2,0,0,0,2],[0,1,0,2,1],[1,2,0,1,0],[2,1,0,1,0]],"supply_is_split":true,"tower":[0,0'
    ',0,0,0],"turn":1}'
)
"""Player 1 is to move in the first round; neither has drawn more than one plate."""

RED_BETWEEN = (
    'azul-duel {"bag":[2,0,1,0,1],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":true,"moons":[[],[],[],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break":f'
    'alse,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"fr'
    'ee"},"phase":"acquire","players":[{"broken":[],"cells":[1,2,-1,1,-1,4,-1,-1,-1,3,-1,1,-1,-1,-1,-1,-1,0,-1'
    ',3,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[3,4,7,1,16,21,4,3,-1,-1],"colours":[-1,-1,-1'
    ',4,-1,4],"counts":[0,0,0,1,0,1],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[46,1,38'
    ',8,23,5,49,62,27],"score":0,"tokens_used":0},{"broken":[],"cells":[-1,-1,-1,-1,-1,0,-1,-1,2,-1,-1,-1,-1,-'
    '1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[0,8,7,5,2,8,9,1,-1,-1],"colou'
    'rs":[-1,-1,-1,4,3,4],"counts":[0,0,0,1,1,2],"has_marker":false,"has_passed":false,"has_tiled":false,"plat'
    'es":[54,67,70,13,17,34,29,43,58],"score":0,"tokens_used":0}],"round":5,"starter":2,"suns":[[1,1,2,1,0],[1'
    ',2,0,1,0],[1,1,2,0,0],[0,1,1,1,1],[1,0,1,1,1]],"supply_is_split":true,"tower":[4,4,4,6,4],"turn":2}'
)
"""Player 2 is to move; nothing has been taken from the factories yet."""
LAID = (
    "p1 plate stack 2@180 plate.1.3 drawn=2", "p2 plate stack 10@180 plate.3.2 drawn=3",
    "p1 plate stack 0@180 plate.3.1 drawn=1", "p2 plate stack 8@90 plate.2.2 drawn=1",
    "p1 sun big yellow*2 line2", "p2 sun f2 yellow*1 line1 top=turquoise",
)

TILES = (
    'azul-duel {"bag":[9,11,10,6,8],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0'
    ',0],"marker_on_large":true,"moons":[[],[],[2,3],[]],"offer":[25,-1,62],"options":{"partial_voluntary_break'
    '":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"'
    'free"},"phase":"acquire","players":[{"broken":[0],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"col'
    'ours":[-1,-1,-1,-1,-1,-1],"counts":[0,0,0,0,0,0],"has_marker":false,"has_passed":false,"has_tiled":false,"'
    'plates":[-1,-1,-1,-1,-1,5,20,-1,43],"score":0,"tokens_used":2},{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1],"colours":[-1,-1,-1,3,-1,-1],"counts":[0,0,0,1,0,0],"has_marker":false,"has_passed":'
    'false,"has_tiled":false,"plates":[35,-1,1,-1,-1,58,-1,-1,-1],"score":4,"tokens_used":2}],"round":1,"starte'
    'r":2,"suns":[[2,1,0,1,1],[1,0,0,1,2],[0,0,2,1,1],[0,0,0,0,0],[0,1,0,2,1]],"supply_is_split":true,"tower":['
    '0,0,0,0,0],"turn":2}'
)
"""Player 2 is to move; player 1 will break a red tile."""
TAKEN = (
    "p2 sun f2 turquoise*1 broken top=red", "p1 moon red*1 line5 f2=red", "p2 sun big black*1 broken",
    "p1 sun f1 turquoise*2 line2 top=blue", "p2 sun f4 black*2 broken top=yellow",
)


LOOKS = 12
"""How often each table is looked at."""
A_FEW = 100
"""Runs that are weighed in one look, of the thousands there are."""


@pytest.mark.parametrize(("position", "made", "shown"), [(PLATES, LAID, (5, 6)), (TILES, TAKEN, (2, 4, 5))])
def test_a_long_run_of_moves_is_found_by_what_came_first(
    position: str, made: tuple[str, ...], shown: tuple[int, ...]
) -> None:
    """What can be made of a table in five or six moves is more than anybody can look through: what came first is tried
    first, and a stone that each of several moves has pushed tells nothing of the first of them."""
    start, moves = GAME.parse_position(position), parsed(*made)
    watching = Watching(PLAYED, start)
    evidence = watching.reconciler.evidence
    for number in (0, *shown):
        for _ in range(LOOKS):
            evidence.look(evidence.sift(watching.next_look(GAME.visible(after(start, *moves[:number])))))
    now_ns = watching.next_look(GAME.visible(start)).captured_ns
    found = found_by(chains(watching.reconciler.ground, evidence, Look(evidence.surprises(1.0), now_ns), len(moves)))
    whole = [fit for fit in found if fit.is_clean and not fit.unexplained]
    assert whole, "nothing was found that explains all of it"
    tables = [GAME.visible(after(start, *whole[0].explanation.steps[:number])) for number in range(len(moves) + 1)]
    assert all(GAME.visible(after(start, *moves[:number])) in tables for number in shown)


def test_a_search_that_is_spread_over_looks_finds_what_one_finds_that_is_made_at_once() -> None:
    """What somebody has just laid is seen more surely look by look. If a move that is weighed later is likelier for
    that alone, a piece is said to have been misread and half a game is told anew."""
    start, moves = GAME.parse_position(TILES), parsed(*TAKEN[:3])
    watching = Watching(PLAYED, start)
    ground, evidence = watching.reconciler.ground, watching.reconciler.evidence
    laid = GAME.visible(after(start, *moves))

    def seen(table: Mapping[str, Any]) -> Look:
        observation = watching.next_look(table)
        evidence.look(evidence.sift(observation))
        return Look(evidence.surprises(1.0), observation.captured_ns)

    for _ in range(LOOKS):
        seen(GAME.visible(start))
    look = seen(laid)
    search, spread = Search(chains(ground, evidence, look, len(moves))), None
    while spread is None:
        look = seen(laid)
        spread = search.go_on(A_FEW, look)
    at_once = found_by(chains(ground, evidence, look, len(moves)))
    assert [(fit.explanation.steps, fit.score) for fit in spread[:5]] == [
        (fit.explanation.steps, fit.score) for fit in at_once[:5]
    ]


def test_what_lay_on_a_stack_between_two_of_many_moves_is_thought_of() -> None:
    """The first of four moves that nobody saw left a red tile on top of a stack, which the last took with two others.
    It was not followed beyond the second, because another tile shows there now: two red tiles were told, and the third
    was left lying about for the next move."""
    start = GAME.parse_position(RED_BETWEEN)
    made = parsed(
        "p2 sun f3 black*1 line5 top=red", "p1 sun big black*1 broken", "p2 sun f4 red*1 line2 top=black",
        "p1 moon red*3 line5 f3=turquoise big",
    )
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    watching.distrust(GAME.visible(start), 20)
    watching.watch(GAME.visible(after(start, *made)), 40)
    assert len(moves_of(watching.events)) == len(made), "and nothing is taken back"
    assert GAME.visible(watching.reconciler.state) == GAME.visible(after(start, *made))
