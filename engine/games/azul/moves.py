"""What can be done at an Azul table: take tiles, tile a wall, deal a round."""

from __future__ import annotations

from typing import NamedTuple

from engine.games.azul.state import Counts

CENTRE = 0
"""The source number of the centre; factories count from 1."""
FLOOR = 0
"""The destination number of the floor line; pattern lines count from 1."""
SKIPPED = 0
"""In a tiling: the line was not complete."""
DROPPED = -1
"""In a tiling on the grey side: the line was complete but no space was free for it, so it went to the floor line."""


class Take(NamedTuple):
    """All tiles of one colour from one source, laid in one line or on the floor."""

    player: int
    source: int
    """CENTRE or the number of a factory."""
    colour: int
    to: int
    """FLOOR or the number of a pattern line."""
    number: int
    """How many tiles were taken."""
    dropped: int = 0
    """Tiles dropped on purpose though the line had room (only where `partial_voluntary_floor` allows it)."""


class Tile(NamedTuple):
    """One player's whole wall-tiling: every complete line, the floor line and the score stone."""

    player: int
    columns: tuple[int, ...]
    """For each line the wall column from 1, or SKIPPED, or DROPPED."""


class Deal(NamedTuple):
    """What a refill brought to each factory."""

    discs: tuple[Counts, ...]


Move = Take | Tile | Deal


def source_name(source: int) -> str:
    """The place a take comes from."""
    return f"f{source}" if source else "centre"


def destination_name(to: int) -> str:
    """The row a take goes to, as recordings name it."""
    return f"line{to}" if to else "floor"
