"""Readings of a known table with errors of a known rate, and honest about them."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from engine.types import UNKNOWN
from vision.layout import Layout, PlaceSpec
from vision.reading import Kind, Observation, Reading, split

MOST_IN_HEAP = 24
STONE_MAX = 100


@dataclass(frozen=True, slots=True)
class Noise:
    """How badly a table is read."""

    slot_error: float = 0.02
    """Share of slots, cells, plates, chips, tops and stones read as something else."""
    heap_error: float = 0.05
    """Share of heaps with a wrong count of one colour."""
    hidden: float = 0.10
    """Share of places hidden at a time."""
    burst: float = 0.004
    """Chance that a frame begins a burst of wrong frames."""
    burst_frames: int = 20
    burst_error: float = 0.6
    """Share of places read wrong in such a frame."""
    double: float = 0.05
    """Chance that a move is followed by the next before a frame is taken …"""
    most_unseen: int = 2
    """… and how many moves there are between two frames at the most."""

    def times(self, factor: float) -> Noise:
        """The same with every error rate multiplied."""
        return replace(
            self,
            slot_error=min(0.5, self.slot_error * factor),
            heap_error=min(0.6, self.heap_error * factor),
            hidden=min(0.6, self.hidden * factor),
            burst=min(0.2, self.burst * factor),
            double=min(0.5, self.double * factor),
        )


class NoisyCamera:
    """Turns true tables into observations. Seeded."""

    def __init__(self, layout: Layout, noise: Noise, seed: int) -> None:
        self._layout = layout
        self._noise = noise
        self._random = random.Random(seed)
        self._burst_left = 0
        self._hidden: set[str] = set()
        self._frame = 0
        self._last: dict[str, tuple[Any, Reading]] = {}
        """What each place held when it was last read right, and that reading."""
        self._values = {name: _alphabet(place, layout) for name, place in layout.places.items()}

    @property
    def is_wild(self) -> bool:
        """Whether the last frame belonged to a burst of wrong ones."""
        return self._burst_left > 0

    def look(self, table: Mapping[str, Any], t_ns: int, hidden: Sequence[str] = ()) -> Observation:
        """One frame of a table; `hidden` are places under a hand on top of those hidden by chance."""
        noise, chance = self._noise, self._random
        if self._burst_left:
            self._burst_left -= 1
        elif chance.random() < noise.burst:
            self._burst_left = noise.burst_frames
        if self._frame % 4 == 0:
            names = list(self._layout.places)
            self._hidden = set(chance.sample(names, round(noise.hidden * len(names))))
        self._frame += 1
        covered = self._hidden.union(hidden)
        readings = {}
        for name, place in self._layout.places.items():
            if name in table:
                error = self._error(place)
                wrong = chance.random() < (noise.burst_error if self._burst_left else error)
                content = UNKNOWN if name in covered else table[name]
                readings[name] = self._read(place, content, error, True) if wrong else self._right(place, content)
        return Observation(t_ns, readings, hand=bool(hidden))

    def clear_look(self, table: Mapping[str, Any], t_ns: int, hand: bool = False) -> Observation:
        """One frame without a single error, though no surer of itself than the noise allows. Places may be unknown."""
        readings = {
            name: self._right(place, table[name])
            for name, place in self._layout.places.items() if name in table
        }
        return Observation(t_ns, readings, hand=hand)

    def _right(self, place: PlaceSpec, content: Any) -> Reading:
        """A place read without an error. Most of a table stays as it was: what was read of it last is shared."""
        known = self._last.get(place.name)
        if known is None or known[0] != content:
            known = self._last[place.name] = (content, self._read(place, content, self._error(place), False))
        return known[1]

    def _error(self, place: PlaceSpec) -> float:
        return self._noise.heap_error if place.kind is Kind.HEAP else self._noise.slot_error

    def _read(self, place: PlaceSpec, content: Any, error: float, wrong: bool) -> Reading:
        if content == UNKNOWN:
            return Reading(place.name, place.kind, {}, occluded=True)
        parts = dict(split(place.kind, content))
        if place.kind is Kind.HEAP:
            return self._read_heap(place, parts, error, wrong)
        slip = self._random.choice(list(parts)) if wrong else None
        tables = {
            part: self._table(self._values[place.name].get(part, (value,)), value, error, part == slip)
            for part, value in parts.items()
        }
        if place.kind is Kind.CELL and tables["colour"][None] > math.log(0.5):
            tables.pop("face", None)
        return Reading(place.name, place.kind, tables)

    def _table(
        self, values: Sequence[Hashable], true: Hashable, error: float, wrong: bool
    ) -> Mapping[Hashable, float]:
        seen = true
        if wrong:
            others = [value for value in values if value != true]
            seen = self._random.choice(others) if others else true
        return slot_table(values, seen, error)

    def _read_heap(self, place: PlaceSpec, parts: Mapping[str, Any], error: float, wrong: bool) -> Reading:
        counts = {colour: int(parts.get(colour, 0)) for colour in place.holds}
        if wrong:
            colour = self._random.choice(list(counts))
            counts[colour] = max(0, counts[colour] + self._random.choice((-1, 1)))
        share = error / max(len(counts), 1)
        tables: dict[str, Mapping[Hashable, float]] = {}
        for colour, count in counts.items():
            tables[colour] = heap_table(count, share)
        return Reading(place.name, place.kind, tables)


@lru_cache(maxsize=4096)
def slot_table(values: Sequence[Hashable], seen: Hashable, error: float) -> Mapping[Hashable, float]:
    """Log-probabilities of a part that was read as `seen`. The result is shared."""
    low = math.log(error / max(len(values) - 1, 1))
    return {**dict.fromkeys(values, low), seen: math.log(1 - error)}


@lru_cache(maxsize=1024)
def heap_table(count: int, error: float) -> Mapping[Hashable, float]:
    """Log-probabilities of a count that was read. The result is shared."""
    table: dict[Hashable, float] = {value: math.log(error) - abs(value - count) for value in range(MOST_IN_HEAP + 1)}
    table[count] = math.log(1 - error)
    return table


def _alphabet(place: PlaceSpec, layout: Layout) -> dict[str, tuple[Hashable, ...]]:
    """What each part of a place could be."""
    holds = tuple(place.holds)
    if place.kind is Kind.COUNTER:
        return {"value": tuple(range(STONE_MAX + 1))}
    if place.kind is Kind.PILE:
        return {"top": (None, *holds)}
    if place.kind is Kind.CELL:
        faces = sorted({face for each in layout.places.values() for face in each.faces})
        return {"colour": (None, *holds), "face": tuple(faces)}
    if place.kind is Kind.PLATE:
        return {"present": (True, False), **{str(index): holds for index in range(4)}}
    if place.kind is Kind.CHIP:
        pairs = tuple(tuple(sorted((one, other))) for one in holds for other in holds if one < other)
        return {"value": (None, "face-down", *((each,) for each in holds), *pairs)}
    return {"value": (None, *holds)}
