"""All the pixels that a reading needs, fetched from a frame in one call for each piece.

A frame has millions of pixels; the places of a table need a few ten thousand of them. Each piece lists the points it
wants (fractions of the piece at a height above it); the atlas knows where those lie in the picture.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
    is_fine: bool = False
    """Whether what lies there is so fine that a picture out of focus must be drawn sharper to read it."""


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
    """Where the wanted points of every piece lie, ready for one cv2.remap each; remembers what was fetched last."""

    def __init__(self, parts_px: Mapping[str, tuple[str, Matrix]]) -> None:
        self._spans: dict[str, dict[str, slice]] = {}
        """For each piece its keys, and where their points are among the piece's own."""
        self._points: dict[str, NDArray[np.float32]] = {}
        sizes: dict[str, int] = {}
        for key, (piece, points) in parts_px.items():
            start = sizes.get(piece, 0)
            sizes[piece] = start + len(points)
            self._spans.setdefault(piece, {})[key] = slice(start, sizes[piece])
        for piece, size in sizes.items():
            self._points[piece] = np.zeros((max(1, -(-size // ROW_PX)) * ROW_PX, 2), dtype=np.float32)
        self._maps: dict[str, tuple[NDArray[np.int16], NDArray[np.uint16]]] = {}
        self._fetched: dict[str, Image] = {}
        self.move(parts_px)

    def move(self, parts_px: Mapping[str, tuple[str, Matrix]]) -> None:
        """Some parts lie elsewhere now."""
        for key, (piece, points) in parts_px.items():
            self._points[piece][self._spans[piece][key]] = points - PIXEL_CENTRE
        for piece in {piece for piece, _ in parts_px.values()}:
            planes = self._points[piece].reshape(-1, ROW_PX, 2)
            first, second = cv2.convertMaps(planes[..., 0], planes[..., 1], cv2.CV_16SC2)
            self._maps[piece] = np.asarray(first, dtype=np.int16), np.asarray(second, dtype=np.uint16)

    def fetch(self, image: Image, pieces: Collection[str] | None = None) -> Mapping[str, Image]:
        """(points, 3) uint8 BGR for every key, fetched anew for some pieces or for all; points outside the picture are
        black."""
        for piece in self._spans if pieces is None else self._spans.keys() & pieces:
            flat = cv2.remap(
                image, *self._maps[piece], interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
            )
            pixels = np.asarray(flat, dtype=np.uint8).reshape(-1, 3)
            self._fetched.update({key: pixels[span] for key, span in self._spans[piece].items()})
        return dict(self._fetched)
