"""Plates: cards with four printed spaces, on which tiles are laid later. Where the spaces of each plate are, and which
slots of a board lie on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.layout import Layout, PieceSpec, PlaceSpec
from vision.reading import Kind

Matrix = NDArray[np.float64]

VIEW = 40
"""Samples along each side of a plate and the little around it."""
SPAN = 1.09
"""Width of that, in plates."""
DEFAULT_OFFSET = 0.24
"""How far the middle of a space is from the middle of a plate, in plates, where no slot tells."""
INNER, AROUND = 0.8, 1.12
"""Within the first share of its radius a space shows only its print; beyond the second only the plate's ground."""
RING = (1.0, 1.25)
"""From where to where, in its radius, the ground right around a space is."""
FACE_EDGE = 0.94
"""The ground is looked at within this share of a plate's edge."""


@dataclass(frozen=True, slots=True, eq=False)
class PlateSpot:
    """One place for a plate."""

    place: PlaceSpec
    slots: tuple[PlaceSpec | None, ...]
    """The slots on its four spaces, row by row; None where no tile can lie."""
    points: Matrix
    """(VIEW², 2) fractions of the board."""


@dataclass(frozen=True, slots=True, eq=False)
class PlateShape:
    """What is where in the flat view of a plate; all masks (VIEW, VIEW)."""

    discs: NDArray[np.bool_]
    """(4, VIEW, VIEW): the print of each space."""
    ground: NDArray[np.bool_]
    """The plate between its spaces."""
    whole: NDArray[np.bool_]
    """All of the plate."""
    rings: NDArray[np.bool_]
    """(4, VIEW, VIEW): right around each space, where a tile that lies there shows its side and its shadow."""


def is_on_plate(piece: PieceSpec, slot: PlaceSpec) -> bool:
    """Whether a slot lies where a plate can be laid: its print is then the plate's."""
    return any(plate.kind is Kind.PLATE and _lies_on(slot, plate) for plate in piece.places)


def plate_spots(layout: Layout, pieces: Mapping[str, PieceSpec]) -> dict[str, list[PlateSpot]]:
    """All places for plates, board by board."""
    spots: dict[str, list[PlateSpot]] = {}
    for name, piece in pieces.items():
        slots = [place for place in piece.places if place.kind is Kind.SLOT]
        for plate in piece.places:
            if plate.kind is Kind.PLATE:
                here = sorted((slot for slot in slots if _lies_on(slot, plate)), key=lambda slot: slot.at[::-1])
                four = tuple(here) if len(here) == 4 else (None,) * 4
                spots.setdefault(name, []).append(PlateSpot(plate, four, _points(layout, piece, plate)))
    return spots


def plate_shape(layout: Layout, pieces: Mapping[str, PieceSpec]) -> PlateShape:
    """The masks of a plate, from the slots that lie on plates somewhere on the table."""
    plates = [place for piece in pieces.values() for place in piece.places if place.kind is Kind.PLATE]
    edge_mm = layout.items[plates[0].item].size_mm
    offset, radius = DEFAULT_OFFSET, DEFAULT_OFFSET * 0.82
    for piece in pieces.values():
        for spot in plate_spots(layout, {piece.name: piece}).get(piece.name, ()):
            first = spot.slots[0]
            if first is not None:
                offset = (spot.place.at[0] - first.at[0]) * piece.size_mm[0] / edge_mm
                radius = first.size[0] * piece.size_mm[0] / edge_mm / 2
    steps = ((np.arange(VIEW) + 0.5) / VIEW - 0.5) * SPAN
    across, down = np.meshgrid(steps, steps)
    away = [np.hypot(across - x * offset, down - y * offset) / radius for y in (-1, 1) for x in (-1, 1)]
    whole = np.maximum(np.abs(across), np.abs(down)) < FACE_EDGE / 2
    return PlateShape(
        np.stack([each < INNER for each in away]), whole & (np.min(away, axis=0) > AROUND), whole,
        np.stack([(each > RING[0]) & (each < RING[1]) for each in away]),
    )


def _lies_on(slot: PlaceSpec, plate: PlaceSpec) -> bool:
    return all(abs(a - b) < size / 2 for a, b, size in zip(slot.at, plate.at, plate.size, strict=True))


def _points(layout: Layout, piece: PieceSpec, plate: PlaceSpec) -> Matrix:
    edge_mm = layout.items[plate.item].size_mm * SPAN
    steps = (np.arange(VIEW) + 0.5) / VIEW - 0.5
    width, height = (edge_mm / edge for edge in piece.size_mm)
    return np.array([[plate.at[0] + u * width, plate.at[1] + v * height] for v in steps for u in steps])
