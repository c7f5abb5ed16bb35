"""Which beginnings of a run of moves are followed further: there are always more than anybody can look through."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

from companion.reconcile.candidates import Ground
from companion.reconcile.evidence import Evidence
from companion.reconcile.explanation import TIMELY, Explanation, Fit, Twin, timeliness
from companion.reconcile.parts import Change, owner_of
from companion.reconcile.under_way import Look
from vision.reading import Kind

BEAM_OF_SLIPS = 8
"""How many of the beginnings may begin with a slip: such a run is rare, and takes longest to work out."""
FIRM_PENALTY = 20.0
"""What a place where nothing more will come takes from a beginning that says otherwise of it."""
FLEETING_KINDS = (Kind.CELL, Kind.CHIP)
"""What lies there may be captured or turned over by what follows, and shows something else then."""
LOOSE_KINDS = (Kind.HEAP, Kind.PILE, Kind.COUNTER, *FLEETING_KINDS)
LOOSE_TRUST = 0.25
"""What a heap, a pile, a cell, a chip, a stone or any place that is nobody's own says of a beginning counts so much:
what follows may still take from it, add to it, move, turn or capture it."""
CLEAR = 12.0
"""What is clear is clear: more than this counts no more for a beginning, so that none comes first for being told by
many parts or looks rather than for being right."""
MOST_TIMELY = 20.0
"""Of two ways to a position, one that promises less by more than this is not the true one, whatever came first."""
CAPTURED = 0.5
"""A piece that lay where another lies now is likelier than one on a cell that nobody can see."""

SKIPPED, SKIPPED_LOOKS = 12.0, 4
"""What it takes from a beginning, for each place, that something was seen there so many looks before the last that it
tells of: what came first comes first in a run of moves."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A beginning: what has happened so far, and the ground the next step stands on."""

    ground: Ground
    steps: tuple[Any, ...] = ()
    slip: Explanation | None = None
    """A slip that nobody put right, made before the steps."""
    since: Any = None
    """The agreed position it began with, where nothing lies wrong."""
    stages: tuple[frozenset[Change], ...] = ()
    """What had changed after each of the steps."""
    untold: frozenset[str] = frozenset()
    """What the steps should have told, and could not."""
    seen: frozenset[Change] = frozenset()
    """What the table shows and the steps have brought about."""
    hushed: int = 0
    """How many of the steps show nothing at all, though another could have been made."""
    twin: Twin | None = None
    """The position it began with, where it is not the agreed one."""


@dataclass(frozen=True, slots=True)
class Grown:
    """A beginning with one more step."""

    chain: Chain
    fit: Fit
    promise: float
    """How much is to be expected of it."""


class Order:
    """When what the table shows came to be seen, and what that promises."""

    def __init__(self, evidence: Evidence, look: Look) -> None:
        surprises, self._evidence = look.surprises, evidence
        stood = {key: evidence.stood(key, value, look.now_ns) for key, (value, _) in surprises.items()}
        self._since = {key: looks for key, (looks, _) in stood.items()}
        self._may_be_since = {Change(key, surprises[key][0]): most for key, (_, most) in stood.items()}

    def promise(self, fit: Fit, chain: Chain) -> float:
        """How much is to be expected of a beginning that fits so."""
        return promise(fit, self._evidence) - SKIPPED * self._skipped_by(chain)

    def _skipped_by(self, chain: Chain) -> int:
        """On how many places something came long before the last of what a beginning tells of, that it leaves open."""
        last = min((self._may_be_since[change] for change in chain.seen), default=math.inf) + SKIPPED_LOOKS
        told = {change.key for change in changed_by(chain)}
        return len({key[0] for key, looks in self._since.items() if looks > last and key not in told})


def widest(grown: Iterable[Grown], width: int, evidence: Evidence, look: Look) -> list[Chain]:
    """The most promising beginnings, one for each position they lead to; half of them whatever they begin with, the
    others in turn from each first step: the true one may show little until all of the run is there."""
    best: dict[Any, Grown] = {}
    slips = 0
    for each in sorted(grown, key=lambda item: -item.promise):
        chain = each.chain
        way = (chain.ground.state, chain.slip is None)
        if way in best:
            if _came_rather(each, best[way], evidence, look):
                best[way] = each
            continue
        if chain.slip is not None and slips == BEAM_OF_SLIPS:
            continue
        best[way] = each
        slips += chain.slip is not None
    ranked = [each.chain for each in best.values()]
    if len(ranked) <= width:
        return ranked
    beam, others = ranked[: width // 2], dict[Any, list[Chain]]()
    for chain in ranked[width // 2 :]:
        others.setdefault((chain.slip is None, chain.twin, chain.steps[0]), []).append(chain)
    in_turn = (chain for turn in zip_longest(*others.values()) for chain in turn if chain is not None)
    beam += islice(in_turn, width - len(beam))
    return beam + _with_other_tops(beam, ranked)[:width]


def _came_rather(one: Grown, other: Grown, evidence: Evidence, look: Look) -> bool:
    """Whether of two ways to the same position the less promising one was rather seen to come in its order."""
    if other.promise - one.promise > MOST_TIMELY:
        return False
    # Where nothing speaks against one, the order is part of what it promises.
    worth, others = (
        each.promise + (TIMELY * timeliness(each.fit.explanation, evidence, look.now_ns) if each.fit.against else 0.0)
        for each in (one, other)
    )
    return worth > others


def _with_other_tops(beam: Sequence[Chain], ranked: Iterable[Chain]) -> list[Chain]:
    """The beginnings that differ from one that is followed only in what their steps left on top of a pile, or how far
    they moved a stone: nothing tells those apart before whatever was taken from there, or moved it on, is told."""
    followed = {chain.steps for chain in beam}
    looks = {_but_for_tops(chain) for chain in beam}
    return [chain for chain in ranked if chain.steps not in followed and _but_for_tops(chain) in looks]


def _but_for_tops(chain: Chain) -> tuple[Any, ...]:
    """What each step of a beginning has changed, but for stones and the piles of all."""
    kinds = chain.ground.kinds
    return chain.twin, chain.slip is None, tuple(
        frozenset(change for change in stage if not _is_passing(change.key[0], kinds[change.key[0]]))
        for stage in chain.stages
    )


def _is_passing(place: str, kind: Kind) -> bool:
    """Whether what one step leaves on a place is mostly changed by the next that has to do with it."""
    return kind is Kind.COUNTER or (kind is Kind.PILE and owner_of(place) is None)


def promise(fit: Fit, evidence: Evidence) -> float:
    """How much a beginning promises. Heaps, piles, cells and chips may still change by what follows; any other piece
    that was laid stays, and so does one on a cell to which nothing has come."""
    changed, kinds, known = evidence.changed(), evidence.kinds, evidence.known_weights
    stays = [place for place in fit.against if not is_loose(place, kinds) or _is_bare(place, kinds, changed)]
    parts: dict[str, list[float]] = {}
    for change in fit.explanation.changes:
        score, _ = known.get(change) or evidence.weighed(*change)
        place = change[0][0]
        if place in parts:
            parts[place].append(score)
        else:
            parts[place] = [score]
    for place in fit.explanation.late.intersection(parts):
        if sum(parts[place]) < 0:
            # What may come late and has not come is no objection, and promises nothing either.
            del parts[place]
    total = said = 0.0
    for place, scores in parts.items():
        of_place = scores[0] if len(scores) == 1 else sum(scores)
        total += of_place
        if kinds[place] is Kind.COUNTER:
            # Where a stone stands in the end says nothing of how far a first step moved it.
            continue
        # A place of many parts says no more of a beginning than one of a single part.
        clear = min(of_place / len(scores), CLEAR)
        if not is_loose(place, kinds):
            said += clear
        elif kinds[place] in FLEETING_KINDS and place in changed and min(scores) < 0:
            # Whatever lay there was captured or turned over: nothing tells any more which it was.
            said += CAPTURED
        else:
            said += LOOSE_TRUST * clear
    return fit.score - total + said - FIRM_PENALTY * len(stays)


def is_loose(place: str, kinds: Mapping[str, Kind]) -> bool:
    """Whether what lies on a place may be taken away, covered or captured by what follows."""
    return kinds.get(place) in LOOSE_KINDS or owner_of(place) is None


def _is_bare(place: str, kinds: Mapping[str, Kind], changed: Collection[str]) -> bool:
    """Whether nothing new shows where a piece that came would have left something."""
    return kinds[place] in FLEETING_KINDS and place not in changed


def changed_by(chain: Chain) -> frozenset[Change]:
    return chain.stages[-1] if chain.stages else frozenset()
