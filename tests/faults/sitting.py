"""A camera in its own process with a stand-in at the other end, and what a patient reader sees of it."""

from __future__ import annotations

import time
from pathlib import Path

from tests.faults.stand_in import StandIn
from vision.camera import CameraError
from vision.camera_process import CameraProcess, Patience
from vision.frame import Frame

BRISK = Patience(read_s=0.3, stall_s=0.6, open_s=30.0, settle_s=3.0, stop_s=0.3, again_s=0.05, again_most_s=0.2)
"""Short where a fault is meant, long where a busy machine is."""
LONG_S = 60.0


class Sitting:
    """Reads like the companion does, and notes the slowest answer."""

    def __init__(self, folder: Path, patience: Patience = BRISK) -> None:
        self._mood_file = folder / "mood"
        self.mood("good")
        self.camera = CameraProcess(StandIn(self._mood_file), patience=patience)
        self.losses: list[str] = []

    def mood(self, word: str) -> None:
        # Written aside and moved: the other process must never read half a word.
        aside = self._mood_file.with_suffix(".new")
        aside.write_text(word, encoding="utf-8")
        aside.replace(self._mood_file)

    def frame(self) -> Frame:
        """The next frame, however long the camera is lost before it."""
        until_s = time.monotonic() + LONG_S
        while time.monotonic() < until_s:
            try:
                frame = self.camera.read()
            except CameraError as error:
                self.losses.append(str(error))
                continue
            if frame is not None:
                return frame
        raise AssertionError(f"no picture for {LONG_S} s; the camera said {self.losses[-3:]}")

    def provoke(self, fault: str) -> None:
        """Let a camera show its fault, and again should it have been back before anybody saw that it was lost: one that
        hangs when it is stopped shows it only when somebody stops it."""
        if fault == "hang-stop":
            self.camera.relight()

    def until_lost(self, fault: str = "") -> str:
        """What the companion says once the camera is lost."""
        until_s = time.monotonic() + LONG_S
        while time.monotonic() < until_s:
            self.provoke(fault)
            try:
                self.camera.read()
            except CameraError as error:
                return str(error)
        raise AssertionError("the camera was never called lost")

    def suffer(self, fault: str) -> str:
        """One fault from beginning to end: pictures, none, the sentence, pictures again."""
        self.frame()
        self.mood(fault)
        sentence = self.until_lost(fault)
        self.mood("good")
        self.frame()
        assert self.camera.lost is None
        return sentence
