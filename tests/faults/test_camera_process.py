"""The camera in its own process. If one of these fails, a loose cable ends the evening."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.faults.sitting import Sitting
from vision.camera import CameraError
from vision.camera_process import CameraProcess
from vision.camera_webcam import WebcamOpener
from vision.shared_frames import FrameRing, Lender, Notice

FAULTS = ("stall", "die", "raise", "stride", "absent", "hang-stop")


@pytest.fixture
def sitting(tmp_path: Path) -> Iterator[Sitting]:
    sitting = Sitting(tmp_path)
    yield sitting
    sitting.mood("good")
    sitting.camera.close()


def children() -> set[int]:
    """The processes that this one has started and that still run."""
    found = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(word) for path in found for word in path.read_text().split()}


def test_every_fault_is_said_and_healed_by_itself(sitting: Sitting) -> None:
    """Somebody would have to restart the companion in the middle of a game."""
    for fault in FAULTS:
        starts = sitting.camera.starts
        sentence = sitting.suffer(fault)
        assert sentence.endswith("."), fault
        assert sitting.camera.starts > starts, fault


def test_the_light_survives_a_fault(sitting: Sitting) -> None:
    """After a fault the colours would differ from those the table was calibrated with."""
    before = sitting.frame()
    sitting.suffer("die")
    after = sitting.frame()
    assert (after.exposure_us, after.analogue_gain, after.colour_gains, after.focus_dioptres) == (
        before.exposure_us, before.analogue_gain, before.colour_gains, before.focus_dioptres,
    )


def test_a_camera_that_never_comes_is_tried_again_and_again(sitting: Sitting) -> None:
    """A camera that is plugged in late would not be found."""
    sitting.frame()
    sitting.mood("absent")
    sitting.until_lost()
    starts = sitting.camera.starts
    while sitting.camera.starts < starts + 2:
        assert sitting.until_lost()
    sitting.mood("good")
    assert sitting.frame().image.shape == (64, 96, 3)


def test_another_size_is_never_taken_for_the_same_table(sitting: Sitting) -> None:
    """Every place would be looked for at the wrong spot."""
    sitting.frame()
    sitting.mood("size")
    os.kill(next(iter(camera_processes(sitting))), signal.SIGKILL)
    sitting.until_lost()
    seen = [sitting.until_lost() for _ in range(20)]
    assert any("instead of 96 × 64" in sentence for sentence in seen)
    sitting.mood("good")
    assert sitting.frame().image.shape == (64, 96, 3)


def camera_processes(sitting: Sitting) -> set[int]:
    sitting.frame()
    return {pid for pid in children() if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()}


def test_frames_stay_good_after_the_camera_is_gone(sitting: Sitting) -> None:
    """A picture that somebody is looking at would change, or bring the companion down."""
    kept = sitting.frame()
    picture = kept.image.copy()
    sitting.suffer("die")
    for _ in range(10):
        sitting.frame()
    sitting.camera.close()
    assert (kept.image == picture).all()
    with pytest.raises(ValueError, match="read-only"):
        kept.image[0, 0, 0] = 1


def test_readers_that_keep_many_frames_do_not_starve_the_camera(sitting: Sitting) -> None:
    """The companion would freeze once it remembers a few pictures."""
    kept = [sitting.frame() for _ in range(12)]
    assert len({frame.captured_ns for frame in kept}) == 12
    assert sitting.camera.starts == 1


def test_a_slow_reader_gets_the_newest_picture(sitting: Sitting) -> None:
    """A move would be seen seconds after it was made."""
    sitting.frame()
    time.sleep(0.5)
    asked_ns = time.monotonic_ns()
    sitting.frame()
    assert sitting.frame().captured_ns > asked_ns - 200_000_000


def test_closing_ends_the_process_even_when_stop_hangs(sitting: Sitting) -> None:
    """The service would not stop, and the next start would find the camera busy."""
    before = camera_processes(sitting)
    assert before
    sitting.mood("hang-stop")
    sitting.camera.close()
    sitting.camera.close()
    assert not before & children()
    with pytest.raises(CameraError, match="closed"):
        sitting.camera.read()


def test_no_files_stay_open_after_many_faults(sitting: Sitting) -> None:
    """After an evening of a loose cable the companion could open no more files."""
    sitting.suffer("die")
    gc.collect()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        sitting.suffer("die")
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1


def test_the_same_wrapper_serves_a_webcam() -> None:
    """A webcam that is missing would hang the companion instead of being named."""
    camera = CameraProcess(WebcamOpener(97))
    try:
        with pytest.raises(CameraError, match="webcam 97 cannot be opened"):
            for _ in range(200):
                assert camera.read() is None
    finally:
        camera.close()


def test_a_slot_is_free_again_when_its_last_view_is_gone() -> None:
    """Pictures would be overwritten under the reader, or memory run out."""
    ring = FrameRing(4, 12)
    lender = Lender(ring)
    ring.slot(1)[:] = np.arange(12)
    frame = lender.lend(Notice(1, (2, 2), None, 5))
    corner = frame.image[1:, 1:, 2]
    assert corner.tolist() == [[11]]
    del frame
    gc.collect()
    assert lender.returned() == []
    del corner
    gc.collect()
    assert lender.returned() == [1]
    ring.close()
