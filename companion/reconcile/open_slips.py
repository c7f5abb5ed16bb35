"""Slips that have been raised and not been put right, and what may become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.reconcile.candidates import Deviations
from companion.reconcile.explanation import Explanation
from engine.types import Slip


@dataclass(frozen=True, slots=True)
class OpenSlip:
    """A slip that has been raised and not been put right."""

    id: str
    slips: tuple[Slip, ...]
    explanation: Explanation
    raised_ns: int
    deviations: Deviations | None = None
    """What it left wrong, once play has gone on; None while it is held against the agreed position."""
    mending_ns: int | None = None
    """Since when only a part of it is left: somebody is putting it right."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An explanation that has been best for some looks in a row."""

    changes: frozenset[Any]
    since_ns: int
    looks: int
