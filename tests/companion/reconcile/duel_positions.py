"""The positions of random games of Azul Duel, shared by the tests of what its piles hide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from companion.catalogue import played_game

PLAYED = played_game("azul-duel", 2)
GAME = PLAYED.game


def every(moves: Sequence[Any]) -> Sequence[Any]:
    return moves


def walk(seed: int, preferred: Callable[[Sequence[Any]], Sequence[Any]] = every) -> Iterator[Any]:
    """All positions of a random game, with each time one of the preferred moves."""
    chance, state = Random(seed), GAME.new(2, PLAYED.options, 1)
    while not GAME.is_over(state):
        yield state
        if GAME.deal_request(state) is not None:
            state = GAME.play(state, GAME.random_deal(state, chance.randrange(1 << 30)))
            continue
        moves = list(GAME.legal_moves(state))
        state = GAME.play(state, chance.choice(preferred(moves) or moves))


def positions(seed: int, preferred: Callable[[Sequence[Any]], Sequence[Any]] = every) -> Iterator[Any]:
    """Those in which somebody is to move."""
    return (state for state in walk(seed, preferred) if GAME.deal_request(state) is None)


def awaited(state: Any) -> list[str]:
    """The places that are to be filled."""
    request = GAME.deal_request(state)
    return [] if request is None else [*request.places, *request.choices]


def refills(seed: int) -> Iterator[Any]:
    """Those in which several places are to be filled."""
    return (state for state in walk(seed) if len(awaited(state)) > 2)


def acquiring(seed: int) -> Iterator[Any]:
    """Those in which a player takes something next."""
    return (state for state in positions(seed) if GAME.phase(state) == "acquire")


def after(state: Any, *moves: Any) -> Any:
    for move in moves:
        state = GAME.play(state, move)
    return state


def parsed(*moves: str) -> list[Any]:
    return [GAME.parse_move(move) for move in moves]
