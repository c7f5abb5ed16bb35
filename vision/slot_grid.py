"""The slots of a table as one long list, with the points where each is sampled and what hides it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.card import CARD
from vision.layout import PlaceSpec
from vision.occlusion import inside, neighbour_masks
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
BESIDE_SPOTS = 2.0
"""What covers the board may reach so many spots of the card farther: skin looks like pale print here and there."""
NEIGHBOUR_SHARE = 0.8
"""Places whose middles are closer than this share of both their sizes together are neighbours."""


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
        self._beside: dict[int, list[int]] = {}
        self._hides: dict[int, list[int]] = {}
        for index, neighbour in self.masks:
            self._beside.setdefault(index, []).append(neighbour)
            self._hides.setdefault(neighbour, []).append(index)
        self.all = tuple(place for slots in self.places.values() for place in slots)
        self._spots = {name: _spots(slots) for name, slots in self.places.items()}

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

    def hidden_by(self, which: Collection[int]) -> set[int]:
        """The slots of which tiles on some slots hide a part."""
        return {index for neighbour in which for index in self._hides.get(neighbour, ())}

    def hidden(self, likely: NDArray[np.bool_], which: Collection[int]) -> dict[int, NDArray[np.bool_]]:
        """For each slot of some that tiles beside it hide: the samples of its face that are hidden."""
        found: dict[int, NDArray[np.bool_]] = {}
        for index in which:
            for neighbour in self._beside.get(index, ()):
                if likely[neighbour]:
                    mask = self.masks[index, neighbour]
                    found[index] = found[index] | mask if index in found else mask
        return found

    def under_hands(self, covered: Mapping[str, NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """(slots,) that may lie under a hand: inside the hull of what covers the bare board around them."""
        under = np.zeros(len(self.all), dtype=bool)
        for name, span in self.spans.items():
            if covered[name].any():
                under[span] = inside_hulls(covered[name], self._spots[name])
        return under

    def spread(self, hidden: NDArray[np.bool_], changed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(slots,) hidden, or changed and connected to a hidden one by places that changed: a hand is one thing."""
        found = hidden.copy()
        for name, span in self.spans.items():
            at = np.array([place.at for place in self.places[name]])
            size = np.array([place.size for place in self.places[name]])
            near = (np.abs(at[:, None] - at[None]) < (size[:, None] + size[None]) * NEIGHBOUR_SHARE).all(axis=2)
            here = found[span]
            while True:
                grown = here | (changed[span] & (near & here[None]).any(axis=1))
                if (grown == here).all():
                    break
                here = grown
            found[span] = here
        return found

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
    return _nearest_seen(hidden.tobytes())


@cache
def _distances(side: int) -> NDArray[np.float32]:
    """(side², side²): squares of how far the spots of a square lie apart."""
    rows, columns = np.divmod(np.arange(side * side, dtype=np.float32), side)
    return np.asarray(np.square(rows[:, None] - rows) + np.square(columns[:, None] - columns), dtype=np.float32)


@lru_cache(maxsize=4096)
def _nearest_seen(key: bytes) -> NDArray[np.intp]:
    hidden = np.frombuffer(key, dtype=bool)
    seen, lost = np.flatnonzero(~hidden), np.flatnonzero(hidden)
    fill = np.arange(len(hidden))
    if len(seen):
        fill[lost] = seen[_distances(math.isqrt(len(hidden)))[np.ix_(lost, seen)].argmin(axis=1)]
    return fill


def _spots(places: tuple[PlaceSpec, ...]) -> NDArray[np.float64]:
    """(places, 5, 2): the middle of each place and its quarter points, in spots of the card (column, row)."""
    steps = np.array([[0.0, 0.0], [-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]])
    return np.stack([(np.array(place.at) + steps * np.array(place.size)) * CARD for place in places])


def inside_hulls(covered: NDArray[np.bool_], spots: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(places,) of which a part lies inside the hull of some connected cover (CARD, CARD), or just beside it; given
    some points (places, n, 2) of each, in spots of the card."""
    joined = cv2.dilate(covered.astype(np.uint8), np.ones((5, 5), np.uint8))
    count, labels = cv2.connectedComponents(joined)
    under = np.zeros(len(spots), dtype=bool)
    near, far = -BESIDE_SPOTS, 1.0 + BESIDE_SPOTS
    around = np.array([[near, near], [far, near], [far, far], [near, far]], dtype=np.float32)
    for label in range(1, count):
        rows, columns = np.nonzero((labels == label) & covered)
        if len(rows) == 0:
            continue
        corners = np.column_stack([columns, rows]).astype(np.float32)
        hull = cv2.convexHull((corners[:, None] + around).reshape(-1, 2)).reshape(-1, 2)
        under |= inside(np.asarray(hull, dtype=np.float32), spots.reshape(-1, 2)).reshape(len(spots), -1).any(axis=1)
    return under
