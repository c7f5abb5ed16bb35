"""If one of these fails, a phone shows a raw key or a sentence with a hole in it, in one language or in all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.registry import read_toml
from engine.strings import differences, expected_keys, load_catalogues, section_keys
from engine.types import Slip
from tests.contract.setups import CHECKED, GAMES, SETUPS, Setup, sorted_sample
from vision.layout import load_layout

seeds = st.integers(0, 2**32 - 1)
every_game = pytest.mark.parametrize("game_id", list(GAMES))
every_setup = pytest.mark.parametrize("setup", SETUPS, ids=str)
checked_setups = pytest.mark.parametrize("setup", CHECKED, ids=str)

CATALOGUES = {game_id: load_catalogues(GAMES.folders[game_id]) for game_id in GAMES}
NAMES = ("Ann", "Bo", "Cem", "Dee", "Eli")


@every_game
def test_all_languages_have_the_same_keys_and_parameters(game_id: str) -> None:
    assert differences(CATALOGUES[game_id]) == []


@every_game
def test_no_key_is_missing_and_none_is_superfluous(game_id: str) -> None:
    declared = read_toml(GAMES.folders[game_id] / "game.toml")
    for section, keys in expected_keys(declared, GAMES[game_id].options).items():
        assert section_keys(CATALOGUES[game_id]["en"], section) == keys, f"[{section}]"


@every_game
def test_there_are_rules_at_hand(game_id: str) -> None:
    for words in CATALOGUES[game_id].values():
        assert words.rules
        assert all(rule.title and rule.text for rule in words.rules)


@every_setup
def test_every_place_has_words(setup: Setup) -> None:
    for words in CATALOGUES[setup.game.id].values():
        for place in setup.game.places(setup.players, setup.options):
            assert words.place(place, NAMES)


@every_setup
def test_every_colour_has_words(setup: Setup) -> None:
    layout = load_layout(setup.folder / "layout.toml", setup.players, setup.options)
    for words in CATALOGUES[setup.game.id].values():
        assert set(layout.colours) <= section_keys(words, "colours")


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_moves_phases_and_points_can_be_said(setup: Setup, seed: int) -> None:
    game = setup.game
    for before, move, _ in setup.walk(seed):
        key, params = game.say(move)  # type: ignore[attr-defined]
        reasons = game.apply(before, move).reasons
        for words in CATALOGUES[game.id].values():
            assert words.say(f"phases.{game.phase(before)}")
            assert words.say(f"moves.{key}", {"player": game.player_of(move), **params}, NAMES)
            for reason in reasons:
                said = {"player": reason.player, "points": reason.points, **reason.params}
                assert words.say(f"reasons.{reason.key}", said, NAMES)
                assert all(words.place(place, NAMES) for place in reason.places)


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_the_end_can_be_said(setup: Setup, seed: int) -> None:
    game = setup.game
    *_, (_, _, end) = setup.walk(seed)
    for words in CATALOGUES[game.id].values():
        assert words.say(f"phases.{game.phase(end)}")
        for standing in game.result(end).standings:
            for reason in standing.reasons:
                params = {"player": reason.player, "points": reason.points, **reason.params}
                assert words.say(f"reasons.{reason.key}", params, NAMES)


def slips_of(setup: Setup, seed: int) -> Iterator[Slip]:
    game = setup.game
    for state in setup.states(seed, 5):
        seen = dict(game.visible(state))
        wrong = [option for option in game.plausible_moves(state) if option.slips]
        for option in sorted_sample(wrong, 12, seed):
            yield from option.slips
            yield from game.problems(state, {**seen, **option.places})


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_every_slip_can_be_said(setup: Setup, seed: int) -> None:
    for slip in slips_of(setup, seed):
        for words in CATALOGUES[setup.game.id].values():
            assert words.say(f"slips.{slip.slug}", {"player": slip.player, **slip.params}, NAMES)
            assert all(words.place(place, NAMES) for place in slip.places)
