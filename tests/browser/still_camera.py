"""A webcam that looks at a picture: what it delivers differs in its grain only."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.camera_source import Light, Settled, Source
from vision.pictures import read_picture
from vision.shared_frames import Bytes, Notice, image_in

GRAIN = 2
FPS = 10.0


class StillSource:
    """One picture again and again."""

    def __init__(self, path: Path) -> None:
        self._picture = read_picture(path)
        self._rng = np.random.default_rng(1)

    def capture(self, slot: int, into: Bytes) -> Notice:
        time.sleep(1.0 / FPS)
        height, width = self._picture.shape[:2]
        notice = Notice(slot, (width, height), None, time.monotonic_ns())
        grain = self._rng.integers(0, GRAIN + 1, (height, width, 1), dtype=np.uint8)
        np.copyto(image_in(into, notice), np.minimum(self._picture, 255 - GRAIN) + grain)
        return notice

    def relight(self) -> None:
        """The light of a picture stays as it is."""

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class StillOpener:
    """How to open it in the camera's process."""

    path: Path
    name: str = "The picture"
    slot_bytes: int = 1536 * 864 * 3

    def open(self, light: Light | None, settled: Settled) -> Source:
        return StillSource(self.path)
