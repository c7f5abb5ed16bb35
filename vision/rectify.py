"""Flat views of a piece: homographies between fractions of a piece and pixels of the picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.frame import Image

Matrix = NDArray[np.float64]
"""(3, 3) float64, or points (N, 2)."""

UNIT_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])

# A recording counts pixels from the corner of the picture (the first centre is 0.5), OpenCV from the first centre.
PIXEL_CENTRE = 0.5


def homography_from(corners_px: ArrayLike) -> Matrix:
    """From fractions of a piece to pixels, given its four corners clockwise from the first."""
    corners = np.asarray(corners_px, dtype=np.float32).reshape(4, 2)
    return np.asarray(cv2.getPerspectiveTransform(UNIT_SQUARE.astype(np.float32), corners), dtype=np.float64)


def apply(matrix: Matrix, points: ArrayLike) -> Matrix:
    """Points (N, 2) through a homography."""
    flat = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    out = flat @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(out[:, :2] / out[:, 2:], dtype=np.float64)


def rectify(image: Image, matrix: Matrix, size_px: tuple[int, int], margin_fraction: float = 0.0) -> Image:
    """The piece seen from straight above as (height, width, 3), with a margin around it on all sides."""
    width, height = size_px
    span = 1.0 + 2.0 * margin_fraction
    to_fraction = np.array(
        [
            [span / width, 0.0, 0.5 * span / width - margin_fraction],
            [0.0, span / height, 0.5 * span / height - margin_fraction],
            [0.0, 0.0, 1.0],
        ]
    )
    # A picture larger than the view would alias: blur it as far as it is shrunk.
    centre = apply(matrix, [[0.5, 0.5], [0.5 + span / width, 0.5], [0.5, 0.5 + span / height]])
    step = float(min(np.linalg.norm(centre[1] - centre[0]), np.linalg.norm(centre[2] - centre[0])))
    low, high = -margin_fraction, 1.0 + margin_fraction
    left, top, source = _around(image, apply(matrix, [[low, low], [high, low], [high, high], [low, high]]), 2.0 * step)
    if step > 1.6:
        source = np.asarray(cv2.GaussianBlur(source, (0, 0), 0.4 * step), dtype=np.uint8)
    to_cv = np.array([[1.0, 0.0, -PIXEL_CENTRE - left], [0.0, 1.0, -PIXEL_CENTRE - top], [0.0, 0.0, 1.0]])
    whole = to_cv @ matrix @ to_fraction
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(source, whole, (width, height), flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)


def _around(image: Image, corners_px: Matrix, reach_px: float) -> tuple[int, int, Image]:
    """The part of a picture that holds some corners, with where it begins; the whole one where they lie outside."""
    height, width = image.shape[:2]
    left, top = np.floor(corners_px.min(axis=0) - reach_px - 2).astype(int)
    right, bottom = np.ceil(corners_px.max(axis=0) + reach_px + 2).astype(int)
    left, top, right, bottom = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    if right - left < 2 or bottom - top < 2:
        return 0, 0, image
    return int(left), int(top), image[top:bottom, left:right]
