"""What a heap's place looks like without tiles, and how badly each pixel fits that."""

from __future__ import annotations

from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import Light, match_light
from vision.frame import Image
from vision.heap_region import WHOLE, Box

Floats = NDArray[np.float32]

PEAK_LOG_DENSITY = -8.5
"""Of a pixel that fits the background well, on the scale of the colour models."""
FLOOR_LOG_DENSITY = -15.5
"""Of a pixel that cannot be the background."""
NOISE_LEVELS = 7.0
"""Standard deviation of a background pixel, in levels of 255, beyond its neighbourhood's own range."""
SLACK_LEVELS = 4
SPREAD = 0.4
"""How far towards its neighbours' look a pixel may be, from small errors of position."""
SHADES = ((1.0, 0.0), (0.9, 0.8), (0.8, 1.8), (0.7, 3.0), (0.6, 4.5))
"""Shadows: how much darker, in levels, and what that costs in log density."""
_LIGHT_SPOTS = 400
_HALF_PRECISION = np.float32(0.5 / NOISE_LEVELS**2)


class Background(Protocol):
    """The look of an empty place."""

    missing: float
    """How likely it is that a tile of one colour goes unseen against it."""

    spots: NDArray[np.intp]
    """The pixels of a view, row by row, from which its light is judged."""

    def light(self, pixels: Image) -> Light:
        """The light that makes a view comparable, from its pixels (N, 3) at the spots."""
        ...

    def log_densities(self, view: Image, box: Box = WHOLE) -> Floats:
        """(height, width): how well each pixel of a view, or of a part of one, in the reference light fits the empty
        place."""
        ...


class ReferenceBackground:
    """The place as it was seen empty; a pixel may look like any of its neighbours there, and lie in a shadow."""

    missing = 0.001

    def __init__(self, empty: Image) -> None:
        self.spots = _spots(empty)
        self._wanted = empty.reshape(-1, 3)[self.spots]
        near = np.ones((3, 3), np.uint8)
        low = cv2.addWeighted(cv2.erode(empty, near), SPREAD, empty, 1 - SPREAD, 0.0)
        high = cv2.addWeighted(cv2.dilate(empty, near), SPREAD, empty, 1 - SPREAD, 0.0)
        self._ranges = [
            (_lower(low, shade, -SLACK_LEVELS), _lower(high, shade, SLACK_LEVELS), cost) for shade, cost in SHADES
        ]

    def light(self, pixels: Image) -> Light:
        """The most frequent ratio over spots of the place: tiles cover less than half of it."""
        return match_light(pixels, self._wanted)

    def log_densities(self, view: Image, box: Box = WHOLE) -> Floats:
        """The best over a few depths of shadow."""
        low, high, _ = self._ranges[0]
        blue, green, red = cv2.split(cv2.max(cv2.subtract(low[box], view), cv2.subtract(view, high[box])))
        strange = np.flatnonzero(cv2.max(cv2.max(blue, green), red))
        logs = np.full(view.shape[:2], PEAK_LOG_DENSITY, dtype=np.float32)
        if not len(strange):
            return logs
        pixels = view.reshape(-1, 3).take(strange, axis=0)
        spots = np.arange(low.shape[0] * low.shape[1]).reshape(low.shape[:2])[box].ravel()[strange]
        least = np.full(len(pixels), PEAK_LOG_DENSITY - FLOOR_LOG_DENSITY, dtype=np.float32)
        for low, high, price in self._ranges:
            below = cv2.subtract(low.reshape(-1, 3).take(spots, axis=0), pixels)
            above = cv2.subtract(pixels, high.reshape(-1, 3).take(spots, axis=0))
            apart = cv2.max(below, above).astype(np.float32)
            np.minimum(least, np.einsum("ni,ni->n", apart, apart) * _HALF_PRECISION + np.float32(price), out=least)
        logs.ravel()[strange] -= least
        return logs


def _lower(image: NDArray[Any], shade: float, slack: int) -> NDArray[np.uint8]:
    return np.asarray(np.clip(image.astype(np.float32) * shade + slack, 0, 255), dtype=np.uint8)


def _spots(image: Image) -> NDArray[np.intp]:
    count = image.shape[0] * image.shape[1]
    return np.linspace(0, count - 1, min(count, _LIGHT_SPOTS)).astype(np.intp)
