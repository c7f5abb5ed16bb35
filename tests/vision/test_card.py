"""The light of a table, told by its boards: a board that tells it wrong turns black tiles into blue ones."""

from __future__ import annotations

import numpy as np
import pytest

from vision.card import CARD, Card, share_tint
from vision.colours import Light


def board(
    seed: int, light: tuple[float, float, float], brightest: int = 300, paper: tuple[float, float, float] = (1, 1, 1)
) -> Card:
    """A board as printed as any other, with a little noise, that takes this for its light. A camera tells no more than
    255."""
    print_ = np.random.default_rng(1).integers(40, brightest, (CARD * CARD, 1)) * np.array(paper)
    noise = np.random.default_rng(seed).integers(-3, 4, print_.shape)
    pixels = np.clip(print_ + noise, 0, 255).astype(np.uint8)
    return Card(np.ones(CARD * CARD, dtype=bool), pixels, Light(light))


def test_boards_that_dazzle_the_camera_in_one_light_have_one_tint() -> None:
    cards = {"p1": board(2, (1.6, 1.0, 0.8)), "p2": board(3, (2.4, 1.0, 0.8))}
    told = share_tint(cards, [["p1", "p2"]])
    tints = [np.log(told[name].reference_light.gains) for name in told]
    tints = [tint - tint.mean() for tint in tints]
    assert np.abs(tints[0] - tints[1]).max() < 0.02


def test_a_board_on_paper_of_another_tint_is_believed() -> None:
    """Where each player has a board of another tint, the same spots in other colours are no other light: white tiles
    were read as other ones, and a game was lost."""
    cards = {
        "p1": board(2, (1.0, 1.0, 1.0), 230, (1.0, 0.95, 0.8)), "p2": board(3, (1.0, 1.0, 1.0), 230, (0.8, 0.95, 1.0)),
    }
    told = share_tint(cards, [["p1", "p2"]])
    assert all(np.allclose(card.reference_light.gains, 1.0) for card in told.values())


def test_how_bright_a_board_is_stays_its_own() -> None:
    """A lamp's gloss lies on one board only: its tiles are no darker for that."""
    cards = {"p1": board(2, (1.0, 1.0, 1.0)), "p2": board(3, (0.7, 0.7, 0.7))}
    told = share_tint(cards, [["p1", "p2"]])
    assert np.allclose(told["p1"].reference_light.gains, 1.0, atol=0.02)
    assert np.allclose(told["p2"].reference_light.gains, 0.7, atol=0.02)


@pytest.mark.parametrize("brightest", [300, 1200])
def test_a_border_in_its_players_colour_is_no_other_light(brightest: int) -> None:
    """A third of each board is printed in the colour of its player. Where one of them dazzled the camera, that was
    taken for a light, and a white tile for the start marker; where it dazzled it so much that little but the border was
    told, the start marker for a black tile."""
    cards = {}
    for name, seed, border in (("p1", 2, (1.0, 0.5, 0.25)), ("p2", 3, (0.25, 0.7, 0.9))):
        card, printed = board(seed, (1.0, 1.0, 1.0), brightest), board(seed, (1.0, 1.0, 1.0), 240)
        third = CARD * CARD // 3
        card.reference[:third] = (printed.reference[:third] * np.array(border)).astype(np.uint8)
        cards[name] = card
    told = share_tint(cards, [["p1", "p2"]])
    for card in told.values():
        assert np.allclose(card.reference_light.gains, 1.0, atol=0.02)
