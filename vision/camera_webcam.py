"""A USB webcam through OpenCV: as a camera of this process, or in a process of its own (`camera_process`)."""

from __future__ import annotations

import time
from dataclasses import dataclass

import cv2
import numpy as np

from vision.camera import CameraError
from vision.camera_source import Light, Settled, Source
from vision.frame import Frame
from vision.shared_frames import Bytes, Notice, image_in

ROOM_PX = 1920 * 1080
"""Room for what webcams deliver when they do not know the size that was asked for."""


class WebcamCamera:
    """The webcam with a number (0 is the first), or whatever else OpenCV opens as one: a device, the path of a video.

    It opens in the constructor and nowhere else."""

    def __init__(self, number: int | str = 0, size_px: tuple[int, int] = (1536, 864)) -> None:
        self._number = number
        self._capture = cv2.VideoCapture(number)
        if not self._capture.isOpened():
            raise CameraError(
                f"webcam {number} cannot be opened; plug it in, close other programs that use it, or try another"
            )
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])

    def read(self) -> Frame:
        ok, image = self._capture.read()
        if not ok or image is None:
            raise CameraError(f"webcam {self._number} delivers no pictures any more; check its cable")
        return Frame(np.asarray(image, dtype=np.uint8), time.monotonic_ns())

    def close(self) -> None:
        self._capture.release()


class WebcamSource:
    """A webcam that writes its pictures into slots."""

    def __init__(self, camera: WebcamCamera) -> None:
        self._camera = camera

    def capture(self, slot: int, into: Bytes) -> Notice:
        frame = self._camera.read()
        height, width = frame.image.shape[:2]
        notice = Notice(slot, (width, height), None, frame.captured_ns)
        if notice.large_bytes > into.size:
            raise CameraError(
                f"the webcam delivers {width} × {height} pictures, more than was asked for; "
                "choose that size in the settings"
            )
        np.copyto(image_in(into, notice), frame.image)
        return notice

    def relight(self) -> None:
        """A webcam looks after its own light."""

    def close(self) -> None:
        self._camera.close()


@dataclass(frozen=True, slots=True)
class WebcamOpener:
    """How to open a webcam in its own process."""

    number: int | str = 0
    size_px: tuple[int, int] = (1536, 864)

    @property
    def slot_bytes(self) -> int:
        return max(self.size_px[0] * self.size_px[1], ROOM_PX) * 3

    @property
    def name(self) -> str:
        return f"Webcam {self.number}"

    def open(self, light: Light | None, settled: Settled) -> Source:
        return WebcamSource(WebcamCamera(self.number, self.size_px))
