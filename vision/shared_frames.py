"""Frames in memory that two processes share, so that a large picture is written once and read in place.

A slot belongs to one side at a time. The camera's process fills a free slot and says so in a short notice; from then
on the slot is the reader's, until the last array that looks into it is gone. Slots change hands only through a pipe: no
lock is held that a killed process could take with it.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections import deque
from dataclasses import dataclass
from multiprocessing.reduction import DupFd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, GreyImage, Image

Bytes = NDArray[np.uint8]
"""(n,) uint8."""
KEEP_FREE = 2
"""So many slots are never lent out: one that is being filled and one that waits to be read."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A slot now holds a picture; what the camera says about it travels along."""

    slot: int
    size_px: tuple[int, int]
    """Width and height."""
    small_size_px: tuple[int, int] | None
    """Width and height of the grey picture that follows the large one in the slot."""
    captured_ns: int
    exposure_us: int | None = None
    analogue_gain: float | None = None
    colour_gains: tuple[float, float] | None = None
    focus_dioptres: float | None = None

    @property
    def large_bytes(self) -> int:
        return self.size_px[0] * self.size_px[1] * 3

    @property
    def small_bytes(self) -> int:
        return self.small_size_px[0] * self.small_size_px[1] if self.small_size_px else 0


class FrameRing:
    """A few equal slots in one piece of shared memory. It has no name, so nothing is left behind by a crash."""

    def __init__(self, slots: int, slot_bytes: int) -> None:
        self.slots, self.slot_bytes = slots, slot_bytes
        self._fd = os.memfd_create("frames", os.MFD_CLOEXEC)
        os.ftruncate(self._fd, slots * slot_bytes)
        self._memory = mmap.mmap(self._fd, slots * slot_bytes)

    def __getstate__(self) -> dict[str, Any]:
        return {"slots": self.slots, "slot_bytes": self.slot_bytes, "fd": DupFd(self._fd)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.slots, self.slot_bytes = state["slots"], state["slot_bytes"]
        self._fd = state["fd"].detach()
        self._memory = mmap.mmap(self._fd, self.slots * self.slot_bytes)

    def slot(self, number: int) -> Bytes:
        """The bytes of one slot."""
        return np.frombuffer(self._memory, np.uint8, self.slot_bytes, number * self.slot_bytes)

    def close(self) -> None:
        """Let go of the file; the memory itself stays until the last array that looks into it is gone."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class Lender:
    """The reader's side of a ring: turns notices into frames and knows when a slot is free again."""

    def __init__(self, ring: FrameRing) -> None:
        self._ring = ring
        self._returned: deque[int] = deque()
        self._out: set[int] = set()

    def lend(self, notice: Notice) -> Frame:
        """The frame in place; a copy when readers hold so many that the camera would run out of slots."""
        root = self._ring.slot(notice.slot)
        scarce = len(self._out) >= self._ring.slots - KEEP_FREE
        if scarce:
            root = root[: notice.large_bytes + notice.small_bytes].copy()
            self._returned.append(notice.slot)
        else:
            self._out.add(notice.slot)
            # Every view keeps the array alive that it was cut from; when that goes, nobody looks any more.
            weakref.finalize(root, self._give_back, notice.slot).atexit = False
        return Frame(
            image_in(root, notice), notice.captured_ns, notice.exposure_us, notice.analogue_gain, notice.colour_gains,
            notice.focus_dioptres, small_in(root, notice),
        )

    def decline(self, notice: Notice) -> None:
        """Nobody wants to see this picture: a newer one came before it was asked for."""
        self._returned.append(notice.slot)

    def returned(self) -> list[int]:
        """The slots that the camera may fill again; each is told once."""
        slots: list[int] = []
        while self._returned:
            slots.append(self._returned.popleft())
        return slots

    def _give_back(self, slot: int) -> None:
        # Whichever thread drops the last view comes here, so each step is one that cannot be torn apart.
        self._out.discard(slot)
        self._returned.append(slot)


def image_in(root: Bytes, notice: Notice) -> Image:
    """The large picture in a slot."""
    width, height = notice.size_px
    return root[: notice.large_bytes].reshape(height, width, 3)


def small_in(root: Bytes, notice: Notice) -> GreyImage | None:
    """The small picture in a slot."""
    if notice.small_size_px is None:
        return None
    width, height = notice.small_size_px
    return root[notice.large_bytes : notice.large_bytes + notice.small_bytes].reshape(height, width)
