"""If one of these fails, a sitting that was kept cannot be looked at again, or a camera shows nothing."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
from click.testing import CliRunner

from companion.__main__ import main
from companion.config import Settings
from companion.replay import open_recording
from companion.runtime.port import RuntimePort
from companion.runtime.sources import LiveSource, make_source
from companion.runtime.table import Table
from companion.store.games import GameStore
from engine.registry import find_games
from tests.companion.runtime.tables import quick_table, wait_for
from vision.camera_webcam import WebcamOpener
from vision.recording import Recording

DAY = Path(__file__).parents[2] / "fixtures" / "recordings" / "day"


def test_what_is_recorded_can_be_replayed_at_once(tmp_path: Path) -> None:
    """A misreading that was kept for us would be of no use."""
    table = quick_table(tmp_path / "data", width_px=480, height_px=270)
    table.recorder.wanted = tmp_path / "kept"
    table.start()
    try:
        wait_for(table, lambda shown: len(shown.moves) >= 2)
    finally:
        table.stop(20)
    recording, play = open_recording(tmp_path / "kept")
    assert isinstance(recording, Recording)
    assert play.players == 2 and len(recording.frames) > 3
    moments = [frame.t_s for frame in recording.frames]
    assert moments == sorted(moments) and moments[0] == 0.0
    done = CliRunner().invoke(main, ["replay", str(tmp_path / "kept"), "--readings-only", "--observations",
                                     str(tmp_path / "seen.jsonl")])
    assert done.exit_code == 0, done.output
    assert len((tmp_path / "seen.jsonl").read_text().splitlines()) == len(recording.frames)


def test_a_recording_is_watched_as_if_it_happened_now(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path), source=f"recording={DAY}", speed=0.0, port=0)
    table = Table(settings, find_games(), GameStore(settings.data_folder), make_source(settings))
    table.start()
    told = json.loads((DAY / "recording.json").read_text())
    frames = len((DAY / "frames.jsonl").read_text().splitlines())
    try:
        shown = wait_for(table, lambda shown: table.loop.vitals.frames == frames)
        assert shown.source == "recording" and shown.game == told["game"]
        assert [player.name for player in shown.players] == [player["name"] for player in told["players"]]
        assert RuntimePort(table).picture("table") is not None
    finally:
        table.stop(20)


def test_a_webcam_shows_what_is_before_it(tmp_path: Path) -> None:
    """Through its own process and the shared memory; a video stands in for the device."""
    path = tmp_path / "video.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (160, 90))
    for level in range(60):
        writer.write(np.full((90, 160, 3), (40, 90, 140 + level % 5), np.uint8))
    writer.release()
    settings = Settings(data=str(tmp_path), source="webcam", port=0)
    source = LiveSource("webcam", WebcamOpener(str(path), (160, 90)))
    table = Table(settings, find_games(), GameStore(settings.data_folder), source)
    table.start()
    try:
        wait_for(table, lambda shown: shown.camera == "ok")
        still = table.still()
        assert still is not None and still.shape == (90, 160, 3)
        assert np.abs(still.mean(axis=(0, 1)) - (40, 90, 142)).max() < 8
    finally:
        table.stop(20)
