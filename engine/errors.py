"""The engine's errors. Each message is one sentence that says what is wrong and quotes the input."""

from __future__ import annotations

from engine.types import Slip


class EngineError(Exception):
    """Anything the engine refuses."""


class SetupError(EngineError):
    """A game that cannot be set up: a wrong number of players, an unknown option, a bad data file."""


class NotationError(EngineError):
    """A text that is no move and no position."""


class JournalError(EngineError):
    """A journal line that cannot be used; `line_number` counts from 1."""

    def __init__(self, message: str, line_number: int) -> None:
        super().__init__(message)
        self.line_number = line_number


class IllegalMoveError(EngineError):
    """A move the rules forbid: carries the slip, the move and the position, each in notation."""

    def __init__(self, slip: Slip, move: str, position: str) -> None:
        super().__init__(f"{slip.slug} (rule {slip.rule}): '{move}' is not legal in '{position}'")
        self.slip = slip
        self.slug = slip.slug
        self.move = move
        self.position = position
