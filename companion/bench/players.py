"""`companion bench players`: how often each player beats the next weaker one, and how long it thinks."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from engine.api import Game, Move, Player, State
from engine.players import PLAYERS, play_match
from engine.registry import find_games

LADDER = (("greedy", "random"), ("search", "greedy"))


@dataclass
class Timed:
    """A player under a stopwatch of processor time."""

    player: Player
    times_s: list[float] = field(default_factory=list)

    def choose(self, game: Game, state: State, moves: Sequence[Move] | None = None) -> Move:
        began = time.process_time()
        move = self.player.choose(game, state, moves)
        self.times_s.append(time.process_time() - began)
        return move


@dataclass(frozen=True, slots=True)
class Match:
    """What came of a number of games, taking turns to start."""

    wins: float
    """A shared victory is half a win."""
    games: int
    by_luck: float
    """How likely so many wins or more would be between equals."""
    median_ms: float
    slowest_ms: float


def match(game: Game, stronger: str, weaker: str, games: int, seed: int) -> Match:
    """Play so many games of two (or the fewest that can play, the others like the weaker)."""
    wins = 0.0
    times_s: list[float] = []
    for number in range(games):
        timed = Timed(PLAYERS[stronger](seed + number))
        players: list[Player] = [PLAYERS[weaker](seed + number) for _ in range(min(game.players))]
        seat = number % len(players)
        players[seat] = timed
        winners = play_match(game, players, seed + number)
        wins += (1 / len(winners)) if seat + 1 in winners else 0.0
        times_s += timed.times_s
    times_s.sort()
    return Match(wins, games, luck(wins, games), 1000 * times_s[len(times_s) // 2], 1000 * times_s[-1])


def luck(wins: float, games: int) -> float:
    """The chance of at least so many heads when a coin is thrown so often."""
    return math.ldexp(sum(math.comb(games, heads) for heads in range(math.ceil(wins), games + 1)), -games)


@click.command()
@click.option("--games", default=10, show_default=True, type=click.IntRange(min=1), help="Games for each line.")
@click.option("--seed", default=1, show_default=True, help="The games that are played.")
@click.option("--game", "chosen", default=None, help="Only this game.")
def command(games: int, seed: int, chosen: str | None) -> None:
    """How often each player beats the next weaker one, with two players (or the fewest), and its thinking time.

    "by luck" is the chance of so many wins between equals; times are processor time on this machine, beside that of the
    greedy player, which is the same work once for each move.
    """
    found = find_games()
    heads = f"{'game':<12}{'player':<9}{'against':<9}{'wins':>10}{'by luck':>10}"
    click.echo(f"{heads}{'ms a move':>11}{'slowest':>9}{'× greedy':>10}")
    for game in [found[chosen]] if chosen else found.values():
        greedy_ms = 0.0
        for stronger, weaker in LADDER:
            done = match(game, stronger, weaker, games, seed)
            greedy_ms = greedy_ms or done.median_ms
            click.echo(
                f"{game.id:<12}{stronger:<9}{weaker:<9}{f'{done.wins:g} of {done.games}':>10}{done.by_luck:>10.3f}"
                f"{done.median_ms:>11.1f}{done.slowest_ms:>9.0f}{done.median_ms / greedy_ms:>10.1f}"
            )
