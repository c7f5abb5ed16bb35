"""Is there light enough, and is the picture sharp?"""

from __future__ import annotations

from companion.health.facts import Facts, view
from web.contract import HealthView

DIM = 70.0
"""Bright parts below this level leave little to tell colours by."""
BLURRED = 0.45
"""Sharpness against the picture of the set-up."""


def check(facts: Facts) -> list[HealthView]:
    if facts.camera == "dark":
        return [view("light", "problem", "dark")]
    found = []
    brightness, sharpness = facts.vitals.brightness, facts.vitals.sharpness_ratio
    is_blurred = facts.vitals.blurred or (sharpness is not None and sharpness < BLURRED)
    if facts.camera == "ok" and brightness is not None and brightness < DIM:
        found.append(view("light", "warning", "dim"))
    elif facts.camera == "ok" and is_blurred:
        found.append(view("light", "warning", "blurred"))
    return found
