"""Finds boards in one picture without a single tap: four-sided patches under which the printed lines of a layout lie.

A patch may be the whole board or one printed field of it (a track, a wall): where the cut of a board melts into the
table, its fields still stand out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import shrink
from calibration.outlines import Outlines, outlines_of
from calibration.refine import RefineError, line_score, refine_board
from calibration.rims import Round, find_rims
from vision.colours import to_lab
from vision.frame import Image
from vision.layout import PieceSpec, PlaceSpec
from vision.pose import Camera
from vision.rectify import UNIT_SQUARE, Matrix, apply, homography_from

SEARCH_WIDTH_PX = 1000
LOOK_WIDTH_PX = 1600
"""Patches are looked for in a smaller picture than printed lines."""
SMALLEST_SHARE, LARGEST_SHARE = 0.003, 0.92
"""Area of a patch, as a share of the picture."""
STAND_OUT_LAB = (14.0, 22.0, 32.0)
"""How far a patch may have to stand out from the table; every one of these is tried."""
MOST_PATCHES = 150
"""A picture full of texture falls into thousands of patches; the larger ones count."""
MAIN_COLOURS = 7
EDGE_LEVELS = ((30, 90), (80, 200))
LIKELY_BOARD = 0.68
"""How well printed lines must be met before a patch counts as a board, 0 to 1; a wrong one meets up to 0.66."""
WORTH_A_LOOK = 0.22
"""At a first, rough look a board meets 0.3 to 0.5."""
LOOKS_A_BOARD = 10
"""So many patches are looked at closely for each board that is wanted …"""
LOOKS_A_PLACE = 2
"""… but no more than this in one place of the picture."""
SAME_PLACE = 0.5
"""Two finds whose middles are closer than this share of a board are one."""
SAME_SIZE = 1.3
"""Guesses whose areas differ by less than this are of one size."""
FIELD_SPACES = 8
"""A field has at least so many printed spaces."""
EVERYWHERE = np.array([[u, v] for v in np.linspace(-0.1, 1.1, 24) for u in np.linspace(-0.1, 1.1, 24)])
"""Points all over a board and around it, in fractions."""
SIZE_RATIO = (0.72, 1.3)
"""A patch may be a board with a part missing, or with something beside it."""
SIZE_OFF, SIZE_OFF_MM = 0.08, 10.0
"""A board that was fitted on its print is off its true size by no more than this share or this much: a small one has
few lines to hold on to."""
SHIFTS = tuple((deg, x, y) for deg in (-4.0, 0.0, 4.0) for x in (-24.0, -12.0, 0.0, 12.0, 24.0)
               for y in (-24.0, -12.0, 0.0, 12.0, 24.0))
"""Turned and moved by so much (degrees, millimetres) a board is looked for around a patch."""
NEARLY = 0.1
"""A board a space further may be met so much worse before it is fitted there, and yet be the right one."""
CUT_WEIGHT = 2.0
"""Where the size is known, the cut of a board says as much as so many of its printed spaces."""
FIELDS_A_BOARD = 3
"""So many round things are tried for each board that is wanted."""
TURN_STEP_DEG = 4
MOST_OVERLAP = 0.1
"""Boards lie beside each other: of the smaller one, so much may seem to lie under another."""
THINNED = 5
"""Every so many points of the printed lines are enough for a first look."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A board that was found."""

    corners: Matrix
    """(4, 2) pixels, as its owner names them."""
    score: float
    """How well its printed lines are met, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    """How a small picture changes, in the channel that changes most."""

    across: NDArray[np.float32]
    down: NDArray[np.float32]
    scale: float
    """Pixels of the small picture a pixel of the large one."""

    def at(self, pixels: Matrix) -> tuple[Matrix, Matrix, NDArray[np.bool_]]:
        """Slopes at (N, 2) pixels of the large picture, and which of them lie inside."""
        column = np.rint(pixels[:, 0] * self.scale - 0.5).astype(np.int64)
        row = np.rint(pixels[:, 1] * self.scale - 0.5).astype(np.int64)
        height, width = self.across.shape
        inside = (column >= 0) & (row >= 0) & (column < width) & (row < height)
        column, row = np.clip(column, 0, width - 1), np.clip(row, 0, height - 1)
        return self.across[row, column].astype(np.float64), self.down[row, column].astype(np.float64), inside


def find_boards(picture: Image, piece: PieceSpec, most: int, most_looks: int) -> list[Found]:
    """The likeliest boards of one kind, best first, no two in the same place, after so many close looks at most."""
    lines = outlines_of(piece)
    kept: list[Found] = []
    looks: list[Matrix] = []
    for corners in _hypotheses(picture, piece, lines):
        if len(looks) >= most_looks or len(kept) >= most:
            break
        if any(_same_place(found.corners, corners) for found in kept):
            continue
        if sum(_same_place(look, corners) and _same_size(look, corners) for look in looks) >= LOOKS_A_PLACE:
            continue
        looks.append(corners)
        placed = _fitted(picture, corners, piece, lines)
        if placed is not None and not any(_same_place(found.corners, placed.corners) for found in kept):
            kept.append(placed)
    return sorted(kept, key=lambda found: -found.score)


def find_sized(
    picture: Image, piece: PieceSpec, most: int, camera: Camera, taken: Sequence[Matrix]
) -> list[Found]:
    """Boards of a known size under a camera that is known, best first, none of them where another was found."""
    lines, slopes = outlines_of(piece, CUT_WEIGHT), _slopes(picture)
    tried: list[tuple[float, Matrix]] = []
    around = [list(_laid_ways(camera, piece, quad)) for quad in patches_of(picture)]
    fields = _fields_seen(picture, piece, most, camera, taken)
    around += [list(_ways_around(camera, piece, middle_mm)) for middle_mm in fields]
    for ways in around:
        scored = [(_first_look(slopes, homography_from(way), lines), way) for way in ways
                  if _is_sound(way, picture) and not any(_overlap(other, way) for other in taken)]
        if scored:
            tried.append(max(scored, key=lambda pair: pair[0]))
    kept: list[Found] = []
    looks = 0
    for score, corners in sorted(tried, key=lambda pair: -pair[0]):
        if len(kept) == most or looks == LOOKS_A_BOARD * most or score < WORTH_A_LOOK:
            break
        if any(_same_place(found.corners, corners) for found in kept):
            continue
        looks += 1
        placed = _fitted(picture, corners, piece, lines)
        if placed is None or not _has_size(camera, piece, placed.corners):
            continue
        if not any(_overlap(other, placed.corners) for other in (*taken, *(found.corners for found in kept))):
            kept.append(placed)
    return kept


def _fields_seen(
    picture: Image, piece: PieceSpec, most: int, camera: Camera, taken: Sequence[Matrix]
) -> list[tuple[float, float]]:
    """Middles on the table of what may be the largest round field of such a board: it stands out even where the cut of
    the board melts into the table."""
    field = _round_field(piece)
    if field is None:
        return []
    wanted = Round(field.size[0] * piece.size_mm[0], piece.thickness_mm)
    return [rim.middle_mm for rim in find_rims(picture, camera, wanted, taken, FIELDS_A_BOARD * most)]


def _round_field(piece: PieceSpec) -> PlaceSpec | None:
    fields = [place for place in piece.places if place.round_area]
    return max(fields, key=lambda place: place.size[0], default=None)


def _ways_around(camera: Camera, piece: PieceSpec, middle_mm: tuple[float, float]) -> Iterator[Matrix]:
    """Corners of boards whose largest round field lies here, turned every way."""
    field = _round_field(piece)
    if field is None:
        return
    off_mm = (UNIT_SQUARE - np.array(field.at)) * np.array(piece.size_mm)
    for turn_deg in range(0, 360, TURN_STEP_DEG):
        cosine, sine = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
        corners = np.array(middle_mm) + off_mm @ np.array([[cosine, sine], [-sine, cosine]])
        yield camera.project(np.column_stack([corners, np.full(4, piece.thickness_mm)]))


def _fitted(picture: Image, corners: Matrix, piece: PieceSpec, lines: Outlines) -> Found | None:
    """The likely board that lies about here, on the right space of its own grid; None where there is none."""
    placed = _fitted_once(picture, corners, piece, lines)
    if placed is None or placed.score < LIKELY_BOARD:
        return None
    return slide(picture, placed, piece, lines)


def _fitted_once(picture: Image, corners: Matrix, piece: PieceSpec, lines: Outlines) -> Found | None:
    """The board about here, however unlikely; None where there is nothing to hold on to."""
    try:
        fit = refine_board(picture, corners, piece)
    except (RefineError, np.linalg.LinAlgError):
        return None
    return Found(apply(fit.matrix, UNIT_SQUARE), line_score(picture, fit.matrix, lines))


def slide(picture: Image, board: Found, piece: PieceSpec, lines: Outlines) -> Found:
    """The board moved on by a space as long as its lines are met better there: a grid fits itself one space further."""
    while True:
        matrix = homography_from(board.corners)
        moved = [apply(matrix, UNIT_SQUARE + step) for step in _spaces(piece)]
        scored = [(line_score(picture, homography_from(corners), lines), corners) for corners in moved]
        best = max(scored, key=lambda pair: pair[0], default=(0.0, board.corners))
        fitted = _fitted_once(picture, best[1], piece, lines) if best[0] > board.score - NEARLY else None
        if fitted is None or fitted.score <= board.score:
            return board
        board = fitted


def _spaces(piece: PieceSpec) -> list[Matrix]:
    """From a printed space to those beside it, in fractions of the board."""
    steps = set()
    for spaces in _printed(piece).values():
        at = np.array(spaces)[:, :2]
        for axis in (0, 1):
            apart = np.diff(np.unique(at[:, axis].round(3)))
            if len(apart):
                steps.add((axis, float(apart.min())))
    return [sign * step * np.eye(2)[axis] for axis, step in sorted(steps) for sign in (-1.0, 1.0)]


def _laid_ways(camera: Camera, piece: PieceSpec, quad: Matrix) -> Iterator[Matrix]:
    """Corners of boards of the right size that lie where a patch of about that size does, turned every way."""
    on_table = camera.to_plane(quad, piece.thickness_mm)
    (x_mm, y_mm), (width, height), turned_deg = cv2.minAreaRect(on_table.astype(np.float32))
    for quarter in range(4):
        across, down = (width, height) if quarter % 2 == 0 else (height, width)
        if not all(SIZE_RATIO[0] < seen / real < SIZE_RATIO[1]
                   for seen, real in zip((across, down), piece.size_mm, strict=True)):
            continue
        for more_deg, east_mm, north_mm in SHIFTS:
            angle = math.radians(turned_deg + 90 * quarter + more_deg)
            right = np.array([math.cos(angle), math.sin(angle)]) * piece.size_mm[0] / 2
            below = np.array([-math.sin(angle), math.cos(angle)]) * piece.size_mm[1] / 2
            middle = np.array([x_mm + east_mm, y_mm + north_mm])
            corners = np.array([middle - right - below, middle + right - below, middle + right + below,
                                middle - right + below])
            yield camera.project(np.column_stack([corners, np.full(4, piece.thickness_mm)]))


def _has_size(camera: Camera, piece: PieceSpec, corners: Matrix) -> bool:
    on_table = camera.to_plane(corners, piece.thickness_mm)
    sides = np.linalg.norm(np.roll(on_table, -1, axis=0) - on_table, axis=1)
    wanted = np.array([piece.size_mm[0], piece.size_mm[1]] * 2)
    return bool((np.abs(sides - wanted) < np.maximum(SIZE_OFF * wanted, SIZE_OFF_MM)).all())


def _same_place(one: Matrix, other: Matrix) -> bool:
    size = math.sqrt(abs(cv2.contourArea(one.astype(np.float32))))
    return float(np.linalg.norm(one.mean(axis=0) - other.mean(axis=0))) < SAME_PLACE * size


def _overlap(one: Matrix, other: Matrix) -> bool:
    """Whether two boards would lie on each other."""
    first, second = (corners.astype(np.float32) for corners in (one, other))
    shared, _ = cv2.intersectConvexConvex(first, second)
    return shared > MOST_OVERLAP * min(abs(cv2.contourArea(first)), abs(cv2.contourArea(second)))


def _same_size(one: Matrix, other: Matrix) -> bool:
    """A grid fits many patches about the same middle: only those of one size are the same guess."""
    first, second = (abs(cv2.contourArea(corners.astype(np.float32))) for corners in (one, other))
    return max(first, second) < SAME_SIZE * min(first, second)


def _hypotheses(picture: Image, piece: PieceSpec, lines: Outlines) -> list[Matrix]:
    """Corners where a board may lie, the likeliest first."""
    slopes = _slopes(picture)
    ranked: list[tuple[float, Matrix]] = []
    boxes = [UNIT_SQUARE, *_fields(piece)]
    for quad in patches_of(picture):
        for box in boxes:
            for turn in range(4):
                matrix = _board_under(np.roll(quad, -turn, axis=0), box)
                corners = apply(matrix, UNIT_SQUARE)
                if _is_sound(corners, picture):
                    ranked.append((_first_look(slopes, matrix, lines), corners))
    ranked.sort(key=lambda pair: -pair[0])
    return [corners for score, corners in ranked if score >= WORTH_A_LOOK]


def _fields(piece: PieceSpec) -> list[Matrix]:
    """The printed fields of a board, (4, 2) fractions each."""
    found = []
    for spaces in _printed(piece).values():
        at = np.array(spaces)
        low = (at[:, :2] - at[:, 2:] / 2).min(axis=0)
        high = (at[:, :2] + at[:, 2:] / 2).max(axis=0)
        found.append(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))
    return found


def _printed(piece: PieceSpec) -> dict[str, list[tuple[float, float, float, float]]]:
    """The printed spaces of each field, as middles and sizes: those whose names differ in their numbers only."""
    boxes: dict[str, list[tuple[float, float, float, float]]] = {}
    for place in piece.places:
        key = re.sub(r"\d+", "", place.name.removeprefix(piece.name))
        boxes.setdefault(key, []).append((*place.at, *place.size))
        for number, track in enumerate(place.tracks):
            if track.cell is not None:
                boxes.setdefault(f"{place.name}/{number}", []).extend((u, v, *track.cell) for u, v in track.at)
    return {key: spaces for key, spaces in boxes.items() if len(spaces) >= FIELD_SPACES}


def _board_under(quad: Matrix, box: Matrix) -> Matrix:
    """Fractions of the board to pixels, if a patch is that field of it."""
    return np.asarray(homography_from(quad) @ np.linalg.inv(homography_from(box)), dtype=np.float64)


def _is_sound(corners: Matrix, picture: Image) -> bool:
    """Whether corners are those of a four-sided thing that lies mostly in the picture."""
    if not np.isfinite(corners).all():
        return False
    height, width = picture.shape[:2]
    middle = corners.mean(axis=0)
    area = cv2.contourArea(corners.astype(np.float32), oriented=True)
    edges = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return (0 <= middle[0] < width and 0 <= middle[1] < height and bool(np.abs(corners).max() < 2 * width)
            and SMALLEST_SHARE < area / (height * width) < LARGEST_SHARE and float(edges.min() / edges.max()) > 0.3
            and bool(cv2.isContourConvex(corners.astype(np.float32))))


def _slopes(picture: Image) -> _Slopes:
    scale = min(1.0, LOOK_WIDTH_PX / picture.shape[1])
    lab = cv2.GaussianBlur(to_lab(shrink(picture, scale)).astype(np.float32), (0, 0), 1.2)
    across, down = cv2.Scharr(lab, cv2.CV_32F, 1, 0), cv2.Scharr(lab, cv2.CV_32F, 0, 1)
    best = (across**2 + down**2).argmax(axis=2)[..., None]
    chosen = [np.asarray(np.take_along_axis(each, best, 2)[..., 0], dtype=np.float32) for each in (across, down)]
    return _Slopes(chosen[0], chosen[1], scale)


def _first_look(slopes: _Slopes, matrix: Matrix, lines: Outlines) -> float:
    """How well the printed lines are met, roughly."""
    points, across = lines.points[::THINNED], lines.across[::THINNED]
    weights = lines.weights[::THINNED]
    # A step along the line in the picture gives the direction across it there.
    step = np.where(across[:, None] == 0, (0.0, 0.004), (0.004, 0.0))
    pixels = apply(matrix, points)
    along = apply(matrix, points + step) - pixels
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    to_right, to_below, inside = slopes.at(pixels)
    strength = np.abs(to_right * -along[:, 1] + to_below * along[:, 0]) * inside
    # Strong and faint lines should count nearly alike, and busy ground for nothing.
    usual = 1.5 * float(np.percentile(np.hypot(*slopes.at(apply(matrix, EVERYWHERE))[:2]), 75)) + 1.0
    return float((strength / (strength + usual) * weights).sum() / weights.sum())


def patches_of(picture: Image) -> list[Matrix]:
    """Four-sided patches that stand out from the table or are enclosed by lines, each clockwise."""
    scale = min(1.0, SEARCH_WIDTH_PX / picture.shape[1])
    small = shrink(picture, scale)
    area = small.shape[0] * small.shape[1]
    quads: list[Matrix] = []
    for mask in _masks(small):
        closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
        opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        for contour in (*_contours(opened), *_contours(mask)):
            hull = np.asarray(cv2.convexHull(contour), dtype=np.int32)
            size = cv2.contourArea(hull)
            if not SMALLEST_SHARE < size / area < LARGEST_SHARE:
                continue
            quad = _four_corners(hull)
            if quad is not None and cv2.contourArea(quad.astype(np.float32)) > 0.8 * size:
                quads.append(quad / scale)
    quads.sort(key=lambda quad: -cv2.contourArea(quad.astype(np.float32)))
    return _unlike(quads[: 4 * MOST_PATCHES])[:MOST_PATCHES]


def _masks(small: Image) -> Iterator[NDArray[np.uint8]]:
    lab = to_lab(small)
    apart = cv2.GaussianBlur(np.linalg.norm(lab - _table_colour(lab), axis=2).astype(np.float32), (0, 0), 1.5)
    for limit in STAND_OUT_LAB:
        yield (apart > limit).astype(np.uint8) * 255
    yield from _by_colour(lab)
    # Lines of the print itself enclose a board even where its colour is much like the table's.
    smooth = cv2.GaussianBlur(small, (0, 0), 1.2)
    for levels in EDGE_LEVELS:
        edges = np.asarray(cv2.dilate(cv2.Canny(smooth, *levels), np.ones((3, 3), np.uint8)), dtype=np.uint8)
        yield edges
        yield 255 - edges


def _by_colour(lab: NDArray[np.float32]) -> Iterator[NDArray[np.uint8]]:
    """Where each of the main colours of the picture lies: a border keeps together where it meets another dark thing."""
    few = np.ascontiguousarray(lab[::4, ::4].reshape(-1, 3), dtype=np.float32)
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 1.0)
    _, _, middles = cv2.kmeans(few, MAIN_COLOURS, None, stop, 1, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    nearest = np.stack([np.linalg.norm(lab - middle, axis=2) for middle in middles]).argmin(axis=0)
    for number in range(MAIN_COLOURS):
        yield (nearest == number).astype(np.uint8) * 255


def _contours(mask: NDArray[Any]) -> Sequence[NDArray[Any]]:
    return cv2.findContours(np.asarray(mask, dtype=np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]


def _table_colour(lab: NDArray[np.float32]) -> NDArray[np.float32]:
    """The colour that most of the picture has."""
    coarse = (lab[::4, ::4].reshape(-1, 3) / 8.0).round().astype(np.int64)
    keys, counts = np.unique(coarse, axis=0, return_counts=True)
    return np.asarray(keys[counts.argmax()] * 8.0, dtype=np.float32)


def _four_corners(hull: NDArray[np.int32]) -> Matrix | None:
    """The hull as four corners, clockwise; None when it is no four-sided thing."""
    length = cv2.arcLength(hull, True)
    for slack in (0.01, 0.02, 0.03, 0.045, 0.06):
        rough = np.asarray(cv2.approxPolyDP(hull, slack * length, True), dtype=np.float64).reshape(-1, 2)
        if len(rough) == 4:
            x, y = rough[:, 0], rough[:, 1]
            signed = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
            return rough if signed > 0 else rough[::-1].copy()
    return None


def _unlike(quads: Sequence[Matrix]) -> list[Matrix]:
    """Without those that were found twice."""
    kept: list[Matrix] = []
    for quad in quads:
        size = math.sqrt(cv2.contourArea(quad.astype(np.float32)))
        if all(
            np.linalg.norm(other.mean(axis=0) - quad.mean(axis=0)) > 0.05 * size
            or abs(math.sqrt(cv2.contourArea(other.astype(np.float32))) / size - 1) > 0.04
            for other in kept
        ):
            kept.append(quad)
    return kept
