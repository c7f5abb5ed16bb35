"""The nine symbols and the joker as shapes, in many variants."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.glyphs.strokes import Mask, Points

Rng = np.random.Generator


def _fill(canvas: NDArray[np.uint8], points: Points, ink: int = 255) -> None:
    """Fill a polygon given in units of half a side around the middle."""
    side = canvas.shape[0]
    pixels = (points * 0.5 + 0.5) * side
    cv2.fillPoly(canvas, [np.round(pixels * 16).astype(np.int32)], ink, cv2.LINE_AA, 4)


def _disc(canvas: NDArray[np.uint8], x: float, y: float, radius: float, ink: int = 255) -> None:
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    _fill(canvas, np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], axis=1), ink)


def _star(points: int, outer: float, inner: float) -> Points:
    angle = -np.pi / 2 + np.arange(2 * points) * np.pi / points
    radius = np.where(np.arange(2 * points) % 2 == 0, outer, inner)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def triangle(canvas: NDArray[np.uint8], rng: Rng) -> None:
    half, top, foot = rng.uniform(0.42, 0.56), -rng.uniform(0.42, 0.52), rng.uniform(0.36, 0.5)
    _fill(canvas, np.array([(0, top), (half, foot), (-half, foot)]))


def cross(canvas: NDArray[np.uint8], rng: Rng) -> None:
    arm, reach = rng.uniform(0.1, 0.2), rng.uniform(0.42, 0.54)
    flare = arm * rng.choice([1.0, 1.0, rng.uniform(1.1, 1.8)])
    quarter = [(-flare, -reach), (flare, -reach), (arm, -arm)]
    points = []
    for turn in range(4):
        cos, sin = round(np.cos(turn * np.pi / 2)), round(np.sin(turn * np.pi / 2))
        points += [(x * cos - y * sin, x * sin + y * cos) for x, y in quarter]
    _fill(canvas, np.array(points, np.float64))


def star(canvas: NDArray[np.uint8], rng: Rng) -> None:
    points = int(rng.choice([5, 5, 5, 5, 5, 6]))
    outer = rng.uniform(0.48, 0.6)
    _fill(canvas, _star(points, outer, outer * (rng.uniform(0.36, 0.5) if points == 5 else rng.uniform(0.4, 0.58))))


def clover(canvas: NDArray[np.uint8], rng: Rng) -> None:
    radius, spread = rng.uniform(0.2, 0.26), rng.uniform(0.22, 0.29)
    leaves = [(0, -spread), (spread, spread * 0.45), (-spread, spread * 0.45)]
    if rng.random() < 0.15:
        leaves = [(0, -spread), (spread, 0), (-spread, 0), (0, spread)]
    for x, y in leaves:
        _disc(canvas, x, y - 0.02, radius)
    _disc(canvas, 0, 0, radius * 0.5)
    wide = rng.uniform(0.08, 0.22)
    _fill(canvas, np.array([(-0.03, 0), (0.03, 0), (0.06, 0.3), (wide, 0.52), (-wide, 0.52), (-0.06, 0.3)]))


def circle(canvas: NDArray[np.uint8], rng: Rng) -> None:
    _disc(canvas, 0, 0, rng.uniform(0.4, 0.54))


def diamond(canvas: NDArray[np.uint8], rng: Rng) -> None:
    half, reach = rng.uniform(0.34, 0.5), rng.uniform(0.48, 0.58)
    waist = rng.choice([0.5, rng.uniform(0.42, 0.52)])
    points = np.array(
        [(0, -reach), (half * waist, -reach * waist), (half, 0), (half * waist, reach * waist), (0, reach),
         (-half * waist, reach * waist), (-half, 0), (-half * waist, -reach * waist)]
    )
    _fill(canvas, points)


def moon(canvas: NDArray[np.uint8], rng: Rng) -> None:
    radius = rng.uniform(0.44, 0.54)
    _disc(canvas, 0, 0, radius)
    angle, shift = rng.uniform(-0.6, 0.6), radius * rng.uniform(0.38, 0.62)
    _disc(canvas, shift * np.cos(angle), shift * np.sin(angle), radius * rng.uniform(0.75, 0.95), 0)


def heart(canvas: NDArray[np.uint8], rng: Rng) -> None:
    t = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    x = np.sin(t) ** 3
    y = -(0.8125 * np.cos(t) - 0.3125 * np.cos(2 * t) - 0.125 * np.cos(3 * t) - 0.0625 * np.cos(4 * t))
    fat = rng.uniform(0.85, 1.1)
    _fill(canvas, np.stack([x * 0.5 * fat, (y - 0.05) * 0.5 / fat], axis=1))


def square(canvas: NDArray[np.uint8], rng: Rng) -> None:
    half = rng.uniform(0.36, 0.48)
    _fill(canvas, np.array([(-half, -half), (half, -half), (half, half), (-half, half)]))


def joker(canvas: NDArray[np.uint8], rng: Rng) -> None:
    """The word on the tile, a burst, or both."""
    kind = rng.choice(["word", "word", "burst", "burst-word", "lines"])
    if kind.startswith("burst"):
        points, outer = int(rng.integers(8, 13)), rng.uniform(0.54, 0.68)
        _fill(canvas, _star(points, outer, outer * rng.uniform(0.5, 0.7)))
        if kind == "burst" and rng.random() < 0.5:
            _disc(canvas, 0, 0, rng.uniform(0.1, 0.28), 0)
        if kind == "burst":
            return
    _word(canvas, rng, 0 if kind.startswith("burst") else 255, has_lines=kind == "lines")


def _word(canvas: NDArray[np.uint8], rng: Rng, ink: int, has_lines: bool) -> None:
    """The name of the game, level or rising, with or without lines above and below."""
    side = canvas.shape[0]
    text = str(rng.choice(["Blockers!", "BLOCKERS!", "Blockers", "Blockers!"]))
    font = cv2.FontFace(str(rng.choice(["sans", "italic"])))
    size, weight = int(side * rng.uniform(0.13, 0.19)), int(rng.choice([300, 500, 700, 900]))
    x0, _, width, _ = cv2.getTextSize((side, side), text, (0, 0), font, size, weight)
    size = min(size, int(size * side * (0.66 if ink else 0.5) / max(1, width)))
    x0, _, width, _ = cv2.getTextSize((side, side), text, (0, 0), font, size, weight)
    flat = np.zeros((side, side, 3), np.uint8)
    start = (int((side - width) / 2 - x0), int(side * 0.5 + size * 0.3))
    cv2.putText(flat, text, start, (255, 255, 255), font, size, weight)
    if has_lines:
        for y in (0.5 - rng.uniform(0.13, 0.22), 0.5 + rng.uniform(0.13, 0.22)):
            start, end = (int(side * 0.25), int(side * y)), (int(side * 0.75), int(side * y))
            cv2.line(flat, start, end, (255, 255, 255), max(1, side // 50), cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), float(rng.uniform(-5, 40) * rng.choice([0, 1])), 1.0)
    word = cv2.warpAffine(flat[..., 0], turn, (side, side))
    if ink:
        np.maximum(canvas, word, out=canvas)
    else:
        np.minimum(canvas, 255 - word, out=canvas)


SYMBOLS: dict[str, Callable[[NDArray[np.uint8], Rng], None]] = {
    "triangle": triangle, "cross": cross, "star": star, "clover": clover, "circle": circle, "diamond": diamond,
    "moon": moon, "heart": heart, "square": square, "joker": joker,
}  # fmt: skip


def draw_symbol(name: str, side_px: int, rng: Rng) -> Mask:
    """A symbol as ink, in a square picture with the symbol in its middle, as high as a letter would be."""
    canvas = np.zeros((side_px, side_px), np.uint8)
    SYMBOLS[name](canvas, rng)
    return np.asarray(canvas, np.float32) / 255.0
