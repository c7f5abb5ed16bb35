"""Chips: a back that passes for a face tells of a turn that nobody took."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.colour_learning import builtin_model
from vision.colours import ColourModel, from_lab
from vision.frame import Image
from vision.piles import FACE_DOWN, ChipFaces, ChipSeen, learn_back

SIDE, DIAMETER_PX = 41, 28.0
COLOURS = {"yellow": (238, 176, 52), "red": (200, 42, 48), "black": (44, 48, 54)}
PALE = {"yellow": (206, 176, 128), "red": (160, 92, 96), "black": (66, 69, 74)}
"""The same as a camera with little colour shows them."""
BACK, ORNAMENT = (98, 74, 66), (158, 134, 100)
MOON = (70, 92, 150)


def chip(ground: tuple[int, int, int], middle: tuple[int, int, int] | None = None,
         half: tuple[int, int, int] | None = None) -> Image:
    """A chip on its place, its ground or one half of it, and what is printed in its middle (red, green, blue)."""
    picture = np.full((SIDE, SIDE, 3), MOON[::-1], dtype=np.uint8)
    centre, radius = (SIDE // 2, SIDE // 2), round(DIAMETER_PX / 2)
    cv2.circle(picture, centre, radius, ground[::-1], -1)
    if half is not None:
        cv2.ellipse(picture, centre, (radius, radius), 0.0, 20.0, 200.0, half[::-1], -1)
    if middle is not None:
        cv2.circle(picture, centre, radius * 2 // 3, middle[::-1], -1)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), dtype=np.uint8)


def seen(picture: Image, faces: ChipFaces, back: NDArray[np.float64] | None = None) -> ChipSeen:
    where = np.zeros((SIDE, SIDE), dtype=bool)
    where[SIDE // 2 - 2 : SIDE // 2 + 3, SIDE // 2 - 2 : SIDE // 2 + 3] = True
    bare = np.full((SIDE, SIDE, 3), MOON[::-1], dtype=np.uint8)
    return faces.read(picture, bare, where, DIAMETER_PX, back)


def likeliest(
    picture: Image, faces: ChipFaces, back: NDArray[np.float64] | None = None
) -> tuple[object, float]:
    values = seen(picture, faces, back).values
    best = max(values, key=lambda content: values[content])
    return best, math.exp(values[best])


def table_of(colours: dict[str, tuple[int, int, int]]) -> ColourModel:
    """The colours as tiles named at this table show them."""
    means = [np.array([cv2.cvtColor(np.float32([[value[::-1]]]) / 255, cv2.COLOR_BGR2Lab)[0, 0]], dtype=np.float64)
             for value in colours.values()]
    return ColourModel(tuple(colours), (np.ones(1),) * len(means), tuple(means), (np.eye(3)[None] * 20,) * len(means))


@pytest.mark.parametrize("colours", [COLOURS, PALE])
def test_halves_of_two_colours_are_a_face(colours: dict[str, tuple[int, int, int]]) -> None:
    faces = ChipFaces(table_of(colours), list(colours))
    content, chance = likeliest(chip(colours["black"], half=colours["yellow"]), faces)
    assert content == ("black", "yellow") and chance > 0.8
    content, chance = likeliest(chip(colours["red"]), faces)
    assert content == ("red",) and chance > 0.8


def test_one_colour_around_another_is_no_face() -> None:
    """A back with a golden flower on brown would be a chip turned up, and the game would not be understood."""
    faces = ChipFaces(table_of(PALE), list(PALE))
    for ground, middle in ((BACK, ORNAMENT), (PALE["black"], PALE["yellow"])):
        assert likeliest(chip(ground, middle), faces)[0] != ("black", "yellow")
    assert likeliest(chip(BACK, ORNAMENT), faces)[0] == FACE_DOWN


def test_the_model_from_memory_knows_faces() -> None:
    """Without samples every chip would lie face down."""
    model = builtin_model(COLOURS)
    yellow = from_lab(model.means_lab[0][0]).astype(int).tolist()
    assert likeliest(chip((yellow[2], yellow[1], yellow[0])), ChipFaces(model, list(COLOURS)))[0] == ("yellow",)


def test_a_face_that_lies_beside_the_middle_is_read_whole() -> None:
    """On the blue moon half of a chip was taken for all of it, and the other colour was missed."""
    colours = {**COLOURS, "blue": (36, 58, 190)}
    faces = ChipFaces(table_of(colours), list(colours))
    lies = chip(colours["black"], half=colours["blue"])
    aside = np.asarray(cv2.warpAffine(lies, np.array([[1.0, 0.0, 4.0], [0.0, 1.0, 0.0]]), (SIDE, SIDE),
                                      borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
    where = np.zeros((SIDE, SIDE), dtype=bool)
    where[SIDE // 2 - 5 : SIDE // 2 + 6, SIDE // 2 - 5 : SIDE // 2 + 6] = True
    values = faces.read(aside, np.full((SIDE, SIDE, 3), MOON[::-1], dtype=np.uint8), where, DIAMETER_PX).values
    assert max(values, key=lambda content: values[content]) == ("black", "blue")


def test_a_back_like_one_of_the_colours_is_known_once_some_lie_side_by_side() -> None:
    """Brown backs pass for yellow faces at a dim table: each chip would be said to be turned too early."""
    faces, brown = ChipFaces(table_of(COLOURS), list(COLOURS)), (196, 146, 58)
    assert likeliest(chip(brown), faces)[0] == ("yellow",), "otherwise this shows nothing"
    looks = [seen(chip((196 + shade, 146, 58)), faces).lab for shade in (0, 4, -4, 2)]
    back = learn_back([look for look in looks if look is not None])
    assert back is not None
    assert likeliest(chip(brown), faces, back)[0] == FACE_DOWN
    assert likeliest(chip(COLOURS["yellow"]), faces, back)[0] == ("yellow",)
    differing = [seen(chip(COLOURS[name]), faces).lab for name in ("red", "red", "yellow", "black")]
    assert learn_back([look for look in differing if look is not None]) is None, "faces are no backs"


def test_two_halves_whose_mean_is_as_grey_as_a_back_are_a_face() -> None:
    """A chip of red and turquoise passed for one that lies face down: its owner was told of chips misused for the rest
    of the game, and no move was followed any more."""
    colours = {**COLOURS, "turquoise": (92, 190, 196)}
    faces, lies = ChipFaces(table_of(colours), list(colours)), chip(colours["red"], half=colours["turquoise"])
    middle = seen(lies, faces).lab
    assert middle is not None
    content, chance = likeliest(lies, faces, middle)
    assert content == ("red", "turquoise") and chance > 0.8
    assert likeliest(chip((150, 152, 160)), faces, seen(chip((150, 152, 160)), faces).lab)[0] == FACE_DOWN


def test_a_chip_that_lies_off_its_place_is_read_in_spite_of_its_shadow() -> None:
    """The shadow beside it was as dark as its black half, and told of black on both sides of its yellow one: it seemed
    to lie face down, its owner could not have taken it, and the game was lost."""
    side, diameter_px, shade, white = 27, 14.0, (70, 70, 70), (212, 214, 220)
    paper = np.full((side, side, 3), (196, 198, 200), dtype=np.uint8)
    picture, middle = cv2.resize(paper, None, fx=8, fy=8), (100, 104)
    for radius_px, colour in ((8.0, shade), (7.0, white), (5.1, COLOURS["yellow"][::-1])):
        cv2.circle(picture, middle, round(radius_px * 8), colour, -1)
    cv2.ellipse(picture, middle, (41, 41), 0.0, 90.0, 270.0, COLOURS["black"][::-1], -1)
    lies = np.asarray(cv2.GaussianBlur(cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA), (0, 0), 0.5))
    where = np.zeros((side, side), dtype=bool)
    where[12:18, 14:17] = True
    colours = {**COLOURS, "black": (66, 67, 70)}
    values = ChipFaces(table_of(colours), list(colours)).read(lies, paper, where, diameter_px).values
    assert max(values, key=lambda content: values[content]) == ("black", "yellow")
