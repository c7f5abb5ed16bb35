"""Floors: the accuracy that was reached before, below which a change may not fall."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SHARES = ("slots", "heaps", "stones", "frames", "moves", "rounds", "final")

Floors = dict[str, dict[str, dict[str, Any]]]
"""For each start, and each folder, the figures that `companion evaluate --json` gave."""


def read_floors(path: Path) -> Floors:
    """The committed floors; none when there is no such file yet."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_floors(path: Path, floors: Floors) -> None:
    """Store floors in a form that shows each change as one line."""
    path.write_text(json.dumps(floors, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def without_time(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Figures that are the same on every machine."""
    return {key: value for key, value in figures.items() if key != "ms_per_frame"}


def below(name: str, floor: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """One sentence for each figure that has fallen below its floor."""
    sentences = []
    for key in SHARES:
        if key in floor and now[key]["right"] < floor[key]["right"]:
            sentences.append(
                f"{name}: {key} fell from {floor[key]['right']} to {now[key]['right']} of {now[key]['of']}"
            )
    if now["slips"]["found"] < floor["slips"]["found"]:
        sentences.append(f"{name}: slips found fell from {floor['slips']['found']} to {now['slips']['found']}")
    if now["slips"]["false"] > floor["slips"]["false"]:
        sentences.append(f"{name}: false slips rose from {floor['slips']['false']} to {now['slips']['false']}")
    if now["questions"] > floor["questions"]:
        sentences.append(f"{name}: questions rose from {floor['questions']} to {now['questions']}")
    return sentences


def best_of(floor: Mapping[str, Any] | None, now: Mapping[str, Any]) -> dict[str, Any]:
    """The floor after a run: what was reached now where nothing fell, else what was reached before."""
    if floor is not None and below("", floor, now):
        return dict(floor)
    return without_time(now)
