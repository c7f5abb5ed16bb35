"""The camera's own process: opens the camera, fills slots, and says so.

It knows nothing of the companion but two pipes and a piece of shared memory. When the companion goes away, it goes too.
"""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue

from vision.camera import CameraError
from vision.camera_source import Light, Opener, Source
from vision.shared_frames import FrameRing

BEAT_S = 0.5
"""How often the process says that it is well while every slot is taken."""


@dataclass(frozen=True, slots=True)
class Beat:
    """All is well, but there is no room for a picture."""


@dataclass(frozen=True, slots=True)
class Settling:
    """No pictures for a while: exposure, white balance and focus are being found."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The camera has settled and is about to be locked to this."""

    light: Light


@dataclass(frozen=True, slots=True)
class Failed:
    """The camera is lost, and the process is about to end."""

    sentence: str


@dataclass(frozen=True, slots=True)
class FreeSlot:
    """The reader is done with a slot."""

    slot: int


@dataclass(frozen=True, slots=True)
class Relight:
    """Settle and lock anew."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Let go of the camera and end."""


class Orders:
    """What the companion asks for, taken in by a thread of its own so that a stuck camera cannot hide it."""

    def __init__(self, orders: Connection, slots: int) -> None:
        self.free: SimpleQueue[int] = SimpleQueue()
        for slot in range(slots):
            self.free.put(slot)
        self.relight = threading.Event()
        self.stop = threading.Event()
        threading.Thread(target=self._listen, args=(orders,), daemon=True).start()

    def _listen(self, orders: Connection) -> None:
        while True:
            try:
                order = orders.recv()
            except (EOFError, OSError):
                # The companion is gone; a camera that hangs must not keep this process alive.
                os._exit(1)
            if isinstance(order, FreeSlot):
                self.free.put(order.slot)
            elif isinstance(order, Relight):
                self.relight.set()
            elif isinstance(order, Stop):
                self.stop.set()


def run_camera(opener: Opener, light: Light | None, ring: FrameRing, notices: Connection, orders: Connection) -> None:
    """The whole life of the process."""
    # Ctrl-C and the service's stop reach the whole group; the companion decides when the camera ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wishes = Orders(orders, ring.slots)
    try:
        source = opener.open(light, lambda settled: notices.send(Settled(settled)))
        try:
            deliver(source, ring, notices, wishes)
        finally:
            source.close()
    except CameraError as error:
        notices.send(Failed(str(error)))
    except BrokenPipeError:
        os._exit(1)


def deliver(source: Source, ring: FrameRing, notices: Connection, wishes: Orders) -> None:
    """Fill one slot after another until told to stop."""
    while not wishes.stop.is_set():
        if wishes.relight.is_set():
            wishes.relight.clear()
            notices.send(Settling())
            source.relight()
        try:
            slot = wishes.free.get(timeout=BEAT_S)
        except Empty:
            notices.send(Beat())
            continue
        notices.send(source.capture(slot, ring.slot(slot)))
