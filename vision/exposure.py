"""In which light a picture was taken, as far as it matters when another one is compared with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colours import Light
from vision.frame import Image

BRIGHTEST: Image = np.full((1, 1, 3), 250, dtype=np.uint8)
"""From this level on a camera cannot tell how bright something is; a JPEG does not keep the very last levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Exposure:
    """How a picture was brought to the reference light."""

    log_gains: NDArray[np.float64]
    """(3,) of blue, green and red."""
    brightest: Image
    """(3,) the levels, lit, from which on the camera could not tell how bright something was."""

    def dimmer(self, other: Exposure) -> Exposure:
        """What can be told in both."""
        return Exposure(np.minimum(self.log_gains, other.log_gains), np.minimum(self.brightest, other.brightest))

    def tint_beside(self, other: Exposure) -> float:
        """How much more the light differs in one channel than in another: the log of a ratio."""
        return float(np.ptp(self.log_gains - other.log_gains))


def exposure_in(light: Light) -> Exposure:
    """How a picture taken in this light was exposed."""
    return Exposure(np.log(light.gains), np.asarray(light.apply(BRIGHTEST)[0, 0], dtype=np.uint8))
