"""Whether a print has changed on a board where prints are read, though the cards look alike from afar: one red tile in
place of another differs by a few dark strokes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.rectify import Matrix

STEP_PX = 4
"""Width of the squares of which the brightness is compared."""
CHANGED_LEVELS = 20.0
"""One that differs by more than this shows something else."""
CHANGED_SQUARES = 4
"""So many of them are a stroke of a print."""

Bright = NDArray[np.uint8]


class FinePrint:
    """Remembers what some pieces looked like when they were last read."""

    def __init__(self, outlines_px: Mapping[str, Matrix], size_px: tuple[int, int]) -> None:
        width, height = size_px
        self._boxes: dict[str, tuple[slice, slice]] = {}
        for name, outline in outlines_px.items():
            low = np.clip(np.floor(outline.min(axis=0)).astype(int), 0, None)
            high = np.minimum(np.ceil(outline.max(axis=0)).astype(int), (width, height))
            if (high - low >= STEP_PX).all():
                self._boxes[name] = (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))
        self._read: dict[str, Bright] = {}

    def changed(self, image: Image) -> list[str]:
        """The pieces on which a print differs from the one that was last read."""
        return [
            name for name, then in self._read.items()
            if np.count_nonzero(cv2.absdiff(self._look(name, image), then) > CHANGED_LEVELS) >= CHANGED_SQUARES
        ]

    def note(self, image: Image, pieces: Collection[str]) -> None:
        """These pieces are read now."""
        self._read.update({name: self._look(name, image) for name in self._boxes if name in pieces})

    def _look(self, name: str, image: Image) -> Bright:
        """The brightest channel: any card is bright in it, and print is not."""
        part = image[self._boxes[name]]
        size = (part.shape[1] // STEP_PX, part.shape[0] // STEP_PX)
        small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
        return np.asarray(small.max(axis=2), np.uint8)
