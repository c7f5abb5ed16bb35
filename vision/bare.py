"""Which of some places that are printed alike are bare, where nobody took a picture of the empty table.

Print is alike to a hair from place to place; no two tiles are, turned and shifted as they lie. And what is printed on a
space goes with what is printed around it, where a tile stands out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.colours import to_lab
from vision.frame import Image

HAIR_LAB, WORST_LAB, WORST_SHARE = 3.5, 8.5, 0.9
"""Looks whose typical spot differs by less than the first, and all but a few of whose spots by less than the second,
show the same print: two face-down chips, put down with some care, differ by twice as much."""
CORE = 0.85
"""Share of a tile's width within which nothing but the tile is seen, or nothing but what it would hide."""
RING = (1.1, 1.45)
"""Of its surroundings, in tiles: from where to where."""
MOST_SHADE = 1.25
"""No place is lit so many times as brightly, in levels, as its sister."""
HIDDEN = 0.92
"""The part of it that even a smaller thing than a tile hides, in tiles."""
LIKE_AROUND_LAB, LIKE_AROUND_CHROMA = 16.0, 8.0
"""A space that differs from its surroundings by no more than this, and in its tint by no more than that, is bare."""


def core_mask(side: int, diameter_px: float) -> NDArray[np.bool_]:
    """(side, side): what a tile in the middle of a look hides for sure."""
    return _away(side) < diameter_px * CORE / 2


def hidden_mask(side: int, diameter_px: float) -> NDArray[np.bool_]:
    """(side, side): what anything that lies in the middle of a look hides."""
    return _away(side) < diameter_px * HIDDEN / 2


def bare_ones(looks: Image, diameter_px: float) -> list[int]:
    """The largest crowd of looks (places, side, side, 3) that show the same print; none where no two do.

    Of two crowds of the same size the paler one: tiles are purer than print.
    """
    lab = to_lab(np.ascontiguousarray(looks[:, core_mask(looks.shape[1], diameter_px)])).astype(np.float64)
    alike = np.array([[_same_print(one, other) for other in lab] for one in lab])
    chroma = np.hypot(*np.median(lab, axis=1)[:, 1:].T)
    best = max(range(len(lab)), key=lambda index: (int(alike[index].sum()), -float(chroma[index])))
    crowd = np.flatnonzero(alike[best])
    return crowd.tolist() if len(crowd) > 1 else []


def unlike_around(look: Image, diameter_px: float) -> float:
    """How little the middle of a look (side, side, 3) goes with what is around it; up to 1 where it does."""
    lab = to_lab(look)
    away = _away(look.shape[0]) / (diameter_px / 2)
    core = np.median(lab[away < CORE], axis=0)
    apart = core - np.median(lab[(away > RING[0]) & (away < RING[1])], axis=0)
    return float(max(np.linalg.norm(apart) / LIKE_AROUND_LAB, np.linalg.norm(apart[1:]) / LIKE_AROUND_CHROMA))


def in_light_of(look: Image, own: Image, diameter_px: float) -> Image:
    """A look as bright as another one is around its middle: one may lie in the shade."""
    away = _away(look.shape[0]) / (diameter_px / 2)
    ring = (away > RING[0]) & (away < RING[1])
    then, now = (np.median(one[ring].astype(np.float64), axis=0) for one in (look, own))
    gain = np.clip(float(now.sum() / max(then.sum(), 1.0)), 1.0 / MOST_SHADE, MOST_SHADE)
    return np.asarray(np.clip(look * gain, 0, 255), dtype=np.uint8)


def filled(look: Image, diameter_px: float) -> Image:
    """A look whose middle is as what is around it, for want of anything better."""
    away = _away(look.shape[0]) / (diameter_px / 2)
    plain = look.copy()
    plain[hidden_mask(look.shape[0], diameter_px)] = np.median(look[(away > RING[0]) & (away < RING[1])], axis=0)
    return plain


def _same_print(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    apart = one - other
    # One may lie in the shade.
    apart[:, 0] -= np.median(apart[:, 0])
    each = np.linalg.norm(apart, axis=1)
    return bool(np.median(each) < HAIR_LAB and np.quantile(each, WORST_SHARE) < WORST_LAB)


def _away(side: int) -> NDArray[np.float64]:
    steps = np.arange(side) - (side - 1) / 2
    return np.asarray(np.hypot(*np.meshgrid(steps, steps)), dtype=np.float64)
