"""Which places can be seen: since when, in how many looks, and which have not been seen since the table was doubted."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

BLIND_LOOKS = 7.5
"""A place that was out of sight in so many independent looks in a row will not be seen soon."""
COVERED_S = 2.0
"""A place that was covered for less than this counts as having lain open all the time."""
MOST_COVERED = 64
"""How many of the looks are remembered in which a place was covered."""
CLUTTER_LOOKS, CLUTTER_S = 40, 10.0
"""What covers a place for so many looks, and for so long, is no hand."""


class Sight:
    """What is known of each place's being seen, whatever it shows."""

    def __init__(self) -> None:
        self._in_a_row: dict[str, int] = {}
        """In how many looks in a row a place was seen; below zero, in how many it could not be."""
        self._seen_ns: dict[str, int] = {}
        self._open_ns: dict[str, int] = {}
        """Since when a place has lain open, before it was covered if it is now …"""
        self._covered_ns: dict[str, int] = {}
        """… and since when something has been seen to cover it."""
        self._look_ns = array("q")
        """When each look came."""
        self._hidden_ns = defaultdict[str, deque[int]](lambda: deque(maxlen=MOST_COVERED))
        """When each place was covered, look by look."""
        self._last_ns: int | None = None
        self._fresh_ns = 0
        """Places seen at or after this moment were seen in this look or the one before."""
        self.weight = 1.0
        """How much the last look counted."""
        self._unchecked: dict[str, int] = {}
        """Places that are to be looked at anew because the table was doubted, and in how many looks each still is."""

    def _note_covered(self, places: Iterable[str], now_ns: int) -> None:
        for place in places:
            self._covered_ns.setdefault(place, now_ns)
            self._hidden_ns[place].append(now_ns)
            self._in_a_row[place] = min(self._in_a_row.get(place, 0), 0) - 1

    def _note_seen(self, places: Iterable[str], now_ns: int) -> None:
        seen = dict.fromkeys(places, now_ns)
        # Most places have lain open for long, and there are many in every look.
        for place in [place for place in self._covered_ns if place in seen]:
            if (now_ns - self._covered_ns.pop(place)) / 1e9 >= COVERED_S:
                self._open_ns[place] = now_ns
        if not seen.keys() <= self._open_ns.keys():
            self._open_ns = {**seen, **self._open_ns}
        self._seen_ns.update(seen)

    def _note_checked(self, places: Iterable[str]) -> None:
        if not self._unchecked:
            return
        for place in places:
            left = self._unchecked.pop(place, 0) - 1
            if left > 0:
                self._unchecked[place] = left

    def check_anew(self, looks: int) -> None:
        """The table could not be followed for a while: each place is to be seen again in so many looks."""
        self._unchecked = dict.fromkeys(self._in_a_row, looks)

    def unchecked(self) -> list[str]:
        """The places that have not been seen again since the table was doubted, and may still be."""
        return [place for place in self._unchecked if not self.is_blind(place)]

    def is_blind(self, place: str) -> bool:
        """Whether a place has long been out of sight, such as one behind a tall tile: nobody can wait for it."""
        return -self._in_a_row.get(place, 0) * self.weight >= BLIND_LOOKS

    def is_cluttered(self, places: Sequence[str]) -> bool:
        """Whether all that is covered has been so for long: by a glass, or a stone beside its place, and no hand."""
        last = self._last_ns or 0
        return bool(places) and all(
            -self._in_a_row.get(place, 0) >= CLUTTER_LOOKS and self.unseen_s(place, last) >= CLUTTER_S
            for place in places
        )

    def hidden(self) -> list[str]:
        """The places that cannot be seen just now, though not for long: anything may have been laid there."""
        return [place for place, looks in self._in_a_row.items() if looks < 0 and not self.is_blind(place)]

    def hidden_among(self, places: Iterable[str]) -> list[str]:
        """Those of some places that cannot be seen just now."""
        in_a_row = self._in_a_row
        return [place for place in places if in_a_row.get(place, 0) < 0]

    def covered(self) -> list[str]:
        """The places that cannot be seen just now, be it for a moment or for long."""
        return [place for place, looks in self._in_a_row.items() if looks < 0]

    def is_fresh(self, place: str) -> bool:
        """Whether the place was visible in this look or the one before."""
        return self._seen_ns.get(place, -1) >= self._fresh_ns

    def in_sight(self, place: str) -> int:
        """In how many looks in a row a place has been seen; none where it is hidden now."""
        return max(0, self._in_a_row.get(place, 0))

    def hidden_looks(self, place: str) -> int:
        """In how many looks in a row a place could not be seen; none where it is seen now."""
        return max(0, -self._in_a_row.get(place, 0))

    def seen_between(self, place: str, since_ns: int, until_ns: int) -> int:
        """In how many looks a place was seen, from one moment until another."""
        looks = bisect_left(self._look_ns, until_ns) - bisect_left(self._look_ns, since_ns)
        return looks - sum(since_ns <= each < until_ns for each in self._hidden_ns.get(place, ()))

    def unseen_s(self, place: str, now_ns: int) -> float:
        """For how long a place has not been seen."""
        return (now_ns - self._seen_ns[place]) / 1e9 if place in self._seen_ns else math.inf

    def open_s(self, place: str, now_ns: int) -> float:
        """For how long a place has lain open."""
        return (now_ns - self._open_ns[place]) / 1e9 if place in self._open_ns else 0.0
