"""Finds a disc near two taps by its rim: its size is known, so only its middle is looked for."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.frame import Image
from vision.layout import PieceSpec
from vision.pose import Camera, PiecePose

REACH_MM = 16.0
"""A tap may be off by a per cent of the picture; at a wide view that is a fifth of a disc."""
ANGLES = 96
PIXELS_A_MM = 2.0


@dataclass(frozen=True, slots=True)
class DiscFit:
    """Where a disc lies."""

    pose: PiecePose
    support: float
    """How clear its rim is, 0 to 1."""


def refine_disc(image: Image, camera: Camera, centre_px: tuple[float, float], piece: PieceSpec) -> DiscFit:
    """The disc whose rim is seen best within reach of a tap on its middle."""
    x_mm, y_mm = camera.to_plane([centre_px], piece.thickness_mm)[0]
    radius_mm = piece.size_mm[0] / 2.0
    half_mm = radius_mm + REACH_MM + 4.0
    size = round(2 * half_mm * PIXELS_A_MM)
    steps = (np.arange(size) + 0.5) / PIXELS_A_MM - half_mm
    grid_x, grid_y = np.meshgrid(x_mm + steps, y_mm + steps)
    points = np.column_stack([grid_x.ravel(), grid_y.ravel(), np.full(grid_x.size, piece.thickness_mm)])
    pixels = (camera.project(points) - 0.5).astype(np.float32).reshape(size, size, 2)
    flat = cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.GaussianBlur(cv2.cvtColor(flat, cv2.COLOR_BGR2Lab).astype(np.float32), (0, 0), 1.2)
    across = cv2.Scharr(lab, cv2.CV_32F, 1, 0)
    down = cv2.Scharr(lab, cv2.CV_32F, 0, 1)

    angles = np.arange(ANGLES) * (2 * math.pi / ANGLES)
    cosine, sine = np.cos(angles), np.sin(angles)
    usual = float(np.percentile(np.abs(across), 90)) + 1.0
    reach = np.arange(-REACH_MM, REACH_MM + 1e-9, 1.0 / PIXELS_A_MM)
    dx, dy = np.meshgrid(reach, reach)
    score = np.zeros(dx.shape)
    slopes = [(one.ravel(), other.ravel()) for one, other in zip(cv2.split(across), cv2.split(down), strict=True)]
    for radius in (radius_mm, radius_mm * 0.985):
        column = np.rint((reach[:, None] + radius * cosine + half_mm) * PIXELS_A_MM - 0.5).astype(np.int64)
        row = np.rint((reach[:, None] + radius * sine + half_mm) * PIXELS_A_MM - 0.5).astype(np.int64)
        at = row[:, None] * size + column[None]
        radial = np.zeros(at.shape)
        for to_right, to_front in slopes:
            np.maximum(radial, np.abs(to_right.take(at) * cosine + to_front.take(at) * sine), out=radial)
        score = np.maximum(score, (radial / (radial + usual)).mean(axis=-1))
    # A rim just as clear nearer to the tap is likelier.
    likely = score - 0.05 * (dx**2 + dy**2) / REACH_MM**2
    best_row, best_column = np.unravel_index(int(likely.argmax()), likely.shape)
    middle_x, middle_y = x_mm + dx[best_row, best_column], y_mm + dy[best_row, best_column]
    pose = PiecePose(middle_x - radius_mm, middle_y - radius_mm, 0.0, piece.size_mm, piece.thickness_mm)
    return DiscFit(pose, float(score[best_row, best_column]))
