"""Reading plates, piles, chips, round tiles and counters with two stones. If one of these fails, people who play with
plates are told of tiles, prints and points that are not there.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from calibration.outlines import outlines_of
from companion.evaluate import same_content
from tests.vision.tables import Laid, laid
from vision.frame import Frame
from vision.observe import Observer
from vision.plate_memory import PlateMemory
from vision.plate_prints import PlateLook
from vision.reading import Kind, Observation

BARE, LATE = 0, 1
"""The two frames of the recording: plates just laid, and the same plates with tiles on them."""


def wrong_places(table: Laid, seen: Observation, index: int) -> list[str]:
    """Every place in sight that was read wrong, or not at all."""
    wrong = []
    for place, content in table.truth[index]["places"].items():
        reading = seen.readings.get(place)
        if content == "?":
            continue
        if reading is None or reading.occluded or not same_content(reading.kind, content, reading.best()[0]):
            wrong.append(f"{place}: {content} read as {reading.best()[0] if reading else 'nothing'}")
    return wrong


@pytest.mark.parametrize("start", ["samples", "empty"])
def test_every_place_of_a_duel_table_is_read_right(start: str) -> None:
    """Plates, the tiles on them, piles, chips, suns, moons, start spaces and scores, all in one look."""
    table = laid("duel", start)
    observer = Observer(table.layout, table.calibration)
    for index in (BARE, LATE):
        seen = observer.observe(Frame(table.picture(index), index))
        assert wrong_places(table, seen, index) == []
    assert {reading.kind for reading in seen.readings.values()} >= {Kind.PLATE, Kind.PILE, Kind.CHIP, Kind.HEAP}


def test_a_tile_does_not_change_what_is_printed_below_it() -> None:
    """A plate keeps its four prints when tiles cover them; without memory a covered print is not guessed."""
    table = laid("duel", "samples")
    observer = Observer(table.layout, table.calibration)
    observer.observe(Frame(table.picture(BARE), 0))
    remembered = observer.observe(Frame(table.picture(LATE), 1)).readings["p1.plate.1.2"]
    assert remembered.best()[0] == table.truth[LATE]["places"]["p1.plate.1.2"]


def test_factories_are_found_on_their_print() -> None:
    """Taps off by a tenth of a factory would put every pile beside its place."""
    table = laid("duel", "samples")
    support = table.calibration.quality.support
    assert min(support[name] for name in ("f1", "f2", "f3", "f4", "big", "score")) > 0.8


def test_round_spaces_have_round_outlines() -> None:
    """A board with round spaces, searched for as squares, comes out a tile's width askew."""
    table = laid("duel", "samples")
    factory = next(piece for piece in table.layout.pieces if piece.name == "f1")
    sun = factory.places[0]
    lines = outlines_of(factory)
    away = (lines.points[:28] - sun.at) / (np.array(sun.size) / 2)
    assert np.allclose(np.linalg.norm(away, axis=1), 1.0)
    assert Counter(lines.across.tolist())[0] == Counter(lines.across.tolist())[1]


def test_what_a_hand_half_covers_is_not_remembered() -> None:
    """A plate seen with a sleeve across it would otherwise show four tiles as soon as the sleeve is gone."""
    memory = PlateMemory(places=1, kinds=2, face=12)
    faces = np.full((4, 12, 12, 3), 60, dtype=np.uint8)
    sure = np.log(np.array([[0.99, 0.01]] * 4))
    memory.notice(0, PlateLook(-8.0, sure, strange=False, clean=True), faces)
    memory.notice(0, PlateLook(8.0, sure, strange=False, clean=False), faces)
    assert not memory.known.any()
    memory.notice(0, PlateLook(8.0, sure, strange=False, clean=True), faces)
    memory.again(0)
    tile = faces.copy()
    tile[0] = 220
    memory.notice(0, PlateLook(8.0, sure, strange=False, clean=True), tile)
    assert memory.known.all() and (memory.bare[0] == 60).all()
    assert math.isclose(float(memory.prints[0, 0, 0]), math.log(0.99))
