"""Drawing for people: crops and overlays. Never used for measuring."""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np

from vision.calibration import Calibration
from vision.frame import Image
from vision.layout import Layout, PlaceSpec
from vision.reading import Observation
from vision.recording import DiscTap, Tap
from vision.rectify import Matrix

MARGIN = 1.6
"""A crop shows this many times the size of its place."""


def outline_px(place: PlaceSpec, calibration: Calibration) -> Matrix | None:
    """The corners of a place in the picture, (N, 2), or None where its piece was not found."""
    if place.piece in calibration.polygons_px and place.piece not in calibration.matrices:
        return np.asarray(calibration.polygons_px[place.piece], dtype=np.float64)
    matrix = calibration.matrices.get(place.piece)
    if matrix is None:
        return None
    (u, v), (width, height) = place.at, place.size
    corners = np.array(
        [[u + sx * width / 2, v + sy * height / 2, 1.0] for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
    projected = corners @ matrix.T
    return np.asarray(projected[:, :2] / projected[:, 2:], dtype=np.float64)


def crop_place(image: Image, layout: Layout, calibration: Calibration, place: str, side_px: int) -> Image:
    """A square picture of a place and a little around it; grey where it cannot be located."""
    outline = outline_px(layout.places[place], calibration)
    blank: Image = np.full((side_px, side_px, 3), 128, np.uint8)
    if outline is None:
        return blank
    scale = image.shape[1] / calibration.size_px[0]
    low, high = outline.min(axis=0) * scale, outline.max(axis=0) * scale
    middle, reach = (low + high) / 2, float((high - low).max()) / 2 * MARGIN
    left, top = (max(0, round(value - reach)) for value in middle)
    right, bottom = (round(value + reach) for value in middle)
    part = image[top:bottom, left:right]
    if part.size == 0:
        return blank
    return np.asarray(cv2.resize(part, (side_px, side_px), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def draw_overlay(image: Image, layout: Layout, calibration: Calibration, observation: Observation) -> Image:
    """The picture with every place outlined and what was read written on it; hidden places are dashed grey."""
    scale = image.shape[1] / calibration.size_px[0]
    canvas: Image = image.copy()
    for name, reading in observation.readings.items():
        outline = outline_px(layout.places[name], calibration)
        if outline is None:
            continue
        points = np.round(outline * scale).astype(np.int32).reshape(-1, 1, 2)
        if reading.occluded:
            cv2.polylines(canvas, [points], True, (150, 150, 150), 1, cv2.LINE_AA)
            continue
        content, probability = reading.best()
        colour = (80, 220, 80) if probability > 0.95 else (60, 170, 255)
        cv2.polylines(canvas, [points], True, colour, 1, cv2.LINE_AA)
        if content:
            x, y = (int(value) for value in points[:, 0].mean(axis=0))
            text = _short(content)
            for shade, thickness in (((0, 0, 0), 3), (colour, 1)):
                where = (x - 4 * len(text), y + 4)
                cv2.putText(canvas, text, where, cv2.FONT_HERSHEY_SIMPLEX, 0.4, shade, thickness, cv2.LINE_AA)
    return canvas


def draw_taps(image: Image, taps: Mapping[str, Tap]) -> Image:
    """The picture with every tapped piece outlined and named."""
    canvas: Image = image.copy()
    width = max(1, image.shape[1] // 500)
    for name, tap in taps.items():
        if isinstance(tap, DiscTap):
            points = [tap.centre_px]
            centre = (round(tap.centre_px[0]), round(tap.centre_px[1]))
            cv2.circle(canvas, centre, round(math.dist(tap.centre_px, tap.rim_px)), (60, 60, 240), width, cv2.LINE_AA)
        else:
            points = list(tap.points_px)
            cv2.polylines(canvas, [np.round(points).astype(np.int32)], True, (60, 60, 240), width, cv2.LINE_AA)
        where = (round(points[0][0]) + 2 * width, round(points[0][1]) + 12 * width)
        cv2.putText(canvas, name, where, cv2.FONT_HERSHEY_SIMPLEX, width * 0.4, (240, 60, 200), width, cv2.LINE_AA)
    return canvas


def _short(content: object) -> str:
    if isinstance(content, dict):
        return " ".join(f"{str(name)[:2]}{str(value)[:3]}" for name, value in content.items())
    if isinstance(content, list):
        return "/".join(str(each)[:2] for each in content)
    return str(content)[:4]
