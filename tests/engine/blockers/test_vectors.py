"""The rule sheet's own examples: where one fails, the companion plays another game than the one in the box."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMoveError
from engine.games.blockers.data import members
from engine.games.blockers.groups import groups
from engine.games.blockers.moves import Pass, Place, may_pass
from engine.games.blockers.rules import GAME
from engine.games.blockers.scoring import result, scores
from engine.games.blockers.state import Hands, State
from tests.engine.blockers.positions import cells, position

RING = ("D4", "D5", "D6", "E4", "E6", "F4", "F5", "F6")


def with_rack(state: State, colour: str, faces: str) -> State:
    """The position in which the rack of a colour is known."""
    data = state.rules.data
    racks = [0] * len(data.colours)
    racks[data.colour_index[colour]] = sum(1 << data.face_index[face] for face in faces.split())
    return state._replace(hands=Hands(tuple(racks), ((),) * len(data.colours)))


def may_capture(tiles: tuple[str, ...], target: str) -> bool:
    """Whether blue's joker may take the yellow tile on the target."""
    return target in cells(position(dict.fromkeys(tiles, "yellow")), 1, "joker")


@pytest.mark.parametrize(
    ("face", "expected"),
    [
        ("4", {f"{row}4" for row in "ABCDEFGHI"}),
        ("G", {f"G{column}" for column in "123456789"}),
        ("moon", {f"{row}{column}" for row in "GHI" for column in "123"}),
        ("joker", set(GAME.data.cells)),
    ],
    ids=["B-V1-number", "B-V1-letter", "B-V1-symbol", "B-V1-joker"],
)
def test_a_face_goes_where_the_rules_say(face: str, expected: set[str]) -> None:
    assert cells(position(), 1, face) == expected


@pytest.mark.parametrize("face", ["moon", "G", "2"], ids=["B-V2-moon", "B-V2-G", "B-V2-2"])
def test_three_faces_capture_on_g2(face: str) -> None:
    state = position({"G2": "yellow G"})
    after = GAME.apply(state, Place(1, "blue", face, "G2", "yellow")).state
    seen = GAME.visible(after)
    assert seen["board.G2"] == {"colour": "blue", "face": face}
    assert seen["p1.captured"] == {"yellow": 1}


@pytest.mark.parametrize("face", ["3", "heart"], ids=["B-V2b-3", "B-V2b-heart"])
def test_other_faces_do_not(face: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        GAME.apply(position({"G2": "yellow G"}), Place(1, "blue", face, "G2", "yellow"))
    assert caught.value.slug == "face-does-not-fit"


@pytest.mark.parametrize(
    ("tiles", "target", "expected"),
    [
        pytest.param(("G1", "G2", "G3"), "G2", False, id="B-V3-middle"),
        pytest.param(("G1", "G2", "G3"), "G1", True, id="B-V3-end"),
        *(pytest.param(("D4", "D5", "E4", "E5"), cell, True, id=f"B-V3b-{cell}") for cell in ("D4", "D5", "E4", "E5")),
        pytest.param(("D5", "E4", "E5", "E6", "F5"), "E5", False, id="B-V3c-middle"),
        pytest.param(("D5", "E4", "E5", "E6", "F5"), "D5", True, id="B-V3c-arm"),
        *(pytest.param(RING, cell, True, id=f"B-V3d-{cell}") for cell in RING),
        pytest.param(("G2", "G3"), "G2", True, id="B-V3e-left"),
        pytest.param(("G2", "G3"), "G3", True, id="B-V3e-right"),
    ],
)
def test_a_capture_must_leave_one_group(tiles: tuple[str, ...], target: str, expected: bool) -> None:
    assert may_capture(tiles, target) is expected


def test_scores_of_figure_c() -> None:
    """B-V4 and B-V4b: 4 + 1, 3 + 2 and 2; of the two with 5, fewer captures in total rank higher."""
    state = position(
        {
            "A1": "yellow", "C3": "yellow", "E5": "yellow", "G7": "yellow",
            "A9": "blue", "C7": "blue", "I9": "blue",
            "I1": "green", "I2": "green", "I4": "green",
        },
        captured={1: {"yellow": 2}, 2: {"blue": 1}},
    )
    assert scores(state) == (5, 5, 2)
    outcome = result(state)
    assert outcome.winners == (3,)
    assert outcome.decided_by == "score"
    assert [standing.tie_break for standing in outcome.standings] == [2, 1, None]
    for standing in outcome.standings:
        assert sum(reason.points for reason in standing.reasons) == standing.score


def test_equal_colours_count_once() -> None:
    """B-V5: two groups; captured red 2, green 2, purple 1."""
    state = position(
        {"A1": "blue", "C3": "blue"}, players=4, colours=("blue", "red", "green", "purple"),
        captured={1: {"red": 2, "green": 2, "purple": 1}},
    )
    assert scores(state)[0] == 4


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [(("A1", "B2"), 2), (("A1", "A2", "B2"), 1), (("A9", "B1"), 2)],
    ids=["B-V6-diagonal", "B-V6-corner", "B-V6-wrap"],
)
def test_groups_touch_by_edges(tiles: tuple[str, ...], expected: int) -> None:
    state = position(dict.fromkeys(tiles, "blue"))
    assert len(groups(state.stones[state.rules.data.colour_index["blue"]])) == expected


@pytest.mark.parametrize(
    ("players", "placements"), [(3, 72), (4, 96), (5, 120)], ids=["B-V7-3", "B-V7-4", "B-V7-5"]
)
def test_a_whole_game(players: int, placements: int) -> None:
    """B-V7 and B-V9: everybody places 24 tiles, nobody draws after turn 23, four tiles stay on each rack."""
    state = GAME.with_hidden(GAME.new(players), seed=players)
    moves = []
    while not GAME.is_over(state):
        choices = GAME.legal_moves(state)
        moves.append(choices[len(moves) * 7919 % len(choices)])
        state = GAME.play(state, moves[-1])
        for own, turns in zip(state.rules.colours, state.turns, strict=True):
            assert state.hands is not None
            assert len(state.hands.piles[own[0]]) == max(0, 23 - turns)
    captures = sum(sum(heap) for heap in state.captured)
    on_board = sum(stones.bit_count() for stones in state.stones)
    assert len(moves) == placements
    assert on_board == placements - captures <= 81
    if players == 5:
        assert captures >= 39
    assert state.hands is not None
    assert [rack.bit_count() for rack in state.hands.racks][:players] == [4] * players


def test_a_forced_capture() -> None:
    """B-V8: the rack fits no empty cell, one capture exists: it is the only move, and passing is none."""
    tiles = {f"{row}4": "yellow" for row in "ABCDEFGHI"}
    state = with_rack(position(tiles), "blue", "4")
    assert set(GAME.legal_moves(state)) == {
        Place(1, "blue", "4", "A4", "yellow"), Place(1, "blue", "4", "I4", "yellow")
    }
    with pytest.raises(IllegalMoveError) as caught:
        GAME.apply(state, Pass(1))
    assert caught.value.slug == "turn-skipped"


def test_two_colours_score_together() -> None:
    """B-V10: red 3 groups, blue 2 groups; captured yellow 2, green 1, own blue 1."""
    state = position(
        {"A1": "red", "A3": "red", "A5": "red", "I1": "blue", "I3": "blue"},
        players=2, colours=(("red", "blue"), ("yellow", "green")), captured={1: {"yellow": 2, "green": 1, "blue": 1}},
    )
    assert scores(state)[0] == 7


def test_no_move_at_all() -> None:
    """B35: with nothing that fits, the turn can be skipped; a secret rack that may hold a fitting tile cannot pass."""
    own = {f"{row}4": "blue" for row in "ABCDEFGHI"}
    stuck = with_rack(position(own), "blue", "4")
    assert GAME.phase(stuck) == "no-move"
    assert GAME.legal_moves(stuck) == [Pass(1)]
    after = GAME.apply(stuck, Pass(1)).state
    assert after.player == 2 and after.turns == (stuck.turns[0] + 1, 0, 0)
    assert not may_pass(position(own))
    assert not may_pass(position(own, no_move_policy="ask"))


def test_the_second_own_colour() -> None:
    """B53: whether it may be captured is an option."""
    tiles = {"A1": "red"}
    colours = (("red", "blue"), ("yellow", "green"))
    allowed = position(tiles, players=2, colours=colours)
    forbidden = position(tiles, players=2, colours=colours, two_player_capture_own_second_colour=False)
    capture = Place(1, "blue", "1", "A1", "red")
    assert capture in GAME.legal_moves(allowed)
    assert capture not in GAME.legal_moves(forbidden)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.apply(forbidden, capture)
    assert caught.value.slug == "own-tile-replaced"


def test_a_finished_colour_is_over() -> None:
    """B54: after 24 tiles of a colour only the other one is played."""
    tiles = dict.fromkeys([*(f"{row}1" for row in "ABCDEFGHI"), *(f"I{column}" for column in "23456789"), "E5"], "red")
    state = position(
        tiles, players=2, colours=(("red", "blue"), ("yellow", "green")), captured={2: {"red": 6}}, turns=[24, 0]
    )
    assert {move.colour for move in GAME.legal_moves(state) if isinstance(move, Place)} == {"blue"}


def test_every_cell_accepts_four_faces() -> None:
    """B15, B12: letter, number, symbol of the region, joker."""
    accepted = {
        GAME.data.cells[cell]: {GAME.data.faces[face] for face in members(faces)}
        for cell, faces in enumerate(GAME.data.accepted)
    }
    assert all(len(faces) == 4 for faces in accepted.values())
    assert accepted["G2"] == {"G", "2", "moon", "joker"}
    assert accepted["E5"] == {"E", "5", "circle", "joker"}
    assert accepted["A9"] == {"A", "9", "star", "joker"}
