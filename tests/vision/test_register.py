"""A board is followed where it really lies: what is half a pixel off misreads print for tiles."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.card import CARD
from vision.frame import Image
from vision.rectify import Matrix, apply, homography_from
from vision.register import Ruler, find_again, follow, follow_to_the_end, make_ruler, measure_drift, sample_points

CORNERS_PX = np.array([[300.0, 180.0], [760.0, 200.0], [770.0, 640.0], [290.0, 630.0]])
CHECKS = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]])


@pytest.fixture(scope="module")
def picture() -> Image:
    """A printed board on a plain table."""
    rng = np.random.default_rng(3)
    flat = cv2.resize(rng.uniform(40, 220, (24, 24, 3)).astype(np.float32), (480, 480), interpolation=cv2.INTER_NEAREST)
    to_px = homography_from(CORNERS_PX) @ np.diag([1 / 480, 1 / 480, 1.0])
    table = np.full((864, 1100, 3), 120.0, dtype=np.float32)
    board = cv2.warpPerspective(flat, to_px, (1100, 864), dst=table, borderMode=cv2.BORDER_TRANSPARENT)
    return np.asarray(cv2.GaussianBlur(board, (0, 0), 1.0), dtype=np.uint8)


@pytest.fixture(scope="module")
def ruler(picture: Image) -> Ruler:
    return make_ruler(picture, homography_from(CORNERS_PX), np.ones((CARD, CARD), dtype=bool))


def moved(picture: Image, x_px: float, y_px: float) -> Image:
    shift = np.array([[1.0, 0.0, x_px], [0.0, 1.0, y_px]])
    return np.asarray(cv2.warpAffine(picture, shift, (picture.shape[1], picture.shape[0])), dtype=np.uint8)


def off_px(matrix: Matrix, x_px: float, y_px: float) -> float:
    """How far a board is from where it was moved to."""
    wanted = apply(homography_from(CORNERS_PX), CHECKS) + np.array([x_px, y_px])
    return float(np.linalg.norm(apply(matrix, CHECKS) - wanted, axis=1).max())


@pytest.mark.parametrize("way", [(0.8, -0.5), (-0.4, 0.9), (0.0, 1.1)])
def test_a_camera_that_trembles_is_followed_to_a_tenth_of_a_pixel(
    picture: Image, ruler: Ruler, way: tuple[float, float]
) -> None:
    image, at = moved(picture, *way), homography_from(CORNERS_PX)
    for _ in range(2):
        at = at @ measure_drift(ruler, sample_points(ruler, image, at)).matrix()
    assert off_px(at, *way) < 0.15


def test_a_board_pushed_aside_is_followed(picture: Image, ruler: Ruler) -> None:
    found, fits = follow(ruler, moved(picture, 5.0, -4.0), homography_from(CORNERS_PX))
    assert fits > 0.9
    assert off_px(found, 5.0, -4.0) < 0.3


def test_a_board_pushed_far_is_looked_for_and_found(picture: Image, ruler: Ruler) -> None:
    found, fits = find_again(ruler, moved(picture, 60.0, -45.0), homography_from(CORNERS_PX))
    assert fits > 0.9
    assert off_px(found, 60.0, -45.0) < 0.3


def test_a_push_is_followed_to_the_end(picture: Image, ruler: Ruler) -> None:
    """A corner that is still some pixels off shows table where print should be: a hand, and the board goes unread."""
    image, at = moved(picture, 9.0, 12.0), homography_from(CORNERS_PX)
    once, fits_once = follow(ruler, image, at)
    found, fits = follow_to_the_end(ruler, image, at)
    assert fits >= fits_once
    assert off_px(found, 9.0, 12.0) <= min(0.3, off_px(once, 9.0, 12.0))
