"""A person outranks the camera: what the camera shows where a person has spoken counts for nothing until it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vision.reading import Observation, Reading

LOOKS = 2
"""So many looks in a row must show something new before the camera is believed again."""


class Overruled:
    """Places with the content that a person said does not count."""

    def __init__(self) -> None:
        self._contents: dict[str, Any] = {}
        self._changed: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._contents)

    def add(self, contents: Mapping[str, Any]) -> None:
        """From now on these contents are not believed at these places."""
        self._contents.update(contents)
        for place in contents:
            self._changed.pop(place, None)

    def clear(self) -> None:
        """Believe everything again."""
        self._contents.clear()
        self._changed.clear()

    def filter(self, observation: Observation) -> Observation:
        """The observation without what was overruled; a place that has come to look otherwise is believed again."""
        if not self._contents or not observation.trusted:
            return observation
        readings: dict[str, Reading] = dict(observation.readings)
        for place, content in list(self._contents.items()):
            reading = readings.get(place)
            if reading is None or reading.occluded or not reading.parts:
                continue
            if reading.best()[0] == content:
                self._changed.pop(place, None)
                readings[place] = replace(reading, occluded=True)
                continue
            self._changed[place] = self._changed.get(place, 0) + 1
            if self._changed[place] >= LOOKS:
                del self._contents[place]
                del self._changed[place]
            else:
                readings[place] = replace(reading, occluded=True)
        return replace(observation, readings=readings)
