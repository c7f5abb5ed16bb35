"""A move of which nothing shows, because a like tile lies beneath the one that was taken and on the pile it went to: if
one of these fails, another move is told in its place, without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.reconcile.belief import Asked, SlipRaised, TakenBack
from companion.trials.noise import Noise
from companion.trials.run import run_trial
from tests.companion.reconcile.duel_positions import GAME, PLAYED, acquiring, after, parsed
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

YELLOW_BETWEEN = (
    'azul-duel {"bag":[7,9,10,11,7],"chips":[11,9,11,5],"format":"azul-duel-position/1","large_moon":[0,0'
    ',0,0,2],"marker_on_large":false,"moons":[[4,4],[],[0,1,0],[]],"offer":[17,37,26],"options":{"partial'
    '_voluntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,'
    '"stack_draw_at_zero":"free"},"phase":"acquire","players":[{"broken":[1],"cells":[-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"colours":[4,2,0,-1,3,-1],"counts":[1,2,2,0,2,0],"has_marker":true,"ha'
    's_passed":false,"has_tiled":false,"plates":[3,-1,21,43,-1,-1,-1,-1,-1],"score":0,"tokens_used":2},{"'
    'broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"colours":[2,1,-1,1,0,4],"count'
    's":[1,1,0,1,2,1],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[-1,-1,-1,33,-1,30'
    ',64,-1,-1],"score":0,"tokens_used":2}],"round":1,"starter":2,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,'
    '0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,0,0,0,0],"turn":2}'
)
"""Player 2 is to move. On factory 3 a yellow tile lies between two blue ones, and player 1 has broken one."""

YELLOW_ON_BLUE = (
    'azul-duel {"bag":[6,3,4,8,5],"chips":[2,3,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0'
    ',0,0],"marker_on_large":false,"moons":[[],[],[4],[0,1]],"offer":[-1,-1,-1],"options":{"partial_volun'
    'tary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack'
    '_draw_at_zero":"free"},"phase":"acquire","players":[{"broken":[2,3,3,3],"cells":[4,4,-1,-1,-1,-1,1,-'
    '1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[23,8,2'
    '2,17,1,6,-1,-1,-1,-1],"colours":[4,0,2,2,2,0],"counts":[1,1,1,2,1,1],"has_marker":true,"has_passed":'
    'false,"has_tiled":false,"plates":[57,62,33,18,3,65,48,21,31],"score":0,"tokens_used":2},{"broken":[2'
    ',1,1,0],"cells":[2,-1,1,-1,-1,-1,-1,4,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,-1,-1,-1,-1,-1,1,-1,-1,-1'
    ',-1,-1,-1,-1,0,-1],"chips":[25,16,20,3,2,9,-1,-1,-1,-1],"colours":[1,-1,1,0,3,4],"counts":[1,0,3,2,1'
    ',1],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[39,40,55,6,11,27,69,14,45],"sc'
    'ore":0,"tokens_used":2}],"round":4,"starter":2,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,'
    '0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,0,0,1,0],"turn":2}'
)
"""Player 2 is to move. On factory 4 a yellow tile lies on a blue one, and one of each tops a broken track."""


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


def broken_or_laid() -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Positions, a move that breaks a tile on a like one, of which nothing shows but that it has gone from its stack,
    and the table after one that lays it on a line instead."""
    for seed in range(40):
        for state in acquiring(seed):
            ways = {move: GAME.changes(state, GAME.play(state, move)) for move in GAME.legal_moves(state)}
            for move, shown in ways.items():
                if getattr(move, "to", "") == "broken" and len(shown) == 1 and GAME.deal_request(
                    GAME.play(state, move)
                ) is None:
                    more = [each for each in ways.values() if shown.items() < each.items() and len(each) == 2]
                    if more:
                        yield state, move, {**GAME.visible(state), **more[0]}


def test_a_space_that_is_misread_twice_in_a_row_makes_no_other_move_of_a_broken_tile() -> None:
    """Both looks said that a tile lay on the line to which it might have gone. That was told, and its player was
    accused of having cleared the line too early."""
    state, move, misread = next(broken_or_laid())
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 12)
    table.watch(GAME.visible(GAME.play(state, move)), 2)
    table.watch(misread, 2)
    table.watch(GAME.visible(GAME.play(state, move)), 30)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    assert moves_of(table.events) == [move]


def is_laid(move: Any) -> bool:
    return str(getattr(move, "to", "")).startswith("line")


def unshown_or_laid(most: int = 1) -> Iterator[tuple[Any, Any, Any, str]]:
    """Positions, a move that shows on a line and in so many places at the most, where another of the same player shows
    everywhere else the same, the next player's, and the place on the line."""
    for seed in range(60):
        for state in acquiring(seed):
            ways = {move: GAME.changes(state, GAME.play(state, move)) for move in GAME.legal_moves(state)}
            broken = [shown for move, shown in ways.items() if getattr(move, "to", "") == "broken"]
            for first, shown in ways.items():
                places = [place for place in shown if ".line" in place]
                less = {place: shown[place] for place in shown if place not in places}
                if len(shown) != most or len(places) != 1 or less not in broken:
                    continue
                between = GAME.play(state, first)
                for second in GAME.legal_moves(between) if GAME.deal_request(between) is None else ():
                    if is_laid(second) and GAME.deal_request(GAME.play(between, second)) is None:
                        yield state, first, second, places[0]


def told_past_a_sleeve(state: Any, first: Any, second: Any, place: str) -> list[Any]:
    """What is told of two moves, where a place comes to light long after both, without a doubt."""
    table, last = Watching(PLAYED, state), GAME.visible(after(state, first, second))
    table.watch(GAME.visible(state), 12)
    table.watch({**last, place: "?"}, 9)
    table.watch(last, 12)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    return moves_of(table.events)


def test_a_tile_that_may_lie_under_a_sleeve_was_not_broken_out_of_sight() -> None:
    """A red tile was laid on a line over which a sleeve lay. It was told to have been broken, of which nothing would
    have shown, and when it came to light, its player was accused."""
    state, first, second, place = next(unshown_or_laid())
    assert told_past_a_sleeve(state, first, second, place) == [first, second]


def test_a_tile_whose_stack_was_taken_from_again_may_lie_under_a_sleeve() -> None:
    """It was told to have been broken, of which nothing would have shown either, once the tile beneath it had been
    taken as well; and when it came to light on its line, its player was accused."""
    state, first, second, place = next(
        found for found in unshown_or_laid(2)
        if GAME.changes(found[0], after(*found[:2])).keys() & GAME.changes(after(*found[:2]), after(*found[:3])).keys()
    )
    assert told_past_a_sleeve(state, first, second, place) == [first, second]


def test_a_tile_from_below_another_is_told_though_a_like_one_came_up_again() -> None:
    """The first was told to have lain on its like, from which nobody had taken anything; so whoever had taken the one
    between them was accused of having laid a tile on another line."""
    trial = run_trial(PLAYED, Noise(), 111500000067, most_frames=2080)
    assert not trial.false_alarms and not trial.questions, trial


def test_two_moves_that_leave_the_like_tile_on_top_are_thought_of_when_the_next_one_comes() -> None:
    """A blue tile and the yellow one beneath it were broken at once: that looked as if only a blue one had been, from
    its like. Whoever moved next was accused of moving out of turn."""
    start = GAME.parse_position(YELLOW_BETWEEN)
    made = parsed(
        "p2 moon blue*1 broken f3=yellow", "p1 moon yellow*1 broken f3=blue", "p2 moon blue*1 line3 f3=-"
    )
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 12)
    table.watch(GAME.visible(after(start, *made[:2])), 20)
    table.watch(GAME.visible(after(start, *made)), 25)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised)]
    assert table.reconciler.state == after(start, *made)


def test_a_chip_that_lies_bare_tells_that_a_stack_was_taken_by_two_moves() -> None:
    """Both tiles of a stack were broken, on their likes. Nothing but the stack had changed, and that is too little to
    look for two moves; after a while the first player was accused of having left it elsewhere."""
    start = GAME.parse_position(YELLOW_ON_BLUE)
    made = parsed("p2 moon yellow*1 broken f4=blue", "p1 moon blue*1 broken f4=-", "reveal f4.chip=YK")
    table = Watching(PLAYED, start)
    table.watch(GAME.visible(start), 12)
    table.watch(GAME.visible(after(start, *made)), 60)
    assert not [event for event in table.events if isinstance(event, Asked | SlipRaised | TakenBack)]
    assert moves_of(table.events) == made
