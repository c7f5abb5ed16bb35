"""What was read of spaces that still look as they did: what happens beside them must not change it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.changes import differ, shrink
from vision.frame import Image

MARGIN = 2
"""Samples along the edges of a face that a tile beside it may shade."""

Odds = NDArray[np.float64]


class SteadyOdds:
    """For each place the log odds of tiles on its spaces, when these were last seen to change."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[NDArray[np.int16], Odds]] = {}
        """The middles of the spaces, shrunk, and the odds; no number where nobody could say."""

    def steadied(self, place: int, faces: Image, odds: Odds, known: NDArray[np.bool_]) -> Odds:
        """(4,) the odds of tiles on spaces (4, n, n, 3) that can be told where they are known, as they were where the
        spaces look as they did: how a plate lies is told by all of its spaces together, and what is laid on one of them
        must not take a tile from another."""
        now = shrink(faces[:, MARGIN:-MARGIN, MARGIN:-MARGIN])
        if place in self._known:
            then, before = self._known[place]
            same = ~differ(now, then) & known & ~np.isnan(before)
            now, odds = np.where(same[:, None, None], then, now), np.where(same, before, odds)
        self._known[place] = (now, np.where(known, odds, np.nan))
        return odds

    def forget(self) -> None:
        """Believe every look anew."""
        self._known.clear()
