"""Reads the single pieces of a refill, such as plates and chips: which of those that may come lies on each place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

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
GUESSES = 3
"""Of more ways than this in which pieces may have been shared out, none is thought through: what follows will tell."""
UNTOLD = (UNKNOWN, float("inf"))
"""What is said of a place of which nothing can be told."""


@dataclass(frozen=True, slots=True)
class DealReading:
    """What a refill seems to have brought."""

    contents: Mapping[str, Any]
    margin: float
    """How much better the contents are than the next best, at the place where that is closest."""


def read_choices(
    evidence: Evidence, request: DealRequest, table: Callable[[], Mapping[str, Any]]
) -> list[DealReading]:
    """The likeliest single pieces; none while one of them has not come, several where more have come to lie elsewhere
    than are missing: one may have come from a stack. A place that cannot be seen is known from how it looked before,
    or stays unknown, and a piece that was taken at once from how it lay there, or where it went."""
    seen, bare, hidden = _seen(evidence, request)
    gone = _gone_elsewhere(evidence, request, table()) if bare else []
    lay = {place: _lay_there(evidence, place, request.choices[place]) for place in bare}
    seen.update({place: found for place, found in lay.items() if found is not None and found[1] >= CLEAR})
    rest = [place for place in bare if place not in seen]
    shown = {place: _shown_before(evidence, place, request.choices[place]) for place in rest}
    if any(shown.values()) and len(_gone_elsewhere(evidence, request, table(), FIRM, has_like=False)) < len(bare):
        # What lay there was seen, and where it went is not plain yet.
        for place, before in shown.items():
            found = lay[place] or before
            if found is not None:
                seen[place] = found
    for place in bare:
        if place in seen and seen[place][0] in gone:
            gone.remove(seen[place][0])
    rest = [place for place in rest if place not in seen]
    contents = {place: content for place, (content, _) in seen.items()}
    margin = min((lead for _, lead in seen.values()), default=float("inf"))
    if rest and not gone:
        # Taken at once, and lying so that nobody can tell which they were.
        unread = _come_unread(evidence, request, table())
        over = unread & set(rest) or set(rest if len(rest) == len(unread) else ())
        contents.update(dict.fromkeys(over, UNKNOWN))
        rest = [place for place in rest if place not in over]
    if rest:
        ways = list(combinations(gone, len(rest)))
        if len(ways) > GUESSES:
            return []
        return [
            DealReading({**contents, **_shared_among(evidence, rest, pieces)}, min(margin, CLEAR)) for pieces in ways
        ]
    if len(hidden) == 1 and not bare:
        # One that has only moved may have its like under the sleeve, but mostly it has not.
        gone = _gone_elsewhere(evidence, request, table(), has_like=False)
        if len(gone) == 1:
            contents[hidden[0]] = gone[0]
    readings = [DealReading(contents, margin)]
    if len(seen) == len(request.choices) and not hidden:
        # One may have been taken at once, and what lies there now have come after it.
        gone = _gone_elsewhere(evidence, request, table(), CLEAR, has_like=False)
        if len(gone) == 1 and gone[0] not in contents.values():
            ways = _where_glimpsed(evidence, request, gone[0])
            readings += [DealReading({**contents, place: piece}, CLEAR) for place, piece in ways[:GUESSES]]
    return readings


def _seen(evidence: Evidence, request: DealRequest) -> tuple[dict[str, tuple[Any, float]], list[str], list[str]]:
    """What lies on the places of a refill and how far that leads, those on which nothing lies, and those that cannot
    be seen and are not known from before."""
    seen: dict[str, tuple[Any, float]] = {}
    bare: list[str] = []
    hidden: list[str] = []
    for place, options in request.choices.items():
        is_fresh = evidence.is_fresh(place)
        least = TOLD if is_fresh and _is_open(evidence, place, options[0]) else CLEAR
        found = _told(evidence.of, evidence.kinds[place], place, options, least)
        if not is_fresh and (found is None or found[1] < TOLD):
            hidden.append(place)
            found = UNTOLD
        elif found is not None and least == TOLD and _tells_nothing(evidence, place, options):
            found = UNTOLD
        if found is None:
            bare.append(place)
        else:
            seen[place] = found
    return seen, bare, hidden


def _tells_nothing(evidence: Evidence, place: str, options: Sequence[Any]) -> bool:
    """Whether a place looks hardly more like any content that may come to it than like none of them: then its look
    tells nothing, however often it is the same."""
    reading = evidence.reading(place)
    parts = {} if reading is None else reading.parts
    for part, table in parts.items():
        brought = {dict(split(evidence.kinds[place], option)).get(part, Missing) for option in options}
        likely = max((score for value, score in table.items() if value in brought), default=0.0)
        other = max((score for value, score in table.items() if value not in brought), default=0.0)
        if abs(likely - other) >= FAINT:
            return False
    return bool(parts)


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
        return sum(evidence.bygone.was_caught(key, value) for key, value in parts), sum(looked)

    return dict(zip(places, max(permutations(pieces), key=caught), strict=True))


def _where_glimpsed(evidence: Evidence, request: DealRequest, piece: Any) -> list[tuple[str, Any]]:
    """The places to which a refill may have brought a piece that is elsewhere by now, and how it lay there, turned or
    not: where most of it was glimpsed."""

    def parts_at(place: str, option: Any) -> list[tuple[Key, Hashable]]:
        return [((place, part), value) for part, value in split(evidence.kinds[place], option)]

    def values(place: str, option: Any) -> Counter[Hashable]:
        return Counter(value for _, value in parts_at(place, option))

    ways = [
        (place, option) for place, options in request.choices.items() for option in options
        if values(place, option) == values(place, piece)
    ]
    glimpsed = [sum(evidence.bygone.passed(*part) for part in parts_at(*way)) for way in ways]
    return [way for way, most in zip(ways, glimpsed, strict=True) if most == max(glimpsed)]


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
        option for option, each in parts
        if all(evidence.bygone.passed((place, part), value) == 1.0 for part, value in each)
    ]
    return (shown[0], CLEAR) if len(shown) == 1 else None


def _gone_elsewhere(
    evidence: Evidence, request: DealRequest, table: Mapping[str, Any], least: float = ARRIVED, has_like: bool = True
) -> list[Any]:
    """The pieces of a refill that have come to lie on other places of the same kind, by so much evidence, and lay on
    none before. One that lay elsewhere has only moved; where nothing else came it may have its like in the supply, and
    counts unless `has_like` says otherwise."""
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
    found = dealt or come if has_like else dealt
    return [next(option for option, parts in options if parts == piece) for piece in found]


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
