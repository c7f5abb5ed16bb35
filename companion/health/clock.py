"""Does the clock tell a believable time?"""

from __future__ import annotations

import time

from companion.health.facts import Facts, view
from web.contract import HealthView

FIRST_BELIEVABLE_S = 1_767_225_600
"""2026-01-01: a Pi without a network starts long before."""


def check(facts: Facts) -> list[HealthView]:
    return [view("clock", "info", "clock-wrong")] if time.time() < FIRST_BELIEVABLE_S else []
