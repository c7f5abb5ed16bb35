"""Misbehaviour on request. If one of these fails, a fault of a real table cannot be rehearsed."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from companion.catalogue import played_game
from companion.simulation.table import Request, Scenery, SimulatedTable
from tests.companion.simulation.tables import SMALL, make_table
from vision.camera import CameraError, EndOfFramesError

QUIET = Scenery(view=SMALL, noise_sigma=0.0, drift_strength=0.0)


@pytest.fixture
def table() -> SimulatedTable:
    """A table without noise or drift, after the first deal."""
    result = make_table("azul", 2, scenery=QUIET)
    result.advance(2.0)
    while not result.settled or not any(result.contents().get("f1") or ()):
        result.advance(result.t_s + 0.25)
    return result


def sharpness(image: np.ndarray) -> float:  # type: ignore[type-arg]
    return float(cv2.Laplacian(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.CV_64F).var())


def test_lamp_off_and_on(table: SimulatedTable) -> None:
    """Nobody would know what the companion does when somebody switches the lamp."""
    before = table.picture()
    table.request("lamp-off")
    assert table.picture().mean() < 0.3 * before.mean()
    table.request("lamp-on")
    assert np.array_equal(table.picture(), before)
    assert [event["kind"] for event in table.outcome()["events"]] == ["light", "light"]


def test_warm_and_cool_light(table: SimulatedTable) -> None:
    """Colour casts could not be rehearsed."""
    def redness() -> float:
        blue, _, red = table.picture().mean(axis=(0, 1))
        return float(red / blue)

    plain = redness()
    table.request(Request.WARM)
    warm = redness()
    table.request(Request.COOL)
    assert redness() < plain < warm


def test_blur_and_sharp(table: SimulatedTable) -> None:
    """A camera out of focus could not be rehearsed."""
    before = sharpness(table.picture())
    table.request("blur")
    assert sharpness(table.picture()) < 0.2 * before
    table.request("sharp")
    assert sharpness(table.picture()) == pytest.approx(before)


def test_frozen_frames_stay_while_the_game_goes_on(table: SimulatedTable) -> None:
    """A hung camera could not be rehearsed."""
    table.request("freeze")
    first = table.read()
    moves = len(table.outcome()["moves"])
    while len(table.outcome()["moves"]) == moves:
        table.advance(table.t_s + 0.5)
    second = table.read()
    assert first is not None and second is not None
    assert np.array_equal(first.image, second.image) and second.captured_ns > first.captured_ns
    table.request("thaw")
    third = table.read()
    assert third is not None and not np.array_equal(second.image, third.image)


def test_dropped_frames_and_a_lost_camera(table: SimulatedTable) -> None:
    """A loose cable could not be rehearsed."""
    table.request("drop", count=3)
    assert [table.read() is None for _ in range(4)] == [True, True, True, False]
    table.request("lose-camera")
    with pytest.raises(CameraError, match="find-camera"):
        table.read()
    table.request("find-camera")
    assert table.read() is not None
    table.close()
    table.close()
    with pytest.raises(CameraError, match="closed"):
        table.read()


@pytest.mark.parametrize("distance_mm", [3.0, 20.0])
def test_a_nudged_board_takes_its_tiles_along(table: SimulatedTable, distance_mm: float) -> None:
    """A reader that follows a nudged board could not be tried."""
    before, truth, places = table.picture(), table.truth(), table.setup_recording_json()["setup"]["places"]
    table.request("nudge", piece="f1", distance_mm=distance_mm)
    after = table.picture()
    assert table.truth()["places"] == truth["places"]
    x, y = (round(value) for value in places["f1"]["centre"])
    near = np.s_[max(0, y - 40) : y + 40, x - 40 : x + 40]
    assert (before[near] != after[near]).any(axis=2).mean() > 0.05
    far = np.s_[-60:, :60]
    assert np.array_equal(before[far], after[far])
    assert table.outcome()["events"][-1]["piece"] == "f1"


def test_a_board_nudged_under_a_hand_still_gets_its_tile(table: SimulatedTable) -> None:
    """Tiles would be laid between the spaces by players who never lay them so."""
    top = table._top
    for _ in range(80):
        table.advance(table.t_s + 0.25)
        for actor in table._stage.actors.values():
            if actor.carried or actor.pushed:
                table.request("nudge", piece="p1", distance_mm=4.0)
    spaces = [thing for thing in top.resting.values()
              if thing.place is not None and thing.place.startswith(("p1.line", "p1.floor", "p1.wall", "p1.score"))]
    assert len(spaces) > 2
    for thing in spaces:
        spec = table.layout.places[thing.place or ""]
        at = spec.tracks[thing.track].at[thing.index] if spec.tracks else spec.at
        spot = top.arrangement.spots["p1"]
        assert math.dist((thing.x_mm, thing.y_mm), spot.printed(*at)) < 1.5, thing.place


def test_a_slip_on_request_lies_there_and_is_put_right(table: SimulatedTable) -> None:
    """The demo's button would do nothing."""
    table.request("slip")
    while table.sitting.slipping is None:
        table.advance(table.t_s + 0.05)
        assert table.t_s < 600
    slip = table.sitting.slipping.slips[0]
    assert table.settled
    shown = table.contents()
    named = {place: shown[place] for place in slip.places if place in shown}
    visible = table.game.visible(table.sitting.state)
    assert table.game.problems(table.sitting.state, {**visible, **table.sitting.slipping.places})
    while table.sitting.slipping is not None:
        table.advance(table.t_s + 0.05)
    told = table.outcome()["slips"][0]
    assert told["kind"] == slip.slug and told["t_start"] < told["t_end"] <= table.t_s
    while not table.settled:
        table.advance(table.t_s + 0.05)
    assert named is not None and table.sitting.slipping is None


def test_unknown_requests_are_refused_with_what_is_known(table: SimulatedTable) -> None:
    """A typing mistake would be ignored without a word."""
    with pytest.raises(ValueError, match="cannot 'dance'; it knows: slip, nudge"):
        table.request("dance")
    with pytest.raises(ValueError, match="no piece 'sofa'"):
        table.request("nudge", piece="sofa")
    assert {Request(str(wish)) for wish in Request} == set(Request)


def test_the_end_of_a_game_is_the_end_of_its_frames() -> None:
    """A test would wait for ever for another frame."""
    table = make_table("pebbles", haste=30.0)
    table.advance(3600.0)
    with pytest.raises(EndOfFramesError):
        table.read()


def test_wall_time_and_simulated_time_differ_by_the_speed() -> None:
    """The demo's speed would not be what was asked for."""
    now = [100.0]
    table = make_table("azul", 2, speed=4.0, clock=lambda: now[0])
    first = table.read()
    now[0] += 5.0
    second = table.read()
    assert first is not None and second is not None
    assert second.captured_ns - first.captured_ns == pytest.approx(20e9)


def test_no_board_is_pushed_upon_another() -> None:
    """A factory half under another one is found by nobody: a trial would count as lost what cannot happen."""
    play = played_game("azul-duel", 2)
    table = SimulatedTable(play.game, play.layout, 2, play.options, 93011)
    for _ in range(40):
        table.request("nudge")
        assert max(map(table.arrangement.overlap_mm2, table.arrangement.spots)) < 60.0
