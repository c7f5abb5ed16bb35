"""Opens the stand-in as if it were the Pi's camera; sent to the camera's process."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tests.faults import fake_picamera2
from vision.camera_pi import PiOpener
from vision.camera_source import Light, Settled, Source

SMALL = PiOpener((96, 64), (32, 16), fps=50.0)


@dataclass(frozen=True, slots=True)
class StandIn:
    """A PiOpener in a process where `import picamera2` finds the stand-in."""

    mood_file: Path
    pi: PiOpener = SMALL
    has_focus: bool = True

    @property
    def slot_bytes(self) -> int:
        return self.pi.slot_bytes

    @property
    def name(self) -> str:
        return self.pi.name

    def open(self, light: Light | None, settled: Settled) -> Source:
        fake_picamera2.Picamera2.mood_file = self.mood_file
        fake_picamera2.Picamera2.has_focus = self.has_focus
        sys.modules["picamera2"] = fake_picamera2
        return self.pi.open(light, settled)
