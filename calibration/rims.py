"""Finds discs and round printed fields of a known size anywhere on a table, by their rims alone.

Seen from straight above a disc is a circle, and the light changes straight across its rim all the way round. How
strongly hardly matters: a pale disc on a pale table counts as much as a dark one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.pose import Camera
from vision.rectify import Matrix

AROUND_MM = 300.0
"""Discs are looked for so far around the boards."""
SIZES = (0.95, 0.975, 1.0, 1.025, 1.05)
"""The camera is not known well yet, so that a disc may look a little larger or smaller than it is."""
CLEAR_CHANGE = 2.0
"""A change of lightness or colour across a rim, in levels a millimetre, that is half as good as the strongest."""
LEAST_SUPPORT = 0.4
LEAST_OF_BEST = 0.6
"""The discs of a game look alike: what is much fainter than the clearest is a cup or a mat."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rim:
    """A circle of a disc's size on the table."""

    middle_mm: tuple[float, float]
    support: float
    """How much of the rim is seen, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class _Above:
    """The table from straight above, a pixel a millimetre."""

    picture: Image
    in_sight: NDArray[np.bool_]
    """(height, width): what the camera shows."""
    origin_mm: Matrix


@dataclass(frozen=True, slots=True)
class Round:
    """What is looked for: a disc, or a round field that is printed on a board."""

    across_mm: float
    height_mm: float
    """Above the table."""


def find_rims(picture: Image, camera: Camera, wanted: Round, boards: Sequence[Matrix], most: int) -> list[Rim]:
    """The clearest circles of one size, none on a board, clearest first."""
    above = _from_above(picture, camera, wanted.height_mm, boards)
    support = np.where(above.in_sight, _support(above.picture, wanted.across_mm / 2), np.float32(0.0))
    for board in boards:
        outline = np.rint(camera.to_plane(board) - above.origin_mm).astype(np.int32)
        cv2.fillPoly(support, [outline], (0.0,))
    found: list[Rim] = []
    while len(found) < most:
        row, column = np.unravel_index(int(support.argmax()), support.shape)
        seen = float(support[row, column])
        if seen < max(LEAST_SUPPORT, LEAST_OF_BEST * found[0].support if found else 0.0):
            break
        left_mm, top_mm = above.origin_mm
        found.append(Rim((float(left_mm + column), float(top_mm + row)), seen))
        cv2.circle(support, (int(column), int(row)), round(0.85 * wanted.across_mm), (0.0,), -1)
    return found


def _from_above(picture: Image, camera: Camera, height_mm: float, boards: Sequence[Matrix]) -> _Above:
    height, width = picture.shape[:2]
    corners = camera.to_plane([[0, 0], [width, 0], [width, height], [0, height]])
    reach = np.concatenate([camera.to_plane(board) for board in boards])
    low = np.maximum(corners.min(axis=0), reach.min(axis=0) - AROUND_MM)
    high = np.minimum(corners.max(axis=0), reach.max(axis=0) + AROUND_MM)
    grid_x, grid_y = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
    points = np.column_stack([grid_x.ravel(), grid_y.ravel(), np.full(grid_x.size, height_mm)])
    pixels = (camera.project(points) - 0.5).astype(np.float32).reshape(*grid_x.shape, 2)
    flat = cv2.remap(picture, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    in_sight = ((pixels >= 0) & (pixels <= (width - 1, height - 1))).all(axis=-1)
    return _Above(np.asarray(flat, dtype=np.uint8), np.asarray(in_sight), low)


def _support(picture: Image, radius_px: float) -> Floats:
    """(height, width): how much of a circle around each pixel has the light changing straight across it."""
    along, across = _directions(picture)
    best = np.zeros(along.shape, dtype=np.float32)
    for size in SIZES:
        ring_along, ring_across = _ring(radius_px * size)
        one = cv2.filter2D(along, -1, ring_along, borderType=cv2.BORDER_CONSTANT)
        other = cv2.filter2D(across, -1, ring_across, borderType=cv2.BORDER_CONSTANT)
        best = np.asarray(cv2.max(best, cv2.add(one, other)), dtype=np.float32)
    return best


def _directions(picture: Image) -> tuple[Floats, Floats]:
    """The way the light changes at each pixel, as cosine and sine of twice its angle: lighter inside or lighter outside
    is the same. Long where the change is clear, but never longer than 1."""
    lab = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2Lab).astype(np.float32), (0, 0), 1.2)
    right, down = (np.asarray(cv2.Scharr(lab, cv2.CV_32F, *step)) / 32.0 for step in ((1, 0), (0, 1)))
    strongest = (right**2 + down**2).argmax(axis=-1)[..., None]
    x, y = (np.take_along_axis(each, strongest, axis=-1)[..., 0] for each in (right, down))
    square = x**2 + y**2
    length = np.sqrt(square)
    scale = 1.0 / np.maximum(length * (length + CLEAR_CHANGE), 1e-6)
    return ((x**2 - y**2) * scale).astype(np.float32), (2 * x * y * scale).astype(np.float32)


def _ring(radius_px: float) -> tuple[Floats, Floats]:
    """A thin circle, with the cosine and the sine of twice each angle, summing to 1 where all agree."""
    reach = math.ceil(radius_px) + 3
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float64)
    weight = np.exp(-0.5 * (np.hypot(x, y) - radius_px) ** 2)
    weight /= weight.sum()
    angle = 2 * np.arctan2(y, x)
    return (weight * np.cos(angle)).astype(np.float32), (weight * np.sin(angle)).astype(np.float32)
