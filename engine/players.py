"""Players to play against, for any game: at random, greedy, or searching.

A player is a value. What it chooses follows from its seed and the position alone, so that a game can be played again.
They see what the game's `evaluate` says of a position, or the plain scores where a game has none. A search counts
positions, not seconds: it finds the same move on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.api import Evaluates, Game, Move, Player, State
from engine.errors import EngineError

Value = Callable[[State, int], float]
"""What a position is worth to a player."""


def moves_of(game: Game, state: State, player: int | None = None) -> Sequence[Move]:
    """The legal moves of one player, by default the first who may act."""
    movers = game.to_move(state)
    if not movers:
        raise EngineError(f"nobody is to move in '{game.format_position(state)}'")
    mover = movers[0] if player is None else player
    moves = game.legal_moves(state)
    return [move for move in moves if game.player_of(move) == mover] if len(movers) > 1 else moves


def worth(game: Game) -> Value:
    """How to value a position of this game: its own way, or the lead in points."""
    if isinstance(game, Evaluates):
        return game.evaluate

    def lead(state: State, player: int) -> float:
        scores = game.scores(state)
        others = [score for number, score in enumerate(scores, start=1) if number != player]
        return float(scores[player - 1] - max(others, default=0))

    return lead


def _rng(seed: int, game: Game, state: State) -> Random:
    """Random numbers that depend on the seed and the position only."""
    return Random(f"{seed} {game.format_position(state)}")


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Makes any legal move."""

    seed: int = 0

    def choose(self, game: Game, state: State, moves: Sequence[Move] | None = None) -> Move:
        options = moves_of(game, state) if moves is None else moves
        return _rng(self.seed, game, state).choice(options)


@dataclass(frozen=True, slots=True)
class GreedyPlayer:
    """Makes the move after which the position is worth most to it."""

    seed: int = 0
    most: int = 4000
    """At most so many moves are tried, drawn at random where there are more."""

    def choose(self, game: Game, state: State, moves: Sequence[Move] | None = None) -> Move:
        rng = _rng(self.seed, game, state)
        options = _sample(moves_of(game, state) if moves is None else moves, self.most, rng)
        return max(_ranked(game, worth(game), state, options, rng), key=lambda ranked: ranked.value).move


@dataclass(frozen=True, slots=True)
class SearchPlayer:
    """Looks ahead: its best moves, the best answers to each, and so on, a turn deeper as long as the budget lasts.

    It looks no further than the next deal, which nobody can know, and takes the others to play against it.
    """

    seed: int = 0
    nodes: int = 10000
    """How many positions it may look at for one move."""
    width: int = 10
    """How many of the best moves it follows at each turn."""
    depth: int = 6
    """How many turns ahead it looks at most."""

    def choose(self, game: Game, state: State, moves: Sequence[Move] | None = None) -> Move:
        rng = _rng(self.seed, game, state)
        options = _sample(moves_of(game, state) if moves is None else moves, self.nodes // 2, rng)
        if len(options) == 1:
            return options[0]
        search = _Search(game, worth(game), _mover(game, options[0]), self.width, self.nodes, rng)
        return search.best(state, options, self.depth)


def _mover(game: Game, move: Move) -> int:
    player = game.player_of(move)
    if player is None:
        raise EngineError(f"'{game.format_move(move)}' is a deal, which no player makes")
    return player


def _sample(moves: Sequence[Move], most: int, rng: Random) -> Sequence[Move]:
    if not moves:
        raise EngineError("there is no legal move to choose from")
    return moves if len(moves) <= most else rng.sample(moves, most)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A move with the position after it and what that is worth to its mover."""

    value: float
    move: Move
    after: State


def _ranked(game: Game, value: Value, state: State, moves: Sequence[Move], rng: Random) -> list[_Ranked]:
    """Each move with its worth, in random order, so that equals are chosen alike."""
    player = _mover(game, moves[0])
    ranked = []
    for move in moves:
        after = game.play(state, move)
        ranked.append(_Ranked(value(after, player), move, after))
    rng.shuffle(ranked)
    return ranked


class _BudgetSpentError(Exception):
    """Raised inside a search to leave a depth that cannot be finished."""


class _Search:
    """One look ahead from one position; lives for one choice."""

    def __init__(self, game: Game, value: Value, player: int, width: int, nodes: int, rng: Random) -> None:
        self.game, self.value, self.player, self.width, self.nodes, self.rng = game, value, player, width, nodes, rng

    def best(self, state: State, moves: Sequence[Move], depth: int) -> Move:
        first = self._best_few(self._ranked(state, moves))
        chosen = first[0].move
        for turns in range(2, depth + 1):
            try:
                values = self._values(first, turns - 1)
            except _BudgetSpentError:
                break
            order = sorted(range(len(first)), key=lambda index: -values[index])
            # The best move first makes the next, deeper look cut off sooner.
            first = [first[index] for index in order]
            chosen = first[0].move
        return chosen

    def _values(self, children: Sequence[_Ranked], turns: int) -> list[float]:
        values: list[float] = []
        for child in children:
            values.append(self._look(child.after, turns, max(values, default=float("-inf")), float("inf")))
        return values

    def _look(self, state: State, turns: int, low: float, high: float) -> float:
        """What the position is worth to the searching player, as far as it lies between low and high."""
        if turns == 0 or self.game.is_over(state) or not self.game.to_move(state):
            return self._worth(state)
        moves = moves_of(self.game, state)
        if not moves:
            return self._worth(state)
        mine = self.game.player_of(moves[0]) == self.player
        children = self._best_few(self._ranked(state, moves))
        best = float("-inf") if mine else float("inf")
        for child in children:
            value = self._look(child.after, turns - 1, low, high)
            if mine:
                best = max(best, value)
                low = max(low, best)
            else:
                best = min(best, value)
                high = min(high, best)
            if low >= high:
                break
        return best

    def _best_few(self, ranked: list[_Ranked]) -> list[_Ranked]:
        """The best moves, as many as are followed. Moves that differ only in what chance reveals count as one."""
        few: list[_Ranked] = []
        told: list[Mapping[str, Any]] = []
        for each in sorted(ranked, key=lambda ranked: -ranked.value):
            description = self.game.describe(each.move)
            if description and description in told:
                continue
            told.append(description)
            few.append(each)
            if len(few) == self.width:
                break
        return few

    def _ranked(self, state: State, moves: Sequence[Move]) -> list[_Ranked]:
        options = _sample(moves, max(self.width, self.nodes), self.rng)
        self._spend(len(options))
        return _ranked(self.game, self.value, state, options, self.rng)

    def _worth(self, state: State) -> float:
        self._spend(1)
        return self.value(state, self.player)

    def _spend(self, nodes: int) -> None:
        self.nodes -= nodes
        if self.nodes < 0:
            raise _BudgetSpentError


PLAYERS = {"random": RandomPlayer, "greedy": GreedyPlayer, "search": SearchPlayer}
"""The players by the name a command calls them."""


def play_match(game: Game, players: Sequence[Player], seed: int, start_player: int = 1) -> tuple[int, ...]:
    """A whole game between players in turn order; the numbers of the winners."""
    rng = Random(seed)
    state = game.new(len(players), None, start_player)
    while not game.is_over(state):
        movers = game.to_move(state)
        if not movers:
            state = game.play(state, game.random_deal(state, rng.getrandbits(32)))
            continue
        moves = moves_of(game, state)
        state = game.play(state, players[movers[0] - 1].choose(game, state, moves))
    return game.result(state).winners
