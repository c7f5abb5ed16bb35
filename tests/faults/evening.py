"""A whole game behind a camera that keeps failing: real runtime, real pages, real camera process, stand-in hardware."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from companion.runtime.port import RuntimePort
from companion.runtime.rig import Rig
from companion.runtime.table import Table
from companion.simulation.table import SimulatedTable
from tests.faults.sitting import Sitting as CameraSitting
from vision.camera import CameraError
from vision.frame import Frame
from web import WebConfig, create_app, serve

ASK_EVERY = 10
"""One picture of the stand-in stands for so many of the simulated table, so that a game is over in seconds."""
PLAY_ON_FRAMES = 6
"""Each time the camera is lost, people play on for so many frames that nobody sees."""
LONG_S = 120.0


class Gated:
    """Shows the simulated table as long as the camera in its own process delivers."""

    def __init__(self, table: SimulatedTable, hardware: CameraSitting) -> None:
        self.table, self.hardware = table, hardware
        self._asked = 0
        self._lost = False

    def read(self) -> Frame | None:
        if self._asked % ASK_EVERY == 0:
            try:
                if self.hardware.camera.read() is None:
                    return None
            except CameraError:
                if not self._lost:
                    for _ in range(PLAY_ON_FRAMES):
                        self.table.read()
                self._lost = True
                raise
            self._lost = False
        self._asked += 1
        return self.table.read()

    def close(self) -> None:
        self.table.close()


class Evening:
    """The table with its pages; faults are let loose from here."""

    def __init__(self, table: Table, folder: Path) -> None:
        self.table = table
        self.hardware = CameraSitting(folder)
        self.cameras: list[Gated] = []
        build = table.source.rig

        def gated(wanted: Any) -> Rig:
            rig = build(wanted)
            assert isinstance(rig.camera, SimulatedTable)
            self.cameras.append(Gated(rig.camera, self.hardware))
            return replace(rig, camera=self.cameras[-1])

        table.source.rig = gated  # type: ignore[method-assign]
        self.server = serve(create_app(RuntimePort(table), WebConfig(pin="1234", join_url="http://table/")), port=0)
        table.start()

    def page(self) -> dict[str, Any]:
        """What a phone gets now."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.server.port}/api/snapshot", timeout=20) as reply:
            snapshot: dict[str, Any] = json.load(reply)
        return snapshot

    def until(self, what: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first page of which something is true."""
        until_s = time.monotonic() + LONG_S
        while time.monotonic() < until_s:
            shown = self.page()
            if what(shown):
                return shown
            time.sleep(0.05)
        raise AssertionError(f"it never came; the page shows camera {shown['camera']}, phase {shown['phase']}")

    def suffer(self, faults: Sequence[str]) -> int:
        """One fault after another, each while the game is under way; says how many there was time for."""
        for number, fault in enumerate(faults):
            if self.until(lambda shown: shown["camera"] == "ok" or shown["result"] is not None)["result"] is not None:
                return number
            self.hardware.mood(fault)
            shown = self.until(partial(self._is_lost_or_over, fault))
            self.hardware.mood("good")
            if shown["result"] is not None:
                return number
        return len(faults)

    def _is_lost_or_over(self, fault: str, shown: dict[str, Any]) -> bool:
        self.hardware.provoke(fault)
        return shown["camera"] == "lost" or shown["result"] is not None

    def stop(self) -> None:
        self.hardware.mood("good")
        self.table.stop()
        self.server.close()
        self.hardware.camera.close()
