"""Which pieces of a table look otherwise than when they were last read, so that only those are read again.

A move touches one board, a disc or two and the middle; looking at small pictures of all pieces costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.pose import Camera, PiecePose
from vision.rectify import Matrix
from vision.stillness import STEP_PX as FINE_PX

Floats = NDArray[np.float32]

STEP_PX = 2 * FINE_PX
"""Distance of the points that are compared, each the mean of a few around it."""
MARGIN_POINTS = 1
"""Around a piece so much is looked at too: a nudged board, a tile that hangs over."""
BLUR_POINTS = (5, 5)
"""So many points, at half the distance, make up the mean: about a tile."""
CHANGED_LEVELS = 5.0
"""A point differs that changed by more than this once the light is levelled: a tile changes several by thrice that."""
SAME_LIGHT, MOST_LEVELLED = 0.05, 0.12
"""Light that changes by so much at once, or by so much in all, makes everything look new."""
GAIN_STEP, SLACK_LEVELS = 17, np.float32(8.0)
"""Every so manieth point is used to tell the light; and how little the dark ones say about it."""
CHANNELS = 4
"""Four bytes are moved at once, three are not: the fourth is always the same."""
_LEVELS = np.arange(256, dtype=np.float32)[:, None]
_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def outline_px(camera: Camera, pose: PiecePose, tallest_mm: float) -> Matrix:
    """(8, 2) the corners of a piece in the picture, on its face and as high as anything on it can be."""
    return np.concatenate([camera.project(pose.points_mm(_SQUARE, height)) for height in (0.0, tallest_mm)])


def area_outline_px(camera: Camera, polygon_px: Matrix, tallest_mm: float) -> Matrix:
    """The same for an area of the table."""
    ground = camera.to_plane(polygon_px)
    raised = camera.project(np.column_stack([ground, np.full(len(ground), tallest_mm)]))
    return np.concatenate([polygon_px, raised])


class TouchedPieces:
    """Remembers what every piece looked like when it was last read."""

    def __init__(self, outlines_px: Mapping[str, Matrix], size_px: tuple[int, int]) -> None:
        width, height = size_px
        self._shape = (height // STEP_PX, width // STEP_PX)
        every = np.arange(self._shape[0] * self._shape[1])[::GAIN_STEP]
        rows, columns = np.divmod(every, self._shape[1])
        self._some = 4 * rows * self._shape[1] + 2 * columns
        """The points, row by row among the samples of a frame, from which its light is told."""
        self._points = {name: self._inside(outline) for name, outline in outlines_px.items()}
        self._layout()
        self._stale = dict.fromkeys(self._points, True)
        """Which pieces are to be read whatever they look like."""
        self._then = np.zeros((len(self._every), CHANNELS), dtype=np.float32)
        """(points, CHANNELS): what the points of all pieces looked like when their pieces were last read."""
        self._before: Floats | None = None
        self._level = np.ones(3, dtype=np.float32)
        """How bright the frame before was, on the whole, against the first one."""

    def _layout(self) -> None:
        """Put the points of all pieces into one row, so that one look serves all."""
        sizes = [len(points) for points in self._points.values()]
        stops = np.cumsum(sizes).tolist()
        self._spans = {
            name: slice(stop - size, stop) for name, size, stop in zip(self._points, sizes, stops, strict=True)
        }
        every = np.concatenate([*self._points.values(), np.zeros(0, dtype=np.intp)])
        rows, columns = np.divmod(every, self._shape[1])
        self._every = 4 * rows * self._shape[1] + 2 * columns

    def since_read(self, samples: Image) -> list[str]:
        """The pieces to read anew, from samples of a frame. They are taken to be read now."""
        now = self._levelled(samples)
        changed = np.asarray(cv2.absdiff(now, self._then)) > CHANGED_LEVELS
        touched = [name for name, span in self._spans.items() if self._stale[name] or changed[span].any()]
        for name in touched:
            self._then[self._spans[name]] = now[self._spans[name]]
            self._stale[name] = False
        return touched

    def _levelled(self, samples: Image) -> Floats:
        """(points, CHANNELS): the points of all pieces, were the frame as bright on the whole as the first one. Slow
        changes of light pass unnoticed that way; after a quick one everything is read anew."""
        small = np.asarray(cv2.blur(samples, BLUR_POINTS), dtype=np.uint8).reshape(-1, 3)
        some = small[self._some].T.astype(np.float32)
        if self._before is not None:
            gain = middle_gain(some, self._before).ravel()
            self._level = self._level * gain
            if np.abs(gain - 1.0).max() > SAME_LIGHT:
                self.forget()
            if np.abs(self._level - 1.0).max() > MOST_LEVELLED:
                self.forget()
                self._level = np.ones(3, dtype=np.float32)
        self._before = some
        pixels = cv2.cvtColor(small[None], cv2.COLOR_BGR2BGRA).view(np.uint32).ravel().take(self._every)
        curves = np.concatenate([_LEVELS / self._level, _LEVELS], axis=1)[None]
        levelled = cv2.LUT(pixels.view(np.uint8).reshape(1, -1, CHANNELS), curves)
        return np.asarray(levelled, dtype=np.float32).reshape(-1, CHANNELS)

    def forget(self) -> None:
        """All pieces are read anew next time."""
        self._stale = dict.fromkeys(self._stale, True)

    def move(self, outlines_px: Mapping[str, Matrix]) -> None:
        """Some pieces lie elsewhere now; they are read anew next time."""
        known = {name: self._then[span] for name, span in self._spans.items()}
        for name, outline in outlines_px.items():
            self._points[name] = self._inside(outline)
            self._stale[name] = True
            known[name] = np.zeros((len(self._points[name]), CHANNELS), dtype=np.float32)
        self._layout()
        self._then = np.concatenate([known[name] for name in self._points])

    def _inside(self, outline_px: Matrix) -> NDArray[np.intp]:
        """The points of the small picture on and around a piece."""
        mask = np.zeros(self._shape, np.uint8)
        hull = cv2.convexHull((outline_px / STEP_PX).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
        reach = 2 * MARGIN_POINTS + 1
        return np.flatnonzero(cv2.dilate(mask, np.ones((reach, reach), np.uint8)))


def middle_gain(now: Floats, then: Floats) -> Floats:
    """(channels, 1): how much brighter one look (channels, N) is than another, on the whole."""
    # Sorting a few numbers is cheaper than asking numpy for their median, and the mean of the middle few is finer.
    ratios = np.ascontiguousarray((now + SLACK_LEVELS) / (then + SLACK_LEVELS))
    ratios.sort(axis=1)
    less = int(ratios.shape[1] * 0.45)
    return np.asarray(ratios[:, less : ratios.shape[1] - less].mean(axis=1, keepdims=True), dtype=np.float32)
