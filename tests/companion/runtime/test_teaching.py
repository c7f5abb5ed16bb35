"""An edition with symbols of its own: if this fails, nobody can teach them and its tiles are misread."""

from __future__ import annotations

import json
from pathlib import Path

from companion.catalogue import played_game
from companion.runtime.catalogue import GameShelf
from companion.runtime.proposal import Proposal, tapped_points
from companion.runtime.setup import Wizard
from companion.runtime.tables import Tables
from engine.registry import find_games
from vision.pictures import read_picture

FIXTURE = Path(__file__).parents[2] / "fixtures" / "recordings" / "blockers-3p"
PLAYERS = [{"name": "Ann"}, {"name": "Bo"}, {"name": "Cleo"}]


def test_the_wizard_learns_every_face_that_was_tapped(tmp_path: Path) -> None:
    told = json.loads((FIXTURE / "recording.json").read_text())["setup"]
    points = tapped_points(told["places"])
    empty = read_picture(FIXTURE / told["empty"])
    laid_out = read_picture(FIXTURE / told["samples"][0]["image"])
    wizard = Wizard(Tables(tmp_path), lambda play: Proposal(empty, points), lambda: laid_out)
    assert wizard.obey("propose", {"game": "blockers", "players": PLAYERS}).ok
    samples = [{"colour": each["colour"], "at": [each["at"]], "face": each["face"]}
               for each in told["samples"][0]["tiles"]]
    assert wizard.obey("colours", {"samples": samples}).ok
    assert wizard.obey("check", {}).ok
    calibration = wizard.calibration_for(played_game("blockers", 3))
    assert calibration is not None
    assert set(calibration.prints) == {each["face"] for each in samples}


def test_the_page_knows_which_faces_there_are() -> None:
    faces = {entry["game"]: entry["faces"] for entry in GameShelf(find_games()).catalogue()}
    assert len(faces["blockers"]) == 28 and faces["azul"] == []
    assert "".join(faces["blockers"][:18]) == "123456789ABCDEFGHI", "in an order to find them in"
