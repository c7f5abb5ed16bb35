"""If one of these fails, something is wrong with the machine and nobody is told what to do."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from companion.commands.doctor import sentence
from companion.health import Facts, check_all, check_names
from companion.health.temperature import temperatures_c
from companion.runtime.loop import Vitals
from companion.store.games import Trouble
from web.i18n import LANGUAGES, page_words

WELL = Facts(folder=Path())

FAULTS = {
    "camera-lost": replace(WELL, camera="lost", camera_detail="no cable"),
    "camera-frozen": replace(WELL, camera="lost", vitals=Vitals(frozen=True)),
    "camera-slow": replace(WELL, vitals=Vitals(fps=0.5)),
    "dark": replace(WELL, camera="dark"),
    "dim": replace(WELL, vitals=Vitals(brightness=30.0)),
    "blurred": replace(WELL, vitals=Vitals(brightness=200.0, sharpness_ratio=0.2)),
    "board-lost": replace(WELL, vitals=Vitals(lost_boards=("p1",))),
    "setup-old": replace(WELL, calibrated_s=time.time() - 100 * 86_400),
    "games-damaged": replace(WELL, troubles=(Trouble("damaged", "games.sqlite3.damaged-1"),)),
    "game-torn": replace(WELL, troubles=(Trouble("torn", "line 4"),)),
    "not-kept": replace(WELL, troubles=(Trouble("unwritable", "disk full"),), lasting=False),
    "recording-full": replace(WELL, recording_full=True),
}


def test_a_table_that_is_well_raises_nothing() -> None:
    quiet = {"hot", "disk-low", "clock-wrong"}
    assert {view.key.removeprefix("health.") for view in check_all(WELL)} <= quiet


def test_a_picture_too_blurred_to_be_read_is_told_even_where_its_grain_looks_sharp() -> None:
    """Nothing is followed then, and nobody would know why."""
    found = check_all(replace(WELL, vitals=Vitals(brightness=200.0, sharpness_ratio=0.7, blurred=True)))
    assert "health.blurred" in {view.key for view in found}


@pytest.mark.parametrize("key", FAULTS)
def test_each_fault_is_told_in_every_language_without_a_hole(key: str) -> None:
    found = [view for view in check_all(FAULTS[key]) if view.key == f"health.{key}"]
    assert len(found) == 1
    for language in LANGUAGES:
        text = sentence(page_words(language), found[0])
        assert "{" not in text
        assert text.count(".") >= 2, "what is wrong, what follows from it and what to do"


def test_every_check_is_a_short_file() -> None:
    folder = Path(__file__).parents[3] / "companion" / "health"
    assert set(check_names()) == {"boards", "calibration", "camera", "clock", "disk", "light", "temperature"}
    for name in check_names():
        assert len((folder / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 60


def test_a_sensor_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    for number, text in enumerate(("45000", "broken")):
        (tmp_path / f"thermal_zone{number}").mkdir()
        (tmp_path / f"thermal_zone{number}" / "temp").write_text(text)
    assert temperatures_c(tmp_path) == [45.0]
