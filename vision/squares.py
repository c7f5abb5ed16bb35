"""Finding tiles of one known size, at any angle and touching, in maps of evidence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

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
LEAST_APART, BOTH_WHOLE_APART, AS_GOOD = 0.85, 0.75, 0.5
"""How far apart the middles of two tiles are at least, in edges: round ones of one colour that touch seem to draw
together, but both show their whole rim, so that one scores no more than this below the other."""
CLEAR_SCORE, APART = 3.0, (0.3, 1.2)
"""Two tiles that score as much, and whose middles are so many edges from that of one across both, are there rather than
that one."""
MAY_OVERLAP = 0.12
"""Share of a tile that may seem to lie under its neighbour, from errors of position and angle."""
ROUND_CORNERS = 12
"""Directions in which the rim of a round tile is looked at."""
OUTSIDE = -3.0
"""Evidence beyond the edge of a map, and the least there is."""
CODES = 42.5
"""Bytes to a unit of evidence: 0 to 255 stand for -3 to 3."""
NOT_EMPTY_CODE = 64
"""From here a spot is rather not empty."""
LEAST_SUPPORT = 0.5
"""Angles with less than this share of the edges of an average one are left out."""
MOST_BEHIND, LONE_SHARE = 0.33, 0.6
"""So are those with less than this share of the edges of the likeliest one. In a heap, a lone tile has less: so much of
what one of the others has, were they all alike."""
SINGLE_AREA = 1.6
"""What covers less than this many tiles is a single one, shadow and all."""
SLOPE_UNITS = 4.0
"""Sobel's sums to a level of brightness over two pixels."""
MARGIN = 0.3
"""So much of an edge is looked at around what is not empty."""
PLAIN, PLAIN_WIDTH = 0.25, 0.5
"""Where round tiles score no less than this below the best they are on a plain, if it is so many edges wide."""
HILL = 0.5
"""Where a round tile scores no less than this below its best, its middle may lie as well."""
MOST_CHANNELS = 4
"""OpenCV turns pictures of up to this many channels."""


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
    """The maps in which tiles are looked for; all (height, width). Evidence is coded in bytes by `code`."""

    evidence: Sequence[Bytes]
    """For each colour that may lie here, how much speaks for it."""
    colours: Sequence[int]
    """What the colours are called outside."""
    anything: Bytes
    """How much speaks for anything but the empty place."""
    slope_x: NDArray[np.int16]
    """Step to the right, in SLOPE_UNITS, of the channel in which it is steepest."""
    slope_y: NDArray[np.int16]


def code(evidence: Floats) -> Bytes:
    """Evidence from -3 to 3 as bytes: maps of bytes are turned and summed several times as fast."""
    return np.asarray(cv2.convertScaleAbs(np.maximum(evidence - OUTSIDE, 0.0), alpha=CODES), dtype=np.uint8)


def slopes(view: NDArray[np.uint8]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """The steepest channel's slope to the right and downwards."""
    right, down = (cv2.Sobel(view, cv2.CV_16S, *order, ksize=3) for order in ((1, 0), (0, 1)))
    channels = list(zip(cv2.split(right), cv2.split(down), cv2.split(_steepness(right, down)), strict=True))
    best_x, best_y, steepest = channels[0]
    for one_x, one_y, steep in channels[1:]:
        steeper = cv2.compare(steep, steepest, cv2.CMP_GT)
        cv2.copyTo(one_x, steeper, best_x)
        cv2.copyTo(one_y, steeper, best_y)
        steepest = cv2.max(steep, steepest)
    return np.asarray(best_x, dtype=np.int16), np.asarray(best_y, dtype=np.int16)


def candidates(scene: Scene, corner_px: tuple[int, int], shape: Shape, least_score: float) -> list[Found]:
    """Where a tile would score best among its neighbours, at each angle; the maps begin at `corner_px`.

    A tile must have its sides below it and edges all around, which keeps its sides or its shadow from being taken for
    another tile.
    """
    founds: list[Found] = []
    core_px = _odd(CORE * shape.edge_px)
    near = np.ones((_odd(shape.edge_px * 0.5),) * 2, np.uint8)
    inside = np.flatnonzero(scene.anything > NOT_EMPTY_CODE)
    if not len(inside):
        return founds
    outline = _outline_of(scene.anything > NOT_EMPTY_CODE)
    stacks = _stacked([scene.anything, *scene.evidence])
    for step in [0] if shape.is_round else _likely_steps(scene, inside, shape):
        turn = _Turn(scene.anything.shape, math.radians(90.0 / ANGLES * step), outline, MARGIN * shape.edge_px)
        below, *cores = (_disc if shape.is_round else _box)([turn.map(stack) for stack in stacks], core_px)
        top = cores[0]
        for core in cores[1:]:
            top = np.asarray(cv2.max(top, core), dtype=np.uint8)
        sides = cv2.min(top, _moved(below, turn.vector(shape.foot_px)))
        scores = np.asarray(
            cv2.addWeighted(
                top, (1.0 - SIDES) / CODES, sides, SIDES / CODES, OUTSIDE - 0.5 * EDGE_GAIN, dtype=cv2.CV_32F
            ),
            dtype=np.float32,
        )
        seen = turn.cut(_round_outline(scene, shape)) if shape.is_round else _outline(turn.edges(scene), shape)
        cv2.scaleAdd(seen, EDGE_GAIN, scores, scores)
        founds += [
            Found(x + corner_px[0], y + corner_px[1], turn.angle_rad, scene.colours[colour], score, shape.is_round)
            for x, y, colour, score in _peaks(scores, near, least_score, cores, turn, shape)
        ]
    return founds


def pick(founds: Iterable[Found], shape: Shape, known: Sequence[Found] = ()) -> list[Found]:
    """The best tiles that do not overlap each other or one that is known, best first."""
    best = sorted(founds, key=lambda found: -found.score)
    picked = _clear_of_each_other(best, shape, known)
    clear = [found for found in best if found.score >= CLEAR_SCORE]
    if not shape.is_round or len(clear) <= len(picked):
        return picked
    # Where tiles of one colour touch, one in the midst of them all scores as well as any, and keeps them out.
    x_px, y_px = (sum(values) / len(clear) for values in zip(*((each.x_px, each.y_px) for each in clear), strict=True))
    outermost = sorted(clear, key=lambda found: -math.hypot(found.x_px - x_px, found.y_px - y_px))
    packed = _clear_of_each_other(outermost, shape, known)
    return sorted(packed, key=lambda found: -found.score) if len(packed) > len(picked) else picked


def _clear_of_each_other(founds: Sequence[Found], shape: Shape, known: Sequence[Found]) -> list[Found]:
    """Those that do not overlap one before them or one that is known."""
    kept = list(known)
    for found in founds:
        if not _overlaps(found, kept, shape.edge_px, shape.is_round):
            kept.append(found)
    return kept[len(known) :]


def split(
    founds: Sequence[Found], possible: Sequence[Found], shape: Shape, known: Sequence[Found] = ()
) -> list[Found]:
    """The tiles with each that lies across two others given up for both, if those are clear tiles and nothing else is
    in their way: best first, it had kept them both out."""
    kept = list(founds)
    if shape.is_round:
        return kept
    for found in founds:
        near = [each for each in possible if each.score >= CLEAR_SCORE and _is_beside(each, found, shape.edge_px)]
        if len(near) < 2:
            continue
        rest = [each for each in kept if each is not found]
        both = pick(near, shape, [*known, *rest])
        if len(both) >= 2:
            kept = [*rest, *both]
    return sorted(kept, key=lambda found: -found.score)


def _is_beside(one: Found, other: Found, edge_px: float) -> bool:
    """Whether a tile lies partly where another does."""
    apart = math.hypot(one.x_px - other.x_px, one.y_px - other.y_px)
    return APART[0] * edge_px < apart < APART[1] * edge_px


def corners_of(found: Found, edge_px: float) -> NDArray[np.float32]:
    """(N, 2) corners of a tile's top; of a round one, points all around it."""
    if found.is_round:
        turns = np.arange(ROUND_CORNERS) * (2 * math.pi / ROUND_CORNERS)
        rim = np.column_stack([np.cos(turns), np.sin(turns)]) * (edge_px / 2)
        return np.asarray(rim + np.array([found.x_px, found.y_px]), dtype=np.float32)
    return np.asarray(cv2.boxPoints(_box_of(found, edge_px)), dtype=np.float32)


class _Turn:
    """Turns maps so that tiles at one angle stand upright, and leaves away what is empty all around."""

    def __init__(
        self, shape: tuple[int, ...], angle_rad: float, outline: Sequence[tuple[int, int]], margin_px: float
    ) -> None:
        height, width = shape
        self.angle_rad = angle_rad
        self.cosine, self.sine = math.cos(angle_rad), math.sin(angle_rad)
        wide = math.ceil(width * self.cosine + height * self.sine)
        tall = math.ceil(width * self.sine + height * self.cosine)
        x, y = (width - 1) / 2, (height - 1) / 2
        right = (wide - 1) / 2 - self.cosine * x - self.sine * y
        down = (tall - 1) / 2 + self.sine * x - self.cosine * y
        across = [x * self.cosine + y * self.sine + right for x, y in outline]
        along = [y * self.cosine - x * self.sine + down for x, y in outline]
        # Whole pixels are left away: where a tile is found must not depend on that.
        left, top = (max(0, math.floor(min(values) - margin_px)) for values in (across, along))
        end, bottom = (
            min(most, math.ceil(max(values) + margin_px) + 1) for values, most in ((across, wide), (along, tall))
        )
        self._window = (slice(top, bottom), slice(left, end))
        self._size = (end - left, bottom - top)
        self._turn = np.array([[self.cosine, self.sine, right - left], [-self.sine, self.cosine, down - top]])
        self._still = angle_rad == 0.0
        self._shift = (right - left, down - top)

    def cut(self, values: Any) -> Any:
        """The window of an upright map."""
        return values[self._window]

    def map(self, values: Bytes) -> Bytes:
        """A map of one or several channels, turned."""
        if self._still:
            return np.ascontiguousarray(values[self._window])
        return np.asarray(cv2.warpAffine(values, self._turn, self._size, flags=cv2.INTER_LINEAR), dtype=np.uint8)

    def edges(self, scene: Scene) -> Sequence[Bytes]:
        """How clear the edges are that are crossed to the right and downwards, 255 being quite clear."""
        crossed = [_edges(scene, self.cosine, self.sine), _edges(scene, -self.sine, self.cosine)]
        turned = cv2.split(self.map(np.asarray(cv2.merge(crossed), dtype=np.uint8)))
        return [np.asarray(one, dtype=np.uint8) for one in turned]

    def place(self, column: float, row: float) -> tuple[float, float]:
        """Where a pixel of a turned map lies in the maps as they were."""
        x, y = column - self._shift[0], row - self._shift[1]
        return self.cosine * x - self.sine * y, self.sine * x + self.cosine * y

    def vector(self, vector_px: tuple[float, float]) -> tuple[int, int]:
        x, y = vector_px
        return round(x * self.cosine + y * self.sine), round(y * self.cosine - x * self.sine)


def _outline_of(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Columns and rows of the first and the last pixel of a mask in each of its rows."""
    rows = np.flatnonzero(mask.any(axis=1))
    some = mask[rows]
    first, last = some.argmax(axis=1), mask.shape[1] - 1 - some[:, ::-1].argmax(axis=1)
    ends = np.stack([np.concatenate([first, last]), np.concatenate([rows, rows])], axis=1)
    hull = cv2.convexHull(ends.astype(np.int32)).reshape(-1, 2)
    return [(int(x), int(y)) for x, y in hull.tolist()]


def _peaks(
    scores: Floats, near: Bytes, least_score: float, cores: Sequence[Bytes], turn: _Turn, shape: Shape
) -> Iterator[tuple[float, float, int, float]]:
    """Where scores are highest among their neighbours: x and y, the colour that speaks loudest, and the score."""
    highest = cv2.compare(scores, cv2.dilate(scores, near), cv2.CMP_GE)
    tops: list[tuple[int, int]] = [(row, column) for row, column in np.argwhere((scores > least_score) & (highest > 0))]
    middles: list[tuple[float, float]] = [(column, row) for row, column in tops]
    if shape.is_round:
        hills = [_Hill.around(scores, row, column, len(near) // 2) for row, column in tops]
        middles = _drawn_apart(hills, LEAST_APART * shape.edge_px)
        ends = list(_ends_of_plains(scores, least_score, shape))
        tops, middles = [*tops, *ends], [*middles, *((column, row) for row, column in ends)]
    for (row, column), middle in zip(tops, middles, strict=True):
        loudness = [int(core[row, column]) for core in cores]
        yield *turn.place(*middle), loudness.index(max(loudness)), float(scores[row, column])


def _ends_of_plains(scores: Floats, least_score: float, shape: Shape) -> Iterator[tuple[int, int]]:
    """Rows and columns at the ends of each plain on which a round tile scores the same all over, because several of one
    colour touch: the outermost of them lie there."""
    plains = (scores > max(least_score, float(scores.max()) - PLAIN)).astype(np.uint8)
    count, labels = cv2.connectedComponents(plains)
    for number in range(1, count):
        spots = np.argwhere(labels == number)
        if np.ptp(spots, axis=0).max() < PLAIN_WIDTH * shape.edge_px:
            continue
        ends: list[NDArray[np.intp]] = []
        for spot in spots[np.argsort(-np.hypot(*(spots - spots.mean(axis=0)).T), kind="stable")]:
            if all(np.hypot(*(spot - end)) >= LEAST_APART * shape.edge_px for end in ends):
                ends.append(spot)
                yield int(spot[0]), int(spot[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Hill:
    """The spots where a round tile scores nearly its best: without corners, it does some pixels aside."""

    score: float
    columns: Floats
    rows: Floats
    weights: Floats
    """(N,): how much each of the spots counts."""

    @staticmethod
    def around(scores: Floats, row: int, column: int, reach_px: int) -> _Hill:
        top, left = max(row - reach_px, 0), max(column - reach_px, 0)
        around = scores[top : row + reach_px + 1, left : column + reach_px + 1]
        weights = np.maximum(around - (scores[row, column] - np.float32(HILL)), 0.0)
        rows, columns = np.nonzero(weights)
        return _Hill(float(scores[row, column]), (columns + left).astype(np.float32), (rows + top).astype(np.float32),
                     weights[rows, columns])

    def middle(self, off: tuple[float, float] = (0.0, 0.0), least_px: float = 0.0) -> tuple[float, float] | None:
        """Column and row of the middle of the spots that lie so far off another; None if none does."""
        far = np.hypot(self.columns - off[0], self.rows - off[1]) >= least_px
        total = float(self.weights[far].sum())
        if not total:
            return None
        return float(self.columns[far] @ self.weights[far]) / total, float(self.rows[far] @ self.weights[far]) / total


def _drawn_apart(hills: Sequence[_Hill], apart_px: float) -> list[tuple[float, float]]:
    """The middles of hills. Two tiles of one colour that touch are one long ridge, and seem to lie across each other:
    where each can as well lie clear of the other, it does."""
    middles = [hill.middle() or (float(hill.columns[0]), float(hill.rows[0])) for hill in hills]
    clear = list(middles)
    for (one, hill), (other, beside) in itertools.permutations(enumerate(hills), 2):
        is_near = math.dist(middles[one], middles[other]) < apart_px
        if is_near and abs(hill.score - beside.score) < AS_GOOD:
            clear[one] = hill.middle(middles[other], apart_px) or clear[one]
    return clear


def _stacked(planes: Sequence[Bytes]) -> list[Bytes]:
    """Planes as pictures of as many channels as OpenCV turns in one go."""
    return [
        np.asarray(cv2.merge(planes[start : start + MOST_CHANNELS]), dtype=np.uint8)
        for start in range(0, len(planes), MOST_CHANNELS)
    ]


def _likely_steps(scene: Scene, inside: NDArray[np.intp], shape: Shape) -> list[int]:
    """The angles at which edges run at all inside what is not empty: a single tile has one, or lies between two, a heap
    has several."""
    x, y = (slope.ravel().take(inside).astype(np.float32) for slope in (scene.slope_x, scene.slope_y))
    steepness = np.minimum(np.abs(x) + np.abs(y), np.float32(EDGE_LEVELS * SLOPE_UNITS))
    turns = np.asarray(cv2.phase(x, y), dtype=np.float32).ravel()
    bins = np.rint(turns * np.float32(ANGLES / (math.pi / 2))).astype(np.intp)
    every = np.bincount(bins, weights=steepness, minlength=5 * ANGLES)
    support = every.reshape(5, ANGLES).sum(axis=0)
    tiles = len(inside) / shape.edge_px**2
    behind = min(MOST_BEHIND, LONE_SHARE / max(1.0, tiles - 1.0))
    least = max(LEAST_SUPPORT * float(support.mean()), behind * float(support.max()))
    likely = np.flatnonzero(support >= least).tolist()
    if tiles < SINGLE_AREA:
        likely.sort(key=lambda step: -support[step])
        return likely[:2]
    return likely


def _outline(edges: Sequence[Bytes], shape: Shape) -> Floats:
    """How much of a tile's four edges is seen, 0 to 1, were its middle here, from the edges crossed to the right and
    those crossed downwards."""
    across, along = edges
    length = _odd(0.8 * shape.edge_px)
    half = round(shape.edge_px / 2)
    parts: list[Bytes] = []
    for crossed, step, near, window in (
        (across, (half, 0), (1, 3), (1, length)), (along, (0, half), (3, 1), (length, 1)),
    ):
        seen = cv2.blur(cv2.dilate(crossed, np.ones(near, np.uint8)), window)
        parts += _both_ways(np.asarray(seen, dtype=np.uint8), step)
    return _summary(parts)


def _summary(parts: Sequence[Bytes]) -> Floats:
    """Four edges as one number, 0 to 1: their mean, drawn towards the weakest."""
    one, two, three, four = parts
    least = cv2.min(cv2.min(one, two), cv2.min(three, four))
    total = np.add(np.add(one, two, dtype=np.uint16), np.add(three, four, dtype=np.uint16))
    share = np.float32((1.0 - WEAKEST_EDGE) / 4 / 255)
    return np.asarray(total * share + least * np.float32(WEAKEST_EDGE / 255), dtype=np.float32)


def _edges(scene: Scene, right: float, down: float) -> Bytes:
    """How clear an edge is that is crossed in one direction, 255 being quite clear."""
    slope = cv2.addWeighted(scene.slope_x, right, scene.slope_y, down, 0.0)
    return np.asarray(cv2.convertScaleAbs(slope, alpha=255 / (EDGE_LEVELS * SLOPE_UNITS)), dtype=np.uint8)


def _steepness(right: Any, down: Any) -> Any:
    return cv2.add(np.abs(right), np.abs(down))


def _round_outline(scene: Scene, shape: Shape) -> Floats:
    """The same for a round tile: how clear its rim is all around, the weakest quarter counting most."""
    quarters: list[Bytes] = []
    near = np.ones((3, 3), np.uint8)
    reach = shape.edge_px / 2
    for step in range(ROUND_CORNERS):
        turn = step * (2 * math.pi / ROUND_CORNERS)
        cosine, sine = math.cos(turn), math.sin(turn)
        edges = np.asarray(cv2.dilate(_edges(scene, cosine, sine), near), dtype=np.uint8)
        quarters.append(_moved(edges, (round(reach * cosine), round(reach * sine))))
    quarter = ROUND_CORNERS // 4
    parts = [
        np.asarray(np.mean(quarters[start : start + quarter], axis=0), dtype=np.uint8)
        for start in range(0, ROUND_CORNERS, quarter)
    ]
    return _summary(parts)


def _moved(values: Bytes, step_px: tuple[int, int]) -> Bytes:
    """What lies `step_px` away, at each pixel; beyond the edge, what lies at the edge."""
    x, y = step_px
    if x == 0 and y == 0:
        return values
    height, width = values.shape
    wider = cv2.copyMakeBorder(values, max(-y, 0), max(y, 0), max(-x, 0), max(x, 0), cv2.BORDER_REPLICATE)
    return np.asarray(wider[max(y, 0) : max(y, 0) + height, max(x, 0) : max(x, 0) + width], dtype=np.uint8)


def _both_ways(values: Bytes, step_px: tuple[int, int]) -> list[Bytes]:
    """What lies `step_px` away at each pixel, and what lies as far the other way."""
    x, y = step_px
    height, width = values.shape
    wider = np.asarray(cv2.copyMakeBorder(values, y, y, x, x, cv2.BORDER_REPLICATE), dtype=np.uint8)
    return [wider[2 * y : 2 * y + height, 2 * x : 2 * x + width], wider[:height, :width]]


def _overlaps(found: Found, kept: Sequence[Found], edge_px: float, is_round: bool) -> bool:
    for other in kept:
        apart = math.hypot(found.x_px - other.x_px, found.y_px - other.y_px)
        both_whole = is_round and found.score > other.score - AS_GOOD
        if apart < edge_px * (BOTH_WHOLE_APART if both_whole else LEAST_APART):
            return True
        if is_round or apart > edge_px * math.sqrt(2.0):
            continue
        kind, corners = cv2.rotatedRectangleIntersection(_box_of(found, edge_px), _box_of(other, edge_px))
        if kind and corners is not None and cv2.contourArea(cv2.convexHull(corners)) > MAY_OVERLAP * edge_px**2:
            return True
    return False


def _box_of(found: Found, edge_px: float) -> tuple[tuple[float, float], tuple[float, float], float]:
    return (found.x_px, found.y_px), (edge_px, edge_px), math.degrees(found.angle_rad)


def _box(stacks: Sequence[Bytes], edge_px: int) -> list[Bytes]:
    """Means over squares, plane by plane."""
    means = [cv2.blur(stack, (edge_px, edge_px), borderType=cv2.BORDER_REPLICATE) for stack in stacks]
    return [np.asarray(one, dtype=np.uint8) for stack in means for one in cv2.split(stack)]


def _disc(stacks: Sequence[Bytes], diameter_px: int) -> list[Bytes]:
    """Means over discs, plane by plane."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (diameter_px, diameter_px)).astype(np.float32)
    means = [
        cv2.filter2D(stack, cv2.CV_8U, disc / disc.sum(), borderType=cv2.BORDER_REPLICATE) for stack in stacks
    ]
    return [np.asarray(one, dtype=np.uint8) for stack in means for one in cv2.split(stack)]


def _odd(length_px: float) -> int:
    return 2 * round((length_px - 1) / 2) + 1
