"""Searches for what several hands did: they may be spread over looks, so that none of those has to wait for them."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

from companion.reconcile.explanation import Explanation, Fit
from companion.reconcile.judging import Surprises


@dataclass(frozen=True, slots=True)
class Look:
    """What a look showed that is not as expected, and when."""

    surprises: Surprises
    now_ns: int


Weighing = Generator[int, Look | None, list[Fit]]
"""A search as it goes on: how many runs were weighed in each part of it, and in the end what was found. It is told of
every look that comes while it is under way."""


class Search:
    """A search that can be left off and gone on with."""

    def __init__(self, weighing: Weighing) -> None:
        self._weighing = weighing
        self._found: list[Fit] | None = None
        self._is_begun = False
        self.weighed = 0
        """How many runs have been weighed."""

    def go_on(self, most: float, look: Look | None = None) -> list[Fit] | None:
        """Weigh about so many more runs, in this look; what was found, best first, once there are no more."""
        until, later = self.weighed + most, look if self._is_begun else None
        self._is_begun = True
        while self._found is None and self.weighed < until:
            try:
                self.weighed += self._weighing.send(later)
            except StopIteration as end:
                self._found = end.value
            later = None
        return self._found


def found_by(weighing: Weighing) -> list[Fit]:
    """What a search comes to that is made at once, best first."""
    return Search(weighing).go_on(math.inf) or []


class UnderWay:
    """What is being looked for from one agreed position."""

    def __init__(self) -> None:
        self.runs: Search | None = None
        """For several things in a row."""
        self.slips: tuple[list[Explanation], Search] | None = None
        """For slips after moves, with those."""
        self.is_open = False
        """Whether one of them could not be ended in this look."""

    def look_on(self, search: Search, most: float, look: Look) -> list[Fit] | None:
        """Go on with one of them; what it came to, best first, once it is over."""
        found = search.go_on(most, look)
        self.is_open |= found is None
        return found
