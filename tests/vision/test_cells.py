"""A Blockers! table as a camera saw it: one cell read wrong and the companion follows another game."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.store import load, save
from tests.vision.tables import laid, look
from vision.frame import Frame
from vision.observe import Observer
from vision.readers.cells import spread_hand
from vision.reading import Kind
from vision.rectify import apply

LAST = 6


@pytest.mark.parametrize(("start", "first"), [("samples", 0), ("taps", LAST)])
def test_every_cell_is_read(start: str, first: int) -> None:
    """With everything that can be shown before a game, and from taps alone, joining a game half-way."""
    table = laid("blockers-3p", start, first)
    observer = Observer(table.layout, table.calibration)
    for index, truth in enumerate(table.truth):
        seen = observer.observe(Frame(table.picture(index), index))
        wrong = {
            place: (content, seen.readings[place].best()[0])
            for place, content in truth["places"].items()
            if table.layout.places[place].kind is Kind.CELL and seen.readings[place].best()[0] != content
        }
        assert not wrong, f"{start}, {truth['t']} s"


def test_a_misplaced_tile_is_read_as_what_it_is() -> None:
    """A blue B in row A fits nowhere there: read as something that fits, the slip would never be named."""
    table = laid("blockers-3p", "samples")
    index = next(number for number, truth in enumerate(table.truth) if truth["t"] == 45.5)
    content, probability = look(table, table.picture(index)).readings["board.A6"].best()
    assert content == {"colour": "blue", "face": "B"}
    assert probability > 0.5


def test_what_was_read_before_is_not_read_again() -> None:
    """A frame with one new tile must not cost as much as the first."""
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    first = observer.observe(Frame(table.picture(LAST), 0)).readings["board.G2"]
    noisy = np.clip(table.picture(LAST).astype(np.int16) + 1, 0, 255).astype(np.uint8)
    again = observer.observe(Frame(noisy, 1)).readings["board.G2"]
    assert again.parts["face"] == first.parts["face"]


def test_taught_prints_survive_in_the_file(tmp_path: Path) -> None:
    """A table that is remembered would otherwise forget its edition's own symbols."""
    table = laid("blockers-3p", "samples")
    assert len(table.calibration.prints) == 28
    save(table.calibration, tmp_path / "table.npz")
    again = load(tmp_path / "table.npz")
    assert all(np.array_equal(again.prints[face], cut) for face, cut in table.calibration.prints.items())


def test_an_unlikely_colour_is_said_to_be_strange() -> None:
    """A coaster or a sleeve on the board is no tile."""
    table = laid("blockers-3p", "samples")
    picture = table.picture(LAST).copy()
    middle = look(table, table.picture(LAST))
    assert middle.readings["board.E5"].best()[0] is None
    picture[300:350, 740:800] = (150, 190, 120)
    reading = look(table, picture).readings["board.E5"]
    assert reading.unfamiliar or reading.occluded


def test_a_print_too_fine_for_the_picture_leaves_a_tile() -> None:
    """A joker's words are grey lines from afar: taken for a hand, it would hold up every move and slip from then on.
    Some such cells side by side are a sleeve."""
    table = laid("blockers-3p", "samples")
    picture = table.picture(LAST)
    rows, columns = slice(300, 350), slice(740, 800)
    red = np.array((45, 40, 200), np.float32)
    assert look(table, picture).readings["board.E5"].best()[0] is None
    faint = np.tile(red, (50, 60, 1))
    faint[20:30:4, 15:45] *= 0.89
    lone = picture.copy()
    lone[rows, columns] = faint
    reading = look(table, lone).readings["board.E5"]
    assert not reading.occluded
    assert reading.best()[0] == {"colour": "red", "face": "joker"}
    sleeve = picture.copy()
    sleeve[rows, 680:860] = np.tile(faint, (1, 3, 1))
    assert look(table, sleeve).readings["board.E5"].occluded


def test_what_looks_like_a_tile_at_the_edge_of_a_hand_is_not_believed() -> None:
    """A knuckle in shade passes for a red card: taken for a move, the rest of the game is lost."""
    rows, columns = np.divmod(np.arange(25), 5)
    beside = (np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) == 1).astype(np.float64)

    def cells(*spots: tuple[int, int]) -> NDArray[np.bool_]:
        return np.isin(np.arange(25), [5 * row + column for row, column in spots])

    hand, knuckles, elsewhere = cells((0, 2), (0, 3), (1, 2), (1, 3)), cells((2, 3), (3, 3)), cells((4, 0))
    under = spread_hand(hand, knuckles | elsewhere, beside)
    assert under[hand | knuckles].all()
    assert not under[elsewhere].any(), "a tile laid elsewhere is seen at once"
    crumb = cells((2, 2))
    assert not spread_hand(crumb, knuckles, beside)[knuckles].any(), "a crumb is no hand: what is laid beside it counts"


def cell_corners(observer: Observer, cell: tuple[float, float], half: float = 0.041) -> NDArray[np.int32]:
    """Where a tile on a cell of the board shows, in pixels."""
    square = np.array(cell) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return np.round(apply(observer.matrices["board"], square)).astype(np.int32)


def test_a_tile_that_lies_face_down_has_no_face() -> None:
    """With a face it would be no mistake that anybody knows, and it would take long to say so."""
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    picture = table.picture(LAST).copy()
    cv2.fillConvexPoly(picture, cell_corners(observer, (0.5, 0.5)), (150, 150, 150))
    reading = look(table, picture, observer).readings["board.E5"]
    assert reading.best()[0] == {"colour": "back", "face": None}


def test_a_word_in_small_print_makes_a_tile() -> None:
    """A joker says its name in letters so thin that they are grey from afar: it was taken for a sleeve."""
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    picture, corners = table.picture(LAST).copy(), cell_corners(observer, (0.5, 0.5))
    lying = {place: content for place, content in table.truth[LAST]["places"].items() if place.startswith("board.")}
    place, colour = next((place, content["colour"]) for place, content in lying.items() if content)
    at = cell_corners(observer, table.layout.places[place].at)
    card = np.median(picture[at[0, 1] + 4 : at[2, 1] - 4, at[0, 0] + 4 : at[2, 0] - 4].reshape(-1, 3), axis=0)
    cv2.fillConvexPoly(picture, corners, card.tolist())
    middle = (corners.min(axis=0) + corners.max(axis=0)) // 2
    for row in (-4, 0, 4):
        start, end = (int(middle[0]) - 9, int(middle[1]) + row), (int(middle[0]) + 9, int(middle[1]) + row)
        cv2.line(picture, start, end, (0.7 * card).tolist(), 1)
    reading = look(table, picture, observer).readings["board.E5"]
    assert not reading.occluded and not reading.unfamiliar
    assert reading.best()[0]["colour"] == colour


def test_a_card_is_flat_however_much_of_it_is_printed() -> None:
    """A joker with a star as large as its tile was taken for a hand, and held up every move from then on."""
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    picture, corners = table.picture(LAST).copy(), cell_corners(observer, (0.5, 0.5))
    yellow, ink = (60, 215, 250), (52, 44, 40)
    cv2.fillConvexPoly(picture, corners, yellow)
    middle, width = corners.mean(axis=0), float(np.ptp(corners[:, 0]))
    turns = np.arange(16) * (2 * np.pi / 16)
    reach = width * np.where(np.arange(16) % 2, 0.3, 0.42)
    star = middle + np.column_stack([np.cos(turns), np.sin(turns)]) * reach[:, None]
    cv2.fillPoly(picture, [np.round(star).astype(np.int32)], ink)
    picture[300:350, 740:800] = cv2.GaussianBlur(picture, (0, 0), 1.2)[300:350, 740:800]
    reading = look(table, picture, observer).readings["board.E5"]
    assert not reading.occluded and not reading.unfamiliar
    assert reading.best()[0]["colour"] == "yellow"


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_board_that_somebody_turned_is_recognised(degrees: int) -> None:
    """It looks much as before, but each tile lies on another cell: nothing may be read from it."""
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    picture, matrix = table.picture(2), observer.matrices["board"]
    assert not look(table, picture, observer).turned
    turn = np.array([*cv2.getRotationMatrix2D((0.5, 0.5), -degrees, 1.0).tolist(), [0.0, 0.0, 1.0]])
    there = np.linalg.inv(matrix)
    turned = cv2.warpPerspective(picture, matrix @ turn @ there, (picture.shape[1], picture.shape[0]))
    inside = np.zeros(picture.shape[:2], np.uint8)
    corners = apply(matrix, np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    cv2.fillConvexPoly(inside, np.round(corners).astype(np.int32), 255)
    seen = look(table, np.where(inside[:, :, None] > 0, turned, picture).astype(np.uint8), observer)
    assert seen.turned == {"board": degrees}
    assert not seen.trusted
    back = look(table, picture, observer)
    assert back.trusted and not back.turned


@pytest.mark.parametrize("shade", [(0.9, 0.85, 0.8), (0.8, 0.72, 0.66), (0.6, 0.5, 0.45)])
def test_a_bare_cell_in_the_shade_is_no_tile(shade: tuple[float, float, float]) -> None:
    """Beside a sleeve white cells turn bluish: one was a blue tile with the cell's own symbol for a face, a player was
    said to have laid it, and the rest of the game was lost."""
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    bare = [name for name, content in table.truth[LAST]["places"].items() if name.startswith("board.") and not content]
    for name in bare[::12]:
        picture = table.picture(LAST)
        shadow = np.zeros(picture.shape[:2], np.float32)
        cv2.fillConvexPoly(shadow, cell_corners(observer, table.layout.places[name].at, 0.055), 1.0)
        soft = cv2.GaussianBlur(shadow, (0, 0), 3)[..., None]
        darkened = (picture * (1 - soft + soft * np.array(shade))).astype(np.uint8)
        reading = look(table, darkened).readings[name]
        assert reading.best()[0] is None, name
        assert reading.best()[1] > 0.95, name
        assert not reading.unfamiliar, name
