"""Places that hold one thing only, such as a player's token."""

from __future__ import annotations

import cv2
import numpy as np

from vision.colour_learning import builtin_model
from vision.colours import ColourTable
from vision.logistic import shipped
from vision.slot_features import Looks, features, tile_density
from vision.slot_grid import FACE, TOP

GOLD = {"token": (196, 152, 60)}


def drawn(side: int, has_token: bool) -> np.ndarray:
    """(1, side, side, 3) BGR: a pale blue ring printed on blue, a darker blue dome upon it."""
    size = 96
    image = np.full((size, size, 3), (150, 115, 100), np.uint8)
    cv2.circle(image, (48, 48), 46, (172, 132, 112), -1)
    cv2.circle(image, (48, 48), 46, (140, 105, 90), 2)
    cv2.circle(image, (48, 48), 22, (150, 112, 95), 2)
    if has_token:
        for step in range(35, 0, -1):
            light = 1.0 - step / 35.0
            cv2.circle(image, (48 - int(11 * light), 48 - int(11 * light)), step,
                       (90 + int(80 * light), 62 + int(75 * light), 44 + int(75 * light)), -1)
    return np.asarray(cv2.resize(image, (side, side), interpolation=cv2.INTER_AREA))[None]


def test_a_token_of_another_colour_than_the_usual_is_seen() -> None:
    """Blue tokens on blue print were said not to lie there, and their player to have laid a plate without one."""
    colours = ColourTable(builtin_model(GOLD))
    empty = Looks.of(drawn(FACE, False), drawn(TOP, False))
    for has_token in (False, True):
        tops = drawn(TOP, has_token)
        now = Looks.of(drawn(FACE, has_token), tops)
        odds = shipped("slot_model.json")["own thing"].log_odds(
            features(now, empty, tile_density(tops, colours), colours)
        )
        assert (odds[0] > 1.0) if has_token else (odds[0] < -5.0)
