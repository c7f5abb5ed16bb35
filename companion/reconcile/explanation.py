"""Explanations: positions that can follow the agreed one, and how well what was seen speaks for each."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean as mean
from typing import Any

from companion.reconcile.evidence import ONE_LOOK, Evidence
from companion.reconcile.parts import Change, Key, owner_of
from engine.types import Slip
from vision.reading import Kind

SUPPORT = 1.0
"""Evidence above this speaks for a change."""
SHORTFALL = 1.5
"""A value that falls this far behind the likeliest of its part has been seen not to be there …"""
FAINTLY, MANY = 3.8, 10
"""… unless it falls behind no farther than this, and so many times as many places show the rest of the move …"""
OPEN = 5.5
"""… or no farther than this where something is to have come that is read as none: a tile on a print of its own colour
may be, though never as surely as where none lies."""

TIMELY = 5.0
"""What it adds to a run of moves that a place was seen to show for a while what it shows between two of them, and what
it takes that something was seen to come before what should have come first."""
ASIDE_LOOKS, ASIDE = 4, 0.5
"""What came so many looks before the next step was laid by itself, with nobody's hand there: that counts so much for
there having been two steps."""
EARLIER, MOST_EARLIER = 0.1, 10
"""What came too early counts the more against a run for each look, up to so many: one or two may be a misreading."""
ON_THE_WHOLE = 0.2
"""What it takes from a run of moves that most of a step came before most of the one that should have come first."""
FIRST_SEEN = 0.3
"""What it takes that a step was seen before the one that should have come first, though that may have been hidden."""
IN_ORDER = -(1 + 2 * EARLIER + FIRST_SEEN)
"""What is no less timely than this may have come about in the order in which it is told: by two looks at the most did
one thing come too early."""
APART_LOOKS = 10
"""Nobody takes so many looks longer to take up a piece than to lay it down."""
HIDDEN_SLACK = 2
"""A place that was seen otherwise so many looks after the next move had come was not changed before it …"""
SETTLED_KINDS = (Kind.SLOT, Kind.CELL, Kind.HEAP, Kind.PILE)
"""… where it is one of those that nobody brings up to date later."""
COVERED_KINDS = (Kind.PILE, Kind.CELL)
"""Where a piece is covered or captured by the next: it lay in sight until then."""
BARE_LOOKS = 2
"""Where nothing was seen to lie in so many looks in a row, nothing lies."""
LATE_MISS = 0.25
"""What a late place that has not followed yet takes from an explanation."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A position that looks like the agreed one and may be the true one: what lies below the top of a pile cannot be
    seen, nor a move that leaves every top as it was."""

    state: Any
    steps: tuple[Any, ...]
    """The moves that led to it from the position at which the two parted."""
    prior: float
    """How much less likely it is than the agreed one, as a natural logarithm."""


@dataclass(frozen=True, slots=True)
class TurnedUp:
    """A piece or two that were turned up and read, as long as they may turn out to be others."""

    state: Any
    """The position before."""
    steps: tuple[Any, ...]
    """The deal, and what was agreed on since."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One thing that may have happened since the agreed position."""

    steps: tuple[Any, ...]
    """The moves and deals, in order; empty for a slip after which nothing more happened."""
    state: Any
    """The position after the steps."""
    table: Mapping[str, Any]
    """The places that look different, with their new contents."""
    changes: tuple[Change, ...]
    slips: tuple[Slip, ...] = ()
    meant: Any = None
    """For a slip, the legal move that was most likely meant."""
    late: frozenset[str] = frozenset()
    """Places that may be brought up to date later."""
    mends: tuple[str, ...] = ()
    """Open slips (by their id) that are put right."""
    untold: frozenset[str] = frozenset()
    """Places of which one of the steps should have told the content, and could not."""
    unread: frozenset[str] = frozenset()
    """Places that were bare and on which something lies by now, whatever that is."""
    buried: frozenset[str] = frozenset()
    """Places on which something lay that others lie upon by now, so that it is not to be seen any more."""
    stages: tuple[frozenset[Change], ...] = ()
    """What had changed after each step but the last, in a run of moves."""
    prior: float = 0.0
    """How likely such a thing is before anything is seen, as a natural logarithm."""
    twin: Twin | None = None
    """The position that the steps start from, where it is not the agreed one."""

    @property
    def is_run(self) -> bool:
        """Whether more is told than one step from the agreed position."""
        return len(self.steps) > 1 or bool(self.slips) or self.twin is not None

    @property
    def every_stage(self) -> tuple[frozenset[Change], ...]:
        """What had changed after each step, the last one included."""
        return (*self.stages, frozenset(self.changes))

    @property
    def news(self) -> Iterator[frozenset[Change]]:
        """What each step changed for good, after those before it."""
        before, last = frozenset[Change](), frozenset(self.changes)
        for stage in self.every_stage:
            yield (stage & last) - before
            before |= stage


@dataclass(frozen=True, slots=True)
class Fit:
    """How well an explanation fits what was seen."""

    explanation: Explanation
    evidence: float
    """The sum of the evidence over the places in which it differs from the agreed position."""
    support: frozenset[str]
    """Places that speak for it."""
    against: frozenset[str]
    """Places that were seen and do not show what it says."""
    unseen: frozenset[str]
    """Places it changes that have not been seen well enough either way."""
    unexplained: float
    """Evidence for changes that it does not account for."""
    faint: frozenset[str] = frozenset()
    """Those of the unseen places that were seen not to show what it says, but so faintly beside all that does that it
    is no objection."""

    @property
    def score(self) -> float:
        """Evidence and prior together."""
        return self.evidence + self.explanation.prior

    @property
    def is_clean(self) -> bool:
        """Nothing that was seen speaks against it."""
        return bool(self.support) and not self.against


def weigh(
    explanation: Explanation, evidence: Evidence, surprises: Mapping[Key, tuple[Hashable, float]], now_ns: int
) -> Fit:
    """Compare an explanation with the evidence."""
    return weigh_all((explanation,), evidence, surprises, now_ns)[0]


def weigh_all(
    explanations: Iterable[Explanation],
    evidence: Evidence,
    surprises: Mapping[Key, tuple[Hashable, float]],
    now_ns: int,
) -> list[Fit]:
    """Compare explanations with the evidence, in their order."""
    to_explain = sum([score for _, score in surprises.values()])
    return [_weigh(explanation, evidence, surprises, now_ns, to_explain) for explanation in explanations]


def _weigh(
    explanation: Explanation,
    evidence: Evidence,
    surprises: Mapping[Key, tuple[Hashable, float]],
    now_ns: int,
    to_explain: float,
) -> Fit:
    total = 0.0
    explained = 0.0
    furthest: dict[str, float] = {}
    """How far each place lags behind what it shows."""
    strongest: dict[str, float] = {}
    """The most that speaks for each place."""
    late, known = explanation.late, evidence.known_weights
    for change in explanation.changes:
        key = change[0]
        place = key[0]
        score, behind = known.get(change) or evidence.weighed(*change)
        if behind > 0 and place in late:
            # A stone that has not moved yet, or stands wrong, is no objection to the move itself. Of two that are alike
            # in all else, the one that is done already comes first.
            score, behind = -LATE_MISS, 0.0
        total += score
        if place not in furthest:
            furthest[place], strongest[place] = behind, score
        else:
            if behind > furthest[place]:
                furthest[place] = behind
            if score > strongest[place]:
                strongest[place] = score
        if score > 0 and key in surprises:
            explained += min(score, surprises[key][1])
    support, against, unseen, faint = [], [], [], frozenset[str]()
    for place, behind in furthest.items():
        if behind > SHORTFALL:
            against.append(place)
        elif strongest[place] > SUPPORT:
            support.append(place)
        elif place not in late and not evidence.is_blind(place):
            unseen.append(place)
    bare = [place for place in explanation.unread if evidence.affirmations((place, "value"), None)]
    total -= len(bare) * ONE_LOOK
    if against and len(support) >= MANY * len(against) and _is_open(explanation, against, furthest, evidence):
        unseen, against, faint = [*unseen, *against], [], frozenset(against)
    for place in _outdated(explanation, against, evidence, now_ns) if against else ():
        against.remove(place)
        unseen.append(place)
        total -= sum(evidence.weighed(*change)[0] for change in explanation.changes if change.key[0] == place)
    against += [place for place in bare if evidence.affirmations((place, "value"), None) >= BARE_LOOKS]
    against += _not_buried(explanation, evidence, now_ns) if explanation.buried else ()
    if explanation.stages and not against:
        total += TIMELY * timeliness(explanation, evidence, now_ns)
    return Fit(
        explanation, total, frozenset(support), frozenset(against), frozenset(unseen), to_explain - explained, faint
    )


def _not_buried(explanation: Explanation, evidence: Evidence, now_ns: int) -> list[str]:
    """What should lie under others, and was plainly seen beside them ever since they came."""
    keys = [(place, "value") for place in explanation.buried]
    beside = [key[0] for key in keys if evidence.affirmations(key, evidence.expected(key)) >= BARE_LOOKS]
    if not beside:
        return []
    ages = [evidence.age(*change, now_ns)[0] for change in explanation.changes]
    return beside if min(filter(None, ages), default=0) >= BARE_LOOKS else []


def _is_open(
    explanation: Explanation, against: Sequence[str], furthest: Mapping[str, float], evidence: Evidence
) -> bool:
    """Whether places that do not show what an explanation says leave it open all the same."""
    come = {place for place in against if evidence.kinds[place] is Kind.SLOT and explanation.table.get(place)}
    return all(furthest[place] <= (OPEN if place in come else FAINTLY) for place in against)


def _outdated(explanation: Explanation, places: Iterable[str], evidence: Evidence, now_ns: int) -> set[str]:
    """Those of some places that are covered, and were last seen before the step came that is to have changed them: what
    they showed then says nothing of it."""
    unseen_s = {place: evidence.unseen_s(place, now_ns) for place in evidence.hidden_among(places)}
    if not unseen_s:
        return set()
    outdated = set(unseen_s)
    for new in explanation.news:
        covered = {change.key[0] for change in new}.intersection(unseen_s)
        if not covered:
            continue
        ages = [evidence.age(change.key, change.value, now_ns) for change in new if change.key[0] not in covered]
        came_s = min((seconds for looks, seconds in ages if looks), default=math.inf)
        outdated -= {place for place in covered if came_s >= unseen_s[place]}
    return outdated


def timeliness(explanation: Explanation, evidence: Evidence, now_ns: int) -> float:
    """How much of a run of moves was seen in its order: what lay on the table between two of them counts for it, and so
    does a pause between them; what came before something that should have come first, and was seen to come, counts
    against it."""
    between = frozenset[Change]().union(*explanation.stages) - frozenset(explanation.changes)
    timely = sum(evidence.bygone.passed(change.key, change.value) for change in between)
    timely -= len(_never_uncovered(explanation, between, evidence, now_ns)) if between else 0
    looks = youngest = 0
    pending = usual = seen = math.inf
    for new in explanation.news:
        stood = {change.key: evidence.stood(change.key, change.value, now_ns) for change in new}
        ages, most = {key: looks for key, (looks, _) in stood.items()}, [looks for _, looks in stood.values()]
        oldest, age = max(most, default=0), max(ages.values(), default=0)
        shown = mean(filter(None, ages.values())) if age else 0.0
        # What was under others may have come before it was seen, but mostly it has not.
        timely -= ON_THE_WHOLE * (shown > usual) or FIRST_SEEN * (shown >= seen + ASIDE_LOOKS)
        usual, seen = mean(filter(None, most)) if oldest else usual, shown or seen
        came = [most for looks, most in stood.values() if looks]
        if evidence.is_second_hand and age - min(came, default=age) >= APART_LOOKS:
            # What was agreed on long before the rest came is no part of the same move.
            timely -= 1 + EARLIER * MOST_EARLIER
        if 0 < looks < age:
            timely -= 1 + EARLIER * min(age - looks, MOST_EARLIER)
        elif pending + HIDDEN_SLACK < age:
            timely -= 1 + EARLIER * min(age - pending, MOST_EARLIER)
        timely += ASIDE * (0 < oldest <= youngest - ASIDE_LOOKS)
        looks, youngest = oldest or looks, min(ages.values(), default=youngest)
        # What lies under a sleeve cannot have come before the sleeve did.
        unseen = [place for (place, _), each in ages.items() if not each and evidence.kinds[place] in SETTLED_KINDS]
        pending = min([pending, *filter(None, map(evidence.hidden_looks, unseen))])
    return timely


def is_out_of_order(explanation: Explanation, evidence: Evidence, now_ns: int) -> bool:
    """Whether something had long lain there before anything of what should have come first: by another way this table
    may have come about, but hardly by this one."""
    looks = 0
    for new in explanation.news:
        stood = [evidence.stood(*change, now_ns) for change in new]
        if 0 < looks <= max((age for age, _ in stood), default=0) - MOST_EARLIER:
            return True
        looks = max((oldest for _, oldest in stood), default=0) or looks
    return False


def _never_uncovered(
    explanation: Explanation, between: Collection[Change], evidence: Evidence, now_ns: int
) -> set[Change]:
    """What should have shown on a pile or a cell between two steps, and was not seen there though all of the first step
    lay on the table long before anything of those after it. What a player's own pile should show counts once somebody
    else has played on: until then that player may not have laid it there."""
    hidden = {change for change in between if evidence.kinds[change.key[0]] in COVERED_KINDS}
    if not hidden or evidence.is_second_hand:
        return set()
    came_ns = [
        {change: now_ns - round(seconds * 1e9) for change in new for looks, seconds in (evidence.age(*change, now_ns),)
         if looks}
        for new in explanation.news
    ]
    found = set[Change]()
    for number, stage in enumerate(explanation.stages):
        later = [ns for each in came_ns[number + 1 :] for ns in each.values()]
        if came_ns[number] and later:
            since_ns = max(came_ns[number].values())
            own = {owner_of(change.key[0]) for change in came_ns[number]} - {None}
            found |= {
                change for change in hidden & stage
                if owner_of(change.key[0]) not in own
                and evidence.seen_between(change.key[0], since_ns, min(later)) >= ASIDE_LOOKS
                and not evidence.bygone.was_caught_since(*change, since_ns)
            }
    return found


def table_with(
    kinds: Mapping[str, Kind], table: Mapping[str, Any], deviations: Mapping[str, tuple[Any, Any]]
) -> dict[str, Any]:
    """A table as it looks while slips lie open: each deviating place shows what was really laid there.

    `deviations` gives for each place what should have lain there and what did. Heaps keep the difference, because
    further tiles may come and go; anything else shows what was laid until its rightful content changes."""
    result = dict(table)
    for place, (rightful, actual) in deviations.items():
        if place not in table:
            continue
        if kinds.get(place) is Kind.HEAP and isinstance(table[place], Mapping):
            result[place] = _shift(table[place], rightful, actual)
        elif table[place] == rightful:
            result[place] = actual
    return result


def _shift(heap: Mapping[str, int], rightful: Any, actual: Any) -> dict[str, int]:
    names = {**heap, **(rightful or {}), **(actual or {})}
    counts = {
        name: heap.get(name, 0) + (actual or {}).get(name, 0) - (rightful or {}).get(name, 0) for name in names
    }
    return {name: count for name, count in counts.items() if count > 0}
