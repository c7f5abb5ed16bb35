"""What has to be waited for, and what need not be: if one of these fails, a misreading that stays ends a game, or a
player who has only to pass is not told of a slip."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from companion.reconcile.belief import Asked, SlipRaised
from engine.types import Plausible
from tests.companion.reconcile.duel_positions import GAME, acquiring, awaited, positions, refills
from tests.companion.reconcile.test_after_the_dark import SILENT, Evening, after
from vision.reading import Observation

LONG = 80
"""Looks, five a second: longer than anything odd is waited for."""


class Faint(Evening):
    """A table on which one tile is read as none by a hair, as on a print of its own colour."""

    def __init__(self, state: Any) -> None:
        self._odd = tiles(state)[0]
        super().__init__(state)

    def next_look(self, table: Mapping[str, Any], hand: bool = False) -> Observation:
        look = super().next_look(table, hand)
        if not table:
            return look
        parts = {"value": {None: math.log(0.9), table[self._odd]: math.log(0.07)}}
        shown = replace(look.readings[self._odd], parts=parts)
        return replace(look, readings={**look.readings, self._odd: shown})


def named(table: Evening) -> list[tuple[str, int | None]]:
    return [(slip.slug, slip.player) for event in table.events if isinstance(event, SlipRaised) for slip in event.slips]


def tiles(state: Any) -> list[str]:
    """The places on the domes that hold a tile."""
    return [place for place, content in GAME.visible(state).items() if ".dome." in place and content]


def to_lines(state: Any, action: str) -> list[Any]:
    """The takes from sun or moon that show in a line of who made them."""
    told = [(move, GAME.describe(move)) for move in GAME.legal_moves(state)]
    return [move for move, how in told if how["action"] == action and str(how["to"]).startswith("line")]


def taken_in_turn(state: Any) -> tuple[Any, Any, Any] | None:
    """Three takes, the last of what the one before has just stacked."""
    for first in to_lines(state, "sun")[:1]:
        for second in to_lines(after(state, first), "sun"):
            for third in to_lines(after(state, first, second), "moon"):
                if GAME.describe(third)["sources"] == [GAME.describe(second)["from"]]:
                    return first, second, third
    return None


def test_a_place_that_stays_misread_is_no_objection_to_all_that_follows() -> None:
    """A tile on a print of its own colour was read as none from a nudge on. Single moves were agreed on beside it; the
    first two that were made in the dark were not, and the game was lost."""
    state, moves = next(
        (state, moves) for state in acquiring(3) if tiles(state) and (moves := taken_in_turn(state)) is not None
    )
    table = Faint(state)
    table.watch(GAME.visible(state), LONG)
    table.watch(GAME.visible(after(state, moves[0])), LONG)
    assert table.told == [moves[0]]
    table.darken(20)
    table.watch(GAME.visible(after(state, *moves)), 30)
    assert table.told == [*moves]


def test_nobody_is_suspected_or_asked_for_ever_because_of_a_place_that_stays_misread() -> None:
    """The player who tiled with chips was asked whether they had been misused: a tile that had been read as none for
    minutes would have been part of that."""
    state, moves = next(
        (state, moves) for state in acquiring(3) if tiles(state) and (moves := taken_in_turn(state)) is not None
    )
    table = Faint(state)
    table.watch(GAME.visible(state), LONG)
    table.watch(GAME.visible(after(state, moves[0])), 10)
    later = table.watch(GAME.visible(after(state, moves[0])), LONG)
    assert not [event for event in later if isinstance(event, SlipRaised | Asked)]


def test_what_is_plain_to_see_stays_news_however_long_it_has_lain_there() -> None:
    """Somebody took a tile away, and play went on: whoever put it down to a misreading would never say so."""
    state, moves = next(
        (state, moves) for state in acquiring(3) if tiles(state) and (moves := taken_in_turn(state)) is not None
    )
    table, gone = Evening(state), dict.fromkeys(tiles(state)[:1])
    table.watch({**GAME.visible(state), **gone}, LONG)
    later = table.watch({**GAME.visible(after(state, moves[0])), **gone}, LONG)
    assert [event for event in later if isinstance(event, SlipRaised | Asked)]


def test_what_was_misread_before_the_last_move_says_nothing_of_the_next() -> None:
    """A sleeve over the broken tiles looked like a black one. A minute later, after the dark, that spoke for three
    moves where there had been two, one of them with a black tile."""
    state = next(state for state in acquiring(3) if taken_in_turn(state) is not None)
    moves = taken_in_turn(state)
    assert moves is not None
    player = GAME.player_of(moves[1])
    table, before = Evening(state), GAME.visible(state)
    table.watch({**before, f"p{player}.broken": {"top": "black"}}, 4)
    table.watch(before, 6)
    key = (f"p{player}.broken", "top")
    assert table.reconciler.evidence.bygone.passed(key, "black") > 0
    table.watch(GAME.visible(after(state, moves[0])), 10)
    assert table.told == [moves[0]]
    assert table.reconciler.evidence.bygone.passed(key, "black") == 0


def may_only_pass() -> tuple[Any, Plausible]:
    """A position in which the player to move may only pass, and a slip that this player may make all the same."""
    return next(
        (state, each) for seed in range(40) for state in positions(seed)
        if GAME.phase(state) == "acquire" and [GAME.describe(move)["action"] for move in GAME.legal_moves(state)] == [
            "pass"
        ]
        if tiles(state) for each in GAME.plausible_moves(state) if own(state, each.places) and [
            slip.slug for slip in each.slips
        ] == ["token-plate-mismatch"]
    )


def own(state: Any, places: Sequence[str]) -> bool:
    player = GAME.player_of(GAME.legal_moves(state)[0])
    return any(place.startswith(f"p{player}.") for place in places)


def test_whoever_has_only_to_pass_has_not_passed_before_somebody_else_goes_on() -> None:
    """The pass was agreed on as soon as any place was misread. What the player did next was then nobody's slip, and was
    called a stone that stands wrong."""
    state, slip = may_only_pass()
    player = GAME.player_of(GAME.legal_moves(state)[0])
    table = Faint(state)
    table.watch(GAME.visible(state), LONG)
    assert not table.told
    table.watch({**GAME.visible(state), **slip.places}, 40)
    assert named(table) == [("token-plate-mismatch", player)]


def test_one_hand_that_took_two_tiles_is_not_two_hands_of_which_one_shows_nothing() -> None:
    """The broken tiles of both players are full: whoever takes a tile that breaks shows nothing. That both took one at
    the same moment was believed sooner than that one of them took both."""
    state = GAME.parse_position(SILENT)
    slip = next(
        each for each in GAME.plausible_moves(state)
        if [found.slug for found in each.slips] == ["stack-overtaken"] and each.places == {"f1.moon": None}
    )
    table = Evening(state, 50)
    table.watch({**GAME.visible(state), **slip.places}, LONG)
    assert named(table) == [("stack-overtaken", 2)]
    assert not table.told


@pytest.mark.parametrize(("forgotten", "slug"), [("offer.2", "round-not-prepared"), ("f3.sun", "factory-wrong-count")])
def test_a_place_that_a_refill_forgot_is_named_once_nobody_goes_on_filling(forgotten: str, slug: str) -> None:
    """It was named only when somebody played on, and a question was asked a minute later. A refill that pauses, to look
    for the bag, is none of that."""
    state = next(state for state in refills(4) if forgotten in awaited(state))
    whole = GAME.visible(GAME.play(state, GAME.random_deal(state, 7)))
    table = Evening(state)
    table.watch({**whole, forgotten: GAME.visible(state)[forgotten]}, 30)
    assert not table.told and not named(table)
    table.watch({**whole, forgotten: GAME.visible(state)[forgotten]}, 30)
    assert named(table) == [(slug, None)]
    table.watch(whole, 10)
    assert len(table.told) == 1


def test_a_chip_that_a_refill_forgot_is_named_and_nobody_took_it() -> None:
    """The refill was agreed on without it, and whoever was to move next would have been said to have taken it."""
    state = next(state for state in refills(4) if "f3.sun" in awaited(state))
    whole = GAME.visible(GAME.play(state, GAME.random_deal(state, 7)))
    table = Evening(state)
    table.watch({**whole, "f3.chip": None}, LONG)
    assert len(table.told) == 1 and named(table) == [("factory-wrong-count", None)]


def test_a_refill_of_which_more_than_one_place_is_bare_is_still_under_way() -> None:
    state = next(iter(refills(4)))
    whole = GAME.visible(GAME.play(state, GAME.random_deal(state, 7)))
    bare = awaited(state)[:2]
    table = Evening(state)
    table.watch({**whole, **{place: GAME.visible(state)[place] for place in bare}}, LONG)
    assert not table.told and not named(table)


def without_token() -> tuple[Any, Any, str]:
    """A position, a plate that is laid from it, and the place of the token that goes with it."""
    for state in acquiring(3):
        for move in GAME.legal_moves(state):
            changed = GAME.changes(state, GAME.play(state, move))
            token = next((place for place in changed if ".token." in place), None)
            if token is not None and GAME.describe(move)["from"] != "stack":
                return state, move, token
    raise AssertionError("no plate is ever laid")


def test_a_token_that_was_forgotten_is_named_before_somebody_plays_on() -> None:
    """It was waited for until two more moves had been made, like a stone for which somebody counts."""
    state, move, token = without_token()
    shown = {**GAME.visible(after(state, move)), token: GAME.visible(state)[token]}
    table = Evening(state)
    table.watch(shown, 25)
    assert table.told == [move] and not named(table)
    table.watch(shown, 25)
    assert named(table) == [("token-plate-mismatch", GAME.player_of(move))]
    reply = next(each for each in to_lines(after(state, move), "sun"))
    table.watch({**GAME.visible(after(state, move, reply)), token: GAME.visible(state)[token]}, 20)
    table.watch(GAME.visible(after(state, move, reply)), 20)
    assert table.told == [move, reply]
    assert named(table) == [("token-plate-mismatch", GAME.player_of(move))]
    assert not table.reconciler.held and not table.reconciler.standing


def test_a_token_that_comes_a_little_later_is_no_slip() -> None:
    state, move, token = without_token()
    shown = {**GAME.visible(after(state, move)), token: GAME.visible(state)[token]}
    table = Evening(state)
    table.watch(shown, 25)
    table.watch(shown, 4, hand=True)
    table.watch(shown, 25)
    table.watch(GAME.visible(after(state, move)), LONG)
    assert table.told == [move] and not named(table)


def laid_upon(state: Any) -> tuple[dict[str, Any], int] | None:
    """What the table shows when the next player but one lays an open plate upon another, over its tiles; and who."""
    moves = GAME.legal_moves(state)
    if GAME.phase(state) != "acquire" or [GAME.describe(move)["action"] for move in moves] != ["pass"]:
        return None
    other = 3 - int(GAME.player_of(moves[0]) or 0)
    shown = GAME.visible(state)
    offers = [place for place, content in shown.items() if place.startswith("offer.") and content]
    for row, column in ((row, column) for row in (1, 2, 3) for column in (1, 2, 3)):
        plate = f"p{other}.plate.{row}.{column}"
        below = [f"p{other}.dome.{2 * row - down}.{2 * column - right}" for down in (0, 1) for right in (0, 1)]
        tiled = [place for place in below if shown[place]]
        if offers and shown[plate] and tiled:
            return {offers[0]: None, plate: shown[offers[0]], **dict.fromkeys(tiled)}, other
    return None


def test_nobody_who_has_only_to_pass_is_accused_of_what_happens_on_the_others_board() -> None:
    """A plate was laid upon another and hid its tile: no slip that is listed shows that, and whoever was to pass was
    said to have misplaced it."""
    state, (places, other) = next(
        (state, found) for seed in range(60) for state in positions(seed) if (found := laid_upon(state)) is not None
    )
    table = Evening(state)
    table.watch({**GAME.visible(state), **places}, 30)
    assert named(table) == [("plate-misplaced", other)]
    assert [GAME.describe(move)["action"] for move in table.told] == ["pass"]
