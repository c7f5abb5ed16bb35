"""If one of these fails, people must tap every corner of every board themselves."""

from __future__ import annotations

import math

import numpy as np

from calibration.propose import propose
from companion.catalogue import played_game
from companion.runtime.told import exact_calibration
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from vision.recording import CornersTap, DiscTap
from vision.rectify import UNIT_SQUARE, apply

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
    assert seen >= 4 and len(discs) <= 5, "most discs are found, and nothing else is taken for one"
    assert "centre" in found.taps


def test_a_bare_table_brings_no_proposals() -> None:
    """A board that is not there would send people looking for it."""
    play = played_game("azul", 2, None)
    wood = np.random.default_rng(1).normal(120, 9, (360, 640, 3)).clip(0, 255).astype(np.uint8)
    assert not propose(wood, play.layout).taps
