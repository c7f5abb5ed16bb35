"""Glances at the places of heaps: whether anything changed there, and how the light did meanwhile."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import Light
from vision.touched import middle_gain

Floats = NDArray[np.float32]

CHANGED_SPOT = 6.0
CHANGED_MEAN = 2.0
"""Levels (of 255) by which one spot of a tile's size, or all together, must differ before a region is read anew."""
SAME_LIGHT = 0.06
"""Light that changed by less leaves what did not change as it was read."""
SUDDEN_LIGHT, TRUST_MEASURED, GAMMA = 0.12, 0.25, 2.2
"""When the light was not what it was followed to be; how much a coarse measure counts; from levels to linear light."""
GAIN_STEP, GAIN_SPOTS = 5, 400
"""Every fifth spot of a glance is used to tell the light, and no more than about so many in all."""


def light_spots(weights: Floats) -> NDArray[np.intp]:
    """Some spots of a glance (height, width), row by row, that belong to its region."""
    spots = np.flatnonzero(weights)
    return np.asarray(spots[:: max(GAIN_STEP, len(spots) // GAIN_SPOTS)], dtype=np.intp)


def gain_of(now: Floats, then: Floats) -> Floats:
    """(3,) how much brighter spots (N, 3) are than they were, on the whole: what slow changes of light make of them."""
    if not len(now):
        return np.ones(3, dtype=np.float32)
    gain = middle_gain(now.T, then.T).ravel()
    return np.minimum(np.maximum(gain, np.float32(1.0 - SAME_LIGHT)), np.float32(1.0 + SAME_LIGHT))


def is_changed(apart: Floats) -> bool:
    """Whether two glances that lie so far apart show different things."""
    return bool(apart.max() > CHANGED_SPOT or cv2.mean(apart)[0] > CHANGED_MEAN)


def apart_of(now: Floats, then: Floats) -> Floats:
    """(height, width): how different two glances are about each spot; a camera's noise averages out."""
    blue, green, red = cv2.split(np.abs(cv2.blur(now - then, (3, 3))))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.float32)


def brightened(small: Floats, gain: Floats) -> Floats:
    """A glance (height, width, 3) with each channel brighter by its gain."""
    # Row by row: three numbers at a time would take thrice as long.
    height, width = small.shape[:2]
    return np.asarray((small.reshape(height, -1) * np.tile(gain, width)).reshape(small.shape), dtype=np.float32)


def carried(before: Light, gain: Floats) -> Light:
    """The light of a region that became brighter by some gain."""
    blue, green, red = (was / brighter**GAMMA for was, brighter in zip(before.gains, gain.tolist(), strict=True))
    return Light((blue, green, red))


def followed_light(before: Light, gain: Floats, measured: Light) -> Light | None:
    """The same drawn a little towards what is measured now, which is coarse. None when the two do not agree."""
    followed = []
    for was, now in zip(carried(before, gain).gains, measured.gains, strict=True):
        if abs(now / was - 1.0) > SUDDEN_LIGHT:
            return None
        followed.append(was ** (1.0 - TRUST_MEASURED) * now**TRUST_MEASURED)
    blue, green, red = followed
    return Light((blue, green, red))
