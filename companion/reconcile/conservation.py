"""What lay on places that were emptied before anybody saw them well: pieces are conserved, so what has come to lie
elsewhere can have come from nowhere else."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from companion.reconcile.evidence import Evidence
from companion.reconcile.parts import Key
from engine.types import DealRequest
from vision.reading import Kind

BRANCHES = 6
"""How many contents of each place are tried."""
MOST_UNSEEN = 2
"""Of how many places that nobody saw filled the contents can be told from where they went."""
MOST_GUESSED = 2
"""How many pieces that lie under others, and that nobody ever saw, may be any."""
TOLD_LOOKS = 2
"""In so many looks a piece must have lain where it went."""

Heap = dict[str, int]
Shown = Callable[[Key], Mapping[Hashable, float]]
"""What speaks for each value of a part."""


def compositions(total: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """All ways to share `total` pieces among that many kinds."""
    if kinds == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, kinds - 1):
            yield (first, *rest)


def spoken_for(values: Mapping[Hashable, float], count: int) -> float:
    """What has spoken for a count; a count nobody ever saw is as bad as the best seen one is good."""
    return 0.0 if count == 0 else values.get(count, -max(values.values(), default=0.0))


def already_taken(
    evidence: Evidence, request: DealRequest, table: Mapping[str, Any], tops: bool = False
) -> Heap:
    """The pieces that have come to the table elsewhere since `table`; with `tops` those on top of piles, too."""
    taken: Heap = {}
    for (place, part), value in evidence.repeated(TOLD_LOOKS).items():
        if place in request.places:
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
    ways = list(_ways(shown, taken, places, counts))
    return heapq.nlargest(BRANCHES, ways, key=lambda way: way[0])


def _glimpse(shown: Shown, place: str, names: Mapping[str, int]) -> float:
    return max((score for name in names for score in shown((place, name)).values()), default=0.0)


def _ways(
    shown: Shown, left: Heap, places: Sequence[str], counts: Mapping[str, int]
) -> Iterator[tuple[float, dict[str, Heap]]]:
    place, rest = places[0], places[1:]
    names = [name for name in left if left[name]]
    options = []
    for numbers in compositions(counts[place], len(names)):
        heap = {name: number for name, number in zip(names, numbers, strict=True) if number}
        if all(number <= left[name] for name, number in heap.items()):
            score = sum(spoken_for(shown((place, name)), heap.get(name, 0)) for name in names)
            options.append((score, heap))
    if not rest:
        yield from ((score, {place: heap}) for score, heap in options)
        return
    for score, heap in heapq.nlargest(BRANCHES, options, key=lambda option: option[0]):
        remaining = {name: left[name] - heap.get(name, 0) for name in left}
        for more, contents in _ways(shown, remaining, rest, counts):
            yield score + more, {place: heap, **contents}
