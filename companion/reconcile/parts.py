"""The parts of contents: what is compared when two tables are, and what a reading speaks of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from vision.reading import UNREADABLE, Kind, Parts, Reading, join, split

UNKNOWN = "?"
Key = tuple[str, str]
"""A place and one part of its content."""
WHOLE_KINDS = (Kind.SLOT, Kind.COUNTER)
"""Kinds of which a content has but one part, itself."""
SINGLE_KINDS = (Kind.PILE, Kind.CHIP)
"""Kinds of which a content has but one part that tells of it."""
HEADS: Mapping[Kind, tuple[str, Hashable]] = {Kind.PLATE: ("present", False), Kind.CELL: ("colour", None)}
"""Kinds of which one part tells whether the others are there at all, and what it says when they are not."""
Missing = object()
"""Stands for a part the expected content does not have, such as the face of an empty cell."""


def parts_of(kind: Kind, content: object) -> dict[str, Hashable]:
    """The parts of a content; none where it is unknown."""
    return {} if content == UNKNOWN else dict(split(kind, content))


def live_parts(reading: Reading) -> Parts:
    """The parts that mean something: spaces and faces are nothing where no plate or tile lies."""
    head, absent = HEADS.get(reading.kind, ("", None))
    table = reading.parts.get(head)
    if table is None or max(table, key=table.__getitem__) != absent:
        return reading.parts
    return {head: table}


def part_value(kind: Kind, parts: Mapping[str, Hashable], part: str) -> Hashable:
    """The value of one part: zero for a colour that a heap does not list, Missing for a part it does not have."""
    return parts.get(part, 0 if kind is Kind.HEAP else Missing)


class Change(NamedTuple):
    """One part of a place that another position would change. (A tuple, because searches compare and look up millions
    of them.)"""

    key: Key
    value: Hashable


def changes_between(
    kinds: Mapping[str, Kind], before: Mapping[str, object], after: Mapping[str, object]
) -> list[Change]:
    """The parts in which `after` (which may list fewer places) differs from `before`."""
    changes: list[Change] = []
    for place, content in after.items():
        old = before.get(place, UNKNOWN)
        if content in (old, UNKNOWN):
            continue
        kind = kinds.get(place)
        if kind is None:
            continue
        if kind in WHOLE_KINDS:
            changes.append(Change((place, "value"), content))
            continue
        if kind is Kind.HEAP and isinstance(old, Mapping) and isinstance(content, Mapping):
            # Heaps are compared most of all, in every search.
            for part in {**old, **content}:
                value = content.get(part, 0)
                if value != old.get(part, 0):
                    changes.append(Change((place, part), value))
            continue
        if kind is Kind.CELL and old is None and isinstance(content, Mapping):
            changes.append(Change((place, "colour"), content["colour"]))
            if content.get("face") is not None:
                changes.append(Change((place, "face"), content["face"]))
            continue
        if kind is Kind.PLATE and old is None and isinstance(content, Sequence):
            changes.append(Change((place, "present"), True))
            changes += [Change((place, str(index)), space) for index, space in enumerate(content)]
            continue
        if kind in SINGLE_KINDS:
            (part, value), (_, had) = _only_part(kind, content), _only_part(kind, old)
            if old == UNKNOWN or value != had:
                changes.append(Change((place, part), value))
            continue
        old_parts, new_parts = parts_of(kind, old), parts_of(kind, content)
        names = new_parts if kind is not Kind.HEAP else {**old_parts, **new_parts}
        for part in names:
            value = part_value(kind, new_parts, part)
            if value != part_value(kind, old_parts, part) or (old == UNKNOWN):
                changes.append(Change((place, part), value))
    return changes


def _only_part(kind: Kind, content: object) -> tuple[str, Hashable]:
    """The one part of a pile or a chip, and what it shows."""
    return next(split(kind, None if content == UNKNOWN else content))


def table_from_parts(
    kinds: Mapping[str, Kind], table: Mapping[str, object], values: Mapping[Key, Hashable]
) -> dict[str, object]:
    """The places of `table` that show other values in some parts, put together again as contents."""
    changed: dict[str, object] = {}
    for place in {key[0] for key in values}:
        kind = kinds[place]
        parts = parts_of(kind, table.get(place, UNKNOWN))
        parts.update({part: value for (where, part), value in values.items() if where == place})
        content = join(kind, parts)
        if content is not UNREADABLE:
            changed[place] = content
    return changed


@cache
def owner_of(place: str) -> int | None:
    """The player on whose board a place is; None for what all share."""
    head = place.partition(".")[0]
    return int(head[1:]) if head[:1] == "p" and head[1:].isdigit() else None
