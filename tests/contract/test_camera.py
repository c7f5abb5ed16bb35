"""What every game owes the camera. If one of these fails, the companion accuses someone wrongly, or misses a slip."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.registry import read_toml
from engine.types import UNKNOWN, Plausible
from tests.contract.setups import CHECKED, SETUPS, Setup, sorted_sample
from vision.layout import load_layout

seeds = st.integers(0, 2**32 - 1)
every_setup = pytest.mark.parametrize("setup", SETUPS, ids=str)
checked_setups = pytest.mark.parametrize("setup", CHECKED, ids=str)

PLAUSIBLE_AT_MOST = 16
"""How many plausible moves of a position are checked; each game's own tests look at all of them."""


@every_setup
def test_layout_and_rules_name_the_same_places(setup: Setup) -> None:
    """A place would be read and never used, or expected and never read."""
    layout = load_layout(setup.folder / "layout.toml", setup.players, setup.options)
    places = setup.game.places(setup.players, setup.options)
    assert layout.game == setup.game.id
    assert set(layout.places) == set(places)
    assert len(set(places)) == len(places)


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_every_place_is_visible_all_the_time(setup: Setup, seed: int) -> None:
    """The reconciler would compare a place with nothing."""
    game = setup.game
    places = game.places(setup.players, setup.options)
    for before, _, after in setup.walk(seed):
        for state in (before, after):
            seen = game.visible(state)
            assert set(seen) == set(places)
    json.dumps(dict(seen))


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {place: content for place, content in after.items() if content != before[place]}


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_every_legal_move_is_plausible_and_looks_as_it_says(setup: Setup, seed: int) -> None:
    """A good move would not be recognised."""
    game = setup.game
    for state in setup.states(seed, 4):
        seen = dict(game.visible(state))
        legal = {game.format_move(move): move for move in game.legal_moves(state)}
        plausible = {
            game.format_move(option.move): option for option in game.plausible_moves(state) if not option.slips
        }
        assert set(legal) <= set(plausible)
        for text in sorted_sample(sorted(legal), PLAUSIBLE_AT_MOST, seed):
            after = dict(game.visible(game.play(state, legal[text])))
            assert dict(plausible[text].places) == changed(seen, after), text


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_a_legal_move_is_never_called_a_slip(setup: Setup, seed: int) -> None:
    """Somebody who did nothing wrong would be told off."""
    game = setup.game
    for before, move, after in setup.walk(seed):
        told = game.format_move(move), game.format_position(before)
        assert game.problems(before, before) == ()
        assert game.problems(before, after) == (), told
        assert game.problems(before, game.visible(after)) == (), told


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_a_plausible_slip_is_always_noticed(setup: Setup, seed: int) -> None:
    """A slip would pass unseen and the score be wrong."""
    game = setup.game
    declared = read_toml(setup.folder / "game.toml")["slips"]
    for state in setup.states(seed, 4):
        seen = dict(game.visible(state))
        wrong: list[Plausible] = [option for option in game.plausible_moves(state) if option.slips]
        for option in sorted_sample(wrong, PLAUSIBLE_AT_MOST, seed):
            assert {slip.slug for slip in option.slips} <= set(declared)
            found = game.problems(state, {**seen, **option.places})
            assert found, (option, game.format_position(state))
            assert {slip.slug for slip in found} <= set(declared)
            json.dumps([dict(slip.params) for slip in found])


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_what_was_meant_by_a_slip_is_legal(setup: Setup, seed: int) -> None:
    """A slip would be put right by a move that nobody may make, and the game be lost with it."""
    game = setup.game
    for state in setup.states(seed, 12):
        meant = [option.move for option in game.plausible_moves(state) if option.slips and option.move is not None]
        legal = set(game.legal_moves(state))
        assert not [game.format_move(move) for move in meant if move not in legal]


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_hidden_places_accuse_nobody(setup: Setup, seed: int) -> None:
    """A hand above the table would raise an alarm."""
    game = setup.game
    rng = Random(seed)
    for before, move, after in setup.walk(seed):
        if rng.random() < 0.2:
            seen = dict(game.visible(after))
            old = dict(game.visible(before))
            untouched = [place for place in seen if seen[place] == old[place]]
            hidden = dict.fromkeys(rng.sample(untouched, len(untouched) // 2), UNKNOWN)
            assert game.problems(before, {**seen, **hidden}) == (), game.format_move(move)
            assert game.problems(before, dict.fromkeys(seen, UNKNOWN)) == ()


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_a_deal_is_read_from_the_table(setup: Setup, seed: int) -> None:
    """A refill would be invented, or a good one refused."""
    game = setup.game
    for before, _, after in setup.walk(seed):
        request = game.deal_request(before)
        if request is None:
            continue
        seen = game.visible(after)
        contents = {place: seen[place] for place in (*request.places, *request.choices)}
        dealt = game.deal(before, contents)
        assert game.visible(game.play(before, dealt)) == seen
        assert sum(request.places.values()) >= request.total


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_a_game_can_be_joined_in_the_middle(setup: Setup, seed: int) -> None:
    """After a blackout the game on the table could not be taken up again."""
    game = setup.game
    for state in setup.states(seed, 4):
        movers = game.to_move(state)
        if not movers:
            continue
        seen = game.visible(state)
        joined = game.position_from(seen, setup.players, setup.options, movers[0])
        assert game.visible(joined) == seen
