"""The pattern lines to which something may have come: what lands elsewhere need not be thought of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.types import Place

Goals = frozenset[tuple[int, int]] | None
"""Players and the numbers of their lines; None for every line there is."""
EVERYWHERE: Goals = None
LINE = re.compile(r"p(\d)\.line(\d)\.")


def lines_of(places: Iterable[Place]) -> Goals:
    """The lines to which some places belong."""
    found = map(LINE.match, places)
    return frozenset((int(each[1]), int(each[2])) for each in found if each)


def lines_among(goals: Goals, player: int, lines: Sequence[int]) -> Sequence[int]:
    """Those of a player's lines that are goals."""
    return lines if goals is None else [line for line in lines if (player, line) in goals]
