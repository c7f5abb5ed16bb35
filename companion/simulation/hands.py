"""Hands with sleeves that reach in from a player's side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulation.glyphs import SHIFT, Colour, fixed
from companion.simulation.lens import Lens, Points
from companion.simulation.light import Lamp
from companion.simulation.solids import Box, box_around
from vision.frame import Image

SKINS: Sequence[Colour] = ((146, 176, 220), (112, 144, 196), (78, 108, 158), (52, 74, 112), (130, 164, 214))
SLEEVES: Sequence[Colour] = ((96, 62, 48), (52, 60, 140), (86, 112, 64), (150, 148, 140), (40, 40, 44))
STRETCH_MM = 1300.0
"""How far back the sleeve is drawn: beyond the edge of any picture."""
OUTSIDE_PX = 60.0
"""A hand so far outside the picture throws no shadow into it."""

Mask = NDArray[np.uint8]
Capsule = tuple[tuple[float, float, float], tuple[float, float, float], float]
"""From and to (x to the side, y back towards the wrist, z up) and radius, all in millimetres."""

FINGERS: Sequence[Capsule] = (
    ((-27, 40, 46), (-15, 3, 14), 8.5),
    ((27, 46, 42), (17, 6, 14), 7.0),
    ((-9, 30, 52), (-5, -6, 13), 8.5),
    ((10, 32, 50), (7, -4, 13), 8.5),
)
THUMB: Capsule = ((-36, 78, 40), (-18, 14, 14), 9.5)
PALM: Sequence[Capsule] = (
    ((-14, 52, 50), (-12, 92, 48), 25.0),
    ((14, 54, 48), (12, 92, 48), 24.0),
    ((0, 100, 48), (0, 150, 52), 26.0),
)


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand at one moment."""

    player: int
    x_mm: float
    y_mm: float
    """Where the finger tips are."""
    lift_mm: float
    """How high they are above the table."""
    shoulder_x_mm: float
    shoulder_y_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class _Shapes:
    """The outlines of one hand, in its box of the picture."""

    box: Box
    fingers: Sequence[tuple[Points, Points, float]]
    sleeve: Points
    """Pixels of the box."""
    whole: Mask
    """Arm and hand together."""


def _frame(hand: Hand) -> tuple[Points, Points]:
    """Directions to the side and back along the arm, of length 1."""
    back = np.array([hand.shoulder_x_mm - hand.x_mm, hand.shoulder_y_mm - hand.y_mm])
    back = back / max(float(np.hypot(*back)), 1e-6)
    return np.array([-back[1], back[0]]), back


class HandPainter:
    """Draws hands onto a picture and says what they cover."""

    def __init__(self, lens: Lens, lamp: Lamp, seed: int) -> None:
        self._lens = lens
        self._lamp = lamp
        self._shuffle = int(np.random.default_rng((seed, 53)).integers(0, 5))

    def draw(self, image: Image, hand: Hand) -> Box | None:
        """Draw a hand and its shadow on `image`; the part of the picture that changed."""
        shapes = self._shapes(hand)
        if shapes is None:
            return None
        skin = SKINS[(hand.player + self._shuffle) % len(SKINS)]
        cloth = SLEEVES[(hand.player * 2 + self._shuffle) % len(SLEEVES)]
        box, fingers, whole = shapes.box, shapes.fingers, shapes.whole
        origin = np.array([box.x0 + 0.5, box.y0 + 0.5])
        area = image[box.y0 : box.y1, box.x0 : box.x1]
        self._shadow(area, whole, hand)
        light = self._lamp.at(hand.x_mm, hand.y_mm)
        painted = np.empty((*whole.shape, 3), np.uint8)
        blue, green, red = _tone(skin, 0.97 * light)
        # cv2 fills an area of one colour many times as fast as an array does.
        cv2.rectangle(painted, (0, 0), whole.shape[::-1], (int(blue), int(green), int(red)), cv2.FILLED)
        for a, b, radius in fingers:
            _stroke(painted, a - origin, b - origin, radius + 0.8, _tone(skin, 0.72 * light))
            _stroke(painted, a - origin, b - origin, radius - 1.2, _tone(skin, 0.98 * light))
            nail = b + (a - b) * 0.1
            _stroke(painted, nail - origin, b + (a - b) * 0.2 - origin, radius * 0.42, _tone(skin, 1.1 * light))
        cv2.fillPoly(painted, [fixed(shapes.sleeve)], _tone(cloth, light), cv2.LINE_AA, SHIFT)
        self._folds(painted, hand, cloth, origin, light)
        # Round things are darker at their rim: a blurred mask stands in for the angle of the surface.
        around = cv2.convertScaleAbs(cv2.blur(whole, (31, 31)), alpha=0.48, beta=133.0)
        shaded = cv2.multiply(painted, cv2.merge([around, around, around]), scale=1.0 / 255.0)
        # Only the rim needs mixing; the rest is copied.
        edge = cv2.findNonZero(cv2.inRange(whole, 1, 249))
        columns, rows = np.zeros((2, 0), np.intp) if edge is None else np.asarray(edge, np.intp).reshape(-1, 2).T
        share = whole[rows, columns, None].astype(np.float32) / 255.0
        rim = shaded[rows, columns] * share + area[rows, columns] * (1.0 - share)
        cv2.copyTo(shaded, np.asarray(cv2.inRange(whole, 250, 255), np.uint8), area)
        area[rows, columns] = rim.astype(np.uint8)
        return box

    def cover(self, mask: Mask, hand: Hand) -> None:
        """Set `mask`, as large as the picture, where the hand hides the table."""
        shapes = self._shapes(hand)
        if shapes is not None:
            part = mask[shapes.box.y0 : shapes.box.y1, shapes.box.x0 : shapes.box.x1]
            np.maximum(part, shapes.whole, out=part)

    def _shapes(self, hand: Hand) -> _Shapes | None:
        """The outlines of a hand in the picture; None when it is outside."""
        sleeve, palm = self._sleeve(hand), self._capsules(hand, PALM)
        fingers = self._capsules(hand, (THUMB, *FINGERS))
        points = np.vstack([sleeve, *[np.array([a, b]) for a, b, _ in (*palm, *fingers)]])
        fallen = points + np.array(self._shadow_px(hand))
        box = box_around(np.vstack([points, fallen]), 42.0).clipped(self._lens.width_px, self._lens.height_px)
        if box.x1 - box.x0 < 8 or box.y1 - box.y0 < 8:
            return None
        origin = np.array([box.x0 + 0.5, box.y0 + 0.5])
        whole = np.zeros((box.y1 - box.y0, box.x1 - box.x0), np.uint8)
        cv2.fillPoly(whole, [fixed(sleeve - origin)], 255, cv2.LINE_AA, SHIFT)
        for a, b, radius in (*palm, *fingers):
            _stroke(whole, a - origin, b - origin, radius, 255)
        return _Shapes(box, fingers, sleeve - origin, whole)

    def _points(self, hand: Hand, local_mm: Sequence[tuple[float, float, float]]) -> Points:
        """Pixels (N, 2) of points given to the side of the finger tips, back along the arm, and up."""
        side, back = _frame(hand)
        local = np.array(local_mm, np.float64)
        ground = np.array([hand.x_mm, hand.y_mm]) + local[:, :1] * side + local[:, 1:2] * back
        return self._lens.project(np.column_stack([ground, local[:, 2] + hand.lift_mm]))

    def _capsules(self, hand: Hand, capsules: Sequence[Capsule]) -> list[tuple[Points, Points, float]]:
        local = [point for start, end, r in capsules for point in (start, end, (start[0] + r, start[1], start[2]))]
        seen = self._points(hand, local)
        return [
            (seen[i], seen[i + 1], float(np.hypot(*(seen[i + 2] - seen[i])))) for i in range(0, len(seen), 3)
        ]

    def _sleeve(self, hand: Hand) -> Points:
        rim = [(-31.0, 128.0), (-20.0, 124.0), (0.0, 122.0), (20.0, 124.0), (31.0, 128.0)]
        far = [(62.0, 128.0 + STRETCH_MM), (-62.0, 128.0 + STRETCH_MM)]
        return self._points(hand, [*((x, y, 58.0) for x, y in rim), *((x, y, 70.0) for x, y in far)])

    def _folds(self, painted: Image, hand: Hand, cloth: Colour, origin: Points, light: float) -> None:
        dark, bright = _tone(cloth, 0.8 * light), _tone(cloth, 1.2 * light)
        for number in range(7):
            y = 134.0 + number * 34.0
            colour, width = (bright, 5) if number == 0 else (dark, 2)
            reach = 30 + y * 0.03
            start, end = (-reach, y, 60.0), (reach * (0.2 if number % 2 else 1.0), y + 14.0 * (number % 3), 60.0)
            if number == 0:
                end = (reach, y, 60.0)
            ends = self._points(hand, [start, end]) - origin
            cv2.polylines(painted, [fixed(ends)], False, colour, width, cv2.LINE_AA, SHIFT)

    def _shadow_px(self, hand: Hand) -> tuple[float, float]:
        """How far the hand's shadow falls, in pixels."""
        dx, dy = self._lamp.shadow_mm(hand.x_mm, hand.y_mm, 45.0 + hand.lift_mm)
        scale = self._lens.px_per_mm(hand.x_mm, hand.y_mm) * 1.4
        return dx * scale, dy * scale

    def _shadow(self, area: Image, mask: Mask, hand: Hand) -> None:
        dx, dy = self._shadow_px(hand)
        small = cv2.resize(mask, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        moved = cv2.warpAffine(
            small, np.array([[1, 0, dx / 4], [0, 1, dy / 4]]), (small.shape[1], small.shape[0])
        )
        soft = cv2.GaussianBlur(moved, (0, 0), 3.0 + hand.lift_mm * 0.03)
        dark = cv2.resize(soft, (mask.shape[1], mask.shape[0]), interpolation=cv2.INTER_LINEAR)
        keep = cv2.bitwise_not(cv2.convertScaleAbs(dark, alpha=0.42))
        cv2.multiply(area, cv2.merge([keep, keep, keep]), dst=area, scale=1.0 / 255.0)


def _tone(colour: Colour, level: float) -> Colour:
    blue, green, red = (min(255.0, channel * level) for channel in colour)
    return (blue, green, red)


def _stroke(image: Image | Mask, a: Points, b: Points, radius: float, colour: Colour | int) -> None:
    """A thick line with round ends."""
    value = colour if isinstance(colour, tuple) else (float(colour),)
    thick = max(1, round(2 * radius))
    start, end = fixed(a), fixed(b)
    cv2.line(image, (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), value, thick, cv2.LINE_AA, SHIFT)


def behind(seat_x_mm: float, seat_y_mm: float, turn_rad: float, away_mm: float) -> tuple[float, float]:
    """A point so far behind a seat."""
    return seat_x_mm - math.sin(turn_rad) * away_mm, seat_y_mm + math.cos(turn_rad) * away_mm


def just_outside(lens: Lens, seat_x_mm: float, seat_y_mm: float, turn_rad: float) -> tuple[float, float]:
    """Where finger tips wait: as near to the table as the picture does not show them."""
    for away in range(-400, 1000, 20):
        x, y = behind(seat_x_mm, seat_y_mm, turn_rad, float(away))
        px, py = lens.project([(x, y, 40.0)])[0]
        if not (-OUTSIDE_PX < px < lens.width_px + OUTSIDE_PX and -OUTSIDE_PX < py < lens.height_px + OUTSIDE_PX):
            return x, y
    return behind(seat_x_mm, seat_y_mm, turn_rad, 1000.0)
