"""If one of these fails, a phone or a recording shows what stands on somebody's rack."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import main
from companion.catalogue import played_game
from companion.record import Recorder
from companion.replay import open_recording
from companion.runtime.messages import Seen
from companion.runtime.pictures import crop_places, mask_secret, secret_of
from companion.runtime.port import RuntimePort
from companion.runtime.rig import Rig
from companion.runtime.sitting import Sitting
from companion.runtime.told import ToldEyes, exact_calibration
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from companion.store.games import SeatRow
from engine.journal import Header, Journal
from tests.companion.runtime.tables import quick_table, wait_for
from vision.frame import Frame
from vision.reading import Observation

FIXTURE = Path(__file__).parents[2] / "fixtures" / "recordings" / "blockers-3p"


def secret_rig(game: str = "blockers") -> Rig:
    play = played_game(game, 2)
    table = SimulatedTable(play.game, play.layout, 2, scenery=Scenery(view=View(width_px=640, height_px=360)))
    calibration = exact_calibration(table)
    return Rig(table, play.layout, calibration, ToldEyes(table, calibration),
               tuple(secret_of(play.layout, calibration)), 640.0)


def rack_pixels(rig: Rig, scale: float = 1.0) -> np.ndarray:
    """Every pixel of every secret area as it was set up."""
    assert rig.layout is not None and rig.calibration is not None
    inside = np.zeros((round(360 * scale), round(640 * scale)), np.uint8)
    for piece in rig.layout.pieces:
        if piece.secret:
            polygon = rig.calibration.polygons_px[piece.name] * scale
            cv2.fillPoly(inside, [np.round(polygon - 0.5).astype(np.int32)], 255)
    return inside > 0


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.5])
def test_every_pixel_of_a_rack_is_black(scale: float) -> None:
    rig = secret_rig()
    bright = np.full((round(360 * scale), round(640 * scale), 3), 200, np.uint8)
    masked = mask_secret(bright, rig.secrets, rig.secrets_width_px)
    racks = rack_pixels(rig, scale)
    assert racks.any()
    assert not masked[racks].any()
    assert (bright == 200).all(), "the frame itself was changed"
    assert (masked == 200).any(), "everything was blacked out"


def test_a_table_without_secrets_is_shown_whole() -> None:
    rig = secret_rig("azul")
    picture = np.full((360, 640, 3), 200, np.uint8)
    assert mask_secret(picture, rig.secrets, rig.secrets_width_px) is picture


def test_a_recording_holds_no_rack_and_can_be_replayed(tmp_path: Path) -> None:
    rig = secret_rig()
    play = played_game("blockers", 2)
    sitting = Sitting(1, play, (SeatRow("Ann", "blue"), SeatRow("Bo", "red")), Journal(Header("blockers", ("A", "B"))))
    recorder = Recorder(tmp_path, 10)
    bright = Frame(np.full((360, 640, 3), 200, np.uint8), 0)
    observation = Observation(0, {})
    assert recorder.begin(sitting, (rig, bright, observation), tmp_path / "one").ok
    for number in range(6):
        frame = Frame(np.full((360, 640, 3), 200, np.uint8), number * 10**9)
        recorder.note(Seen(rig, frame, observation))
    recorder.stop()
    racks = rack_pixels(rig)
    pictures = sorted((tmp_path / "one").rglob("*.jpg"))
    assert len(pictures) >= 3
    # A JPEG rings a little within the blocks at an edge; nothing of a tile could be told from that.
    for path in pictures:
        assert cv2.imread(str(path))[racks].max() < 24, path
    recording, _ = open_recording(tmp_path / "one")
    assert len(recording.frames) == len(pictures) - 1
    assert "start_position" not in json.loads((tmp_path / "one" / "recording.json").read_text())


def test_a_recording_never_grows_beyond_its_size(tmp_path: Path) -> None:
    rig = secret_rig("azul")
    play = played_game("azul", 2)
    sitting = Sitting(1, play, (SeatRow("Ann", "blue"), SeatRow("Bo", "red")), Journal(Header("azul", ("A", "B"))))
    recorder = Recorder(tmp_path, 1)
    noise = np.random.default_rng(1)
    first = Frame(np.zeros((360, 640, 3), np.uint8), 0)
    recorder.begin(sitting, (rig, first, None), tmp_path / "one")
    for number in range(60):
        frame = Frame(noise.integers(0, 255, (360, 640, 3), np.uint8), number * 10**9)
        recorder.note(Seen(rig, frame, Observation(0, {}, still=False)))
    size = sum(path.stat().st_size for path in (tmp_path / "one").rglob("*.jpg"))
    assert recorder.full and not recorder.on
    assert size < 1_400_000


def test_crops_and_the_table_picture_are_masked(tmp_path: Path) -> None:
    rig = secret_rig()
    assert rig.layout is not None and rig.calibration is not None
    bright = np.full((360, 640, 3), 200, np.uint8)
    masked = mask_secret(bright, rig.secrets, rig.secrets_width_px)
    crop = crop_places(masked, rig.layout, rig.calibration, ["p1.captured"])
    assert crop is not None and crop.shape == (320, 480, 3)
    table = quick_table(tmp_path, game="blockers", speed=1.0)
    table.start()
    try:
        wait_for(table, lambda shown: shown.camera == "ok")
        latest = table.loop.latest
        assert latest is not None
        data = RuntimePort(table).picture("table")
    finally:
        table.stop(20)
    assert data is not None
    shown = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    racks = rack_pixels(latest[0])
    assert shown is not None and racks.any() and shown[racks].max() < 24


@pytest.mark.parametrize("command", ["read", "calibrate", "propose"])
def test_pictures_that_commands_save_show_no_rack(tmp_path: Path, command: str) -> None:
    """Somebody asks for help and sends the picture along."""
    folder = tmp_path / "one"
    shutil.copytree(FIXTURE, folder)
    recording, played = open_recording(folder)
    racks = {
        piece.name: np.array(recording.setup.taps[piece.name].points_px)
        for piece in played.layout.pieces if piece.secret
    }
    inside = np.zeros((864, 1536), np.uint8)
    for path in sorted(folder.rglob("*.jpg")):
        picture = cv2.imread(str(path))
        for outline in racks.values():
            cv2.fillPoly(picture, [np.round(outline).astype(np.int32)], (210, 220, 230))
            cv2.fillPoly(inside, [np.round(outline).astype(np.int32)], 255)
        cv2.imwrite(str(path), picture)
    out = tmp_path / "overlay.png"
    arguments = {
        "read": ["read", str(folder / "frames" / "000003.jpg"), "--recording", str(folder), "--as", "json"],
        "calibrate": ["calibrate", str(folder)],
        "propose": ["calibrate", str(folder), "--propose"],
    }[command]
    done = CliRunner().invoke(main, [*arguments, "--overlay", str(out)])
    assert done.exit_code == 0, done.output
    shown = cv2.imread(str(out))
    assert racks and inside.any()
    # Lines may be drawn across an area, but nothing of what stands there is left.
    left = shown[inside > 0]
    assert np.median(left) == 0 and not (np.abs(left - [210, 220, 230]) < 20).all(axis=1).any()
