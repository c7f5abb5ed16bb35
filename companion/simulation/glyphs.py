"""Figures and letters as strokes: drawn by hand on a square picture, in one colour."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np

from companion.simulation.lens import Points
from vision.frame import Image

Colour = tuple[float, float, float]
"""Blue, green, red, 0 to 255."""

SHIFT = 4
"""cv2 draws with fractions of a pixel when given fixed-point numbers of this many bits."""


def fixed(points: Points) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Points as cv2's fixed-point numbers."""
    return np.round(np.asarray(points, np.float64) * (1 << SHIFT)).astype(np.int32)


def fill(image: Image, points: Points, colour: Colour) -> None:
    """A filled polygon with soft edges."""
    cv2.fillPoly(image, [fixed(points)], colour, cv2.LINE_AA, SHIFT)


def line(image: Image, points: Points, colour: Colour, width_px: int = 1, closed: bool = False) -> None:
    """A polyline with soft edges."""
    cv2.polylines(image, [fixed(points)], closed, colour, max(1, width_px), cv2.LINE_AA, SHIFT)


def disc(image: Image, x: float, y: float, radius: float, colour: Colour, width_px: int = -1) -> None:
    """A filled circle, or a ring when given a width."""
    centre = fixed(np.array([x, y]))
    cv2.circle(
        image, (int(centre[0]), int(centre[1])), round(radius * (1 << SHIFT)), colour, width_px, cv2.LINE_AA, SHIFT
    )


def star_points(points: int, inner_fraction: float, turn_rad: float = -math.pi / 2) -> Points:
    """(2 points, 2): a star of radius 1 around (0, 0)."""
    angles = turn_rad + np.arange(2 * points) * math.pi / points
    radii = np.where(np.arange(2 * points) % 2 == 0, 1.0, inner_fraction)
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])


def regular(points: int, turn_rad: float = 0.0) -> Points:
    """(points, 2): a regular polygon of radius 1 around (0, 0)."""
    angles = turn_rad + np.arange(points) * 2 * math.pi / points
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _heart() -> Points:
    t = np.linspace(0, 2 * math.pi, 48, endpoint=False)
    y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return np.column_stack([16 * np.sin(t) ** 3, -y]) / 17.0


def _moon() -> Points:
    outer = np.linspace(math.radians(50), math.radians(310), 30)
    inner = np.linspace(math.radians(285), math.radians(75), 24)
    rim = np.column_stack([np.cos(outer), np.sin(outer)]) * 0.95
    bite = np.column_stack([0.36 + 0.78 * np.cos(inner), 0.78 * np.sin(inner)])
    return np.vstack([rim, bite])


def _cross() -> Points:
    a, b = 0.32, 0.9
    return np.array([
        (-a, -b), (a, -b), (a, -a), (b, -a), (b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a), (-b, -a), (-a, -a),
    ])


def _figure(name: str) -> Points | None:
    """The outline of a figure of radius 1; None for what is no figure of one outline."""
    if name == "triangle":
        return np.array([(0.0, -0.85), (0.92, 0.75), (-0.92, 0.75)])
    if name == "cross":
        return _cross()
    if name == "star":
        return star_points(5, 0.42)
    if name == "circle":
        return regular(40) * 0.85
    if name == "diamond":
        return np.array([(0.0, -1.0), (0.66, 0.0), (0.0, 1.0), (-0.66, 0.0)])
    if name == "moon":
        return _moon()
    if name == "heart":
        return _heart() * 0.95
    if name == "square":
        return np.array([(-0.78, -0.78), (0.78, -0.78), (0.78, 0.78), (-0.78, 0.78)])
    return None


def draw_glyph(image: Image, name: str, x: float, y: float, radius: float, colour: Colour) -> None:
    """A figure, a burst for a joker, or the text itself, fitted in a circle."""
    outline = _figure(name)
    if outline is not None:
        fill(image, outline * radius + (x, y), colour)
    elif name == "clover":
        for angle in (-90, 30, 150):
            cx, cy = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            disc(image, x + cx * radius * 0.46, y + cy * radius * 0.42 - radius * 0.1, radius * 0.43, colour)
        stem = np.array([(-0.08, 0.0), (0.08, 0.0), (0.26, 0.98), (-0.26, 0.98)])
        fill(image, stem * radius + (x, y), colour)
    elif name == "joker":
        fill(image, star_points(11, 0.62) * radius * 1.1 + (x, y), colour)
    else:
        draw_text(image, name, x, y, radius * 1.75, colour)


@cache
def _ink(text: str, font: int) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a text drawn at scale 1 from its origin. What OpenCV says of its fonts leaves
    room for letters that hang below the line, more in one version than in another."""
    scale = 4
    wide = 60 * scale * len(text)
    canvas = np.zeros((120 * scale, wide), np.uint8)
    cv2.putText(canvas, text, (10 * scale, 60 * scale), font, float(scale), 255, scale, cv2.LINE_AA)
    rows, columns = np.nonzero(canvas > 127)
    return (float(columns.min()) / scale - 10, float(rows.min()) / scale - 60,
            float(columns.max()) / scale - 10, float(rows.max()) / scale - 60)


def draw_text(
    image: Image, text: str, x: float, y: float, height_px: float, colour: Colour, weight: float = 0.11
) -> None:
    """Text centred on a point, as tall as asked and at most 1.2 times as wide for one letter."""
    font = cv2.FONT_HERSHEY_DUPLEX if len(text) > 1 else cv2.FONT_HERSHEY_SIMPLEX
    width = max(1, round(height_px * weight))
    left, top, right, bottom = _ink(text, font)
    scale = max(0.1, (height_px - width) / max(bottom - top, 1.0))
    origin = (round(x - (left + right) / 2 * scale), round(y - (top + bottom) / 2 * scale))
    cv2.putText(image, text, origin, font, scale, colour, width, cv2.LINE_AA)
