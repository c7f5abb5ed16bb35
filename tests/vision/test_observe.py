"""Reading whole tables. If one of these fails, people hear of tiles that are not there, or not of those that are."""

from __future__ import annotations

import numpy as np
import pytest

from companion.disturbances import blur, gains, hand, hidden_by_hand, jpeg, noise, nudged, shifted
from tests.vision.tables import hidden_places, laid, look, misread
from vision.frame import Frame
from vision.observe import STANDS_S, Observer
from vision.reading import Kind


@pytest.mark.parametrize(("name", "start"), [("day", "empty"), ("day", "samples"), ("oblique", "empty")])
def test_settled_frames_are_read_right(name: str, start: str) -> None:
    """Every slot and every score stone of a calm table is right, from above and at a slant."""
    table = laid(name, start)
    observer = Observer(table.layout, table.calibration)
    for index, truth in enumerate(table.truth):
        seen = look(table, table.picture(index), observer)
        if truth["settled"]:
            assert misread(table, seen, index) == []
            assert seen.trusted


@pytest.mark.parametrize("name", ["day", "oblique"])
def test_a_game_under_way_is_read_from_taps_alone(name: str) -> None:
    """Somebody who switches the companion on in mid-game, without a picture of the empty table, is served too."""
    table = laid(name, "taps", 1)
    assert misread(table, look(table, table.picture(1)), 1) == []


def test_reading_does_not_depend_on_what_was_seen_before() -> None:
    """Only what changed is read anew: that must not make a difference to what is read."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    for index in (0, 2, 1):
        look(table, table.picture(index), observer)
    last, fresh = look(table, table.picture(3), observer), look(table, table.picture(3))
    for name, reading in fresh.readings.items():
        if reading.kind is Kind.SLOT:
            assert last.readings[name].best()[0] == reading.best()[0], name


DISTURBANCES = {
    "dim": gains(0.4, 0.4, 0.4), "bright": gains(1.6, 1.6, 1.6), "warm": gains(0.55, 0.9, 1.2),
    "cool": gains(1.3, 1.0, 0.7), "blur": blur(1.5), "noise": noise(8.0), "jpeg": jpeg(50),
    "picture moved 6 px": shifted(5.0, -4.0), "picture moved 30 px": shifted(-28.0, 12.0),
}


@pytest.mark.parametrize("way", DISTURBANCES)
def test_other_light_and_poor_pictures_do_not_mislead(way: str) -> None:
    """A lamp switched on, a cloud, a cheap webcam: 99 of 100 slots stay right."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    look(table, table.picture(0), observer)
    seen = look(table, DISTURBANCES[way](table.picture(3)), observer)
    slots = [reading for reading in seen.readings.values() if reading.kind is Kind.SLOT]
    assert len(misread(table, seen, 3)) <= 0.01 * len(slots)
    assert len(hidden_places(seen)) <= 0.02 * len(slots)


def test_what_a_lamp_no_longer_shows_is_not_guessed() -> None:
    """The lamp goes out in mid-game: nobody may hear of tiles that the dark seems to show."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    look(table, table.picture(1), observer)
    dark = look(table, noise(1.5)(gains(0.02, 0.02, 0.02)(table.picture(1))), observer)
    assert (dark.trusted, dark.why, dict(dark.readings)) == (False, "dark", {})
    again = look(table, table.picture(1), observer)
    assert again.trusted
    assert misread(table, again, 1, (Kind.SLOT, Kind.HEAP)) == []


@pytest.mark.parametrize(("distance", "turn"), [(4, 0.0), (12, 0.02), (25, -0.04), (40, 0.05)])
def test_a_nudged_board_is_found_again(distance: int, turn: float) -> None:
    """A sleeve pushes a board in mid-game: nobody should notice."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    look(table, table.picture(0), observer)
    push = nudged(table.calibration.matrices["p2"], distance * 0.8, -distance * 0.6, turn)
    seen = look(table, push(table.picture(3)), observer)
    assert misread(table, seen, 3) == []
    assert seen.moved == ("p2",)


@pytest.mark.parametrize("distance", [6, 24])
def test_a_pushed_factory_is_found_again(distance: int) -> None:
    """A sleeve pushes a factory with its tiles: tiles that are not there must not be seen on it from then on."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    look(table, table.picture(0), observer)
    before = {piece: observer.matrices[piece] for piece in ("f1", "f2")}
    pushed = table.picture(1)
    for matrix in before.values():
        pushed = nudged(matrix, distance * 0.6, -distance * 0.8, 0.02)(pushed)
    seen = look(table, pushed, observer)
    assert [wrong for wrong in misread(table, seen, 1, (Kind.HEAP,)) if not wrong.startswith("centre")] == []
    for piece, matrix in before.items():
        assert np.linalg.norm(observer.matrices[piece] - matrix) > distance / 2


@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_a_hand_hides_what_is_below_it_and_nothing_else(side: int) -> None:
    """A hand over a third of a board must not turn into tiles, nor make the rest of the board go away."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    look(table, table.picture(1), observer)
    seen = look(table, hand(table.calibration.matrices["p1"], side)(table.picture(1)), observer)
    assert seen.hand
    assert misread(table, seen, 1, (Kind.SLOT,)) == []
    places = table.layout.places
    wrongly = [name for name in hidden_places(seen)
               if places[name].piece != "p1" or not hidden_by_hand(side, places[name].at)]
    assert len(wrongly) <= 3


def test_what_was_put_on_a_board_to_stay_is_no_hand() -> None:
    """A glass stood on a score track for minutes: no move was agreed on until somebody took it away, for as long as a
    hand is there more may follow."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    matrix, picture = table.calibration.matrices["p1"], table.picture(1)
    observer.observe(Frame(picture, 0))
    with_glass = hand(matrix, 0)(picture)
    times_s = (1.0, 2.0, 1.0 + STANDS_S, 2.0 + STANDS_S)
    seen = [observer.observe(Frame(with_glass, round(each * 1e9))) for each in times_s]
    assert [each.hand for each in seen] == [True, True, False, False]
    assert all(hidden_places(each) == hidden_places(seen[0]) for each in seen)
    assert observer.observe(Frame(hand(matrix, 2)(with_glass), round((3.0 + STANDS_S) * 1e9))).hand


def test_probabilities_say_what_they_mean() -> None:
    """A reading given 99 % is right at least 98 times of 100, or the table announces slips that nobody made."""
    sure, right = 0, 0
    for name in ("day", "oblique"):
        table = laid(name)
        for index, truth in enumerate(table.truth):
            if not truth["settled"]:
                continue
            for place, reading in look(table, table.picture(index)).readings.items():
                content, probability = reading.best()
                if reading.kind is Kind.SLOT and probability >= 0.99:
                    sure += 1
                    right += content == truth["places"][place]
    assert sure > 500
    assert right >= 0.98 * sure


def test_an_unchanged_frame_is_not_read_again() -> None:
    """A Pi that reads the same table thirty times a second gets hot for nothing."""
    table = laid("day")
    observer = Observer(table.layout, table.calibration)
    first = look(table, table.picture(1), observer)
    grain = np.random.default_rng(3).integers(-2, 3, table.picture(1).shape)
    again = look(table, np.clip(table.picture(1) + grain, 0, 255).astype(np.uint8), observer)
    assert again.still
    assert again.readings is first.readings


def test_a_dark_frame_is_not_believed() -> None:
    """When the lamp goes out all tiles seem gone; nobody must be told so."""
    table = laid("day")
    black = np.zeros_like(table.picture(0))
    seen = Observer(table.layout, table.calibration).observe(Frame(black, 0))
    assert not seen.trusted
    assert seen.why == "dark"
