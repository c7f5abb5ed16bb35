"""Keeps the companion's memory small and level through an evening: a small machine has other work for it."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

PICTURE_BYTES = 2 << 20
"""What is as large as this is a picture, and not for long."""
MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD of the C library."""


def keep_pictures_apart() -> None:
    """Let every picture have memory of its own that goes back to the system with it; once, when the companion starts.

    The C library would otherwise learn to place pictures among small things that stay, and keep the holes they leave:
    from game to game its memory would grow. One without such a setting has no such habit.
    """
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:
        adjust(MMAP_THRESHOLD, PICTURE_BYTES)


def give_back() -> None:
    """Return what was left behind by setting up a table, or by a table that was taken away."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def memory_mb() -> float:
    """The resident memory of this process; 0 where the system does not tell."""
    return _status_mb("VmRSS")


def most_memory_mb() -> float:
    """The most that this process ever held; 0 where the system does not tell."""
    return _status_mb("VmHWM")


def _status_mb(name: str) -> float:
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:")), 0.0)
