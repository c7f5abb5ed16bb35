"""Finding tiles of one known size, at any angle and touching, in maps of evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ANGLES = 6
"""Squares look alike every 90 degrees: steps of 15."""
CORE = 0.88
"""Share of a tile's edge that certainly shows its top, rounded edges and half an angle step left out."""
SIDES = 0.6
"""How much a tile's sides count, where they are the weaker part of it."""
EDGE_GAIN = 3.0
"""How much a tile's outline counts against its colour."""
EDGE_LEVELS = 24.0
"""A step of brightness or colour, in levels of 255, that is a clear edge."""
WEAKEST_EDGE = 0.4
"""How much the weakest of the four edges counts: a stripe has two, a tile has four."""
MAY_OVERLAP = 0.12
"""Share of a tile that may seem to lie under its neighbour, from errors of position and angle."""
ROUND_CORNERS = 12
"""Directions in which the rim of a round tile is looked at."""
OUTSIDE = -3.0
"""Evidence beyond the edge of a map."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The tiles that are looked for."""

    edge_px: float
    """Edge, or diameter."""
    is_round: bool
    foot_px: tuple[float, float]
    """From a tile's top to its foot: its sides are seen between the two."""


@dataclass(frozen=True, slots=True)
class Found:
    """One tile that may lie in a heap."""

    x_px: float
    y_px: float
    angle_rad: float
    colour: int
    """Which map of evidence it was found in."""
    score: float
    """Mean evidence over the tile's top and sides, and how much of its outline is seen."""
    is_round: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The maps in which tiles are looked for; all (height, width), float32."""

    evidence: Sequence[Floats]
    """For each colour that may lie here, how much speaks for it, -3 to 3."""
    colours: Sequence[int]
    """What the colours are called outside."""
    anything: Floats
    """How much speaks for anything but the empty place."""
    slope_x: Floats
    """Brightness step to the right, in levels a pixel, of the channel in which it is steepest."""
    slope_y: Floats


def slopes(view: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """The steepest channel's slope to the right and downwards, in levels over two pixels."""
    right = cv2.Sobel(view, cv2.CV_32F, 1, 0, ksize=3, scale=0.25)
    down = cv2.Sobel(view, cv2.CV_32F, 0, 1, ksize=3, scale=0.25)
    steepest = (right * right + down * down).argmax(axis=2)[..., None]
    return (
        np.asarray(np.take_along_axis(right, steepest, 2)[..., 0], dtype=np.float32),
        np.asarray(np.take_along_axis(down, steepest, 2)[..., 0], dtype=np.float32),
    )


def candidates(scene: Scene, corner_px: tuple[int, int], shape: Shape, least_score: float) -> list[Found]:
    """Where a tile would score best among its neighbours, at each angle; the maps begin at `corner_px`.

    A tile must have its sides below it and edges all around, which keeps its sides or its shadow from being taken for
    another tile.
    """
    founds: list[Found] = []
    core_px = _odd(CORE * shape.edge_px)
    near = np.ones((_odd(shape.edge_px * 0.5),) * 2, np.uint8)
    for step in range(1 if shape.is_round else ANGLES):
        angle = math.radians(90.0 / ANGLES * step)
        turn = _Turn(scene.anything.shape, angle)
        mean = _disc if shape.is_round else _box
        sides = _moved(mean(turn.map(scene.anything), core_px), turn.vector(shape.foot_px))
        cores = np.stack([mean(turn.map(evidence), core_px) for evidence in scene.evidence])
        best = cores.argmax(axis=0)
        top = cores.max(axis=0)
        scores = (1.0 - SIDES) * top + SIDES * np.minimum(top, sides)
        scores += EDGE_GAIN * (_outline(scene, turn, shape) - 0.5)
        peaks = (scores >= cv2.dilate(scores, near)) & (scores > least_score)
        for y, x in np.argwhere(peaks):
            at = turn.back @ (x, y, 1.0)
            colour = scene.colours[int(best[y, x])]
            founds.append(
                Found(
                    float(at[0]) + corner_px[0], float(at[1]) + corner_px[1], angle, colour, float(scores[y, x]),
                    shape.is_round,
                )
            )
    return founds


def pick(founds: Iterable[Found], shape: Shape) -> list[Found]:
    """The best tiles that do not overlap, best first."""
    kept: list[Found] = []
    for found in sorted(founds, key=lambda found: -found.score):
        if not _overlaps(found, kept, shape.edge_px, shape.is_round):
            kept.append(found)
    return kept


def corners_of(found: Found, edge_px: float) -> NDArray[np.float32]:
    """(N, 2) corners of a tile's top; of a round one, points all around it."""
    if found.is_round:
        turns = np.arange(ROUND_CORNERS) * (2 * math.pi / ROUND_CORNERS)
        rim = np.column_stack([np.cos(turns), np.sin(turns)]) * (edge_px / 2)
        return np.asarray(rim + np.array([found.x_px, found.y_px]), dtype=np.float32)
    return np.asarray(cv2.boxPoints(_box_of(found, edge_px)), dtype=np.float32)


class _Turn:
    """Turns maps so that tiles at one angle stand upright."""

    def __init__(self, shape: tuple[int, ...], angle: float) -> None:
        height, width = shape
        self.cosine, self.sine = math.cos(angle), math.sin(angle)
        wide, tall = width * self.cosine + height * self.sine, width * self.sine + height * self.cosine
        self.size = (math.ceil(wide), math.ceil(tall))
        turn = np.array([[self.cosine, self.sine, 0.0], [-self.sine, self.cosine, 0.0]])
        turn[:, 2] = (np.array(self.size) - 1) / 2 - turn[:, :2] @ [(width - 1) / 2, (height - 1) / 2]
        self._turn = turn
        self._still = angle == 0.0
        self.back = np.asarray(cv2.invertAffineTransform(turn), dtype=np.float64)

    def map(self, values: Floats, outside: float = OUTSIDE) -> Floats:
        if self._still:
            return values
        turned = cv2.warpAffine(
            values, self._turn, self.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=outside
        )
        return np.asarray(turned, dtype=np.float32)

    def vector(self, vector_px: tuple[float, float]) -> tuple[int, int]:
        x, y = vector_px
        return round(x * self.cosine + y * self.sine), round(y * self.cosine - x * self.sine)


def _outline(scene: Scene, turn: _Turn, shape: Shape) -> Floats:
    """How much of a tile's four edges is seen, 0 to 1, were its middle here."""
    if shape.is_round:
        return _round_outline(scene, shape)
    along = _odd(0.8 * shape.edge_px)
    half = round(shape.edge_px / 2)
    across = np.abs(scene.slope_x * np.float32(turn.cosine) + scene.slope_y * np.float32(turn.sine))
    down = np.abs(scene.slope_y * np.float32(turn.cosine) - scene.slope_x * np.float32(turn.sine))
    parts: list[Floats] = []
    for slope, step, near, length in (
        (across, (half, 0), (1, 3), (1, along)), (down, (0, half), (3, 1), (along, 1)),
    ):
        edges = np.minimum(turn.map(slope, 0.0) * np.float32(1 / EDGE_LEVELS), 1.0)
        seen = np.asarray(cv2.blur(cv2.dilate(edges, np.ones(near, np.uint8)), length), dtype=np.float32)
        parts += [_moved(seen, step), _moved(seen, (-step[0], -step[1]))]
    mean = (parts[0] + parts[1] + parts[2] + parts[3]) * np.float32(0.25)
    least = np.minimum(np.minimum(parts[0], parts[1]), np.minimum(parts[2], parts[3]))
    return np.asarray(mean + WEAKEST_EDGE * (least - mean), dtype=np.float32)


def _round_outline(scene: Scene, shape: Shape) -> Floats:
    """The same for a round tile: how clear its rim is all around, the weakest quarter counting most."""
    quarters: list[Floats] = []
    near = np.ones((3, 3), np.uint8)
    for step in range(ROUND_CORNERS):
        turn = step * (2 * math.pi / ROUND_CORNERS)
        cosine, sine = math.cos(turn), math.sin(turn)
        slope = np.abs(scene.slope_x * np.float32(cosine) + scene.slope_y * np.float32(sine))
        edges = cv2.dilate(np.minimum(slope * np.float32(1 / EDGE_LEVELS), 1.0), near)
        reach = shape.edge_px / 2
        quarters.append(_moved(np.asarray(edges, dtype=np.float32), (round(reach * cosine), round(reach * sine))))
    quarter = ROUND_CORNERS // 4
    parts = [np.mean(quarters[start : start + quarter], axis=0) for start in range(0, ROUND_CORNERS, quarter)]
    mean = np.mean(parts, axis=0)
    return np.asarray(mean + WEAKEST_EDGE * (np.min(parts, axis=0) - mean), dtype=np.float32)


def _moved(values: Floats, step_px: tuple[int, int]) -> Floats:
    """What lies `step_px` away, at each pixel; beyond the edge, what lies at the edge."""
    x, y = step_px
    if x == 0 and y == 0:
        return values
    height, width = values.shape
    rows = np.clip(np.arange(height) + y, 0, height - 1)
    columns = np.clip(np.arange(width) + x, 0, width - 1)
    return values[rows][:, columns]


def _overlaps(found: Found, kept: Sequence[Found], edge_px: float, is_round: bool) -> bool:
    for other in kept:
        apart = math.hypot(found.x_px - other.x_px, found.y_px - other.y_px)
        if apart < edge_px * 0.85:
            return True
        if is_round or apart > edge_px * math.sqrt(2.0):
            continue
        kind, corners = cv2.rotatedRectangleIntersection(_box_of(found, edge_px), _box_of(other, edge_px))
        if kind and corners is not None and cv2.contourArea(cv2.convexHull(corners)) > MAY_OVERLAP * edge_px**2:
            return True
    return False


def _box_of(found: Found, edge_px: float) -> tuple[tuple[float, float], tuple[float, float], float]:
    return (found.x_px, found.y_px), (edge_px, edge_px), math.degrees(found.angle_rad)


def _box(maps: Floats, edge_px: int) -> Floats:
    return np.asarray(cv2.blur(maps, (edge_px, edge_px), borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


def _disc(maps: Floats, diameter_px: int) -> Floats:
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (diameter_px, diameter_px)).astype(np.float32)
    return np.asarray(cv2.filter2D(maps, cv2.CV_32F, disc / disc.sum(), borderType=cv2.BORDER_REPLICATE))


def _odd(length_px: float) -> int:
    return 2 * round((length_px - 1) / 2) + 1
