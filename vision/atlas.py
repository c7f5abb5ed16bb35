"""All the pixels that a reading needs, fetched from a frame in one call.

A frame has millions of pixels; the places of a table need a few ten thousand of them. Each piece lists the points it
wants (fractions of the piece at a height above it); the atlas knows where those lie in the picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.pose import Camera, PiecePose
from vision.rectify import PIXEL_CENTRE, Matrix, apply

ROW_PX = 512
"""Width of the picture that the points are gathered into; OpenCV wants both sides below 32768."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """Points of one piece."""

    fractions: Matrix
    """(N, 2)."""
    above_mm: NDArray[np.float64]
    """(N,) height above the piece's upper face."""


def locate(camera: Camera, pose: PiecePose, matrix: Matrix, wanted: Wanted) -> Matrix:
    """Pixels (N, 2) of wanted points: the print says where the face lies, the camera how far height moves a point."""
    base = apply(matrix, wanted.fractions)
    high = wanted.above_mm > 0
    if high.any():
        foot = camera.project(pose.points_mm(wanted.fractions[high]))
        raised = pose.points_mm(wanted.fractions[high])
        raised[:, 2] += wanted.above_mm[high]
        base[high] += camera.project(raised) - foot
    return base


class Atlas:
    """Where the wanted points of every piece lie, ready for one cv2.remap."""

    def __init__(self, parts_px: Mapping[str, Matrix]) -> None:
        self.spans: dict[str, slice] = {}
        start = 0
        for name, points in parts_px.items():
            self.spans[name] = slice(start, start + len(points))
            start += len(points)
        rows = max(1, -(-start // ROW_PX))
        self._count = start
        self._flat = np.zeros((rows * ROW_PX, 2), dtype=np.float32)
        for name, points in parts_px.items():
            self._flat[self.spans[name]] = points - PIXEL_CENTRE
        self._shape = (rows, ROW_PX)
        self._maps = self._convert()

    def move(self, parts_px: Mapping[str, Matrix]) -> None:
        """Some parts lie elsewhere now."""
        for name, points_px in parts_px.items():
            self._flat[self.spans[name]] = points_px - PIXEL_CENTRE
        self._maps = self._convert()

    def fetch(self, image: Image) -> Image:
        """(points, 3) uint8 BGR, in the order of the parts; points outside the picture are black."""
        flat = cv2.remap(image, *self._maps, interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return np.asarray(flat, dtype=np.uint8).reshape(-1, 3)[: self._count]

    def inside(self, name: str, width_px: int, height_px: int) -> NDArray[np.bool_]:
        """Which points of a piece the picture shows."""
        points = self._flat[self.spans[name]]
        return np.asarray(((points >= 0) & (points <= (width_px - 1, height_px - 1))).all(axis=1))

    def _convert(self) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        planes = self._flat.reshape(*self._shape, 2)
        first, second = cv2.convertMaps(planes[..., 0], planes[..., 1], cv2.CV_16SC2)
        return np.asarray(first, dtype=np.int16), np.asarray(second, dtype=np.uint16)
