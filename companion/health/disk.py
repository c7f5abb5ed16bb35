"""Is there room, and does the disk take what is written?"""

from __future__ import annotations

import shutil

from companion.health.facts import Facts, view
from web.contract import HealthView

LOW_MB = 300
MB = 1_000_000


def check(facts: Facts) -> list[HealthView]:
    found = []
    for trouble in facts.troubles:
        if trouble.key == "damaged":
            found.append(view("disk", "warning", "games-damaged", file=trouble.detail))
        elif trouble.key == "torn":
            found.append(view("disk", "warning", "game-torn", detail=trouble.detail))
    if not facts.lasting:
        detail = next((trouble.detail for trouble in facts.troubles if trouble.key == "unwritable"), "")
        found.append(view("disk", "problem", "not-kept", detail=detail))
    if facts.recording_full:
        found.append(view("disk", "info", "recording-full"))
    folder = facts.folder
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free_mb = shutil.disk_usage(folder).free // MB
    if free_mb < LOW_MB:
        found.append(view("disk", "warning", "disk-low", free_mb=free_mb))
    return found
