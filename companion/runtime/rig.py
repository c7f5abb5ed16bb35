"""A camera with eyes: all that is needed to turn pictures of one table into observations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration
from vision.camera import Camera
from vision.frame import Frame
from vision.layout import Layout
from vision.reading import Observation
from vision.rectify import Matrix


class Eyes(Protocol):
    """Who reads a frame: `vision.observe.Observer`, or somebody who is told."""

    @property
    def matrices(self) -> Mapping[str, Matrix]:
        """Where boards lie now."""
        ...

    def observe(self, frame: Frame) -> Observation: ...


class Reality(Protocol):
    """The truth behind a simulated camera."""

    def state(self) -> Any:
        """The true position, as plain JSON; None when it has not changed since it was last asked for."""
        ...

    def request(self, what: str) -> None:
        """Let something go wrong, or right again."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """One camera above one table."""

    camera: Camera
    layout: Layout | None = None
    """None while no table is set up: pictures are shown, nothing is read."""
    calibration: Calibration | None = None
    eyes: Eyes | None = None
    secrets: tuple[NDArray[np.float64], ...] = ()
    """Areas to black out, in pixels of a picture that is `secrets_width_px` wide."""
    secrets_width_px: float = 1.0
    paced: bool = True
    """False when frames may be taken as fast as they can be read: time is that of the frames."""
    seed: int = 0
    """Of a simulated table."""
    reality: Reality | None = None
    start: Mapping[str, Any] = field(default_factory=dict)
    """What a recording says about its beginning: `position`, `turns`."""

    @property
    def is_live(self) -> bool:
        """Whether its pictures come from a sensor, or from what stands in for one, and not from files."""
        return self.paced or self.reality is not None
