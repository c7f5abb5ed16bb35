"""Plain pictures for the demo table: enough to be dragged on, outlined and shown."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np

from vision.layout import Layout

WOOD = (122, 158, 186)
INK = (60, 66, 84)


def pieces_on_picture(layout: Layout, size_px: tuple[int, int]) -> list[dict[str, Any]]:
    """Each piece with points: own boards along the bottom, the others in rows above."""
    width, height = size_px
    own = [piece for piece in layout.pieces if piece.player is not None]
    shared = [piece for piece in layout.pieces if piece.player is None]
    found = []
    for index, piece in enumerate(shared):
        step = width / (len(shared) + 1)
        found.append(_piece(piece.name, piece.frame, step * (index + 1), height * 0.25, min(step * 0.42, 70)))
    for index, piece in enumerate(own):
        step = width / (len(own) + 1)
        found.append(_piece(piece.name, piece.frame, step * (index + 1), height * 0.68, min(step * 0.45, 180)))
    return found


def _piece(name: str, frame: str, x: float, y: float, half: float) -> dict[str, Any]:
    corners = [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]
    points = [[x, y], [x + half, y]] if frame == "disc" else corners
    return {"piece": name, "frame": frame, "points": points, "sure": True}


def table_picture(layout: Layout | None, size_px: tuple[int, int], boxes: bool = False) -> bytes:
    picture = np.full((size_px[1], size_px[0], 3), WOOD, np.uint8)
    for piece in pieces_on_picture(layout, size_px) if layout else []:
        points = np.array(piece["points"], np.int32)
        if piece["frame"] == "disc":
            cv2.circle(picture, points[0].tolist(), int(math.dist(*piece["points"])), (210, 220, 228), -1)
        else:
            cv2.fillPoly(picture, [points], (214, 222, 226))
        if boxes:
            cv2.polylines(picture, [points], True, (80, 160, 60), 3)
    return _jpeg(picture)


def crop_picture(name: str) -> bytes:
    picture = np.full((160, 240, 3), WOOD, np.uint8)
    for column in range(5):
        left, colour = 14 + column * 44, (170 - 20 * column, 110, 60 + 30 * column)
        cv2.rectangle(picture, (left, 60), (left + 36, 96), colour, -1)
    cv2.rectangle(picture, (96, 54), (144, 102), (40, 60, 220), 3)
    return _jpeg(picture)


def _jpeg(picture: Any) -> bytes:
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])[1])
