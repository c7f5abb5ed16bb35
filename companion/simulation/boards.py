"""The pictures of boards, discs and areas, drawn from a layout's places and nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from companion.simulation.faces import CREAM, Look, bgr, draw_face, face_picture, mix
from companion.simulation.glyphs import Colour, disc, draw_text, fill, line, regular, star_points
from companion.simulation.lettering import edition
from vision.frame import Image
from vision.layout import Layout, PlaceSpec
from vision.reading import Kind

PX_PER_MM = 4.0
PRINT_STRENGTH = 0.86
"""How much of a tile's colour its printed space has: on real boards nearly all of it."""
PLAYER_INKS: Sequence[Colour] = ((150, 86, 44), (60, 150, 205), (96, 130, 62), (112, 70, 140), (70, 80, 170))
SHARED_INK: Colour = (66, 92, 160)
DARK_INK: Colour = (58, 54, 98)


class BoardPainter:
    """Draws one piece in its own coordinates, `PX_PER_MM` pixels a millimetre."""

    def __init__(self, layout: Layout, seed: int) -> None:
        self._layout = layout
        self._style = edition(seed)
        self._rng = np.random.default_rng((seed, 23))

    def board(self, places: Sequence[PlaceSpec], size_mm: tuple[float, float], player: int | None) -> Image:
        """A rectangular board with a border, its spaces and an emblem where there is room."""
        width, height = (max(8, round(edge * PX_PER_MM)) for edge in size_mm)
        image: Image = np.empty((height, width, 3), np.uint8)
        cells = [place for place in places if place.kind is Kind.CELL]
        ink = DARK_INK if cells else SHARED_INK if player is None else PLAYER_INKS[(player - 1) % len(PLAYER_INKS)]
        small = min(size_mm) < 120
        ground = mix(CREAM, (170, 200, 215), 0.3) if not small and not cells else mix(ink, (90, 120, 180), 0.4)
        image[:] = np.array(ink if cells else ground, np.uint8)
        self._border(image, ink, small)
        for place in places:
            if place.kind is Kind.COUNTER:
                self._counter_ground(image, place, ink)
        self._lines_between(image, cells)
        piles = [place.at for place in places if place.kind is Kind.PILE]
        for place in places:
            # A chip that lies under a pile has no space of its own.
            if not (place.kind is Kind.CHIP and any(math.dist(at, place.at) < 0.02 for at in piles)):
                self._space(image, place, size_mm, ink)
        self._cell_labels(image, cells)
        if not cells and not small:
            self._emblem(image, places, ink)
        return self._card(image)

    def disc(self, size_mm: tuple[float, float]) -> Image:
        """A factory: rings and petals, nothing that could be taken for a tile."""
        edge = round(size_mm[0] * PX_PER_MM)
        image: Image = np.empty((edge, edge, 3), np.uint8)
        image[:] = (84, 98, 176)
        middle, radius = edge / 2 - 0.5, edge / 2
        rings: Sequence[tuple[float, Colour]] = (
            (0.9, (206, 210, 216)), (0.86, (222, 226, 230)), (0.55, (90, 62, 48)), (0.52, (72, 152, 216)),
        )
        for share, colour in rings:
            disc(image, middle, middle, radius * share, colour)
        disc(image, middle, middle, radius * 0.36, (140, 92, 52))
        for index in range(16):
            angle = index * math.pi / 8
            at = np.array([math.cos(angle), math.sin(angle)]) * radius * 0.7 + middle
            petal = regular(20) * (radius * 0.1, radius * 0.045)
            turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
            line(image, petal @ turn + at, (92, 70, 58), 2, closed=True)
            dot = np.array([math.cos(angle), math.sin(angle)]) * radius * 0.44 + middle
            disc(image, float(dot[0]), float(dot[1]), radius * 0.025, (60, 44, 40))
        fill(image, star_points(12, 0.35) * radius * 0.33 + middle, (112, 60, 30))
        disc(image, middle, middle, radius * 0.07, (80, 160, 220))
        return self._card(image)

    def _card(self, image: Image) -> Image:
        """Cardboard is never quite even."""
        height, width = image.shape[:2]
        rough = self._rng.normal(0.0, 1.0, (height // 16 + 2, width // 16 + 2)).astype(np.float32)
        cloud = cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC) * 1.6
        grain = self._rng.normal(0.0, 1.8, (height, width)).astype(np.float32)
        return np.clip(image + (cloud + grain)[:, :, None], 0, 255).astype(np.uint8)

    def _border(self, image: Image, ink: Colour, small: bool) -> None:
        height, width = image.shape[:2]
        band = max(4, round(PX_PER_MM * (1.6 if small else 3.4)))
        stone = band * 3
        for length, place in (
            (width, lambda at: (at, 0, stone, band)), (width, lambda at: (at, height - band - 1, stone, band)),
            (height, lambda at: (0, at, band, stone)), (height, lambda at: (width - band - 1, at, band, stone)),
        ):
            for at in range(0, length, stone):
                end: Colour = (30, 24, 20) if self._rng.random() < 0.5 else (235, 205, 165)
                shade = mix(ink, end, float(self._rng.random()) * 0.35)
                x, y, w, h = place(at)
                cv2.rectangle(image, (x, y), (x + w, y + h), shade, -1)
        cv2.rectangle(image, (band, band), (width - band - 1, height - band - 1), mix(ink, (20, 20, 20), 0.3), 2)

    def _xy(self, image: Image, at: tuple[float, float]) -> tuple[float, float]:
        return at[0] * image.shape[1] - 0.5, at[1] * image.shape[0] - 0.5

    def _box(self, image: Image, place: PlaceSpec, grow: float = 1.0) -> tuple[int, int, int, int]:
        x, y = self._xy(image, place.at)
        w, h = place.size[0] * image.shape[1] * grow, place.size[1] * image.shape[0] * grow
        return round(x - w / 2), round(y - h / 2), round(x + w / 2), round(y + h / 2)

    def _space(self, image: Image, place: PlaceSpec, size_mm: tuple[float, float], ink: Colour) -> None:
        """One printed space, by the kind of its place and the shape of what lies there."""
        x, y = self._xy(image, place.at)
        item = self._layout.items[place.item]
        round_space = item.shape == "round"
        radius = place.size[0] * image.shape[1] / 2
        if place.kind is Kind.SLOT and place.prints is not None:
            self._printed(image, place, round_space)
        elif place.kind in (Kind.SLOT, Kind.CHIP) and round_space:
            disc(image, x, y, radius, mix(CREAM, (240, 240, 240), 0.35))
            disc(image, x, y, radius, (150, 168, 178), 2)
        elif place.kind is Kind.SLOT:
            x0, y0, x1, y1 = self._box(image, place)
            cv2.rectangle(image, (x0, y0), (x1, y1), mix(CREAM, (240, 244, 246), 0.5), -1)
            cv2.rectangle(image, (x0, y0), (x1, y1), (132, 158, 172), 3)
        elif place.kind is Kind.HEAP and place.round_area:
            disc(image, x, y, radius, (74, 158, 202))
            disc(image, x, y, radius * 0.94, (92, 178, 218))
            fill(image, star_points(16, 0.6) * radius * 0.6 + (x, y), (66, 146, 190))
        elif place.kind is Kind.HEAP:
            x0, y0, x1, y1 = self._box(image, place)
            cv2.rectangle(image, (x0, y0), (x1, y1), (112, 62, 40), -1)
            cv2.rectangle(image, (x0, y0), (x1, y1), (140, 92, 66), 3)
        elif place.kind is Kind.PILE:
            disc(image, x, y, radius * 1.15, (112, 62, 40))
            disc(image, x, y, radius * 1.15, (146, 98, 70), 3)
        elif place.kind is Kind.PLATE:
            x0, y0, x1, y1 = self._box(image, place)
            cv2.rectangle(image, (x0, y0), (x1, y1), mix(CREAM, (130, 150, 165), 0.45), -1)
            cv2.rectangle(image, (x0, y0), (x1, y1), (100, 122, 138), 3)
            fill(image, star_points(8, 0.4) * radius * 0.3 + (x, y), (124, 148, 164))
        elif place.kind is Kind.CELL:
            self._cell(image, place)
        elif place.kind is Kind.COUNTER:
            self._tracks(image, place, size_mm)

    def _printed(self, image: Image, place: PlaceSpec, round_space: bool) -> None:
        assert place.prints is not None
        x0, y0, x1, y1 = self._box(image, place)
        picture = face_picture(self._layout, Look(place.prints), "square")
        pale = cv2.addWeighted(picture, PRINT_STRENGTH, np.full_like(picture, 208), 1 - PRINT_STRENGTH, 0)
        flat = cv2.resize(pale, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
        if round_space:
            mask = np.zeros(flat.shape[:2], np.uint8)
            cv2.circle(mask, (mask.shape[1] // 2, mask.shape[0] // 2), mask.shape[1] // 2, 255, -1)
            image[y0:y1, x0:x1][mask > 0] = flat[mask > 0]
        else:
            image[y0:y1, x0:x1] = flat
            cv2.rectangle(image, (x0, y0), (x1, y1), mix(bgr(self._layout, place.prints), (110, 130, 140), 0.6), 2)

    def _cell(self, image: Image, place: PlaceSpec) -> None:
        """A cell with its region's figure, faintly."""
        figure = next((face for face in place.faces if len(face) > 1 and face != "joker"), "")
        light = (int(place.at[0] * 3) + int(place.at[1] * 3)) % 2
        x0, y0, x1, y1 = self._box(image, place, 0.985)
        ground: Colour = (208, 222, 230) if light else (190, 206, 216)
        cv2.rectangle(image, (x0, y0), (x1, y1), ground, -1)
        x, y = self._xy(image, place.at)
        if figure:
            radius = place.size[0] * image.shape[1] * 0.28
            # Only the cell itself: a figure never reaches beyond it.
            part = image[y0 : y1 + 1, x0 : x1 + 1]
            draw_face(part, figure, self._style, x - x0, y - y0, radius, mix(ground, (110, 140, 160), 0.6))

    def _lines_between(self, image: Image, cells: Sequence[PlaceSpec]) -> None:
        for cell in cells:
            x0, y0, x1, y1 = self._box(image, cell, 1.02)
            cv2.rectangle(image, (x0, y0), (x1, y1), (70, 80, 120), -1)

    def _cell_labels(self, image: Image, cells: Sequence[PlaceSpec]) -> None:
        """The letters and numbers of a grid, read from the names of its cells, outside it on all four sides."""
        labels: dict[tuple[str, float], str] = {}
        for cell in cells:
            match = re.fullmatch(r"([A-Z]+)(\d+)", cell.name.rsplit(".", 1)[-1])
            if match:
                labels["v", cell.at[1]] = match[1]
                labels["u", cell.at[0]] = match[2]
        if not labels:
            return
        first = min(cell.at[0] - cell.size[0] / 2 for cell in cells) / 2
        for (axis, where), text in labels.items():
            for edge in (first, 1 - first):
                x, y = self._xy(image, (edge, where) if axis == "v" else (where, edge))
                draw_text(image, text, x, y, image.shape[0] * 0.042, (196, 214, 226), 0.16)

    def _counter_ground(self, image: Image, place: PlaceSpec, ink: Colour) -> None:
        for track in place.tracks:
            pitch = _pitch(track.at)
            us, vs = [u for u, _ in track.at], [v for _, v in track.at]
            grow_v = pitch * image.shape[1] / image.shape[0] * 0.62
            x0, y0 = self._xy(image, (min(us) - pitch * 0.62, min(vs) - grow_v))
            x1, y1 = self._xy(image, (max(us) + pitch * 0.62, max(vs) + grow_v))
            # A track that nearly reaches the border takes the strip in between as well.
            edge, (high, wide) = round(PX_PER_MM * 3.4) + 2, image.shape[:2]
            x0, y0 = (edge if low < 0.05 * span else low for low, span in ((x0, wide), (y0, high)))
            x1, y1 = (span - edge - 1 if top > 0.95 * span else top for top, span in ((x1, wide), (y1, high)))
            cv2.rectangle(image, (round(x0), round(y0)), (round(x1), round(y1)), mix(ink, (190, 150, 110), 0.35), -1)

    def _tracks(self, image: Image, place: PlaceSpec, size_mm: tuple[float, float]) -> None:
        for track in place.tracks:
            half = _pitch(track.at) * image.shape[1] * 0.44
            few = len(track.at) <= 12
            for index, at in enumerate(track.at):
                x, y = self._xy(image, at)
                marked = index % 5 == 0
                colour: Colour = (226, 220, 226) if few or not marked else (66, 146, 222)
                cv2.rectangle(
                    image, (round(x - half), round(y - half)), (round(x + half), round(y + half)), colour, -1
                )
                if few or marked:
                    text = str(index * track.weight)
                    size = half * (1.1 if len(text) < 3 else 0.75)
                    draw_text(image, text, x, y, size, (60, 50, 48), 0.14)

    def _emblem(self, image: Image, places: Sequence[PlaceSpec], ink: Colour) -> None:
        """A sun in the largest free spot, if there is one worth filling."""
        free = np.full(image.shape[:2], 255, np.uint8)
        free[:20] = free[-20:] = 0
        free[:, :20] = free[:, -20:] = 0
        for place in places:
            x0, y0, x1, y1 = self._box(image, place)
            cv2.rectangle(free, (x0, y0), (x1, y1), 0, -1)
        small = cv2.resize(free, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_NEAREST)
        distance = cv2.distanceTransform(small, cv2.DIST_L2, 3)
        _, radius, _, where = cv2.minMaxLoc(distance)
        radius *= 4 * 0.85
        if radius < 10 * PX_PER_MM * 0.8:
            return
        x, y = where[0] * 4.0, where[1] * 4.0
        radius = min(radius, 26 * PX_PER_MM)
        fill(image, star_points(16, 0.62) * radius + (x, y), (176, 194, 204))
        disc(image, x, y, radius * 0.52, mix(ink, CREAM, 0.25))
        fill(image, star_points(6, 0.4) * radius * 0.34 + (x, y), CREAM)


def _pitch(at: Sequence[tuple[float, float]]) -> float:
    """The smallest step of a track along u, in fractions of the piece."""
    steps = [abs(b[0] - a[0]) for a, b in pairwise(at) if abs(b[0] - a[0]) > 1e-3]
    return min(steps, default=0.05)
