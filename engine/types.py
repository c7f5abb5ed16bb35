"""The values every game speaks in: contents, slips, reasons, results.

All of them are plain frozen values, so that a position or a slip can be compared, stored and sent as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Place = str
"""A named place on the table, such as `p1.wall.2.4`, `f3` or `board.A1`."""

Content = Any
"""What lies on a place, as plain JSON: None, a string, an int, a list or a dict. `UNKNOWN` where it is hidden."""

UNKNOWN = "?"
"""The content of a place that cannot be seen."""

Visible = Mapping[Place, Content]
"""What a camera should see of a position: every place of the game with its content."""


class Severity(StrEnum):
    """How much a slip matters."""

    ERROR = "error"
    """The position breaks a rule."""
    WARNING = "warning"
    """Harmless, or a house rule may allow it."""
    QUESTION = "question"
    """Only a misreading is likely to explain it: ask before accusing."""


@dataclass(frozen=True, slots=True)
class Slip:
    """Something a hand did wrong, as a value with a reason."""

    slug: str
    """The name used everywhere, such as `colour-already-on-wall`."""
    player: int | None
    """Who made it, counted from 1; None when nobody can be named."""
    places: tuple[Place, ...]
    """Where it can be seen."""
    rule: str
    """The number of the rule it breaks, such as `A41`."""
    severity: Severity = Severity.ERROR
    params: Mapping[str, Any] = field(default_factory=dict)
    """What the translated sentence needs: colours, counts, lines. Values are plain JSON."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a player's score changed, one entry for each thing that counted."""

    key: str
    """What counted, such as `lone`, `across`, `down`, `floor`, `bonus-row`; translated beside the game."""
    player: int
    points: int
    places: tuple[Place, ...] = ()
    """The tiles or spaces that counted."""
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """What a move did: the position after it and every point with its reason."""

    state: Any
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Plausible:
    """Something hands can do from a position: a legal move, or a mistake that is likely enough to be named."""

    move: Any
    """The legal move, or the legal move that was most likely meant; None when none can be named."""
    places: Mapping[Place, Content]
    """The places that look different afterwards, with their new contents."""
    slips: tuple[Slip, ...] = ()
    """Empty for a legal move."""


@dataclass(frozen=True, slots=True)
class DealRequest:
    """What a refill must bring, said before it is read from the table.

    The companion finds the likeliest contents of `places` that respect the supply and calls `Game.deal`.
    """

    places: Mapping[Place, int]
    """How many pieces each place should get; a short supply is already taken into account in the total."""
    supply: Mapping[str, int]
    """How many pieces of each kind can come at most."""
    total: int
    """How many pieces come in all."""
    fixed: Mapping[Place, Content] = field(default_factory=dict)
    """Places whose content after the deal follows from the rules, such as the start marker in the centre."""
    least: Mapping[str, int] = field(default_factory=dict)
    """How many pieces of each kind must come at least, such as all that was left in a bag that runs out."""
    choices: Mapping[Place, tuple[Content, ...]] = field(default_factory=dict)
    """Places that get a single piece, such as a plate or a turned chip, with every content it can have. Where none of
    them can be told, a game may accept `UNKNOWN`; pieces of which there is only one do not come twice."""


@dataclass(frozen=True, slots=True)
class Heights:
    """How many pieces a pile may hold of which only the top can be seen."""

    possible: tuple[int, ...]
    """Every number it can be, in order; a single one where it is known."""
    likeliest: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The end of a game for one player."""

    player: int
    score: int
    reasons: tuple[Reason, ...] = ()
    """The end bonuses that are part of the score; all of it where a game counts its score afresh at the end."""
    tie_break: int | None = None
    """The number that decided between equal scores, such as complete rows; None where it was not needed."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended."""

    standings: tuple[Standing, ...]
    winners: tuple[int, ...]
    """More than one: a shared victory."""
    decided_by: str
    """`score`, `tie-break` or `shared`."""
