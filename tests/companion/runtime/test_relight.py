"""If one of these fails, a table set up by day is unreadable once the lamp is lit."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from companion.config import Settings
from companion.runtime.loop import brightness
from companion.runtime.port import RuntimePort
from companion.runtime.sources import LiveSource
from companion.runtime.table import Table, is_other_light
from companion.store.games import GameStore
from engine.registry import find_games
from tests.companion.runtime.tables import wait_for
from vision.camera_source import Light, Settled, Source
from vision.shared_frames import Bytes, Notice, image_in

WIDTH_PX, HEIGHT_PX = 64, 36
DIM, WELL = 60, 200


class DimSource:
    """A camera that settled before dusk: too dark until it may settle anew."""

    def __init__(self) -> None:
        self._level = DIM
        self._rng = np.random.default_rng(1)

    def capture(self, slot: int, into: Bytes) -> Notice:
        time.sleep(0.02)
        notice = Notice(slot, (WIDTH_PX, HEIGHT_PX), None, time.monotonic_ns())
        grain = self._rng.integers(0, 3, (HEIGHT_PX, WIDTH_PX, 1), dtype=np.uint8)
        np.copyto(image_in(into, notice), np.uint8(self._level) + grain)
        return notice

    def relight(self) -> None:
        self._level = WELL

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class DimOpener:
    """How to open it in the camera's process."""

    name: str = "The dim camera"
    slot_bytes: int = WIDTH_PX * HEIGHT_PX * 3

    def open(self, light: Light | None, settled: Settled) -> Source:
        return DimSource()


def test_the_camera_settles_anew_when_somebody_asks_for_it(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path), source="webcam", port=0)
    table = Table(settings, find_games(), GameStore(settings.data_folder), LiveSource("webcam", DimOpener()))
    port = RuntimePort(table)
    assert port.command("relight", {}).key == "refused.busy", "nobody is there yet"
    table.start()
    try:
        wait_for(table, lambda shown: shown.camera == "ok")
        still = table.still()
        assert still is not None and brightness(still) < 80
        assert port.command("relight", {}).ok
        until_s = time.monotonic() + 30
        while (still := table.still()) is None or brightness(still) < 150:
            assert time.monotonic() < until_s, "the camera kept the old light"
            time.sleep(0.02)
    finally:
        table.stop(20)


@pytest.mark.parametrize(("now", "other"), [(None, False), (200.0, False), (160.0, False), (120.0, True), (90.0, True)])
def test_between_rounds_only_another_light_is_one(now: float | None, other: bool) -> None:
    """Settling without need would change all colours in the middle of a game."""
    assert is_other_light(np.full((90, 160, 3), 200, np.uint8), now) is other


def test_a_lamp_that_is_switched_on_is_another_light() -> None:
    assert is_other_light(np.full((90, 160, 3), 120, np.uint8), 200.0)
