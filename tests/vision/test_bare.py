"""A table joined in mid-game, with nothing but taps: what is print and what is a tile is told by places that are alike.

Taken for tiles, print makes a position that no moves lead to; taken for print, a tile is missing for the whole game.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision.bare import bare_ones, unlike_around
from vision.frame import Image
from vision.heap_background import CoveredBackground, ReferenceBackground
from vision.heap_spots import learn_more_spaces, learn_spaces
from vision.pile_prints import empty_places
from vision.squares import Shape

TILE_PX = 16.0
SIDE = 41
MOON, SPACE, CRESCENT = (120, 75, 50), (150, 95, 65), (165, 108, 78)
PAPER = (70, 100, 165)
TILE_COLOURS = {"black": (54, 48, 44), "yellow": (52, 176, 238), "red": (48, 42, 200), "blue": (170, 64, 32)}
WHITE = (225, 230, 235)


def printed(seed: int, middle: tuple[float, float] = (20.0, 20.0), picture: Image | None = None) -> Image:
    """A space for a tile, printed in a colour much like that of a blue tile, seen by a noisy camera."""
    look = np.full((SIDE, SIDE, 3), PAPER, np.uint8) if picture is None else picture
    disc(look, middle, 30.0, MOON)
    disc(look, middle, TILE_PX, SPACE)
    disc(look, (middle[0] + 1.5, middle[1]), 8.0, CRESCENT)
    disc(look, (middle[0] + 3.5, middle[1] - 1.0), 7.0, SPACE)
    return noisy(look, seed)


def disc(look: Image, middle: tuple[float, float], diameter_px: float, colour: tuple[int, int, int]) -> None:
    at = (round(middle[0] * 16), round(middle[1] * 16))
    cv2.circle(look, at, round(diameter_px * 8), colour, -1, cv2.LINE_AA, 4)


def noisy(look: Image, seed: int) -> Image:
    noise = np.random.default_rng(seed).normal(0.0, 2.0, look.shape)
    return np.asarray(np.clip(look + noise, 0, 255), dtype=np.uint8)


def with_thing(look: Image, colour: str | tuple[int, int, int], middle: tuple[float, float], turn: float,
               diameter_px: float = TILE_PX) -> Image:
    """A tile or a chip on it, with an ornament that is turned by chance."""
    covered = look.copy()
    ground = TILE_COLOURS[colour] if isinstance(colour, str) else colour
    disc(covered, middle, diameter_px, ground)
    lighter = tuple(min(255, level + 70) for level in ground)
    for arm in range(3):
        angle = turn + arm * math.pi / 3
        reach = np.array([math.cos(angle), math.sin(angle)]) * diameter_px * 0.38
        ends = [tuple(np.rint((np.array(middle) + sign * reach) * 16).astype(int).tolist()) for sign in (-1, 1)]
        cv2.line(covered, ends[0], ends[1], lighter, 2, cv2.LINE_AA, 4)
    return covered


CHIP = (45, 75, 110)


def test_places_that_show_the_same_print_are_bare() -> None:
    """The print of a factory's moon is as blue as a blue tile: by its colour alone it was one."""
    looks = [printed(1), with_thing(printed(2), "black", (17.0, 20.0), 0.3), printed(3),
             with_thing(printed(4), CHIP, (20.5, 20.0), 0.2, 14.0)]
    assert bare_ones(np.stack(looks), TILE_PX) == [0, 2]


@pytest.mark.parametrize("colour", [*TILE_COLOURS, "chip"])
def test_two_tiles_of_a_colour_are_not_alike_to_a_hair(colour: str) -> None:
    """Or both would be print, and missing from the game."""
    ground, size = (CHIP, 14.0) if colour == "chip" else (TILE_COLOURS[colour], TILE_PX)
    looks = [with_thing(printed(seed), ground, (20.0 + seed * 0.7, 20.0 - seed * 0.5), 0.4 * seed, size)
             for seed in range(3)]
    assert bare_ones(np.stack(looks), TILE_PX) == []


def test_a_place_under_a_pile_looks_empty_as_its_sisters_do() -> None:
    """A black pile was taken for how its place looks empty, and was not there."""
    looks = [printed(1), printed(2), with_thing(printed(3), "black", (18.0, 20.0), 0.0), printed(4)]
    places = empty_places(looks, TILE_PX)
    assert places.is_seen
    apart = places.looks[2].astype(int) - looks[0]
    assert np.abs(apart).max() < 25


def test_a_place_on_paper_of_another_shade_shows_itself_that_it_is_bare() -> None:
    """Two players' boards may differ in shade: one's empty place was a white tile beside the other's."""
    paper = np.full((SIDE, SIDE, 3), (205, 212, 215), np.uint8)
    cream = np.full((SIDE, SIDE, 3), (175, 205, 220), np.uint8)
    under_pile = with_thing(noisy(cream, 2), "black", (19.0, 20.0), 0.2)
    first = empty_places([noisy(paper, 1), under_pile], TILE_PX)
    assert first.bare == {0} and not first.is_seen
    later = empty_places([noisy(paper, 3), noisy(cream, 4)], TILE_PX)
    assert later.bare == {0, 1}
    assert np.abs(later.looks[1].astype(int) - cream).max() < 15


def test_where_something_lies_on_every_place_nothing_is_called_empty() -> None:
    """Late in a round there may be piles on all moons: the one that looked least like a tile was called empty."""
    looks = [with_thing(printed(index), colour, (18.0 + index, 20.0), 0.5 * index)
             for index, colour in enumerate(("black", "yellow", "black", "red"))]
    places = empty_places(looks, TILE_PX)
    assert places.are_covered and not places.is_seen
    covered = np.zeros((SIDE, SIDE), dtype=bool)
    covered[16:25, 16:25] = True
    unknown = CoveredBackground(places.looks[0], covered)
    plain = ReferenceBackground(places.looks[0])
    assert unknown.log_densities(places.looks[0])[20, 20] < plain.log_densities(places.looks[0])[20, 20] - 5.0


def test_print_goes_with_what_is_around_it_and_a_tile_does_not() -> None:
    """A space with a print of its own has no sisters to tell that it is bare."""
    assert unlike_around(printed(1), TILE_PX) < 1.0
    for colour in TILE_COLOURS:
        assert unlike_around(with_thing(printed(1), colour, (20.0, 20.0), 0.0), TILE_PX) > 1.0


MIDDLES = np.array([[20.0, 20.0], [42.0, 20.0], [64.0, 20.0], [86.0, 20.0]])
SHAPE = Shape(TILE_PX, is_round=True, foot_px=(1.0, 0.5))


def strip(seed: int) -> Image:
    """A row of printed spaces on dark print, the last with a number instead."""
    picture = np.full((SIDE, 108, 3), MOON, np.uint8)
    for x, y in MIDDLES[:3].tolist():
        disc(picture, (x, y), TILE_PX, SPACE)
        disc(picture, (x + 1.5, y), 8.0, CRESCENT)
    cv2.putText(picture, "1", (82, 25), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (140, 150, 160), 1, cv2.LINE_AA)
    return noisy(picture, seed)


def test_printed_spaces_that_look_alike_show_what_lies_under_a_tile() -> None:
    """Four blue tiles were counted where the large factory's moon was bare."""
    first = with_thing(strip(1), "yellow", (42.0, 20.0), 0.3)
    first = with_thing(first, WHITE, (86.0, 20.0), 0.0)
    known = learn_spaces(first, MIDDLES, SHAPE)
    assert known is not None
    assert known.seen.tolist() == [True, False, True, False]
    middle = (slice(14, 27), slice(36, 49))
    assert np.abs(known.empty[middle].astype(int) - strip(2)[middle]).max() < 25


def test_a_space_seen_bare_later_shows_its_own_print() -> None:
    """When the start tile was taken, the number under it was counted as a black tile, round after round."""
    known = learn_spaces(with_thing(strip(1), WHITE, (86.0, 20.0), 0.0), MIDDLES, SHAPE)
    assert known is not None and not known.seen[3]
    still = learn_more_spaces(known, with_thing(strip(2), WHITE, (86.5, 20.0), 0.1))
    assert still is known
    more = learn_more_spaces(known, strip(3))
    assert more.seen.all()
    number = (slice(12, 29), slice(78, 95))
    assert np.abs(more.empty[number].astype(int) - strip(4)[number]).max() < 25


def test_spaces_that_are_all_covered_tell_nothing() -> None:
    """Then everything is as it would be without them."""
    picture = strip(1)
    for index, (middle, colour) in enumerate(zip(MIDDLES.tolist(), ("black", "yellow", "red", "blue"), strict=True)):
        picture = with_thing(picture, colour, (middle[0] + index * 0.5, middle[1]), 0.3 * index)
    assert learn_spaces(picture, MIDDLES, SHAPE) is None
