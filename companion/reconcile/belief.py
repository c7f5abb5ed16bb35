"""What the companion believes after a frame, and what it tells the rest of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from companion.reconcile.explanation import Fit
from engine.types import Reason, Slip


class Verdict(StrEnum):
    """What the last frame means."""

    UNCHANGED = "unchanged"
    IN_PROGRESS = "in-progress"
    CONFIRMED = "confirmed"
    AMBIGUOUS = "ambiguous"
    SLIP = "slip"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Belief:
    """The explanations of what has been seen since the agreed position, best first."""

    verdict: Verdict
    ranked: tuple[Fit, ...] = ()
    margin: float = 0.0
    """How much better the first is than the second that contradicts it."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A move or deal has been agreed."""

    move: Any
    before: Any
    after: Any
    reasons: tuple[Reason, ...]
    t_ns: int
    evidence: float
    """How clearly it was seen, as a log-likelihood ratio."""
    round: int
    """The round in which it was made."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The last moves that were agreed on have turned out to be others, which looked the same, or somebody has taken the
    last one back: what was made instead is told anew."""

    moves: tuple[Any, ...]
    t_ns: int


@dataclass(frozen=True, slots=True)
class SlipRaised:
    """A slip lies on the table."""

    id: str
    slips: tuple[Slip, ...]
    t_ns: int
    table: Mapping[str, Any] = field(default_factory=dict)
    """What lies differently from the agreed position."""
    meant: Any = None


@dataclass(frozen=True, slots=True)
class SlipCleared:
    """A slip was put right, or turned out to be something else."""

    id: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question."""

    id: str
    key: str
    """`answer.move`, `answer.slip`, `answer.table`, `answer.nothing`: what the page says."""
    steps: tuple[Any, ...] = ()
    """The moves that the answer stands for."""
    slips: tuple[Slip, ...] = ()
    turn: int | None = None
    """Who moves next, where the answer is to go on from what lies on the table."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The companion is not sure and asks."""

    id: str
    key: str
    """`question.ambiguous` or `question.unexplained`."""
    answers: tuple[Answer, ...]
    places: tuple[str, ...]
    t_ns: int


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A question has answered itself."""

    id: str
    t_ns: int


Event = Confirmed | TakenBack | SlipRaised | SlipCleared | Asked | Withdrawn


@dataclass(frozen=True, slots=True)
class Update:
    """What one frame brought."""

    belief: Belief
    events: tuple[Event, ...] = ()
