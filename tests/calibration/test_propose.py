"""If one of these fails, people must tap every corner of every board themselves."""

from __future__ import annotations

import math

import numpy as np

from calibration.finding import Found, slide
from calibration.outlines import outlines_of
from calibration.propose import propose
from calibration.refine import line_score
from companion.catalogue import played_game
from companion.runtime.told import exact_calibration
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from vision.recording import CornersTap, DiscTap
from vision.rectify import UNIT_SQUARE, apply, homography_from

WIDTH_PX = 1280


def test_boards_and_discs_are_found_without_a_tap() -> None:
    play = played_game("azul", 2, None)
    table = SimulatedTable(play.game, play.layout, 2, play.options, seed=4,
                           scenery=Scenery(view=View(width_px=WIDTH_PX, height_px=720)))
    truth = exact_calibration(table).matrices
    found = propose(table.setup().empty, play.layout)
    boards = {name: np.array(tap.points_px) for name, tap in found.taps.items() if isinstance(tap, CornersTap)}
    assert sorted(boards) == ["p1", "p2"]
    for name, corners in boards.items():
        # Who sits where only the people know: either board may be the first.
        off = min(np.linalg.norm(corners - apply(truth[one], UNIT_SQUARE), axis=1).max() for one in ("p1", "p2"))
        assert off < 0.01 * WIDTH_PX, f"{name} is off by {off:.0f} px"
    discs = [tap.centre_px for tap in found.taps.values() if isinstance(tap, DiscTap)]
    middles = [apply(truth[f"f{number}"], [[0.5, 0.5]])[0] for number in range(1, 6)]
    seen = sum(any(math.dist(disc, middle) < 0.01 * WIDTH_PX for disc in discs) for middle in middles)
    assert seen == len(discs) == 5, "every disc is found, and nothing else is taken for one"
    assert "centre" in found.taps


def test_small_boards_with_little_print_are_found_too() -> None:
    """Duel's five factories lie brown on brown: people would tap twenty corners."""
    play = played_game("azul-duel", 2, None)
    table = SimulatedTable(play.game, play.layout, 2, play.options, seed=4,
                           scenery=Scenery(view=View(width_px=WIDTH_PX, height_px=720)))
    truth = {name: apply(matrix, UNIT_SQUARE) for name, matrix in exact_calibration(table).matrices.items()}
    found = propose(table.setup().empty, play.layout)
    for name, tap in found.taps.items():
        off = min(np.linalg.norm(np.array(tap.points_px) - corners, axis=1).max() for corners in truth.values()
                  ) if isinstance(tap, CornersTap) else 0.0
        assert off < 0.015 * WIDTH_PX, f"{name} is off by {off:.0f} px"
    boards = [piece.name for piece in play.layout.pieces if piece.frame == "corners"]
    assert sorted(found.taps) == sorted(boards)


def test_a_board_found_one_space_too_far_is_moved_back() -> None:
    """A grid fits itself one space further: the wall would be read in the wrong columns."""
    play = played_game("azul", 2, None)
    table = SimulatedTable(play.game, play.layout, 2, play.options, seed=4,
                           scenery=Scenery(view=View(width_px=WIDTH_PX, height_px=720)))
    matrix = exact_calibration(table).matrices["p1"]
    picture, piece = table.setup().empty, next(piece for piece in play.layout.pieces if piece.name == "p1")
    first, second = (next(place for place in piece.places if place.name == f"p1.wall.1.{column}") for column in (1, 2))
    step = np.array(second.at) - np.array(first.at)
    lines = outlines_of(piece)
    too_far = apply(matrix, UNIT_SQUARE + step)
    found = slide(picture, Found(too_far, line_score(picture, homography_from(too_far), lines)), piece, lines)
    assert np.linalg.norm(found.corners - apply(matrix, UNIT_SQUARE), axis=1).max() < 0.01 * WIDTH_PX


def test_a_bare_table_brings_no_proposals() -> None:
    """A board that is not there would send people looking for it."""
    play = played_game("blockers", 2, None)
    wood = np.random.default_rng(1).normal(120, 9, (360, 640, 3)).clip(0, 255).astype(np.uint8)
    assert not propose(wood, play.layout).taps
