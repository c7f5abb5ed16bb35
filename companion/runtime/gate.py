"""Lets only frames of a table at rest be read: a tile in a moving hand is seen above many places and lies on none."""

from __future__ import annotations

import numpy as np

from vision.frame import Frame, Image
from vision.reading import Observation
from vision.stillness import Thumbnail, is_still, thumbnail

MOVING = "moving"
"""Why a frame was not read."""
DENSE_S = 0.3
"""Frames further apart than this say nothing about movement: each is read …"""
RECENTLY_S = 5.0
"""… unless closer ones came not long ago: then others will follow that tell, and it was reading that took its time."""
REST_S = 0.25
"""The table must have been at rest for this long: a hand pauses over a board while it lays tiles one by one."""
RESTLESS_S = 8.0
"""A table that never comes to rest (a flickering screen, an arm in the picture) is read all the same …"""
RESTLESS_EVERY_S = 1.0
"""… this often."""
SAMPLE_STEP_PX = 24
"""Every so manieth pixel tells whether two pictures are the same."""


class Repeats:
    """Tells whether a camera gives the same picture again: a sensor never does, for its grain is never the same."""

    def __init__(self) -> None:
        self._before: Image | None = None

    def is_repeated(self, image: Image) -> bool:
        """Whether a picture is the one before it."""
        sample = image[::SAMPLE_STEP_PX, ::SAMPLE_STEP_PX]
        if self._before is not None and np.array_equal(sample, self._before):
            return True
        self._before = sample.copy()
        return False


class MotionGate:
    """Remembers the last frame and when the table was last at rest."""

    def __init__(self, has_grain: bool = False) -> None:
        self._repeats = Repeats() if has_grain else None
        """Where pictures come from a sensor, one that comes again shows no table at rest, but a camera that hangs."""
        self._before: tuple[Thumbnail, int] | None = None
        self._moved_ns: int | None = None
        self._restless_ns: int | None = None
        self._dense_ns: int | None = None
        """When two frames last came shortly after each other."""
        self._read_ns = 0

    def passes(self, frame: Frame) -> bool:
        """Whether a frame is worth reading."""
        image: Image = frame.image
        small, now_ns = thumbnail(image), frame.captured_ns
        before, self._before = self._before, (small, now_ns)
        hangs = self._repeats is not None and self._repeats.is_repeated(image)
        if before is None:
            return True
        is_at_rest = is_still(small, before[0])
        if now_ns - before[1] <= DENSE_S * 1e9:
            self._dense_ns = now_ns
        elif not hangs and (is_at_rest or not self._was_dense(now_ns)):
            self._moved_ns = self._restless_ns = None
            return True
        if not is_at_rest or (hangs and self._moved_ns is not None):
            self._moved_ns = now_ns
            self._restless_ns = self._restless_ns or now_ns
        if self._moved_ns is None or now_ns - self._moved_ns >= REST_S * 1e9:
            self._restless_ns = None
            return True
        restless = self._restless_ns is not None and now_ns - self._restless_ns > RESTLESS_S * 1e9
        if restless and not hangs and now_ns - self._read_ns > RESTLESS_EVERY_S * 1e9:
            self._read_ns = now_ns
            return True
        return False

    def _was_dense(self, now_ns: int) -> bool:
        return self._dense_ns is not None and now_ns - self._dense_ns <= RECENTLY_S * 1e9


def moving(frame: Frame) -> Observation:
    """What is said of a frame that was not read."""
    return Observation(frame.captured_ns, {}, still=False, trusted=False, why=MOVING)
