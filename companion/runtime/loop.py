"""The camera loop: takes frames as fast as the table is lively, reads them and hands them to the table's thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.calibrate import CalibrationError
from calibration.refine import RefineError
from companion.runtime.gate import MOVING, MotionGate, Repeats, moving
from companion.runtime.memory import give_back
from companion.runtime.messages import CameraNews, Inbox, Seen
from companion.runtime.rig import Rig
from vision.camera import CameraError, EndOfFramesError
from vision.frame import Frame, Image
from vision.layout import LayoutError
from vision.observe import BLURRED
from vision.pictures import PictureError
from vision.pose import PoseError
from vision.reading import Observation
from vision.recording import RecordingError

KNOWN = (CameraError, CalibrationError, RefineError, PoseError, RecordingError, PictureError, LayoutError, OSError)
LIVELY_S = 4.0
"""After the last movement frames are still taken at full rate for this long."""
RETRY_S = 0.5
FROZEN_S = 4.0
"""A camera that shows the very same picture for this long delivers no pictures any more."""
FOCUS_EVERY_S = 2.0
LOST = "board-lost:"

log = logging.getLogger(__name__)

Build = Callable[[], Rig]


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the loop measures about itself and its pictures."""

    frames: int = 0
    fps: float = 0.0
    """Frames a second over the last few seconds."""
    brightness: float | None = None
    """Of the bright parts, 0 to 255."""
    sharpness_ratio: float | None = None
    """Sharpness against the picture with which the table was set up; 1 is the same."""
    blurred: bool = False
    """The last frame was too blurred to be read."""
    frozen: bool = False
    moved: tuple[str, ...] = ()
    """Boards that were found elsewhere lately."""
    lost_boards: tuple[str, ...] = ()
    """Boards that cannot be found."""
    last_frame_s: float | None = None
    """When the last frame came, on the monotonic clock."""


class CameraLoop:
    """One thread: builds rigs, reads frames, hands over observations."""

    def __init__(self, inbox: Inbox, fps: float, still_fps: float) -> None:
        self._inbox = inbox
        self._fps, self._still_fps = fps, still_fps
        self._wake = threading.Event()
        self._stopping = False
        self._build: Build | None = None
        self._lock = threading.Lock()
        self._rig: Rig | None = None
        self._state = "starting"
        self._lively_until_s = 0.0
        self._watch, self._gate = FrameWatch(), MotionGate()
        self.latest: tuple[Rig, Frame, Observation | None] | None = None
        """The last frame with its rig, for pictures; replaced whole."""
        self.vitals = Vitals()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def use(self, build: Build) -> None:
        """Watch through another rig; the latest wish counts."""
        with self._lock:
            self._build = build
        self._wake.set()

    def stop(self, timeout_s: float) -> bool:
        """End the loop; False when it did not end in time (a device that hangs)."""
        self._stopping = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    # -- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            began_s = time.monotonic()
            try:
                pause_s = self._turn()
            except Exception as error:  # one bad picture must not end the evening: it is told and tried again
                log.exception("a picture could not be read")
                self._tell("lost", f"{type(error).__name__}: {error}")
                pause_s = RETRY_S * 4
            pause_s -= time.monotonic() - began_s
            if pause_s > 0 and not self._stopping:
                self._wake.wait(pause_s)
        self._close()

    def _turn(self) -> float:
        """Open what is wanted, or read one frame; returns how long to wait before the next turn."""
        with self._lock:
            build = self._build
        if build is not None and not self._open(build):
            return RETRY_S * 4
        return 1.0 if self._rig is None else self._step(self._rig)

    def _close(self) -> None:
        if self._rig is not None:
            self._rig.camera.close()
            self._rig = None

    def _open(self, build: Build) -> bool:
        self._close()
        # Nothing may hold on to the rig before while the next is made: two of them are heavy.
        self.latest, self._watch = None, FrameWatch()
        self._tell("starting")
        try:
            rig = build()
        except KNOWN as error:
            self._tell("lost", str(error))
            return False
        give_back()
        with self._lock:
            if self._build is build:
                self._build = None
        self._rig = rig
        self._watch, self._gate = FrameWatch(rig), MotionGate(has_grain=rig.is_live)
        return True

    def _step(self, rig: Rig) -> float:
        """One frame; returns how long to wait before the next."""
        try:
            frame = rig.camera.read()
        except EndOfFramesError as error:
            self._tell("ended", str(error), rig)
            self._close()
            return 0.0
        except CameraError as error:
            self._tell("lost", str(error))
            return RETRY_S
        if frame is None:
            # The camera has waited already; one that drops frames is asked again at its own pace.
            return 0.0 if not rig.paced else 0.5 / self._fps
        observation = self.read_frame(rig, frame)
        self.latest = (rig, frame, observation)
        self._tell_by(observation)
        if observation is not None:
            reality = rig.reality.state() if rig.reality is not None else None
            seen = Seen(rig, frame, observation, reality)
            while not self._stopping and not self._inbox.put_frame(seen, 0.2):
                pass
            if not observation.still:
                self._lively_until_s = time.monotonic() + LIVELY_S
        if not rig.paced:
            return 0.0
        lively = rig.eyes is None or time.monotonic() < self._lively_until_s
        return 1.0 / (self._fps if lively else self._still_fps)

    def read_frame(self, rig: Rig, frame: Frame) -> Observation | None:
        """What a frame shows; None where nothing can be read yet. Only for the thread that runs the loop."""
        observation = None
        if rig.eyes is not None:
            # The gate has seen every frame, the eyes have not: what is at rest is for the gate to say.
            at_rest = self._gate.passes(frame)
            observation = replace(rig.eyes.observe(frame), still=True) if at_rest else moving(frame)
        self.vitals = self._watch.note(frame, observation)
        if observation is not None and self.vitals.frozen:
            return replace(observation, trusted=False, why="frozen")
        return observation

    def _tell_by(self, observation: Observation | None) -> None:
        if observation is not None and observation.why == "frozen":
            self._tell("lost", "the camera shows the same picture again and again")
        elif observation is not None and not observation.trusted and observation.why == "dark":
            self._tell("dark")
        else:
            self._tell("ok")

    def _tell(self, state: str, detail: str = "", rig: Rig | None = None) -> None:
        if state != self._state or state == "ended":
            self._state = state
            self._inbox.put(CameraNews(state, detail, rig))


class FrameWatch:
    """Looks after the pictures: how many, how bright, how sharp, and whether they move on at all."""

    def __init__(self, rig: Rig | None = None) -> None:
        self._rig = rig
        self._recent: list[float] = []
        self._frames = 0
        self._repeats = Repeats()
        self._same_since_s: float | None = None
        self._focus_s = 0.0
        self._brightness: float | None = None
        self._ratio: float | None = None
        self._is_blurred = False
        self._moved: tuple[str, ...] = ()
        self._lost: tuple[str, ...] = ()
        reference = rig.calibration.reference if rig is not None and rig.calibration is not None else None
        self._reference_sharpness = None if reference is None else sharpness(reference)

    def note(self, frame: Frame, observation: Observation | None) -> Vitals:
        """Take a frame into account."""
        now_s = time.monotonic()
        self._frames += 1
        self._recent = [moment for moment in self._recent if now_s - moment < 5.0] + [now_s]
        span_s = now_s - self._recent[0]
        fps = (len(self._recent) - 1) / span_s if span_s > 0.5 else 0.0
        if now_s - self._focus_s >= FOCUS_EVERY_S:
            self._focus_s = now_s
            self._brightness = brightness(frame.image)
            if self._reference_sharpness:
                self._ratio = sharpness(frame.image) / self._reference_sharpness
        if observation is not None and observation.moved:
            self._moved = observation.moved
        if observation is not None and observation.why != MOVING:
            self._is_blurred = observation.why == BLURRED
            self._lost = tuple(
                part.removeprefix(LOST) for part in observation.why.split(",") if part.startswith(LOST)
            )
        return Vitals(self._frames, fps, self._brightness, self._ratio, self._is_blurred,
                      self._is_frozen(frame.image, now_s), self._moved, self._lost, now_s)

    def _is_frozen(self, image: Image, now_s: float) -> bool:
        if self._rig is None or not self._rig.paced:
            return False
        if not self._repeats.is_repeated(image):
            self._same_since_s = None
            return False
        if self._same_since_s is None:
            self._same_since_s = now_s
        return now_s - self._same_since_s >= FROZEN_S


def brightness(image: Image) -> float:
    """How bright the bright parts of a picture are, 0 to 255."""
    return float(np.percentile(image[::8, ::8], 99))


def sharpness(image: Image) -> float:
    """How much fine detail a picture holds; halves and quarters when it is out of focus."""
    height, width = image.shape[:2]
    part = image[height // 4 : height * 3 // 4, width // 8 : width * 7 // 8, 1]
    return float(cv2.Laplacian(part, cv2.CV_16S, ksize=3).std()) + 1e-6
