"""Calibrations on disk: one file each, with a version, written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import CalibrationError
from vision.calibration import Calibration, Correction, Quality
from vision.colours import ColourModel
from vision.frame import Image
from vision.patches import PatchModel
from vision.pose import Camera, PiecePose

FORMAT = "table-calibration/1"
PNG_COMPRESSION = 3


def save(calibration: Calibration, path: Path) -> None:
    """Write a calibration; a file of that name is replaced only once the new one is complete."""
    header = json.dumps(to_json(calibration)).encode("utf-8")
    # Without loss: frames are compared with this picture, finely.
    _, picture = cv2.imencode(".png", calibration.reference, [cv2.IMWRITE_PNG_COMPRESSION, PNG_COMPRESSION])
    draft = path.with_name(path.name + ".part")
    with draft.open("wb") as file:
        np.savez(file, header=np.frombuffer(header, np.uint8), picture=np.asarray(picture, dtype=np.uint8).ravel())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def load(path: Path) -> Calibration:
    """Read a calibration; CalibrationError says what is wrong with the file and what to do."""
    try:
        # Read first: np.load leaves a torn file open.
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as data:
            header = json.loads(bytes(data["header"]).decode("utf-8"))
            picture = cv2.imdecode(np.asarray(data["picture"], dtype=np.uint8), cv2.IMREAD_COLOR)
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise CalibrationError(f"{path}: this is no readable calibration ({error}); set the table up again") from error
    if header.get("format") != FORMAT:
        raise CalibrationError(
            f"{path}: its format is {header.get('format')!r}, but only {FORMAT!r} can be read; set the table up again"
        )
    if picture is None:
        raise CalibrationError(f"{path}: its picture is damaged; set the table up again")
    try:
        return from_json(header, np.asarray(picture, dtype=np.uint8))
    except (KeyError, TypeError, ValueError) as error:
        raise CalibrationError(f"{path}: the key {error} is missing or wrong; set the table up again") from error


def to_json(calibration: Calibration) -> dict[str, Any]:
    """Everything but the picture, as plain values."""
    return {
        "format": FORMAT, "game": calibration.game, "size_px": list(calibration.size_px),
        "camera": calibration.camera.to_json(),
        "poses": {name: asdict(pose) for name, pose in calibration.poses.items()},
        "matrices": {name: matrix.tolist() for name, matrix in calibration.matrices.items()},
        "polygons_px": {name: polygon.tolist() for name, polygon in calibration.polygons_px.items()},
        "quality": asdict(calibration.quality), "colours": calibration.colours.to_json(),
        "patches": calibration.patches.to_json(), "is_empty": calibration.empty is not None,
        "corrections": [asdict(correction) for correction in calibration.corrections],
        "prints": {face: cut.tolist() for face, cut in calibration.prints.items()},
        "sampled": calibration.sampled,
    }


def from_json(data: Mapping[str, Any], picture: Image) -> Calibration:
    """The reverse of `to_json`."""
    width, height = data["size_px"]
    quality = data["quality"]
    return Calibration(
        game=str(data["game"]), size_px=(int(width), int(height)), camera=Camera.from_json(data["camera"]),
        poses={name: _pose(pose) for name, pose in data["poses"].items()},
        matrices={name: _array(matrix) for name, matrix in data["matrices"].items()},
        polygons_px={name: _array(polygon) for name, polygon in data["polygons_px"].items()},
        quality=Quality(
            float(quality["error_px"]), dict(quality["support"]), quality["colour_separation"], tuple(quality["advice"])
        ),
        colours=ColourModel.from_json(data["colours"]), patches=PatchModel.from_json(data["patches"]),
        empty=picture if data["is_empty"] else None, first=None if data["is_empty"] else picture,
        corrections=tuple(
            Correction(one["group"], one["piece"], tuple(one["offset"]), tuple(one["scale"]))
            for one in data["corrections"]
        ),
        prints={face: np.asarray(cut, np.uint8) for face, cut in data.get("prints", {}).items()},
        # Before this was written down, nothing was learnt in place of samples.
        sampled=bool(data.get("sampled", True)),
    )


def _pose(data: Mapping[str, Any]) -> PiecePose:
    width, height = data["size_mm"]
    return PiecePose(
        float(data["x_mm"]), float(data["y_mm"]), float(data["angle_rad"]), (float(width), float(height)),
        float(data["thickness_mm"]),
    )


def _array(values: Any) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)
