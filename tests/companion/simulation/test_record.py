"""Simulated sittings as recordings. If one of these fails, our own test recordings cannot be trusted or read."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.commands.simulate import command
from companion.simulation.record import RecordingFolderError, record
from tests.companion.simulation.tables import make_table
from tests.contract.setups import GAMES
from vision.recording import read_recording


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("sparse", [True, False])
def test_a_recording_can_be_read_back(game: str, sparse: bool, tmp_path: Path) -> None:
    """`companion replay` would refuse what `companion simulate` wrote."""
    table = make_table(game, slips=0.2)
    count = record(table, tmp_path / "sitting", sparse, until_s=14.0)
    recording = read_recording(tmp_path / "sitting")
    assert len(recording.frames) == count > 3
    assert all(frame.path.exists() for frame in recording.frames)
    truth = list(recording.truth())
    assert [line["t"] for line in truth] == [frame.t_s for frame in recording.frames]
    assert all(set(line["places"]) == set(table.layout.places) for line in truth)
    assert any(line["settled"] for line in truth) and any(not line["settled"] for line in truth)
    assert not any(line["hand"] for line in truth if line["settled"])
    outcome = recording.outcome()
    assert outcome is not None and set(outcome) >= {"moves", "rounds", "slips"}
    assert recording.setup.samples and recording.setup.samples[0].tiles
    assert set(recording.setup.taps) == {piece.name for piece in table.layout.pieces}


def test_a_disturbed_sitting_shows_the_same_table_pushed_and_in_other_light(tmp_path: Path) -> None:
    """Without it nobody could say how well a table is read whose boards were pushed and whose lamp was changed."""
    table = make_table("azul", slips=0.0)
    record(table, tmp_path / "sitting", until_s=45.0, disturbed=True)
    recording = read_recording(tmp_path / "sitting")
    outcome = recording.outcome()
    assert outcome is not None
    times = [event["t"] for event in outcome["events"]]
    assert times
    settled = [line["t"] for line in recording.truth() if line["settled"]]
    assert all(any(t <= moment < t + 20.0 for moment in settled) for t in times)


def test_taps_are_off_by_at_most_one_percent() -> None:
    """Calibration would be tried on taps that nobody makes."""
    table = make_table("azul", 2)
    places = table.setup_recording_json()["setup"]["places"]
    for name, spot in table.arrangement.spots.items():
        if spot.piece.frame != "corners":
            continue
        corners = table.lens.project([(x, y, spot.piece.thickness_mm) for x, y in spot.outline()])
        off = np.hypot(*(np.array(places[name]["corners"]) - corners).T)
        assert off.max() <= 0.01 * table.lens.width_px + 0.1
        assert off.max() > 0.2


@pytest.mark.parametrize("game", list(GAMES))
def test_the_empty_picture_shows_no_tile(game: str) -> None:
    """A tile in the picture that stands for "empty" would never be seen again."""
    table = make_table(game)
    table.advance(0.5)
    for number in [n for n, thing in table.top.resting.items() if thing.place and thing.look.colour != "stone"]:
        table.top.lift(number)
    bare, empty = table.masked(table.picture()), table.setup().empty
    assert (np.abs(bare.astype(int) - empty) > 40).any(axis=2).mean() < 0.002


def test_sample_tiles_lie_where_the_recording_says() -> None:
    """Colours would be learnt from the table beside the tiles."""
    table = make_table("azul", 2)
    setup = table.setup()
    tiles = setup.recording["setup"]["samples"][0]["tiles"]
    assert {tile["colour"] for tile in tiles} == {"blue", "yellow", "red", "black", "white"}
    for tile in tiles:
        x, y = (int(value) for value in tile["at"])
        red, green, blue = table.layout.colours[tile["colour"]]
        seen = setup.samples[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3)
        before = setup.empty[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3)
        wanted = np.array([blue, green, red], float)
        away = [float(np.linalg.norm(np.median(pixels, axis=0) - wanted)) for pixels in (seen, before)]
        assert away[0] < 110 and (seen != before).any()


def test_what_is_secret_is_black_in_every_picture(tmp_path: Path) -> None:
    """A recording would show what stands on somebody's rack."""
    secret = [game for game in GAMES if any(spot.piece.secret for spot in make_table(game).arrangement.spots.values())]
    assert secret
    for game in secret:
        table = make_table(game)
        record(table, tmp_path / game, until_s=8.0)
        for path in [*(tmp_path / game / "frames").iterdir(), *(tmp_path / game / "setup").iterdir()]:
            image = cv2.imread(str(path))
            assert image is not None
            for spot in table.arrangement.spots.values():
                if spot.piece.secret:
                    x, y = (int(value) for value in table.lens.project([(spot.x_mm, spot.y_mm, 0.0)])[0])
                    assert image[y - 3 : y + 4, x - 3 : x + 4].max() < 24


def test_players_who_have_a_colour_are_recorded_with_it() -> None:
    """A reader could not tell whose tiles are whose."""
    for game in [game for game in GAMES if "colours" in GAMES[game].options]:
        players = make_table(game, 3).setup_recording_json()["players"]
        assert [player["colour"] for player in players] == list(GAMES[game].options["colours"][:3])
    assert "colour" not in make_table("azul").setup_recording_json()["players"][0]


def test_hidden_places_are_said_to_be_hidden() -> None:
    """The reader would be blamed for not seeing through a hand."""
    table = make_table("azul", 2, haste=1.0)
    hidden = 0
    while hidden == 0 and table.t_s < 60:
        table.advance(table.t_s + 0.3)
        truth = table.truth()
        hidden = sum(content == "?" for content in truth["places"].values())
        if hidden:
            assert truth["hand"] and not truth["settled"]
    assert 0 < hidden < len(table.layout.places) / 2


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    """An older recording would be mixed with a new one."""
    (tmp_path / "note.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RecordingFolderError, match="not empty"):
        record(make_table("pebbles"), tmp_path)


def test_the_command_writes_a_recording_and_says_so(tmp_path: Path) -> None:
    """`companion simulate` is how others make test recordings."""
    out = tmp_path / "sitting"
    run = CliRunner().invoke(command, [
        "--game", "azul", "--players", "3", "--option", "wall=grey", "--seed", "7", "--out", str(out),
        "--seconds", "8", "--width", "640",
    ])
    assert run.exit_code == 0, run.output
    assert "frames" in run.output
    told = json.loads((out / "recording.json").read_text(encoding="utf-8"))
    assert told["game"] == "azul" and told["options"] == {"wall": "grey"} and len(told["players"]) == 3


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--game", "chess"], "there is no game 'chess'"),
    (["--players", "9"], "9"),
    (["--option", "wall"], "KEY=VALUE"),
])
def test_bad_input_gets_one_clear_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    """People would see a traceback."""
    run = CliRunner().invoke(command, [*arguments, "--out", str(tmp_path / "x")])
    assert run.exit_code == 1 and sentence in run.output and "Traceback" not in run.output
