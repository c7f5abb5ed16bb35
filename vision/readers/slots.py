"""Slots: one tile or none. A tile is told from its print by what changed against the empty place, and by its colour."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.card import CARD
from vision.colours import PATCH_WEIGHT, to_lab
from vision.layout import PieceSpec, PlaceSpec
from vision.reading import Kind, Reading
from vision.view import Reader, Table, View

KINDS = (Kind.SLOT,)

FACE = 16
"""Samples along each side of the printed space and its surroundings."""
FACE_SPAN = 1.35
"""Width of that, in tiles."""
TOP = 14
"""Samples along each side of a tile's top."""
TOP_SPAN = 1.0


def make(table: Table) -> Reader:
    """The reader of all slots of a table."""
    return SlotReader(table)


def _grid(count: int, width: float, height: float) -> NDArray[np.float64]:
    steps = (np.arange(count) + 0.5) / count - 0.5
    return np.array([[u * width, v * height] for v in steps for u in steps])


class SlotReader:
    """All slots of one table, board by board."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._places: dict[str, tuple[PlaceSpec, ...]] = {}
        for name, piece in table.pieces.items():
            slots = tuple(place for place in piece.places if place.kind is Kind.SLOT)
            if slots and name in table.calibration.matrices:
                self._places[name] = slots
        self._empty: dict[str, NDArray[np.float32]] = {}

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        out = {}
        for name, places in self._places.items():
            piece = self._table.pieces[name]
            faces = [self._around(piece, place, FACE, FACE_SPAN) for place in places]
            tops = [self._around(piece, place, TOP, TOP_SPAN) for place in places]
            heights = [self._table.layout.items[place.item].height_mm for place in places]
            out[f"slots.{name}.face"] = (name, Wanted(np.concatenate(faces), np.zeros(len(places) * FACE * FACE)))
            out[f"slots.{name}.top"] = (name, Wanted(np.concatenate(tops), np.repeat(heights, TOP * TOP)))
        return out

    def learn(self, view: View) -> None:
        for name, places in self._places.items():
            face = view.lit(f"slots.{name}.face", name)
            self._empty[name] = to_lab(face).reshape(len(places), FACE, FACE, 3)

    def read(self, view: View) -> Iterator[Reading]:
        for name, places in self._places.items():
            face = to_lab(view.lit(f"slots.{name}.face", name)).reshape(len(places), FACE, FACE, 3)
            top = view.lit(f"slots.{name}.top", name).reshape(len(places), TOP, TOP, 3)
            present = self._present_log_odds(face, self._empty[name])
            inner = slice(TOP // 5, TOP - TOP // 5)
            density = self._table.colours.pixels(top[:, inner, inner])
            evidence = density.reshape(len(places), -1, density.shape[-1]).mean(axis=1) * PATCH_WEIGHT
            covered = view.covered[name]
            for index, place in enumerate(places):
                yield self._reading(place, float(present[index]), evidence[index], _is_covered(covered, place))

    def _reading(self, place: PlaceSpec, present: float, evidence: NDArray[np.float64], hidden: bool) -> Reading:
        names = self._table.colours.names
        picks = [names.index(colour) for colour in place.holds]
        colours = evidence[picks] - evidence[picks].max()
        colours = colours - math.log(np.exp(colours).sum())
        full, empty = -math.log1p(math.exp(-present)), -math.log1p(math.exp(present))
        values: dict[Hashable, float] = {None: empty}
        values.update({colour: full + float(value) for colour, value in zip(place.holds, colours, strict=True)})
        return Reading(place.name, Kind.SLOT, {"value": values}, occluded=hidden)

    @staticmethod
    def _present_log_odds(face: NDArray[np.float32], empty: NDArray[np.float32]) -> NDArray[np.float64]:
        """(places,) log odds that something lies on the place."""
        inner = slice(2, FACE - 2)
        now, then = face[:, inner, inner], empty[:, inner, inner]
        count = len(now)
        differs = np.median(np.linalg.norm(now - then, axis=-1).reshape(count, -1), axis=1)
        a, b = now[..., 0].reshape(count, -1), then[..., 0].reshape(count, -1)
        a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
        alike = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1) + 30.0)
        odds = 1.0 * (differs - 8.0) + 4.0 * (0.5 - alike)
        return np.asarray(np.clip(odds, -12, 12), dtype=np.float64)

    def _around(self, piece: PieceSpec, place: PlaceSpec, count: int, span: float) -> NDArray[np.float64]:
        tile_mm = self._table.layout.items[place.item].size_mm
        width, height = (span * tile_mm / edge for edge in piece.size_mm)
        return np.array(place.at) + _grid(count, width, height)


def _is_covered(covered: NDArray[np.bool_], place: PlaceSpec) -> bool:
    """True when most of what surrounds a place is hidden by something that is no tile."""
    column, row = (int(at * CARD) for at in place.at)
    around = covered[max(0, row - 4) : row + 5, max(0, column - 4) : column + 5]
    return bool(around.mean() > 0.35)
