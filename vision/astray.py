"""Where a tile really lies: in the middle of its cell, beside it, or on no one cell.

Read cell by cell, half a card looks like a hand, and one that lies askew like a tile with another face. So where a card
has come to lie, it is looked for as a whole: a square of one card's colour, as large as a tile, with something else
around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted, locate
from vision.colours import ColourTable
from vision.layout import PlaceSpec
from vision.rectify import PIXEL_CENTRE
from vision.view import View

STEPS = 20
"""Points along the edge of a cell."""
REACH_STEPS = 23
"""How far around the middle of a cell is looked, in steps: a tile half a cell away, and what surrounds it."""
CARD_LOG_DENSITY = -16.0
"""What is at least so much like a card's colour is taken for it."""
LEAST_INSIDE = 0.55
"""A card shows its colour on at least this share of its face: the rest is print."""
LEAST_CONTRAST = 0.5
"""And so much less of it around it."""
LEAST_AWAY = 0.3
"""A tile this far from the middle of its cell, in cells, does not lie on it."""
NEAR = 0.2
"""Up to this far it does, however carelessly it was laid …"""
LEAST_LEAD = 0.2
"""… and by so much more must a card show where it lies than there."""
CARELESS, CARELESS_LEAD = 0.1, 0.08
"""From here on, and if it shows by so much more there than in the middle, its print is looked for beside the middle."""
MUCH_COVERED = 0.12
"""Cells of which a tile covers at least this share of itself are those it lies on."""

Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Card:
    """A tile's card, as it lies."""

    u: float
    """Its middle, in fractions of the board."""
    v: float
    is_astray: bool
    """It does not lie on the cell near which it was looked for."""

    def covers(self, cells: Sequence[PlaceSpec], tile: tuple[float, float]) -> list[int]:
        """The cells that it covers much of, by number; `tile` is its size in fractions of the board."""
        covered = []
        for number, cell in enumerate(cells):
            wide = min(tile[0], max(0.0, (tile[0] + cell.size[0]) / 2 - abs(self.u - cell.at[0])))
            high = min(tile[1], max(0.0, (tile[1] + cell.size[1]) / 2 - abs(self.v - cell.at[1])))
            if wide * high >= MUCH_COVERED * tile[0] * tile[1]:
                covered.append(number)
        return covered


def find_card(
    view: View, board: str, cell: PlaceSpec, tile: tuple[float, float], above_mm: float, colours: ColourTable,
    cards: Sequence[int],
) -> Card | None:
    """The card that lies near the middle of this cell and not in it; None where there is none, or it lies there.
    `cards` are the columns of the cards' colours, `tile` is a tile's size in fractions of the board."""
    ways = np.arange(-REACH_STEPS, REACH_STEPS + 1) / STEPS
    u, v = np.meshgrid(cell.at[0] + ways * cell.size[0], cell.at[1] + ways * cell.size[1])
    wanted = Wanted(np.stack([u.ravel(), v.ravel()], axis=1), np.full(u.size, above_mm))
    points = locate(view.camera, view.poses[board], view.matrices[board], wanted) - PIXEL_CENTRE
    planes = points.astype(np.float32).reshape(*u.shape, 2)
    seen = cv2.remap(
        view.image, planes[..., 0], planes[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
    )
    lit = view.lights[board].apply(np.asarray(seen, np.uint8))
    likely = colours.pixels(lit.reshape(-1, 3))
    best = likely[:, cards].argmax(axis=1)
    is_card = (likely[:, cards].max(axis=1) > CARD_LOG_DENSITY) & (likely.argmax(axis=1) == np.asarray(cards)[best])
    edge = 2 * round(STEPS * tile[0] / cell.size[0] / 2) + 1
    found: tuple[bool, float, int, int] | None = None
    for number in np.unique(best[is_card]):
        card = (is_card & (best == number)).astype(np.float32).reshape(u.shape)
        if card.sum() < LEAST_INSIDE * edge * edge:
            continue
        away = _away(card, edge)
        if away is not None and (found is None or away > found):
            found = away
    if found is None:
        return None
    is_astray, _, row, column = found
    at = (cell.at[0] + ways[column] * cell.size[0], cell.at[1] + ways[row] * cell.size[1])
    return Card(float(at[0]), float(at[1]), is_astray)


def _away(card: Map, edge: int) -> tuple[bool, float, int, int] | None:
    """Whether a card of this edge lies far from the middle, how clearly, and at which row and column; None where it
    lies in the middle, or nowhere."""
    inside = cv2.blur(card, (edge, edge), borderType=cv2.BORDER_CONSTANT)
    wide = edge + 4
    around = (
        cv2.blur(card, (wide, wide), borderType=cv2.BORDER_CONSTANT) * wide * wide - inside * edge * edge
    ) / (wide * wide - edge * edge)
    contrast = np.where(inside >= LEAST_INSIDE, inside - around, -1.0)
    half, near = STEPS // 2 + 1, round(NEAR * STEPS)
    middle = len(card) // 2
    window = contrast[middle - half : middle + half + 1, middle - half : middle + half + 1]
    row, column = np.unravel_index(int(window.argmax()), window.shape)
    most = float(window[row, column])
    close = float(window[half - near : half + near + 1, half - near : half + near + 1].max())
    off = max(abs(int(row) - half), abs(int(column) - half)) / STEPS
    if most < LEAST_CONTRAST:
        return None
    is_astray = off >= LEAST_AWAY and most - max(close, 0.0) >= LEAST_LEAD
    is_careless = CARELESS <= off < LEAST_AWAY and most - max(float(window[half, half]), 0.0) >= CARELESS_LEAD
    if not is_astray and not is_careless:
        return None
    return is_astray, most, int(row) - half + middle, int(column) - half + middle
