"""The part of the picture that seldom changes: the table top and the pieces on it, without a single tile."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulation import wood
from companion.simulation.arrangement import Arrangement, Spot
from companion.simulation.boards import BoardPainter
from companion.simulation.glyphs import SHIFT, fixed
from companion.simulation.lens import Lens, Points
from companion.simulation.light import Lamp, Map, light_map
from companion.simulation.solids import Box, box_around
from vision.frame import Image
from vision.layout import Layout

FINE = 2
"""Boards are sampled so many times finer than the picture, so that thin prints do not flicker."""
COARSE = 8
"""The lens is reckoned with for every so many fine pixels."""


class Backdrop:
    """Draws table and pieces; the table top and the prints are made once, the rest again when a piece is moved."""

    def __init__(self, layout: Layout, lens: Lens, lamp: Lamp, seed: int) -> None:
        self._layout = layout
        self._lens = lens
        self._lamp = lamp
        self._seed = seed
        self._light: Map = light_map(lamp, lens)
        self._prints: dict[str, Image] = {}
        self._table: Image | None = None

    def draw(self, arrangement: Arrangement) -> Image:
        """The empty table."""
        if self._table is None:
            self._table = self._draw_table()
        image = self._table.copy()
        for spot in arrangement.spots.values():
            if spot.piece.frame == "polygon":
                continue
            self._piece_shadow(image, spot)
            self._put_piece(image, spot)
        for spot in arrangement.spots.values():
            if spot.piece.frame == "polygon" and spot.piece.secret:
                self._rack(image, spot)
        lit = image.astype(np.float32) * self._light[:, :, None]
        return np.asarray(np.clip(lit + 0.5, 0, 255), np.uint8)

    def _draw_table(self) -> Image:
        height, width = self._lens.height_px, self._lens.width_px
        ground = self._ground(Box(0, 0, width, height), 1, 0.0)
        low = ground.min(axis=(0, 1)) - 4.0
        span = ground.max(axis=(0, 1)) + 4.0 - low
        texture = wood.draw_wood(float(span[0]), float(span[1]), self._seed)
        where = (ground - low) * wood.PX_PER_MM - 0.5
        table = cv2.remap(texture, where[:, :, 0], where[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        return np.asarray(table, np.uint8)

    def _ground(self, box: Box, fine: int, height_mm: float) -> NDArray[np.float32]:
        """(height, width, 2): the table under the middle of each pixel of a box, `fine` times finer.

        Reckoned for every few pixels and filled in between: the lens is smooth."""
        columns, rows = (math.ceil((b - a) * fine / COARSE) + 2 for a, b in ((box.x0, box.x1), (box.y0, box.y1)))
        xs = box.x0 + (np.arange(columns) - 0.5) * COARSE / fine
        ys = box.y0 + (np.arange(rows) - 0.5) * COARSE / fine
        grid = self._lens.ground(np.stack(np.meshgrid(xs, ys), axis=-1), height_mm)
        coarse = grid.reshape(rows, columns, 2).astype(np.float32)
        filled = cv2.resize(coarse, (columns * COARSE, rows * COARSE), interpolation=cv2.INTER_LINEAR)
        inside = filled[COARSE : COARSE + (box.y1 - box.y0) * fine, COARSE : COARSE + (box.x1 - box.x0) * fine]
        return np.asarray(inside, np.float32)

    def _print(self, spot: Spot) -> Image:
        """The picture of a piece; discs share one."""
        piece = spot.piece
        key = "disc" if piece.frame == "disc" else piece.name
        if key not in self._prints:
            painter = BoardPainter(self._layout, self._seed)
            if piece.frame == "disc":
                self._prints[key] = painter.disc(spot.size_mm)
            else:
                self._prints[key] = painter.board(piece.places, spot.size_mm, piece.player)
        return self._prints[key]

    def _outline(self, spot: Spot) -> Points:
        """(N, 2) millimetres around a piece, finely enough for a bent lens."""
        if spot.round:
            turns = np.linspace(0, 2 * math.pi, 72, endpoint=False)
            return np.array([spot.at(0.5 + 0.5 * math.cos(t), 0.5 + 0.5 * math.sin(t)) for t in turns])
        steps = np.linspace(0, 1, 12, endpoint=False)
        edges = [[(s, 0.0) for s in steps], [(1.0, s) for s in steps], [(1 - s, 1.0) for s in steps],
                 [(0.0, 1 - s) for s in steps]]
        return np.array([spot.at(u, v) for edge in edges for u, v in edge])

    def _put_piece(self, image: Image, spot: Spot) -> None:
        """Sample the piece's print through the lens, with a sliver of cardboard edge below it."""
        outline = self._outline(spot)
        thick = spot.piece.thickness_mm
        lower = self._lens.project(np.column_stack([outline, np.zeros(len(outline))]))
        upper = self._lens.project(np.column_stack([outline, np.full(len(outline), thick)]))
        cv2.fillPoly(image, [fixed(lower - 0.5)], (112, 134, 146), cv2.LINE_AA, SHIFT)
        box = box_around(upper).clipped(self._lens.width_px, self._lens.height_px)
        if box.empty:
            return
        texture = self._print(spot)
        ground = self._ground(box, FINE, thick)
        x, y = ground[:, :, 0] - np.float32(spot.x_mm), ground[:, :, 1] - np.float32(spot.y_mm)
        cos, sin = math.cos(spot.turn_rad), math.sin(spot.turn_rad)
        per_u, per_v = texture.shape[1] / spot.size_mm[0], texture.shape[0] / spot.size_mm[1]
        from_u, from_v = ((0.5 - s) * n - 0.5 for s, n in zip(spot.print_shift, texture.shape[1::-1], strict=True))
        map_u = x * np.float32(cos * per_u) + y * np.float32(sin * per_u) + np.float32(from_u)
        map_v = y * np.float32(cos * per_v) - x * np.float32(sin * per_v) + np.float32(from_v)
        shape = map_u.shape
        fine = cv2.remap(texture, map_u, map_v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        mask = np.zeros(shape, np.uint8)
        cv2.fillPoly(mask, [fixed((upper - (box.x0, box.y0)) * FINE - 0.5)], 255, cv2.LINE_8, SHIFT)
        size = (box.x1 - box.x0, box.y1 - box.y0)
        small = cv2.resize(fine, size, interpolation=cv2.INTER_AREA)
        share = (cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0)[:, :, None]
        area = image[box.y0 : box.y1, box.x0 : box.x1]
        area[:] = (small * share + area * (1 - share) + 0.5).astype(np.uint8)

    def _piece_shadow(self, image: Image, spot: Spot) -> None:
        outline = self._outline(spot)
        dx, dy = self._lamp.shadow_mm(spot.x_mm, spot.y_mm, spot.piece.thickness_mm * 2.5)
        fallen = self._lens.project(np.column_stack([outline + np.array([dx, dy]), np.zeros(len(outline))]))
        self._darken(image, fallen, 0.45, 2.5)

    def _darken(self, image: Image, outline_px: Points, strength: float, soft_px: float) -> None:
        box = box_around(outline_px, 3 * soft_px).clipped(self._lens.width_px, self._lens.height_px)
        if box.empty:
            return
        mask = np.zeros((box.y1 - box.y0, box.x1 - box.x0), np.uint8)
        cv2.fillPoly(mask, [fixed(outline_px - (box.x0 + 0.5, box.y0 + 0.5))], 255, cv2.LINE_AA, SHIFT)
        dark = cv2.GaussianBlur(mask, (0, 0), soft_px).astype(np.float32) * (strength / 255.0)
        area = image[box.y0 : box.y1, box.x0 : box.x1]
        area[:] = (area * (1 - dark[:, :, None])).astype(np.uint8)

    def _rack(self, image: Image, spot: Spot) -> None:
        """A wooden rack seen from above: what stands on it shows only its upper edges."""
        depth = min(spot.size_mm[1], 26.0) / spot.size_mm[1]
        for front, back, height, colour in (
            (0.5 + depth / 2, 0.5 - depth / 2, 6.0, (52, 78, 110)), (0.5 + depth / 4, 0.5, 18.0, (70, 100, 138)),
        ):
            corners = np.array([spot.at(u, v) for u, v in ((0.04, back), (0.96, back), (0.96, front), (0.04, front))])
            if height < 10:
                lower = self._lens.project(np.column_stack([corners, np.zeros(4)]))
                self._darken(image, lower + 3.0, 0.5, 4.0)
            outline = self._lens.project(np.column_stack([corners, np.full(4, height)]))
            cv2.fillPoly(image, [fixed(outline - 0.5)], colour, cv2.LINE_AA, SHIFT)
