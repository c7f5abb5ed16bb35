"""A camera's noise: how strong it is in a frame, and a frame smoothed as far as that asks for.

A sensor in the dark errs at every pixel by itself. Print and tiles are larger than a pixel, so a little smoothing takes
the errors away and leaves what is read.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.frame import Image

STRIPS, BLOCK_PX = 4, 32
"""Noise is measured in so many strips of a frame, block by block along each."""
PLAIN_SHARE = 0.3
"""At least so many blocks show nothing but plain colour: what differs from pixel to pixel there is noise."""
HARMLESS_LEVELS = 4.0
"""Noise (a standard deviation, in levels of 255) that is read as well as none."""
_TYPICAL = 1.4826 / 6.0
"""From the median of the responses of a second difference both ways to the noise of a pixel."""


def noise_levels(image: Image) -> float:
    """The standard deviation of a frame's noise, in levels of 255."""
    height, width = image.shape[:2]
    blocks = (width - 2) // BLOCK_PX
    if height < 3 * STRIPS or not blocks:
        return 0.0
    middles = np.linspace(1, height - 2, STRIPS + 2).astype(np.intp)[1:-1]
    strips = np.stack([image[middle - 1 : middle + 2, :, 1] for middle in middles.tolist()]).astype(np.int16)
    above, here, below = strips[:, 0], strips[:, 1], strips[:, 2]
    down = above - 2 * here + below
    both = np.abs(down[:, :-2] - 2 * down[:, 1:-1] + down[:, 2:])[:, : blocks * BLOCK_PX]
    # Sorting many short rows is quicker than looking for their middles.
    middle = np.sort(both.reshape(-1, BLOCK_PX), axis=1)[:, BLOCK_PX // 2]
    plain = int(PLAIN_SHARE * len(middle))
    return float(np.partition(middle, plain)[plain]) * _TYPICAL


def without_noise(image: Image) -> Image:
    """The frame itself, or smoothed until its noise is harmless."""
    levels = noise_levels(image)
    if levels <= HARMLESS_LEVELS:
        return image
    # A Gaussian of some width leaves this share of what errs by itself at every pixel.
    width_px = levels / HARMLESS_LEVELS / (2.0 * math.sqrt(math.pi))
    return np.asarray(cv2.GaussianBlur(image, (0, 0), width_px), dtype=np.uint8)
