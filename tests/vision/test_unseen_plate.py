"""A plate that was laid while nobody could look, and tiled at once in the colours of its print: taken for bare, the
tiling would never be believed, and the game would stand still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.simulation.things import lay_out
from tests.vision.tables import simulated_duel
from vision.frame import Frame
from vision.reading import Reading

NS_PER_S = 1_000_000_000
PRINT = ["turquoise", "blue", "special", "yellow"]
SEEN = {"p1.dome.1.1": "turquoise", "p1.dome.1.2": "blue", "p1.dome.2.2": "yellow"}
UNSEEN = {"p1.dome.3.3": "turquoise", "p1.dome.3.4": "blue", "p1.dome.4.4": "yellow"}


def tile_leads(readings: Mapping[str, Reading], places: Mapping[str, str]) -> list[float]:
    """Log odds of a tile in its colour on each of some spaces."""
    values = {place: readings[place].parts["value"] for place in places}
    return [values[place][colour] - values[place][None] for place, colour in places.items()]


def test_nobody_says_of_a_plate_that_was_laid_unseen_whether_tiles_lie_on_it() -> None:
    """Of one that was seen just before and just after, everybody does, and of any tile that comes later."""
    table, observer = simulated_duel(93020)

    def after(seconds: int, contents: Mapping[str, Any]) -> Mapping[str, Reading]:
        lay_out(table.top, contents)
        return observer.observe(Frame(table.picture(), seconds * NS_PER_S)).readings

    after(0, {})
    assert all(lead < -3 for lead in tile_leads(after(2, {"p1.plate.1.1": PRINT}), SEEN))
    covered = {"p1.plate.2.2": PRINT, "p1.dome.3.4": "blue"}
    for second, laid in ((14, covered), (15, {"p1.line6.1": "red"}), (16, {"p1.line6.2": "red"})):
        assert all(-0.5 < lead <= 0 for lead in tile_leads(after(second, laid), UNSEEN))
    later = {"p1.dome.4.4": "yellow"}
    assert all(lead > 3 for lead in tile_leads(after(17, {**later, "p1.line6.3": "red"}), later))
