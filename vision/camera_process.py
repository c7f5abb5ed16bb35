"""A camera in a process of its own: a heartbeat, killed when its pictures stop, and started again until they come.

A camera that drops out often says nothing: it stops delivering, and the call that should close it never returns. Here
that costs one process and no more. `read` never waits longer than its own time, says *lost* with a CameraError, and
returns frames again as soon as there are some; the caller need do nothing but read on.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from vision.camera import CameraError
from vision.camera_child import Beat, Failed, FreeSlot, Relight, Settled, Settling, Stop, run_camera
from vision.camera_source import Light, Opener
from vision.frame import Frame
from vision.shared_frames import FrameRing, Lender, Notice

POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what."""

    read_s: float = 0.5
    """`read` returns or raises after this long."""
    stall_s: float = 2.0
    """A camera without a picture for so long is killed."""
    open_s: float = 15.0
    """Time to start the process and open the camera."""
    settle_s: float = 8.0
    """Time to find the light or to lock it: the camera is stopped and started for that, and may hang."""
    stop_s: float = 1.0
    """Time to let go of the camera before the process is killed."""
    again_s: float = 0.5
    """Pause before the next try; doubled after each that brought no picture."""
    again_most_s: float = 4.0


@dataclass(slots=True)
class Life:
    """One process of the camera, from its start to its end."""

    process: SpawnProcess
    notices: Connection
    orders: Connection
    ring: FrameRing
    lender: Lender
    frames: int = 0
    deadline_s: float = 0.0
    """On the monotonic clock; when it passes without a sign of life, the process is killed."""
    reason: str = field(default="")
    """Why it ended; empty when it was told to."""


class CameraProcess:
    """A camera like any other, to be read by one thread."""

    def __init__(
        self, opener: Opener, light: Light | None = None, patience: Patience | None = None, slots: int = 5
    ) -> None:
        self._opener, self._patience, self._slots = opener, patience or Patience(), slots
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._relight = threading.Event()
        self._waiting: tuple[Lender, Notice] | None = None
        self._lost: str | None = None
        self._size_px: tuple[int, int] | None = None
        self.light = light
        """What the camera is locked to; worth keeping beside the calibration."""
        self.starts = 0
        """How often the process was started."""
        self._keeper = threading.Thread(target=self._keep_alive, name="camera keeper", daemon=True)
        self._keeper.start()

    @property
    def lost(self) -> str | None:
        """Why there are no pictures, in one sentence; None while all is well or still starting."""
        return self._lost

    def read(self) -> Frame | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing.is_set(), self._patience.read_s)
            waiting, self._waiting = self._waiting, None
            lost = self._lost
        if self._closing.is_set():
            raise CameraError("The camera was closed; open it again to go on.")
        if waiting is not None:
            lender, notice = waiting
            return lender.lend(notice)
        if lost is not None:
            raise CameraError(lost)
        return None

    def relight(self) -> None:
        """Let exposure, white balance and focus settle anew: between rounds, or when somebody asks for it."""
        self._relight.set()

    def close(self) -> None:
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        if self._keeper is not threading.current_thread():
            self._keeper.join(self._patience.stop_s + 3.0)

    def _keep_alive(self) -> None:
        """The keeper's thread: one process after another."""
        pause_s = self._patience.again_s
        while not self._closing.is_set():
            frames, reason = self._live()
            if self._closing.is_set():
                return
            if frames:
                pause_s = self._patience.again_s
            with self._changed:
                self._waiting = None
                self._lost = reason
                self._changed.notify_all()
            self._closing.wait(pause_s)
            pause_s = min(pause_s * 2, self._patience.again_most_s)

    def _live(self) -> tuple[int, str]:
        """One process, from its start to its end: how many pictures it brought and why it ended."""
        try:
            life = self._start()
        except OSError as error:
            return 0, f"{self._opener.name} cannot be started ({error.strerror}); end other programs or restart."
        try:
            while not self._closing.is_set() and not life.reason:
                self._attend(life)
        finally:
            self._end(life)
        return life.frames, life.reason

    def _start(self) -> Life:
        context = multiprocessing.get_context("spawn")
        ring = FrameRing(self._slots, self._opener.slot_bytes)
        notices, their_notices = context.Pipe(duplex=False)
        their_orders, orders = context.Pipe(duplex=False)
        process = context.Process(
            target=run_camera, args=(self._opener, self.light, ring, their_notices, their_orders), name="camera",
            daemon=True,
        )
        try:
            process.start()
        except OSError:
            for ours in (notices, orders):
                ours.close()
            ring.close()
            raise
        finally:
            their_notices.close()
            their_orders.close()
        self.starts += 1
        life = Life(process, notices, orders, ring, Lender(ring))
        life.deadline_s = time.monotonic() + self._patience.open_s
        return life

    def _attend(self, life: Life) -> None:
        """Take in what the process says, or notice that it says nothing."""
        try:
            if life.notices.poll(POLL_S):
                self._take_in(life, life.notices.recv())
            elif time.monotonic() > life.deadline_s:
                life.reason = f"{self._opener.name} delivers no pictures; check its cable. It is being started again."
            for slot in life.lender.returned():
                life.orders.send(FreeSlot(slot))
            if self._relight.is_set() and life.frames:
                self._relight.clear()
                life.orders.send(Relight())
        except (EOFError, OSError):
            life.reason = life.reason or f"{self._opener.name} stopped all of a sudden; it is being started again."

    def _take_in(self, life: Life, message: object) -> None:
        now_s = time.monotonic()
        if isinstance(message, Notice):
            life.deadline_s = now_s + self._patience.stall_s
            self._pass_on(life, message)
        elif isinstance(message, Beat):
            life.deadline_s = now_s + self._patience.stall_s
        elif isinstance(message, Settling):
            life.deadline_s = now_s + self._patience.settle_s
        elif isinstance(message, Settled):
            # Kept before the camera is locked: should locking hang, the next process starts locked.
            self.light = message.light
            life.deadline_s = now_s + self._patience.settle_s
        elif isinstance(message, Failed):
            life.reason = message.sentence

    def _pass_on(self, life: Life, notice: Notice) -> None:
        if self._size_px is None:
            self._size_px = notice.size_px
        if notice.size_px != self._size_px:
            life.reason = (
                f"{self._opener.name} now delivers {size_text(notice.size_px)} pictures, but the table was set up with "
                f"{size_text(self._size_px)}; plug in the camera it was set up with, or set the table up again."
            )
            return
        life.frames += 1
        with self._changed:
            if self._waiting is not None:
                lender, unseen = self._waiting
                lender.decline(unseen)
            self._waiting = life.lender, notice
            self._lost = None
            self._changed.notify_all()

    def _end(self, life: Life) -> None:
        """Ask, then insist. Frames that were handed out stay good."""
        if self._closing.is_set():
            with contextlib.suppress(OSError):
                life.orders.send(Stop())
            life.process.join(self._patience.stop_s)
        life.process.kill()
        life.process.join(self._patience.stop_s)
        life.notices.close()
        life.orders.close()
        life.ring.close()


def size_text(size_px: tuple[int, int]) -> str:
    return f"{size_px[0]} × {size_px[1]}"
