"""Round tiles that touch: one that seems to lie under its neighbour is lost, and with it the count of a factory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.squares import Found, Scene, Shape, candidates, code, pick, slopes

SIDE, DIAMETER_PX = 72, 16.0
GROUND, COLOURS = (90, 180, 215), ((190, 60, 30), (50, 45, 40))
SHAPE = Shape(DIAMETER_PX, is_round=True, foot_px=(0.3, -0.3))
BLUR_PX, SPREAD_PX, SHADOW_PX, DEEP_PX = 5, 2, 1.0, 3.0
"""What is known of a colour is smoothed and reaches beyond a tile's rim, farther where the shadow between two lies."""


def scene_of(
    middles: list[tuple[float, float]], colours: Sequence[tuple[int, int, int]] = COLOURS, shadow_px: float = SHADOW_PX
) -> Scene:
    """The maps of some tiles, each of the next colour, that lie in shadow of their own."""
    picture = np.full((SIDE, SIDE, 3), GROUND, dtype=np.uint8)
    radius = round(DIAMETER_PX / 2 * 16)
    evidence: list[NDArray[np.float32]] = []
    lies = np.zeros((SIDE, SIDE), np.uint8)
    between = np.mean(middles, axis=0)
    for (x, y), colour in zip(middles, colours, strict=True):
        at = (round(x * 16), round(y * 16))
        cv2.circle(picture, at, radius, colour, -1, cv2.LINE_AA, 4)
        tile = np.zeros((SIDE, SIDE), np.uint8)
        shadow = (between - (x, y)) / np.linalg.norm(between - (x, y)) * shadow_px
        cv2.circle(tile, (round((x + shadow[0]) * 16), round((y + shadow[1]) * 16)), radius + SPREAD_PX * 16, 1, -1,
                   cv2.LINE_8, 4)
        lies |= tile
        evidence.append(cv2.blur(np.where(tile, 3.0, -3.0).astype(np.float32), (BLUR_PX, BLUR_PX)))
    anything = cv2.blur(np.where(lies, 3.0, -3.0).astype(np.float32), (BLUR_PX, BLUR_PX))
    slope_x, slope_y = slopes(np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.2), dtype=np.uint8))
    return Scene([code(one) for one in evidence], [0, 1], code(np.asarray(anything)), slope_x, slope_y)


def found_in(middles: list[tuple[float, float]]) -> list[Found]:
    return pick(candidates(scene_of(middles), (0, 0), SHAPE, 0.6), SHAPE)


def found_as_one_colour(middles: list[tuple[float, float]]) -> list[Found]:
    """The same where all tiles speak for one colour, as a ridge without a seam."""
    scene = scene_of(middles, COLOURS[:1] * len(middles), DEEP_PX)
    ridge = np.max(scene.evidence, axis=0)
    return pick(candidates(replace(scene, evidence=[ridge], colours=[0]), (0, 0), SHAPE, 0.6), SHAPE)


def neighbours(apart_px: float) -> Iterator[tuple[int, list[tuple[float, float]]]]:
    """Two tiles that lie so far apart, in all directions (degrees)."""
    first = (30.3, 33.6)
    for degrees in range(0, 360, 15):
        turn = math.radians(degrees)
        yield degrees, [first, (first[0] + apart_px * math.cos(turn), first[1] + apart_px * math.sin(turn))]


def test_two_tiles_that_touch_are_both_found_however_they_lie() -> None:
    """A factory with a tile too few gives a question at the deal, and a game that goes astray in its first round."""
    lost = [
        (degrees, apart_px) for apart_px in (15.5, 16.0, 17.0) for degrees, middles in neighbours(apart_px)
        if {found.colour for found in found_in(middles)} != {0, 1}
    ]
    assert not lost


def test_two_tiles_of_one_colour_that_touch_are_both_found_however_they_lie() -> None:
    """Two blue tiles were one, a factory was said to hold one too few, and its round was lost."""
    lost = [
        (degrees, apart_px) for apart_px in (15.5, 16.0, 17.0) for degrees, middles in neighbours(apart_px)
        if len(found_as_one_colour(middles)) != len(middles)
    ]
    assert not lost


def test_a_tile_is_found_in_its_middle() -> None:
    """Its top is read there: beside it, the colour would be that of the ground or of its neighbour."""
    middles = [(22.0, 30.0), (48.0, 40.0)]
    for middle, found in zip(middles, sorted(found_in(middles), key=lambda one: one.x_px), strict=True):
        assert math.dist(middle, (found.x_px, found.y_px)) < 1.5


def test_two_tiles_of_one_colour_that_seem_to_draw_together_are_two() -> None:
    """Both show their whole rim; a crescent beside a tile, as its shadow is, does not."""
    whole = [Found(48.5, 23.3, 0.0, 1, 4.49, True), Found(39.1, 32.0, 0.0, 1, 4.45, True)]
    assert pick(whole, SHAPE) == whole
    crescent = Found(39.1, 32.0, 0.0, 1, 2.4, True)
    assert pick([whole[0], crescent], SHAPE) == whole[:1]
