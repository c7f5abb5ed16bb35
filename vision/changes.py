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


def shrink(patches: Image) -> NDArray[np.int16]:
    """(N, 1, SMALL² · 3): patches (N, n, n, 3) as they are compared."""
    count, side = patches.shape[:2]
    if not count:
        return np.zeros((0, 1, SMALL * SMALL * 3), dtype=np.int16)
    column = np.ascontiguousarray(patches).reshape(count * side, side, 3)
    small = cv2.resize(column, (SMALL, count * SMALL), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.int16).reshape(count, 1, -1)


def quarters_of(views: Image) -> Image:
    """(4 N, n / 2, n / 2, 3): the quarters of views (N, n, n, 3), row by row; the last row and column of odd ones are
    left out."""
    count, half = len(views), views.shape[1] // 2
    quarters = views[:, : 2 * half, : 2 * half].reshape(count, 2, half, 2, half, 3).transpose(0, 1, 3, 2, 4, 5)
    return np.asarray(quarters.reshape(4 * count, half, half, 3), dtype=np.uint8)


def differ(now: NDArray[np.int16], then: NDArray[np.int16]) -> NDArray[np.bool_]:
    """(N,) which of shrunk patches (N, parts, …) are not the same, in any of their parts."""
    apart = np.abs(now - then)
    parts = apart.reshape(-1, apart.shape[2])
    unlike = (parts.max(axis=1) > CHANGED_SPOT) | (parts.sum(axis=1, dtype=np.int32) > CHANGED_MEAN * parts.shape[1])
    return np.asarray(unlike.reshape(apart.shape[:2]).any(axis=1))


class Changes:
    """Remembers what patches looked like when they last changed."""

    def __init__(self) -> None:
        self._last: NDArray[np.int16] | None = None

    def since_last(self, patches: Image) -> NDArray[np.bool_]:
        """(N,) which of the patches (N, n, n, 3) changed; those are remembered as they are now."""
        now = shrink(patches)
        if self._last is None or self._last.shape != now.shape:
            self._last = np.full_like(now, NEVER_SEEN)
        changed = differ(now, self._last)
        self._last[changed] = now[changed]
        return changed

    def forget(self) -> None:
        """Take everything for changed next time."""
        self._last = None
