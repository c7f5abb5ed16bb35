"""What lives at the camera's end of `camera_process`: something that writes pictures where it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from vision.shared_frames import Bytes, Notice


@dataclass(frozen=True, slots=True)
class Light:
    """What a camera settled on. Given back to it after a fault, the table looks as it did before."""

    exposure_us: int
    analogue_gain: float
    colour_gains: tuple[float, float]
    """Red and blue gain of the white balance."""
    focus_dioptres: float | None
    """None for a lens that cannot move."""


class Source(Protocol):
    """An opened camera, used by one thread of its own process."""

    def capture(self, slot: int, into: Bytes) -> Notice:
        """Wait for the next picture, write it into the slot's bytes, and say what it is.

        Raises CameraError when the camera is lost."""
        ...

    def relight(self) -> None:
        """Let exposure, white balance and focus settle anew, and lock them again."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...


Settled = Callable[[Light], None]
"""Told what the camera settled on, before it is locked."""


class Opener(Protocol):
    """How to open a camera; sent to its process, so it is plain data."""

    @property
    def slot_bytes(self) -> int:
        """Room that a picture needs at most."""
        ...

    @property
    def name(self) -> str:
        """What people call this camera, at the beginning of a sentence."""
        ...

    def open(self, light: Light | None, settled: Settled) -> Source:
        """Open it. With a light it is locked to that at once. Raises CameraError."""
        ...
