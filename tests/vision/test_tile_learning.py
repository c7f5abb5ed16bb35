"""Colours of a table learnt from its first loose tiles."""

from __future__ import annotations

import numpy as np
import pytest

from companion.catalogue import played_game
from vision.colour_learning import builtin_model, builtin_patches
from vision.colours import ColourTable, Light, to_gamma, to_linear
from vision.frame import Image
from vision.patches import PatchModel
from vision.tile_learning import MOST_OVEREXPOSED, tint_of

TILES = {"blue": (150, 60, 35), "yellow": (60, 175, 225), "red": (50, 45, 195), "black": (55, 50, 46),
         "turquoise": (190, 178, 60), "marker": (222, 228, 230)}
"""Blue, green, red of plain tiles in a white light."""
SPOTS = 81


@pytest.fixture(scope="module")
def known() -> tuple[ColourTable, PatchModel]:
    colours = played_game("azul-duel", 2, {}).layout.colours
    return ColourTable(builtin_model(colours)), builtin_patches(colours)


def tops(tint: tuple[float, float, float], each: int) -> list[Image]:
    """Some tiles of every colour, in a light with a tint."""
    chance = np.random.default_rng(4)
    made = []
    for level in TILES.values():
        for _ in range(each):
            linear = to_linear(np.array(level) / 255.0) * np.array(tint) * chance.uniform(0.9, 1.1, (SPOTS, 1))
            made.append(np.asarray(to_gamma(linear) * 255.0, dtype=np.uint8).reshape(9, 9, 3))
    return made


def test_tiles_tell_that_a_boards_white_is_cream(known: tuple[ColourTable, PatchModel]) -> None:
    """On cream boards everything looks too blue: the white start tile would be taken for a glossy black one."""
    plain = tint_of(tops((1.0, 1.0, 1.0), 3), *known, tuple(TILES))
    found = tint_of(tops((1.4, 1.0, 1.0), 3), *known, tuple(TILES))
    blue, _, red = (now / before for now, before in zip(found.gains, plain.gains, strict=True))
    assert blue / red < 0.85


def test_a_few_tiles_tell_no_tint(known: tuple[ColourTable, PatchModel]) -> None:
    """One odd tile early in a deal would colour the whole evening."""
    assert tint_of(tops((1.4, 1.0, 1.0), 1), *known, tuple(TILES)) == Light()


def test_no_tint_makes_tiles_much_brighter_than_paper(known: tuple[ColourTable, PatchModel]) -> None:
    """Where white and yellow were both overexposed, black prints on plates became jokers: moves were lost."""
    seen = tops((1.0, 1.0, 1.0), 3)
    found = tint_of(seen, *known, tuple(TILES))
    brightest = to_linear(np.median(np.stack(seen).reshape(len(seen), -1, 3), axis=1) / 255.0).max(axis=0)
    assert (np.array(found.gains) * brightest <= MOST_OVEREXPOSED + 1e-6).all()
