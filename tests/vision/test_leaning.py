"""Tiles that lie partly upon others. If one of these fails, a captured tile on a full heap goes unseen and its player
is accused of not having kept it, or a gap between tiles is counted as one."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.heap_leaning import leaning
from vision.squares import Found, Shape, corners_of

EDGE_PX = 24
SIZE = (90, 90)
LOW, HIGH = -17.0, -10.0
"""Log densities of another colour and of the own one."""
SHAPE = Shape(float(EDGE_PX), is_round=False, foot_px=(0.0, 0.0))


def _table(*tiles: Found) -> NDArray[np.float32]:
    """(height, width, 3): log densities of three colours on a table on which tiles were laid in this order."""
    seen = np.full((*SIZE, 3), LOW, np.float32)
    for tile in tiles:
        top = np.zeros(SIZE, np.uint8)
        cv2.fillConvexPoly(top, np.rint(corners_of(tile, EDGE_PX)).astype(np.int32), 1)
        seen[top > 0] = [HIGH if colour == tile.colour else LOW for colour in range(3)]
    return seen


def _leaning(founds: list[Found], kept: list[Found], seen: NDArray[np.float32]) -> list[Found]:
    return leaning(founds, kept, SIZE, SHAPE, lambda where: np.asarray(seen[where].mean(axis=0), np.float32))


LOWER = Found(40.0, 40.0, 0.0, colour=0, score=4.2)
UPPER = Found(54.0, 52.0, 0.5, colour=1, score=4.1)


def test_a_tile_that_lies_upon_another_is_told() -> None:
    """The spot that both share shows the upper one: both are there."""
    assert _leaning([LOWER, UPPER], [LOWER], _table(LOWER, UPPER)) == [UPPER]


def test_what_shares_a_spot_that_shows_the_other_is_no_tile() -> None:
    """A dark side or a shadow beside a tile never covers it."""
    assert _leaning([LOWER, UPPER], [LOWER], _table(UPPER, LOWER)) == []


def test_a_tile_is_not_counted_twice() -> None:
    """The same tile found once more, a little askew, is still one."""
    again = Found(41.0, 41.0, 0.2, colour=0, score=4.0)
    assert _leaning([LOWER, again], [LOWER], _table(LOWER)) == []


def test_what_only_touches_others_is_none() -> None:
    """A gap between tiles lies upon none of them."""
    gap = Found(40.0 + EDGE_PX, 40.0, 0.0, colour=1, score=4.0)
    assert _leaning([gap], [LOWER], _table(LOWER, gap)) == []


def test_a_faint_one_is_none() -> None:
    """What leans is told only where it is as clear as a tile that lies alone."""
    faint = Found(UPPER.x_px, UPPER.y_px, UPPER.angle_rad, UPPER.colour, score=2.0)
    assert _leaning([faint], [LOWER], _table(LOWER, UPPER)) == []
