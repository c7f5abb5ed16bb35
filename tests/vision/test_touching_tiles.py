"""Round tiles of one colour that touch, and stones beside their spaces: if one of these fails, no refill is told,
or a score is waited for in vain."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from companion.simulation.things import Look, TableTop
from tests.vision.tables import simulated_duel
from vision.frame import Frame

FACTORIES = ("f1.sun", "f2.sun", "f3.sun", "f4.sun")


def lay_triangle(top: TableTop, place: str, colour: str, turned_rad: float) -> None:
    """Three tiles of a colour on a factory, each touching both others."""
    spec = top.layout.places[place]
    x_mm, y_mm = top.arrangement.spots[spec.piece].printed(*spec.at)
    for third in range(3):
        tile = top.posed(top.make(Look(colour), spec.item), place)
        apart_mm, angle_rad = tile.item.size_mm * 1.03 / math.sqrt(3), turned_rad + third * 2 * math.pi / 3
        x, y = x_mm + apart_mm * math.cos(angle_rad), y_mm + apart_mm * math.sin(angle_rad)
        top.lay(replace(tile, x_mm=x, y_mm=y))


@pytest.mark.parametrize("colour", ["black", "blue"])
def test_three_tiles_of_a_colour_that_touch_are_three(colour: str) -> None:
    """They are one dark spot without a middle of its own: the third was overlooked, and the round was lost."""
    table, observer = simulated_duel(93010)
    observer.observe(Frame(table.picture(), 0))
    for number, place in enumerate(FACTORIES):
        lay_triangle(table.top, place, colour, 0.1 + number * 0.5)
    seen = observer.observe(Frame(table.picture(), 10**9)).readings
    assert [seen[place].best()[0] for place in FACTORIES] == [{colour: 3}] * 4


def test_a_stone_that_stands_a_little_beside_its_space_is_seen() -> None:
    """It hides only some of the print that it should: the score was taken for hidden, and a hand for there."""
    table, observer = simulated_duel(95026)
    for look in range(40):
        for stone in table.top.things_at("p1.score"):
            table.top.lay(table.top.posed(table.top.lift(stone.id), "p1.score"))
        seen = observer.observe(Frame(table.picture(), look * 10**9)).readings["p1.score"]
        assert (seen.best()[0], seen.occluded) == (5, False)
