"""The simulated camera: a pinhole with one radial term, hung above the table so that everything fits in.

It shares no code with the camera that the readers solve: a mistake in one would otherwise hide in the other.
Table coordinates are millimetres, x to the right of the picture, y towards its lower edge, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]
"""(N, 2) or (N, 3) float64."""


@dataclass(frozen=True, slots=True)
class View:
    """How the camera hangs and what it is, before it is fitted to a table."""

    width_px: int = 1536
    height_px: int = 864
    angle_of_view_deg: float = 66.0
    """Across the width; the Pi's standard lens sees 66 degrees."""
    tilt_deg: float = 8.0
    """Between the line of sight and straight down."""
    azimuth_deg: float = 90.0
    """Where a tilted camera stands: 0 to the right of the table, 90 at the lower edge of the picture."""
    height_mm: float | None = None
    """Above the table; None hangs it as low as shows everything."""
    k1: float = -0.03
    """Radial distortion in units of the focal length: x (1 + k1 r²); negative is a barrel."""
    margin_fraction: float = 0.04
    """How much of the picture stays free around the pieces when the camera is hung by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A camera in place. Pixels are those of a recording: the centre of the top-left pixel is (0.5, 0.5)."""

    width_px: int
    height_px: int
    focal_px: float
    k1: float
    position_mm: Points
    """(3,): where the lens is."""
    axes: Points
    """(3, 3): rows are the directions right, down and forward of the picture, in table coordinates."""

    def project(self, points_mm: ArrayLike) -> Points:
        """Pixels (N, 2) of points (N, 3)."""
        inside = (np.asarray(points_mm, np.float64).reshape(-1, 3) - self.position_mm) @ self.axes.T
        flat = inside[:, :2] / inside[:, 2:]
        flat = flat * (1.0 + self.k1 * (flat**2).sum(axis=1, keepdims=True))
        return np.asarray(flat * self.focal_px + (self.width_px / 2.0, self.height_px / 2.0))

    def ground(self, pixels: ArrayLike, height_mm: float = 0.0) -> Points:
        """Table x, y (N, 2) of pixels (N, 2) that show something at one height."""
        middle = (self.width_px / 2.0, self.height_px / 2.0)
        bent = (np.asarray(pixels, np.float64).reshape(-1, 2) - middle) / self.focal_px
        flat = bent.copy()
        for _ in range(6):
            flat = bent / (1.0 + self.k1 * (flat**2).sum(axis=1, keepdims=True))
        rays = np.column_stack([flat, np.ones(len(flat))]) @ self.axes
        reach = (height_mm - self.position_mm[2]) / rays[:, 2:]
        return np.asarray(self.position_mm[:2] + rays[:, :2] * reach)

    def px_per_mm(self, x_mm: float, y_mm: float) -> float:
        """The scale of the picture around a point of the table."""
        corners = self.project([(x_mm - 5, y_mm, 0), (x_mm + 5, y_mm, 0), (x_mm, y_mm - 5, 0), (x_mm, y_mm + 5, 0)])
        return float(np.hypot(*(corners[1] - corners[0])) + np.hypot(*(corners[3] - corners[2]))) / 20.0


def hang(view: View, points_mm: ArrayLike) -> Lens:
    """Hang the camera over the middle of the points (N, 2); without a height, as low as shows them all."""
    points = np.asarray(points_mm, np.float64).reshape(-1, 2)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
    if view.height_mm is not None:
        return _at(view, middle, view.height_mm)
    raised = np.column_stack([points, np.zeros(len(points))])
    room = np.array([view.width_px, view.height_px]) * view.margin_fraction
    limit = np.array([view.width_px, view.height_px]) - room
    low, high = 100.0, 5000.0
    for _ in range(40):
        height = (low + high) / 2.0
        lens, aim = None, middle.copy()
        for _ in range(3):
            # A tilted view is lopsided: aim so that what is seen sits in the middle of the picture.
            lens = _at(view, aim, height)
            seen = lens.project(raised)
            off = (seen.min(axis=0) + seen.max(axis=0)) / 2.0 - (view.width_px / 2.0, view.height_px / 2.0)
            aim = aim + off / lens.px_per_mm(*aim)
        assert lens is not None
        seen = lens.project(raised)
        fits = bool((seen.min(axis=0) >= room).all() and (seen.max(axis=0) <= limit).all())
        low, high = (low, height) if fits else (height, high)
        if fits:
            best = lens
    return best


def _at(view: View, aim_mm: Points, height_mm: float) -> Lens:
    tilt, azimuth = math.radians(view.tilt_deg), math.radians(view.azimuth_deg)
    away = height_mm * math.tan(tilt)
    position = np.array([aim_mm[0] + away * math.cos(azimuth), aim_mm[1] + away * math.sin(azimuth), height_mm])
    forward = np.array([aim_mm[0], aim_mm[1], 0.0]) - position
    forward /= np.linalg.norm(forward)
    down = np.array([0.0, 1.0, 0.0])
    down = down - (down @ forward) * forward
    down /= np.linalg.norm(down)
    right = np.array([1.0, 0.0, 0.0])
    right = right - (right @ forward) * forward - (right @ down) * down
    right /= np.linalg.norm(right)
    focal = view.width_px / 2.0 / math.tan(math.radians(view.angle_of_view_deg) / 2.0)
    return Lens(view.width_px, view.height_px, focal, view.k1, position, np.stack([right, down, forward]))
