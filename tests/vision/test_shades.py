"""A tile in a shade never seen before: its colour says whose it is, and whose turn that was."""

from __future__ import annotations

import numpy as np
import pytest

from vision.colours import ColourModel, to_lab
from vision.shades import Shades

KNOWN = {"blue": (190, 90, 40), "yellow": (60, 180, 235), "green": (80, 150, 70)}
"""Blue, green, red of tiles as they are known."""
STRANGE = {"blue": (240, 175, 130), "yellow": (160, 235, 250), "green": (150, 215, 150)}
"""The same in another edition, under a lamp too bright."""


@pytest.fixture(scope="module")
def shades() -> Shades:
    means = tuple(to_lab([[level]])[0].astype(np.float64) for level in KNOWN.values())
    return Shades(ColourModel(tuple(KNOWN), (np.ones(1),) * 3, means, (np.eye(3)[None] * 25,) * 3), list(KNOWN))


@pytest.mark.parametrize("colour", list(STRANGE))
def test_a_pale_tile_has_the_colour_it_is_nearest_to(shades: Shades, colour: str) -> None:
    """Were the colours about even, a tile laid out of turn would pass for one of whoever's turn it was."""
    even = np.log(np.full((1, 3), 0.1))
    told = shades.split(np.array([STRANGE[colour]], dtype=np.uint8), even, 1.5)[0]
    assert list(KNOWN)[int(told.argmax())] == colour
    assert told.max() - np.sort(told)[-2] > 3.0


def test_what_may_be_no_tile_is_as_likely_one_as_before(shades: Shades) -> None:
    """A sleeve must not become a tile because its colour is nearest to one."""
    before = np.log(np.array([[0.05, 0.1, 0.02]]))
    told = shades.split(np.array([[60, 180, 235]], dtype=np.uint8), before, 1.5)
    assert np.exp(told).sum() == pytest.approx(0.17)
