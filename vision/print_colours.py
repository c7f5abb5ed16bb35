"""Prints in the colours of tiles: paler and flatter than the tiles, so that hue tells more than lightness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.colours import ColourModel

Floats = NDArray[np.float32]

DARK_LIGHTNESS, DARK_CHROMA = 55.0, 22.0
"""A tile darker and greyer than this is black: in shadow it is still the same black."""
MOST_COLOURFUL = 1.1
"""A print is hardly more colourful than its tile."""


def ground_colours(colours: ColourModel, names: Sequence[str], lighter: bool = False) -> NDArray[np.float64]:
    """(names, 3) Lab: the ground of each tile, without its gloss: what the darker half of it looks like on average; or
    the lighter half, for tiles that have their ornament in the darker one."""
    rows = []
    for name in names:
        index = colours.names.index(name)
        weights, means = colours.weights[index], colours.means_lab[index]
        order = np.argsort(-means[:, 0] if lighter else means[:, 0])
        before = np.concatenate([[0.0], np.cumsum(weights[order])[:-1]])
        share = np.clip(0.5 * weights.sum() - before, 0.0, weights[order])
        rows.append((means[order] * share[:, None]).sum(axis=0) / share.sum())
    return np.array(rows, dtype=np.float64)


def distances(
    lab: ArrayLike, grounds: NDArray[np.float64], palest: float, lightness_weight: float,
    most_colourful: float = MOST_COLOURFUL,
) -> Floats:
    """(N, colours): how far pixels (N, 3) in Lab are from each colour's print, somewhat paler than its tile."""
    pixels = np.asarray(lab, dtype=np.float64)
    length = np.maximum(np.linalg.norm(grounds[:, 1:], axis=1), 1.0)
    along = np.clip(pixels[:, 1:] @ grounds[:, 1:].T / np.square(length), palest, most_colourful)
    apart = pixels[:, None, 1:] - along[..., None] * grounds[None, :, 1:]
    lighter = (pixels[:, None, 0] - grounds[None, :, 0]) * lightness_weight
    dark = (grounds[:, 0] < DARK_LIGHTNESS) & (length < DARK_CHROMA)
    lighter = np.where(dark[None], np.maximum(lighter, 0.0), lighter)
    return np.asarray(np.sqrt(np.square(apart).sum(axis=2) + np.square(lighter)), dtype=np.float32)
