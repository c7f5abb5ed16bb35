"""A tile that was taken from a stack before its move was agreed on: if one of these fails, the move is told as another
that left the same behind, and the next player is accused or the scores are wrong without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.catalogue import played_game
from companion.reconcile.belief import Asked, SlipRaised, TakenBack
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import acquiring, after, parsed, positions
from tests.companion.reconcile.watching import Watching, moves_of

PLAYED = played_game("azul-duel", 2)
GAME = PLAYED.game

FULL = (
    'azul-duel {"bag":[2,5,4,5,7],"chips":[11,8,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0]'
    ',"marker_on_large":false,"moons":[[0,3],[],[4,4],[0,3]],"offer":[71,-1,-1],"options":{"partial_voluntary_b'
    'reak":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zer'
    'o":"free"},"phase":"acquire","players":[{"broken":[3,3,0,2],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[7,5,-1,-1,-1,-1,-1,-1,-1,-'
    '1],"colours":[2,4,1,0,2,3],"counts":[1,2,1,4,1,1],"has_marker":false,"has_passed":false,"has_tiled":false,'
    '"plates":[-1,66,-1,19,6,-1,43,35,-1],"score":0,"tokens_used":2},{"broken":[0,1,1,1],"cells":[-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[4'
    ',2,-1,-1,-1,-1,-1,-1,-1,-1],"colours":[4,0,3,1,0,1],"counts":[1,2,3,1,1,2],"has_marker":true,"has_passed":'
    'false,"has_tiled":false,"plates":[30,-1,59,-1,46,-1,48,-1,38],"score":0,"tokens_used":2}],"round":2,"start'
    'er":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":'
    '[0,1,5,0,1],"turn":2}'
)
"""Player 2 is to move, on whose full broken track nothing shows of a tile more. A black tile tops two stacks, and two
turquoise ones lie on a third."""

BENEATH = (
    'azul-duel {"bag":[7,2,5,5,7],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0'
    '],"marker_on_large":true,"moons":[[3,3],[0,0,4],[4,4],[0,1,1]],"offer":[-1,36,-1],"options":{"partial_volu'
    'ntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw'
    '_at_zero":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[19,19,18,9,6,1,-1,-1,-1,-1]'
    ',"colours":[2,2,2,1,3,1],"counts":[1,2,1,1,2,2],"has_marker":false,"has_passed":false,"has_tiled":false,"p'
    'lates":[60,69,30,66,11,43,13,17,52],"score":0,"tokens_used":2},{"broken":[],"cells":[3,-1,-1,1,-1,-1,-1,-1'
    ',-1,0,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,-1,-1],"chips":[20,21,17,24,21,'
    '24,-1,-1,-1,-1],"colours":[-1,1,4,2,1,2],"counts":[0,1,1,1,3,1],"has_marker":false,"has_passed":false,"has'
    '_tiled":false,"plates":[21,5,49,1,24,46,32,59,-1],"score":0,"tokens_used":1}],"round":4,"starter":1,"suns"'
    ':[[2,0,0,3,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,0,0,0,0],'
    '"turn":2}'
)
"""Player 2 is to move. On factory 4 a yellow tile lies on others, of which one is blue and one yellow as well."""


TWO_TURQUOISE = (
    'azul-duel {"bag":[0,0,0,0,0],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":false,"moons":[[4,3],[3],[3,4,4],[0,3]],"offer":[-1,-1,-1],"options":{"partial_volun'
    'tary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw'
    '_at_zero":"free"},"phase":"acquire","players":[{"broken":[2,0,0,0],"cells":[-1,0,-1,-1,-1,3,-1,0,-1,0,2,-'
    '1,-1,-1,2,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[20,25,22,23,16,18,5,8,-'
    '1,-1],"colours":[-1,2,4,2,1,1],"counts":[0,1,2,1,4,4],"has_marker":false,"has_passed":false,"has_tiled":f'
    'alse,"plates":[11,35,17,3,39,12,29,63,43],"score":0,"tokens_used":0},{"broken":[3,3,3],"cells":[-1,4,-1,-'
    '1,-1,-1,-1,1,-1,4,-1,-1,-1,2,-1,-1,-1,3,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[17'
    ',25,19,24,16,21,4,2,-1,-1],"colours":[3,2,-1,-1,2,-1],"counts":[1,2,0,0,3,0],"has_marker":true,"has_passe'
    'd":false,"has_tiled":false,"plates":[6,52,25,58,23,67,47,51,68],"score":0,"tokens_used":0}],"round":5,"st'
    'arter":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tow'
    'er":[5,4,1,3,6],"turn":2}'
)
"""Player 2 is to move. Two turquoise tiles lie on a black one, and black ones top the other three stacks."""

BLUE_BELOW = (
    'azul-duel {"bag":[8,10,8,9,9],"chips":[1,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":false,"moons":[[],[3],[0,3,3],[2,3]],"offer":[43,45,59],"options":{"partial_voluntar'
    'y_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at'
    '_zero":"free"},"phase":"acquire","players":[{"broken":[2,4,4],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[-1,-1,-1,-1,-1,-1,-1,'
    '-1,-1,-1],"colours":[4,-1,4,1,-1,-1],"counts":[1,0,1,1,0,0],"has_marker":true,"has_passed":false,"has_til'
    'ed":false,"plates":[-1,-1,-1,-1,5,0,-1,53,-1],"score":0,"tokens_used":2},{"broken":[],"cells":[-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips'
    '":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"colours":[-1,0,-1,1,2,0],"counts":[0,1,0,2,3,3],"has_marker":false,"ha'
    's_passed":false,"has_tiled":false,"plates":[-1,49,-1,-1,-1,66,-1,19,-1],"score":0,"tokens_used":2}],"roun'
    'd":1,"starter":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":t'
    'rue,"tower":[0,0,0,0,0],"turn":2}'
)
"""Player 2 is to move. Two black tiles lie on a blue one, and one black tile tops each of two other stacks."""


def told(table: Watching) -> list[Any]:
    """The moves that were told, once nothing was doubted, asked or taken back."""
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    return moves_of(table.events)


def three_in_a_row() -> Iterator[tuple[Any, list[Any], str]]:
    """Positions, a move that lays tiles in a line, one that pushes others onto a moon, and one that breaks the top of
    them at once, with the pile on which it is broken."""
    for seed in range(12):
        for before in acquiring(seed):
            for first in GAME.legal_moves(before):
                state = GAME.play(before, first)
                if GAME.deal_request(state) is None and str(getattr(first, "to", "")).startswith("line"):
                    for second, third in pushed_and_taken(state):
                        yield before, [first, second, third], f"p{third.player}.broken"
                    break


def pushed_and_taken(state: Any) -> Iterator[tuple[Any, Any]]:
    for first in GAME.legal_moves(state):
        between = GAME.play(state, first)
        if getattr(first, "top", None) is None or GAME.deal_request(between) is not None:
            continue
        moon = f"{first.source}.moon"
        for second in GAME.legal_moves(between):
            after = GAME.changes(between, GAME.play(between, second))
            if second.to == "broken" and set(after) == {moon, f"p{second.player}.broken"} and after[moon]:
                yield first, second


def test_a_top_that_was_seen_for_a_moment_and_taken_was_laid_there() -> None:
    """Three quick moves, a sleeve over the factory and then over the pile on which the top was broken: the tile beneath
    was taken for the top."""
    before, moves, place = next(three_in_a_row())
    state = GAME.play(GAME.play(before, moves[0]), moves[1])
    after = GAME.play(state, moves[2])
    table = Watching(PLAYED, before)
    table.watch(GAME.visible(before), 10)
    table.watch({**GAME.visible(state), f"{moves[1].source}.sun": UNKNOWN}, 3)
    table.watch({**GAME.visible(after), place: UNKNOWN}, 6)
    table.watch(GAME.visible(after), 12)
    assert told(table) == moves


def uncovered_and_taken() -> Iterator[tuple[Any, Any, Any, str]]:
    """Positions, a break of the tops of two moons, and one of the tile that came to light on one of them, beneath which
    another of the first colour lies, so that it looks as it did before; and the other moon."""
    for seed in range(60):
        for state in acquiring(seed):
            seen = GAME.visible(state)
            for first in GAME.legal_moves(state):
                if getattr(first, "to", None) != "broken":
                    continue
                between = GAME.play(state, first)
                moons = [place for place in GAME.changes(state, between) if place.endswith(".moon") and seen[place]]
                if len(moons) != 2 or GAME.deal_request(between) is not None:
                    continue
                for second in GAME.legal_moves(between):
                    last = GAME.play(between, second)
                    after = GAME.changes(between, last)
                    is_back = after.get(moons[0]) == seen[moons[0]] and GAME.deal_request(last) is None
                    if is_back and second.to == "broken" and set(after) == {moons[0], f"p{second.player}.broken"}:
                        yield state, first, second, moons[1]


def test_a_top_that_lay_open_and_was_taken_tells_two_moves_from_one() -> None:
    """The other moon was under a sleeve, so that nothing could be agreed on; when it came to light, the first moon
    looked as before both moves, and they were told as a single one that let a like tile come up."""
    state, first, second, other = next(uncovered_and_taken())
    between = GAME.play(state, first)
    after = GAME.play(between, second)
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 10)
    table.watch({**GAME.visible(between), other: UNKNOWN}, 8)
    table.watch({**GAME.visible(after), f"p{second.player}.broken": UNKNOWN}, 6)
    table.watch(GAME.visible(after), 12)
    assert told(table) == [first, second]


def taken_in_turn() -> Iterator[tuple[list[Any], Any, Any]]:
    """Runs of positions, and two more: somebody lays a tile of a stack in a line, and the other breaks the like one
    beneath it, of which nothing shows but that the stack is gone."""
    for seed in range(60):
        run = list[Any]()
        for state in positions(seed):
            run.append(state)
            for first in GAME.legal_moves(state) if GAME.phase(state) == "acquire" and len(run) > 8 else ():
                between = GAME.play(state, first)
                if not str(getattr(first, "to", "")).startswith("line") or GAME.deal_request(between) is not None:
                    continue
                for second in GAME.legal_moves(between):
                    after = GAME.play(between, second)
                    changes = GAME.changes(between, after)
                    if getattr(second, "to", "") == "broken" and len(changes) == 1 and GAME.deal_request(after) and any(
                        each.slips and each.slips[0].slug == "stack-overtaken"
                        and each.places == GAME.changes(state, after) for each in GAME.plausible_moves(state)
                    ):
                        yield run[-8:], between, after


def test_two_moves_for_which_there_was_time_are_no_slip_of_one_hand() -> None:
    """They came as long after the last one as two moves take, though nobody saw the first: its player was accused of
    having taken both tiles."""
    run, between, after = next(taken_in_turn())
    slips = []
    for looks in (0, 24):
        table = Watching(PLAYED, run[0])
        for state in run:
            table.watch(GAME.visible(state), 12)
        # The stack is under a sleeve while the first is made.
        (moon,) = GAME.changes(between, after)
        table.watch({**GAME.visible(run[-1]), moon: UNKNOWN}, looks)
        table.watch(GAME.visible(after), 30)
        slips.append([slip.slug for event in table.events if isinstance(event, SlipRaised) for slip in event.slips])
    assert slips == [["stack-overtaken"], []]


def test_tiles_that_are_misread_for_one_look_have_not_gone_to_a_full_broken_track() -> None:
    """Two black tiles lay on a line after a move of which nothing showed. In the one look in which they were not read,
    the other player was told to have taken them, and whoever had laid them was accused."""
    start = GAME.parse_position(FULL)
    made = parsed("p2 moon turquoise*1 broken f3=turquoise", "p1 moon black*2 line6 f1=blue f4=blue")
    laid = GAME.visible(after(start, *made))
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 20)
    table.watch({**laid, "p1.line6.2": "?"}, 4)
    table.watch({**laid, "p1.line6.2": "?", "p1.line6.3": None}, 1)
    table.watch(laid, 12)
    assert told(table) == list(made)


def test_a_slip_with_a_tile_that_nobody_saw_lie_there_is_named() -> None:
    """Out of sight a yellow tile was taken from a blue one. Then the next player took that and a black one: the stack
    was yellow again, and all that was told, much later, was that he had moved out of turn."""
    start = GAME.parse_position(BENEATH)
    move, = parsed("p2 moon yellow*1 line5 f4=blue")
    state = after(start, move)
    slip = next(
        each for each in GAME.plausible_moves(state)
        if [(slip.slug, slip.places) for slip in each.slips] == [("two-colours-taken", ("f4.moon", "f1.moon"))]
    )
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 10)
    table.distrust(GAME.visible(start), 20)
    found = table.watch({**GAME.visible(state), **slip.places}, 40)
    assert moves_of(found) == [move]
    raised = [event for event in found if isinstance(event, SlipRaised)]
    assert [slip.slug for event in raised for slip in event.slips] == ["two-colours-taken"]


def test_what_would_have_shown_on_a_stack_between_two_moves_and_did_not_was_none_of_them() -> None:
    """A turquoise tile was taken from another. Then, out of sight, three black ones were taken elsewhere: they were
    told to have been four, one of them from below the turquoise tile, and the next player was accused."""
    start = GAME.parse_position(TWO_TURQUOISE)
    first, second, reveal = parsed(
        "p2 moon turquoise*1 line6 f3=turquoise", "p1 moon black*3 line1 f1=turquoise f2=- f4=blue", "reveal f2.chip=TY"
    )
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 20)
    table.watch({**GAME.visible(after(start, first)), "p2.line6.1": "?"}, 1)
    table.watch({**GAME.visible(after(start, first)), "p1.line1.1": "?"}, 6, hand=True)
    table.distrust(GAME.visible(start), 20)
    table.watch(GAME.visible(after(start, first, second, reveal)), 12)
    assert told(table) == [first, second, reveal]


def test_a_stack_that_showed_another_tile_for_a_moment_was_taken_from_twice() -> None:
    """Of three black tiles one had lain on a blue one, which showed for a moment: it was taken from there while nobody
    saw where to, and told to lie there still."""
    start = GAME.parse_position(BLUE_BELOW)
    made = parsed("p2 moon black*3 line1 f2=- f3=blue f4=red", "reveal f2.chip=KB", "p1 moon blue*1 line5 f3=black")
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 20)
    table.distrust(GAME.visible(start), 20)
    table.watch(GAME.visible(after(start, made[0])), 3, hand=True)
    table.watch({**GAME.visible(after(start, *made)), "p1.line5.1": "?"}, 6)
    table.watch(GAME.visible(after(start, *made)), 12)
    assert told(table) == list(made)
