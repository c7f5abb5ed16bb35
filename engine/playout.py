"""Playing a game by itself: the loop that benches, tests and demonstrations share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from engine.api import Game, Move, State

Choose = Callable[[State], Move]
"""Picks a move; only asked where somebody is to move."""


def random_move(game: Game, state: State, rng: Random) -> Move:
    """Any legal move, or a deal where one is awaited."""
    moves = game.legal_moves(state)
    if moves:
        return moves[int(rng.random() * len(moves))]
    return game.random_deal(state, rng.getrandbits(32))


def steps(game: Game, state: State, rng: Random, choose: Choose | None = None) -> Iterator[tuple[State, Move, State]]:
    """Each position with the move or deal made there and what follows, up to the end; random without `choose`."""
    while not game.is_over(state):
        asked = choose is not None and game.to_move(state)
        move = choose(state) if choose is not None and asked else random_move(game, state, rng)
        before, state = state, game.play(state, move)
        yield before, move, state


def play_out(game: Game, state: State, rng: Random, choose: Choose | None = None) -> tuple[State, int]:
    """The end of a game, and how many moves players made on the way (deals are not counted)."""
    moves = 0
    for _, move, after in steps(game, state, rng, choose):
        moves += game.player_of(move) is not None
        state = after
    return state, moves
