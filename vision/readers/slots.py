"""Slots: one tile or none. A tile is told from its print by what changed against the empty place, and by its colour."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.borrow import borrow_all, borrow_on_board
from vision.colours import PATCH_WEIGHT
from vision.frame import Image
from vision.layout import PieceSpec, PlaceSpec
from vision.logistic import shipped
from vision.occlusion import is_covered, neighbour_masks
from vision.reading import Kind, Reading
from vision.rectify import Matrix
from vision.slot_features import Floats, features
from vision.view import Reader, Table, View

KINDS = (Kind.SLOT,)

FACE = 16
"""Samples along each side of the printed space and its surroundings."""
FACE_SPAN = 1.35
"""Width of that, in tiles."""
TOP = 14
"""Samples along each side of a tile's top."""
LIKELY_LOG_ODDS = 1.5
"""From here a tile is taken to lie there when it is asked what it hides."""
SURE_LOG_ODDS = 4.0
SISTER_LOG_ODDS = 1.0
"""A place this likely empty may show its sisters on the same board how they look."""
MOST_LOG_ODDS = 9.0
ENOUGH_SEEN = 0.2
"""With a smaller share of its print in sight, nothing is said of an empty place."""


def make(table: Table) -> Reader:
    """The reader of all slots of a table."""
    return SlotReader(table)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What was measured of the slots of one board."""

    features: Floats
    """(slots, features)."""
    density: Floats
    """(slots, colours): mean log density of each top."""
    seen: NDArray[np.float64]
    """(slots,) share of the print that no neighbouring tile hides."""


class SlotReader:
    """All slots of one table, board by board."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._models = shipped("slot_model.json")
        self._places: dict[str, tuple[PlaceSpec, ...]] = {}
        self._masks: dict[str, dict[tuple[int, int], NDArray[np.bool_]]] = {}
        for name, piece in table.pieces.items():
            slots = tuple(place for place in piece.places if place.kind is Kind.SLOT)
            if slots and name in table.calibration.matrices:
                self._places[name] = slots
                self._masks[name] = self._hidden_by_neighbours(name)
        self._empty: dict[str, Image] = {}
        self._own: dict[str, NDArray[np.bool_]] = {}
        """For each slot whether its reference is its own look or borrowed from its sisters."""

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        out = {}
        for name, places in self._places.items():
            piece = self._table.pieces[name]
            tops = [_around(piece, place, self._size_mm(place), TOP, 1.0) for place in places]
            heights = [self._table.layout.items[place.item].height_mm for place in places]
            faces = self._face_points(name).reshape(-1, 2)
            out[f"slots.{name}.face"] = (name, Wanted(faces, np.zeros(len(faces))))
            out[f"slots.{name}.top"] = (name, Wanted(np.concatenate(tops), np.repeat(heights, TOP * TOP)))
        return out

    def learn(self, view: View) -> None:
        """Remember the empty places; without a picture of them, work out how they must look."""
        for name in self._places:
            self._empty[name] = self._faces(view, name)
            self._own[name] = np.full(len(self._places[name]), view.is_reference)
        if view.is_reference:
            return
        faces = {name: self._faces(view, name) for name in self._places}
        self._empty = borrow_all(self._places, faces)
        for name in self._places:
            for _ in range(2):
                odds = self._odds(name, self.full_measure(view, name))
                bare = odds < -SISTER_LOG_ODDS
                self._empty[name] = borrow_on_board(self._places[name], faces[name], self._empty[name], bare)
            bare = self._odds(name, self.full_measure(view, name)) < -SURE_LOG_ODDS
            self._empty[name][bare] = faces[name][bare]
            self._own[name] |= bare

    @property
    def places(self) -> Mapping[str, tuple[PlaceSpec, ...]]:
        """The slots of each board."""
        return self._places

    def read(self, view: View) -> Iterator[Reading]:
        for name, places in self._places.items():
            measured = self.full_measure(view, name)
            odds = self._odds(name, measured)
            covered, free = view.covered[name], view.free[name]
            for index, place in enumerate(places):
                hidden = is_covered(covered, free, place)
                yield self._reading(place, float(odds[index]), measured.density[index], hidden)

    def measure(self, view: View, name: str) -> Measured:
        """The numbers that tell tiles from print, for the slots of one board."""
        values, density = features(
            self._faces(view, name), self._empty[name], self._tops(view, name), self._table.colours
        )
        return Measured(values, density, np.ones(len(values)))

    def full_measure(self, view: View, name: str) -> Measured:
        """The same, once it is known which print neighbouring tiles hide."""
        measured = self.measure(view, name)
        return self._unhidden(view, name, measured, self._odds(name, measured) > LIKELY_LOG_ODDS)

    def _unhidden(self, view: View, name: str, measured: Measured, likely: NDArray[np.bool_]) -> Measured:
        """Measure again, without the print that neighbouring tiles hide."""
        hidden: dict[int, NDArray[np.bool_]] = {}
        for (index, neighbour), mask in self._masks[name].items():
            if likely[neighbour]:
                hidden[index] = hidden[index] | mask if index in hidden else mask
        again = [index for index, mask in hidden.items() if mask.mean() > 0.08]
        if not again:
            return measured
        faces, empties = self._faces(view, name)[again], self._empty[name][again]
        seen = measured.seen.copy()
        for row, index in enumerate(again):
            seen[index] = 1.0 - hidden[index].mean()
            fill = _nearest_seen(hidden[index])
            faces[row] = faces[row].reshape(-1, 3)[fill].reshape(faces[row].shape)
            empties[row] = empties[row].reshape(-1, 3)[fill].reshape(empties[row].shape)
        values, _ = features(faces, empties, self._tops(view, name)[again], self._table.colours)
        everything = measured.features.copy()
        everything[again] = values
        return Measured(everything, measured.density, seen)

    def _odds(self, name: str, measured: Measured) -> NDArray[np.float64]:
        """(slots,) log odds that something lies there."""
        own = self._own[name]
        odds = np.where(
            own, self._models["own"].log_odds(measured.features), self._models["borrowed"].log_odds(measured.features)
        )
        # The less of the print is in sight, the less is known.
        believed = odds * np.minimum(1.0, 0.4 + measured.seen)
        return np.asarray(np.clip(believed, -MOST_LOG_ODDS, MOST_LOG_ODDS), dtype=np.float64)

    def _reading(self, place: PlaceSpec, odds: float, density: Floats, hidden: bool) -> Reading:
        names = self._table.colours.names
        evidence = density[[names.index(colour) for colour in place.holds]].astype(np.float64) * PATCH_WEIGHT
        evidence -= evidence.max()
        evidence -= math.log(np.exp(evidence).sum())
        full, empty = -math.log1p(math.exp(-odds)), -math.log1p(math.exp(odds))
        values: dict[Hashable, float] = {None: empty}
        values.update({colour: full + float(value) for colour, value in zip(place.holds, evidence, strict=True)})
        return Reading(place.name, Kind.SLOT, {"value": values}, occluded=hidden)

    def _faces(self, view: View, name: str) -> Image:
        return view.lit(f"slots.{name}.face", name).reshape(-1, FACE, FACE, 3)

    def _tops(self, view: View, name: str) -> Image:
        return view.lit(f"slots.{name}.top", name).reshape(-1, TOP, TOP, 3)

    def _face_points(self, name: str) -> Matrix:
        piece = self._table.pieces[name]
        return np.stack(
            [_around(piece, place, self._size_mm(place), FACE, FACE_SPAN) for place in self._places[name]]
        )

    def _hidden_by_neighbours(self, name: str) -> dict[tuple[int, int], NDArray[np.bool_]]:
        places, calibration = self._places[name], self._table.calibration
        items = [self._table.layout.items[place.item] for place in places]
        pose, piece = calibration.poses[name], self._table.pieces[name]
        return neighbour_masks(calibration.camera, pose, piece, places, items, self._face_points(name))

    def _size_mm(self, place: PlaceSpec) -> float:
        return self._table.layout.items[place.item].size_mm


def _around(piece: PieceSpec, place: PlaceSpec, size_mm: float, count: int, span: float) -> Matrix:
    """(count², 2) fractions of the piece: a square of `span` tiles around a place."""
    steps = (np.arange(count) + 0.5) / count - 0.5
    width, height = (span * size_mm / edge for edge in piece.size_mm)
    around = np.array([[u * width, v * height] for v in steps for u in steps])
    return np.asarray(around + np.array(place.at), dtype=np.float64)


def _nearest_seen(hidden: NDArray[np.bool_]) -> NDArray[np.intp]:
    """For each of n² spots its own number, or that of the nearest spot in sight."""
    side = math.isqrt(len(hidden))
    spots = np.array([(row, column) for row in range(side) for column in range(side)])
    seen = np.flatnonzero(~hidden)
    fill = np.arange(len(hidden))
    if len(seen) == 0:
        return fill
    lost = np.flatnonzero(hidden)
    apart = np.square(spots[lost][:, None, :] - spots[seen][None]).sum(axis=2)
    fill[lost] = seen[apart.argmin(axis=1)]
    return fill
