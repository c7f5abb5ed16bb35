"""If one of these fails, a table cannot be set up from a recording, or is not the same table the next evening."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from calibration import store
from companion.advice import REMEDIES, remedies
from companion.commands.calibrate import command
from vision.calibration import Quality
from vision.pictures import read_picture

DAY = Path(__file__).parents[1] / "fixtures" / "recordings" / "day"


def test_a_recording_becomes_a_calibration_that_is_kept_without_loss(tmp_path: Path) -> None:
    kept, overlay = tmp_path / "table.npz", tmp_path / "table.jpg"
    done = CliRunner().invoke(command, [str(DAY), "--start", "empty", "--out", str(kept), "--overlay", str(overlay)])
    assert done.exit_code == 0, done.output
    assert "The set-up is good." in done.output and "p1" in done.output
    again = store.load(kept)
    assert np.array_equal(again.reference, read_picture(DAY / "setup" / "empty.jpg"))
    assert overlay.stat().st_size > 10_000


@pytest.mark.parametrize("kind", REMEDIES)
def test_every_weakness_of_a_set_up_comes_with_a_remedy(kind: str) -> None:
    told = remedies(Quality(1.0, {}, advice=(f"{kind}:p2" if kind.startswith("board") else kind,)))
    assert len(told) == 1 and ("p2" in told[0]) == kind.startswith("board")


def test_a_folder_without_a_recording_is_told_in_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [str(tmp_path)])
    assert done.exit_code == 1 and "recording.json" in done.output and "Traceback" not in done.output
