"""Every slip that a changed table contains."""

from __future__ import annotations

from collections.abc import Mapping

from engine.games.azul.state import State
from engine.types import Content, Place, Slip


def problems(before: State, after: Mapping[Place, Content]) -> tuple[Slip, ...]:
    return ()
