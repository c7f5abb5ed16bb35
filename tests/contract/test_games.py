"""What every game must keep, whatever it is. If one of these fails, a score, an undo or a saved game is wrong."""

from __future__ import annotations

import json
import time
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.api import Game, total
from engine.errors import EngineError
from engine.journal import Header, Journal, Kind, add, format_journal, parse_journal
from engine.playout import play_out
from engine.replay import prefix, replay, rounds
from engine.types import Reason
from tests.contract.setups import CHECKED, GAMES, SETUPS, Setup

seeds = st.integers(0, 2**32 - 1)
every_setup = pytest.mark.parametrize("setup", SETUPS, ids=str)
checked_setups = pytest.mark.parametrize("setup", CHECKED, ids=str)

GAMES_WANTED = 1000
SECONDS_AT_MOST = 35.0
"""For each game; all games together stay within two minutes."""


@pytest.mark.slow
@pytest.mark.parametrize("game_id", list(GAMES))
def test_a_thousand_random_games_reach_their_end(game_id: str) -> None:
    """Someone's evening would stop in the middle of a game."""
    mine = [setup for setup in SETUPS if setup.game.id == game_id]
    began = time.monotonic()
    for number in range(GAMES_WANTED):
        setup = mine[number % len(mine)]
        state, moves = play_out(setup.game, setup.new(), Random(number))
        assert moves > 0
        assert setup.game.result(state).winners
        if number >= len(mine) and time.monotonic() - began > SECONDS_AT_MOST:
            break


@checked_setups
@settings(max_examples=2)
@given(seed=seeds)
def test_what_a_move_changes_is_what_looks_different_after_it(setup: Setup, seed: int) -> None:
    """A move would be looked for in the wrong places, and never be seen."""
    game = setup.game
    first = setup.new()
    for before, _, after in setup.walk(seed):
        for since in (before, first):
            was, now = game.visible(since), game.visible(after)
            assert game.changes(since, after) == {place: now[place] for place in now if now[place] != was[place]}


@checked_setups
@settings(max_examples=2)
@given(seed=seeds)
def test_every_point_has_a_reason(setup: Setup, seed: int) -> None:
    """A player would ask where a point came from, and nobody could say."""
    game = setup.game
    reasons: list[Reason] = []
    state = setup.new()
    for before, move, after in setup.walk(seed):
        step = game.apply(before, move)
        assert step.state == after, "apply and play lead to different positions"
        gains = [new - old for old, new in zip(game.scores(before), game.scores(after), strict=True)]
        for player, gain in enumerate(gains, start=1):
            assert total(reason for reason in step.reasons if reason.player == player) == gain
        reasons.extend(step.reasons)
        state = after
    result = game.result(state)
    for standing in result.standings:
        earned = game.scores(setup.new())[standing.player - 1]
        earned += total(reason for reason in reasons if reason.player == standing.player)
        # Bonuses come on top; a score that is counted afresh at the end is explained whole.
        assert standing.score in (earned + total(standing.reasons), total(standing.reasons))
    scores = [standing.score for standing in result.standings]
    won = {scores[winner - 1] for winner in result.winners}
    assert won in ({max(scores)}, {min(scores)}), "most points win, or in some games fewest"
    assert result.decided_by in {"score", "tie-break", "shared"}


@checked_setups
@settings(max_examples=2)
@given(seed=seeds)
def test_positions_and_moves_survive_json_and_notation(setup: Setup, seed: int) -> None:
    """A saved game would come back as another one."""
    game = setup.game
    for before, move, after in setup.walk(seed):
        text = game.format_move(move)
        assert "\n" not in text
        assert game.parse_move(text) == move
        for state in (before, after):
            position = game.format_position(state)
            assert "\n" not in position
            assert game.parse_position(position) == state
            assert game.from_json(json.loads(json.dumps(game.to_json(state)))) == state
        json.dumps(dict(game.describe(move)))
        json.dumps(dict(game.supplies(after)))


@checked_setups
@settings(max_examples=2)
@given(seed=seeds)
def test_nothing_that_is_asked_changes_a_position(setup: Setup, seed: int) -> None:
    """Looking at a hint would alter the game."""
    game = setup.game
    for state in setup.states(seed, 3):
        before = game.format_position(state)
        for move in list(game.legal_moves(state))[:20]:
            game.apply(state, move)
            game.play(state, move)
        game.visible(state)
        game.supplies(state)
        assert game.format_position(state) == before
        assert hash(state) == hash(game.parse_position(before))


@checked_setups
@settings(max_examples=1)
@given(seed=seeds)
def test_any_prefix_can_be_undone_to(setup: Setup, seed: int) -> None:
    """Undo would land somewhere the game never was."""
    game = setup.game
    journal = Journal(Header(game.id, tuple("ABCDEF"[: setup.players]), setup.options, setup.starter(seed)))
    passed = []
    for before, move, _ in setup.walk(seed):
        passed.append(before)
        kind = Kind.DEAL if game.player_of(move) is None else Kind.MOVE
        journal = add(journal, kind, game.format_move(move))
    read, problem = parse_journal(format_journal(journal))
    assert problem is None
    for n in {0, 1, len(passed) // 3, len(passed) // 2, len(passed) - 1}:
        assert replay(game, prefix(read, n)).state == passed[n]
    played = replay(game, read)
    assert played.refusal is None
    summaries = rounds(game, played)
    assert summaries[-1].scores == game.scores(played.state)


@checked_setups
@settings(max_examples=2)
@given(seed=seeds)
def test_whose_turn_it_is_and_what_is_awaited_are_never_in_doubt(setup: Setup, seed: int) -> None:
    """The page would show nobody, or two people, to move."""
    game = setup.game
    for before, move, after in setup.walk(seed):
        movers = game.to_move(before)
        legal = game.legal_moves(before)
        owners = {game.player_of(option) for option in legal}
        assert owners == set(movers)
        assert all(1 <= player <= setup.players for player in movers)
        assert len({game.format_move(option) for option in legal}) == len(legal), "a move stands there twice"
        if movers:
            assert move in legal
        else:
            assert game.deal_request(before) is not None
        assert game.round(after) >= game.round(before) >= 1
    assert game.to_move(after) == ()
    assert game.deal_request(after) is None
    assert list(game.legal_moves(after)) == []


@every_setup
def test_a_game_that_is_not_over_has_no_result(setup: Setup) -> None:
    """A winner would be announced too soon."""
    with pytest.raises(EngineError):
        setup.game.result(setup.new())


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_chance_is_seeded(game: Game) -> None:
    """A bug report could not be repeated."""
    ends = Counter(
        game.format_position(play_out(game, game.new(min(game.players)), Random(5))[0]) for _ in range(2)
    )
    assert len(ends) == 1
