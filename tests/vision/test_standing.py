"""A glass on a player's board: if one of these fails, the prints of every plate that is laid beside it are tiles for as
long as it stands there, and a player is told to have tiled too early."""

from __future__ import annotations

import cv2
import numpy as np

from companion.simulation.things import lay_out
from tests.vision.tables import simulated_duel
from vision.frame import Frame, Image
from vision.standing import STANDING_LOOKS

LOOK_NS = 100_000_000
PLATE = {"p1.plate.2.3": ["special", "red", "black", "yellow"]}


class Evening:
    """A simulated table of Azul Duel on which a glass can be put down, and what is seen of it."""

    def __init__(self, seed: int) -> None:
        self.table, self._observer = simulated_duel(seed)
        self._matrix, self._looks = self._observer.matrices["p1"], 0
        self.look()

    def look(self, glass: tuple[float, float] | None = None, times: int = 1) -> list[str]:
        """The slots on the domes that show a tile, after some looks with a glass on the board of player 1, or none."""
        for _ in range(times):
            self._looks += 1
            picture = self.table.picture() if glass is None else self._with_glass(glass)
            seen = self._observer.observe(Frame(picture, self._looks * LOOK_NS)).readings
        return [place for place, reading in seen.items() if ".dome." in place and reading.best()[0] is not None]

    def _with_glass(self, at: tuple[float, float]) -> Image:
        picture = self.table.picture().copy()
        x, y, scale = self._matrix @ np.array([*at, 1.0])
        return np.asarray(cv2.circle(picture, (int(x / scale), int(y / scale)), 60, (60, 200, 60), -1), dtype=np.uint8)


def test_a_plate_laid_beside_a_glass_that_stands_there_is_seen_bare() -> None:
    evening = Evening(93020)
    evening.look(glass=(0.2, 0.5), times=STANDING_LOOKS + 2)
    lay_out(evening.table.top, PLATE)
    assert evening.look(glass=(0.2, 0.5)) == []


def test_a_plate_laid_with_a_hand_over_the_board_is_learnt_once_that_is_seen_to_stay() -> None:
    evening = Evening(93020)
    lay_out(evening.table.top, PLATE)
    evening.look(glass=(0.2, 0.5))
    assert evening.look(glass=(0.2, 0.5), times=STANDING_LOOKS + 2) == []


def test_the_shadow_of_the_hand_that_lays_a_plate_is_no_tiles_shadow() -> None:
    """All its spaces showed tiles under a low lamp until the hand was gone, and that lingered as a doubt until people
    were asked."""
    evening = Evening(94821)
    lay_out(evening.table.top, PLATE)
    assert evening.look(glass=(0.2, 0.5)) == []


def test_nothing_is_learnt_of_a_plate_under_what_stands_there() -> None:
    """What is seen of it is the glass, and whatever lies there when that is gone would be tiles."""
    evening = Evening(93020)
    lay_out(evening.table.top, PLATE)
    evening.look(glass=(0.8, 0.45), times=STANDING_LOOKS + 2)
    evening.look()
    assert evening.look(times=4) == []
