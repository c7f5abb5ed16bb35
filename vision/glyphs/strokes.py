"""Numbers and letters as pen strokes: skeletons that a style bends, drawn with a pen of any shape.

Coordinates: x to the right from 0 to 1 (the glyph's width), y down from 0 (top) to 1 (foot).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""(n, 2) positions along a stroke."""
Pair = tuple[float, float]
Mask = NDArray[np.float32]
"""(height, width) ink from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Pen:
    """How a stroke becomes ink."""

    across: float
    """Width of upright strokes, in fractions of the glyph's height."""
    level: float
    """Thickness of level strokes; smaller than `across` in a face with contrast."""
    is_round: bool
    """Round or square ends."""
    serif: float
    """Length of the serifs on each side, 0 for none."""


@dataclass(frozen=True, slots=True)
class Hand:
    """The habits of one alphabet: where bars sit, how bowls bulge."""

    width: float
    """Width of a glyph against its height."""
    squareness: float
    """2 for round bowls, higher for squarish ones."""
    waist: float
    """Height of middle bars, about one half."""
    opening: float
    """Half the angle by which C and G stand open, in degrees."""
    flag: float
    """How far the flag of a 1 reaches to the left of the middle of its stem, in heights of the glyph."""
    foot: float
    """How far the foot of a 1 reaches to each side."""
    flag_slope: float
    """How far that flag hangs down for its length."""
    has_foot: bool
    """A bar under the 1."""
    has_barred_i: bool
    """Bars above and below the I."""
    bar: float
    """How far these reach to each side of the middle of its stem, in heights of the glyph."""
    has_open_four: bool
    bowl: float
    """Half the height of the bowl of a 6."""
    tail_deg: float
    """How far round the tail of a 6 is left open at its end."""
    has_straight_six: bool
    """6 and 9 with a straight stem instead of a curl."""
    has_flat_three: bool
    has_curved_seven: bool
    has_crossed_seven: bool
    has_flat_apex: bool
    """A with a level top."""
    has_spur: bool
    """G with a stem down to its foot."""
    has_crossed_g: bool
    """G whose bar reaches out on both sides of its stem."""
    wobble: float
    """How far the points of a skeleton stray."""


def line(*points: Pair) -> Points:
    return np.array(points, dtype=np.float64)


def arc(hand: Hand, centre: Pair, radii: Pair, start_deg: float, end_deg: float) -> Points:
    """Part of a (super)ellipse; 0° is to the right, 90° down."""
    angle = np.radians(np.linspace(start_deg, end_deg, 24))
    power = 2.0 / hand.squareness
    cos, sin = np.cos(angle), np.sin(angle)
    x = centre[0] + radii[0] * np.sign(cos) * np.abs(cos) ** power
    y = centre[1] + radii[1] * np.sign(sin) * np.abs(sin) ** power
    return np.stack([x, y], axis=1)


def _one(hand: Hand) -> list[Points]:
    stem = 0.55
    across = hand.flag / (hand.width * WIDTHS["1"])
    strokes = [line((stem, 0), (stem, 1)), line((stem, 0.0), (stem - across, hand.flag * hand.flag_slope))]
    if hand.has_foot:
        strokes.append(line((stem - hand.foot, 1), (stem + hand.foot, 1)))
    return strokes


def _two(hand: Hand) -> list[Points]:
    bowl = arc(hand, (0.5, 0.3), (0.48, 0.3), 195, 385)
    return [np.concatenate([bowl, line((0.62, 0.68), (0.02, 1.0))]), line((0.02, 1), (1, 1))]


def _three(hand: Hand) -> list[Points]:
    lower = arc(hand, (0.45, 1 - hand.waist / 2 - 0.04), (0.53, hand.waist / 2 + 0.04), -95, 160)
    if hand.has_flat_three:
        return [line((0.02, 0), (0.92, 0), (0.42, 0.42)), lower]
    return [arc(hand, (0.45, 0.25), (0.47, 0.25), 200, 455), lower]


def _four(hand: Hand) -> list[Points]:
    bar = 0.72
    if hand.has_open_four:
        return [line((0.2, 0), (0.05, bar), (1, bar)), line((0.74, 0.3), (0.74, 1))]
    return [line((0.7, 0), (0.0, bar), (1, bar)), line((0.72, 0), (0.72, 1))]


def _five(hand: Hand) -> list[Points]:
    return [
        line((0.92, 0), (0.16, 0), (0.1, 0.47)),
        arc(hand, (0.45, 1 - hand.bowl), (0.53, hand.bowl), 220, 510),
    ]


def _six(hand: Hand) -> list[Points]:
    middle = 1 - hand.bowl
    bowl = arc(hand, (0.5, middle), (0.48, hand.bowl), 0, 360)
    if hand.has_straight_six:
        return [bowl, line((0.68, 0), (0.06, middle - 0.1))]
    tail = arc(hand, (0.56, 0.42), (0.54, 0.42), -hand.tail_deg, -180)
    return [bowl, np.concatenate([tail, line((0.02, middle))])]


def _seven(hand: Hand) -> list[Points]:
    down = line((1, 0), (0.32, 1))
    if hand.has_curved_seven:
        down = np.concatenate([line((1, 0)), arc(hand, (1.0, 1.0), (0.66, 0.86), 270, 180)])
    strokes = [line((0, 0), (1, 0)), down]
    if hand.has_crossed_seven:
        strokes.append(line((0.25, 0.5), (0.9, 0.5)))
    return strokes


def _eight(hand: Hand) -> list[Points]:
    waist = hand.waist - 0.04
    # With corners it would be a B.
    rounder = replace(hand, squareness=min(hand.squareness, 2.5))
    return [
        arc(rounder, (0.5, waist / 2), (0.43, waist / 2), 0, 360),
        arc(rounder, (0.5, (1 + waist) / 2), (0.5, (1 - waist) / 2), 0, 360),
    ]


def _nine(hand: Hand) -> list[Points]:
    return [1.0 - stroke for stroke in _six(hand)]


def _a(hand: Hand) -> list[Points]:
    top = 0.1 if hand.has_flat_apex else 0.0
    bar = 0.5 + hand.waist / 3
    lean = 0.5 * bar
    strokes = [line((0, 1), (0.5 - top, 0)), line((0.5 + top, 0), (1, 1)), line((0.5 - lean, bar), (0.5 + lean, bar))]
    if top:
        strokes.append(line((0.5 - top, 0), (0.5 + top, 0)))
    return strokes


def _bowl(hand: Hand, top: float, foot: float, right: float) -> Points:
    """A bowl on the right of a stem."""
    middle, half = (top + foot) / 2, (foot - top) / 2
    start = right - min(half, right * 0.75)
    return np.concatenate([line((0, top)), arc(hand, (start, middle), (right - start, half), -90, 90), line((0, foot))])


def _b(hand: Hand) -> list[Points]:
    return [line((0, 0), (0, 1)), _bowl(hand, 0, hand.waist - 0.02, 0.88), _bowl(hand, hand.waist - 0.02, 1, 1.0)]


def _c(hand: Hand) -> list[Points]:
    return [arc(hand, (0.55, 0.5), (0.55, 0.5), -hand.opening, hand.opening - 360)]


def _d(hand: Hand) -> list[Points]:
    return [line((0, 0), (0, 1)), _bowl(hand, 0, 1, 1.0)]


def _e(hand: Hand) -> list[Points]:
    bars = [line((0, 0), (0.95, 0)), line((0, hand.waist), (0.82, hand.waist)), line((0, 1), (1, 1))]
    return [line((0, 0), (0, 1)), *bars]


def _f(hand: Hand) -> list[Points]:
    return [line((0, 0), (0, 1)), line((0, 0), (1, 0)), line((0, hand.waist), (0.8, hand.waist))]


def _g(hand: Hand) -> list[Points]:
    bar = 0.9 * hand.waist + 0.1
    inner, outer = (0.75, 1.2) if hand.has_crossed_g else (0.55, 1.02)
    strokes = [arc(hand, (0.52, 0.5), (0.52, 0.5), -hand.opening, -325), line((inner, bar), (outer, bar))]
    return [*strokes, line((1.0, bar), (1.0, 1.0 if hand.has_spur else 0.62 + 0.4 * hand.flag))]


def _h(hand: Hand) -> list[Points]:
    return [line((0, 0), (0, 1)), line((1, 0), (1, 1)), line((0, hand.waist), (1, hand.waist))]


def _i(hand: Hand) -> list[Points]:
    stem = line((0.5, 0), (0.5, 1))
    if not hand.has_barred_i:
        return [stem]
    reach = hand.bar / (hand.width * WIDTHS["I"])
    return [stem, line((0.5 - reach, 0), (0.5 + reach, 0)), line((0.5 - reach, 1), (0.5 + reach, 1))]


SKELETONS: dict[str, Callable[[Hand], list[Points]]] = {
    "1": _one, "2": _two, "3": _three, "4": _four, "5": _five, "6": _six, "7": _seven, "8": _eight, "9": _nine,
    "A": _a, "B": _b, "C": _c, "D": _d, "E": _e, "F": _f, "G": _g, "H": _h, "I": _i,
}  # fmt: skip

TOP_SERIFS, FOOT_SERIFS = frozenset("BDEFHI"), frozenset("14ABDEFHI")
"""Whose upright strokes have serifs at the top and at the foot: a 1 with one at the top would be an I."""
BAR_SERIFS = frozenset("25EF")
"""Whose bars have serifs at their right end; those of a 7 have one at the left."""
ARM_SERIFS = frozenset("EF")
"""Whose middle bar has one as well."""
BEAKS = frozenset("CG")
"""Whose curve ends in an upright serif at the top."""

WIDTHS = {"1": 0.7, "E": 0.85, "F": 0.8, "I": 0.6, "A": 1.12, "C": 1.08, "D": 1.08, "G": 1.1, "H": 1.08, "B": 0.97}
"""How wide a glyph is against the others; 1 where it is not listed."""


def draw_letter(name: str, pen: Pen, hand: Hand, height_px: int, rng: np.random.Generator) -> Mask:
    """A number or letter as ink, in a square picture with the glyph in its middle."""
    side = 2 * height_px
    tall, wide = height_px * (1.0 - pen.level), height_px * hand.width * WIDTHS.get(name, 1.0) * (1.0 - pen.across / 2)
    origin = np.array([(side - wide) / 2, (side - tall) / 2])
    canvas = np.zeros((side, side), np.uint8)
    for stroke in SKELETONS[name](hand):
        strayed = stroke + rng.normal(0.0, hand.wobble, stroke[[0, -1]].shape)[[0] * (len(stroke) - 1) + [1]]
        path = strayed * (wide, tall) + origin
        _sweep(canvas, path, pen, height_px)
        if pen.serif:
            _serifs(canvas, path, pen, height_px, name)
    return np.asarray(canvas, np.float32) / 255.0


def _nib(pen: Pen, height_px: int) -> Points:
    """The outline of the pen around its point."""
    half = np.array([pen.across, pen.level]) * height_px / 2
    if pen.is_round:
        angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1) * half
    return np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64) * half


def _sweep(canvas: NDArray[np.uint8], path: Points, pen: Pen, height_px: int) -> None:
    """Pull the pen along a path: the hull of the pen at both ends of every short piece."""
    nib = _nib(pen, height_px)
    for start, end in pairwise(path):
        hull = cv2.convexHull(np.concatenate([nib + start, nib + end]).astype(np.float32))
        cv2.fillConvexPoly(canvas, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)


def _serifs(canvas: NDArray[np.uint8], path: Points, pen: Pen, height_px: int, name: str) -> None:
    """Short bars across the ends of stems, upright ones at the far ends of bars and where C and G begin."""
    reach, thick = pen.serif * height_px, pen.level * height_px * 0.8
    middle = canvas.shape[0] / 2
    if len(path) > 3:
        if name in BEAKS:
            _bar(canvas, path[0] - (0.0, reach * 0.6), (thick / 2, reach * 0.9))
        return
    for end, before in ((path[0], path[1]), (path[-1], path[-2])):
        run, rise = np.abs(end - before)
        if abs(end[1] - middle) <= 0.35 * height_px:
            if rise < run and end[0] > before[0] and name in ARM_SERIFS:
                _bar(canvas, end, (thick / 2, reach * 0.5 + pen.level * height_px / 2))
            continue
        if rise >= run and name in (TOP_SERIFS if end[1] < middle else FOOT_SERIFS):
            _bar(canvas, end, (reach + pen.across * height_px / 2, thick / 2))
        elif rise < run and (name in BAR_SERIFS if end[0] > before[0] else name == "7"):
            _bar(canvas, end, (thick / 2, reach * 0.8 + pen.level * height_px / 2))


def _bar(canvas: NDArray[np.uint8], centre: Points, half: Pair) -> None:
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64) * half + centre
    cv2.fillConvexPoly(canvas, np.round(corners * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
