"""Do the boards lie where they can be found?"""

from __future__ import annotations

from companion.health.facts import Facts, view
from web.contract import HealthView


def check(facts: Facts) -> list[HealthView]:
    if facts.camera == "ok" and facts.vitals.lost_boards:
        return [view("boards", "problem", "board-lost", boards=list(facts.vitals.lost_boards))]
    return []
