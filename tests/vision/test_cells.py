"""A Blockers! table as a camera saw it: one cell read wrong and the companion follows another game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.store import load, save
from tests.vision.tables import laid, look
from vision.frame import Frame
from vision.observe import Observer
from vision.readers.cells import spread_hand
from vision.reading import Kind

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
