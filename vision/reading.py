"""Readings: for every place, how likely each content is.

A content is split into independent parts by the kind of its place, so that one rule scores a single tile, a heap, a
plate or a lettered cell alike: a slot is one part, a heap has one part for each colour (its count), a plate has
its presence and four spaces, a cell its colour and its face.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

FLOOR_LOG_PROB = math.log(1e-4)
"""What no reading thought of is still not impossible: a floor keeps one misreading from deciding a game."""

Parts = Mapping[str, Mapping[Hashable, float]]
"""For each part of a content, the natural log-probability of each value it can have."""


class Kind(StrEnum):
    """What sort of place it is."""

    SLOT = "slot"
    """One tile or none: a colour, "marker", "special" … or None."""
    HEAP = "heap"
    """Loose tiles: {colour: count}, zeros left out."""
    PILE = "pile"
    """Only the top shows: {"top": colour}, or None."""
    PLATE = "plate"
    """Four printed spaces, row by row, or None."""
    CELL = "cell"
    """{"colour": …, "face": …} or None."""
    CHIP = "chip"
    """None, "face-down", or a sorted list of colours."""
    COUNTER = "counter"
    """The number that one or more stones stand on; None where there is no stone."""


def split(kind: Kind, content: Any) -> Iterator[tuple[str, Hashable]]:
    """The parts of a content with their values. Heap colours that a heap does not list count zero."""
    if kind is Kind.HEAP:
        yield from (content or {}).items()
    elif kind is Kind.PLATE:
        yield "present", content is not None
        if content is not None:
            yield from ((str(index), space) for index, space in enumerate(content))
    elif kind is Kind.CELL:
        yield "colour", None if content is None else content["colour"]
        if content is not None and content.get("face") is not None:
            yield "face", content["face"]
    elif kind is Kind.PILE:
        yield "top", None if content is None else content["top"]
    elif kind is Kind.CHIP:
        yield "value", tuple(sorted(content)) if isinstance(content, (list, tuple)) else content
    else:
        yield "value", content


UNREADABLE = object()
"""What `join` gives when parts do not make up a content."""


def join(kind: Kind, parts: Mapping[str, Any]) -> Any:
    """The content that has these parts: the inverse of `split`."""
    if kind is Kind.HEAP:
        return {part: count for part, count in parts.items() if count}
    if kind is Kind.PLATE:
        if not parts.get("present", True):
            return None
        spaces = [parts.get(str(index)) for index in range(4)]
        return UNREADABLE if None in spaces else spaces
    if kind is Kind.CELL:
        if parts.get("colour") is None:
            return None
        return {"colour": parts["colour"], "face": parts.get("face")}
    if kind is Kind.PILE:
        return None if parts.get("top") is None else {"top": parts["top"]}
    value = parts.get("value")
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class Reading:
    """What one place shows in one frame."""

    place: str
    kind: Kind
    parts: Parts
    """Natural log-probabilities; of each part they sum to one (as probabilities)."""
    occluded: bool = False
    """Something lies or moves over the place: its parts say nothing."""
    unfamiliar: bool = False
    """It looks like nothing that can lie here (a sleeve, a coaster): its parts say little."""

    def log_prob(self, content: Any) -> float:
        """How well a content explains what was seen; 0 where the place cannot be seen."""
        if self.occluded:
            return 0.0
        total = 0.0
        named = set()
        for part, value in split(self.kind, content):
            named.add(part)
            table = self.parts.get(part)
            if table is not None:
                total += max(table.get(value, FLOOR_LOG_PROB), FLOOR_LOG_PROB)
        if self.kind is Kind.HEAP:
            for part, table in self.parts.items():
                if part not in named:
                    total += max(table.get(0, FLOOR_LOG_PROB), FLOOR_LOG_PROB)
        return total

    def best(self) -> tuple[Any, float]:
        """The likeliest content and its probability."""
        picks = {part: max(table.items(), key=lambda item: item[1]) for part, table in self.parts.items()}
        if self.kind is Kind.PLATE and not picks["present"][0]:
            return None, math.exp(picks["present"][1])
        if self.kind is Kind.CELL and picks["colour"][0] is None:
            return None, math.exp(picks["colour"][1])
        content = join(self.kind, {part: value for part, (value, _) in picks.items()})
        return content, math.exp(sum(log_prob for _, log_prob in picks.values()))


@dataclass(frozen=True, slots=True)
class Observation:
    """All readings of one frame."""

    captured_ns: int
    readings: Mapping[str, Reading]
    still: bool = True
    """Nothing moved against the frame before."""
    trusted: bool = True
    """False when the frame as a whole cannot be used (lamp off, camera moved, a board not found)."""
    why: str = ""
    """What is wrong with a frame that is not trusted, or what was noticed (a board re-registered)."""
    hand: bool = False
    """Something that is no piece covers part of the table."""
    moved: tuple[str, ...] = field(default=())
    """Boards that lie elsewhere than before and were found again."""
    turned: Mapping[str, int] = field(default_factory=dict)
    """Boards that lie a quarter, half or three quarters round, and by how many degrees clockwise. Nothing is read on
    them."""
