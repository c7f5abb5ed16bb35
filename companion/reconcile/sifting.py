"""A frame parted into what shows as expected, which is most of it, and what needs thought."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from companion.reconcile.parts import HEADS, WHOLE_KINDS, Key, Missing
from vision.reading import Kind, Observation, Reading

SETTLED_LOG_PROB = math.log(0.7)
"""An expected value at least this likely cannot be outdone by another: the place needs no book-keeping."""
STRANGE_LOG_PROB = math.log(0.2)
"""An expected value less likely than this is contradicted by a reading."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is expected of one place."""

    values: Mapping[str, Hashable]
    """By part."""
    default: Hashable
    """The value of a part that is not listed."""
    only: str
    """The one part that there is to be seen; empty where there are several."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """A frame, with its places parted by what they show."""

    observation: Observation
    strange: Mapping[str, Hashable]
    """The visible places that contradict what is expected and what was seen of late, with what they show."""
    seen: Mapping[str, Reading]
    """The visible places with what was read there."""
    covered: Sequence[str]
    unsettled: frozenset[str]
    """The visible places that do not clearly show what is expected."""

    @property
    def strange_share(self) -> float:
        """Which share of the visible places is strange."""
        return len(self.strange) / len(self.seen) if self.seen else 0.0


def wanted_at(kinds: Mapping[str, Kind], expected: Mapping[Key, Hashable]) -> dict[str, Wanted]:
    """What is expected, by place."""
    values: dict[str, dict[str, Hashable]] = {}
    for (place, part), value in expected.items():
        values.setdefault(place, {})[part] = value
    wanted = {}
    for place, kind in kinds.items():
        parts = values.get(place, {})
        head, absent = HEADS.get(kind, ("", None))
        only = "value" if kind in WHOLE_KINDS and "value" in parts else ""
        if head in parts and parts[head] == absent:
            only = head
        wanted[place] = Wanted(parts, 0 if kind is Kind.HEAP else Missing, only)
    return wanted


def sift(
    observation: Observation,
    wanted_by_place: Mapping[str, Wanted],
    risen: Mapping[Key, tuple[Hashable, int, int]],
    settled: dict[str, Reading],
) -> Sifted:
    """Part what a frame shows. `risen` is what has come to look otherwise before, `settled` the last reading of each
    place that showed what is expected: most of a table is not read anew from one frame to the next."""
    strange: dict[str, Hashable] = {}
    seen, covered, unsettled = dict[str, Reading](), [], set()
    for place, reading in observation.readings.items():
        if settled.get(place) is reading:
            # So it is with most of them: nothing else is asked of those.
            seen[place] = reading
            continue
        wanted = wanted_by_place.get(place)
        if wanted is None:
            continue
        if reading.occluded:
            covered.append(place)
            continue
        seen[place] = reading
        parts, values = reading.parts, wanted.values
        if wanted.only:
            base = parts[wanted.only].get(values[wanted.only])
            if base is not None and base > SETTLED_LOG_PROB:
                settled[place] = reading
                continue
        default = wanted.default
        for part, table in parts.items():
            base = table.get(values.get(part, default))
            if base is None or base <= SETTLED_LOG_PROB:
                unsettled.add(place)
                if base is not None and base < STRANGE_LOG_PROB:
                    shown = max(table, key=table.__getitem__)
                    # What has come to look so before is no news.
                    if risen.get((place, part), (Missing, 0, 0))[0] != shown:
                        strange[place] = (part, shown)
                    break
        if place not in unsettled:
            settled[place] = reading
    return Sifted(observation, strange, seen, covered, frozenset(unsettled))
