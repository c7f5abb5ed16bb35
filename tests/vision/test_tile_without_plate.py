"""A tile laid where no plate lies: seen as nothing, it is a mistake of which nobody is told."""

from __future__ import annotations

from companion.simulation.things import lay_out
from tests.vision.tables import simulated_duel
from vision.frame import Frame

NS_PER_S = 1_000_000_000
TILES = {"p1.dome.3.4": "turquoise", "p1.dome.1.1": "yellow", "p2.dome.6.2": "black", "p2.dome.5.5": "blue",
         "p2.dome.2.3": "red"}


def test_a_tile_on_the_bare_board_is_seen_in_its_colour_and_nothing_around_it() -> None:
    table, observer = simulated_duel(93020)
    observer.observe(Frame(table.picture(), 0))
    lay_out(table.top, TILES)
    seen = observer.observe(Frame(table.picture(), NS_PER_S)).readings
    dome = {place: seen[place].best()[0] for place in seen if ".dome." in place}
    assert {place: colour for place, colour in dome.items() if colour is not None} == TILES
    assert not any(seen[place].best()[0] for place in seen if ".plate." in place)


def test_a_pushed_board_and_a_lens_out_of_focus_lay_no_tiles_on_it() -> None:
    table, observer = simulated_duel(93021)
    observer.observe(Frame(table.picture(), 0))
    for second, (what, piece) in enumerate((("nudge", "p1"), ("blur", None), ("nudge", "p2"), ("warm", None)), start=1):
        table.request(what, piece)
        seen = observer.observe(Frame(table.picture(), second * NS_PER_S)).readings
        assert not [place for place in seen if ".dome." in place and seen[place].best()[0] is not None], what
