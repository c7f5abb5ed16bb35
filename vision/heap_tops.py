"""The tops of loose tiles: what is seen of them, and whether it can be that of one tile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.squares import Found

Floats = NDArray[np.float32]

_GRID = np.stack(np.meshgrid(np.linspace(-0.4, 0.4, 9), np.linspace(-0.4, 0.4, 9)))
"""Where a tile's top is looked at, in tile edges from its middle."""
BEHIND = 1.5
"""A spot that another colour explains by so much better, in log density, is hardly of the tile's own."""
MOST_BEHIND = 0.3
"""No tile has a larger share of such spots, whatever its ornament and the glint on it."""


def tops_at(view: Image, founds: Sequence[Found], edge_px: float) -> Image:
    """(N, 9, 9, 3): the tops of tiles, as they would lie before their owner."""
    across, down = _GRID * edge_px
    angles, at_x, at_y = (
        np.array([getattr(found, name) for found in founds])[:, None, None] for name in ("angle_rad", "x_px", "y_px")
    )
    cosine, sine = np.cos(angles), np.sin(angles)
    x = np.rint(at_x + across * cosine - down * sine).astype(np.intp)
    y = np.rint(at_y + across * sine + down * cosine).astype(np.intp)
    return np.asarray(view[np.clip(y, 0, view.shape[0] - 1), np.clip(x, 0, view.shape[1] - 1)], dtype=np.uint8)


def straddling(densities: Floats) -> NDArray[np.bool_]:
    """(N,): whether a top (N, spots, colours) shows two tiles, or one and the shade beside it, rather than one."""
    named = densities.mean(axis=1).argmax(axis=1)
    own = np.take_along_axis(densities, named[:, None, None], axis=2)[..., 0]
    behind = densities.max(axis=2) - own > BEHIND
    return np.asarray(behind.mean(axis=1) > MOST_BEHIND)
