"""What a hand or a sleeve over a board must not teach the companion."""

from __future__ import annotations

import numpy as np

from vision.card import CARD, Card, one_tint
from vision.colours import Light
from vision.exposure import exposure_in
from vision.plate_memory import PlateMemory
from vision.slot_grid import inside_hulls

KINDS, FACE = 6, 4


def cards(*names: str) -> dict[str, Card]:
    free = np.ones(CARD * CARD, dtype=bool)
    return {name: Card(free, np.zeros((CARD * CARD, 3), dtype=np.uint8), Light((1.5, 1.3, 1.2))) for name in names}


def test_a_sleeve_over_one_board_is_no_change_of_light() -> None:
    """Empty places of that board would show chips and tiles of all colours, long after the arm has gone."""
    known = cards("p1", "p2", "score")
    seen = {"p1": Light((1.5, 1.3, 1.2)), "p2": Light((8.1, 4.3, 1.2)), "score": Light((1.4, 1.3, 1.2))}
    told = one_tint(seen, known)
    assert max(abs(gain / usual - 1.0) for gain, usual in zip(told["p2"].gains, (1.5, 1.3, 1.2), strict=True)) < 0.1
    assert (told["p1"], told["score"]) == (seen["p1"], seen["score"])


def test_a_lamp_changes_the_light_of_all_boards() -> None:
    """An evening would be read in the light of the afternoon."""
    lamp = {name: Light((3.0, 1.6, 1.0)) for name in ("p1", "p2", "score")}
    assert one_tint(lamp, cards(*lamp)) == lamp


def prints(*kinds: int) -> np.ndarray:
    """Log probabilities of four prints that are read for certain."""
    table = np.full((4, KINDS), -9.0)
    table[np.arange(4), kinds] = -0.001
    return table


def test_a_plate_laid_in_place_of_another_is_known_for_what_it_is() -> None:
    """After a plate was taken back and another laid, the spaces would show tiles that nobody laid."""
    memory = PlateMemory(1, KINDS, FACE)
    faces = np.zeros((4, FACE, FACE, 3), dtype=np.uint8)
    bright = exposure_in(Light())
    memory.notice(0, -8.0, prints(0, 0, 0, 0), faces, bright)
    for _ in range(5):
        memory.notice(0, 8.0, prints(0, 1, 2, 3), faces, bright)
    other = prints(4, 2, 1, 3)
    other[3] = np.log(1.0 / KINDS)
    memory.notice(0, 8.0, other, faces + 9, bright)
    assert list(memory.prints[0].argmax(axis=1)[:3]) == [4, 2, 1] and memory.known[0][:3].all()


def test_a_hand_reaches_a_little_farther_than_it_is_seen_to() -> None:
    """Skin looks like pale print: between fingertips and wrist a hand would be taken for tiles laid by nobody."""
    covered = np.zeros((CARD, CARD), dtype=bool)
    covered[40:43, 10:30] = True
    beside, away = np.array([[[20.0, 38.5]]]), np.array([[[20.0, 33.0]]])
    assert inside_hulls(covered, np.concatenate([beside, away])).tolist() == [True, False]
