"""A dark tile on a dark place: if it is not noticed, a move is never followed, and the game goes astray after it."""

from __future__ import annotations

from companion.catalogue import played_game
from companion.runtime.sources import calibrate_simulated
from companion.simulation.table import SimulatedTable
from companion.simulation.things import lay_out
from vision.frame import Frame
from vision.observe import Observer


def test_the_first_broken_tile_is_noticed_on_its_dark_space() -> None:
    play = played_game("azul-duel", 2)
    table = SimulatedTable(play.game, play.layout, 2, play.options, 93010)
    observer = Observer(table.layout, calibrate_simulated(table))
    observer.observe(Frame(table.picture(), 0))
    lay_out(table.top, {"p1.broken": {"top": "black"}, "p2.broken": {"top": "blue"}})
    seen = observer.observe(Frame(table.picture(), 10**9)).readings
    assert [seen[place].best()[0] for place in ("p1.broken", "p2.broken")] == [{"top": "black"}, {"top": "blue"}]


def test_a_tile_that_lies_there_plainly_is_surer_than_a_guess() -> None:
    """At one in twenty that nothing lay there, the second colour that a player had taken was overlooked, and the rest
    agreed on as a move."""
    play = played_game("azul-duel", 2)
    table = SimulatedTable(play.game, play.layout, 2, play.options, 93021)
    observer = Observer(table.layout, calibrate_simulated(table))
    observer.observe(Frame(table.picture(), 0))
    lay_out(table.top, {"p1.broken": {"top": "yellow"}})
    seen = observer.observe(Frame(table.picture(), 10**9)).readings
    assert seen["p1.broken"].parts["top"][None] < -5.0
