"""Reading picture files, with an error that names the file and the remedy."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.frame import Image

SMALLEST_SIDE_PX = 64


class PictureError(Exception):
    """A picture file that cannot be used."""


def read_picture(path: Path) -> Image:
    """The picture as (height, width, 3) uint8 BGR; PictureError when it is missing, torn or tiny."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise PictureError(f"{path}: the picture cannot be opened ({reason}); check the name and try again") from error
    return decode_picture(data, str(path))


def decode_picture(data: bytes, name: str) -> Image:
    """The picture in `data`; `name` is what an error calls it."""
    if data[:2] == b"\xff\xd8" and b"\xff\xd9" not in data[-1024:]:
        # cv2 fills a torn JPEG up with grey, which would read as a table without tiles.
        raise PictureError(f"{name}: the picture is cut off before its end; copy or take it again")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise PictureError(f"{name}: this is not a picture that can be read (JPEG or PNG); take it again")
    if min(image.shape[:2]) < SMALLEST_SIDE_PX:
        raise PictureError(
            f"{name}: the picture is only {image.shape[1]}×{image.shape[0]} pixels; use the camera's full picture"
        )
    return np.asarray(image, dtype=np.uint8)
