"""Boards on which little is printed: where they lie is known from their edges. If this fails, a chip beside its
expected place is read as another, and piles are taken for chips."""

from __future__ import annotations

import numpy as np
import pytest

from companion.catalogue import played_game
from companion.runtime.sources import calibrate_simulated
from companion.simulation.table import SimulatedTable
from vision.rectify import apply


@pytest.mark.parametrize(("seed", "most_off_mm"), [
    (93048, 1.8),
    # Here all taps on two factories are off to the same side, as far as to the next line that looks like an edge. A
    # chip is looked for no farther than 3 mm from its place, and it need not lie in the middle of it.
    (94744, 2.2),
])
def test_small_factories_lie_where_their_edges_are_though_the_taps_are_off(seed: int, most_off_mm: float) -> None:
    play = played_game("azul-duel", 2)
    table = SimulatedTable(play.game, play.layout, 2, play.options, seed)
    calibration = calibrate_simulated(table)
    off_mm = {}
    for place in (play.layout.places[f"f{number}.chip"] for number in (1, 2, 3, 4)):
        spot = table.arrangement.spots[place.piece]
        points = np.array([[*spot.printed(*at), spot.piece.thickness_mm] for at in (place.at, (0.0, 0.5), (1.0, 0.5))])
        true, left, right = table.lens.project(points)
        seen = apply(calibration.matrices[place.piece], np.array([place.at]))[0]
        off_mm[place.piece] = float(np.linalg.norm(seen - true) / np.linalg.norm(right - left) * spot.size_mm[0])
    assert max(off_mm.values()) < most_off_mm, off_mm
