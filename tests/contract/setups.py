"""Every way in which every game can be set up, and walks through random games: what the contract suite runs over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from engine.api import Game, Move, State
from engine.errors import SetupError
from engine.playout import steps
from engine.registry import find_games
from tests.conftest import FIXTURES

GAMES = find_games(FIXTURES)
"""The engine's games and the tiny one, which shows that the suite asks nothing special of a game."""


@dataclass(frozen=True)
class Setup:
    """One game, so many players, these options."""

    game: Game
    folder: Path
    players: int
    options: Mapping[str, Any]

    def __str__(self) -> str:
        chosen = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.game.id}-{self.players}" + (f"-{chosen}" if chosen else "")

    def new(self, start_player: int = 1) -> State:
        return self.game.new(self.players, self.options, start_player)

    def walk(self, seed: int) -> Iterator[tuple[State, Move, State]]:
        """A random game, step by step."""
        rng = Random(f"{self} {seed}")
        return steps(self.game, self.new(self.starter(seed)), rng)

    def starter(self, seed: int) -> int:
        """Who starts the random game of this seed."""
        return Random(f"{seed} {self}").randint(1, self.players)

    def states(self, seed: int, count: int) -> list[State]:
        """A few positions of a random game, spread over its length."""
        passed = [before for before, _, _ in self.walk(seed)]
        return sorted_sample(passed, count, seed)


def sorted_sample(items: list[Any], count: int, seed: int) -> list[Any]:
    """So many of the items, in their order."""
    chosen = sorted(Random(seed).sample(range(len(items)), min(count, len(items))))
    return [items[index] for index in chosen]


def option_sets(game: Game) -> Iterator[dict[str, Any]]:
    """The defaults, and each other value of each option on its own."""
    yield {}
    for name, values in game.options.items():
        yield from ({name: value} for value in values[1:])


def setups() -> list[Setup]:
    """All that can be played; options that do not go with a number of players are left out."""
    found = []
    for game_id, game in GAMES.items():
        for players in game.players:
            for options in option_sets(game):
                setup = Setup(game, GAMES.folders[game_id], players, options)
                try:
                    setup.new()
                except SetupError:
                    if not options:
                        raise
                    continue
                found.append(setup)
    return found


SETUPS = setups()
CHECKED = [setup for setup in SETUPS if not setup.options or setup.players == min(setup.game.players)]
"""What the slower tests run over: every number of players, and every option with the fewest."""
