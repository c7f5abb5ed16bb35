"""Setting a table up. If one of these fails, a table cannot be used at all, or is read a cell off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry import solve_geometry
from calibration.refine import RefineError
from calibration.store import load, save
from companion.disturbances import gains
from tests.vision.tables import laid
from vision.calibration import Correction, corrected
from vision.observe import Observer
from vision.pictures import read_picture
from vision.recording import CornersTap, Tap
from vision.rectify import UNIT_SQUARE, apply


def _shaken(taps: dict[str, Tap], amount_px: float, seed: int) -> dict[str, Tap]:
    """The boards tapped by a clumsier finger."""
    random = np.random.default_rng(seed)
    out = dict(taps)
    for name, tap in taps.items():
        if isinstance(tap, CornersTap):
            points = np.array(tap.points_px) + random.uniform(-amount_px, amount_px, (4, 2))
            first, second, third, fourth = ((float(x), float(y)) for x, y in points)
            out[name] = CornersTap((first, second, third, fourth))
    return out


@pytest.mark.parametrize("seed", [1, 2])
def test_clumsy_taps_lead_to_the_same_print(seed: int) -> None:
    """A finger is off by half a cell: the board must still be found on its print, not beside it."""
    table = laid("day")
    setup = table.recording.setup
    assert setup.empty is not None
    taps = _shaken(dict(setup.taps), 6.0, seed)
    again = solve_geometry(read_picture(setup.empty), taps, table.layout)
    for name, matrix in table.calibration.matrices.items():
        apart = np.linalg.norm(apply(again.matrices[name], UNIT_SQUARE) - apply(matrix, UNIT_SQUARE), axis=1)
        assert apart.max() < 3.0, name


def test_a_table_in_play_gives_the_same_geometry_as_an_empty_one() -> None:
    """Tiles on the boards must not pull the print to one side."""
    empty, played = laid("oblique"), laid("oblique", "taps", 1)
    for name in ("p1", "p2", "p3"):
        one, other = (apply(table.calibration.matrices[name], UNIT_SQUARE) for table in (empty, played))
        assert np.linalg.norm(one - other, axis=1).max() < 5.0, name


def test_the_camera_is_plausible() -> None:
    """A camera solved wrongly looks for the tops of tiles in the wrong place."""
    camera = laid("oblique").calibration.camera
    assert 25 < np.degrees(camera.tilt_rad) < 45
    assert 0.4 < camera.focal_px / camera.width_px < 1.6


def test_quality_says_how_good_it_is() -> None:
    """People must know before the game whether their set-up will do."""
    quality = laid("day").calibration.quality
    assert quality.error_px < 1.0
    assert min(quality.support.values()) > 0.5
    assert quality.colour_separation is not None
    assert quality.advice == ()


def test_two_shades_alike_are_told() -> None:
    """Whoever plays with tiles that this light does not tell apart would be asked all evening, or told wrong."""
    table = laid("day")
    setup = table.recording.setup
    assert setup.empty is not None
    empty, (sample, *_) = read_picture(setup.empty), setup.samples
    picture = read_picture(sample.picture)
    good = laid("day", "samples").calibration.quality
    alike = [replace(tile, colour="yellow") if tile.colour == "red" else tile for tile in sample.tiles]
    alike.append(next(tile for tile in sample.tiles if tile.colour == "red"))
    poor = calibrate(table.layout, setup.taps, empty=empty, samples=[(picture, alike)]).quality
    assert good.colour_separation is not None and poor.colour_separation is not None
    assert good.colour_separation > 2 * poor.colour_separation
    assert "colours-close" not in good.advice and "colours-close" in poor.advice


def test_colours_are_judged_in_the_light_of_the_table() -> None:
    """In the dusk tiles are told apart worse than in memory."""
    table = laid("day")
    setup = table.recording.setup
    assert setup.empty is not None
    dusk = gains(0.3, 0.3, 0.3)(read_picture(setup.empty))
    quality = calibrate(table.layout, setup.taps, empty=dusk).quality
    usual = table.calibration.quality
    assert quality.colour_separation is not None and usual.colour_separation is not None
    assert quality.colour_separation < 0.9 * usual.colour_separation and "colours-close" in quality.advice


def test_a_board_that_blinds_the_camera_is_told() -> None:
    """Where everything is as white as can be, a yellow tile has no colour left."""
    table = laid("day")
    setup = table.recording.setup
    assert setup.empty is not None
    glaring = gains(2.2, 2.2, 2.2)(read_picture(setup.empty))
    assert "board-too-bright:p1" in calibrate(table.layout, setup.taps, empty=glaring).quality.advice


def test_a_calibration_survives_being_stored(tmp_path: Path) -> None:
    """A table set up once must not be set up again every evening."""
    table = laid("day")
    path = tmp_path / "table.calibration"
    save(replace(table.calibration, corrections=(Correction("wall", "p1", (0.01, 0.0)),)), path)
    again = load(path)
    assert again.matrices.keys() == table.calibration.matrices.keys()
    assert again.corrections == (Correction("wall", "p1", (0.01, 0.0)),)
    assert again.camera.focal_px == pytest.approx(table.calibration.camera.focal_px)
    assert Observer(table.layout, replace(again, corrections=())).readers


@pytest.mark.parametrize("content", [b"", b"not a calibration", b"PK\x03\x04 torn"])
def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    """Somebody whose SD card failed must read a sentence, not a traceback."""
    path = tmp_path / "table.calibration"
    path.write_bytes(content)
    with pytest.raises(CalibrationError, match=r"table\.calibration.*set the table up again"):
        load(path)


def test_a_correction_moves_its_group_and_nothing_else() -> None:
    """An edition printed differently is dragged into place once, on that table only."""
    layout = laid("day").layout
    moved = corrected(layout, (Correction("wall", "p2", (0.02, -0.01), (1.1, 1.0)),))
    assert moved.places["p1.wall.1.1"] == layout.places["p1.wall.1.1"]
    assert moved.places["p2.line1.1"] == layout.places["p2.line1.1"]
    before, after = layout.places["p2.wall.3.3"].at, moved.places["p2.wall.3.3"].at
    assert after[1] == pytest.approx(before[1] - 0.01)
    spread = moved.places["p2.wall.1.5"].at[0] - moved.places["p2.wall.1.1"].at[0]
    assert spread == pytest.approx(1.1 * (layout.places["p2.wall.1.5"].at[0] - layout.places["p2.wall.1.1"].at[0]))


def test_a_board_outside_the_picture_is_said_so() -> None:
    """Better a sentence than a table read from thin air."""
    table = laid("day")
    setup = table.recording.setup
    assert setup.empty is not None
    tap = setup.taps["p1"]
    assert isinstance(tap, CornersTap)
    first, second, third, fourth = ((x - 900.0, y) for x, y in tap.points_px)
    with pytest.raises(RefineError, match="p1"):
        calibrate(
            table.layout, {**setup.taps, "p1": CornersTap((first, second, third, fourth))},
            empty=read_picture(setup.empty),
        )


def test_without_a_picture_it_says_what_to_do() -> None:
    table = laid("day")
    with pytest.raises(CalibrationError, match="picture"):
        calibrate(table.layout, table.recording.setup.taps)


def test_a_large_photo_is_shrunk_with_its_taps() -> None:
    """Twelve-megapixel phone photos work as well as webcam frames."""
    table = laid("day")
    setup = table.recording.setup
    assert setup.empty is not None
    large = cv2.resize(read_picture(setup.empty), None, fx=2.5, fy=2.5, interpolation=cv2.INTER_CUBIC)
    taps: dict[str, Tap] = {}
    for name, tap in setup.taps.items():
        if isinstance(tap, CornersTap):
            first, second, third, fourth = ((x * 2.5, y * 2.5) for x, y in tap.points_px)
            taps[name] = CornersTap((first, second, third, fourth))
    calibration = calibrate(table.layout, taps, empty=np.asarray(large, dtype=np.uint8))
    scale = calibration.size_px[0] / table.calibration.size_px[0]
    for name, matrix in calibration.matrices.items():
        there = apply(table.calibration.matrices[name], UNIT_SQUARE) * scale
        assert np.linalg.norm(apply(matrix, UNIT_SQUARE) - there, axis=1).max() < 4.0
