"""Cells: a tile with a printed face, or none. The card tells the colour, the dark print upon it the face."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted, locate
from vision.colours import to_lab
from vision.face_teaching import TaughtFaces, teach
from vision.faces import FaceModel, cut_tiles, find_ink, load_faces, normalise, with_prior
from vision.frame import Image
from vision.layout import PieceSpec, PlaceSpec
from vision.occlusion import is_covered
from vision.reading import Kind, Reading
from vision.rectify import Matrix
from vision.view import Reader, Table, View

KINDS = (Kind.CELL,)

CARD_INK = 0.25
"""What is darker than this belongs to the print of a tile or a cell."""
SAMPLES = 14
"""Points along each side of a cell: enough to tell its colour and whether it changed."""
SPAN = 0.8
"""Width of that, in tiles: what surely lies on the tile."""
EMPTY_SIGMA_LAB = (9.0, 3.5, 4.5)
"""How much an empty cell's look strays: more in lightness, because of shadows."""
STRANGE_LOG_DENSITY = -16.0
"""What looks less than this like anything that can lie here is something else: a sleeve, a coaster."""
STRANGE_SHARE = 0.003
WEIGHT = 1.5
"""How much a cell's colour counts; below one pixel each, since a cell's pixels all say the same."""
TILE_LOG_PROB = math.log(0.02)
"""Cells less likely than this to hold a tile are not read."""
SAME_LEVELS = 4.0
"""A tile whose pixels differ less than this from the last frame's still shows the same face."""


def make(table: Table) -> Reader:
    """The reader of all cells of a table."""
    faces = load_faces()
    prints = table.calibration.prints
    if not prints:
        return CellReader(table, faces)
    return CellReader(table, teach(faces, normalise(np.stack(list(prints.values())).astype(np.float32)), list(prints)))


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A face that was read, and the pixels it was read from."""

    samples: Image
    table: dict[str, float]


class CellReader:
    """All cells of one table, board by board."""

    def __init__(self, table: Table, faces: FaceModel | TaughtFaces) -> None:
        self._table = table
        self._faces = faces
        self._places: dict[str, tuple[PlaceSpec, ...]] = {}
        for name, piece in table.pieces.items():
            cells = tuple(place for place in piece.places if place.kind is Kind.CELL)
            if cells and name in table.calibration.matrices:
                self._places[name] = cells
        self._empty: dict[str, Matrix] = {}
        self._known: dict[str, _Known] = {}

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        out = {}
        for name, places in self._places.items():
            piece = self._table.pieces[name]
            points = [_around(piece, place, self._table.layout.items[place.item].size_mm) for place in places]
            heights = [self._table.layout.items[place.item].height_mm for place in places]
            out[f"cells.{name}"] = (name, Wanted(np.concatenate(points), np.repeat(heights, SAMPLES * SAMPLES)))
        return out

    def learn(self, view: View) -> None:
        """Remember how empty cells look; without a picture of them, from those that are bare."""
        for name in self._places:
            looks = to_lab(self._grounds(view, name)).astype(np.float64)
            self._empty[name] = looks if view.is_reference else _bare_looks(looks)

    def read(self, view: View) -> Iterator[Reading]:
        for name, places in self._places.items():
            colours = self._colours(name, self._grounds(view, name))
            likely = np.flatnonzero(colours[:, 1:-1].max(axis=1) > TILE_LOG_PROB)
            faces = self._read_faces(view, name, likely)
            covered, free = view.covered[name], view.free[name]
            for index, place in enumerate(places):
                row = colours[index]
                values: dict[Hashable, float] = {None: float(row[0])}
                values.update({colour: float(row[1 + order]) for order, colour in enumerate(place.holds)})
                parts: dict[str, dict[Hashable, float]] = {"colour": values}
                if index in faces:
                    parts["face"] = {face: value for face, value in with_prior(faces[index], place.faces).items()}
                yield Reading(
                    place.name, Kind.CELL, parts, occluded=is_covered(covered, free, place),
                    unfamiliar=bool(row[-1] > math.log(0.5)),
                )

    def _samples(self, view: View, name: str) -> Image:
        """(cells, SAMPLES, SAMPLES, 3) as the camera saw them."""
        return view.pixels[f"cells.{name}"].reshape(-1, SAMPLES, SAMPLES, 3)

    def _grounds(self, view: View, name: str) -> Image:
        """(cells, 3) uint8: each cell's ground under the reference light, whatever is printed on it."""
        samples = self._samples(view, name)
        ink = find_ink(samples.max(axis=3).astype(np.float32))
        grounds = np.array([_ground(cell, mask) for cell, mask in zip(samples, ink < CARD_INK, strict=True)], np.uint8)
        return np.asarray(view.lights[name].apply(grounds[None])[0], np.uint8)

    def _colours(self, name: str, grounds: Image) -> Matrix:
        """(cells, 1 + colours + 1): log-probabilities of nothing, of each colour, and of something strange."""
        names = self._table.colours.names
        columns = [names.index(colour) for colour in self._places[name][0].holds]
        cards = self._table.colours.pixels(grounds)[:, columns].astype(np.float64)
        off = (to_lab(grounds) - self._empty[name]) / np.array(EMPTY_SIGMA_LAB)
        norm = sum(math.log(sigma) for sigma in EMPTY_SIGMA_LAB) + 1.5 * math.log(2 * math.pi)
        empty = -0.5 * np.square(off).sum(axis=1) - norm
        strange = np.full(len(grounds), STRANGE_LOG_DENSITY)
        evidence = WEIGHT * np.column_stack([empty, cards, strange])
        evidence[:, -1] += math.log(STRANGE_SHARE)
        evidence -= evidence.max(axis=1, keepdims=True)
        return np.asarray(evidence - np.log(np.exp(evidence).sum(axis=1, keepdims=True)))

    def _read_faces(self, view: View, name: str, likely: NDArray[np.intp]) -> dict[int, dict[str, float]]:
        """The faces of the cells that hold a tile; those that look as before are not read again."""
        samples = self._samples(view, name)
        tables: dict[int, dict[str, float]] = {}
        fresh: list[int] = []
        for index in map(int, likely):
            known = self._known.get(self._places[name][index].name)
            now = samples[index]
            if known is not None and cv2.norm(known.samples, now, cv2.NORM_L1) < SAME_LEVELS * now.size:
                tables[index] = known.table
            else:
                fresh.append(index)
        if fresh:
            cut = cut_tiles(view.image, self._corners(view, name, fresh))
            for index, row in zip(fresh, self._faces.log_probs(normalise(cut)), strict=True):
                tables[index] = self._faces.table(row)
                self._known[self._places[name][index].name] = _Known(samples[index].copy(), tables[index])
        return tables

    def _corners(self, view: View, name: str, indices: list[int]) -> NDArray[np.float64]:
        """(n, 4, 2) pixels: the corners of a tile's top on each of these cells."""
        piece = self._table.pieces[name]
        corners, heights = [], []
        for index in indices:
            place = self._places[name][index]
            item = self._table.layout.items[place.item]
            half = np.array([item.size_mm / edge / 2 for edge in piece.size_mm])
            corners.append(np.array(place.at) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
            heights += [item.height_mm] * 4
        wanted = Wanted(np.concatenate(corners), np.array(heights))
        return locate(view.camera, view.poses[name], view.matrices[name], wanted).reshape(-1, 4, 2)


def _around(piece: PieceSpec, place: PlaceSpec, size_mm: float) -> Matrix:
    """(SAMPLES², 2) fractions of the piece: points of a tile on this place, row by row."""
    steps = ((np.arange(SAMPLES) + 0.5) / SAMPLES - 0.5) * SPAN
    width, height = (size_mm / edge for edge in piece.size_mm)
    u, v = np.meshgrid(steps * width + place.at[0], steps * height + place.at[1])
    return np.stack([u.ravel(), v.ravel()], axis=1)


def _ground(pixels: Image, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(3,) the middling colour of a cell's ground."""
    chosen = pixels[mask] if mask.sum() > 20 else pixels.reshape(-1, 3)
    return np.asarray(np.median(chosen, axis=0), np.float64)


def _bare_looks(looks: Matrix) -> Matrix:
    """The look of empty cells when some hold tiles: the print is paler than any card, and much the same all over."""
    chroma = np.hypot(looks[:, 1], looks[:, 2])
    pale = looks[chroma <= np.quantile(chroma, 0.3) + 4.0]
    usual = np.median(pale, axis=0)
    near = np.linalg.norm((looks - usual) / np.array(EMPTY_SIGMA_LAB), axis=1) < 3.0
    return np.where(near[:, None], looks, usual)
