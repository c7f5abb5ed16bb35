"""A frame: the picture and what the camera says about it, never parted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""(height, width, 3) uint8, channels in the order blue, green, red."""
GreyImage = NDArray[np.uint8]
"""(height, width) uint8, brightness only."""


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
    focus_dioptres: float | None = None
    """Where the lens stands, as one over metres; None for a camera that does not say."""
    small: GreyImage | None = None
    """(height, width) uint8: the same moment, small and grey, from a camera that makes one for nothing. Read-only."""

    def __post_init__(self) -> None:
        if self.image.ndim != 3 or self.image.shape[2] != 3 or self.image.dtype != np.uint8:
            raise ValueError(
                f"a frame must be (height, width, 3) uint8 BGR, but got {self.image.shape} {self.image.dtype}"
            )
        self.image.flags.writeable = False
        if self.small is not None:
            if self.small.ndim != 2 or self.small.dtype != np.uint8:
                raise ValueError(
                    f"a small frame must be (height, width) uint8, but got {self.small.shape} {self.small.dtype}"
                )
            self.small.flags.writeable = False
