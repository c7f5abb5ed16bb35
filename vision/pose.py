"""Where the camera hangs and where each piece lies: one camera, one table plane, pieces of known size upon it.

The table has its own millimetres: x to the right and y towards the viewer of the picture, on the plane of the table
straight below the camera, and a height that grows towards the camera. Image coordinates are pixels with the centre
of the top-left pixel at (0.5, 0.5), as in a recording.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]
"""(N, 2) or (N, 3) float64."""

FOCAL_PRIOR_WIDTHS = 0.8
"""Phones, webcams and the Pi camera see 55 to 75 degrees across: a focal length of about 0.8 image widths."""
FOCAL_PRIOR_SPREAD = 0.35
"""Standard deviation of the log of the focal length before anything was seen."""
K1_PRIOR_SPREAD = 0.08
HUBER_SIGMAS = 2.0
"""Residuals beyond this count linearly, so that one slipped finger does not tilt the table."""


class PoseError(Exception):
    """No camera explains the pieces; the message says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole with one radial term, above a plane."""

    focal_px: float
    k1: float
    """Radial distortion in units of the focal length: x (1 + k1 r²)."""
    rotation: Points
    """(3, 3): from table axes (x, y, down) to camera axes (x right, y down, z forward)."""
    translation_mm: Points
    """(3,): the table's origin in camera axes."""
    width_px: int
    height_px: int

    @property
    def centre_px(self) -> tuple[float, float]:
        """The principal point, taken to be the middle of the picture."""
        return self.width_px / 2.0, self.height_px / 2.0

    @property
    def position_mm(self) -> tuple[float, float, float]:
        """The lens in table coordinates: x, y, height."""
        x, y, down = -self.rotation.T @ self.translation_mm
        return float(x), float(y), float(-down)

    @property
    def tilt_rad(self) -> float:
        """Angle between the line of sight and straight down."""
        return math.acos(max(-1.0, min(1.0, float(self.rotation[2, 2]))))

    def project(self, points_mm: ArrayLike) -> Points:
        """Pixels (N, 2) of table points (N, 3): x, y, height."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 3)
        inside = (points * (1.0, 1.0, -1.0)) @ self.rotation.T + self.translation_mm
        flat = inside[:, :2] / np.maximum(inside[:, 2:], 1e-6)
        flat = flat * (1.0 + self.k1 * (flat**2).sum(axis=1, keepdims=True))
        return np.asarray(flat * self.focal_px + self.centre_px)

    def to_plane(self, pixels: ArrayLike, height_mm: float = 0.0) -> Points:
        """Table x, y (N, 2) of pixels that show something at one height."""
        rays = self.rays(pixels)
        down = (-self.rotation.T @ self.translation_mm)[2]
        reach = (-height_mm - down) / rays[:, 2:]
        return np.asarray((-self.rotation.T @ self.translation_mm)[:2] + rays[:, :2] * reach)

    def rays(self, pixels: ArrayLike) -> Points:
        """Directions (N, 3) of pixels in table axes (x, y, down)."""
        bent = (np.asarray(pixels, dtype=np.float64).reshape(-1, 2) - self.centre_px) / self.focal_px
        flat = _unbend(bent, self.k1)
        return np.column_stack([flat, np.ones(len(flat))]) @ self.rotation

    def to_json(self) -> dict[str, Any]:
        """Plain values for a calibration file."""
        return {
            "focal_px": self.focal_px, "k1": self.k1, "rotation": self.rotation.tolist(),
            "translation_mm": self.translation_mm.tolist(), "width_px": self.width_px, "height_px": self.height_px,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Camera:
        """The reverse of `to_json`."""
        return Camera(
            float(data["focal_px"]), float(data["k1"]), np.array(data["rotation"], dtype=np.float64),
            np.array(data["translation_mm"], dtype=np.float64), int(data["width_px"]), int(data["height_px"]),
        )


@dataclass(frozen=True, slots=True)
class PiecePose:
    """Where one piece lies on the table."""

    x_mm: float
    """Table x of the piece's first corner (fraction 0, 0)."""
    y_mm: float
    angle_rad: float
    """Direction of the piece's u axis, from table x towards table y."""
    size_mm: tuple[float, float]
    thickness_mm: float

    def points_mm(self, fractions: ArrayLike, above_mm: float = 0.0) -> Points:
        """Table points (N, 3) of fractions (N, 2) of the piece, at a height above its upper face."""
        flat = np.asarray(fractions, dtype=np.float64).reshape(-1, 2) * self.size_mm
        cosine, sine = math.cos(self.angle_rad), math.sin(self.angle_rad)
        turned = flat @ np.array([[cosine, sine], [-sine, cosine]]) + (self.x_mm, self.y_mm)
        return np.column_stack([turned, np.full(len(turned), self.thickness_mm + above_mm)])

    def fractions(self, table_mm: ArrayLike) -> Points:
        """Fractions (N, 2) of table points (N, 2)."""
        flat = np.asarray(table_mm, dtype=np.float64).reshape(-1, 2) - (self.x_mm, self.y_mm)
        cosine, sine = math.cos(self.angle_rad), math.sin(self.angle_rad)
        return np.asarray((flat @ np.array([[cosine, -sine], [sine, cosine]])) / self.size_mm)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """Points of one piece as seen in the picture: board corners, or the middle of a disc and a point of its rim."""

    size_mm: tuple[float, float]
    thickness_mm: float
    fractions: Points
    """(K, 2) points of the piece, K at least 2."""
    pixels: Points
    """(K, 2) where they were seen."""
    sigma_px: float
    """How far off a point may well be."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A camera and the pieces under it."""

    camera: Camera
    poses: Mapping[str, PiecePose]
    error_px: float
    """Median distance between where points were seen and where the model puts them."""
    errors_px: Mapping[str, float]
    """The same for each piece, as its largest."""


def board_sighting(
    corners_px: ArrayLike, size_mm: tuple[float, float], thickness_mm: float, sigma_px: float
) -> Sighting:
    """A board seen by its four corners, in the order top left, top right, bottom right, bottom left."""
    fractions = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    return Sighting(size_mm, thickness_mm, fractions, np.asarray(corners_px, dtype=np.float64), sigma_px)


def disc_sighting(
    centre_px: ArrayLike, rim_px: ArrayLike, diameter_mm: float, thickness_mm: float, sigma_px: float
) -> Sighting:
    """A disc seen by its middle and one point of its rim, which becomes the direction of its u axis."""
    pixels = np.array([centre_px, rim_px], dtype=np.float64)
    return Sighting(
        (diameter_mm, diameter_mm), thickness_mm, np.array([[0.5, 0.5], [1.0, 0.5]]), pixels, sigma_px
    )


def solve_camera(sightings: Mapping[str, Sighting], width_px: int, height_px: int) -> Solution:
    """The camera and the in-plane pose of every piece that explain all sightings best.

    At least one piece must be seen by four points. Several focal lengths are tried, because a poor first guess of it
    leaves the search in a wrong tilt.
    """
    names = list(sightings)
    anchors = [name for name in names if len(sightings[name].fractions) >= 4]
    if not anchors:
        raise PoseError("no board with four corners is on the table: tap the corners of at least one board")
    anchor = sightings[max(anchors, key=lambda name: _spread(sightings[name].pixels))]
    unknown = _Unknowns([sightings[name] for name in names], width_px, height_px)
    best: tuple[float, Points] | None = None
    for widths in (0.55, 0.8, 1.2, 1.8):
        start = _first_guess(anchor, unknown, widths * width_px)
        if start is None:
            continue
        solved, cost = _minimise(unknown.residuals, start, unknown.count_seen, unknown.rows)
        if best is None or cost < best[0]:
            best = (cost, solved)
    if best is None:
        raise PoseError("no camera position fits the tapped corners: check that they do not cross and tap again")
    camera, poses = unknown.unpack(best[1])
    seen = {
        name: np.linalg.norm(camera.project(pose.points_mm(sightings[name].fractions)) - sightings[name].pixels, axis=1)
        for name, pose in zip(names, poses, strict=True)
    }
    return Solution(
        camera, dict(zip(names, poses, strict=True)), float(np.median(np.concatenate(list(seen.values())))),
        {name: float(distances.max()) for name, distances in seen.items()},
    )


def place_piece(camera: Camera, sighting: Sighting) -> PiecePose:
    """Where a piece lies under a camera that is known; for a board that was nudged or a disc found by its rim."""
    start = _lay(camera, sighting)

    def residuals(values: Points) -> Points:
        pose = _pose(values, sighting)
        seen = camera.project(pose.points_mm(sighting.fractions))
        return ((seen - sighting.pixels) / sighting.sigma_px).ravel()

    whole = (slice(0, sighting.pixels.size),)
    solved, _ = _minimise(residuals, np.array([start.x_mm, start.y_mm, start.angle_rad]), sighting.pixels.size, whole)
    return _pose(solved, sighting)


def locate(camera: Camera, pose: PiecePose, fractions: ArrayLike, above_mm: float = 0.0) -> Points:
    """Pixels (N, 2) of fractions of a piece at a height above its upper face, lens bending included."""
    return camera.project(pose.points_mm(fractions, above_mm))


def homography(camera: Camera, pose: PiecePose, above_mm: float = 0.0) -> Points:
    """(3, 3) from fractions of a piece (at a height above its face) to pixels; the lens' bend is fitted, not exact."""
    grid = np.array([[u, v] for u in np.linspace(0, 1, 5) for v in np.linspace(0, 1, 5)])
    matrix, _ = cv2.findHomography(grid, locate(camera, pose, grid, above_mm))
    if matrix is None:
        raise PoseError("a piece is seen edge-on: hang the camera higher and calibrate again")
    return np.asarray(matrix, dtype=np.float64)


class _Unknowns:
    """The numbers being searched: log focal, k1, two tilts, log height, then x, y and angle of each piece."""

    def __init__(self, sightings: Sequence[Sighting], width_px: int, height_px: int) -> None:
        self.sightings = sightings
        self.width_px, self.height_px = width_px, height_px
        ends = np.cumsum([0, *(sighting.pixels.size for sighting in sightings)])
        self.count_seen = int(ends[-1])
        self.rows = [slice(int(start), int(end)) for start, end in pairwise(ends)]
        """The residuals of each piece: nothing but the camera and where it lies changes them."""
        # A search asks for thousands of residuals: all points of all pieces are laid at once.
        self._of_piece = np.repeat(np.arange(len(sightings)), [len(each.pixels) for each in sightings])
        self._flat_mm = np.concatenate([each.fractions * each.size_mm for each in sightings])
        self._above_mm = np.array([each.thickness_mm for each in sightings])[self._of_piece]
        self._seen = np.concatenate([each.pixels for each in sightings])
        self._sigma = np.array([[each.sigma_px] for each in sightings])[self._of_piece]

    def unpack(self, values: Points) -> tuple[Camera, list[PiecePose]]:
        poses = [
            _pose(values[5 + 3 * index : 8 + 3 * index], sighting)
            for index, sighting in enumerate(self.sightings)
        ]
        return self._camera(values), poses

    def _camera(self, values: Points) -> Camera:
        log_focal, k1, tilt_x, tilt_y, log_height = map(float, values[:5])
        rotation = np.asarray(cv2.Rodrigues(np.array([tilt_x, tilt_y, 0.0]))[0], dtype=np.float64)
        translation = rotation @ np.array([0.0, 0.0, math.exp(log_height)])
        return Camera(math.exp(log_focal) * self.width_px, k1, rotation, translation, self.width_px, self.height_px)

    def residuals(self, values: Points) -> Points:
        """Misses in sigmas, then how far focal length and bend are from what lenses usually have."""
        x_mm, y_mm, angle_rad = values[5:].reshape(-1, 3).T
        cosine, sine = np.cos(angle_rad)[self._of_piece], np.sin(angle_rad)[self._of_piece]
        along, down = self._flat_mm.T
        points = np.column_stack([
            along * cosine - down * sine + x_mm[self._of_piece],
            along * sine + down * cosine + y_mm[self._of_piece],
            self._above_mm,
        ])
        prior = [(values[0] - math.log(FOCAL_PRIOR_WIDTHS)) / FOCAL_PRIOR_SPREAD, values[1] / K1_PRIOR_SPREAD]
        return np.concatenate([((self._camera(values).project(points) - self._seen) / self._sigma).ravel(), prior])


def _first_guess(anchor: Sighting, unknown: _Unknowns, focal_px: float) -> Points | None:
    """The largest board alone gives the plane for one focal length; the others are dropped onto it."""
    matrix = np.array(
        [[focal_px, 0.0, unknown.width_px / 2.0], [0.0, focal_px, unknown.height_px / 2.0], [0.0, 0.0, 1.0]]
    )
    flat = np.column_stack([anchor.fractions * anchor.size_mm, np.full(len(anchor.fractions), -anchor.thickness_mm)])
    found, turn, shift = cv2.solvePnP(flat, anchor.pixels, matrix, np.zeros(4), flags=cv2.SOLVEPNP_ITERATIVE)
    if not found or not np.isfinite(shift).all() or shift[2, 0] <= 0:
        return None
    normal = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)[:, 2]
    height = float(normal @ shift.ravel())
    if height <= 0:
        return None
    # The rotation without a turn about the plane's normal: that turn belongs to the pieces.
    axis = np.cross([0.0, 0.0, 1.0], normal)
    length = float(np.linalg.norm(axis))
    tilt = axis / max(length, 1e-12) * math.atan2(length, float(normal[2]))
    guess = np.zeros(5 + 3 * len(unknown.sightings))
    guess[:5] = math.log(focal_px / unknown.width_px), 0.0, tilt[0], tilt[1], math.log(height)
    camera, _ = unknown.unpack(guess)
    poses = [_lay(camera, sighting) for sighting in unknown.sightings]
    guess[5:] = [number for pose in poses for number in (pose.x_mm, pose.y_mm, pose.angle_rad)]
    return guess if np.isfinite(guess).all() else None


def _pose(values: Points, sighting: Sighting) -> PiecePose:
    x_mm, y_mm, angle_rad = map(float, values)
    return PiecePose(x_mm, y_mm, angle_rad, sighting.size_mm, sighting.thickness_mm)


def _lay(camera: Camera, sighting: Sighting) -> PiecePose:
    """A rigid fit of a piece onto where its points meet the table."""
    there = camera.to_plane(sighting.pixels, sighting.thickness_mm)
    here = sighting.fractions * sighting.size_mm
    a, b = here - here.mean(axis=0), there - there.mean(axis=0)
    angle = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
    cosine, sine = math.cos(angle), math.sin(angle)
    corner = there.mean(axis=0) - here.mean(axis=0) @ np.array([[cosine, sine], [-sine, cosine]])
    return PiecePose(float(corner[0]), float(corner[1]), angle, sighting.size_mm, sighting.thickness_mm)


def _minimise(
    residuals: Callable[[Points], Points], start: Points, count_seen: int, rows: Sequence[slice]
) -> tuple[Points, float]:
    """Levenberg-Marquardt with Huber weights on the first `count_seen` residuals; returns the values and the cost. The
    last values are three for each piece, of which nothing depends but its own `rows`."""
    values, damping = start.copy(), 1e-3
    steps = np.maximum(np.abs(values), 0.1) * 1e-6
    current = residuals(values)
    cost = _huber(current, count_seen)
    for _ in range(60):
        jacobian = _jacobian(residuals, values, current, steps, rows)
        weights = np.ones(len(current))
        weights[:count_seen] = HUBER_SIGMAS / np.maximum(np.abs(current[:count_seen]), HUBER_SIGMAS)
        normal = jacobian.T @ (jacobian * weights[:, None])
        slope = jacobian.T @ (current * weights)
        before = cost
        for _ in range(8):
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), -slope)
            after = residuals(values + step)
            new_cost = _huber(after, count_seen) if np.isfinite(after).all() else math.inf
            if new_cost < cost:
                values, current, cost, damping = values + step, after, new_cost, max(damping / 5, 1e-9)
                break
            damping *= 6
        if before - cost < 1e-7 * (1.0 + cost):
            break
    return values, cost


def _jacobian(
    residuals: Callable[[Points], Points], values: Points, current: Points, steps: Points, rows: Sequence[slice]
) -> Points:
    """How each residual changes with each value. All pieces are moved at once, since none of them moves another."""
    jacobian = np.zeros((len(current), len(values)))
    shared = len(values) - 3 * len(rows)
    for column in range(shared):
        moved = values.copy()
        moved[column] += steps[column]
        jacobian[:, column] = (residuals(moved) - current) / steps[column]
    for number in range(3):
        columns = range(shared + number, len(values), 3)
        moved = values.copy()
        moved[columns] += steps[columns]
        apart = residuals(moved) - current
        for column, part in zip(columns, rows, strict=True):
            jacobian[part, column] = apart[part] / steps[column]
    return jacobian


def _huber(residuals: Points, count_seen: int) -> float:
    size = np.abs(residuals)
    bent = np.where(size <= HUBER_SIGMAS, 0.5 * size**2, HUBER_SIGMAS * (size - 0.5 * HUBER_SIGMAS))
    return float(bent[:count_seen].sum() + 0.5 * (residuals[count_seen:] ** 2).sum())


def _unbend(bent: Points, k1: float) -> Points:
    """Undo the radial term by Newton's method on the radius."""
    radius = np.linalg.norm(bent, axis=1)
    flat = radius.copy()
    for _ in range(6):
        slope = np.maximum(1.0 + 3.0 * k1 * flat**2, 0.1)
        flat -= (flat * (1.0 + k1 * flat**2) - radius) / slope
    return np.asarray(bent * (flat / np.maximum(radius, 1e-12))[:, None])


def _spread(pixels: Points) -> float:
    return float(np.linalg.norm(pixels - pixels.mean(axis=0), axis=1).sum())
