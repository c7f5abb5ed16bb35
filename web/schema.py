"""The shape of every command: one description that both checks what a phone sends and fills the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 5
MAX_CONTENT_CHARS = 2000
MAX_INT = 10**9


class ShapeError(Exception):
    """A value of the wrong shape; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text of one to `most` characters without control characters."""

    most: int = 80
    choices: tuple[str, ...] = ()

    def check(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or not value.strip() or len(value) > self.most:
            raise ShapeError(f"{where} must be a text of 1 to {self.most} characters")
        if any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in value):
            raise ShapeError(f"{where} has a character that cannot be shown")
        if self.choices and value not in self.choices:
            raise ShapeError(f"{where} must be one of {', '.join(self.choices)}")
        return value.strip()

    def describe(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": self.most}
        return {**found, "enum": list(self.choices)} if self.choices else found


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number."""

    least: int = 0
    most: int = MAX_INT

    def check(self, value: Any, where: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not self.least <= value <= self.most:
            raise ShapeError(f"{where} must be a whole number from {self.least} to {self.most}")
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def check(self, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            raise ShapeError(f"{where} must be true or false")
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Points:
    """Points on the picture, in pixels."""

    most: int = 24

    def check(self, value: Any, where: str) -> list[list[float]]:
        if not isinstance(value, list) or not 1 <= len(value) <= self.most:
            raise ShapeError(f"{where} must be a list of 1 to {self.most} points")
        return [self._point(point, f"{where}[{index}]") for index, point in enumerate(value)]

    def _point(self, value: Any, where: str) -> list[float]:
        if not isinstance(value, list) or len(value) != 2 or not all(_is_pixel(part) for part in value):
            raise ShapeError(f"{where} must be two numbers, x and y in pixels")
        return [float(part) for part in value]

    def describe(self) -> dict[str, Any]:
        point = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        return {"type": "array", "items": point, "minItems": 1, "maxItems": self.most}


def _is_pixel(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -20_000 <= value <= 20_000


@dataclass(frozen=True, slots=True)
class Plain:
    """Any small plain value: what lies on a place, the value of an option."""

    def check(self, value: Any, where: str) -> Any:
        if _deeper(value, MAX_DEPTH) or len(json.dumps(value)) > MAX_CONTENT_CHARS or not _showable(value):
            raise ShapeError(f"{where} is too large, too deep or cannot be shown")
        return value

    def describe(self) -> dict[str, Any]:
        return {}


def _deeper(value: Any, most: int) -> bool:
    """Whether a value nests deeper than `most`; looks no further, so that no nesting can exhaust the stack."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return most <= 0 or any(_deeper(part, most - 1) for part in parts)


def _showable(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_showable(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return all(_showable(part) for part in value)
    return not (isinstance(value, str) and any(0xD800 <= ord(char) < 0xE000 for char in value))


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game: names with plain values."""

    most: int = 40

    def check(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > self.most:
            raise ShapeError(f"{where} must be an object with at most {self.most} options")
        return {Text(40).check(name, where): Plain().check(part, f"{where}.{name}") for name, part in value.items()}

    def describe(self) -> dict[str, Any]:
        return {"type": "object", "maxProperties": self.most}


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of values of one shape."""

    of: Shape
    most: int

    def check(self, value: Any, where: str) -> list[Any]:
        if not isinstance(value, list) or not 1 <= len(value) <= self.most:
            raise ShapeError(f"{where} must be a list of 1 to {self.most}")
        return [self.of.check(part, f"{where}[{index}]") for index, part in enumerate(value)]

    def describe(self) -> dict[str, Any]:
        return {"type": "array", "items": self.of.describe(), "minItems": 1, "maxItems": self.most}


@dataclass(frozen=True, slots=True)
class Fields:
    """An object: the fields it must have, those it may have, and no others."""

    needs: Mapping[str, Shape] = field(default_factory=dict)
    may: Mapping[str, Shape] = field(default_factory=dict)

    def check(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ShapeError(f"{where} must be an object")
        for name in self.needs:
            if name not in value:
                raise ShapeError(f"{where}.{name} is missing")
        known = {**self.needs, **self.may}
        for name in value:
            if name not in known:
                raise ShapeError(f"{where} has a field that is not known here")
        return {name: known[name].check(part, f"{where}.{name}") for name, part in value.items()}

    def describe(self) -> dict[str, Any]:
        properties = {name: shape.describe() for name, shape in {**self.needs, **self.may}.items()}
        return {"type": "object", "properties": properties, "required": list(self.needs), "additionalProperties": False}


Shape = Text | Whole | Flag | Points | Plain | Options | Listed | Fields

NAME = Text(24)
PLACE = Text(40)
PLAYER = Fields({"name": NAME}, {"colour": Text(20), "seat": Whole(1, 12)})
TABLE: Mapping[str, Shape] = {"game": Text(40), "players": Listed(PLAYER, 8)}
SAMPLE = Fields({"colour": Text(20), "at": Points(1)}, {"face": Text(20)})
SIMULATED = ("slip", "nudge", "lamp", "blur", "freeze", "drop", "camera")

COMMANDS: Mapping[str, tuple[str, Fields]] = {
    "answer": ("Answer the open question.", Fields({"question": Text(), "answer": Text()})),
    "accept": ("A slip is allowed here: play on from what lies there.", Fields({"alert": Text()})),
    "misread": ("The companion saw wrongly: forget the slip.", Fields({"alert": Text()})),
    "undo": ("Take back a move; what follows is derived again.", Fields({"entry": Whole()})),
    "correct": ("A move was really another.", Fields({"entry": Whole(), "notation": Text(400)})),
    "set-place": ("Say what lies on a place.", Fields({"place": PLACE, "content": Plain()})),
    "new-game": (
        "Start a game.",
        Fields(TABLE, {"options": Options(), "start_player": Whole(1, 8)}),
    ),
    "end-game": ("End the game that is being played.", Fields()),
    "delete-game": ("Delete a game from the history.", Fields({"game_number": Whole()})),
    "record": ("Switch the recording of pictures on or off.", Fields({"on": Flag()})),
    "relight": ("Let the camera settle its exposure, colours and focus anew.", Fields()),
    "simulate": ("Steer the simulated table.", Fields({"what": Text(20, SIMULATED)})),
    "setup-propose": ("Find boards and discs on the picture.", Fields(TABLE, {"options": Options()})),
    "setup-place": ("Say where a board, disc or area lies.", Fields({"piece": PLACE, "points": Points()})),
    "setup-colours": ("Name loose tiles on the picture.", Fields({"samples": Listed(SAMPLE, 60)})),
    "setup-check": ("Read the table as it would be read in play.", Fields()),
    "setup-adjust": (
        "Move a group of places by so many small steps, where an edition is printed otherwise, and look again.",
        Fields({"group": PLACE, "across": Whole(-20, 20), "down": Whole(-20, 20)}),
    ),
    "setup-drag": (
        "Move a group of places as far as from one point of the picture to another, and look again.",
        Fields({"group": PLACE, "points": Points(2)}),
    ),
    "setup-finish": ("Keep the table under a name.", Fields({"name": NAME})),
    "setup-load": ("Use a remembered table.", Fields({"name": NAME})),
}
"""Every command with what it does and the shape of its arguments."""
