"""The most that was ever known of a place of late: what a refill brought may be taken before the rest has come."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from companion.reconcile.parts import Key

PEAK_S = 60.0
"""For how long it is remembered what lay on a place that is filled by a refill."""
FILLED, BARE_S = 8.0, 2.0
"""Evidence at which something lies on such a place, and for how long nothing must, to be something new."""


@dataclass(frozen=True, slots=True)
class Peak:
    """All that was known of a place at one moment."""

    values: Mapping[Key, Mapping[Hashable, float]]
    """What spoke for each value of its parts."""
    total: float
    """How much spoke for anything at all."""
    t_ns: int


class Peaks:
    """What spoke for each value when most spoke for something there, of places that are filled by a refill."""

    def __init__(self, values: Mapping[Key, Mapping[Hashable, float]]) -> None:
        self._values = values
        """What speaks for each value of each part now: somebody else keeps it up to date."""
        self.watched: set[str] = set()
        self._best: dict[str, Peak] = {}
        self._filled_ns: dict[str, int] = {}
        """When something that was not expected last lay on such a place."""

    def watch(self, places: frozenset[str], now_ns: int) -> None:
        """Remember from now on the most that spoke for each value on these places, too."""
        self.restart(places - self.watched, now_ns)
        self.watched.update(places)

    def restart(self, places: Iterable[str], now_ns: int) -> None:
        """Forget what has lain on these places: the next refill brings other pieces."""
        for place in places:
            self._best[place] = self._peak_of(place, now_ns)

    def rebase(self, places: Iterable[str], now_ns: int) -> None:
        """Something else is expected on these places: what spoke against that was held against the wrong thing."""
        self.restart(self._best.keys() & places, now_ns)

    def note_filling(self, place: str, score: float, now_ns: int) -> None:
        """What has lain on a place before it was bare again is forgotten as soon as something else lies there."""
        if score < FILLED:
            return
        if now_ns - self._filled_ns.get(place, now_ns) > BARE_S * 1e9:
            self.restart((place,), now_ns)
        self._filled_ns[place] = now_ns

    def note(self, place: str, now_ns: int) -> None:
        """What was misread at one moment is not put together with what was seen at another."""
        peak, best = self._peak_of(place, now_ns), self._best.get(place)
        if best is None or peak.total >= best.total or now_ns - best.t_ns > PEAK_S * 1e9:
            self._best[place] = peak

    def of(self, key: Key, now_ns: int) -> Mapping[Hashable, float]:
        """What spoke for each value of a watched part when most spoke for something there, of late."""
        best = self._best.get(key[0])
        return {} if best is None or now_ns - best.t_ns > round(PEAK_S * 1e9) else best.values.get(key, {})

    def _peak_of(self, place: str, now_ns: int) -> Peak:
        values = {key: dict(values) for key, values in self._values.items() if key[0] == place}
        return Peak(values, sum(max(each.values()) for each in values.values()), now_ns)
