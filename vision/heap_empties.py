"""Which places of heaps were seen empty, where nobody took a picture of the empty table.

A place that fits the print which all discs share is empty, but a hand beside it may throw its shadow there: only what
looks the same in another frame is kept, and what fits the print better takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.heaps import HeapLook

EMPTY_SCORE = 0.9
"""Where nothing scores more than this, a region learnt in mid-game is taken for empty, and its look is kept."""
EMPTY_STRANGE_TILES = 0.3
SMALL = 0.25
SAME_LEVELS = 9.0
"""Levels (of 255) by which a spot may differ between two looks at the same empty place."""
BETTER_FIT = 0.12
"""Mean log density by which a look must fit the print better to take the place of one that was kept."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    frame: int
    small: NDArray[np.float32]


class EmptyLooks:
    """The looks that were kept, in the light of the first picture."""

    def __init__(self) -> None:
        self.views: dict[str, Image] = {}
        self._fits: dict[str, float] = {}
        self._waiting: dict[str, _Candidate] = {}

    def keep(self, place: str, view: Image, fit: float) -> None:
        """Keep a look that is known to be empty."""
        self.views[place], self._fits[place] = view, fit
        self._waiting.pop(place, None)

    def wants(self, place: str, fit: float) -> bool:
        """Whether a look that fits the print so well is worth more than what is known of its place."""
        return place not in self.views or fit > self._fits[place] + BETTER_FIT

    def offer(self, place: str, view: Image, near: NDArray[np.bool_], fit: float, frame: int) -> bool:
        """Keep a look if the place (`near`) looked the same in another frame; whether it was kept."""
        seen = np.where(near[..., None], view, np.uint8(0))
        small = cv2.resize(seen, None, fx=SMALL, fy=SMALL, interpolation=cv2.INTER_AREA).astype(np.float32)
        before = self._waiting.get(place)
        if before is not None and before.frame == frame:
            return False
        if before is None or float(np.abs(small - before.small).max()) > SAME_LEVELS:
            self._waiting[place] = _Candidate(frame, np.asarray(small, dtype=np.float32))
            return False
        self.keep(place, view, fit)
        return True


def looks_empty(seen: HeapLook) -> bool:
    """Whether a look may be that of an empty place."""
    if seen.strange_tiles > EMPTY_STRANGE_TILES:
        return False
    return all(tile.found.score <= EMPTY_SCORE for tile in seen.tiles)
