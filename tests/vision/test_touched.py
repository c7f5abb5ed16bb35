"""Only what was touched is read again: what is missed here is never read, what is touched in vain costs time."""

from __future__ import annotations

import numpy as np
import pytest

from vision.frame import Image
from vision.slot_features import quantiles
from vision.stillness import samples
from vision.touched import TouchedPieces

SIZE_PX = (640, 480)
LEFT, RIGHT = "left", "right"
OUTLINES_PX = {
    LEFT: np.array([[40.0, 40.0], [260.0, 40.0], [260.0, 440.0], [40.0, 440.0]]),
    RIGHT: np.array([[380.0, 40.0], [600.0, 40.0], [600.0, 440.0], [380.0, 440.0]]),
}


def picture(seed: int = 0, light: float = 1.0, noise: float = 2.0) -> Image:
    """Two printed boards on a table, with a camera's noise."""
    width, height = SIZE_PX
    print_ = np.random.default_rng(7).uniform(60, 200, (height // 20, width // 20, 3)).repeat(20, 0).repeat(20, 1)
    grain = np.random.default_rng(seed).normal(0, noise, print_.shape)
    return np.asarray(np.clip(print_ * light + grain, 0, 255), dtype=np.uint8)


@pytest.fixture
def pieces() -> TouchedPieces:
    """Both boards, read once."""
    known = TouchedPieces(OUTLINES_PX, SIZE_PX)
    assert known.since_read(samples(picture(1))) == [LEFT, RIGHT]
    return known


def test_a_table_left_alone_is_not_read_again(pieces: TouchedPieces) -> None:
    assert pieces.since_read(samples(picture(2))) == []


def test_a_tile_much_like_its_print_is_noticed_where_it_lies(pieces: TouchedPieces) -> None:
    image = picture(2)
    image[200:232, 480:512] = np.clip(image[200:232, 480:512].astype(int) + 25, 0, 255)
    assert pieces.since_read(samples(image)) == [RIGHT]
    assert pieces.since_read(samples(image)) == [], "it was read, and lies there still"


def test_light_that_fades_slowly_touches_nothing_until_it_is_another(pieces: TouchedPieces) -> None:
    assert [pieces.since_read(samples(picture(step, 1.0 - 0.02 * step))) for step in range(2, 5)] == [[], [], []]
    assert pieces.since_read(samples(picture(9, 0.6))) == [LEFT, RIGHT]


def test_a_piece_that_was_moved_is_read_again(pieces: TouchedPieces) -> None:
    pieces.move({LEFT: OUTLINES_PX[LEFT] + 8.0})
    assert pieces.since_read(samples(picture(3))) == [LEFT]


def test_quantiles_are_those_that_the_models_were_fitted_on() -> None:
    values = np.random.default_rng(3).normal(size=(5, 9, 9)).astype(np.float32)
    wanted = np.quantile(values.reshape(5, -1), [0.3, 0.5], axis=1)
    assert np.allclose(quantiles(values, 0.3, 0.5), wanted, atol=1e-5)
