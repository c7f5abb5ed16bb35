"""How the look of an empty disc is come by at a table that nobody photographed empty."""

from __future__ import annotations

import numpy as np

from vision.frame import Image
from vision.heap_empties import BETTER_FIT, EmptyLooks

NEAR = np.ones((40, 40), dtype=bool)


def disc(level: int) -> Image:
    return np.full((40, 40, 3), level, dtype=np.uint8)


def test_a_passing_shadow_is_not_kept_as_the_look_of_an_empty_disc() -> None:
    """Tiles would be seen on the empty disc for the rest of the evening, once the hand is gone."""
    looks = EmptyLooks()
    assert not looks.offer("f1", disc(90), NEAR, -10.0, frame=1)
    assert not looks.offer("f1", disc(90), NEAR, -10.0, frame=1)
    assert not looks.offer("f1", disc(150), NEAR, -9.5, frame=2)
    assert looks.offer("f1", disc(150), NEAR, -9.5, frame=3)
    assert int(looks.views["f1"][0, 0, 0]) == 150


def test_a_disc_that_was_kept_under_a_resting_hand_is_learnt_again() -> None:
    """A hand may rest beside a disc for long: what fits the print of all discs better must win in the end."""
    looks = EmptyLooks()
    looks.keep("f1", disc(90), -10.0)
    assert not looks.wants("f1", -10.0)
    better = -10.0 + 2 * BETTER_FIT
    assert looks.wants("f1", better)
    looks.offer("f1", disc(150), NEAR, better, frame=4)
    assert looks.offer("f1", disc(150), NEAR, better, frame=5)
    assert int(looks.views["f1"][0, 0, 0]) == 150
