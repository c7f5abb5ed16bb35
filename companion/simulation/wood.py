"""The table top: planks with grain, in millimetres of the table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

PX_PER_MM = 1.5
PLANK_MM = 170.0

WOODS = (
    (92, 140, 184),
    (70, 112, 158),
    (58, 84, 116),
    (112, 158, 196),
    (44, 62, 90),
)
"""Blue, green, red of the woods that a seed chooses from."""


def _wavy(shade: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Grain that runs in slow waves, as trees grow."""
    height, width = shade.shape
    rough = rng.normal(0, 1, (height // 240 + 3, width // 320 + 3)).astype(np.float32)
    lift = cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC) * 7.0
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return np.asarray(cv2.remap(shade, x, y + lift, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.float32)


def draw_wood(width_mm: float, height_mm: float, seed: int) -> Image:
    """A table top seen straight from above."""
    rng = np.random.default_rng((seed, 5))
    width, height = round(width_mm * PX_PER_MM), round(height_mm * PX_PER_MM)
    base = np.array(WOODS[int(rng.integers(len(WOODS)))], np.float32)
    shade = np.zeros((height, width), np.float32)
    for along, across, strength in ((420, 5, 0.03), (700, 26, 0.035), (160, 2, 0.018), (500, 90, 0.04)):
        rough = rng.normal(0, 1, (max(2, height // across), max(2, width // along + 2))).astype(np.float32)
        shade += cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC) * strength
    shade = _wavy(shade, rng)
    rows = (np.arange(height) / PX_PER_MM + rng.uniform(0, PLANK_MM)) / PLANK_MM
    tones = rng.normal(0, 0.05, int(rows.max()) + 2)
    shade += tones[rows.astype(int)].astype(np.float32)[:, None]
    seam = np.abs(rows - np.round(rows)) * PLANK_MM
    shade -= (0.5 * np.exp(-((seam / 0.6) ** 2)) + 0.06 * np.exp(-((seam / 4) ** 2))).astype(np.float32)[:, None]
    tint = np.array([1.15, 1.0, 0.92], np.float32)
    wood = base * (1.0 + shade[:, :, None] * tint)
    return np.clip(wood, 0, 255).astype(np.uint8)
