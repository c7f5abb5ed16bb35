"""Turns the truth of a recording into a small file of tables, so that a played sitting is a test without pictures.

Used by hand: `python tests/companion/reconcile/compact.py RECORDING_FOLDER > sittings/name.json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def compact(folder: Path) -> dict[str, Any]:
    """The sitting with only what changes from one frame to the next."""
    recording = json.loads((folder / "recording.json").read_text(encoding="utf-8"))
    frames, before = [], {}
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        places = truth["places"]
        changed = {place: places[place] for place in places if place not in before or before[place] != places[place]}
        frames.append({"t": truth["t"], "hand": truth["hand"], "changed": changed})
        before = truth["places"]
    outcome = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))
    return {
        "game": recording["game"], "options": recording["options"], "players": recording["players"],
        "start_player": recording["start_player"], "frames": frames,
        "outcome": {key: outcome[key] for key in ("moves", "rounds", "final", "slips", "setup") if key in outcome},
    }


if __name__ == "__main__":
    print(json.dumps(compact(Path(sys.argv[1])), separators=(",", ":")))
