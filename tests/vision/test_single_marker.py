"""There is one start marker: what looks like several of them is that many white tiles but one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.tables import laid
from vision.heap_blots import LooseTile
from vision.heaps import HeapLook, sum_up
from vision.observe import Observer
from vision.readers.heaps import HeapReader
from vision.squares import Found

TOP = np.zeros((9, 9, 3), dtype=np.uint8)
MAP = np.zeros((4, 4), dtype=np.float32)


def heap(*marker_shares: float) -> HeapLook:
    """Tiles that are surely there, each the marker with some chance and else white."""
    tiles = tuple(
        LooseTile(Found(0.0, 0.0, 0.0, 0, 9.0), 1.0, {"marker": share, "white": 1.0 - share}, TOP)
        for share in marker_shares
    )
    return HeapLook(tiles, 0.0, (), TOP, MAP, MAP)


@pytest.mark.parametrize(
    ("shares", "content"),
    [
        ((0.9, 0.8, 0.97), {"marker": 1, "white": 2}),
        ((0.999, 0.02), {"marker": 1, "white": 1}),
        ((0.05, 0.1), {"white": 2}),
        ((0.9,), {"marker": 1}),
    ],
)
def test_no_more_than_one_tile_of_a_heap_is_the_marker(shares: tuple[float, ...], content: dict[str, int]) -> None:
    """White tiles in a soft picture were markers, and the move that took them could not be told."""
    table = laid("day")
    readers = Observer(table.layout, table.calibration).readers
    reader = next(each for each in readers if isinstance(each, HeapReader))
    reading = sum_up(heap(*shares), reader.regions["centre"], missing=1e-4)
    assert reading.best()[0] == content
    for counts in reading.parts.values():
        assert sum(np.exp(list(counts.values()))) == pytest.approx(1.0, abs=1e-6)
