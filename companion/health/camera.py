"""Is the camera delivering?"""

from __future__ import annotations

from companion.health.facts import Facts, view
from web.contract import HealthView

SLOW_FPS = 2.0


def check(facts: Facts) -> list[HealthView]:
    if facts.camera == "lost":
        key = "camera-frozen" if facts.vitals.frozen else "camera-lost"
        return [view("camera", "problem", key, detail=facts.camera_detail)]
    if facts.camera == "ok" and facts.source != "recording" and 0.0 < facts.vitals.fps < SLOW_FPS:
        return [view("camera", "warning", "camera-slow", fps=round(facts.vitals.fps, 1))]
    return []
