"""The slots of a table as one long list, with the points where each is sampled and what hides it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.card import CARD
from vision.layout import PlaceSpec
from vision.occlusion import COVERED_SHARE, neighbour_masks
from vision.plate_spaces import is_on_plate
from vision.reading import Kind
from vision.rectify import Matrix
from vision.view import Table

FACE = 12
"""Samples along each side of the printed space and its surroundings."""
FACE_SPAN = 1.35
"""Width of that, in tiles."""
TOP = 14
"""Samples along each side of where a tile's top is looked for."""
TOP_SPAN = 1.4


class SlotGrid:
    """Where all slots are, board by board."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.places: dict[str, tuple[PlaceSpec, ...]] = {}
        self.spans: dict[str, slice] = {}
        self.masks: dict[tuple[int, int], NDArray[np.bool_]] = {}
        """For slot and neighbour: which samples of the slot's face a tile on the neighbour hides."""
        start = 0
        for name, piece in table.pieces.items():
            slots = tuple(
                place for place in piece.places if place.kind is Kind.SLOT and not is_on_plate(piece, place)
            )
            if not slots or name not in table.calibration.matrices:
                continue
            self.places[name] = slots
            self.spans[name] = slice(start, start + len(slots))
            for (one, other), mask in self._hidden_by_neighbours(name).items():
                self.masks[start + one, start + other] = mask
            start += len(slots)
        self.all = tuple(place for slots in self.places.values() for place in slots)
        self._windows = {name: _windows(slots) for name, slots in self.places.items()}

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        """The points to sample, board by board."""
        out = {}
        for name, places in self.places.items():
            tops = np.concatenate([self._around(name, place, TOP, TOP_SPAN) for place in places])
            heights = [self._table.layout.items[place.item].height_mm for place in places]
            faces = self._face_points(name).reshape(-1, 2)
            out[f"slots.{name}.face"] = (name, Wanted(faces, np.zeros(len(faces))))
            out[f"slots.{name}.top"] = (name, Wanted(tops, np.repeat(heights, TOP * TOP)))
        return out

    def hidden(self, likely: NDArray[np.bool_]) -> dict[int, NDArray[np.bool_]]:
        """For each slot that tiles beside it hide: the samples of its face that are hidden."""
        found: dict[int, NDArray[np.bool_]] = {}
        for (index, neighbour), mask in self.masks.items():
            if likely[neighbour]:
                found[index] = found[index] | mask if index in found else mask
        return found

    def covered(
        self, covered: Mapping[str, NDArray[np.bool_]], free: Mapping[str, NDArray[np.bool_]]
    ) -> NDArray[np.bool_]:
        """(slots,) around which most of the bare board is hidden by something that is no tile."""
        parts = []
        for name, windows in self._windows.items():
            hidden = _window_sums(covered[name].astype(np.int32), windows)
            bare = _window_sums(free[name].reshape(CARD, CARD).astype(np.int32), windows)
            parts.append((bare > 0) & (hidden > COVERED_SHARE * bare))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=bool)

    def _around(self, name: str, place: PlaceSpec, count: int, span: float) -> Matrix:
        """(count², 2) fractions of the board: a square of `span` tiles around a place."""
        size_mm = self._table.layout.items[place.item].size_mm
        steps = (np.arange(count) + 0.5) / count - 0.5
        width, height = (span * size_mm / edge for edge in self._table.pieces[name].size_mm)
        around = np.array([[u * width, v * height] for v in steps for u in steps])
        return np.asarray(around + np.array(place.at), dtype=np.float64)

    def _face_points(self, name: str) -> Matrix:
        return np.stack([self._around(name, place, FACE, FACE_SPAN) for place in self.places[name]])

    def _hidden_by_neighbours(self, name: str) -> dict[tuple[int, int], NDArray[np.bool_]]:
        calibration, places = self._table.calibration, self.places[name]
        items = [self._table.layout.items[place.item] for place in places]
        pose, piece = calibration.poses[name], self._table.pieces[name]
        return neighbour_masks(calibration.camera, pose, piece, places, items, self._face_points(name))


def nearest_seen(hidden: NDArray[np.bool_]) -> NDArray[np.intp]:
    """For each of n² spots its own number, or that of the nearest spot in sight."""
    side = math.isqrt(len(hidden))
    spots = np.array([(row, column) for row in range(side) for column in range(side)])
    seen, lost = np.flatnonzero(~hidden), np.flatnonzero(hidden)
    fill = np.arange(len(hidden))
    if len(seen) == 0:
        return fill
    apart = np.square(spots[lost][:, None, :] - spots[seen][None]).sum(axis=2)
    fill[lost] = seen[apart.argmin(axis=1)]
    return fill


def _windows(places: tuple[PlaceSpec, ...]) -> NDArray[np.int64]:
    """(places, 4): first row, end row, first column, end column of the card around each place."""
    rows = []
    for place in places:
        half_u, half_v = (max(3, round(size * CARD * 0.9)) for size in place.size)
        column, row = (int(at * CARD) for at in place.at)
        rows.append((max(0, row - half_v), min(CARD, row + half_v + 1), max(0, column - half_u),
                     min(CARD, column + half_u + 1)))
    return np.array(rows, dtype=np.int64)


def _window_sums(card: NDArray[np.int32], windows: NDArray[np.int64]) -> NDArray[np.int64]:
    total = np.zeros((CARD + 1, CARD + 1), dtype=np.int64)
    total[1:, 1:] = card.cumsum(axis=0).cumsum(axis=1)
    top, bottom, left, right = windows.T
    return np.asarray(total[bottom, right] - total[top, right] - total[bottom, left] + total[top, left])
