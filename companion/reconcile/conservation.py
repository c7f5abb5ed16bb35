"""What lay on places that were emptied before anybody saw them well: pieces are conserved, so what has come to lie
elsewhere can have come from nowhere else."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from companion.reconcile.evidence import Evidence
from companion.reconcile.parts import Key
from engine.types import DealRequest
from vision.reading import Kind

BRANCHES = 6
"""How many contents of each place are tried."""
BEGINNINGS = 200
"""How many beginnings are followed from place to place: nine factories have millions of ways, and each took memory."""
MOST_UNSEEN = 2
"""Of how many places that nobody saw filled the contents can be told from where they went."""
MOST_GUESSED = 2
"""How many pieces that lie under others, and that nobody ever saw, may be any."""
TOLD_LOOKS, TOLD = 2, 2.5
"""In so many looks a piece must have lain where it went, with so much speaking for it: one that may as well be printed
on the board did not come from the bag."""

Heap = dict[str, int]
Shown = Callable[[Key], Mapping[Hashable, float]]
"""What speaks for each value of a part."""


@lru_cache(maxsize=128)
def compositions(total: int, kinds: int) -> tuple[tuple[int, ...], ...]:
    """All ways to share `total` pieces among that many kinds."""
    if kinds == 1:
        return ((total,),)
    return tuple(
        (first, *rest) for first in range(total + 1) for rest in compositions(total - first, kinds - 1)
    )


def spoken_for(values: Mapping[Hashable, float], count: int) -> float:
    """What has spoken for a count; a count nobody ever saw is as bad as the best seen one is good."""
    return 0.0 if count == 0 else values.get(count, -max(values.values(), default=0.0))


def already_taken(
    evidence: Evidence, request: DealRequest, table: Mapping[str, Any], tops: bool = False
) -> Heap:
    """The pieces that have come to the table elsewhere since `table`; with `tops` those on top of piles, too."""
    taken: Heap = {}
    for (place, part), value in evidence.repeated(TOLD_LOOKS).items():
        if place in request.places or evidence.of((place, part), value) < TOLD:
            continue
        before = table.get(place)
        if evidence.kinds[place] is Kind.HEAP and isinstance(value, int):
            fixed = (request.fixed.get(place) or {}).get(part, 0) if place in request.fixed else 0
            gain = value - (before.get(part, 0) if isinstance(before, Mapping) else 0) - fixed
            if gain > 0 and part in request.supply:
                taken[part] = taken.get(part, 0) + gain
        elif evidence.kinds[place] is Kind.SLOT and isinstance(value, str) and value in request.supply:
            taken[value] = taken.get(value, 0) + (value != before)
        elif tops and evidence.kinds[place] is Kind.PILE and isinstance(value, str) and value in request.supply:
            taken[value] = taken.get(value, 0) + (before != {"top": value})
    return taken


def holding(taken: Heap, known: Sequence[Heap], count: int, names: Sequence[str]) -> list[Heap]:
    """The heaps of `count` pieces that hold all which were taken, but for those that came from the `known` heaps; none
    where too many of them were never seen."""
    left = {name: max(0, number - sum(heap.get(name, 0) for heap in known)) for name, number in taken.items()}
    unseen = count - sum(left.values())
    if not 0 <= unseen <= MOST_GUESSED:
        return []
    return [
        {name: number for name in names if (number := left.get(name, 0) + more[name])}
        for numbers in compositions(unseen, len(names)) for more in (dict(zip(names, numbers, strict=True)),)
    ]


def shared_out(
    shown: Shown, taken: Heap, counts: Mapping[str, int], clear: float
) -> list[tuple[float, dict[str, Heap]]]:
    """The ways in which the taken pieces can have lain on some places, each holding a known number, best first. What
    was glimpsed there speaks for some; no more than a few places may not have been seen clearly at all."""
    unseen = [place for place in counts if _glimpse(shown, place, taken) < clear]
    if sum(taken.values()) != sum(counts.values()) or len(unseen) > MOST_UNSEEN:
        return []
    places = sorted(counts, key=lambda place: -_glimpse(shown, place, taken))
    ways: list[tuple[float, Heap, dict[str, Heap]]] = [(0.0, taken, {})]
    for place in places:
        grown = [
            (score + more, {name: left[name] - heap.get(name, 0) for name in left}, {**contents, place: heap})
            for score, left, contents in ways for more, heap in _options(shown, left, place, counts[place])
        ]
        ways = heapq.nlargest(BEGINNINGS, grown, key=lambda way: way[0])
    return [(score, contents) for score, _, contents in ways[:BRANCHES]]


def _glimpse(shown: Shown, place: str, names: Mapping[str, int]) -> float:
    return max((score for name in names for score in shown((place, name)).values()), default=0.0)


def _options(shown: Shown, left: Heap, place: str, count: int) -> list[tuple[float, Heap]]:
    """What can have lain on one place, of the pieces that are left, best first."""
    names = [name for name in left if left[name]]
    spoken = {name: shown((place, name)) for name in names}
    options = []
    for numbers in compositions(count, len(names)):
        heap = {name: number for name, number in zip(names, numbers, strict=True) if number}
        if all(number <= left[name] for name, number in heap.items()):
            options.append((sum(spoken_for(spoken[name], heap.get(name, 0)) for name in names), heap))
    return heapq.nlargest(BRANCHES, options, key=lambda option: option[0])
