"""Complete games that other engines wrote down, replayed line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from engine.api import Game
from engine.errors import EngineError, SetupError


@runtime_checkable
class Replays(Protocol):
    """Optional: a game that can compare itself with another engine's record of a complete game."""

    def compare_record(self, record: Mapping[str, Any]) -> str | None:
        """One sentence about the first difference, or None when there is none; EngineError for no such record."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one line."""

    line_number: int
    name: str
    """The game's number or name in the file."""
    problem: str | None
    """The first difference, or why the line cannot be used; None when all is the same."""


def game_that_replays(games: Mapping[str, Game], wanted: str | None) -> Replays:
    """The game to compare with: the named one, or the only one that can."""
    able = {name: game for name, game in games.items() if isinstance(game, Replays)}
    if wanted is None and len(able) == 1:
        return next(iter(able.values()))
    if wanted in able:
        return able[wanted]
    raise SetupError(f"Say with --game which game the file holds; those that can be compared are {', '.join(able)}.")


def replay_lines(lines: Iterable[str], game: Replays) -> Iterator[Outcome]:
    """The outcome of every line that is not empty; a torn one does not stop the others."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            yield Outcome(number, "?", f"this line is torn: {error}")
            continue
        if not isinstance(record, dict):
            yield Outcome(number, "?", "this line is no record of a game")
            continue
        try:
            yield Outcome(number, str(record.get("game", "?")), game.compare_record(record))
        except EngineError as error:
            yield Outcome(number, str(record.get("game", "?")), str(error))
