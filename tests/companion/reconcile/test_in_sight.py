"""What lies there after one hand was at the table: if one of these fails, a slip is taken for moves of two players and
the game goes astray, or it is named after it has been put right."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from companion.catalogue import played_game
from companion.reconcile.belief import Asked, Confirmed, SlipCleared, SlipRaised
from engine.types import Plausible
from tests.companion.reconcile.duel_positions import positions, walk
from tests.companion.reconcile.watching import Watching, moves_of
from vision.reading import FLOOR_LOG_PROB, Reading

PLAYED = played_game("azul-duel", 2)
GAME = PLAYED.game
FRAMES_A_SECOND = 10
MOVES = 6
"""How many show the pace of a table."""
TWO_ALIKE = (
    'azul-duel {"bag":[3,1,2,3,4],"chips":[-1,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0'
    ',0],"marker_on_large":false,"moons":[[],[3],[1],[4,4]],"offer":[-1,-1,-1],"options":{"partial_voluntary_'
    'break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_'
    'zero":"free"},"phase":"acquire","players":[{"broken":[1,1,3],"cells":[-1,2,0,1,-1,-1,-1,3,4,2,-1,-1,-1,-'
    '1,-1,3,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[8,4,6,2,9,8,-1,-1,-1,-1],"co'
    'lours":[2,1,0,-1,1,0],"counts":[1,1,2,0,2,4],"has_marker":true,"has_passed":false,"has_tiled":false,"pla'
    'tes":[14,54,10,49,23,69,1,62,17],"score":12,"tokens_used":2},{"broken":[4,4,4],"cells":[3,-1,2,-1,-1,-1,'
    '-1,-1,1,4,-1,-1,-1,3,1,0,-1,-1,-1,4,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[3,7,1,0,1,9'
    ',4,-1,-1,-1],"colours":[0,2,-1,3,1,2],"counts":[1,2,0,4,3,5],"has_marker":false,"has_passed":false,"has_'
    'tiled":false,"plates":[27,39,28,7,58,47,43,66,34],"score":13,"tokens_used":2}],"round":4,"starter":2,"su'
    'ns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,0,0,'
    '0,0],"turn":1}'
)
"""Player 1 is to move; two turquoise tiles lie on factory 4, and three on the broken ones of player 2."""


def broken(moves: Sequence[Any]) -> list[Any]:
    """Those moves that let tiles of a moon break."""
    told = [(move, GAME.describe(move)) for move in moves]
    return [move for move, how in told if how.get("action") == "moon" and how.get("to") == "broken"]


def watching_from(state: Any) -> Watching:
    """A table that has long been in sight."""
    watching = Watching(PLAYED, state, every_ns=10**9 // FRAMES_A_SECOND)
    watching.watch(GAME.visible(state), 8 * FRAMES_A_SECOND)
    watching.pass_over(FRAMES_A_SECOND)
    return watching


def slips_in(state: Any, slug: str) -> list[Plausible]:
    return [each for each in GAME.plausible_moves(state) if [slip.slug for slip in each.slips] == [slug]]


def test_two_tiles_off_one_stack_are_not_the_moves_of_two_players() -> None:
    state = GAME.parse_position(TWO_ALIKE)
    slip = next(each for each in slips_in(state, "stack-overtaken") if "p1.broken" in each.places)
    watching = watching_from(state)
    found = watching.watch({**GAME.visible(state), **slip.places}, 5 * FRAMES_A_SECOND)
    assert not [event for event in found if isinstance(event, Confirmed)]
    assert [event.slips[0].slug for event in found if isinstance(event, SlipRaised)] == ["stack-overtaken"]


def test_a_single_look_under_a_hand_does_not_outlast_what_lies_there() -> None:
    """A stack was seen bare once while a tile was lifted off it, and was bare again in the next look that was
    mistaken: its next tile had been taken, too, by the other player."""
    state = next(each for each in positions(3, broken) if GAME.visible(each)["f1.moon"] == {"top": "red"})
    watching = watching_from(state)
    place = "f1.moon"

    def look(bare: float, **tops: float) -> None:
        seen = watching.next_look(GAME.visible(state))
        old = seen.readings[place]
        table = {value: max(FLOOR_LOG_PROB, math.log(tops.get(str(value), 1e-9))) for value in old.parts["top"]}
        parts = {**old.parts, "top": {**table, None: math.log(bare)}}
        reading = Reading(place, old.kind, parts)
        watching.reconciler.observe(replace(seen, readings={**seen.readings, place: reading}))

    look(bare=0.998)
    for _ in range(3):
        look(bare=0.045, yellow=0.95)
    surprises = watching.reconciler.evidence.surprises(2.5)
    assert surprises[place, "top"][0] == "yellow"


def test_a_slip_after_which_nothing_more_can_follow_is_named_at_once() -> None:
    """Who drew a plate, paid for it, laid it and its token, and took one of the open plates as well, is not tidying
    up: half of the usual time between two moves later the plate lies there again."""
    state, slip = next(
        (state, slip) for state in positions(5, broken) for slip in slips_in(state, "stack-draw-misplayed")
        if slip.move is not None
    )
    watching = watching_from(state)
    found = watching.watch({**GAME.visible(state), **slip.places}, 3 * FRAMES_A_SECOND // 2)
    assert [event.slips[0].slug for event in found if isinstance(event, SlipRaised)] == ["stack-draw-misplayed"]


def test_a_tile_that_is_overlooked_all_the_while_does_not_keep_a_slip_from_being_put_right() -> None:
    """A tile in the colour of its print was read as none; it was held for a part of the next slip on that board, and
    since it stayed so, nothing was agreed on for the rest of the game."""
    state, slip, overlooked = next(
        (state, slip, place)
        for state in positions(4, broken) for slip in slips_in(state, "rest-not-moved") if slip.move is not None
        for place, content in GAME.visible(state).items()
        if content is not None and place.startswith(f"p{GAME.player_of(slip.move)}.dome.")
    )
    watching = watching_from(state)
    found = watching.watch({**GAME.visible(state), **slip.places, overlooked: None}, 4 * FRAMES_A_SECOND)
    assert [event.slips[0].slug for event in found if isinstance(event, SlipRaised)] == ["rest-not-moved"]
    watching.pass_over(FRAMES_A_SECOND)
    after = GAME.visible(GAME.play(state, slip.move))
    found = watching.watch({**after, overlooked: None}, 4 * FRAMES_A_SECOND)
    assert moves_of(found) == [slip.move]


def lookalikes(slug: str) -> Iterator[tuple[list[Any], Plausible, Any]]:
    """Positions that follow one another, a slip that looks after the last of them like a move of the other player after
    one of which nothing shows, and the position after these two."""
    for seed in range(40):
        states = [state for state in positions(seed, broken) if GAME.phase(state) == "acquire"]
        for number in range(MOVES, len(states)):
            state = states[number]
            after = [GAME.play(state, move) for move in GAME.legal_moves(state)]
            silent = [each for each in after if GAME.deal_request(each) is None and not GAME.changes(state, each)]
            then = [GAME.play(each, move) for each in silent for move in GAME.legal_moves(each)]
            for slip in slips_in(state, slug):
                for each in then:
                    if slip.places == GAME.changes(state, each) and "?" not in slip.places.values():
                        yield states[number - MOVES : number + 1], slip, each


def followed(states: list[Any], seconds: int = 6) -> Watching | None:
    """A table at which some moves were made in as many times seven seconds, if they could be told apart, and something
    was done so long after the last of them."""
    watching = watching_from(states[0])
    for state in states[1:]:
        watching.watch(GAME.visible(state), (seconds if state == states[-1] else 6) * FRAMES_A_SECOND)
        watching.pass_over(FRAMES_A_SECOND)
    return watching if watching.reconciler.state == states[-1] else None


def test_a_slip_just_after_a_move_is_no_second_move_that_nobody_saw_before_it() -> None:
    """A tile that breaks onto its like shows nothing. Whoever played out of turn a moment after the last move was held
    for the second of two players, and both moves were written down."""
    watching, state, slip = next(
        (watching, states[-1], slip) for states, slip, _ in lookalikes("out-of-turn")
        if (watching := followed(states, 2)) is not None
    )
    found = watching.watch({**GAME.visible(state), **slip.places}, 9 * FRAMES_A_SECOND)
    assert not [event for event in found if isinstance(event, Confirmed)]
    assert [event.slips[0].slug for event in found if isinstance(event, SlipRaised)] == ["out-of-turn"]


def test_nobody_is_accused_nor_believed_who_took_the_time_of_a_move() -> None:
    """Somebody let a tile break onto its like, which shows nothing, and whoever moved next was accused of having played
    out of turn. It may be so or not: the next move tells."""
    watching, after = next(
        (watching, after) for states, _, after in lookalikes("out-of-turn")
        if (watching := followed(states)) is not None
    )
    found = watching.watch(GAME.visible(after), 2 * FRAMES_A_SECOND)
    assert not [event for event in found if isinstance(event, (Confirmed, SlipRaised))]


def test_two_hands_in_the_time_of_two_moves_have_not_made_a_slip_of_one() -> None:
    """Two players each let the top tile of one stack break, onto its like: the first was accused of having taken
    both."""
    watching, state, after = next(
        (watching, states[-1], after) for states, _, after in lookalikes("stack-overtaken")
        if (watching := followed(states)) is not None
    )
    found = watching.watch(GAME.visible(state), 6 * FRAMES_A_SECOND)
    watching.pass_over(FRAMES_A_SECOND)
    found += watching.watch(GAME.visible(after), 9 * FRAMES_A_SECOND)
    assert not [event for event in found if isinstance(event, SlipRaised)]
    assert watching.reconciler.state == after


def test_a_slip_on_somebodys_own_board_does_not_keep_the_others_from_playing_on() -> None:
    """Nobody took the tile away that had been laid too early: it was named, and from then on no move counted."""
    state, slip, move = next(
        (state, slip, move) for state in positions(4, broken) for slip in slips_in(state, "tiled-too-early")
        if slip.slips[0].player not in GAME.to_move(state)
        for move in GAME.legal_moves(state)
        if slip.places.keys().isdisjoint(GAME.changes(state, GAME.play(state, move)))
    )
    watching = watching_from(state)
    found = watching.watch({**GAME.visible(state), **slip.places}, 12 * FRAMES_A_SECOND)
    assert [event.slips[0].slug for event in found if isinstance(event, SlipRaised)] == ["tiled-too-early"]
    watching.pass_over(FRAMES_A_SECOND)
    after = GAME.play(state, move)
    found = watching.watch({**GAME.visible(after), **slip.places}, 3 * FRAMES_A_SECOND)
    assert moves_of(found) == [move]
    assert not [event for event in found if isinstance(event, SlipCleared)], "and it still lies there"
    found = watching.watch(GAME.visible(after), 3 * FRAMES_A_SECOND)
    assert [event for event in found if isinstance(event, SlipCleared)]


def test_a_tile_that_nobody_can_have_taken_hides_no_slip() -> None:
    """A black tile on a black print was plainly read as none from one moment on, over several moves: the next slips
    were not named, because that lay open as well, and the game was lost."""
    before, state, slip, overlooked = next(
        (before, state, slip, place)
        for before, state in pairwise(positions(4, broken)) if GAME.changes(before, state)
        for slip in slips_in(state, "rest-not-moved")
        for place, content in GAME.visible(before).items() if content is not None and ".dome." in place
    )
    watching = watching_from(before)
    for table, seconds in ((before, 6), (state, 2)):
        watching.watch({**GAME.visible(table), overlooked: None}, seconds * FRAMES_A_SECOND)
        watching.pass_over(FRAMES_A_SECOND)
    assert watching.reconciler.state == state
    found = watching.watch({**GAME.visible(state), **slip.places, overlooked: None}, 4 * FRAMES_A_SECOND)
    assert [event.slips[0].slug for event in found if isinstance(event, SlipRaised)] == ["rest-not-moved"]


def test_nobody_is_asked_about_an_overlooked_tile_when_all_is_over() -> None:
    """The winner was on the page; then people were asked where a tile was that had been read as none for long."""
    *_, before, last = walk(4)
    ended = next(each for move in GAME.legal_moves(last) if GAME.is_over(each := GAME.play(last, move)))
    changes = GAME.changes(before, ended)
    overlooked = next(
        place for place, content in GAME.visible(before).items()
        if content and ".dome." in place and place not in changes
    )
    watching = watching_from(before)
    for table, seconds in ((before, 6), (last, 6), (ended, 60)):
        watching.watch({**GAME.visible(table), overlooked: None}, seconds * FRAMES_A_SECOND)
        watching.pass_over(FRAMES_A_SECOND)
    assert watching.reconciler.state == ended
    assert not [event for event in watching.events if isinstance(event, Asked)]
