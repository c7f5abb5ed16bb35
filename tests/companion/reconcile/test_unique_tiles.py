"""Tiles of which each exists once: if one of these fails, somebody is accused because of a misread print."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from companion.catalogue import played_game
from companion.reconcile.belief import Asked, Confirmed, Event, SlipCleared, SlipRaised
from companion.reconcile.evidence import Evidence
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS
from tests.companion.reconcile import blockers_table
from tests.companion.reconcile.blockers_table import reached, tile
from tests.companion.reconcile.watching import Watching, moves_of
from vision.reading import Observation

PLAYED = played_game("blockers", 3)
GAME = PLAYED.game
KINDS = {name: place.kind for name, place in PLAYED.layout.places.items()}


class Table(Watching):
    """A table that shows a position, but for some cells."""

    def __init__(self, state: Any) -> None:
        super().__init__(PLAYED, state)

    def look(self, state: Any, **places: Any) -> Observation:
        return self.next_look(shown(state, places))

    def show(self, state: Any, frames: int = 8, **places: Any) -> list[Event]:
        return self.watch(shown(state, places), frames)


def shown(state: Any, cells: dict[str, Any]) -> dict[str, Any]:
    return blockers_table.shown(PLAYED, state, cells)


def played(*moves: str) -> Any:
    return reached(PLAYED, *moves)


def doubtful(observation: Observation, place: str, **shares: float) -> Observation:
    """The same look with a print that may be one of several faces."""
    reading = observation.readings[place]
    faces = dict.fromkeys(reading.parts["face"], math.log(1e-4))
    faces.update({face.removeprefix("n"): math.log(share) for face, share in shares.items()})
    doubted = replace(reading, parts={**reading.parts, "face": faces})
    return replace(observation, readings={**observation.readings, place: doubted})


def test_a_face_that_still_lies_elsewhere_is_not_read_a_second_time() -> None:
    """An 8 in row B looks like a B, and the red B lies in view: it can only be the 8."""
    state = played("p1:red-B@B7", "p2:green-A@A1", "p3:blue-I@I9")
    table = Table(state)
    events = [
        event for _ in range(12)
        for event in table.reconciler.observe(
            doubtful(table.look(state, B8=tile("red", "8")), "board.B8", B=0.93, n8=0.06)
        ).events
    ]
    assert [GAME.format_move(event.move) for event in events if isinstance(event, Confirmed)] == ["p1:red-8@B8"]
    assert not any(isinstance(event, SlipRaised | Asked) for event in events)


def test_nobody_is_accused_because_of_a_print_that_is_only_likely_to_be_wrong() -> None:
    """Ten faint looks at one tile share one mistake."""
    state = played("p1:red-B@B7")
    table = Table(state)
    events = [
        event for _ in range(40)
        for event in table.reconciler.observe(
            doubtful(table.look(state, C9=tile("green", "9")), "board.C9", n5=0.7, n9=0.29)
        ).events
    ]
    assert not any(isinstance(event, SlipRaised) for event in events)


def test_a_six_that_may_be_a_nine_is_still_named_where_neither_fits() -> None:
    """One mistake as well as the other: nobody can tell the two apart, and nobody needs to."""
    state = played("p1:red-B@B7")
    table = Table(state)
    events = [
        event for _ in range(12)
        for event in table.reconciler.observe(
            doubtful(table.look(state, C5=tile("green", "6")), "board.C5", n6=0.84, n9=0.15)
        ).events
    ]
    assert [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips] == [
        "face-does-not-fit"
    ]


def test_a_slip_is_named_although_the_colours_are_not_known_well_yet() -> None:
    """Without sample tiles every colour is read with some doubt: what is twenty times likelier than the next is seen
    all the same."""
    state = played("p1:red-B@B7")
    table, raised = Table(state), list[str]()
    for _ in range(12):
        look = table.look(state, C5=tile("blue", "5"))
        reading = look.readings["board.C5"]
        colours = dict.fromkeys(reading.parts["colour"], math.log(0.035)) | {"blue": math.log(0.73)}
        faint = replace(reading, parts={**reading.parts, "colour": colours})
        events = table.reconciler.observe(replace(look, readings={**look.readings, "board.C5": faint})).events
        raised += [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips]
    assert raised == ["out-of-turn"]


def test_of_two_tiles_laid_at_once_none_is_guessed_to_be_the_move() -> None:
    """Once one of them is back on the rack, the other is the move, whichever it is."""
    state = played("p1:red-B@B7")
    for kept in ("F1", "G2"):
        table, both = Table(state), {"F1": tile("green", "1"), "G2": tile("green", "2")}
        events = table.show(state, 20, **both)
        assert not any(isinstance(event, Confirmed) for event in events)
        assert [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips] == [
            "two-tiles-placed"
        ]
        events = table.show(state, 12, **{kept: both[kept]})
        assert [event.move.cell for event in events if isinstance(event, Confirmed)] == [kept]


def test_two_tiles_laid_at_once_are_named_before_quick_people_have_put_it_right() -> None:
    """Whoever notices by themselves after two seconds should have been told by then."""
    state = played("p1:red-B@B7")
    events = Table(state).show(state, 9, F1=tile("green", "1"), G2=tile("green", "2"))
    assert [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips] == [
        "two-tiles-placed"
    ]


def test_a_turned_board_is_said_and_forgotten_when_it_is_turned_back() -> None:
    """Nothing can be read on it, and yet everybody must know why the companion does not go on."""
    state = played("p1:red-B@B7", "p2:green-A@A1", "p3:blue-I@I9")
    table = Table(state)
    table.show(state, 3)
    events = [
        event for _ in range(6)
        for event in table.reconciler.observe(
            replace(table.look(state), trusted=False, turned={"board": 180})
        ).events
    ]
    raised = [slip for event in events if isinstance(event, SlipRaised) for slip in event.slips]
    assert [(slip.slug, slip.params["degrees"]) for slip in raised] == [("board-turned", 180)]
    assert any(isinstance(event, SlipCleared) for event in table.show(state, 6))


def test_a_tile_that_was_misread_earlier_does_not_end_the_game() -> None:
    """Two red Bs cannot be: one of them was misread. That is said, and play goes on."""
    state = played("p1:red-B@B7", "p2:green-A@A1", "p3:blue-I@I9")
    table = Table(state)
    events = table.show(state, 10, B8=tile("red", "B"))
    assert [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips] == [
        "duplicate-tile"
    ]
    events = table.show(state, 30, B8=tile("red", "B"), G2=tile("green", "2"))
    told = [(event.move.player, event.move.cell) for event in events if isinstance(event, Confirmed)]
    assert told == [(1, "B8"), (2, "G2")]


def test_a_tile_that_was_seen_once_before_it_was_captured_is_known() -> None:
    """The lens is out of focus just then: four faces could have lain there, and nobody can say any more which did. A
    game that waits for an answer to that is lost."""
    state = played("p1:red-A@A1", "p2:green-moon@G2", "p3:blue-B@B5")
    moves = [GAME.parse_move(move) for move in ("p1:red-G@G2xgreen", "p2:green-E@E9", "p3:blue-2@G2xred")]
    table = Table(state)
    table.show(state)
    after = GAME.play(state, moves[0])
    table.pass_over(5)
    events = table.show(after, frames=1)
    blurred = {place: "?" for place in GAME.visible(after) if place.startswith("board.")}
    for move in moves[1:]:
        events += table.watch({**GAME.visible(after), **blurred}, frames=10, hand=True)
        after = GAME.play(after, move)
    events += table.show(after, frames=20)
    assert moves_of(events) == moves


def test_a_tile_that_is_overlooked_once_has_lain_there_all_the_time() -> None:
    """What it shows was taken to have come anew: a tile that was laid on it later was told to have come first, and the
    one below it to have been another."""
    evidence, state = Evidence(KINDS), played()
    evidence.expect(GAME.visible(state))
    camera = NoisyCamera(PLAYED.layout, Noise(), 1)
    for frame, content in enumerate((*[tile("yellow", "circle")] * 6, None, *[tile("yellow", "circle")] * 3), 1):
        evidence.look(evidence.sift(camera.clear_look(shown(state, {"D4": content}), frame * FRAME_NS)))
    assert evidence.stood(("board.D4", "face"), "circle", 10 * FRAME_NS)[0] == 10
