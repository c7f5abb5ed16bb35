"""Is the machine too hot?"""

from __future__ import annotations

from pathlib import Path

from companion.health.facts import Facts, view
from web.contract import HealthView

ZONES = Path("/sys/class/thermal")
HOT_C = 80.0


def check(facts: Facts) -> list[HealthView]:
    hottest = max(temperatures_c(), default=0.0)
    return [view("temperature", "warning", "hot", degrees=round(hottest))] if hottest >= HOT_C else []


def temperatures_c(zones: Path = ZONES) -> list[float]:
    """What the sensors say; none on machines without."""
    found = []
    for path in sorted(zones.glob("thermal_zone*/temp")):
        try:
            found.append(int(path.read_text(encoding="ascii")) / 1000.0)
        except (OSError, ValueError):
            continue
    return found
