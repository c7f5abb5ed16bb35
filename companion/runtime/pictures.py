"""Pictures that leave the companion: secret places blacked out in every one of them, no exception."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration
from vision.draw import outline_px
from vision.frame import Image
from vision.layout import Layout
from vision.rectify import Matrix

SECRET_MARGIN = 0.12
"""A secret area is blacked out with this much around it: tiles stand on a rack and lean."""
JPEG_QUALITY = 80
CROP_PX = (480, 320)
CROP_MARGIN = 2.2
"""A crop shows this many times the size of its places."""
OUTLINE = (60, 60, 240)


def secret_outlines(layout: Layout, outlines_px: Mapping[str, Matrix]) -> list[NDArray[np.float64]]:
    """The areas to black out, (N, 2) pixels each, grown by a margin about their middles."""
    found = []
    for piece in layout.pieces:
        if piece.secret and piece.name in outlines_px:
            points = np.asarray(outlines_px[piece.name], dtype=np.float64)
            middle = points.mean(axis=0)
            found.append(middle + (points - middle) * (1.0 + 2.0 * SECRET_MARGIN))
    return found


def secret_of(layout: Layout, calibration: Calibration) -> list[NDArray[np.float64]]:
    """The areas to black out at a table that has been set up, in pixels of the calibrated picture."""
    outlines = dict(calibration.polygons_px)
    square = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    for piece in layout.pieces:
        if piece.secret and piece.name in calibration.matrices:
            corners = square @ calibration.matrices[piece.name].T
            outlines[piece.name] = corners[:, :2] / corners[:, 2:]
    return secret_outlines(layout, outlines)


def mask_secret(image: Image, secrets: Iterable[NDArray[np.float64]], width_px: float) -> Image:
    """The picture with every secret area black. `width_px` is the width of the picture the areas were given in."""
    areas = list(secrets)
    if not areas:
        return image
    scale = image.shape[1] / width_px
    masked: Image = image.copy()
    for area in areas:
        cv2.fillPoly(masked, [np.round(area * scale - 0.5).astype(np.int32)], (0, 0, 0))
    return masked


def to_jpeg(image: Image) -> bytes:
    """A JPEG of a picture that has been masked."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise ValueError(f"a picture of {image.shape} could not be encoded")
    return data.tobytes()


def crop_places(image: Image, layout: Layout, calibration: Calibration, places: Iterable[str]) -> Image | None:
    """A part of a masked picture with these places outlined; None where none of them can be located."""
    scale = image.shape[1] / calibration.size_px[0]
    outlines = [
        outline * scale for place in places if place in layout.places
        and (outline := outline_px(layout.places[place], calibration)) is not None
    ]
    if not outlines:
        return None
    everything = np.vstack(outlines)
    low, high = everything.min(axis=0), everything.max(axis=0)
    middle = (low + high) / 2
    least = 0.06 * image.shape[1]
    width = max(float(high[0] - low[0]), float(high[1] - low[1]) * 1.5, least) * CROP_MARGIN
    width = min(width, image.shape[1])
    size = np.array([width, width / 1.5])
    corner = np.clip(middle - size / 2, 0, np.maximum(0, np.array(image.shape[1::-1]) - size))
    zoom = CROP_PX[0] / width
    to_crop = np.array([[zoom, 0.0, -corner[0] * zoom], [0.0, zoom, -corner[1] * zoom]])
    canvas = cv2.warpAffine(image, to_crop, CROP_PX, flags=cv2.INTER_AREA)
    for outline in outlines:
        points = np.round((outline - corner) * zoom).astype(np.int32)
        cv2.polylines(canvas, [points], True, (255, 255, 255), 5, cv2.LINE_AA)
        cv2.polylines(canvas, [points], True, OUTLINE, 3, cv2.LINE_AA)
    return np.asarray(canvas, dtype=np.uint8)


def where_now(calibration: Calibration, matrices: Mapping[str, Matrix]) -> Calibration:
    """The calibration with boards where they lie now."""
    return replace(calibration, matrices={**calibration.matrices, **matrices})
