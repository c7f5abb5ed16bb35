"""The observations of the last while, kept small, so that a correction can be followed by what was seen after it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from vision.reading import Observation

MOST_TABLES = 120
"""So many different looks of the table are kept: about two rounds."""
MOST_REPEATS = 12
"""A table that did not change is kept with so many of its moments."""


@dataclass(slots=True)
class _Look:
    observation: Observation
    moments_ns: list[int] = field(default_factory=list)


class KeptLooks:
    """Settled observations, each different table once with the moments at which it was seen."""

    def __init__(self) -> None:
        self._looks: deque[_Look] = deque(maxlen=MOST_TABLES)

    def __len__(self) -> int:
        return len(self._looks)

    def note(self, observation: Observation) -> None:
        """Keep an observation, if it can be of use later."""
        if not observation.trusted or not observation.still:
            return
        if self._looks and self._looks[-1].observation.readings is observation.readings:
            if len(self._looks[-1].moments_ns) < MOST_REPEATS:
                self._looks[-1].moments_ns.append(observation.captured_ns)
            return
        self._looks.append(_Look(observation, [observation.captured_ns]))

    def since(self, t_ns: int) -> Iterator[Observation]:
        """What was seen from a moment on."""
        for look in list(self._looks):
            for moment_ns in look.moments_ns:
                if moment_ns >= t_ns:
                    yield replace(look.observation, captured_ns=moment_ns)

    def last(self) -> Observation | None:
        """The latest settled look."""
        return self._looks[-1].observation if self._looks else None

    def clear(self) -> None:
        self._looks.clear()
