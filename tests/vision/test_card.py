"""The light of a table, told by its boards: a board that tells it wrong turns black tiles into blue ones."""

from __future__ import annotations

import numpy as np

from vision.card import CARD, Card, share_tint
from vision.colours import Light


def board(seed: int, light: tuple[float, float, float]) -> Card:
    """A board as printed as any other, with a little noise, that takes this for its light."""
    print_ = np.random.default_rng(1).integers(40, 230, (CARD * CARD, 3))
    noise = np.random.default_rng(seed).integers(-3, 4, print_.shape)
    return Card(np.ones(CARD * CARD, dtype=bool), np.asarray(print_ + noise, dtype=np.uint8), Light(light))


def test_boards_printed_alike_in_one_light_have_one_tint() -> None:
    cards = {"p1": board(2, (1.6, 1.0, 0.8)), "p2": board(3, (2.4, 1.0, 0.8))}
    told = share_tint(cards, [["p1", "p2"]])
    tints = [np.log(told[name].reference_light.gains) for name in told]
    tints = [tint - tint.mean() for tint in tints]
    assert np.abs(tints[0] - tints[1]).max() < 0.02


def test_how_bright_a_board_is_stays_its_own() -> None:
    """A lamp's gloss lies on one board only: its tiles are no darker for that."""
    cards = {"p1": board(2, (1.0, 1.0, 1.0)), "p2": board(3, (0.7, 0.7, 0.7))}
    told = share_tint(cards, [["p1", "p2"]])
    assert np.allclose(told["p1"].reference_light.gains, 1.0, atol=0.02)
    assert np.allclose(told["p2"].reference_light.gains, 0.7, atol=0.02)
