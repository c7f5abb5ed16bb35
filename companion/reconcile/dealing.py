"""Reads a refill from the evidence: the likeliest contents of every place that the supply allows."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from operator import getitem
from typing import Any

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
from companion.reconcile.parts import Key, Missing, table_from_parts
from engine.types import UNKNOWN, DealRequest
from vision.reading import Kind, split

CLEAR = 8.0
"""Evidence at which something counts as having come."""
TOLD = 2.0
"""Evidence at which one of several contents counts as told."""
ARRIVED = 4.0
"""Evidence at which a piece counts as having come to lie elsewhere: where looks come all the time, two of them."""
FIRM = 16.0
"""Evidence at which a piece lies elsewhere whatever it seemed to be where it came from."""
FAINT = 1.0
"""What one look says for a content counts for nothing below this."""
TRIES = 400


@dataclass(frozen=True, slots=True)
class DealReading:
    """What a refill seems to have brought."""

    contents: Mapping[str, Any]
    margin: float
    """How much better the contents are than the next best, at the place where that is closest."""


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


def _clearness(shown: Shown, place: str, names: tuple[str, ...]) -> float:
    """How clearly something has come to a place: all its kinds of pieces together speak against an empty one."""
    return sum(max(shown((place, name)).values(), default=0.0) for name in names)


def read_deals(
    evidence: Evidence, request: DealRequest, table: Callable[[], Mapping[str, Any]]
) -> list[DealReading]:
    """The likeliest deals, best first; none when no contents can be told from the readings. `table` tells what lay on
    the table just before; it is asked only when something was taken at once."""
    chosen = read_choices(evidence, request, table)
    if chosen is None:
        return []
    return [
        DealReading({**chosen.contents, **pieces.contents}, min(chosen.margin, pieces.margin))
        for pieces in read_heaps(evidence, request, table)
    ]


def read_choices(
    evidence: Evidence, request: DealRequest, table: Callable[[], Mapping[str, Any]]
) -> DealReading | None:
    """The likeliest single pieces; None while one of them has not come. A place that cannot be seen is known from how
    it looked before, or stays unknown, and a piece that was taken at once from how it lay there, or where it went."""
    contents: dict[str, Any] = {}
    margin = float("inf")
    bare: list[str] = []
    hidden: list[str] = []
    for place, options in request.choices.items():
        if not evidence.is_fresh(place):
            found = _told(evidence.of, evidence.kinds[place], place, options, CLEAR)
            if found is None or found[1] < TOLD:
                hidden.append(place)
                contents[place] = UNKNOWN
            else:
                contents[place] = found[0]
                margin = min(margin, found[1])
            continue
        least = TOLD if _is_open(evidence, place, options[0]) else CLEAR
        found = _told(evidence.of, evidence.kinds[place], place, options, least)
        if found is None:
            bare.append(place)
            continue
        if least == TOLD and _is_faint(evidence, place, options):
            contents[place] = UNKNOWN
            continue
        contents[place], lead = found
        margin = min(margin, lead)
    gone = _gone_elsewhere(evidence, request, table()) if bare else []
    lay = {place: _lay_there(evidence, place, request.choices[place]) for place in bare}
    for place, found in lay.items():
        if found is not None and found[1] >= CLEAR:
            contents[place], lead = found
            margin = min(margin, lead)
            if found[0] in gone:
                gone.remove(found[0])
    rest = [place for place in bare if place not in contents]
    shown = {place: _shown_before(evidence, place, request.choices[place]) for place in rest}
    if any(shown.values()) and len(_gone_elsewhere(evidence, request, table(), FIRM)) < len(bare):
        # What lay there was seen, and where it went is not plain yet.
        for place, before in shown.items():
            found = lay[place] or before
            if found is None:
                continue
            contents[place], lead = found
            margin = min(margin, lead)
            rest.remove(place)
            if found[0] in gone:
                gone.remove(found[0])
    if rest and not gone:
        # Taken at once, and lying so that nobody can tell which they were.
        unread = _come_unread(evidence, request, table())
        over = unread & set(rest) or set(rest if len(rest) == len(unread) else ())
        contents.update(dict.fromkeys(over, UNKNOWN))
        rest = [place for place in rest if place not in over]
    if rest:
        if len(rest) != len(gone):
            return None
        contents.update(_shared_among(evidence, rest, gone))
        margin = min(margin, CLEAR)
    if len(hidden) == 1 and not bare:
        gone = _gone_elsewhere(evidence, request, table())
        if len(gone) == 1:
            contents[hidden[0]] = gone[0]
    return DealReading(contents, margin)


def _is_faint(evidence: Evidence, place: str, options: Sequence[Any]) -> bool:
    """Whether a place looks hardly more like any content that may come to it than like none of them: then its look
    tells nothing, however often it is the same."""
    reading = evidence.reading(place)
    brought: dict[str, set[Hashable]] = {}
    for option in options:
        for part, value in split(evidence.kinds[place], option):
            brought.setdefault(part, set()).add(value)
    parts = {} if reading is None else reading.parts
    return bool(parts) and all(
        abs(
            max((each for value, each in table.items() if value in brought.get(part, ())), default=0.0)
            - max((each for value, each in table.items() if value not in brought.get(part, ())), default=0.0)
        ) < FAINT
        for part, table in parts.items()
    )


def _lay_there(evidence: Evidence, place: str, options: Sequence[Any]) -> tuple[Any, float] | None:
    """What most spoke for on a place that is bare by now, and how far that leads; None where nothing did."""
    if _is_open(evidence, place, options[0]):
        return None
    return _told(lambda key, value: evidence.peak(key).get(value, 0.0), evidence.kinds[place], place, options, CLEAR)


def _shared_among(evidence: Evidence, places: Sequence[str], pieces: Sequence[Any]) -> dict[str, Any]:
    """On which of some places each of as many pieces lay that are elsewhere by now, by any glimpse of them there and by
    how they looked. Where nobody caught one, it makes no difference any more: all of them have been taken."""

    def caught(way: Iterable[Any]) -> tuple[int, float]:
        parts = [
            ((place, part), value)
            for place, piece in zip(places, way, strict=True) for part, value in split(evidence.kinds[place], piece)
        ]
        looked = (evidence.peak(key).get(value, 0.0) for key, value in parts)
        return sum(evidence.was_caught(key, value) for key, value in parts), sum(looked)

    return dict(zip(places, max(permutations(pieces), key=caught), strict=True))


def _told(
    score: Callable[[Key, Hashable], float], kind: Kind, place: str, options: Sequence[Any], least: float
) -> tuple[Any, float] | None:
    """The likeliest of several contents of a place and how far it leads; None when nothing has come there."""
    scored = sorted(
        ((sum(score((place, part), value) for part, value in split(kind, option)), index)
         for index, option in enumerate(options)),
        reverse=True,
    )
    if not scored or scored[0][0] < least:
        return None
    return options[scored[0][1]], scored[0][0] - scored[1][0] if len(scored) > 1 else float("inf")


def _shown_before(evidence: Evidence, place: str, options: Sequence[Any]) -> tuple[Any, float] | None:
    """The one content that a place was seen to show for some looks before it was bare; None where there is none, or
    more than one."""
    parts = [(option, split(evidence.kinds[place], option)) for option in options]
    shown = [
        option for option, each in parts if all(evidence.passed((place, part), value) == 1.0 for part, value in each)
    ]
    return (shown[0], CLEAR) if len(shown) == 1 else None


def _gone_elsewhere(
    evidence: Evidence, request: DealRequest, table: Mapping[str, Any], least: float = ARRIVED
) -> list[Any]:
    """The pieces of a refill that have come to lie on other places of the same kind, by so much evidence, and lay on
    none before."""
    kinds = {evidence.kinds[place] for place in request.choices}
    # Only pieces that the supply still holds count, which no misreading of a single part looks like.
    shown = {
        place: content for place, content in _come(evidence, table, least).items()
        if evidence.kinds[place] in kinds and place not in request.choices
    }
    come = [dict(split(evidence.kinds[place], content)) for place, content in shown.items() if content is not None]
    moved = [
        dict(split(evidence.kinds[place], table[place])) for place, content in shown.items()
        if content is None and table[place] not in (None, UNKNOWN)
    ]
    # Compared part by part: the colours of a chip have no order.
    options = [(option, dict(split(evidence.kinds[place], option)))
               for place, each in request.choices.items() for option in each]
    come = [piece for piece in come if any(parts == piece for _, parts in options)]
    dealt = list(come)
    for piece in moved:
        if piece in dealt:
            dealt.remove(piece)
    # One that lay elsewhere has only moved; where nothing else came, it may have its like in the supply.
    return [next(option for option, parts in options if parts == piece) for piece in dealt or come]


def _come_unread(evidence: Evidence, request: DealRequest, table: Mapping[str, Any]) -> set[str]:
    """The places of the same kind, on which nothing lay, that show a piece as no refill can bring it: it was turned
    over after it had been taken."""
    kinds = {evidence.kinds[place] for place in request.choices}
    options = [
        dict(split(evidence.kinds[place], option)) for place, each in request.choices.items() for option in each
    ]
    found = set()
    for place, content in _come(evidence, table, ARRIVED).items():
        parts = {} if content is None else dict(split(evidence.kinds[place], content))
        is_new = bool(parts) and all(evidence.expected((place, part)) is None for part in parts)
        if is_new and evidence.kinds[place] in kinds and parts not in options:
            found.add(place)
    return found


def _come(evidence: Evidence, table: Mapping[str, Any], least: float) -> dict[str, Any]:
    """What places show that look otherwise than before, by so much evidence."""
    surprises = {key: value for key, (value, _) in evidence.surprises(least).items()}
    return table_from_parts(evidence.kinds, table, surprises)


def _is_open(evidence: Evidence, place: str, option: Any) -> bool:
    """Whether nothing was expected of a place: then its content is only to be told, not to be told from another."""
    kind = evidence.kinds[place]
    return all(evidence.expected((place, part)) is Missing for part, _ in split(kind, option))


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
        place: ranked_contents(evidence.values, place, request.places[place], names)
        for place in request.places if place not in bare
    }
    best: dict[str, dict[str, int]] = {place: options[0][1] for place, options in ranked.items()}
    lead = min(map(_lead, ranked.values()), default=float("inf"))
    if bare:
        taken = already_taken(evidence, request, table())
        ways = shared_out(evidence.peak, taken, {place: request.places[place] for place in bare}, CLEAR)
        whole = [{**best, **contents} for _, contents in ways]
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
        return _holding(taken, best, bare, doubtful, request, lead) + seen
    return seen


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


def _lead(options: list[tuple[float, dict[str, int]]]) -> float:
    """How much better the first content is than the second."""
    return options[0][0] - options[1][0] if len(options) > 1 else float("inf")
