"""Boards that are not square, and a lens that loses its focus: one was called lost while it lay where it had lain,
another was followed to where it did not lie, and what lay on them went unread or was read beside its place."""

from __future__ import annotations

import math
from copy import deepcopy

import cv2
import numpy as np
import pytest

from companion.catalogue import played_game
from companion.runtime.sources import calibrate_simulated
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from vision.calibration import Calibration
from vision.focus import sharpened
from vision.frame import Frame, Image
from vision.observe import BLURRED, Observer
from vision.reading import Kind
from vision.rectify import Matrix, apply
from vision.register import Drift, find_again

NS_PER_S = 1_000_000_000
CORNERS = np.array([[0.02, 0.02], [0.98, 0.02], [0.98, 0.98], [0.02, 0.98]])


def table_of(game: str) -> SimulatedTable:
    play = played_game(game, 2)
    return SimulatedTable(play.game, play.layout, 2, play.options, 93015, scenery=Scenery(view=View(tilt_deg=8.0)))


@pytest.fixture
def table() -> SimulatedTable:
    return table_of("azul-duel")


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return calibrate_simulated(table_of("azul-duel"))


@pytest.fixture
def observer(table: SimulatedTable, calibration: Calibration) -> Observer:
    return Observer(table.layout, calibration)


def test_boards_are_where_they_were_when_the_lens_loses_its_focus(table: SimulatedTable, observer: Observer) -> None:
    observer.observe(Frame(table.picture(), 0))
    before = observer.matrices
    table.request("blur")
    seen = observer.observe(Frame(table.picture(), NS_PER_S))
    assert seen.why == BLURRED, "and no board was moved or lost"
    for name, matrix in observer.matrices.items():
        assert np.allclose(apply(matrix, CORNERS), apply(before[name], CORNERS), atol=0.5), name


def test_a_board_pushed_while_the_lens_is_out_of_focus_is_found(table: SimulatedTable, observer: Observer) -> None:
    observer.observe(Frame(table.picture(), 0))
    table.request("blur")
    observer.observe(Frame(table.picture(), NS_PER_S))
    before = observer.matrices["p2"]
    spot = table.arrangement.spots["p2"]
    table.request("nudge", "p2", 18.0)
    after = table.arrangement.spots["p2"]
    for part in range(2, 4):
        observer.observe(Frame(table.picture(), part * NS_PER_S))
    table.request("sharp")
    seen = observer.observe(Frame(table.picture(), 4 * NS_PER_S))
    assert seen.trusted
    assert not any(reading.occluded for reading in seen.readings.values())
    pushed = [
        np.asarray(table.lens.project(np.column_stack([[each.at(u, v) for u, v in CORNERS], np.full(4, 1.5)])))
        for each in (spot, after)
    ]
    went = apply(observer.matrices["p2"], CORNERS) - apply(before, CORNERS)
    assert np.abs(went - (pushed[1] - pushed[0])).max() < 1.5


def test_a_pushed_board_shows_nothing_strange_along_its_rim(table: SimulatedTable, observer: Observer) -> None:
    """Its corner was followed to some pixels beside it, a strip of table was taken for a hand, and plates laid on that
    board were never learnt: their prints were tiles for the rest of the game."""
    observer.observe(Frame(table.picture(), 0))
    for second in range(1, 9):
        table.request("nudge", ("p1", "p2")[second % 2], 14.0)
        for part in (0, NS_PER_S // 2):
            observer.observe(Frame(table.picture(), second * NS_PER_S + part))
        assert not any(spots.any() for spots in observer.view(table.picture()).covered.values()), f"push {second}"


def test_no_place_is_hidden_because_the_lens_is_out_of_focus() -> None:
    """Every edge of a soft print was a hand beside a sharp one, and a fifth of a board went unread."""
    table = table_of("azul")
    observer = Observer(table.layout, calibrate_simulated(table))
    observer.observe(Frame(table.picture(), 0))
    table.request("blur")
    seen = observer.observe(Frame(table.picture(), NS_PER_S))
    assert seen.readings
    assert not [place for place, reading in seen.readings.items() if reading.occluded]


def test_chips_are_not_told_by_a_lens_that_is_out_of_focus(table: SimulatedTable, observer: Observer) -> None:
    """Their colours ran into each other: chips in store were face down, a marker was gone, and a move was agreed on
    that nobody had made."""
    sharp = observer.observe(Frame(table.picture(), 0))
    table.request("blur")
    for second in range(1, 4):
        soft = observer.observe(Frame(table.picture(), second * NS_PER_S))
        assert (soft.trusted, soft.why) == (False, BLURRED)
    table.request("sharp")
    again = observer.observe(Frame(table.picture(), 5 * NS_PER_S))
    assert again.trusted
    assert again.readings.keys() == sharp.readings.keys()


def test_what_a_hunting_lens_shows_is_read_but_nothing_is_learnt_from_it(
    table: SimulatedTable, observer: Observer
) -> None:
    """A plate that was laid while the lens hunted for its focus was learnt as it looked then, and its prints were tiles
    once they were seen clearly."""
    play = played_game("azul-duel", 2)
    sharp = observer.observe(Frame(table.picture(), 0))
    before = deepcopy(observer)
    table.request("blur")
    soft = [observer.observe(Frame(table.picture(), second * NS_PER_S)) for second in (1, 2)]
    kinds = {place: spec.kind for place, spec in play.layout.places.items()}
    for seen in soft:
        assert not seen.trusted
        wrong = {
            place for place, reading in seen.readings.items() if reading.best()[0] != sharp.readings[place].best()[0]
        }
        assert not [place for place in wrong if kinds[place] is not Kind.SLOT]
        assert len(wrong) <= len(seen.readings) / 100
    table.request("sharp")
    picture = table.picture()
    again, unblurred = (each.observe(Frame(picture, 5 * NS_PER_S)) for each in (observer, before))
    assert {place: reading.parts for place, reading in again.readings.items()} == {
        place: reading.parts for place, reading in unblurred.readings.items()
    }


def test_two_colours_that_a_soft_lens_mixed_are_two_again() -> None:
    """A chip of two colours was as grey as its back."""
    chip: Image = np.full((80, 80, 3), 225, dtype=np.uint8)
    cv2.circle(chip, (40, 40), 14, (200, 90, 60), -1, cv2.LINE_AA)
    cv2.ellipse(chip, (40, 40), (14, 14), 0, 0, 180, (60, 60, 200), -1, cv2.LINE_AA)
    soft = np.asarray(cv2.GaussianBlur(chip, (0, 0), 4.0), dtype=np.uint8)
    grain = np.random.default_rng(5).normal(0.0, 1.6, chip.shape)
    soft = np.clip(soft + grain, 0, 255).astype(np.uint8)
    upper, lower = np.s_[30:37, 34:47], np.s_[44:51, 34:47]

    def apart(image: Image) -> float:
        return float(np.linalg.norm(image[upper].mean((0, 1)) - image[lower].mean((0, 1))))

    assert apart(soft) < 0.8 * apart(chip)
    for softness_px in (3.0, 4.0, 5.0):
        assert apart(sharpened(soft, softness_px)) > 0.9 * apart(chip)


def test_a_lens_that_stays_soft_does_not_end_the_game(table: SimulatedTable, observer: Observer) -> None:
    """Somebody has touched it after the table was set up: what it shows is still better than nothing."""
    observer.observe(Frame(table.picture(), 0))
    table.request("blur")
    seen = [observer.observe(Frame(table.picture(), second * NS_PER_S)) for second in (1, 10, 30, 31)]
    assert [each.trusted for each in seen] == [False, False, True, True]


def test_pushed_again_and_again_a_board_keeps_its_shape(table: SimulatedTable, observer: Observer) -> None:
    """One corner was bent a little further at each push, and after a few of them its places were read beside
    themselves."""
    observer.observe(Frame(table.picture(), 0))

    def lies() -> Matrix:
        spot = table.arrangement.spots["f1"]
        return np.asarray(table.lens.project([[*spot.at(u, v), spot.piece.thickness_mm] for u, v in CORNERS]))

    start, seen = lies(), apply(observer.matrices["f1"], CORNERS)
    for second in range(1, 17):
        table.request("nudge", "f1", 12.0)
        observer.observe(Frame(table.picture(), second * NS_PER_S))
        away = (apply(observer.matrices["f1"], CORNERS) - seen) - (lies() - start)
        assert np.abs(away).max() < 1.0, f"push {second}"


def test_a_board_that_is_not_square_is_found_turned(table: SimulatedTable, observer: Observer) -> None:
    """What turns a board on its table skews the fractions of one that is wider than high."""
    ruler, matrix = observer._boards.rulers["p2"], observer.matrices["p2"]
    picture = table.picture()
    turned = matrix @ Drift((0.0, 0.0), math.radians(9.0), 0.0, ruler.aspect).matrix()
    corners_mm = apply(np.linalg.inv(matrix) @ turned, CORNERS) * (300.0, 200.0)
    assert np.linalg.norm(corners_mm[1] - corners_mm[0]) == pytest.approx(288.0, abs=0.5)
    found, fits = find_again(ruler, picture, turned)
    assert fits > 0.7
    assert np.abs(apply(found, CORNERS) - apply(matrix, CORNERS)).max() < 1.5


def test_a_board_that_was_followed_a_little_beside_itself_is_laid_right(
    table: SimulatedTable, observer: Observer
) -> None:
    """Hands had bent one of its corners by some pixels: a strip of it looked covered for as long, plates laid on it
    were never learnt, and their prints were tiles that nobody had laid."""
    observer.observe(Frame(table.picture(), 0))
    boards, lies = observer._boards, observer.matrices["p1"]
    corners = np.float32([[0, 0], [1, 0], [1, 1], [0, 1]])
    seen = np.float32(apply(lies, corners))
    seen[1] += (2.5, 1.5)
    boards.lay("p1", np.asarray(cv2.getPerspectiveTransform(corners, seen)))
    boards.laid["p1"] = lies
    observer._fetch_moved(table.picture(), ["p1"])
    observer._seen = None
    observer.observe(Frame(table.picture(), NS_PER_S))
    assert not observer.view(table.picture()).covered["p1"].any()
    assert np.abs(apply(observer.matrices["p1"], CORNERS) - apply(lies, CORNERS)).max() < 0.5
