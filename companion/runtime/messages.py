"""What reaches the table's thread: one queue for camera and pages."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from companion.runtime.rig import Rig
from vision.frame import Frame
from vision.reading import Observation
from web.contract import Reply


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One frame that was read."""

    rig: Rig
    frame: Frame
    observation: Observation
    reality: Any = None
    """The true position of a simulated table, where it has changed."""


@dataclass(frozen=True, slots=True)
class CameraNews:
    """How the camera is doing."""

    state: str
    """`ok`, `lost`, `dark`, `starting`, or `ended` when a recording or a simulated game is over."""
    detail: str = ""
    rig: Rig | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """A command or a question of a page, and where the reply goes."""

    name: str
    arguments: Mapping[str, Any]
    reply: Future[Any]
    is_query: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """End of the evening."""


Message = Seen | CameraNews | Order | Stop

FRAMES_WAITING = 4
"""So many frames may wait for the table's thread; the camera then waits too, so that no queue grows."""


class Inbox:
    """The table's queue. Frames wait their turn, pages never block."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._room = threading.Semaphore(FRAMES_WAITING)

    def put(self, message: Message) -> None:
        """Hand over anything but a frame."""
        self._queue.put(message)

    def put_frame(self, seen: Seen, timeout_s: float) -> bool:
        """Hand over a frame; False when the table is still busy with earlier ones."""
        if not self._room.acquire(timeout=timeout_s):
            return False
        self._queue.put(seen)
        return True

    def get(self, timeout_s: float) -> Message | None:
        """The next message; None when none came."""
        try:
            message = self._queue.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if isinstance(message, Seen):
            self._room.release()
        return message

    def __len__(self) -> int:
        return self._queue.qsize()


def settle(order: Order, reply: Reply | Any) -> None:
    """Give an order its reply, unless nobody waits any more."""
    if order.reply.set_running_or_notify_cancel():
        order.reply.set_result(reply)
