"""A disc that was pushed aside with its tiles: whether its rim is where it was, and where it is now.

Tiles cover the middle of a disc and may hang over its rim here and there; the rest of the rim shows where it lies.
A disc looks much alike however it is turned, so only slides are looked for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.heap_region import PIXELS_A_MM, HeapRegion
from vision.pose import Camera, PiecePose
from vision.rectify import PIXEL_CENTRE

Floats = NDArray[np.float32]

RING = (0.8, 1.15)
"""What is compared: from here to there, the rim being 1."""
SECTORS = 16
"""The ring is judged in so many parts, so that tiles and hands over some of them do not matter."""
FEW_LEVELS = 4.0
"""A part whose levels (of 255) spread less than this says little."""
IN_PLACE = 0.9
"""A disc whose rim fits this well was not moved: nothing is searched."""
CLEAR = 0.55
"""A rim that fits less well than this is hidden, or is not here."""
FOUND, AMISS = 0.7, 0.6
"""A disc is taken to lie elsewhere where its rim fits so well, and where no more than this share is left of what is
amiss where it was: the edges of a hand over a disc fit a little, too."""
PERFECT = 1.05
"""No rim fits better than this."""
REACH_MM, LEAST_MM = 26.0, 1.0
"""How far away it is looked for, and a slide so small that it makes no difference."""
CUT = 1.05
"""The disc and its shadow end here; beyond lies the table."""
MOST_TRIED, NEAR_PX = 3, 2
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
_AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


@dataclass(frozen=True, slots=True)
class Slide:
    """How far a disc was pushed, in the flat view of its place."""

    right_px: float
    down_px: float
    fit: float
    """Median correlation of the parts of its rim there."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """How a place looks empty, and how that was worked out. However often something is pushed, it starts from what was
    really seen: what was worked out wrongly once is gone when the disc is found where it was."""

    seen: Image
    """The flat view of the empty place, as it was seen …"""
    laid: Mapping[str, PiecePose]
    """… when the pieces lay so."""
    shown: Image
    """As it looks with the pieces where they lie now."""


class Rim:
    """The rim of one disc as its empty view shows it."""

    def __init__(self, empty: Image, rim_fraction: Floats) -> None:
        low, high = RING
        ring = (rim_fraction > low) & (rim_fraction < high)
        ring[:NEAR_PX] = ring[-NEAR_PX:] = ring[:, :NEAR_PX] = ring[:, -NEAR_PX:] = False
        rows, columns = np.nonzero(ring)
        middle_y, middle_x = np.argwhere(rim_fraction < low).mean(axis=0)
        turns = np.arctan2(rows - middle_y, columns - middle_x) / (2 * math.pi)
        self._rows, self._columns = rows, columns
        self._sectors = np.floor((turns % 1.0) * SECTORS).astype(np.intp) % SECTORS
        grey = _grey(empty)
        self._levels = grey[rows, columns].astype(np.float64)
        top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
        self._corner = (int(left), int(top))
        self._template = _strength(grey)[top:bottom, left:right]
        self._mask = ring[top:bottom, left:right].astype(np.float32)

    def is_here(self, view: Image) -> bool:
        """Whether a view shows the rim where it was: it fits very well, or fairly and nowhere near any better."""
        grey = _grey(view)
        fit = self._fit(grey, 0, 0)
        if fit >= IN_PLACE:
            return True
        return fit > CLEAR and all(self._fit(grey, NEAR_PX * x, NEAR_PX * y) < fit for x, y in _AROUND)

    def fit(self, view: Image) -> float:
        """How well the rim fits a view where it was."""
        return self._fit(_grey(view), 0, 0)

    def _fit(self, grey: Floats, right_px: int, down_px: int) -> float:
        seen = grey[self._rows + down_px, self._columns + right_px].astype(np.float64)
        count = np.maximum(np.bincount(self._sectors, minlength=SECTORS), 1)

        def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(np.bincount(self._sectors, values, SECTORS) / count)

        now, then = seen - mean(seen)[self._sectors], self._levels - mean(self._levels)[self._sectors]
        spread = (np.sqrt(mean(now * now)) + FEW_LEVELS) * (np.sqrt(mean(then * then)) + FEW_LEVELS)
        usual = np.sqrt(mean(then * then)) / (np.sqrt(mean(then * then)) + FEW_LEVELS)
        return float(np.median(mean(now * then) / spread / np.maximum(usual * usual, 0.05)))

    def find(self, wide: Image, margin_px: int) -> Slide | None:
        """Where the disc lies in a view that shows so much more on all sides; None where nothing fits well."""
        grey = _grey(wide)
        x, y = self._corner
        height, width = self._template.shape
        reach = round(REACH_MM * PIXELS_A_MM)
        left, top = x + margin_px - reach, y + margin_px - reach
        around = _strength(grey)[top : top + height + 2 * reach, left : left + width + 2 * reach]
        match = np.asarray(cv2.matchTemplate(around, self._template, cv2.TM_CCORR_NORMED, mask=self._mask))
        match = np.nan_to_num(match, nan=-1.0, posinf=-1.0, neginf=-1.0)
        best: Slide | None = None
        for _ in range(MOST_TRIED):
            row, column = (int(at) for at in np.unravel_index(int(match.argmax()), match.shape))
            match[max(0, row - 3) : row + 4, max(0, column - 3) : column + 4] = -1.0
            slide = self._settled(grey, margin_px, column - reach, row - reach)
            if best is None or slide.fit > best.fit:
                best = slide
        return best

    def _settled(self, grey: Floats, margin_px: int, right_px: int, down_px: int) -> Slide:
        """The best of the neighbours, to a part of a pixel."""
        fits = np.array([
            [self._fit(grey, margin_px + right_px + x, margin_px + down_px + y) for x in range(-2, 3)]
            for y in range(-2, 3)
        ])
        row, column = (int(at) for at in np.unravel_index(int(fits.argmax()), fits.shape))
        across, down = _between(fits[row], column), _between(fits[:, column], row)
        return Slide(right_px + column - 2 + across, down_px + row - 2 + down, float(fits[row, column]))


def wide_view(image: Image, camera: Camera, region: HeapRegion, margin_px: int) -> Image:
    """The flat view of a region with so much more on all sides."""
    height, width = region.owns.shape
    x_mm, y_mm = (
        corner + (np.arange(-margin_px, length + margin_px) + 0.5) / PIXELS_A_MM
        for corner, length in zip(region.corner_mm, (width, height), strict=True)
    )
    grid_x, grid_y = np.meshgrid(x_mm, y_mm)
    points = np.column_stack([grid_x.ravel(), grid_y.ravel(), np.full(grid_x.size, region.top_mm)])
    pixels = (camera.project(points) - PIXEL_CENTRE).astype(np.float32).reshape(*grid_x.shape, 2)
    return np.asarray(
        cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        dtype=np.uint8,
    )


def slid_view(empty: Image, rim_fraction: Floats, slide: Slide) -> Image:
    """The empty view of a disc that was pushed: the disc as it was, and around it the table as it was where the disc is
    now. Table that was under the disc looks as it does beside it."""
    rows, columns = np.indices(rim_fraction.shape).astype(np.float32)
    middle_y, middle_x = np.argwhere(rim_fraction < RING[0]).mean(axis=0)
    x = np.asarray(columns + np.float32(slide.right_px), dtype=np.float32)
    y = np.asarray(rows + np.float32(slide.down_px), dtype=np.float32)
    there = np.asarray(
        cv2.remap(rim_fraction, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32
    )
    outwards = np.maximum(np.float32(1.0), np.float32(CUT + 0.06) / np.maximum(there, np.float32(0.2)))
    x = np.asarray(middle_x + (x - middle_x) * outwards, dtype=np.float32)
    y = np.asarray(middle_y + (y - middle_y) * outwards, dtype=np.float32)
    table = cv2.remap(empty, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.where((rim_fraction < CUT)[..., None], empty, table), dtype=np.uint8)


def pasted(empty: Image, region: HeapRegion, other_empty: Image, other: HeapRegion) -> Image:
    """The empty view of a region with that of another one, which lies in or beside it, in its place."""
    left, top = (
        round((there - here) * PIXELS_A_MM) for there, here in zip(other.corner_mm, region.corner_mm, strict=True)
    )
    (height, width), (tall, wide) = empty.shape[:2], other_empty.shape[:2]
    rows, columns = slice(max(0, top), min(height, top + tall)), slice(max(0, left), min(width, left + wide))
    both = empty.copy()
    if rows.start < rows.stop and columns.start < columns.stop:
        both[rows, columns] = other_empty[
            rows.start - top : rows.stop - top, columns.start - left : columns.stop - left
        ]
    return both


def is_far(before: PiecePose, after: PiecePose) -> bool:
    """Whether a piece lies so far from where it lay that its places must be looked at elsewhere."""
    apart = (after.points_mm(_CORNERS) - before.points_mm(_CORNERS))[:, :2]
    return float(np.abs(apart).max()) > LEAST_MM


def carried_view(
    empty: Image, before: HeapRegion, after: HeapRegion, lay: PiecePose, lies: PiecePose
) -> Image:
    """The empty view of a place on a board, after the board was moved and turned with all that is printed on it."""
    height, width = after.owns.shape
    corners_px = np.array([[0.0, 0.0], [width, 0.0], [0.0, height]])
    fractions = lies.fractions(corners_px / PIXELS_A_MM + after.corner_mm)
    there_px = (lay.points_mm(fractions)[:, :2] - before.corner_mm) * PIXELS_A_MM
    move = cv2.getAffineTransform((corners_px - 0.5).astype(np.float32), (there_px - 0.5).astype(np.float32))
    return np.asarray(
        cv2.warpAffine(
            empty, move, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
        ),
        dtype=np.uint8,
    )


def is_elsewhere(slide: Slide | None, fit: float) -> bool:
    """Whether a disc lies where it was found rather than where it was, where its rim fits so well."""
    if slide is None or math.hypot(slide.right_px, slide.down_px) < LEAST_MM * PIXELS_A_MM:
        return False
    return slide.fit > FOUND and PERFECT - slide.fit < AMISS * (PERFECT - fit)


def _between(values: NDArray[np.float64], at: int) -> float:
    """Where the top of a curve through three values lies, from the middle one of them."""
    if not 0 < at < len(values) - 1:
        return 0.0
    before, here, after = values[at - 1 : at + 2]
    bend = before - 2 * here + after
    return float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0 else 0.0


def _grey(view: Image) -> Floats:
    return np.asarray(cv2.GaussianBlur(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), (0, 0), 0.8), dtype=np.float32)


def _strength(grey: Floats) -> Floats:
    """Where levels change, alike in light and shade."""
    slope = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    usual = float(np.percentile(slope, 80)) + 1.0
    return np.asarray(slope / (slope + usual), dtype=np.float32)
