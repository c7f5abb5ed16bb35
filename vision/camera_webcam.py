"""A USB webcam through OpenCV."""

from __future__ import annotations

import time

import cv2
import numpy as np

from vision.camera import CameraError
from vision.frame import Frame


class WebcamCamera:
    """The webcam with a number (0 is the first). It opens in the constructor and nowhere else."""

    def __init__(self, number: int = 0, size_px: tuple[int, int] = (1536, 864)) -> None:
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
