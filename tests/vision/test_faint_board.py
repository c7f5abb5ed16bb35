"""A board with little print in a noisy picture: called lost, nothing on it was read for the rest of the game."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.tables import laid
from vision.boards import FOUND, Boards
from vision.card import CARD
from vision.frame import Image
from vision.layout import PieceSpec
from vision.register import measure_drift, sample_points

FREE = np.ones(CARD * CARD, dtype=bool)


def faded(picture: Image, seed: int, noise_levels: float) -> Image:
    """The picture with a tenth of its contrast, and noise."""
    noise = np.random.default_rng(seed).normal(0.0, noise_levels, picture.shape)
    return np.clip(128.0 + (picture.astype(float) - 128.0) * 0.1 + noise, 0, 255).astype(np.uint8)


@pytest.fixture
def boards() -> Boards:
    table = laid("day")
    pieces: dict[str, PieceSpec] = {piece.name: piece for piece in table.layout.pieces if piece.name == "p1"}
    found = Boards(table.calibration, pieces, dict(table.calibration.matrices), dict(table.calibration.poses))
    found.learn("p1", faded(table.calibration.reference, 1, 6.0), FREE)
    return found


def lost(boards: Boards, image: Image) -> tuple[float, tuple[str, ...]]:
    """How well the board fits in a picture, and which boards are lost."""
    points = sample_points(boards.rulers["p1"], image, boards.matrices["p1"])
    return measure_drift(boards.rulers["p1"], points).in_place, boards.watch(image, {"p1": points}).lost


def test_a_board_that_never_fitted_well_is_not_lost_for_fitting_as_badly_as_ever(boards: Boards) -> None:
    plain = laid("day").calibration.reference
    fits = []
    for seed in range(2, 8):
        fit, gone = lost(boards, faded(plain, seed, 6.0))
        fits.append(fit)
        assert not gone
    assert min(fits) < FOUND / 2 < max(fits) < FOUND, "a picture as bad as it takes"


def test_a_board_under_a_cloth_is_lost(boards: Boards) -> None:
    plain = laid("day").calibration.reference
    lost(boards, faded(plain, 2, 6.0))
    assert lost(boards, faded(np.full_like(plain, 90), 3, 6.0))[1] == ("p1",)
