"""Is the set-up good, and not too old?"""

from __future__ import annotations

import time

from companion.health.facts import Facts, view
from web.contract import HealthView

OLD_DAYS = 60
DAY_S = 86_400


def check(facts: Facts) -> list[HealthView]:
    found = []
    if facts.calibration is not None and facts.calibration.quality.advice:
        found.append(view("calibration", "warning", "setup-poor"))
    if facts.calibrated_s is not None:
        days = int((time.time() - facts.calibrated_s) / DAY_S)
        if days > OLD_DAYS:
            found.append(view("calibration", "info", "setup-old", days=days))
    return found
