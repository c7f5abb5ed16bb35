"""If floors do not hold, accuracy can be lost without anybody noticing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.commands.floors import command
from companion.floors import below, best_of, read_floors, write_floors


def figures(slots: int, false: int = 0, questions: int = 0) -> dict[str, Any]:
    share = {"right": slots, "of": 100}
    names = ("slots", "heaps", "stones", "frames", "moves", "rounds", "final")
    return {
        **dict.fromkeys(names, share), "slips": {"found": 1, "of": 1, "false": false}, "questions": questions,
        "ms_per_frame": 12.0,
    }


def test_a_figure_that_falls_is_said_with_its_name() -> None:
    sentences = below("day", figures(100), figures(99))
    assert any(sentence == "day: slots fell from 100 to 99 of 100" for sentence in sentences)


def test_a_new_false_alarm_or_question_counts_as_a_fall() -> None:
    assert below("day", figures(100), figures(100, false=1)) == ["day: false slips rose from 0 to 1"]
    assert below("day", figures(100), figures(100, questions=2)) == ["day: questions rose from 0 to 2"]


def test_the_same_or_better_is_no_fall_and_becomes_the_floor() -> None:
    assert below("day", figures(98), figures(99)) == []
    assert best_of(figures(98), figures(99))["slots"]["right"] == 99
    assert best_of(figures(99), figures(98))["slots"]["right"] == 99


def test_floors_survive_being_stored(tmp_path: Path) -> None:
    floors = {"samples": {"day": best_of(None, figures(97))}}
    write_floors(tmp_path / "floors.json", floors)
    assert read_floors(tmp_path / "floors.json") == floors
    assert read_floors(tmp_path / "none.json") == {}


def photograph_in(folder: Path) -> Path:
    """A recording of one frame, with nothing to start from but taps."""
    photograph = folder / "recordings" / "photograph"
    shutil.copytree(Path(__file__).parent.parent / "fixtures" / "recordings" / "day", photograph)
    told = json.loads((photograph / "recording.json").read_text())
    told["setup"] = {"places": told["setup"]["places"]}
    (photograph / "recording.json").write_text(json.dumps(told))
    for name in ("frames.jsonl", "truth.jsonl"):
        lines = (photograph / name).read_text().splitlines()
        (photograph / name).write_text(lines[1] + "\n")
    return photograph


def test_a_photograph_with_nothing_but_taps_has_a_floor_too(tmp_path: Path) -> None:
    """It was left out: what is read at a real table could have fallen for days."""
    photograph, file = photograph_in(tmp_path), tmp_path / "floors.json"
    done = CliRunner().invoke(command, [str(photograph.parent), "--file", str(file), "--raise", "--jobs", "2"])
    assert done.exit_code == 0, done.output
    floor = read_floors(file)["taps"]["photograph"]["slots"]
    assert floor["right"] == floor["of"] > 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_torn_picture_is_told_in_a_sentence_however_many_are_measured_at_a_time(tmp_path: Path, jobs: str) -> None:
    """A page of Python would not say which file to look at, and the floors would be written without it."""
    photograph, file = photograph_in(tmp_path), tmp_path / "floors.json"
    for picture in photograph.rglob("*.jpg"):
        picture.write_bytes(picture.read_bytes()[:50])
    done = CliRunner().invoke(command, [str(photograph.parent), "--file", str(file), "--raise", "--jobs", jobs])
    assert done.exit_code == 1 and done.output.startswith("Error: ") and photograph.name in done.output, done.output
    assert not file.exists()
