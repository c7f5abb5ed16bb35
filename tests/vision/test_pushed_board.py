"""A board that is pushed over an area beside it: its own tiles were counted among those that a player has captured."""

from __future__ import annotations

import numpy as np

from companion.catalogue import played_game
from companion.runtime.sources import calibrate_simulated
from companion.simulation.faces import Look
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from vision.boards import Boards
from vision.card import never_covered
from vision.frame import Frame
from vision.layout import PieceSpec
from vision.observe import Observer
from vision.rectify import apply

NS_PER_S = 1_000_000_000
CORNERS = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]


def test_tiles_on_a_pushed_board_are_in_nobodys_heap() -> None:
    play = played_game("blockers", 5)
    scenery = Scenery(view=View(width_px=1152, height_px=648))
    table = SimulatedTable(play.game, play.layout, 5, play.options, 3, scenery=scenery)
    observer = Observer(play.layout, calibrate_simulated(table))
    for cell in (f"{row}{column}" for row in "ABCDEFGHI" for column in (1, 2, 8, 9)):
        tile = table.top.make(Look("red", face=cell[0]), "tile")
        table.top.lay(table.top.posed(tile, f"board.{cell}"))
    observer.observe(Frame(table.picture(), 0))
    for second in range(1, 4):
        table.request("nudge", "board", 22.0)
        seen = [observer.observe(Frame(table.picture(), second * NS_PER_S + part)) for part in (0, NS_PER_S // 2)][-1]
        heaps = {place: seen.readings[place].best()[0] for place in seen.readings if place.endswith(".captured")}
        assert not any(heaps.values()), f"after push {second}: {heaps}"


def test_a_factory_whose_print_is_all_circles_is_not_taken_to_lie_bent() -> None:
    # A fit with a hand over half of it: sheared, and so far off that each step from there leads further away.
    bent = np.array([[1.0005, -0.1381, 0.0278], [0.0099, 0.9951, -0.0041], [0.0084, 0.0145, 1.0]])
    play = played_game("azul-duel", 2)
    table = SimulatedTable(play.game, play.layout, 2, play.options, 3, scenery=Scenery(view=View(1152, 648)))
    calibration = calibrate_simulated(table)
    specs: dict[str, PieceSpec] = {piece.name: piece for piece in play.layout.pieces if piece.name == "f3"}
    boards = Boards(calibration, specs, dict(calibration.matrices), dict(calibration.poses))
    boards.learn("f3", calibration.reference, never_covered(specs["f3"], play.layout, np.zeros(2)))
    lies = calibration.matrices["f3"]
    for colour in ("yellow", "red"):
        table.top.lay(table.top.posed(table.top.make(Look(colour), "tile"), "f3.moon"))
    boards.lay("f3", lies @ bent)
    boards.settle(table.picture(), ["f3"])
    off_px = np.linalg.norm(apply(boards.matrices["f3"], CORNERS) - apply(lies, CORNERS), axis=1).max()
    assert off_px < 1.0, f"a corner of the factory is taken to lie {off_px:.1f} pixels beside itself"
