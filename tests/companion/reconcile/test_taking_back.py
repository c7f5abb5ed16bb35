"""Moves that are taken back: if one of these fails, the score keeps counting a move that nobody stands by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.reconcile.belief import Answer, Asked, Confirmed, SlipCleared, SlipRaised, TakenBack
from companion.trials.noise import Noise
from companion.trials.run import run_trial
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, PLAYED, acquiring, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

LONG = 60
"""Looks, five a second: longer than a slip is waited for."""
LAST = (
    'azul-duel {"bag":[1,0,1,0,0],"chips":[-1,-1,-1,-1],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0'
    '],"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,48,-1],"options":{"partial_voluntary_break":fa'
    'lse,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"free'
    '"},"phase":"tiling","players":[{"broken":[0,0,3,3],"cells":[1,-1,1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[18,23,6,19,7,2,-1,-1,-1,-1],"colours"'
    ':[-1,1,0,1,1,0],"counts":[0,1,1,2,3,3],"has_marker":true,"has_passed":false,"has_tiled":false,"plates":[53'
    ',23,35,60,69,-1,11,-1,36],"score":0,"tokens_used":2},{"broken":[],"cells":[-1,-1,-1,-1,0,-1,-1,-1,1,-1,-1,'
    '-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[19,5,25,4,25,24,-1,-1,'
    '-1,-1],"colours":[-1,-1,-1,1,-1,-1],"counts":[0,0,0,1,0,0],"has_marker":false,"has_passed":false,"has_tile'
    'd":true,"plates":[16,13,46,-1,-1,67,42,27,0],"score":0,"tokens_used":2}],"round":3,"starter":2,"suns":[[0,'
    '0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[5,3,12,9,13],"tu'
    'rn":2}'
)
"""Player 1 is the last to tile, and has a line that chips may complete."""

MIDDLE = (
    'azul-duel {"bag":[0,1,0,1,0],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,2,0,'
    '0],"marker_on_large":false,"moons":[[0,2],[1,4,2],[2,4,2],[4,4]],"offer":[3,33,-1],"options":{"partial_vo'
    'luntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_d'
    'raw_at_zero":"free"},"phase":"acquire","players":[{"broken":[3,3,3,1],"cells":[-1,-1,-1,3,-1,4,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[0,2,0,5,-1,-1,-1'
    ',-1,-1,-1],"colours":[-1,0,1,3,1,2],"counts":[0,1,2,1,4,1],"has_marker":true,"has_passed":false,"has_tile'
    'd":false,"plates":[61,48,21,25,7,10,71,-1,-1],"score":0,"tokens_used":2},{"broken":[0,1,0],"cells":[-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"ch'
    'ips":[23,25,19,5,-1,-1,-1,-1,-1,-1],"colours":[0,4,2,3,0,3],"counts":[1,1,3,4,2,1],"has_marker":false,"ha'
    's_passed":false,"has_tiled":false,"plates":[19,12,-1,-1,42,57,38,29,47],"score":0,"tokens_used":2}],"roun'
    'd":3,"starter":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":t'
    'rue,"tower":[5,2,3,2,6],"turn":1}'
)
"""Player 1 takes red tiles from four piles, and what comes to light there nobody can tell for sure."""


TILED, UNTILED = "p1 tile .4.... chips=3,5,6", "p1 tile ......"


def told_of_chips() -> Watching:
    """A table at which a line was completed by chips that nobody turned over, and at which that was said."""
    start = GAME.parse_position(LAST)
    unturned = {place: content for place, content in GAME.visible(start).items() if place.startswith("p1.chips.")}
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    told = watching.watch({**GAME.visible(after(start, *parsed(TILED))), **unturned}, 60)
    assert [type(event) for event in told] == [Confirmed, SlipRaised]
    return watching


def test_whoever_is_told_of_a_slip_may_take_the_move_back_and_make_another() -> None:
    """The player took the tile off the dome again: the move was counted all the same, and the game was lost in the next
    round."""
    watching, right = told_of_chips(), after(GAME.parse_position(LAST), *parsed(UNTILED))
    found = watching.watch(GAME.visible(right), 15)
    assert [type(event) for event in found] == [SlipCleared, TakenBack, Confirmed]
    assert watching.reconciler.state == right


def test_what_a_person_has_built_on_is_not_taken_back() -> None:
    """Whoever said which slip it was has said with that what was played before it."""
    watching, right = told_of_chips(), after(GAME.parse_position(LAST), *parsed(UNTILED))
    watching.reconciler.raise_told(Answer("a1", "answer.slip"))
    found = watching.watch(GAME.visible(right), 15)
    assert not [event for event in found if isinstance(event, TakenBack)]


def test_a_slip_that_is_put_right_takes_no_move_back() -> None:
    watching, wrong = told_of_chips(), after(GAME.parse_position(LAST), *parsed(TILED))
    found = watching.watch(GAME.visible(wrong), 15)
    assert [event for event in found if isinstance(event, SlipCleared)]
    assert not [event for event in found if isinstance(event, TakenBack | Asked)]
    assert watching.reconciler.state == wrong


def test_a_plate_that_is_turned_after_it_was_laid_is_no_other_move() -> None:
    """It looks as if it had been laid like that: whoever turns it later was told to have made another move."""
    for start in acquiring(3):
        move = next((each for each in GAME.legal_moves(start) if "plate offer" in GAME.format_move(each)), None)
        if move is not None:
            break
    state = after(start, move)
    laid = next(place for place in GAME.changes(start, state) if ".plate." in place)
    slip = next(
        each for each in GAME.plausible_moves(state)
        if [slip.slug for slip in each.slips] == ["plate-moved"] and each.places.get(laid) is not None
    )
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.watch(GAME.visible(state), 10)
    found = watching.watch({**GAME.visible(state), **slip.places}, 40)
    assert [slip.slug for event in found if isinstance(event, SlipRaised) for slip in event.slips] == ["plate-moved"]
    assert not [event for event in found if isinstance(event, TakenBack)]
    assert watching.reconciler.state == state


def test_a_hand_over_the_tiles_makes_no_other_moves_of_those_that_were_agreed_on() -> None:
    """A stack was empty, and the one beside it under a hand: two moves that everybody had seen were taken back for two
    others, because they explained what one move more explains as well."""
    start = GAME.parse_position(MIDDLE)
    moves = parsed(
        "p1 moon red*5 broken f1=blue f2=yellow f3=turquoise big", "p2 moon turquoise*2 broken f3=red f4=turquoise",
        "p1 moon yellow*1 line5 f2=turquoise", "p2 moon turquoise*2 broken f2=- f4=-",
    )
    second, third, fourth = (GAME.visible(after(start, *moves[:number])) for number in (2, 3, 4))
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.distrust(GAME.visible(start), 20)
    assert len(watching.watch(second, 10)) == 2
    watching.watch({**third, "f2.moon": UNKNOWN, "f4.moon": UNKNOWN}, 3, hand=True)
    watching.watch({**third, "f2.moon": None, "f4.moon": UNKNOWN}, 3, hand=True)
    found = watching.watch(fourth, 15)
    assert moves_of(found) == moves[2:]
    assert not [event for event in found if isinstance(event, TakenBack)]


@pytest.mark.parametrize("spaces", [1, 2, 3])
def test_a_plate_that_lay_in_sight_was_no_other_because_one_like_it_is_laid(spaces: int) -> None:
    """A player draws from the stack and takes a plate of the display away as well. If that was said to have been the
    drawn one, misread ever since it was laid out, the whole game would be told anew, and nobody would hear of the
    slip."""
    for seed in range(9):
        states = list(drawing(seed))
        shown = GAME.visible(states[-1])
        for option in GAME.plausible_moves(states[-1]):
            lost = next((slip.places[0] for slip in option.slips if slip.slug == "stack-draw-misplayed"), None)
            drawn = next((content for content in option.places.values() if isinstance(content, list)), None)
            if lost and differing(shown[lost], drawn) == spaces:
                break
        else:
            continue
        table = Watching(PLAYED, states[0])
        for state in states:
            table.watch(GAME.visible(state), 10)
        assert table.reconciler.state == states[-1]
        events = table.watch({**shown, **option.places}, LONG)
        assert not moves_of(events)
        if spaces > 1:
            named = [event.slips[0] for event in events if isinstance(event, SlipRaised)]
            assert [(slip.slug, slip.player) for slip in named] == [("stack-draw-misplayed", option.slips[0].player)]
        return
    raise AssertionError("no such draw in any of these games")


def drawing(seed: int) -> Iterator[Any]:
    """A game in which everybody draws from the stack until no points are left to pay with, position by position."""
    state = GAME.new(2, PLAYED.options, 1)
    while GAME.deal_request(state) is not None or GAME.scores(state)[GAME.to_move(state)[0] - 1]:
        yield state
        if GAME.deal_request(state) is not None:
            state = after(state, GAME.random_deal(state, seed))
        else:
            state = after(state, max(GAME.legal_moves(state), key=lambda move: GAME.describe(move).get("drawn", -1)))
    yield state


def differing(one: Any, other: Any) -> int:
    """In how many spaces two plates differ."""
    return sum(a != b for a, b in zip(one, other, strict=True)) if one and other else 0


def test_nothing_is_taken_back_while_the_next_move_may_lie_under_a_sleeve() -> None:
    """A tile had been laid on a line that nobody could see, and the other player had played on. Half a round was taken
    back and told otherwise, because in that way it was that player's turn: the game ended wrong, without a word."""
    trial = run_trial(PLAYED, Noise(), 112000000072, most_frames=1800)
    assert not trial.first_difference and not trial.questions
