"""A tile across two cells, cut out of a picture and laid there: read cell by cell, it was a hand or two moves."""

from __future__ import annotations

import cv2
import numpy as np

from tests.vision.tables import Laid, laid
from vision.frame import Frame, Image
from vision.observe import Observer
from vision.rectify import apply

LAST = 6
"""The frame with most tiles; nothing lies on D1 to D7."""


def moved(table: Laid, picture: Image, tile: str, to: tuple[str, str], share: float) -> Image:
    """The picture with one more tile like `tile`, so far on the way from one cell to the next."""
    matrix = table.calibration.matrices["board"]
    first, second = (np.array(table.layout.places[place].at) for place in to)
    there = first + (second - first) * share
    half = np.array([0.041, 0.041])
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half
    source = apply(matrix, np.array(table.layout.places[tile].at) + corners).astype(np.float32)
    target = apply(matrix, there + corners).astype(np.float32)
    size = picture.shape[1::-1]
    turned = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(source, target), size)
    mask = cv2.fillConvexPoly(np.zeros(picture.shape[:2], np.uint8), np.round(target).astype(np.int32), 1)
    return np.where(mask[:, :, None] > 0, turned, picture)


def test_a_tile_across_two_cells_lies_on_neither() -> None:
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    plain = table.picture(LAST)
    before = {place: reading.best()[0] for place, reading in observer.observe(Frame(plain, 0)).readings.items()}
    ways = [("board.G1", "board.D4", 0.5), ("board.A7", "board.E3", 0.4), ("board.E9", "board.D4", 0.5)]
    for tile, beside, share in ways:
        to = ("board.D3", beside)
        after = observer.observe(Frame(moved(table, plain, tile, to, share), 1))
        now = {place: reading.best()[0] for place, reading in after.readings.items()}
        assert sorted(place for place in before if now[place] != before[place]) == sorted(to)
        assert [now[place] for place in to] == [{"colour": "askew", "face": None}] * 2
        assert not after.hand
    careless = observer.observe(Frame(moved(table, plain, "board.G1", ("board.D3", "board.D4"), 0.12), 2))
    assert careless.readings["board.D3"].best()[0] == {"colour": "blue", "face": "G"}
    assert careless.readings["board.D4"].best()[0] is None
