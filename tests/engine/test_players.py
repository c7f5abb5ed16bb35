"""If these fail, the simulated table plays badly or never the same twice, and a hint is not worth following."""

from __future__ import annotations

import pytest

from engine.api import Game, Player
from engine.errors import EngineError
from engine.players import GreedyPlayer, RandomPlayer, SearchPlayer, moves_of, play_match
from engine.registry import find_games
from tests.conftest import FIXTURES

GAMES = find_games(FIXTURES)


def wins(game: Game, first: Player, second: Player, seeds: range) -> float:
    """How many games the first player wins, taking turns to start; a shared victory is half a win."""
    total = 0.0
    for seed in seeds:
        seat = seed % 2 + 1
        players = (first, second) if seat == 1 else (second, first)
        winners = play_match(game, players, seed)
        total += seat in winners and 1 / len(winners)
    return total


@pytest.mark.parametrize("game_id", list(find_games()))
def test_greedy_beats_random(game_id: str) -> None:
    # Seven of eight or more would happen by luck one time in twenty-eight.
    assert wins(GAMES[game_id], GreedyPlayer(1), RandomPlayer(1), range(8)) >= 7


@pytest.mark.slow
def test_search_beats_greedy() -> None:
    """Seven of eight again, in the game without hidden pieces; with less thought than by default, to be quick.

    Elsewhere the lead is smaller than so few games can show: `companion bench players` measures it.
    """
    assert wins(GAMES["azul"], SearchPlayer(1, nodes=1000), GreedyPlayer(1), range(8)) >= 7


def test_nobody_can_choose_where_nobody_is_to_move(pebbles: Game) -> None:
    with pytest.raises(EngineError, match="nobody is to move in '2 1 0 0,0 0,0/0,0'"):
        moves_of(pebbles, pebbles.new(2))
    with pytest.raises(EngineError, match="there is no legal move to choose from"):
        GreedyPlayer().choose(pebbles, pebbles.new(2), [])


@pytest.mark.parametrize("player", [RandomPlayer(3), GreedyPlayer(3), SearchPlayer(3, nodes=500)], ids=repr)
@pytest.mark.parametrize("game_id", list(GAMES))
def test_the_same_seed_and_position_give_the_same_legal_move(game_id: str, player: Player) -> None:
    game = GAMES[game_id]
    state = game.new(min(game.players))
    while not game.to_move(state):
        state = game.play(state, game.random_deal(state, 11))
    chosen = player.choose(game, state)
    assert chosen in game.legal_moves(state)
    assert chosen == player.choose(game, game.parse_position(game.format_position(state)))


def test_a_player_keeps_to_the_moves_its_hand_allows(pebbles: Game) -> None:
    state = pebbles.play(pebbles.new(2), pebbles.parse_move("deal 4 4"))
    only = [pebbles.parse_move("1 red 1")]
    for player in (RandomPlayer(), GreedyPlayer(), SearchPlayer()):
        assert player.choose(pebbles, state, only) == only[0]


def test_search_sees_the_answer_that_greedy_overlooks(pebbles: Game) -> None:
    """Three pebbles are left and two may be taken: who takes the last blue ones matters more than points now."""
    state = pebbles.parse_position("2 1 1 1,3 0,0/0,0")
    chosen = SearchPlayer().choose(pebbles, state)
    best = max(
        pebbles.legal_moves(state),
        key=lambda move: -_value(pebbles, pebbles.play(state, move)),
    )
    assert _value(pebbles, pebbles.play(state, chosen)) == _value(pebbles, pebbles.play(state, best))


def _value(game: Game, state: object) -> int:
    """The exact worth to whoever moves next, by trying everything."""
    if game.is_over(state):
        scores = game.scores(state)
        # The one who would move next is the other one than who took last.
        mover = state.mover  # type: ignore[attr-defined]
        return scores[mover - 1] - scores[2 - mover]
    return max(-_value(game, game.play(state, move)) for move in game.legal_moves(state))
