"""From a roughly tapped board to its print: taps may be off by several per cent of a board, the print need not sit
square on the cut, and artwork differs. Only the printed lines that the layout promises are relied on.

Three stages: the cut edges give a handful of candidates a side; the combination whose spaces fall on printed lines
best is taken; then every line pulls the fit towards it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.outlines import SAMPLES_A_SIDE, Outlines, outlines_of
from vision.frame import Image
from vision.layout import PieceSpec
from vision.rectify import UNIT_SQUARE, Matrix, apply, homography_from, rectify

Floats = NDArray[np.float32]

MARGIN_FRACTION = 0.14
BOARD_PX = 480
REACH_FRACTION = 0.085
"""How far an edge of a board is looked for on each side of the tapped one."""
CANDIDATES_A_SIDE = 4
HYPOTHESES = 3
"""How many combinations of sides are followed to the end."""
FINE_REACHES_FRACTION = (0.016, 0.011, 0.008, 0.006, 0.005, 0.005)
"""How far a printed line may be from where the fit expects it, step by step."""

WIDE_REACHES_FRACTION = (0.03, 0.022, *FINE_REACHES_FRACTION[:2])
"""The same from where a board was only slid to."""
SLIDES_FRACTION = tuple(0.01 * step for step in range(-5, 6))
"""How far a tapped board is slid as a whole, along each of its sides."""
SLIDES_TRIED = 2
CLEARLY_BETTER = 0.05
"""By so much a slid board must fall on the printed lines better than one that was found by its sides."""

_STEPS = np.linspace(0.05, 0.95, 40)
_RIM = np.concatenate([
    np.column_stack([_STEPS, np.zeros(40)]), np.column_stack([_STEPS, np.ones(40)]),
    np.column_stack([np.zeros(40), _STEPS]), np.column_stack([np.ones(40), _STEPS]),
])
"""(160, 2): points along the four edges of a board, in fractions …"""
_RIM_ACROSS = np.repeat([1, 1, 0, 0], 40)
"""… and whether the edge runs along u (1) or along v (0)."""


class RefineError(Exception):
    """A board that cannot be found where it was tapped; the message says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardFit:
    """Where the print of one board lies."""

    matrix: Matrix
    """(3, 3): fractions of the board to pixels."""
    error_px: float
    """Median distance between printed lines and where the fit puts them, in pixels of the picture."""
    support: float
    """Share of the promised lines that were found, 0 to 1."""
    spaces: Matrix
    """(K, 2): middles of the spaces whose outline was seen on all four sides, in fractions."""
    spaces_px: Matrix
    """(K, 2): where those middles were seen, each by itself: unlike `matrix` this keeps the lens' bend."""


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """How strongly the flat view changes along u and along v, each squeezed to 0 … 1."""

    along: Floats
    """(2, height, width)."""
    scale_px: float
    """View pixels a fraction of 1."""

    def sample(self, points: Matrix, across: NDArray[np.int64]) -> Matrix:
        pixels = np.rint((points + MARGIN_FRACTION) * self.scale_px - 0.5).astype(np.int64)
        _, height, width = self.along.shape
        column, row = pixels[:, 0].clip(0, width - 1), pixels[:, 1].clip(0, height - 1)
        return np.asarray(self.along.ravel().take((across * height + row) * width + column), dtype=np.float64)


def refine_board(image: Image, corners_px: ArrayLike, piece: PieceSpec) -> BoardFit:
    """The print of a board near four tapped corners; RefineError when nothing like it is there."""
    matrix = homography_from(corners_px)
    lines = outlines_of(piece)
    edges = _edges(image, matrix)
    if len(lines.points) < 8:
        return settle(image, matrix, lines)
    by_sides = _best_fit(image, matrix, _best_corners(edges, lines), lines, FINE_REACHES_FRACTION[:2])
    slid = _best_fit(image, matrix, _best_slides(edges, lines), lines, WIDE_REACHES_FRACTION)
    return settle(image, (slid if slid[0] > by_sides[0] + CLEARLY_BETTER else by_sides)[1], lines)


def _best_fit(
    image: Image, matrix: Matrix, starts: Sequence[Matrix], lines: Outlines, reaches: Sequence[float]
) -> tuple[float, Matrix]:
    """The start, as corners in fractions of the tapped board, that can be pulled onto the lines best: its score and
    where it was pulled to."""
    tried = [_settled(image, matrix @ homography_from(corners), lines, reaches)[0] for corners in starts]
    return max(((line_score(image, fit, lines), fit) for fit in tried), key=lambda pair: pair[0])


def line_score(image: Image, matrix: Matrix, lines: Outlines) -> float:
    """How well the promised lines fall on printed ones under a fit, 0 to 1."""
    return _line_score(_edges(image, matrix), lines, UNIT_SQUARE)


def likely_slides(image: Image, matrix: Matrix, lines: Outlines) -> list[Matrix]:
    """Where a tapped board would lie if all its taps were off to the same side, likeliest first."""
    return [matrix @ homography_from(corners) for corners in _best_slides(_edges(image, matrix), lines)]


def settle(image: Image, matrix: Matrix, lines: Outlines) -> BoardFit:
    """Pull a fit that is nearly right onto the printed lines."""
    if len(lines.points) < 8:
        return BoardFit(matrix, math.nan, 0.0, UNIT_SQUARE, apply(matrix, UNIT_SQUARE))
    matrix, error, support = _settled(image, matrix, lines, FINE_REACHES_FRACTION)
    spaces, seen = _seen_spaces(_edges(image, matrix), lines, FINE_REACHES_FRACTION[-1])
    corners = apply(matrix, UNIT_SQUARE)
    side_px = float(np.mean(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)))
    return BoardFit(matrix / matrix[2, 2], error * side_px, support, spaces, apply(matrix, seen))


def pull(image: Image, matrix: Matrix, lines: Outlines, reach: float) -> Matrix:
    """A fit after one step towards the lines that are seen no farther off than `reach`."""
    return np.asarray(matrix @ _pull(_edges(image, matrix), lines, reach)[0])


def _settled(
    image: Image, matrix: Matrix, lines: Outlines, reaches: Sequence[float]
) -> tuple[Matrix, float, float]:
    """Step by step towards the lines, with the median miss (in fractions) and the share of lines seen at the end."""
    error = support = 0.0
    for reach in reaches:
        step, error, support = _pull(_edges(image, matrix), lines, reach)
        matrix = matrix @ step
    return matrix, error, support


def _edges(image: Image, matrix: Matrix) -> _Edges:
    size = round(BOARD_PX * (1 + 2 * MARGIN_FRACTION))
    flat = rectify(image, matrix, (size, size), MARGIN_FRACTION)
    lab = cv2.split(cv2.GaussianBlur(cv2.cvtColor(flat, cv2.COLOR_BGR2Lab).astype(np.float32), (0, 0), 1.0))
    along = np.stack([_strongest(lab, 1, 0), _strongest(lab, 0, 1)])
    # Strong and faint lines should count nearly alike: an edition may print its cells in pale brown on cream.
    usual = float(np.percentile(along[:, ::3, ::3], 75)) + 1.0
    along /= along + np.float32(1.5 * usual)
    return _Edges(along, size / (1 + 2 * MARGIN_FRACTION))


def _strongest(channels: Sequence[NDArray[Any]], across: int, down: int) -> Floats:
    """How much the one of three channels changes that changes most, without its sign."""
    first, *others = (cv2.Scharr(channel, cv2.CV_32F, across, down) for channel in channels)
    most = np.asarray(np.abs(first, out=first), dtype=np.float32)
    for slopes in others:
        np.maximum(most, np.abs(slopes, out=slopes), out=most)
    return most


def _best_corners(edges: _Edges, lines: Outlines) -> list[Matrix]:
    """The likeliest corners, as fractions of the tapped board, among all combinations of likely sides."""
    top, right, bottom, left = (_side_candidates(edges, side) for side in range(4))
    # Every side meets every other in one place, whatever the remaining two are.
    meets = [
        np.array([[_cross(one, other) for other in beside] for one in along])
        for along, beside in ((top, left), (top, right), (bottom, right), (bottom, left))
    ]
    numbers = itertools.product(range(len(top)), range(len(right)), range(len(bottom)), range(len(left)))
    ranked = [
        np.array([meets[0][one, last], meets[1][one, two], meets[2][three, two], meets[3][three, last]])
        for one, two, three, last in numbers
    ]
    scores = np.array([_line_score(edges, lines, corners) for corners in ranked])
    return [ranked[index] for index in np.argsort(-scores, kind="stable")[:HYPOTHESES]]


def _best_slides(edges: _Edges, lines: Outlines) -> list[Matrix]:
    """The likeliest corners where all taps are off to the same side: the edges of a table may look like a board's."""
    slides = [UNIT_SQUARE + np.array([u, v]) for u, v in itertools.product(SLIDES_FRACTION, repeat=2)]
    return sorted(slides, key=lambda corners: -_line_score(edges, lines, corners))[:SLIDES_TRIED]


def _side_candidates(edges: _Edges, side: int) -> list[tuple[Matrix, Matrix]]:
    """The likeliest straight edges near one side (0 top, 1 right, 2 bottom, 3 left), each as two points; the tapped
    side itself is one of them."""
    horizontal = side % 2 == 0
    base = 0.0 if side in (0, 3) else 1.0
    offsets = np.arange(-REACH_FRACTION, REACH_FRACTION + 1e-9, 0.004)
    along = np.linspace(0.04, 0.96, 70)
    grid_along, grid_offset = np.meshgrid(along, offsets, indexing="ij")
    flat = np.column_stack([grid_along.ravel(), base + grid_offset.ravel()])
    points = flat if horizontal else flat[:, ::-1]
    strength = edges.sample(points, np.full(len(points), 1 if horizontal else 0)).reshape(grid_along.shape)
    index = np.arange(len(offsets))
    first, second = np.meshgrid(index, index, indexing="ij")
    at = np.rint(first[..., None] * (1 - along) + second[..., None] * along).astype(np.int64)
    score = strength[np.arange(len(along)), at].mean(axis=-1)
    score[np.abs(first - second) > 24] = -1.0
    found: list[tuple[Matrix, Matrix]] = []
    work = score.copy()
    for _ in range(CANDIDATES_A_SIDE):
        row, column = np.unravel_index(int(work.argmax()), work.shape)
        found.append(_side_points(base + offsets[row], base + offsets[column], horizontal))
        work[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3] = -1.0
    return [*found, _side_points(base, base, horizontal)]


def _side_points(start: float, end: float, horizontal: bool) -> tuple[Matrix, Matrix]:
    if horizontal:
        return np.array([0.0, start]), np.array([1.0, end])
    return np.array([start, 0.0]), np.array([end, 1.0])


def _cross(one: tuple[Matrix, Matrix], other: tuple[Matrix, Matrix]) -> Matrix:
    """Where two lines meet."""
    a, b = one[1] - one[0], other[1] - other[0]
    way = np.linalg.solve(np.column_stack([a, -b]), other[0] - one[0])
    return np.asarray(one[0] + way[0] * a, dtype=np.float64)


def _line_score(edges: _Edges, lines: Outlines, corners: Matrix) -> float:
    """How well the promised lines fall on printed ones, and the cut on the board's edge."""
    count = len(lines.points)
    points, across = np.concatenate([lines.points, _RIM]), np.concatenate([lines.across, _RIM_ACROSS])
    seen = edges.sample(apply(homography_from(corners), points), across)
    score = float((seen[:count] * lines.weights).sum() / max(lines.weights.sum(), 1e-9)) if count else 0.0
    rim = float((seen[count:].reshape(4, -1).mean(axis=1) / 4).sum())
    return score + 0.25 * rim


def _pull(edges: _Edges, lines: Outlines, reach: float) -> tuple[Matrix, float, float]:
    """One robust step: the homography (in fractions) that moves the lines onto what is printed near them."""
    direction, miss, height, seen = _misses(edges, lines, reach)
    weights = lines.weights * height * seen
    if seen.sum() < 12:
        return np.eye(3), math.inf, 0.0
    rows = _jacobian(lines, direction)
    delta = np.zeros(8)
    for _ in range(6):
        left = miss - rows @ delta
        robust = weights / (1.0 + (left / (0.35 * reach)) ** 2)
        # A gentle pull to no change keeps a half-covered board from folding.
        normal = rows.T @ (rows * robust[:, None]) + np.diag([1e-3] * 6 + [3e-3] * 2) * robust.sum()
        delta += np.linalg.solve(normal, rows.T @ (left * robust))
    left = miss - rows @ delta
    step = np.array([[1 + delta[0], delta[1], delta[2]], [delta[3], 1 + delta[4], delta[5]], [delta[6], delta[7], 1.0]])
    # The parameters are taken about the middle of the board, where they disturb each other least.
    centre = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    return centre @ step @ np.linalg.inv(centre), float(np.median(np.abs(left[seen]))), float(seen.mean())


def _misses(edges: _Edges, lines: Outlines, reach: float) -> tuple[Matrix, Matrix, Matrix, NDArray[np.bool_]]:
    """For each point of a line: the direction across, how far off the print is, how clear, and whether seen."""
    offsets = np.arange(-reach, reach + 1e-9, 0.5 / edges.scale_px)
    direction = np.where(lines.across[:, None] == 0, (1.0, 0.0), (0.0, 1.0))
    points = lines.points[:, None, :] + direction[:, None, :] * offsets[None, :, None]
    strength = edges.sample(points.reshape(-1, 2), np.repeat(lines.across, len(offsets))).reshape(len(lines.points), -1)
    # A line slightly off is likelier than one far off: near ones win ties.
    peak = (strength - 0.25 * np.abs(offsets) / reach).argmax(axis=1)
    height = strength[np.arange(len(peak)), peak]
    seen = (height > 0.35) & (peak > 0) & (peak < len(offsets) - 1)
    return direction, offsets[peak], height, seen


def _seen_spaces(edges: _Edges, lines: Outlines, reach: float) -> tuple[Matrix, Matrix]:
    """Middles of the spaces with four clear sides, where they should be and where they are seen (both fractions)."""
    _, miss, _, seen = _misses(edges, lines, reach)
    sides = miss.reshape(-1, 4, SAMPLES_A_SIDE)
    clear = seen.reshape(-1, 4, SAMPLES_A_SIDE).mean(axis=2).min(axis=1) > 0.6
    middles = lines.points.reshape(-1, 4 * SAMPLES_A_SIDE, 2).mean(axis=1)[clear]
    side = np.median(sides, axis=2)[clear]
    # Sides come as left, top, right, bottom.
    off = np.column_stack([(side[:, 0] + side[:, 2]) / 2, (side[:, 1] + side[:, 3]) / 2])
    return middles, middles + off


def _jacobian(lines: Outlines, direction: Matrix) -> Matrix:
    """How each line moves across itself with the eight numbers of a homography about the middle."""
    u, v = (lines.points - 0.5).T
    one, none = np.ones(len(u)), np.zeros(len(u))
    along_u = np.column_stack([u, v, one, none, none, none, -u * u, -u * v])
    along_v = np.column_stack([none, none, none, u, v, one, -u * v, -v * v])
    return np.asarray(along_u * direction[:, :1] + along_v * direction[:, 1:], dtype=np.float64)
