"""The Pi's camera against the stand-in. If one of these fails, the table is dark, slanted, or changes its colours."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.faults import fake_picamera2
from tests.faults.stand_in import StandIn
from vision.camera import CameraError
from vision.camera_pi import PiOpener, controls_for, on_monotonic_clock
from vision.camera_source import Light, Source
from vision.shared_frames import Notice, image_in, small_in

KEPT = Light(9_000, 1.5, (1.7, 1.4), 2.0)


class Table:
    """The stand-in camera in this process, with one slot."""

    def __init__(self, mood_file: Path, monkeypatch: pytest.MonkeyPatch, pi: PiOpener) -> None:
        self.mood_file, self.pi = mood_file, pi
        self.settled: list[Light] = []
        self.slot = np.zeros(pi.slot_bytes, np.uint8)
        monkeypatch.setitem(sys.modules, "picamera2", fake_picamera2)
        self.mood("good")

    def mood(self, word: str) -> None:
        self.mood_file.write_text(word, encoding="utf-8")

    def open(self, light: Light | None = None, has_focus: bool = True) -> Source:
        return StandIn(self.mood_file, self.pi, has_focus).open(light, self.settled.append)

    def capture(self, source: Source) -> Notice:
        return source.capture(0, self.slot)


@pytest.fixture(params=[(96, 64), (100, 62)], ids=["plain", "padded"])
def table(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Two sizes: rows without and with bytes that fill them up."""
    return Table(tmp_path / "mood", monkeypatch, PiOpener(request.param, (32, 16), fps=100.0))


def test_pictures_arrive_upright_in_opencvs_colours(table: Table) -> None:
    """Every tile would be read wrong: rows shifted, or red for blue."""
    notice = table.capture(table.open(KEPT))
    image = image_in(table.slot, notice)
    width, height = table.pi.size_px
    assert image.shape == (height, width, 3)
    assert (image[..., 0] == np.arange(width) % 256).all()
    assert (image[..., 1] == np.arange(height)[:, None]).all()
    assert (image[..., 2] == 200).all()
    small = small_in(table.slot, notice)
    assert small is not None
    assert small.shape == (16, 32)
    assert (small == 77).all()


def test_light_settles_and_is_then_locked(table: Table) -> None:
    """White would turn yellow in the middle of a game when a cloud passes."""
    source = table.open()
    (light,) = table.settled
    assert light == Light(12_000, 2.0, (1.8, 1.6), 1.4)
    for _ in range(3):
        notice = table.capture(source)
        assert (notice.exposure_us, notice.colour_gains, notice.focus_dioptres) == (12_000, (1.8, 1.6), 1.4)


def test_a_remembered_light_is_used_at_once(table: Table) -> None:
    """After a fault the table would look different from what it was calibrated with."""
    notice = table.capture(table.open(KEPT))
    assert table.settled == []
    assert (notice.exposure_us, notice.analogue_gain, notice.colour_gains) == (9_000, 1.5, (1.7, 1.4))


def test_light_is_found_anew_only_on_request(table: Table) -> None:
    """When the lamp is switched on between rounds, the players would have to restart."""
    source = table.open(KEPT)
    source.relight()
    assert [light.exposure_us for light in table.settled] == [12_000]
    assert table.capture(source).exposure_us == 12_000


def test_a_lens_that_cannot_move_is_left_alone(table: Table) -> None:
    """Cameras without autofocus would refuse to start."""
    notice = table.capture(table.open(has_focus=False))
    assert notice.focus_dioptres is None
    assert "LensPosition" not in controls_for(KEPT, 10.0, has_focus=False)


def test_automatics_are_never_switched_off_beside_their_values() -> None:
    """Wrong values would be frozen."""
    assert not {"AeEnable", "AwbEnable"} & controls_for(KEPT, 10.0, True).keys()


@pytest.mark.parametrize(
    ("mood", "words"),
    [("absent", "No camera answers"), ("size", "instead of")],
)
def test_a_camera_that_cannot_be_used_says_what_to_do(table: Table, mood: str, words: str) -> None:
    """People would see a traceback."""
    table.mood(mood)
    with pytest.raises(CameraError, match=words):
        table.open(KEPT)


def test_a_slanted_picture_is_refused(table: Table) -> None:
    """Every row would be shifted a little more than the last, and the readings be nonsense."""
    source = table.open(KEPT)
    table.mood("stride")
    with pytest.raises(CameraError, match="wrong size"):
        table.capture(source)


def test_without_picamera2_one_sentence_says_so(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraError, match="sudo apt install python3-picamera2"):
        table.pi.open(KEPT, table.settled.append)


def test_every_buffer_goes_back_to_the_camera(table: Table) -> None:
    """The camera would stop after as many frames as it has buffers; the stand-in counts them."""
    source = table.open(KEPT)
    for _ in range(4 * table.pi.buffers):
        table.capture(source)
    table.mood("stride")
    for _ in range(4 * table.pi.buffers):
        with pytest.raises(CameraError):
            table.capture(source)


def test_capture_times_are_on_our_own_clock() -> None:
    """On a Pi that slept, frames would seem to come from the future."""
    before_ns = time.monotonic_ns()
    stamped_ns = on_monotonic_clock(time.clock_gettime_ns(time.CLOCK_BOOTTIME))
    assert before_ns - 1_000_000_000 < stamped_ns <= time.monotonic_ns()


def test_the_stand_in_refuses_what_picamera2_does_not_document(table: Table) -> None:
    """These tests would pass with calls that fail on a Pi."""
    table.open(KEPT)
    camera = fake_picamera2.Picamera2()
    with pytest.raises(fake_picamera2.UnknownError):
        camera.capture_everything()
    with pytest.raises(fake_picamera2.UnknownError):
        camera.create_video_configuration(stride=3)
    with pytest.raises(fake_picamera2.UnknownError):
        camera.set_controls({"Exposure": 3})
