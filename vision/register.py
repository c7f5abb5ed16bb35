"""Is a board where it was? Looked at in every frame, on print that no tile covers; a nudged board is found again.

A board stays flat on its table, so it can only slide and turn: in its own flat view that is a shift and a rotation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.rectify import PIXEL_CENTRE, Matrix, apply, rectify

Floats = NDArray[np.float32]

VIEW_PX = 400
POINTS = 900
"""Points of strong print that are watched on each board."""
BLOCKS = 4
"""A board is judged in 4 × 4 parts, so that a hand over some of them does not matter."""
IN_PLACE = 0.72
"""Correlation from which a part of the print counts as being where it was."""
ENOUGH_POINTS = 12
"""A part with fewer points says nothing."""
SEARCH_PX = 160
SEARCH_MARGIN = 0.30
SEARCH_TURNS_RAD = tuple(math.radians(degrees) for degrees in (0, -3, 3, -6, 6, -10, 10, -15, 15))
STEPS = 6
BLURS_PX, FREEDOMS, SHRINKS = (5.0, 2.5, 1.2), (3, 6, 8), (4, 2, 1)
"""Coarse to fine: how far the flat view is blurred, how many of the eight numbers may change then, and how much smaller
it may be for that."""
SLIDING = 3
"""The first three of them: what slides and turns changes no others."""
AROUND, FINER = 0.5, 1.5
"""So much around a board, in boards, may be looked at when it is followed or looked for; and how much finer than a view
the picture is from which it is taken."""
MOST_TRIED, SURELY_FOUND = 4, 0.85
"""So many of the likeliest spots are followed, unless one of them fits as well as this."""
HALF_WAY, HARDLY_BETTER, MOST_FOLLOWED = 0.4, 0.01, 4
"""A pushed board that fits so well may fit better still: it is followed anew until it gains less than this, at most so
often."""
GREY = np.array([0.114, 0.587, 0.299])
"""How much blue, green and red count for the grey level."""


@dataclass(frozen=True, slots=True, eq=False)
class Ruler:
    """The print by which one board is found again."""

    points: Matrix
    """(POINTS, 2) fractions of the board."""
    levels: NDArray[np.float64]
    """(POINTS,) grey levels of the reference there."""
    slides: Matrix
    """(POINTS, 3): how the level changes when the board slides along u, along v, and when it turns."""
    blocks: NDArray[np.int64]
    """(POINTS,) which part of the board each point is on."""
    flat: Floats
    """(VIEW_PX, VIEW_PX) the reference seen flat, in grey."""
    bare: Floats
    """(VIEW_PX, VIEW_PX) 1 where no tile can lie, else 0."""
    magnified: tuple[float, float]
    """How many pixels of the flat view a pixel of the picture is, along u and along v."""
    aspect: float = 1.0
    """How many times as high as wide the board is: what turns it on the table skews the fractions of one not square."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a board seems to have moved."""

    shift: tuple[float, float]
    """Fractions of the board, in its own axes."""
    turn_rad: float
    in_place: float
    """Median correlation of its parts with the reference: 1 is the same, 0 is something else."""
    aspect: float = 1.0
    """How many times as high as wide the board is."""

    def matrix(self) -> Matrix:
        """The move in fractions of the board, about its middle."""
        cosine, sine = math.cos(self.turn_rad), math.sin(self.turn_rad)
        turn = np.array([[cosine, -sine * self.aspect, 0.0], [sine / self.aspect, cosine, 0.0], [0.0, 0.0, 1.0]])
        there = np.array([[1.0, 0.0, 0.5 + self.shift[0]], [0.0, 1.0, 0.5 + self.shift[1]], [0.0, 0.0, 1.0]])
        back = np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])
        return np.asarray(there @ turn @ back, dtype=np.float64)


def make_ruler(image: Image, matrix: Matrix, free: NDArray[np.bool_], aspect: float = 1.0) -> Ruler:
    """The ruler of a board, so many times as high as wide, from its reference picture; `free` (n, n) tells where no
    tile can lie."""
    flat = _grey(rectify(image, matrix, (VIEW_PX, VIEW_PX)))
    bare = cv2.resize(free.astype(np.uint8), (VIEW_PX, VIEW_PX), interpolation=cv2.INTER_NEAREST).astype(np.float32)
    edge = VIEW_PX // 50
    bare[:edge] = bare[-edge:] = bare[:, :edge] = bare[:, -edge:] = 0.0
    along_u, along_v = _slopes(_blurred(flat, BLURS_PX[-1]))
    rows, columns = _spread_out(np.asarray(np.hypot(along_u, along_v) * bare, dtype=np.float32))
    points = np.column_stack([(columns + 0.5) / VIEW_PX, (rows + 0.5) / VIEW_PX])
    parts = np.floor(points * BLOCKS).astype(np.int64)
    left, right, top, bottom = apply(matrix, [[0.0, 0.5], [1.0, 0.5], [0.5, 0.0], [0.5, 1.0]])
    edges_px = (max(1.0, float(np.linalg.norm(there - here))) for here, there in ((left, right), (top, bottom)))
    u, v = (VIEW_PX / edge_px for edge_px in edges_px)
    levels, slides = _watched(flat, points, aspect)
    bare = np.asarray(bare, dtype=np.float32)
    return Ruler(points, levels, slides, parts[:, 1] * BLOCKS + parts[:, 0], flat, bare, (u, v), aspect)


def softened(ruler: Ruler, softness_px: float) -> Ruler:
    """The same print as a lens out of focus shows it, by so many pixels of the picture."""
    across, down = (softness_px * times for times in ruler.magnified)
    flat = np.asarray(cv2.GaussianBlur(ruler.flat, (0, 0), across, sigmaY=down), dtype=np.float32)
    levels, slides = _watched(flat, ruler.points, ruler.aspect)
    return replace(ruler, flat=flat, levels=levels, slides=slides)


def _watched(flat: Floats, points: Matrix, aspect: float) -> tuple[NDArray[np.float64], Matrix]:
    """The levels of a flat view at some points, and how they change when the board slides and turns."""
    rows, columns = (np.floor(points[:, axis] * VIEW_PX).astype(np.int64) for axis in (1, 0))
    du, dv = (along[rows, columns].astype(np.float64) for along in _slopes(_blurred(flat, BLURS_PX[-1])))
    x, y = (points - 0.5).T
    return flat[rows, columns].astype(np.float64), np.column_stack([du, dv, dv * x / aspect - du * y * aspect])


def measure_drift(ruler: Ruler, pixels: Image) -> Drift:
    """How far a board moved since its ruler was made, from its points (POINTS, 3) where it was; for small moves."""
    seen = pixels @ GREY
    levelled, in_place = _level(ruler.blocks, ruler.levels, seen)
    step = _solve(ruler.slides, levelled - ruler.levels)
    return Drift((float(step[0]), float(step[1])), float(step[2]), in_place, ruler.aspect)


def sample_points(ruler: Ruler, image: Image, matrix: Matrix) -> Image:
    """(POINTS, 3): the pixels of a ruler's points, were the board here."""
    x, y = np.ascontiguousarray((apply(matrix, ruler.points) - PIXEL_CENTRE).T, dtype=np.float32)
    return np.asarray(cv2.remap(image, x[None], y[None], cv2.INTER_LINEAR), dtype=np.uint8).reshape(-1, 3)


class _Surroundings:
    """A board and what lies around it in grey, at several sizes, so that small views of it cost little."""

    def __init__(self, image: Image, matrix: Matrix) -> None:
        low, high = -AROUND, 1.0 + AROUND
        corners = apply(matrix, [[low, low], [high, low], [high, high], [low, high]])
        height, width = image.shape[:2]
        left, top = np.clip(np.floor(corners.min(axis=0)), 0, (width - 2, height - 2)).astype(int).tolist()
        right, bottom = np.clip(np.ceil(corners.max(axis=0)), (left + 2, top + 2), (width, height)).astype(int).tolist()
        self._corner = (left, top)
        self._edge_px = float(np.linalg.norm(np.diff(corners, axis=0), axis=1).min()) / (high - low)
        self._sizes = {1.0: np.asarray(cv2.cvtColor(image[top:bottom, left:right], cv2.COLOR_BGR2GRAY), dtype=np.uint8)}

    def flat(self, matrix: Matrix, size_px: int, margin_fraction: float = 0.0) -> Floats:
        """(size_px, size_px): the board seen flat, with a margin around it on all sides."""
        shrink = max(1.0, self._edge_px * (1.0 + 2.0 * margin_fraction) / size_px / FINER)
        whole = self._sizes[1.0]
        if shrink not in self._sizes:
            size = (max(2, round(whole.shape[1] / shrink)), max(2, round(whole.shape[0] / shrink)))
            self._sizes[shrink] = np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        small = self._sizes[shrink]
        across, down = small.shape[1] / whole.shape[1], small.shape[0] / whole.shape[0]
        left, top = self._corner
        there = np.array([[across, 0.0, -left * across], [0.0, down, -top * down], [0.0, 0.0, 1.0]])
        return rectify(small, there @ matrix, (size_px, size_px), margin_fraction).astype(np.float32)


def follow(ruler: Ruler, image: Image, matrix: Matrix) -> tuple[Matrix, float]:
    """Where the print lies now, started from where it is nearly; with the correlation reached.

    Coarse to fine. All eight numbers of a homography may change: the camera may have been moved instead of the board.
    """
    return _follow_around(ruler, _Surroundings(image, matrix), matrix)


def follow_to_the_end(ruler: Ruler, image: Image, matrix: Matrix) -> tuple[Matrix, float]:
    """The same for a board that was pushed: followed anew from where it was found for as long as it fits better for
    that. Half-way there a corner may still be off by some pixels, and table beside the board passes for a hand."""
    around = _Surroundings(image, matrix)
    found, in_place = _follow_around(ruler, around, matrix)
    for _ in range(MOST_FOLLOWED):
        if in_place < HALF_WAY:
            break
        further, better = _follow_around(ruler, around, found)
        if better <= in_place:
            break
        done = better < in_place + HARDLY_BETTER
        found, in_place = further, better
        if done:
            break
    return found, in_place


def _follow_around(ruler: Ruler, around: _Surroundings, matrix: Matrix) -> tuple[Matrix, float]:
    for level in range(len(BLURS_PX)):
        matrix, in_place = _follow_at(level, ruler, around, matrix)
    return matrix / matrix[2, 2], in_place


def _follow_at(
    level: int, ruler: Ruler, around: _Surroundings, matrix: Matrix, most_free: int = FREEDOMS[-1]
) -> tuple[Matrix, float]:
    """The same at one level: what is blurred is looked at in a view as much smaller."""
    blur_px, freedom, size = BLURS_PX[level], min(most_free, FREEDOMS[level]), VIEW_PX // SHRINKS[level]
    x, y = (ruler.points - 0.5).T
    rows, columns = (np.floor(ruler.points[:, axis] * size).astype(np.int64) for axis in (1, 0))
    reference = _blurred(_shrunk(ruler.flat, size), blur_px / SHRINKS[level])
    du, dv = (slope[rows, columns].astype(np.float64) for slope in _slopes(reference))
    jacobian = np.column_stack(
        [du, dv, dv * x / ruler.aspect - du * y * ruler.aspect, du * x + dv * y, du * x - dv * y, du * y + dv * x,
         (du * x + dv * y) * x, (du * x + dv * y) * y]
    )[:, :freedom]
    then = reference[rows, columns].astype(np.float64)
    best, best_in_place = matrix, -1.0
    for _ in range(STEPS):
        seen = _blurred(around.flat(matrix, size), blur_px / SHRINKS[level])
        levelled, in_place = _level(ruler.blocks, then, seen[rows, columns].astype(np.float64))
        if in_place > best_in_place:
            best, best_in_place = matrix, in_place
        step = np.zeros(8)
        step[:freedom] = _solve(jacobian, levelled - then)
        matrix = matrix @ _move(step, ruler.aspect)
        if np.abs(step[:2]).max() < 2e-4 and np.abs(step[2:]).max() < 5e-4:
            break
    # The coarse ones go where their steps lead, the last one keeps the best.
    return (best if level == len(BLURS_PX) - 1 else matrix), best_in_place


def find_again(ruler: Ruler, image: Image, matrix: Matrix, most_free: int = FREEDOMS[-1]) -> tuple[Matrix, float]:
    """Look for a board all around where it was: the best of several turns, followed to the end."""
    span = 1.0 + 2.0 * SEARCH_MARGIN
    size = round(SEARCH_PX * span)
    small = cv2.resize(_print_strength(ruler.flat) * ruler.bare, (SEARCH_PX, SEARCH_PX), interpolation=cv2.INTER_AREA)
    mask = (small > 0).astype(np.float32)
    around = _Surroundings(image, matrix)
    candidates: list[tuple[float, Matrix]] = []
    for turn in SEARCH_TURNS_RAD:
        turned = matrix @ Drift((0.0, 0.0), turn, 0.0, ruler.aspect).matrix()
        view = _print_strength(around.flat(turned, size, SEARCH_MARGIN))
        match = cv2.matchTemplate(view, small, cv2.TM_CCORR_NORMED, mask=mask)
        match = np.nan_to_num(match, nan=-1.0, posinf=-1.0, neginf=-1.0)
        row, column = np.unravel_index(int(match.argmax()), match.shape)
        shift = ((column / SEARCH_PX) - SEARCH_MARGIN, (row / SEARCH_PX) - SEARCH_MARGIN)
        slid = turned @ Drift(shift, 0.0, 0.0).matrix()
        candidates.append((float(match[row, column]), slid))
        if turn == 0.0:
            # When the camera moved, the picture shifted as a whole, which is no slide on the table.
            there = apply(slid, [[0.5, 0.5]])[0] - apply(matrix, [[0.5, 0.5]])[0]
            pan = np.array([[1.0, 0.0, there[0]], [0.0, 1.0, there[1]], [0.0, 0.0, 1.0]])
            candidates.append((float(match[row, column]), pan @ matrix))
    candidates.sort(key=lambda candidate: -candidate[0])
    nearly = []
    for _, start in candidates[:MOST_TRIED]:
        found, in_place = _follow_at(1, ruler, around, _follow_at(0, ruler, around, start, most_free)[0], most_free)
        nearly.append((in_place, found))
        if in_place > SURELY_FOUND:
            break
    _, found = max(nearly, key=lambda one: one[0])
    best, best_in_place = _follow_at(len(BLURS_PX) - 1, ruler, around, found, most_free)
    return best / best[2, 2], best_in_place


def _solve(jacobian: Matrix, miss: NDArray[np.float64]) -> NDArray[np.float64]:
    """The move that explains how levels differ; points that nothing explains (a hand, a stone) count little."""
    spread = _median(np.abs(miss)) * 1.5 + 4.0
    weights = 1.0 / (1.0 + np.square(miss / spread))
    normal = (jacobian.T * weights) @ jacobian
    damping = np.diag(np.diag(normal) * 1e-3 + 1e-6 * normal[0, 0] + 1e-9)
    return np.asarray(np.linalg.solve(normal + damping, -jacobian.T @ (miss * weights)), dtype=np.float64)


def _move(step: NDArray[np.float64], aspect: float) -> Matrix:
    """The homography, in fractions of the board, of a step: shift u and v, turn, scale, stretch, shear, two tilts."""
    u, v, turn, scale, stretch, shear, tilt_u, tilt_v = step
    inner = np.array(
        [[1.0 + scale + stretch, shear - turn * aspect, u], [shear + turn / aspect, 1.0 + scale - stretch, v],
         [-tilt_u, -tilt_v, 1.0]]
    )
    there = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    return np.asarray(there @ inner @ np.linalg.inv(there), dtype=np.float64)


def _level(
    blocks: NDArray[np.int64], levels: NDArray[np.float64], seen: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """The levels brought to the reference's brightness part by part, and the median correlation of the parts."""
    count = np.bincount(blocks, minlength=BLOCKS * BLOCKS)
    share = 1.0 / np.maximum(count, 1)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(blocks, values, BLOCKS * BLOCKS) * share)

    mean_then = mean(levels)[blocks]
    now, then = seen - mean(seen)[blocks], levels - mean_then
    spread_now, spread_then = np.sqrt(mean(now * now)) + 1.0, np.sqrt(mean(then * then)) + 1.0
    levelled = now * np.minimum(4.0, spread_then / spread_now)[blocks] + mean_then
    correlations = (mean(now * then) / (spread_now * spread_then))[count >= ENOUGH_POINTS]
    return levelled, _median(correlations) if len(correlations) else 0.0


def _median(values: NDArray[np.float64]) -> float:
    """numpy's own takes longer over a few numbers than all that is done with them."""
    middle = len(values) // 2
    ordered = np.partition(values, (middle - 1 + len(values) % 2, middle))
    return float(ordered[middle - 1 + len(values) % 2] + ordered[middle]) / 2


def _spread_out(strength: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the strongest points, evenly over the parts of the board."""
    side = VIEW_PX // (BLOCKS * 2)
    each = POINTS // (BLOCKS * 2) ** 2 + 1
    rows, columns = [], []
    for top in range(0, VIEW_PX, side):
        for left in range(0, VIEW_PX, side):
            part = strength[top : top + side, left : left + side]
            order = np.argsort(part, axis=None)[::-1][: each * 6 : 6]
            order = order[part.ravel()[order] > 0]
            row, column = np.unravel_index(order, part.shape)
            rows.append(row + top)
            columns.append(column + left)
    return np.concatenate(rows).astype(np.int64), np.concatenate(columns).astype(np.int64)


def _print_strength(grey: Floats) -> Floats:
    """Where print changes, alike in light and shade."""
    smooth = cv2.GaussianBlur(grey, (0, 0), 1.0)
    slope = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1))
    usual = float(np.percentile(slope, 80)) + 1.0
    return np.asarray(slope / (slope + usual), dtype=np.float32)


def _shrunk(flat: Floats, size_px: int) -> Floats:
    return np.asarray(cv2.resize(flat, (size_px, size_px), interpolation=cv2.INTER_AREA), dtype=np.float32)


def _slopes(flat: Floats) -> tuple[Floats, Floats]:
    """How levels change along u and along v, for each whole board."""
    along_u = cv2.Sobel(flat, cv2.CV_32F, 1, 0, ksize=3) / 8.0 * len(flat)
    along_v = cv2.Sobel(flat, cv2.CV_32F, 0, 1, ksize=3) / 8.0 * len(flat)
    return np.asarray(along_u, dtype=np.float32), np.asarray(along_v, dtype=np.float32)


def _blurred(flat: Floats, sigma_px: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(flat, (0, 0), sigma_px), dtype=np.float32)


def _grey(image: Image) -> Floats:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.float32)
