"""Remembered tables: what was set up once, under a name, ready for the next evening."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration import store as calibrations
from calibration.calibrate import CalibrationError
from companion.catalogue import PlayedGame
from vision.calibration import Calibration


class Tables:
    """A folder with one description and one calibration for each table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.saved_s: float | None = None
        """When the table in use was set up, in seconds since 1970."""

    def listed(self) -> list[dict[str, Any]]:
        """All remembered tables, the newest first."""
        found = []
        for path in self._folder.glob("*.json"):
            try:
                found.append(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError):
                continue
        return sorted(found, key=lambda table: -float(table.get("saved", 0)))

    def find(self, name: str) -> dict[str, Any] | None:
        """The table with a name."""
        return next((table for table in self.listed() if table["name"] == name), None)

    def keep(self, name: str, described: Mapping[str, Any], calibration: Calibration) -> dict[str, Any]:
        """Remember a table; one of the same name is replaced."""
        self._folder.mkdir(parents=True, exist_ok=True)
        table = {**described, "name": name, "saved": time.time()}
        path = self._folder / _file_name(name)
        calibrations.save(calibration, path.with_suffix(".npz"))
        draft = path.with_suffix(".part")
        draft.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(path.with_suffix(".json"))
        return table

    def calibration(self, name: str) -> Calibration:
        """The calibration of a table; CalibrationError when it cannot be read."""
        calibration = calibrations.load((self._folder / _file_name(name)).with_suffix(".npz"))
        table = self.find(name)
        self.saved_s = None if table is None else float(table["saved"])
        return calibration

    def last_for(self, play: PlayedGame) -> Calibration | None:
        """The newest table on which this game can be played by that many."""
        for table in self.listed():
            if table["game"] == play.game.id and len(table["players"]) == play.players:
                try:
                    return self.calibration(table["name"])
                except CalibrationError:
                    continue
        return None


def _file_name(name: str) -> str:
    """A file name that differs for different names and holds no path."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "table"
    return f"{plain}-{sum(ord(char) * (index + 1) for index, char in enumerate(name)) % 99991}"
