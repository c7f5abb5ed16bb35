"""Reads a refill from the evidence: the likeliest contents of every place that the supply allows."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from operator import getitem
from typing import Any

from companion.reconcile.choosing import CLEAR, DealReading, read_choices
from companion.reconcile.conservation import (
    BRANCHES,
    Shown,
    already_taken,
    compositions,
    holding,
    shared_out,
    spoken_for,
)
from companion.reconcile.evidence import Evidence
from engine.types import DealRequest
from vision.reading import Kind

TRIES = 400
FIRMLY = 32.0
"""A heap of which so much speaks for the likeliest content, and it leads the next by as much, was seen well: a sleeve
of one colour never looks so."""
ALIKE, GLIMPSED = 3.0, 4.0
"""Of several contents that lie no farther apart than this, the one that was plainly seen before leads by so much."""


def ranked_contents(shown: Shown, place: str, count: int, names: tuple[str, ...]) -> list[tuple[float, dict[str, int]]]:
    """The likeliest contents of one heap that hold `count` pieces, best first."""
    seen = tuple(name for name in names if shown((place, name))) or names[:1]
    values = [shown((place, name)) for name in seen]
    scores = [[spoken_for(each, number) for number in range(count + 1)] for each in values]
    scored = [
        (sum(map(getitem, scores, counts)), counts) for counts in compositions(count, len(seen))
    ]
    best = heapq.nlargest(BRANCHES, scored, key=lambda item: item[0])
    return [
        (score, {name: number for name, number in zip(seen, counts, strict=True) if number}) for score, counts in best
    ]


def _as_glimpsed(
    evidence: Evidence, place: str, names: tuple[str, ...], options: list[tuple[float, dict[str, int]]]
) -> list[tuple[float, dict[str, int]]]:
    """The contents of a heap with the one first that was seen whole before, where nothing else tells which of them it
    is: a piece that nobody can tell any more lies there still."""
    best = options[0][0]
    alike = [content for score, content in options if score > best - ALIKE]
    seen = [
        content for content in alike
        if all(evidence.age((place, name), number, 0)[0] or evidence.bygone.passed((place, name), number)
               for name, number in content.items())
    ]
    if len(alike) < 2 or len(seen) != 1:
        return options
    if any(evidence.lead((place, name)) > 0 for name in names if name not in seen[0]):
        # Too many were counted: that was not seen whole.
        return options
    return [(best + GLIMPSED, seen[0]), *(option for option in options if option[1] != seen[0])]


def _clearness(shown: Shown, place: str, names: tuple[str, ...]) -> float:
    """How clearly something has come to a place: all its kinds of pieces together speak against an empty one."""
    return sum(max(shown((place, name)).values(), default=0.0) for name in names)


def read_deals(
    evidence: Evidence, request: DealRequest, table: Callable[[], Mapping[str, Any]]
) -> list[DealReading]:
    """The likeliest deals, best first; none when no contents can be told from the readings. `table` tells what lay on
    the table just before; it is asked only when something was taken at once."""
    choices = read_choices(evidence, request, table)
    heaps = read_heaps(evidence, request, table) if choices else []
    return [
        DealReading({**chosen.contents, **pieces.contents}, min(chosen.margin, pieces.margin))
        for pieces, chosen in product(heaps, choices)
    ]


def unseen_heaps(evidence: Evidence, request: DealRequest) -> list[str]:
    """The heaps of a refill in which nobody saw anything lie: what came to them is known only from where it went."""
    names = tuple(request.supply)
    return [
        place for place, count in request.places.items()
        if count and max(_clearness(shown, place, names) for shown in (evidence.values, evidence.peak)) < CLEAR
    ]


def read_heaps(
    evidence: Evidence, request: DealRequest, table: Callable[[], Mapping[str, Any]]
) -> list[DealReading]:
    """The likeliest loose pieces of every heap; several where it cannot be told in which of them some pieces lay that
    were taken at once, or what lay beside them on the one that nobody saw filled and is under others now."""
    if any(evidence.kinds.get(place) is not Kind.HEAP for place in request.places):
        return []
    names = tuple(request.supply)
    filled = [place for place, count in request.places.items() if count]
    bare = [place for place in filled if _clearness(evidence.values, place, names) < CLEAR]
    ranked = {
        place: _as_glimpsed(
            evidence, place, names, ranked_contents(evidence.values, place, request.places[place], names)
        )
        for place in request.places if place not in bare
    }
    best: dict[str, dict[str, int]] = {place: options[0][1] for place, options in ranked.items()}
    lead = min(map(_lead, ranked.values()), default=float("inf"))
    if bare:
        taken = already_taken(evidence, request, table())
        ways = shared_out(evidence.peak, taken, {place: request.places[place] for place in bare}, CLEAR)
        firm = _firmly_seen(evidence, request, bare)
        whole = [{**best, **contents} for _, contents in ways if all(contents[each] == firm[each] for each in firm)]
        if any(_fits(contents, request) for contents in whole):
            return [DealReading(contents, lead) for contents in whole if _fits(contents, request)]
    # What lay there before it was taken must have been seen, and that it was taken.
    unseen = [place for place in bare if _clearness(evidence.peak, place, names) < CLEAR]
    if len(unseen) > 1 or not all(map(evidence.is_fresh, bare)):
        return []
    for place in bare:
        if place in unseen:
            continue
        ranked[place] = ranked_contents(evidence.peak, place, request.places[place], names)
        best[place] = ranked[place][0][1]
        lead = min(lead, _lead(ranked[place]))
    taken = already_taken(evidence, request, table(), tops=True) if bare else {}
    if unseen:
        return _holding(taken, best, bare, unseen[0], request, lead)
    found = DealReading(best, lead) if _fits(best, request) else _next_best(ranked, request)
    seen = [] if found is None else [found]
    if any(number > sum(best[place].get(name, 0) for place in bare) for name, number in taken.items()):
        # What went elsewhere did not lie on any of them as it seemed: a sleeve over one passed for tiles.
        doubtful = min(bare, key=lambda place: _lead(ranked[place]))
        guessed = [] if _is_firm(ranked[doubtful]) else _holding(taken, best, bare, doubtful, request, lead)
        return guessed + seen
    return seen


def _firmly_seen(evidence: Evidence, request: DealRequest, bare: Sequence[str]) -> dict[str, dict[str, int]]:
    """What lay on places that are bare by now, where that was plain for a while: one misread piece among those that lie
    elsewhere does not speak against it."""
    names = tuple(request.supply)
    ranked = {place: ranked_contents(evidence.peak, place, request.places[place], names) for place in bare}
    return {place: options[0][1] for place, options in ranked.items() if _is_firm(options)}


def _holding(
    taken: Mapping[str, int], best: Mapping[str, dict[str, int]], bare: Sequence[str], unseen: str,
    request: DealRequest, lead: float,
) -> list[DealReading]:
    """The refills in which one place that is bare by now held what the others did not hold of what went elsewhere."""
    known = [best[place] for place in bare if place != unseen]
    heaps = holding(dict(taken), known, request.places[unseen], tuple(request.supply))
    guesses = [{**best, unseen: heap} for heap in heaps]
    return [DealReading(contents, min(lead, CLEAR)) for contents in guesses if _fits(contents, request)]


def _fits(contents: Mapping[str, Mapping[str, int]], request: DealRequest) -> bool:
    totals = {name: sum(heap.get(name, 0) for heap in contents.values()) for name in request.supply}
    return all(
        request.least.get(name, 0) <= totals[name] <= most for name, most in request.supply.items()
    )


def _next_best(
    ranked: Mapping[str, list[tuple[float, dict[str, int]]]], request: DealRequest
) -> DealReading | None:
    """The best allowed contents when the likeliest of each place together break the supply: only the places
    that are least sure are varied."""
    places = sorted(ranked, key=lambda place: _lead(ranked[place]))
    open_places = places[:4]
    best: tuple[float, dict[str, dict[str, int]]] | None = None
    for number, picks in enumerate(product(*(ranked[place] for place in open_places))):
        if number > TRIES * 4:
            break
        contents = {place: options[0][1] for place, options in ranked.items()}
        contents.update({place: pick[1] for place, pick in zip(open_places, picks, strict=True)})
        score = sum(pick[0] for pick in picks)
        if (best is None or score > best[0]) and _fits(contents, request):
            best = (score, contents)
    return None if best is None else DealReading(best[1], 0.0)


def _is_firm(options: list[tuple[float, dict[str, int]]]) -> bool:
    return min(options[0][0], _lead(options)) >= FIRMLY


def _lead(options: list[tuple[float, dict[str, int]]]) -> float:
    """How much better the first content is than the second."""
    return options[0][0] - options[1][0] if len(options) > 1 else float("inf")
