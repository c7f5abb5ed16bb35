"""`companion bench engine`: complete random games a second, beside a bare loop that draws as many random numbers.

Absolute speeds say as much about the machine as about the engine. The ratio (how many times longer a game takes than
drawing its random numbers) holds on any machine, since both were measured in one run, one after the other.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import click

from engine.api import Game, PlaysOut
from engine.playout import random_move
from engine.registry import find_games


class CountingRandom(Random):
    """Random numbers that know how often they were drawn."""

    drawn = 0

    def random(self) -> float:
        self.drawn += 1
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        self.drawn += 1
        return super().getrandbits(k)


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """How fast one game plays."""

    game: str
    path: str
    """`api`: the methods that everybody uses; `fast`: the game's own loop."""
    games: int
    """How many complete games were timed."""
    games_per_second: float
    moves_per_second: float
    draws_per_game: float
    ratio: float
    """The time of the games over the time of a bare loop that draws as many random numbers."""


def measure(game: Game, path: str, play: Callable[[Random], int], seconds: float, seed: int) -> EngineFigures:
    """Play complete games for about so many seconds of processor time."""
    counting = CountingRandom(seed)
    sample = 3
    for _ in range(sample):
        play(counting)
    draws_per_game = counting.drawn / sample
    rng = Random(seed)
    games = moves = 0
    began = time.process_time()
    spent = 0.0
    while spent < seconds or not games:
        moves += play(rng)
        games += 1
        spent = time.process_time() - began
    bare = bare_seconds(round(draws_per_game * games), seed)
    return EngineFigures(game.id, path, games, games / spent, moves / spent, draws_per_game, spent / bare)


def bare_seconds(draws: int, seed: int) -> float:
    """The processor time of a loop that only draws random numbers; the best of three, as it is short."""
    times: list[float] = []
    for _ in range(3):
        draw = Random(seed).random
        began = time.process_time()
        for _ in range(draws):
            draw()
        times.append(time.process_time() - began)
    return max(min(times), 1e-9)


def random_game(game: Game, players: int, rng: Random) -> int:
    """One complete game through the methods that everybody uses, without reasons; returns its moves."""
    state = game.new(players)
    moves = 0
    is_over, play, player_of = game.is_over, game.play, game.player_of
    while not is_over(state):
        move = random_move(game, state, rng)
        moves += player_of(move) is not None
        state = play(state, move)
    return moves


def figures(game: Game, seconds: float, seed: int) -> list[EngineFigures]:
    """Both paths of one game, as far as it has them."""
    players = min(game.players)
    found = [measure(game, "api", lambda rng: random_game(game, players, rng), seconds, seed)]
    if isinstance(game, PlaysOut):
        found.append(measure(game, "fast", game.random_playout, seconds, seed))
    return found


def table(rows: list[EngineFigures]) -> str:
    """The figures as text."""
    heads = ("game", "path", "games", "games/s", "moves/s", "draws/game", "× bare loop")
    cells = [heads] + [
        (
            row.game, row.path, str(row.games), f"{row.games_per_second:,.0f}", f"{row.moves_per_second:,.0f}",
            f"{row.draws_per_game:,.0f}", f"{row.ratio:,.1f}",
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    )


@click.command()
@click.option("--seconds", default=2.0, show_default=True, type=click.FloatRange(min=0.0), help="Time for each line.")
@click.option("--seed", default=1, show_default=True, help="The games that are played.")
@click.option("--game", "chosen", default=None, help="Only this game.")
@click.option("--folder", type=click.Path(path_type=Path), help="Look for games in this folder too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(seconds: float, seed: int, chosen: str | None, folder: Path | None, as_json: bool) -> None:
    """Complete random games a second for each game, smallest number of players, one processor core.

    The last column is what counts on another machine: how many times longer the games took than a bare loop that
    draws as many random numbers.
    """
    games = find_games(*([folder] if folder else []))
    for problem in games.problems:
        click.echo(problem, err=True)
    selected = [games[chosen]] if chosen else list(games.values())
    rows = [row for game in selected for row in figures(game, seconds, seed)]
    click.echo(json.dumps([asdict(row) for row in rows]) if as_json else table(rows))
