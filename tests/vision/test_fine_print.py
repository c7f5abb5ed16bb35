"""One tile in place of another of its colour: missed, a slip with a player's own tiles was never named."""

from __future__ import annotations

import cv2
import numpy as np

from tests.vision.tables import laid
from vision.frame import Frame
from vision.observe import Observer
from vision.rectify import apply

LAST = 6


def test_another_print_on_the_same_card_is_read() -> None:
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    plain = table.picture(LAST)
    assert observer.observe(Frame(plain, 0)).readings["board.H9"].best()[0] == {"colour": "red", "face": "9"}
    half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.041
    matrix, places = table.calibration.matrices["board"], table.layout.places
    source, target = (
        apply(matrix, np.array(places[place].at) + half).astype(np.float32) for place in ("board.A7", "board.H9")
    )
    moved = cv2.warpPerspective(plain, cv2.getPerspectiveTransform(source, target), plain.shape[1::-1])
    mask = cv2.fillConvexPoly(np.zeros(plain.shape[:2], np.uint8), np.round(target).astype(np.int32), 1)
    exchanged = np.where(mask[:, :, None] > 0, moved, plain)
    assert observer.observe(Frame(exchanged, 1)).readings["board.H9"].best()[0] == {"colour": "red", "face": "7"}


def test_a_blurred_picture_is_not_believed_and_a_sharp_one_is_again() -> None:
    """While a camera hunts for its focus a 4 looks like a heart: a move was agreed on under another name, and nothing
    after it was followed."""
    table = laid("blockers-3p", "samples")
    observer = Observer(table.layout, table.calibration)
    plain = table.picture(LAST)
    grain = np.random.default_rng(1).normal(0.0, 2.0, plain.shape)
    clear = observer.observe(Frame(plain, 0)).readings
    blurred = np.clip(cv2.GaussianBlur(plain, (0, 0), 4.0) + grain, 0, 255).astype(np.uint8)
    seen = observer.observe(Frame(blurred, 1))
    assert not seen.trusted
    assert not seen.readings
    again = observer.observe(Frame(plain, 2))
    assert again.trusted
    assert {name: reading.best() for name, reading in again.readings.items()} == {
        name: reading.best() for name, reading in clear.items()
    }
