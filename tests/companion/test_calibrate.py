"""If one of these fails, a table cannot be set up from a recording, or is not the same table the next evening."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from calibration import store
from calibration.refine import refine_board
from companion.advice import REMEDIES, remedies
from companion.catalogue import played_game
from companion.commands.calibrate import command
from companion.runtime.told import exact_calibration
from companion.simulation.table import SimulatedTable
from vision.calibration import Quality
from vision.pictures import read_picture
from vision.recording import CornersTap, read_tap
from vision.rectify import UNIT_SQUARE, apply

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


def test_a_board_is_found_although_all_its_corners_were_tapped_to_one_side() -> None:
    """One family in twenty would have a board that is read askew all evening, with nothing to tell them so."""
    played = played_game("azul", 2)
    table = SimulatedTable(played.game, played.layout, played.players, played.options, 8)
    exact = exact_calibration(table)
    tap = read_tap(table.setup_recording_json()["setup"]["places"]["p2"], Path("table"), "p2")
    assert isinstance(tap, CornersTap)
    piece = next(piece for piece in played.layout.pieces if piece.name == "p2")
    found = refine_board(table.setup().empty, tap.points_px, piece)
    away = apply(found.matrix, UNIT_SQUARE) - apply(exact.matrices["p2"], UNIT_SQUARE)
    assert np.linalg.norm(away, axis=1).max() < 5.0
    assert found.support > 0.95
