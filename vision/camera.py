"""What a camera is: somebody who hands out frames until told to stop.

Its twins: a recording (`camera_replay`), a video or a folder of pictures (`camera_files`), a USB webcam
(`camera_webcam`), the Pi's own camera (`camera_pi`) and the simulated table.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from vision.frame import Frame


class CameraError(Exception):
    """A camera that cannot be used; the message says what is wrong and what to do."""


class EndOfFramesError(CameraError):
    """A recording or video is over; a live camera never raises it."""


class Camera(Protocol):
    """One source of frames, used by one thread."""

    def read(self) -> Frame | None:
        """The next frame; None when none came in time (the caller may try again).

        Raises EndOfFramesError when there will be no more, CameraError when the camera is lost."""
        ...

    def close(self) -> None:
        """Let go of the device. Safe to call twice."""
        ...


@runtime_checkable
class Relightable(Protocol):
    """A camera whose exposure, white balance and focus are locked until somebody lets them settle anew."""

    def relight(self) -> None: ...
