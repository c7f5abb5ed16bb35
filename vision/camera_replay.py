"""A recording as a camera: the same frames, at the times they were taken."""

from __future__ import annotations

from vision.camera import EndOfFramesError
from vision.frame import Frame
from vision.pictures import PictureError, read_picture
from vision.recording import Recording

NS_PER_S = 1_000_000_000


class ReplayCamera:
    """Hands out a recording's frames one after another. A frame that cannot be read is skipped and counted."""

    def __init__(self, recording: Recording) -> None:
        self._frames = iter(recording.frames)
        self.skipped: list[str] = []
        """One sentence for each frame that could not be read."""

    def read(self) -> Frame:
        for file in self._frames:
            try:
                return Frame(read_picture(file.path), round(file.t_s * NS_PER_S))
            except PictureError as error:
                self.skipped.append(str(error))
        raise EndOfFramesError("the recording is over")

    def close(self) -> None:
        self._frames = iter(())
