"""Whether a print has changed on a board where prints are read, though the cards look alike from afar: one red tile in
place of another differs by a few dark strokes. And whether it can be read at all: a camera that hunts for its focus
makes a heart of a 4."""

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
BLURRED_SHARE = 0.36
"""With less than this share of the fine detail that it had lately, no print on a board can be told."""
FORGETTING = 0.97
"""What is left of the finest detail with each reading: a patterned sleeve is gone some time."""

Bright = NDArray[np.uint8]


class FinePrint:
    """Remembers what some pieces looked like when they were last read."""

    def __init__(self, outlines_px: Mapping[str, Matrix], reference: Image) -> None:
        height, width = reference.shape[:2]
        self._boxes: dict[str, tuple[slice, slice]] = {}
        for name, outline in outlines_px.items():
            low = np.clip(np.floor(outline.min(axis=0)).astype(int), 0, None)
            high = np.minimum(np.ceil(outline.max(axis=0)).astype(int), (width, height))
            if (high - low >= STEP_PX).all():
                self._boxes[name] = (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))
        self._read: dict[str, Bright] = {}
        self._sharp = {name: _detail(reference[box]) for name, box in self._boxes.items()}

    def is_blurred(self, image: Image) -> bool:
        """Whether most of the fine detail that a piece had when it was last read is gone."""
        return any(_detail(image[box]) < BLURRED_SHARE * self._sharp[name] for name, box in self._boxes.items())

    def changed(self, image: Image) -> list[str]:
        """The pieces on which a print differs from the one that was last read."""
        return [
            name for name, then in self._read.items()
            if np.count_nonzero(cv2.absdiff(self._look(name, image), then) > CHANGED_LEVELS) >= CHANGED_SQUARES
        ]

    def note(self, image: Image, pieces: Collection[str]) -> None:
        """These pieces are read now."""
        for name in filter(self._boxes.__contains__, pieces):
            self._read[name] = self._look(name, image)
            self._sharp[name] = max(_detail(image[self._boxes[name]]), FORGETTING * self._sharp[name])

    def _look(self, name: str, image: Image) -> Bright:
        """The brightest channel: any card is bright in it, and print is not."""
        part = image[self._boxes[name]]
        size = (part.shape[1] // STEP_PX, part.shape[0] // STEP_PX)
        small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
        return np.asarray(small.max(axis=2), np.uint8)


def _detail(part: Image) -> float:
    """How much neighbours differ, as a share of their brightness; of four pixels together, whose noise is less."""
    size = (part.shape[1] // 2, part.shape[0] // 2)
    half = cv2.resize(np.ascontiguousarray(part[..., 1]), size, interpolation=cv2.INTER_AREA)
    return float(cv2.norm(cv2.Laplacian(half, cv2.CV_16S), cv2.NORM_L1)) / max(float(half.sum()), 1.0)
