"""Each slip by its name: one that is not named, or named wrongly, sends people looking in the wrong place."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.blockers.rules import GAME
from engine.games.blockers.state import State
from engine.types import Severity
from tests.engine.blockers.positions import position

TILES = {"A1": "yellow A", "G1": "yellow 1", "G2": "yellow G", "G3": "yellow moon", "C9": "blue star", "E5": "green E"}


Named = tuple[str, int | None, tuple[str, ...]]
"""Slug, player, places."""


@pytest.fixture
def state() -> State:
    return position(TILES, captured={1: {"yellow": 1}}, turns=[1, 5, 1])


def tile(text: str) -> dict[str, str]:
    colour, face = text.split()
    return {"colour": colour, "face": face}


def named(state: State, changes: dict[str, Any]) -> list[Named]:
    """Slips of a changed table: a cell with a text is a tile, a number of a heap is given as it is."""
    seen = {
        (f"board.{key}" if "." not in key else key): tile(value) if isinstance(value, str) and value != "?" else value
        for key, value in changes.items()
    }
    return [(slip.slug, slip.player, slip.places) for slip in GAME.problems(state, seen)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"B2": "blue 3"}, ("face-does-not-fit", 1, ("board.B2",))),
        ({"G2": "blue 2", "p1.captured": {"yellow": 2}}, ("capture-splits-group", 1, ("board.G2", "p1.captured"))),
        ({"C9": "blue 9"}, ("own-tile-replaced", 1, ("board.C9",))),
        ({"C9": "blue C", "p1.captured": {"yellow": 1, "blue": 1}},
         ("own-tile-replaced", 1, ("board.C9", "p1.captured"))),
        ({"A1": "blue A"}, ("captured-not-kept", 1, ("board.A1", "p1.captured"))),
        ({"A1": "blue A", "p2.captured": {"yellow": 1}},
         ("captured-not-kept", 1, ("board.A1", "p1.captured", "p2.captured"))),
        ({"p1.captured": {}}, ("captured-not-kept", 1, ("p1.captured",))),
        ({"A1": None}, ("tile-removed", 1, ("board.A1",))),
        ({"A1": None, "p1.captured": {"yellow": 2}}, ("tile-removed", 1, ("board.A1", "p1.captured"))),
        ({"B2": "blue 2", "B3": "blue 3"}, ("two-tiles-placed", 1, ("board.B2", "board.B3"))),
        ({"B2": "yellow 2"}, ("out-of-turn", 2, ("board.B2",))),
        ({"E5": "yellow 5", "p2.captured": {"green": 1}}, ("out-of-turn", 2, ("board.E5", "p2.captured"))),
        ({"B2": "green 2"}, ("out-of-turn", 3, ("board.B2",))),
        ({"B2": "yellow 2", "B3": "green 3"}, ("turn-skipped", 1, ("board.B2", "board.B3"))),
        ({"A7": "blue star"}, ("duplicate-tile", 1, ("board.A7", "board.C9"))),
        ({"E5": "blue 5", "A1": None, "p1.captured": {"yellow": 2, "green": 1}},
         ("two-captures", 1, ("board.E5", "board.A1", "p1.captured"))),
        ({"C9": None, "C8": "blue star"}, ("settled-tile-moved", 1, ("board.C9", "board.C8"))),
        ({"A1": "green E", "E5": "yellow A"}, ("settled-tile-moved", 1, ("board.E5", "board.A1"))),
        ({"B2": {"colour": "back", "face": None}}, ("tile-face-down", 1, ("board.B2",))),
        ({"B2": {"colour": "askew", "face": None}, "B3": {"colour": "askew", "face": None}},
         ("tile-off-grid", 1, ("board.B2", "board.B3"))),
        ({"p1.captured": {"yellow": 1, "green": 1}}, ("impossible-tiles", 1, ("p1.captured",))),
        ({"B2": "purple 2"}, ("setup-wrong", None, ("board.B2",))),
    ],
)
def test_a_slip_is_named(state: State, changes: dict[str, Any], expected: Named) -> None:
    assert named(state, changes)[0] == expected


def test_a_turned_board_is_one_slip_and_not_twelve(state: State) -> None:
    cells = {"A9": "yellow A", "A3": "yellow 1", "B3": "yellow G", "C3": "yellow moon", "I7": "blue star"}
    changes = {**dict.fromkeys(TILES), **cells, "E5": "green E"}
    assert named(state, changes) == [("board-turned", None, ("board.A1",))]


def test_several_slips_are_all_named(state: State) -> None:
    slugs = [slug for slug, _, _ in named(state, {"G2": "green 5"})]
    assert slugs == ["out-of-turn", "capture-splits-group", "face-does-not-fit", "captured-not-kept"]


def test_play_after_the_end_is_named() -> None:
    columns = {f"{row}{column}": "blue" for row, column in zip("ABCDEFGHI", "123456789", strict=True)}
    over = position(columns, captured={2: {"blue": 15}}, turns=[24, 24, 24])
    assert GAME.is_over(over)
    free = GAME.data.faces[next(face for face in range(28) if over.unseen[2] >> face & 1)]
    cell = next(
        name for index, name in enumerate(GAME.data.cells)
        if over.board[index] < 0 and GAME.data.fits[GAME.data.face_index[free]] >> index & 1
    )
    assert named(over, {cell: f"blue {free}"}) == [("play-after-the-end", 1, (f"board.{cell}",))]


def test_a_finished_colour_is_named() -> None:
    tiles = dict.fromkeys([f"{row}1" for row in "ABCDEFGHI"], "red 1")
    tiles = {cell: f"red {cell[0]}" for cell in tiles}
    state = position(
        tiles, players=2, colours=(("red", "blue"), ("yellow", "green")), captured={2: {"red": 15}}, turns=[24, 0]
    )
    assert named(state, {"A2": "red 2"})[0] == ("wrong-colour-drawn", 1, ("board.A2",))


def test_nothing_is_a_slip_that_legal_play_explains(state: State) -> None:
    """Two quick moves, a hidden heap or a face that cannot be read must never become an accusation."""
    assert named(state, {}) == []
    assert named(state, {"B2": "blue 2"}) == []
    assert named(state, {"B2": "blue 2", "B3": "yellow 3"}) == []
    assert named(state, {"B2": "blue 2", "B3": "yellow 3", "E9": "green 9"}) == []
    assert named(state, {"A1": "blue A", "p1.captured": "?"}) == []
    assert named(state, {"A1": "?", "p1.captured": "?"}) == []
    assert named(state, {"A1": {"colour": "yellow", "face": "?"}}) == []
    assert named(state, {"B2": {"colour": "blue", "face": None}}) == []


def test_what_only_a_misreading_explains_is_a_question(state: State) -> None:
    for changes in ({"board.A7": tile("blue star")}, {"p1.captured": {"yellow": 1, "green": 1}}):
        assert GAME.problems(state, changes)[0].severity is Severity.QUESTION


def test_every_slip_can_be_said_in_every_language(state: State) -> None:
    from engine.registry import game_folder
    from engine.strings import load_catalogues

    catalogues = load_catalogues(game_folder("blockers"))
    for plausible in GAME.plausible_moves(state):
        for slip in plausible.slips:
            for catalogue in catalogues.values():
                assert "{" not in catalogue.say(f"slips.{slip.slug}", slip.params, ["Ann", "Bo", "Cleo"])
        if plausible.move is not None:
            key, params = GAME.say(plausible.move)
            for catalogue in catalogues.values():
                assert "{" not in catalogue.say(f"moves.{key}", params, ["Ann", "Bo", "Cleo"])


def test_what_a_simulated_table_fumbles_is_named_like_anything_else() -> None:
    """A trial with a mistake that is called otherwise would count a right name as wrong."""
    state = GAME.with_hidden(GAME.new(3), 5)
    found: set[str] = set()
    for seed in range(12):
        for fumble in GAME.fumbles(state, seed):
            assert GAME.problems(state, fumble.places)[:1] == fumble.slips
            found.add(fumble.slips[0].slug)
        state = GAME.play(state, GAME.legal_moves(state)[seed])
    assert found == {"two-tiles-placed", "setup-wrong", "settled-tile-moved"}


def test_each_tile_is_known_by_where_it_lies(state: State) -> None:
    """A tile in view cannot be another one; one that nobody has seen can be anywhere."""
    assert GAME.whereabouts(state, tile("yellow G")) == ("board.G2",)
    assert GAME.whereabouts(state, tile("yellow 7")) == ()
    after = GAME.play(state, next(m for m in GAME.legal_moves(state) if getattr(m, "cell", "") == "A1"))
    assert GAME.whereabouts(after, tile("yellow A")) == ("p1.captured",)
