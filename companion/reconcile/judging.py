"""Small questions about explanations that more than one part asks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from companion.reconcile.evidence import Evidence
from companion.reconcile.explanation import Explanation, Fit
from companion.reconcile.parts import Key, Missing
from engine.types import Slip

Surprises = Mapping[Key, tuple[Hashable, float]]
"""For each part that shows something unexpected, what it shows and how strongly."""


def is_half_done(option: Explanation, evidence: Evidence, surprises: Surprises) -> bool:
    """Whether all that is surprising lies on the way to one legal move: each part is old, new or between."""
    goal = dict(option.changes)
    for key, (value, _) in surprises.items():
        old = evidence.expected(key)
        if old is Missing:
            continue
        if key not in goal:
            return False
        new = goal[key]
        between = isinstance(value, int) and isinstance(old, int) and isinstance(new, int) and (
            min(old, new) <= value <= max(old, new)
        )
        # Where one thing takes another's place, nothing lies there for a moment.
        if value != new and value is not None and not between:
            return False
    return True


def is_gain(old: Hashable, new: Hashable) -> bool:
    if isinstance(old, int) and isinstance(new, int) and not isinstance(new, bool):
        return new > old
    return old is not Missing and new not in (None, False)


def is_loss(old: Hashable, new: Hashable) -> bool:
    if isinstance(old, int) and isinstance(new, int) and not isinstance(new, bool):
        return new < old
    return new in (None, False)


def contradict(one: Explanation, other: Explanation) -> bool:
    """Whether two explanations cannot both be true: they touch the same part, and do not lead to the same table. What
    only goes on from the other is no contradiction; nor is what leads to the same table by another way, which is kept
    in mind."""
    mine, theirs = set(one.changes), set(other.changes)
    if mine == theirs:
        return False
    begun = len(other.steps)
    if begun and len(one.steps) > begun and one.steps[:begun] == other.steps and one.slips == other.slips:
        return False
    return not {change.key for change in mine}.isdisjoint(change.key for change in theirs)


def names_of(slips: Iterable[Slip]) -> frozenset[tuple[str, int | None]]:
    """What slips are called and whose they are."""
    return frozenset((slip.slug, slip.player) for slip in slips)


def told_apart(
    fits: Iterable[Fit], steps_to_tell: Callable[[Explanation], tuple[Any, ...] | None]
) -> list[Fit]:
    """Those of some explanations that a person can be offered, the first of each that is said in the same words."""
    said = dict[Any, Fit]()
    for fit in fits:
        steps = steps_to_tell(fit.explanation)
        if steps is not None:
            said.setdefault((steps, names_of(fit.explanation.slips)), fit)
    return list(said.values())


def shared(runs: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The steps with which all of some runs of moves begin."""
    first, *others = runs
    same = 0
    while same < len(first) and all(run[: same + 1] == first[: same + 1] for run in others):
        same += 1
    return first[:same]
