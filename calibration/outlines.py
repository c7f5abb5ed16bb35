"""The printed lines that a layout promises: what a board can be recognised by, whatever its edition's artwork."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.layout import PieceSpec
from vision.reading import Kind

Points = NDArray[np.float64]

SAMPLES_A_SIDE = 7
OUTLINED = (Kind.SLOT, Kind.CELL, Kind.PLATE, Kind.CHIP, Kind.HEAP, Kind.PILE)
"""Kinds whose space on a board is printed with an outline."""
ROUND_REACH_RAD = 0.45
"""A round outline runs straight enough for so far on both sides of its four outermost points."""


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """Points on printed lines, with the direction across the line."""

    points: Points
    """(N, 2) fractions of the piece."""
    across: NDArray[np.int64]
    """(N,) 0 where the line runs down (its edge shows along u), 1 where it runs across."""
    weights: Points
    """(N,) how much a point counts: each space counts alike."""

    @property
    def number(self) -> int:
        """How many spaces they are the outlines of."""
        return len(self.points) // (4 * SAMPLES_A_SIDE)


def outlines_of(piece: PieceSpec, cut_weight: float = 0.0) -> Outlines:
    """The outlines of all spaces and track spaces of a board, and of the board itself if that is to count."""
    boxes: list[tuple[float, float, float, float]] = []
    is_round: list[bool] = []
    weights: list[float] = []
    for place in piece.places:
        if place.kind in OUTLINED and (*place.at, *place.size) not in boxes:
            boxes.append((*place.at, *place.size))
            is_round.append(place.round_area)
            weights.append(1.0)
        for track in place.tracks:
            if track.cell is not None:
                boxes += [(u, v, *track.cell) for u, v in track.at]
                is_round += [False] * len(track.at)
                weights += [0.4] * len(track.at)
    if cut_weight:
        boxes.append((0.5, 0.5, 1.0, 1.0))
        is_round.append(False)
        weights.append(cut_weight)
    points = [_round_sides(*box) if bent else _straight_sides(*box) for box, bent in zip(boxes, is_round, strict=True)]
    across = np.repeat([0, 1, 0, 1], SAMPLES_A_SIDE)
    return Outlines(
        np.array(points, dtype=np.float64).reshape(-1, 2), np.tile(across, len(boxes)).astype(np.int64),
        np.repeat(np.array(weights, dtype=np.float64), 4 * SAMPLES_A_SIDE),
    )


def cut_of(piece: PieceSpec) -> Outlines:
    """The outline of the board alone."""
    return outlines_of(replace(piece, places=()), cut_weight=1.0)


def _straight_sides(u: float, v: float, width: float, height: float) -> Points:
    """(4 × SAMPLES_A_SIDE, 2) points on the left, top, right and bottom side of a rectangle."""
    steps = np.linspace(-0.38, 0.38, SAMPLES_A_SIDE)
    half = np.full(SAMPLES_A_SIDE, 0.5)
    sides = ((-half, steps), (steps, -half), (half, steps), (steps, half))
    return np.concatenate([np.column_stack([u + x * width, v + y * height]) for x, y in sides])


def _round_sides(u: float, v: float, width: float, height: float) -> Points:
    """The same for an ellipse: arcs around its four outermost points."""
    turns = np.linspace(-ROUND_REACH_RAD, ROUND_REACH_RAD, SAMPLES_A_SIDE)
    along, out = 0.5 * np.sin(turns), 0.5 * np.cos(turns)
    sides = ((-out, along), (along, -out), (out, along), (along, out))
    return np.concatenate([np.column_stack([u + x * width, v + y * height]) for x, y in sides])
