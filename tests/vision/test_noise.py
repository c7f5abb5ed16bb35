"""A dim room makes a camera noisy: unmeasured, its noise is taken for hands and tiles."""

from __future__ import annotations

import numpy as np
import pytest

from vision.frame import Image
from vision.noise import HARMLESS_LEVELS, noise_levels, without_noise


def printed(sigma: float, seed: int = 1) -> Image:
    """A table with plain and finely printed parts, as a noisy camera shows it."""
    rng = np.random.default_rng(7)
    picture = rng.uniform(50, 200, (24, 40, 3)).repeat(20, 0).repeat(20, 1)
    picture[:160] = rng.uniform(50, 200, (160, 800, 3))
    grain = np.random.default_rng(seed).normal(0.0, sigma, picture.shape)
    return np.asarray(np.clip(picture + grain, 0, 255), dtype=np.uint8)


@pytest.mark.parametrize("sigma", [3.0, 6.0, 12.0, 20.0])
def test_noise_is_measured_beside_fine_print(sigma: float) -> None:
    assert noise_levels(printed(sigma)) == pytest.approx(sigma, rel=0.2)


def test_print_alone_is_no_noise_and_the_picture_stays_what_it_is() -> None:
    picture = printed(0.0)
    assert noise_levels(picture) < 1.0
    assert without_noise(picture) is picture


def test_a_noisy_picture_is_smoothed_until_its_noise_is_harmless() -> None:
    clear, noisy = printed(0.0)[200:], printed(12.0)[200:]
    inner = np.zeros(clear.shape[:2], dtype=bool)
    inner.reshape(clear.shape[0] // 20, 20, clear.shape[1] // 20, 20)[:, 5:15, :, 5:15] = True
    left = (without_noise(noisy).astype(float) - clear)[inner]
    assert left.std() < 1.25 * HARMLESS_LEVELS


def test_a_picture_too_small_to_judge_is_left_alone() -> None:
    tiny = np.zeros((8, 8, 3), dtype=np.uint8)
    assert without_noise(tiny) is tiny
