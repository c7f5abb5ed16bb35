"""Where the pieces of any layout lie on the simulated table.

Boards lie before their owners, what is shared lies between them, discs in a ring around the area that they feed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulation.lens import Points
from vision.layout import Layout, PieceSpec, PlaceSpec

GAP_MM = 18.0
RING_CLEARANCE_MM = 12.0
RING_LEAST_RADIUS_MM = 138.0
FREE_AREA_MM = (170.0, 120.0)
PRINT_SHIFT_FRACTION = 0.003
"""A print sits off its cut by up to half a percent on real boards; most by less."""
DEEP_BLOCK_MM = 150.0
"""Players with something deeper than this before them sit at the short sides, so that it fits a wide picture."""
SEAT_DISTANCE_MM = 420.0
"""How far behind a player's things the shoulder is, where an arm comes from."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One piece in place."""

    piece: PieceSpec
    size_mm: tuple[float, float]
    x_mm: float
    y_mm: float
    """Its middle."""
    turn_rad: float
    """Clockwise in the picture; 0 when its owner sits at the lower edge."""
    round: bool = False
    """True for a disc, and for an area that fills a ring of discs."""
    print_shift: tuple[float, float] = (0.0, 0.0)
    """How far the print sits off the cut, in fractions of the piece."""

    def at(self, u: float, v: float) -> tuple[float, float]:
        """Table millimetres of a point given in fractions of the piece."""
        x, y = (u - 0.5) * self.size_mm[0], (v - 0.5) * self.size_mm[1]
        cos, sin = math.cos(self.turn_rad), math.sin(self.turn_rad)
        return self.x_mm + x * cos - y * sin, self.y_mm + x * sin + y * cos

    def printed(self, u: float, v: float) -> tuple[float, float]:
        """Table millimetres of a point of the print, which is where tiles are laid."""
        return self.at(u + self.print_shift[0], v + self.print_shift[1])

    def outline(self) -> Points:
        """(N, 2) millimetres: four corners from the first one, or a polygon where it is round."""
        if self.round:
            turns = np.arange(8) * (math.pi / 4) + self.turn_rad
            return np.array([self.at(0.5 + 0.5 * math.cos(t), 0.5 + 0.5 * math.sin(t)) for t in turns])
        return np.array([self.at(u, v) for u, v in ((0, 0), (1, 0), (1, 1), (0, 1))])


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a player sits."""

    player: int
    x_mm: float
    y_mm: float
    turn_rad: float
    """0 at the lower edge of the picture, a quarter turn at the left."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All pieces and seats of one table."""

    spots: Mapping[str, Spot]
    seats: Mapping[int, Seat]

    def spot_of(self, place: PlaceSpec) -> Spot:
        """The piece that a place belongs to, in place."""
        return self.spots[place.piece]

    def corners_mm(self) -> Points:
        """(N, 2): all corners of all pieces, for hanging the camera."""
        return np.vstack([spot.outline() for spot in self.spots.values()])

    def moved(self, piece: str, dx_mm: float, dy_mm: float, turn_rad: float) -> Arrangement:
        """The same table with one piece nudged."""
        spot = self.spots[piece]
        nudged = replace(spot, x_mm=spot.x_mm + dx_mm, y_mm=spot.y_mm + dy_mm, turn_rad=spot.turn_rad + turn_rad)
        return replace(self, spots={**self.spots, piece: nudged})

    def overlap_mm2(self, piece: str) -> float:
        """How much of a board lies on or under others, all together."""
        shape, others = _shape(self.spots[piece]), [spot for name, spot in self.spots.items() if name != piece]
        boards = [_shape(spot) for spot in others if spot.piece.frame != "polygon"]
        return sum(float(cv2.intersectConvexConvex(shape, board)[0]) for board in boards)


def _shape(spot: Spot) -> NDArray[np.float32]:
    """(N, 2) the rim of a board or of a disc, in millimetres."""
    if spot.piece.frame != "disc":
        return spot.outline().astype(np.float32)
    turns = np.linspace(0.0, 2 * math.pi, 24, endpoint=False)
    rim = np.column_stack([np.cos(turns), np.sin(turns)]) * spot.size_mm[0] / 2 + (spot.x_mm, spot.y_mm)
    return np.asarray(rim, dtype=np.float32)


def arrange(layout: Layout, seed: int, untidiness: float = 1.0) -> Arrangement:
    """Lay out a table; `untidiness` 0 lays everything straight."""
    rng = np.random.default_rng((seed, 11))
    owned: dict[int, list[PieceSpec]] = {}
    for piece in layout.pieces:
        if piece.player is not None:
            owned.setdefault(piece.player, []).append(piece)
    middle, middle_size = _middle([piece for piece in layout.pieces if piece.player is None])
    blocks = {player: _row(pieces) for player, pieces in owned.items()}
    deepest = max((size[1] for _, size in blocks.values()), default=0.0)
    places = _columns(blocks, middle_size) if deepest > DEEP_BLOCK_MM else _sides(blocks, middle_size)
    spots = {spot.piece.name: spot for spot in middle}
    seats: dict[int, Seat] = {}
    for player, (x, y, quarter) in places.items():
        turn = quarter * math.pi / 2
        seats[player] = _seat(player, x, y, turn, blocks[player][1])
        cos, sin = math.cos(turn), math.sin(turn)
        for spot in blocks[player][0]:
            at_x, at_y = x + spot.x_mm * cos - spot.y_mm * sin, y + spot.x_mm * sin + spot.y_mm * cos
            spots[spot.piece.name] = replace(spot, x_mm=at_x, y_mm=at_y, turn_rad=turn)
    jolted = {name: _jolted(spots[name], rng, untidiness) for name in sorted(spots)}
    return Arrangement({piece.name: jolted[piece.name] for piece in layout.pieces}, seats)


def _jolted(spot: Spot, rng: np.random.Generator, untidiness: float) -> Spot:
    """Nobody lays a board quite straight."""
    dx, dy, turn = rng.uniform(-1, 1, 3) * (3.0, 3.0, math.radians(2.0)) * untidiness
    shift = rng.uniform(-1, 1, 2) * PRINT_SHIFT_FRACTION * untidiness
    if spot.piece.frame == "disc":
        turn = rng.uniform(-math.pi, math.pi)
    elif spot.piece.frame == "polygon":
        dx = dy = turn = 0.0
    printed = (float(shift[0]), float(shift[1])) if spot.piece.frame == "corners" else (0.0, 0.0)
    x_mm, y_mm = spot.x_mm + float(dx), spot.y_mm + float(dy)
    return replace(spot, x_mm=x_mm, y_mm=y_mm, turn_rad=spot.turn_rad + float(turn), print_shift=printed)


def _size(piece: PieceSpec) -> tuple[float, float]:
    return piece.size_mm if min(piece.size_mm) > 0 else FREE_AREA_MM


def _row(pieces: Sequence[PieceSpec]) -> tuple[list[Spot], tuple[float, float]]:
    """What belongs to one player, side by side as its owner sees it, around (0, 0)."""
    sizes = [_size(piece) for piece in pieces]
    width = sum(size[0] for size in sizes) + GAP_MM * (len(sizes) - 1)
    x, spots = -width / 2, []
    for piece, size in zip(pieces, sizes, strict=True):
        spots.append(Spot(piece, size, x + size[0] / 2, 0.0, 0.0))
        x += size[0] + GAP_MM
    return spots, (width, max(size[1] for size in sizes))


def _middle(pieces: Sequence[PieceSpec]) -> tuple[list[Spot], tuple[float, float]]:
    """What is shared: discs in a ring around a free area, boards in rows, around (0, 0)."""
    discs = [piece for piece in pieces if piece.frame == "disc"]
    areas = [piece for piece in pieces if piece.frame == "polygon"]
    boards = [piece for piece in pieces if piece.frame == "corners"]
    spots: list[Spot] = []
    width = height = 0.0
    if discs:
        diameter = max(disc.size_mm[0] for disc in discs)
        radius = RING_LEAST_RADIUS_MM
        if len(discs) > 1:
            radius = max(radius, (diameter + RING_CLEARANCE_MM) / 2 / math.sin(math.pi / len(discs)))
        for number, disc in enumerate(discs):
            angle = -math.pi / 2 + number * 2 * math.pi / len(discs)
            spots.append(Spot(disc, disc.size_mm, radius * math.cos(angle), radius * math.sin(angle), 0.0, True))
        width = height = 2 * radius + diameter
        inner = 2 * (radius - diameter / 2 - 4.0)
        for area in areas:
            size = area.size_mm if min(area.size_mm) > 0 else (inner, inner)
            spots.append(Spot(area, size, 0.0, 0.0, math.pi / 8, True))
    else:
        boards = [*boards, *areas]
    if boards:
        rows, (row_width, row_height) = _rows(boards)
        shift = height / 2 + GAP_MM + row_height / 2 if height else 0.0
        spots.extend(replace(spot, y_mm=spot.y_mm + shift) for spot in rows)
        width, height = max(width, row_width), height + row_height + (GAP_MM if height else 0.0)
    return spots, (width, height)


def _rows(boards: Sequence[PieceSpec]) -> tuple[list[Spot], tuple[float, float]]:
    """Shared boards in rows, together about as wide as high."""
    ordered = sorted(boards, key=lambda piece: -_size(piece)[0] * _size(piece)[1])
    rows = min((_filled(ordered, count) for count in range(1, len(ordered) + 1)), key=_unwieldy)
    widths = [sum(_size(piece)[0] + GAP_MM for piece in row) - GAP_MM for row in rows]
    heights = [max(_size(piece)[1] for piece in row) for row in rows]
    height = sum(heights) + GAP_MM * (len(rows) - 1)
    spots, y = [], -height / 2
    for row, row_width, row_height in zip(rows, widths, heights, strict=True):
        x = -row_width / 2
        for piece in row:
            size = _size(piece)
            spots.append(Spot(piece, size, x + size[0] / 2, y + row_height / 2, 0.0))
            x += size[0] + GAP_MM
        y += row_height + GAP_MM
    return spots, (max(widths), height)


def _filled(ordered: Sequence[PieceSpec], per_row: int) -> list[list[PieceSpec]]:
    """The largest board in a row of its own, the others so many to a row."""
    rest = ordered[1:]
    return [[ordered[0]], *([*rest[start : start + per_row]] for start in range(0, len(rest), per_row))]


def _unwieldy(rows: Sequence[Sequence[PieceSpec]]) -> float:
    """The longer of width and height of rows of boards."""
    widths = [sum(_size(piece)[0] + GAP_MM for piece in row) for row in rows]
    heights = [max(_size(piece)[1] for piece in row) + GAP_MM for row in rows]
    return max(*widths, sum(heights)) + 0.01 * sum(heights)


Block = tuple[list[Spot], tuple[float, float]]


def _columns(blocks: Mapping[int, Block], middle: tuple[float, float]) -> dict[int, tuple[float, float, int]]:
    """Two columns beside the middle: middle of each player's block and quarter turns of the seat."""
    players = sorted(blocks)
    left, right = players[: (len(players) + 1) // 2], players[(len(players) + 1) // 2 :]
    places: dict[int, tuple[float, float, int]] = {}
    for column, side in ((left, -1), (right, 1)):
        for index, player in enumerate(column):
            width, depth = blocks[player][1]
            if len(column) == 1:
                places[player] = (side * (middle[0] / 2 + GAP_MM + depth / 2), 0.0, 1 if side < 0 else 3)
                continue
            # Clockwise: the left column is read upwards, the right one downwards.
            lower = (index == 0) == (side < 0)
            y = (depth + GAP_MM) / 2 * (1 if lower else -1)
            places[player] = (side * (middle[0] / 2 + GAP_MM + width / 2), y, 0 if lower else 2)
    return places


def _sides(blocks: Mapping[int, Block], middle: tuple[float, float]) -> dict[int, tuple[float, float, int]]:
    """Strips around the middle: bottom, left, top, right, with two at a long side when there are many."""
    players = sorted(blocks)
    long_sides = {2: (1, 3), 3: (0, 1, 3), 4: (0, 1, 2, 3), 5: (0, 0, 1, 2, 3), 6: (0, 0, 1, 2, 2, 3)}
    quarters = long_sides.get(len(players), tuple(range(len(players))))
    places: dict[int, tuple[float, float, int]] = {}
    for player, quarter in zip(players, quarters, strict=True):
        width, depth = blocks[player][1]
        beside = [other for other, side in zip(players, quarters, strict=True) if side == quarter]
        along = (beside.index(player) - (len(beside) - 1) / 2) * (width + GAP_MM)
        wide = max((_strip_mm(blocks, players, quarters, side) for side in (0, 2)), default=0.0)
        away = (middle[1] if quarter % 2 == 0 else max(middle[0], wide)) / 2 + GAP_MM + depth / 2
        x, y = ((-along, away), (-away, -along), (along, -away), (away, along))[quarter % 4]
        places[player] = (x, y, quarter % 4)
    return places


def _strip_mm(blocks: Mapping[int, Block], players: Sequence[int], quarters: Sequence[int], side: int) -> float:
    """How long the things at one side of the table are together."""
    widths = [blocks[player][1][0] for player, quarter in zip(players, quarters, strict=True) if quarter == side]
    return sum(widths) + GAP_MM * max(0, len(widths) - 1)


def _seat(player: int, x: float, y: float, turn: float, size: tuple[float, float]) -> Seat:
    away = size[1] / 2 + SEAT_DISTANCE_MM
    return Seat(player, x - away * math.sin(turn), y + away * math.cos(turn), turn)
