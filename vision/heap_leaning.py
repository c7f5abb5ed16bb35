"""Tiles that lie partly upon another: where a spot that two share clearly shows the one that was left out, it is there
too, upon the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.squares import Found, Shape, corners_of

Floats = NDArray[np.float32]

LEAST_SCORE = 3.5
"""What leans is told only where it is as clear as a tile that lies alone."""
LEAST_SHARED, MOST_SHARED = 0.05, 0.45
"""Share of a tile's area: less is an error of position, more hides too much of the lower one."""
CLEARLY = 2.0
"""By so much in mean log density a spot has one colour and not another."""
CORE = 0.8
"""Share of an edge that certainly shows a top."""
BESIDE = math.sqrt(2.0)
"""Tiles share spots only if their middles are closer than this, in edges."""


def leaning(
    founds: Sequence[Found], kept: Sequence[Found], size: tuple[int, int], shape: Shape,
    colours_of: Callable[[NDArray[np.bool_]], Floats],
) -> list[Found]:
    """Those of some tiles that share spots with kept ones and yet lie there as well, best first. `colours_of` tells
    the mean log density of every colour over a mask (height, width)."""
    every = list(kept)
    for found in sorted(founds, key=lambda each: -each.score):
        if found.score < LEAST_SCORE:
            break
        if _leans(found, every, size, shape.edge_px, colours_of):
            every.append(found)
    return every[len(kept) :]


def _leans(
    found: Found, kept: Sequence[Found], size: tuple[int, int], edge_px: float,
    colours_of: Callable[[NDArray[np.bool_]], Floats],
) -> bool:
    """Whether a tile lies there although it shares spots with kept ones: all these have other colours, and each shared
    spot clearly shows this one. Sides and shadows lie beside what they belong to, never upon it."""
    beside = [
        other for other in kept
        if math.hypot(found.x_px - other.x_px, found.y_px - other.y_px) < BESIDE * edge_px
    ]
    if any(other.colour == found.colour for other in beside):
        return False
    own, leans = _core(found, size, edge_px), False
    for other in beside:
        shared = own & _core(other, size, edge_px)
        share = np.count_nonzero(shared) / (edge_px * CORE) ** 2
        if share > MOST_SHARED:
            return False
        if share > LEAST_SHARED:
            shown = colours_of(shared)
            if shown[found.colour] < shown[other.colour] + CLEARLY:
                return False
            leans = True
    # What touches others without lying upon any is a gap between them, or one of them seen askew.
    if not leans:
        return False
    shown = colours_of(own)
    return bool(shown[found.colour] >= shown.max())


def _core(found: Found, size: tuple[int, int], edge_px: float) -> NDArray[np.bool_]:
    """(height, width): where the top of a tile certainly is."""
    core = np.zeros(size, np.uint8)
    cv2.fillConvexPoly(core, np.rint(corners_of(found, edge_px * CORE)).astype(np.int32), 1)
    return core.astype(bool)
