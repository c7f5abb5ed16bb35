"""Bad input. If one fails, somebody gets a riddle instead of one clear sentence."""

from __future__ import annotations

from importlib import resources

import pytest

from engine.errors import EngineError, IllegalMoveError, NotationError, SetupError
from engine.games.azul.data import parse
from engine.games.azul.jsonform import FORMAT
from engine.games.azul.moves import CENTRE, Deal, Take, Tile
from engine.games.azul.rules import GAME
from engine.games.azul.visible import visible
from tests.engine.azul.helpers import board, counts, position

B, Y, R, K, W = range(5)
TEXT = resources.files("engine.games.azul").joinpath("game.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[1, 1, 2, 2, 2, 3, 3]", "[1, 1, 2, 2, 2, 3]", "'floor_values' should have seven numbers, not 6."),
        ('"WBYRK"', '"WBYRR"', "row 2 of 'wall_pattern' should have each of BYRKW once, not 'WBYRR'."),
        ('"WBYRK"', '"BYRKW"', "column 1 of 'wall_pattern' repeats a colour"),
        ("tiles_per_colour = 20", "tiles_per_colour = 2", "need 36 tiles, but there are only 10."),
        ("4 = 9", "", "'discs_by_players' should list [2, 3, 4], but it lists [2, 3]."),
        ("score_track_max = 100", 'score_track_max = "many"', "'score_track_max' should be a int"),
        ('severity = "question"', 'severity = "doubt"', "'impossible-tiles' needs a rule and a severity"),
        ("format =", "format", "is not valid TOML"),
    ],
)
def test_a_wrong_game_file_is_told_in_one_sentence(old: str, new: str, sentence: str) -> None:
    assert old in TEXT
    with pytest.raises(SetupError) as raised:
        parse(TEXT.replace(old, new))
    assert sentence in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("players", "options", "start", "sentence"),
    [
        (5, None, 1, "Azul is for 2, 3, 4 players, not 5."),
        (2, {"walls": "grey"}, 1, "Azul has no option 'walls'"),
        (2, {"wall": "pink"}, 1, "can be 'coloured', 'grey', not 'pink'."),
        (2, None, 3, "The start player should be a number from 1 to 2, not 3."),
    ],
)
def test_a_game_that_cannot_be_set_up(players: int, options: dict[str, str], start: int, sentence: str) -> None:
    with pytest.raises(SetupError) as raised:
        GAME.new(players, options, start)
    assert sentence in str(raised.value)


OFFER = position(
    [board("R1,-,-,K2,-", "..... .B... ..... ..... ....."), board()],
    ["BBRK"],
    "WWM",
)


@pytest.mark.parametrize(
    ("move", "slug", "rule"),
    [
        (Take(2, 1, B, 1, 2), "out-of-turn", "A30"),
        (Take(1, 2, B, 3, 1), "impossible-tiles", "A2"),
        (Take(1, 1, B, 3, 1), "tiles-left-behind", "A32"),
        (Take(1, CENTRE, W, 3, 1), "tiles-left-behind", "A33"),
        (Take(1, 1, B, 1, 2), "line-overfilled", "A40"),
        (Take(1, 1, B, 4, 2), "colour-mixed-in-line", "A39"),
        (Take(1, 1, B, 2, 2), "colour-already-on-wall", "A41"),
        (Take(1, 1, B, 5, 2, 1), "floor-instead-of-line", "A44"),
        (Tile(1, (3, 0, 0, 0, 0)), "tiled-too-early", "A48"),
        (Deal((counts("BBBB"),) * 5), "factory-wrong-count", "A48"),
    ],
)
def test_an_illegal_move_carries_slug_move_and_position(move: object, slug: str, rule: str) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        GAME.apply(OFFER, move)
    error = raised.value
    assert (error.slug, error.slip.rule) == (slug, rule)
    assert GAME.parse_move(error.move) == move and GAME.parse_position(error.position) == OFFER


@pytest.mark.parametrize(
    ("move", "slug"),
    [
        (Tile(1, (0, 1, 0, 0, 0)), "complete-line-not-tiled"),
        (Tile(1, (3, 1, 0, 0, 0)), "incomplete-line-tiled"),
        (Tile(1, (2, 0, 0, 0, 0)), "wrong-wall-space"),
        (Tile(2, (0, 0, 0, 0, 0)), "out-of-turn"),
        (Take(1, 1, B, 1, 1), "out-of-turn"),
        (Deal((counts("BBBB"),) * 5), "complete-line-not-tiled"),
    ],
)
def test_an_illegal_tiling(move: object, slug: str) -> None:
    state = position([board("R1,B1,-,-,-"), board()], phase="tiling", waiting=(1,))
    with pytest.raises(IllegalMoveError) as raised:
        GAME.apply(state, move)
    assert raised.value.slug == slug


@pytest.mark.parametrize("text", ["", "p1 f3 green*2 line2", "p1 f3 red line2", "p1 tile 12345x", "deal BBXX", "deal "])
def test_a_text_that_is_no_move(text: str) -> None:
    with pytest.raises(NotationError) as raised:
        GAME.parse_move(text)
    assert "no move of Azul" in str(raised.value) or "no heap of tiles" in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [("azul 2", "chess 2"), ("offer", "brunch"), ("B2", "B6"), (" | M", ""), ("1 1 |", "7 1 |"), ("20.", "x.")],
)
def test_a_text_that_is_no_position(old: str, new: str) -> None:
    state = position([board("-,B2,-,-,-"), board()], ["RRRR"], "M")
    state = state._replace(supply=state.supply._replace(bag=(20,) * 5, bag_total=100))
    text = GAME.format_position(state)
    assert old in text
    with pytest.raises(NotationError):
        GAME.parse_position(text.replace(old, new))


@pytest.mark.parametrize("value", [None, [], {}, {"format": FORMAT}, {"format": FORMAT, "players": 9}])
def test_json_that_is_no_position(value: object) -> None:
    with pytest.raises(NotationError):
        GAME.from_json(value)


@pytest.mark.parametrize(
    ("changes", "hints", "sentence"),
    [
        ({"p1.line3.1": "red", "p1.line3.2": "blue"}, {}, "holds two colours"),
        ({"p1.wall.1.1": "red"}, {}, "'p1.wall.1.1' is no space for red."),
        ({"p1.wall.1.1": "blue", "p1.line1.1": "blue"}, {}, "lies on its wall row already"),
        ({"p1.floor.1": "marker", "p2.floor.1": "marker"}, {}, "more than one place"),
        ({"f1": {"red": 21}}, {}, "21 red tiles lie on the table, but there are only 20."),
        ({"f1": "?"}, {}, "while 'f1' is hidden"),
        ({"f9": {}}, {}, "no place 'f9'"),
        ({"p1.line1.1": "green"}, {}, "'p1.line1.1' cannot hold 'green'."),
        ({}, {"weather": "fine"}, "no hint 'weather'"),
        ({}, {"phase": "over"}, "The phase cannot be 'over' on this table"),
    ],
)
def test_a_table_that_is_no_position(changes: dict[str, object], hints: dict[str, object], sentence: str) -> None:
    seen = {**visible(GAME.new(2)), **changes}
    with pytest.raises(SetupError) as raised:
        GAME.position_from(seen, 2, None, 1, **hints)
    assert sentence in str(raised.value)


def test_no_result_before_the_end() -> None:
    with pytest.raises(EngineError, match="not over yet"):
        GAME.result(GAME.new(2))


def test_a_deal_that_cannot_be_read_yet() -> None:
    with pytest.raises(EngineError, match="while f2 is hidden"):
        GAME.deal(GAME.new(2), {"f1": {"red": 4}, "f2": "?"})
    with pytest.raises(IllegalMoveError) as raised:
        GAME.deal(GAME.new(2), {"f1": {"red": 4}})
    assert raised.value.slug == "factory-wrong-count"
