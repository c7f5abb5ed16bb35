"""Counters: the number a stone stands on. A stone is a dark cube; where it stands, its top and sides hide the print."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.card import CARD
from vision.layout import PieceSpec, PlaceSpec
from vision.reading import Kind, Reading
from vision.view import Reader, Table, View

KINDS = (Kind.COUNTER,)

SIDE = 5
"""Samples along each side of a stone's top, and as many half-way down."""
SHARPNESS = 60.0
"""How fast the probability of a position falls with the darkness of its stone-shaped patch (0 to 1)."""


def make(table: Table) -> Reader:
    """The reader of all single-stone counters of a table."""
    return CounterReader(table)


class CounterReader:
    """One stone on one track; counters with several stones are left to their game's own reader."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._places: dict[str, PlaceSpec] = {}
        for name, piece in table.pieces.items():
            for place in piece.places:
                if place.kind is Kind.COUNTER and len(place.tracks) == 1 and name in table.calibration.matrices:
                    self._places[name] = place

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return {
            f"counters.{name}": (name, self._stones(self._table.pieces[name], place))
            for name, place in self._places.items()
        }

    def learn(self, view: View) -> None:
        """Nothing: a dark cube looks alike on every table."""

    def read(self, view: View) -> Iterator[Reading]:
        for name, place in self._places.items():
            count = len(place.tracks[0].at)
            pixels = view.lit(f"counters.{name}", name).reshape(count, -1, 3)
            dark = 1.0 - pixels.max(axis=2).astype(np.float64) / 255.0
            score = np.sort(dark, axis=1)[:, dark.shape[1] // 5 :].mean(axis=1)
            evidence = SHARPNESS * (score - score.max())
            evidence -= math.log(np.exp(evidence).sum())
            weight = place.tracks[0].weight
            values: dict[Hashable, float] = {index * weight: float(value) for index, value in enumerate(evidence)}
            yield Reading(place.name, Kind.COUNTER, {"value": values}, occluded=_is_covered(view.covered[name], place))

    def _stones(self, piece: PieceSpec, place: PlaceSpec) -> Wanted:
        """Points of a stone's top and of its middle, for every position of the track."""
        item = self._table.layout.items[place.item]
        steps = ((np.arange(SIDE) + 0.5) / SIDE - 0.5) * 0.8 * item.size_mm
        grid = np.array([[u / piece.size_mm[0], v / piece.size_mm[1]] for v in steps for u in steps])
        both = np.concatenate([grid, grid])
        heights = np.repeat([item.height_mm, item.height_mm / 2], len(grid))
        at = np.array(place.tracks[0].at)
        points = (at[:, None, :] + both[None, :, :]).reshape(-1, 2)
        return Wanted(points, np.tile(heights, len(at)))


def _is_covered(covered: NDArray[np.bool_], place: PlaceSpec) -> bool:
    low = [max(0, int((at - size / 2) * CARD)) for at, size in zip(place.at, place.size, strict=True)]
    high = [int((at + size / 2) * CARD) + 1 for at, size in zip(place.at, place.size, strict=True)]
    return bool(covered[low[1] : high[1], low[0] : high[0]].mean() > 0.15)
