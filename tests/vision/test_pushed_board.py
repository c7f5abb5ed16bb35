"""A board that is pushed over an area beside it: its own tiles were counted among those that a player has captured."""

from __future__ import annotations

from companion.catalogue import played_game
from companion.runtime.sources import calibrate_simulated
from companion.simulation.faces import Look
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from vision.frame import Frame
from vision.observe import Observer

NS_PER_S = 1_000_000_000


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
