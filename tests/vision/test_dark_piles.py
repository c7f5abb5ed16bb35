"""A dark tile on a dark place: if it is not noticed, a move is never followed, and the game goes astray after it."""

from __future__ import annotations

import math

import numpy as np

from companion.catalogue import played_game
from companion.simulation.things import lay_out
from tests.vision.tables import simulated_duel
from vision.frame import Frame
from vision.heap_region import PIXELS_A_MM, region_on_piece
from vision.pose import Camera, PiecePose


def test_the_first_broken_tile_is_noticed_on_its_dark_space() -> None:
    table, observer = simulated_duel(93010)
    observer.observe(Frame(table.picture(), 0))
    lay_out(table.top, {"p1.broken": {"top": "black"}, "p2.broken": {"top": "blue"}})
    seen = observer.observe(Frame(table.picture(), 10**9)).readings
    assert [seen[place].best()[0] for place in ("p1.broken", "p2.broken")] == [{"top": "black"}, {"top": "blue"}]


def test_a_tile_that_lies_there_plainly_is_surer_than_a_guess() -> None:
    """At one in twenty that nothing lay there, the second colour that a player had taken was overlooked, and the rest
    agreed on as a move."""
    table, observer = simulated_duel(93021)
    observer.observe(Frame(table.picture(), 0))
    lay_out(table.top, {"p1.broken": {"top": "yellow"}})
    seen = observer.observe(Frame(table.picture(), 10**9)).readings
    assert seen["p1.broken"].parts["top"][None] < -5.0


def test_blue_tiles_on_the_dark_blue_moon_are_no_chip_and_a_black_chip_is_no_pile() -> None:
    """Without this a player who had put the rest where it belongs was accused of having taken two colours."""
    table, observer = simulated_duel(93044)
    lay_out(table.top, {f"f{number}.chip": "face-down" for number in (1, 2, 3, 4)})
    observer.observe(Frame(table.picture(), 0))
    lay_out(table.top, {"f1.chip": ["black"], "f2.chip": ["blue"], "f4.moon": {"top": "blue"}})
    seen = observer.observe(Frame(table.picture(), 10**9)).readings
    tops = {place: seen[place].best()[0] for place in ("f1.moon", "f2.moon", "f3.moon", "f4.moon")}
    assert tops == {"f1.moon": None, "f2.moon": None, "f3.moon": None, "f4.moon": {"top": "blue"}}
    assert [seen[place].best()[0] for place in ("f1.chip", "f2.chip")] == [["black"], ["blue"]]
    assert min(max(seen[place].parts["top"].values()) for place in tops) > -0.1


def test_the_shadow_of_a_stack_is_no_tile_on_the_sun_beside_it() -> None:
    """A stack's deep shadow lay within the moon's circle, near enough to the sun to be counted there as a black tile:
    a factory was said to hold one too many."""
    layout = played_game("azul-duel", 2, {}).layout
    camera = Camera(1500.0, 0.0, np.eye(3), np.array([0.0, 0.0, 700.0]), 1536, 864)
    for piece in layout.pieces:
        places = {place.name.partition(".")[2]: place for place in piece.places}
        if not {"sun", "moon"} <= places.keys():
            continue
        pose = PiecePose(-31.0, -48.0, 0.0, piece.size_mm, piece.thickness_mm)
        region = region_on_piece(layout, camera, piece, places["sun"], pose)
        rows, columns = np.nonzero(region.owns)
        on_piece = pose.fractions(np.column_stack([columns, rows]) / PIXELS_A_MM + region.corner_mm)
        apart = (on_piece - places["moon"].at) / (np.array(places["moon"].size) / 2)
        assert np.hypot(*apart.T).min() > 0.97, piece.name
        assert region.owns.sum() > 0.9 * math.pi * (places["sun"].size[0] * piece.size_mm[0] / 2) ** 2
