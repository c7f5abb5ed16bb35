"""Whether a tile lies on a space of a plate, often in the very colour of the print: what changed since it was bare.

A tile has its own gloss, an ornament turned by chance, and an edge with a shadow; a print stays as it was.
"""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import to_lab
from vision.frame import Image

Floats = NDArray[np.float64]

DEEPEST_SHADOW, BRIGHTEST = 18.0, 4.0
"""A space may be darker or lighter than it was bare, by this much lightness, without anything lying on it."""
REACH = 0.38
"""What is compared: within this share of the width of a face from its middle, where a tile's top is seen for sure."""
MOVES = tuple(product((0.0, -0.6, 0.6), repeat=2))
"""How far a plate may have been moved, across and down, in samples of a face."""
HALF_CHANGED = 1.8
"""Log of one plus the usual change (in Lab) at which a tile is as likely as not."""
CHANGE_WEIGHT, TEXTURE_WEIGHT = 12.0, 6.0
HALF_TEXTURE = 0.08
"""How unrelated the fine structure is at which a tile is as likely as not: 0 is the same, 1 unrelated."""


def change_features(faces: Image, bare: Image) -> Floats:
    """(spaces, 2): how much spaces (spaces, n, n, 3) changed since they were bare, and how unrelated they look."""
    side = faces.shape[1]
    steps = (np.arange(side) + 0.5) / side - 0.5
    within = np.hypot(*np.meshgrid(steps, steps)) < REACH
    now, looks = to_lab(faces).astype(np.float64), (to_lab(_moved(bare, *by)).astype(np.float64) for by in MOVES)
    # A plate that was pushed, or a board that was found again not quite where it lay, moves all its spaces alike.
    return min((_features(now, then, within) for then in looks), key=lambda features: float(features[:, 0].sum()))


def _features(now: Floats, then: Floats, within: NDArray[np.bool_]) -> Floats:
    now = now.copy()
    lighter = np.median((now - then)[:, within, 0], axis=1)
    now[..., 0] -= np.clip(lighter, -DEEPEST_SHADOW, BRIGHTEST)[:, None, None]
    apart = np.linalg.norm(now - then, axis=3)[:, within]
    change = np.log1p(np.median(apart, axis=1))
    return np.column_stack([change, [_unrelated(one, other, within) for one, other in zip(now, then, strict=True)]])


def _moved(faces: Image, across: float, down: float) -> Image:
    """Faces (spaces, n, n, 3) moved by so many samples."""
    if not across and not down:
        return faces
    matrix, size = np.array([[1.0, 0.0, across], [0.0, 1.0, down]]), faces.shape[1:3]
    moved = [cv2.warpAffine(face, matrix, size, borderMode=cv2.BORDER_REPLICATE) for face in faces]
    return np.asarray(np.stack(moved), dtype=np.uint8)


def tile_log_odds(faces: Image, bare: Image) -> Floats:
    """(spaces,) that a tile lies on each."""
    change, texture = change_features(faces, bare).T
    odds = CHANGE_WEIGHT * (change - HALF_CHANGED) + TEXTURE_WEIGHT * (texture - HALF_TEXTURE)
    return np.asarray(odds, dtype=np.float64)


def _unrelated(now: Floats, then: Floats, within: NDArray[np.bool_]) -> float:
    """One minus the correlation of the slopes of two faces, over all three channels."""
    parts = []
    for face in (now, then):
        down, across = (np.asarray(slope) for slope in np.gradient(face, axis=(0, 1)))
        parts.append(np.concatenate([down[within].ravel(), across[within].ravel()]))
    one, other = parts
    # A space without any structure agrees with itself, whatever the noise.
    return float(1.0 - (one @ other + 40.0) / (np.sqrt((one @ one) * (other @ other)) + 40.0))
