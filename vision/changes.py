"""Which of many small patches changed since they were last looked at, however slowly."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

SMALL = 4
"""Patches are compared at 4 × 4, where a camera's noise averages out."""
CHANGED_SPOT = 11
CHANGED_MEAN = 2.4
"""Levels (of 255) by which one spot, or all spots together, must differ; a black tile on black print does."""

NEVER_SEEN = -1000


class Changes:
    """Remembers what patches looked like when they last changed."""

    def __init__(self) -> None:
        self._last: NDArray[np.int16] | None = None

    def since_last(self, patches: Image, remember: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """(N,) which of the patches (N, n, n, 3) changed. Those are remembered as they are now: all of them, or where
        `remember` says so."""
        count, side = patches.shape[:2]
        column = np.ascontiguousarray(patches).reshape(count * side, side, 3)
        small = cv2.resize(column, (SMALL, count * SMALL), interpolation=cv2.INTER_AREA)
        now = np.asarray(small, dtype=np.int16).reshape(count, -1)
        if self._last is None or self._last.shape != now.shape:
            self._last = np.full_like(now, NEVER_SEEN)
        differs = np.abs(now - self._last)
        changed = (differs.max(axis=1) > CHANGED_SPOT) | (differs.mean(axis=1) > CHANGED_MEAN)
        kept = changed if remember is None else changed & remember
        self._last[kept] = now[kept]
        return np.asarray(changed)

    def forget(self) -> None:
        """Take everything for changed next time."""
        self._last = None
