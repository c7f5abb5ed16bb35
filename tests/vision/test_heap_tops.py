"""Loose tiles that touch: one that is seen across two of them is a tile of a colour that is not there."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.catalogue import played_game
from tests.vision.tables import laid
from vision.colour_learning import SEEN_PRIOR_SHARE, builtin_model, builtin_patches, fit_seen
from vision.colours import ColourTable, from_lab
from vision.frame import Image
from vision.heap_blots import Blot, HeapModel, look_at_tops
from vision.heap_tops import straddling, tops_at
from vision.observe import Observer
from vision.readers.heaps import HeapReader
from vision.squares import Found, Shape, pick, split

EDGE_PX = 18.0
PALE, BLACK, STAR = (215, 205, 160), (50, 42, 38), (165, 160, 90)
"""Blue, green, red of a white tile, its star, and a black tile."""
HOLDS = ("blue", "yellow", "red", "black", "white")


OTHERS = {"blue": (190, 95, 45), "red": (60, 50, 185), "yellow": (60, 170, 225)}


def _top(ground: tuple[int, int, int], ornament: tuple[int, int, int]) -> Image:
    """A tile's top as nine by nine spots, an ornament in its middle, with a little grain."""
    top = np.full((9, 9, 3), ground, np.float64)
    cv2.circle(top, (4, 4), 2, ornament, -1)
    return np.asarray((top + np.random.default_rng(3).normal(0.0, 4.0, top.shape)).clip(0, 255), dtype=np.uint8)


@pytest.fixture(scope="module")
def model() -> HeapModel:
    """The colours as they are read once tiles of each were recognised at a table."""
    colours = played_game("azul", 2, {}).layout.colours
    tops = {"white": [_top(PALE, STAR)] * 3, "black": [_top(BLACK, STAR)] * 3,
            **{name: [_top(plain, plain)] * 3 for name, plain in OTHERS.items()}}
    known = ColourTable(builtin_model(colours))
    table = known.blended(fit_seen(known.names, tops), 1.0 - SEEN_PRIOR_SHARE)
    return HeapModel.of(table, builtin_patches(colours), HOLDS)


def test_a_tile_across_two_others_is_told_from_one(model: HeapModel) -> None:
    """A pale tile and the dark side of its neighbour were together a black tile: four moves of 66 were followed, and a
    player was accused."""
    view = np.full((60, 80, 3), 200, np.uint8)
    cv2.rectangle(view, (21, 21), (38, 38), PALE, -1)
    cv2.circle(view, (30, 30), 4, STAR, -1)
    cv2.rectangle(view, (39, 21), (56, 38), BLACK, -1)
    tops = tops_at(view, [Found(x_px, 29.5, 0.0, 0, 4.0) for x_px in (29.5, 47.5, 38.5)], EDGE_PX)
    densities = model.densities(tops).reshape(3, -1, len(HOLDS))
    assert straddling(densities).tolist() == [False, False, True]


@pytest.mark.parametrize("colour", OTHERS.values(), ids=OTHERS)
def test_a_glint_on_a_tile_does_not_make_it_two(model: HeapModel, colour: tuple[int, int, int]) -> None:
    """A tile under a lamp would be taken away from the heap, and the move with it."""
    view = np.full((60, 60, 3), 200, np.uint8)
    cv2.rectangle(view, (21, 21), (38, 38), colour, -1)
    cv2.rectangle(view, (21, 21), (38, 24), (245, 245, 245), -1)
    tops = tops_at(view, [Found(29.5, 29.5, 0.0, 0, 4.0)], EDGE_PX)
    assert not straddling(model.densities(tops).reshape(1, -1, len(HOLDS))).any()


def test_one_tile_across_two_gives_way_to_both() -> None:
    """Two pale tiles side by side were one: a factory had three tiles, and its refill was called wrong."""
    shape = Shape(EDGE_PX, False, (0.0, 3.0))
    left, right = Found(30.0, 30.0, 0.0, 4, 4.0), Found(47.5, 31.0, 0.1, 4, 3.4)
    across, alone = Found(39.0, 30.0, 0.8, 4, 4.2), Found(90.0, 30.0, 0.0, 1, 4.4)
    possible = [alone, across, left, right]
    assert pick(possible, shape) == [alone, across]
    assert split(pick(possible, shape), possible, shape) == [alone, left, right]
    weak = Found(47.5, 31.0, 0.1, 4, 1.0)
    assert split([alone, across], [alone, across, left, weak], shape) == [alone, across], "a shade is no second tile"


def test_what_is_like_no_colour_is_hardly_a_tile() -> None:
    """The dark sides of tiles around a blue print were a fifth tile on a factory, and a player was accused."""
    table = laid("day", "samples")
    heaps = next(reader for reader in Observer(table.layout, table.calibration).readers
                 if isinstance(reader, HeapReader))
    region, model = heaps.regions["f1"], heaps.models["f1"]
    height, width = region.owns.shape
    found = Found(width / 2, height / 2, 0.0, 0, 2.1)
    blot = Blot((slice(0, height), slice(0, width)), (found,), (), is_whole=False)

    def there(colour: Image) -> float:
        view = np.broadcast_to(colour, (height, width, 3)).copy()
        return look_at_tops(view, [blot], region, model)[0].tiles[0].there

    sampled = next(iter(table.calibration.colours.means_lab))[0]
    plain = np.asarray(model.white.inverse().apply(from_lab(sampled).reshape(1, 1, 3).clip(0, 255).astype(np.uint8)))
    assert there(plain) > 0.8 > 0.5 > there(np.array([[[60, 90, 60]]], np.uint8))
