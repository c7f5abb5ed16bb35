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
_PRICES = np.array([[price] for _, price in SHADES[1:]], dtype=np.float32)
_MOST = np.float32(PEAK_LOG_DENSITY - FLOOR_LOG_DENSITY)
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
        self.empty = empty
        """The view of the empty place."""
        self.spots = _spots(empty)
        self._wanted = empty.reshape(-1, 3)[self.spots]
        near = np.ones((3, 3), np.uint8)
        low = cv2.addWeighted(cv2.erode(empty, near), SPREAD, empty, 1 - SPREAD, 0.0)
        high = cv2.addWeighted(cv2.dilate(empty, near), SPREAD, empty, 1 - SPREAD, 0.0)
        self._low, self._high = (
            np.stack([_lower(look, shade, slack) for shade, _ in SHADES]).reshape(len(SHADES), -1, 3)
            for look, slack in ((low, -SLACK_LEVELS), (high, SLACK_LEVELS))
        )
        """(shades, pixels, 3): the range of levels in which each pixel is the empty place, in each depth of shadow."""
        self._numbers = np.arange(self._low.shape[1], dtype=np.intp).reshape(empty.shape[:2])

    def light(self, pixels: Image) -> Light:
        """The most frequent ratio over spots of the place: tiles cover less than half of it."""
        return match_light(pixels, self._wanted)

    def log_densities(self, view: Image, box: Box = WHOLE) -> Floats:
        """The best over a few depths of shadow."""
        low, high = (bound[0].reshape(*self._numbers.shape, 3)[box] for bound in (self._low, self._high))
        blue, green, red = cv2.split(cv2.max(cv2.subtract(low, view), cv2.subtract(view, high)))
        strange = np.flatnonzero(cv2.max(cv2.max(blue, green), red))
        logs = np.full(view.shape[:2], PEAK_LOG_DENSITY, dtype=np.float32)
        if not len(strange):
            return logs
        spots = self._numbers[box].ravel()[strange]
        pixels = view.reshape(-1, 3).take(strange, axis=0)
        above = cv2.subtract(pixels, self._high[0].take(spots, axis=0))
        apart = cv2.max(cv2.subtract(self._low[0].take(spots, axis=0), pixels), above)
        brighter, costs = _cost(above), np.minimum(_cost(apart), _MOST)
        # What is brighter than it was empty is no more like it in a shadow.
        shaded = np.flatnonzero(brighter + _PRICES[0] < costs)
        if len(shaded):
            spots, pixels = spots.take(shaded), np.tile(pixels.take(shaded, axis=0), (len(SHADES) - 1, 1))
            below = cv2.subtract(self._low[1:].take(spots, axis=1).reshape(-1, 3), pixels)
            above = cv2.subtract(pixels, self._high[1:].take(spots, axis=1).reshape(-1, 3))
            darker = _cost(cv2.max(below, above)).reshape(len(SHADES) - 1, -1) + _PRICES
            costs[shaded] = np.minimum(costs[shaded], darker.min(axis=0))
        logs.ravel()[strange] -= costs
        return logs


class CoveredBackground(ReferenceBackground):
    """A place that was never seen empty because something lay there: whatever is seen there now, it is not empty."""

    def __init__(self, around: Image, covered: NDArray[np.bool_]) -> None:
        super().__init__(around)
        self._covered = covered

    def log_densities(self, view: Image, box: Box = WHOLE) -> Floats:
        """As what is known around it."""
        logs = super().log_densities(view, box)
        logs[self._covered[box]] = FLOOR_LOG_DENSITY
        return logs


def _cost(apart: Any) -> Floats:
    """(N,): what it costs in log density to be levels (N, 3) apart."""
    levels = apart.astype(np.float32)
    return np.asarray(np.einsum("ni,ni->n", levels, levels) * _HALF_PRECISION, dtype=np.float32)


def _lower(image: NDArray[Any], shade: float, slack: int) -> NDArray[np.uint8]:
    return np.asarray(np.clip(image.astype(np.float32) * shade + slack, 0, 255), dtype=np.uint8)


def _spots(image: Image) -> NDArray[np.intp]:
    count = image.shape[0] * image.shape[1]
    return np.linspace(0, count - 1, min(count, _LIGHT_SPOTS)).astype(np.intp)
