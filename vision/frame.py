"""A frame: the picture and what the camera says about it, never parted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""(height, width, 3) uint8, channels in the order blue, green, red."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of the table."""

    image: Image
    """(height, width, 3) uint8, BGR, made read-only."""
    captured_ns: int
    """When it was taken, on a clock that only goes forward."""
    exposure_us: int | None = None
    analogue_gain: float | None = None
    colour_gains: tuple[float, float] | None = None
    """Red and blue gain of the camera's white balance."""

    def __post_init__(self) -> None:
        if self.image.ndim != 3 or self.image.shape[2] != 3 or self.image.dtype != np.uint8:
            raise ValueError(
                f"a frame must be (height, width, 3) uint8 BGR, but got {self.image.shape} {self.image.dtype}"
            )
        self.image.flags.writeable = False
