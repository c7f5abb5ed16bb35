"""What must hold in every game of Azul. If one fails, a long evening's game is lost or miscounted half-way."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.azul.data import load
from engine.games.azul.moves import Tile
from engine.games.azul.playout import random_game
from engine.games.azul.position import supplies
from engine.games.azul.rules import GAME
from tests.engine.azul.helpers import OPTION_SETS, board, position, random_play, tiles_of

games = st.tuples(st.sampled_from([2, 3, 4]), st.sampled_from(OPTION_SETS), st.integers(0, 2**32))


@given(games)
@settings(max_examples=12)
def test_no_tile_is_lost_and_every_point_has_a_reason(setup: tuple[int, dict[str, object], int]) -> None:
    for before, move, after in random_play(*setup):
        step = GAME.apply(before, move)
        assert step.state == after
        assert tiles_of(after) == (20,) * 5
        gained = [new - old for new, old in zip(GAME.scores(after), GAME.scores(before), strict=True)]
        assert gained == [
            sum(reason.points for reason in step.reasons if reason.player == player)
            for player in range(1, setup[0] + 1)
        ]


@given(games)
@settings(max_examples=6)
def test_positions_and_moves_survive_being_written_down(setup: tuple[int, dict[str, object], int]) -> None:
    for before, move, after in random_play(*setup):
        assert GAME.from_json(json.loads(json.dumps(GAME.to_json(after)))) == after
        assert GAME.parse_position(GAME.format_position(after)) == after
        assert GAME.parse_move(GAME.format_move(move)) == move
        if GAME.player_of(move) is not None:
            assert move in GAME.legal_moves(before)


@given(games)
@settings(max_examples=6)
def test_a_game_picked_up_half_way_ends_the_same(setup: tuple[int, dict[str, object], int]) -> None:
    """The position read from the table plays on with the same moves, and what is hidden stays within what it says."""
    picked = None
    for before, move, after in random_play(*setup):
        if picked is None and before.round == 2 and before.phase == "offer":
            picked = GAME.position_from(
                GAME.visible(before), setup[0], setup[1], before.player, round=2, starter=before.starter,
                scores=GAME.scores(before),
            )
        if picked is None:
            continue
        picked = GAME.apply(picked, move).state
        assert GAME.visible(picked) == GAME.visible(after)
        assert picked.supply.together == after.supply.together
        for name, truth in (("bag", after.supply.bag), ("lid", after.supply.lid)):
            for colour, number in zip(load().colours, truth, strict=True):
                said = supplies(picked)[name][colour]
                bounds = (said, said) if isinstance(said, int) else (said["min"], said["max"])
                assert bounds[0] <= number <= bounds[1]
        assert GAME.from_json(json.loads(json.dumps(GAME.to_json(picked)))) == picked
        assert GAME.parse_position(GAME.format_position(picked)) == picked


@pytest.mark.parametrize("seed", range(12))
def test_fast_games_are_games_of_the_engine(seed: int) -> None:
    """The fast loop plays by the same rules: every move of it is legal, and the scores are the same."""
    record: list[object] = []
    takes, scores = random_game(random.Random(seed), GAME.data, record)  # type: ignore[arg-type]
    state = GAME.new(2)
    for move in record:
        state = GAME.apply(state, move).state
    assert GAME.is_over(state) and GAME.scores(state) == scores
    assert takes == sum("*" in GAME.format_move(move) for move in record)  # type: ignore[arg-type]


def test_players_tile_in_any_order() -> None:
    """If the order mattered, three people tiling at once would get different scores."""
    for before, _, after in random_play(3, {}, 4):
        if after.phase != "tiling" or before.phase == "tiling":
            continue
        forward = backward = after
        while forward.phase == "tiling":
            forward = GAME.play(forward, GAME.legal_moves(forward)[0])
        while backward.phase == "tiling":
            backward = GAME.play(backward, GAME.legal_moves(backward)[-1])
        assert forward == backward


def test_looking_ahead_wants_points_and_shuns_the_floor() -> None:
    """If the worth of a position were upside down, the simulated players would throw their tiles away."""
    full, empty = (position([each, board()], [], "M") for each in (board("-,B2,-,-,-"), board()))
    dropped = position([board(floor="BB", score=5), board()], [], "M")
    assert GAME.evaluate(full, 1) > GAME.evaluate(empty, 1) == 0
    assert GAME.evaluate(dropped, 1) < 5
    assert GAME.evaluate(full, 2) == -GAME.evaluate(full, 1)


def test_a_coloured_wall_leaves_no_choice() -> None:
    for before, _, _ in random_play(4, {}, 9):
        if before.phase == "tiling":
            moves = GAME.legal_moves(before)
            assert [move.player for move in moves if isinstance(move, Tile)] == list(GAME.to_move(before))
