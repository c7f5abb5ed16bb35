"""What each part has shown and shows no longer: between two moves something else lay there."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable

from companion.reconcile.parts import Key
from companion.reconcile.peaks import PEAK_S

PASSED_LOOKS = 3
"""What a part has shown in so many looks has lain there, though something else does now …"""
GLIMPSED = 0.75
"""… and what it has clearly shown in fewer counts so much of that."""

Until = defaultdict[Key, dict[Hashable, int]]
"""For each part the values it has shown, and until when."""


class Bygone:
    """What the parts of a table have shown of late."""

    def __init__(self) -> None:
        self._passed: Until = defaultdict(dict)
        """What a part has shown for some looks …"""
        self._rested: Until = defaultdict(dict)
        """… what of that lay there with no hand about …"""
        self._gone: Until = defaultdict(dict)
        """… and what it has shown for a moment, though not in one look alone."""
        self._caught: Until = defaultdict(dict)
        """What each part looked like most, however faintly …"""
        self._glimpsed: Until = defaultdict(dict)
        """… and clearly, be it in one look."""
        self._calm_ns: deque[int] = deque(maxlen=PASSED_LOOKS)
        """The last looks in a row with no hand about."""
        self._rest_ns = self._last_ns = 0
        """When there was last no hand about for some looks, and when the last look came."""
        self._news_ns = 0
        """What has passed since this moment may be part of a move that is still to be told."""

    def look(self, now_ns: int) -> None:
        """A look begins."""
        self._last_ns = now_ns

    def note_hand(self, hand: bool) -> None:
        """The look is over, in which there was a hand about or not."""
        if hand:
            self._calm_ns.clear()
            return
        self._calm_ns.append(self._last_ns)
        if len(self._calm_ns) == PASSED_LOOKS:
            self._rest_ns = self._calm_ns[0]

    def note(self, key: Key, value: Hashable, is_clear: bool) -> None:
        """A part looks most like a value."""
        self._caught[key][value] = self._last_ns
        if is_clear:
            self._glimpsed[key][value] = self._last_ns

    def part_with(self, key: Key, value: Hashable, since_ns: int, looks: int) -> None:
        """A part no longer shows what it has shown in so many looks."""
        if looks > 1:
            self._gone[key][value] = self._last_ns
        if looks >= PASSED_LOOKS:
            self._passed[key][value] = self._last_ns
            if self._rest_ns > since_ns:
                self._rested[key][value] = self._last_ns

    def forget(self, keys: Iterable[Key]) -> None:
        """Something else is expected of some parts: what lay there before that is no news of what comes now."""
        for key in keys:
            self._passed.pop(key, None)
            self._rested.pop(key, None)

    def take_as_news(self, since_ns: int) -> None:
        """A move was agreed on that came to be seen at this moment: what had passed before it was no part of a later
        one."""
        self._news_ns = max(self._news_ns, since_ns)

    def passed(self, key: Key, value: Hashable) -> float:
        """How surely a part has shown a value of late, and something else since: 1 when it did for some looks."""
        since_ns = max(self._last_ns - PEAK_S * 1e9, self._news_ns)
        if _until(self._passed, key, value) >= since_ns:
            return 1.0
        return GLIMPSED if _until(self._glimpsed, key, value) >= since_ns else 0.0

    def was_caught(self, key: Key, value: Hashable) -> bool:
        """Whether a part looked like a value of late, if only in a single look."""
        return self.was_caught_since(key, value, self._last_ns - round(PEAK_S * 1e9))

    def was_caught_since(self, key: Key, value: Hashable, since_ns: int) -> bool:
        """Whether a part looked like a value after a moment, if only in a single look."""
        return _until(self._caught, key, value) >= since_ns

    def passing(self, key: Key, since_ns: int) -> list[Hashable]:
        """What a part has shown for some looks until after a moment, before it came to look otherwise."""
        return _after(self._passed, key, since_ns)

    def rested(self, key: Key, since_ns: int) -> list[Hashable]:
        """The same of what lay there with no hand about: nobody was still at it."""
        return _after(self._rested, key, since_ns)

    def gone(self, key: Key, since_ns: int) -> list[tuple[Hashable, int]]:
        """The same of what was there for a moment, though not in one look alone, each with when it had gone."""
        return [(value, ns) for value, ns in self._gone[key].items() if ns > since_ns] if key in self._gone else []


def _until(shown: Until, key: Key, value: Hashable) -> float:
    return shown[key].get(value, -math.inf) if key in shown else -math.inf


def _after(shown: Until, key: Key, since_ns: int) -> list[Hashable]:
    return [value for value, ns in shown[key].items() if ns > since_ns] if key in shown else []
