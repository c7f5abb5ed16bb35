"""A video or a folder of pictures as a camera."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.camera import CameraError, EndOfFramesError
from vision.camera_replay import NS_PER_S
from vision.frame import Frame
from vision.pictures import PictureError, read_picture

PICTURE_ENDINGS = {".jpg", ".jpeg", ".png"}
FALLBACK_FPS = 2.0
"""Used for pictures, and for a video that does not say how fast it runs."""


class FolderCamera:
    """The pictures of a folder in the order of their names."""

    def __init__(self, folder: Path, fps: float = FALLBACK_FPS) -> None:
        if not folder.is_dir():
            raise CameraError(f"{folder}: there is no such folder; name one that holds pictures")
        self._paths = iter(sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURE_ENDINGS))
        self._step_ns = round(NS_PER_S / fps)
        self._now_ns = 0
        self.skipped: list[str] = []

    def read(self) -> Frame:
        for path in self._paths:
            self._now_ns += self._step_ns
            try:
                return Frame(read_picture(path), self._now_ns)
            except PictureError as error:
                self.skipped.append(str(error))
        raise EndOfFramesError("there are no more pictures")

    def close(self) -> None:
        self._paths = iter(())


class VideoCamera:
    """A video file."""

    def __init__(self, path: Path) -> None:
        self._video = cv2.VideoCapture(str(path))
        if not self._video.isOpened():
            raise CameraError(f"{path}: this video cannot be opened; convert it to MP4 or MKV and try again")
        fps = self._video.get(cv2.CAP_PROP_FPS)
        self._step_ns = round(NS_PER_S / (fps if fps > 0 else FALLBACK_FPS))
        self._now_ns = 0

    def read(self) -> Frame:
        ok, image = self._video.read()
        if not ok:
            raise EndOfFramesError("the video is over")
        self._now_ns += self._step_ns
        return Frame(np.asarray(image, dtype=np.uint8), self._now_ns)

    def close(self) -> None:
        self._video.release()
