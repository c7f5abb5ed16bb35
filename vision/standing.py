"""What covers a board and stays there: a glass or a coaster, or a rim that was laid a little askew, and no hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from vision.layout import PlaceSpec
from vision.occlusion import is_covered_at

STANDING_LOOKS = 15
"""What has covered the same spots in so many looks in a row stands there."""
SAME_SHARE = 0.7
"""Of all the spots that either of two looks shows covered, so many must be covered in both."""


class Standing:
    """What covers the boards of one table, and for how long it has."""

    def __init__(self, boards: Iterable[str]) -> None:
        self._spots: dict[str, NDArray[np.bool_]] = {}
        """By board, (CARD, CARD)."""
        self._free: Mapping[str, NDArray[np.bool_]] = {}
        self._looks = dict.fromkeys(boards, 0)

    def see(self, covered: Mapping[str, NDArray[np.bool_]], free: Mapping[str, NDArray[np.bool_]]) -> None:
        """One look at all boards: by name, which spots are covered (CARD, CARD) and which may be seen bare (CARD²,)."""
        self._free = free
        for board in self._looks:
            now, before = covered[board], self._spots.get(board)
            same = before is not None and (now & before).sum() >= SAME_SHARE * (now | before).sum()
            self._looks[board] = self._looks[board] + 1 if same else 0
            self._spots[board] = now

    def again(self) -> None:
        """A frame looked like the one before."""
        self._looks = {board: looks + 1 for board, looks in self._looks.items()}

    def leaves_clear(self, place: PlaceSpec) -> bool:
        """Whether nothing covers the board of a place, or only something that stands elsewhere on it."""
        covered = self._spots[place.piece]
        if not covered.any():
            return True
        return self._looks[place.piece] >= STANDING_LOOKS and not is_covered_at(
            covered, self._free[place.piece], place.at, place.size, share=0.0
        )
