"""Tilings with many chips: if one of these fails, nobody looks at the table for seconds, or a tiling is never found."""

from __future__ import annotations

from random import Random

import pytest

from engine.games.azul_duel.moves import Tile
from engine.games.azul_duel.rules import GAME
from engine.games.azul_duel.sifting import MANY_TILINGS
from engine.games.azul_duel.state import State


@pytest.fixture(scope="module")
def crowded() -> State:
    """A last tiling with chips saved for it."""
    for seed in range(20):
        chance, state = Random(seed), GAME.new(2)
        while not GAME.is_over(state):
            if GAME.deal_request(state) is not None:
                state = GAME.play(state, GAME.random_deal(state, chance.randrange(1 << 30)))
                continue
            moves = GAME.legal_moves(state)
            if GAME.phase(state) != "tiling":
                named = [chance.choice(moves) for _ in range(12)]
                tiles = [move for move in named if GAME.describe(move).get("to") != "broken"]
                state = GAME.play(state, (tiles or named)[0])
            elif len(moves) > 5 * MANY_TILINGS:
                return state
            else:
                state = GAME.play(state, min(moves, key=lambda move: len(move.chips) if isinstance(move, Tile) else 0))
    raise AssertionError("no game brought a tiling with many ways")


def test_of_thousands_of_tilings_the_one_that_shows_is_among_a_few(crowded: State) -> None:
    legal, chance = GAME.legal_moves(crowded), Random(1)
    for _ in range(10):
        move = chance.choice(legal)
        seen = GAME.changes(crowded, GAME.play(crowded, move))
        found = GAME.moves_towards(crowded, seen, ())
        assert found is not None and move in found and len(found) < MANY_TILINGS
        assert set(found) <= set(legal), "a tiling was made up"


def test_a_tiling_that_is_covered_can_still_be_found(crowded: State) -> None:
    move = Random(2).choice(GAME.legal_moves(crowded))
    covered = GAME.changes(crowded, GAME.play(crowded, move))
    assert move in (GAME.moves_towards(crowded, {}, covered) or ())


def test_a_tile_that_does_not_show_on_its_print_is_still_found_by_all_that_does(crowded: State) -> None:
    """A yellow tile on a yellow print was read as none: only tilings that lay it elsewhere were looked at, and the
    special tile that it had brought was named a slip."""
    legal, chance = GAME.legal_moves(crowded), Random(3)
    for _ in range(10):
        move = chance.choice(legal)
        seen = dict(GAME.changes(crowded, GAME.play(crowded, move)))
        tiles = [place for place in seen if ".dome." in place and seen[place] != "special"]
        if tiles:
            del seen[chance.choice(tiles)]
        found = GAME.moves_towards(crowded, seen, ())
        assert found is not None and move in found and len(found) < MANY_TILINGS


def test_a_tile_that_vanishes_from_a_dome_is_asked_about_and_held_against_nobody(crowded: State) -> None:
    seen = GAME.visible(crowded)
    place = next(name for name, content in seen.items() if ".dome." in name and content is not None)
    assert [slip.slug for slip in GAME.problems(crowded, {**seen, place: None})] == ["impossible-tiles"]
