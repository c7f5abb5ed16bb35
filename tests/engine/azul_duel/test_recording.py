"""A sitting that was really played, without its pictures: every settled position, every move, every slip.

If this fails, the companion would follow that table wrongly even if it saw every piece right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.errors import EngineError
from engine.games.azul_duel.rules import GAME
from engine.games.azul_duel.state import State

SITTING = json.loads((Path(__file__).parent / "duel_day.json").read_text(encoding="utf-8"))
GRADED = ("round", "player", "action", "from", "colour", "count", "to", "rotation", "plate", "drawn", "sources")


def positions() -> Iterator[tuple[float, dict[str, Any]]]:
    places: dict[str, Any] = {}
    for frame in SITTING["frames"]:
        places = {**places, **frame["places"]}
        yield frame["t"], places


def differing(state: State, places: dict[str, Any]) -> set[str]:
    expected = GAME.visible(state)
    return {
        place
        for place, content in places.items()
        if "?" not in (content, expected[place]) and content != expected[place]
    }


def slips_at(t: float) -> list[dict[str, Any]]:
    return [slip for slip in SITTING["slips"] if slip["t_start"] <= t <= slip["t_end"]]


@cache
def follow() -> list[tuple[float, dict[str, Any], State, list[Any]]]:
    """Each settled position with the state that the engine arrives at, and the moves it took from the one before."""
    state = GAME.new(2, SITTING["options"], SITTING["start_player"])
    followed = []
    for t, places in positions():
        made: list[Any] = []
        while not slips_at(t):
            move = next_move(state, places)
            if move is None:
                break
            made.append((GAME.round(state), move))
            state = GAME.apply(state, move).state
        followed.append((t, places, state, made))
    return followed


def next_move(state: State, places: dict[str, Any]) -> Any:
    if GAME.deal_request(state) is not None:
        try:
            return GAME.deal(state, places)
        except EngineError:
            return None
    if not differing(state, places):
        return None
    now = GAME.visible(state)
    changed = {place: places[place] for place in differing(state, places)}
    legal = [option for option in GAME.plausible_moves(state) if not option.slips]
    near = [
        option.move for option in legal if changed.keys() <= option.places.keys() | {p for p in now if p not in places}
    ]
    fitting = [move for move in near if not differing(GAME.play(state, move), places)]
    assert len(fitting) == 1, "exactly one move explains the position"
    return fitting[0]


def test_every_settled_position_is_reached_by_legal_moves() -> None:
    for t, places, state, _ in follow():
        if not slips_at(t):
            assert differing(state, places) == set(), t


def test_the_moves_are_told_as_the_recording_tells_them() -> None:
    told = [
        {"round": number, **GAME.describe(move)}
        for *_, made in follow()
        for number, move in made
        if GAME.describe(move) and not GAME.describe(move).get("setup")
    ]
    assert len(told) == len(SITTING["moves"])
    for mine, true in zip(told, SITTING["moves"], strict=True):
        assert {key: mine[key] for key in GRADED if key in true} == {key: true[key] for key in GRADED if key in true}


def test_the_scores_of_the_round_are_right() -> None:
    (first,) = SITTING["rounds"]
    scores = [GAME.scores(state) for t, _, state, _ in follow() if t == first["t"]]
    assert scores == [tuple(first["scores"])]


def test_each_slip_is_named_and_nothing_else_is() -> None:
    for t, places, state, _ in follow():
        found = GAME.problems(state, places)
        expected = [(slip["kind"], slip["player"], tuple(slip["places"])) for slip in slips_at(t)]
        assert [(slip.slug, slip.player, slip.places) for slip in found] == expected, t


@pytest.mark.parametrize("slip", SITTING["slips"], ids=lambda slip: slip["kind"])
def test_the_mistaken_position_is_among_the_plausible_ones(slip: dict[str, Any]) -> None:
    (places, state) = next((places, state) for t, places, state, _ in follow() if t == slip["t_start"])
    now = GAME.visible(state)
    changed = {p: c for p, c in places.items() if "?" not in (c, now[p]) and now[p] != c}
    matching = [
        option
        for option in GAME.plausible_moves(state)
        if option.slips and {p: c for p, c in option.places.items() if c != "?"} == changed
    ]
    assert {option.slips[0].slug for option in matching} == {slip["kind"]}
