"""Discs that are pushed about: if one of these fails, a tile is seen where none lies, for the rest of the game."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.tables import laid, look, misread
from vision.frame import Image
from vision.heap_background import ReferenceBackground
from vision.observe import Observer
from vision.readers.heaps import HeapReader
from vision.reading import Kind
from vision.rectify import Matrix
from vision.slides import Rim

TABLE, PUSH_PX = "day", 24.0


def pushed(image: Image, matrix: Matrix, towards: NDArray[np.float64], push_px: float) -> Image:
    """The picture with one disc pushed towards a point; where it lay, the table looks as it does around it."""
    turns = np.linspace(0.0, 2 * np.pi, 60)
    around = 0.5 + 0.53 * np.column_stack([np.cos(turns), np.sin(turns)])
    outline = cv2.perspectiveTransform(around[None], matrix)[0]
    disc = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(disc, [np.rint(outline).astype(np.int32)], 255)
    ring = cv2.dilate(disc, np.ones((9, 9), np.uint8)) > disc
    away = towards - outline.mean(axis=0)
    x, y = push_px * away / np.linalg.norm(away)
    move = np.array([[1.0, 0.0, x], [0.0, 1.0, y]])
    size = (image.shape[1], image.shape[0])
    shifted, there = cv2.warpAffine(image, move, size), cv2.warpAffine(disc, move, size)
    bare = image.copy()
    bare[disc > 0] = np.median(image[ring], axis=0).astype(np.uint8)
    return np.where(there[..., None] > 127, shifted, bare)


def grounds(heaps: HeapReader) -> dict[str, ReferenceBackground]:
    return {name: each for name, each in heaps.backgrounds.items() if isinstance(each, ReferenceBackground)}


def test_a_disc_that_was_pushed_and_put_back_leaves_nothing_behind() -> None:
    """Or seemed to be, under a hand: what its rim looked like is no tile in the centre once it lies where it lay."""
    table = laid(TABLE, "samples")
    observer = Observer(table.layout, table.calibration)
    index = next(number for number, line in enumerate(table.truth) if line["settled"])
    picture = table.picture(index)
    look(table, picture, observer)
    heaps = next(reader for reader in observer.readers if isinstance(reader, HeapReader))
    before = {name: ground.empty for name, ground in grounds(heaps).items()}
    centre = table.calibration.polygons_px["centre"].mean(axis=0)
    disc = pushed(picture, observer.matrices["f1"], centre, PUSH_PX)
    look(table, disc, observer)
    assert np.abs(observer.matrices["f1"] - table.calibration.matrices["f1"]).max() > 1.0
    assert not misread(table, look(table, picture, observer), index, (Kind.HEAP,))
    for name, ground in grounds(heaps).items():
        assert np.array_equal(ground.empty, before[name]), f"{name} is no longer known as it was seen empty"


def test_a_disc_that_always_seems_to_lie_elsewhere_does_not_stop_the_companion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a rim is hardly seen, each of two places looked better than the other, and the evening ended there."""
    table = laid(TABLE, "samples")
    observer = Observer(table.layout, table.calibration)
    index = next(number for number, line in enumerate(table.truth) if line["settled"])
    monkeypatch.setattr(Rim, "is_here", lambda rim, view: False)
    monkeypatch.setattr("vision.readers.heaps.is_elsewhere", lambda slide, fit: True)
    seen = look(table, table.picture(index), observer)
    assert {name for name, place in table.layout.places.items() if place.kind is Kind.HEAP} <= set(seen.readings)
