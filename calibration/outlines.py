"""The printed lines that a layout promises: what a board can be recognised by, whatever its edition's artwork."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.layout import PieceSpec
from vision.reading import Kind

Points = NDArray[np.float64]

SAMPLES_A_SIDE = 7
OUTLINED = (Kind.SLOT, Kind.CELL, Kind.PLATE)
"""Kinds whose space is printed with an outline. Heaps and piles lie on artwork that a layout says nothing of."""


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """Points on printed lines, with the direction across the line."""

    points: Points
    """(N, 2) fractions of the piece."""
    across: NDArray[np.int64]
    """(N,) 0 where the line runs down (its edge shows along u), 1 where it runs across."""
    weights: Points
    """(N,) how much a point counts: each space counts alike."""


def outlines_of(piece: PieceSpec) -> Outlines:
    """The outlines of all slots, cells and track spaces of a board."""
    boxes: list[tuple[float, float, float, float, float]] = []
    for place in piece.places:
        if place.kind in OUTLINED:
            boxes.append((*place.at, *place.size, 1.0))
        for track in place.tracks:
            if track.cell is not None:
                boxes += [(u, v, *track.cell, 0.4) for u, v in track.at]
    steps = np.linspace(-0.38, 0.38, SAMPLES_A_SIDE)
    points: list[tuple[float, float]] = []
    across: list[int] = []
    weights: list[float] = []
    for u, v, width, height, weight in boxes:
        for side in (-0.5, 0.5):
            points += [(u + side * width, v + step * height) for step in steps]
            across += [0] * SAMPLES_A_SIDE
            points += [(u + step * width, v + side * height) for step in steps]
            across += [1] * SAMPLES_A_SIDE
        weights += [weight] * (4 * SAMPLES_A_SIDE)
    return Outlines(
        np.array(points, dtype=np.float64).reshape(-1, 2), np.array(across, dtype=np.int64),
        np.array(weights, dtype=np.float64),
    )
