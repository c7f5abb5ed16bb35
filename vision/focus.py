"""Draws a picture sharper that was taken out of focus, as far as its noise allows."""

from __future__ import annotations

import cv2
import numpy as np

from vision.frame import Image

ROUNDS = 4
"""How often what the lens would still have taken away is given back; each time brings out more of the noise, too."""
GRAIN_PX = 1.0
"""Noise finer than this is smoothed away first."""
SMALLER = 2
"""What a soft lens takes away is worked out in a picture so many times smaller: it is smooth."""


def sharpened(image: Image, softness_px: float) -> Image:
    """The picture (height, width, 3) uint8 BGR as a sharper lens would have drawn it; the one that took it drew every
    point as a spot with a standard deviation of so many pixels.

    Whatever the lens would take away from a guess at the sharp picture, the guess lacks: it is added, and again.
    """
    smooth = cv2.GaussianBlur(image, (0, 0), GRAIN_PX).astype(np.float32)
    height, width = image.shape[:2]
    seen = cv2.resize(smooth, (width // SMALLER, height // SMALLER), interpolation=cv2.INTER_AREA)
    guess = seen
    for _ in range(ROUNDS):
        guess = guess + (seen - cv2.GaussianBlur(guess, (0, 0), softness_px / SMALLER))
    # Each round has added the picture itself, which is fine, and taken away what is soft.
    taken = cv2.resize(guess - (ROUNDS + 1) * seen, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip((ROUNDS + 1) * smooth + taken, 0, 255), dtype=np.uint8)
