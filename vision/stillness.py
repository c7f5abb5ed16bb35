"""Whether anything changed since another frame, for next to nothing: every eighth pixel, slightly blurred."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

STEP_PX = 8
CHANGED_LEVELS = 14
"""A point counts as changed when its brightness differs by more than this."""
STILL_SHARE = 0.0008
"""Up to this share of points may differ in a still scene: a tile covers about twice as many."""
SAME_SHARE = 0.0001
"""Up to this share the old readings still hold: a tile on a ground much like it changes no more than a dozen points."""

Thumbnail = NDArray[np.uint8]


def thumbnail(image: Image) -> Thumbnail:
    """(height / 8, width / 8) uint8 of the green channel."""
    return thumbnail_of(samples(image))


def thumbnail_of(few: Image) -> Thumbnail:
    """The same from the samples of a frame."""
    return np.asarray(cv2.blur(cv2.extractChannel(few, 1), (3, 3)), dtype=np.uint8)


def samples(image: Image) -> Image:
    """(height / 8, width / 8, 3): every eighth pixel."""
    height, width = image.shape[:2]
    size = (width // (2 * STEP_PX) * 2, height // (2 * STEP_PX) * 2)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)


def changed_share(now: Thumbnail, before: Thumbnail) -> float:
    """Share of points that differ; 1 when the sizes do."""
    if now.shape != before.shape:
        return 1.0
    return float(np.count_nonzero(cv2.absdiff(now, before) > CHANGED_LEVELS) / now.size)


def is_same(now: Thumbnail, before: Thumbnail) -> bool:
    """True when not even one tile can have come or gone between the two."""
    return bool(changed_share(now, before) <= SAME_SHARE)


def is_still(now: Thumbnail, before: Thumbnail) -> bool:
    """True when nothing that matters moved between the two."""
    return bool(changed_share(now, before) <= STILL_SHARE)
