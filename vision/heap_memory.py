"""What is remembered of a heap's place from one frame to the next, so that only what changed is looked at anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colours import Light
from vision.heaps import HeapLook
from vision.reading import Reading

Floats = NDArray[np.float32]


@dataclass(slots=True)
class HeapMemory:
    """What is remembered of one region."""

    small: Floats
    """The view it was read from, made small."""
    light: Light
    look: HeapLook
    reading: Reading
    looks_empty: bool = False
    """It may be the look of the empty place: it is to be seen so once more."""
