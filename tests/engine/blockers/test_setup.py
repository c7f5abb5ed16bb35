"""Bad input: one clear sentence, so that people at a table know what to change."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from engine.errors import EngineError, NotationError, SetupError
from engine.games.blockers.data import parse
from engine.games.blockers.rules import GAME
from tests.engine.blockers.positions import position

TEXT = resources.files("engine.games.blockers").joinpath("game.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("players", "options", "sentence"),
    [
        (6, {}, "Blockers! is for 2 to 5 players, not 6."),
        (1, {}, "Blockers! is for 2 to 5 players, not 1."),
        (3, {"wall": "grey"}, "Blockers! has no option 'wall'"),
        (3, {"tie_policy": "duel"}, "'tie_policy' of Blockers! can be 'shared', 'fewer_groups', not 'duel'."),
        (3, {"colours": ["red", "blue"]}, "should name 3 players' colours"),
        (3, {"colours": ["red", "blue", "red"]}, "The colour red is given to two players"),
        (3, {"colours": ["red", "blue", "white"]}, "Blockers! has no colour 'white'"),
        (3, {"colours": "red"}, "is a list, a colour for each player, not 'red'"),
        (2, {"two_player_mode": "two_colours", "colours": [["red", "green"], ["blue"]]}, "needs 2 colours for each"),
    ],
)
def test_a_game_that_cannot_be_set_up(players: int, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SetupError) as caught:
        GAME.new(players, options)
    assert sentence in str(caught.value)


def test_two_people_who_name_one_colour_each_can_play_with_two() -> None:
    """The page asks everybody for a colour; who then chooses the game with two gets the next that nobody has."""
    rules = GAME.new(2, {"two_player_mode": "two_colours", "colours": ["blue", "green"]}, 1).rules
    assert rules.options["colours"] == [["blue", "red"], ["green", "yellow"]]


def test_one_colour_each_means_the_simple_game_for_two() -> None:
    """A recording names one colour for each player: two people must not be asked for four."""
    state = GAME.new(2, {"colours": ["red", "blue"]})
    assert state.rules.two_player_mode == "one_colour" and state.rules.turns == 24
    assert GAME.new(2, {"colours": ["red", "blue", "green", "purple"]}).rules.options["colours"] == [
        ["red", "blue"], ["green", "purple"]
    ]


def test_the_start_player_must_exist() -> None:
    with pytest.raises(SetupError, match="start player should be a number from 1 to 3, not 4"):
        GAME.new(3, {}, 4)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"board.A1": "?"}, "board.A1 cannot be seen"),
        ({"board.A1": {"colour": "pink", "face": "1"}}, "colour 'pink'"),
        ({"board.A1": {"colour": "blue", "face": "Z"}}, "face 'Z'"),
        ({"board.A1": {"colour": "blue", "face": None}}, "cannot be read"),
        ({"board.A1": {"colour": "purple", "face": "1"}}, "nobody plays purple"),
        ({"board.A1": "blue"}, "should hold null or a colour and a face"),
        ({"p1.captured": {"yellow": 40}}, "40 yellow tiles"),
        ({"p1.captured": 3}, "should hold counts by colour"),
        ({"p9.captured": {}}, "'p9.captured' is no place"),
    ],
)
def test_a_table_that_cannot_be_taken_over(change: dict[str, Any], sentence: str) -> None:
    options = {"colours": ["blue", "yellow", "green"]}
    seen = {**GAME.visible(position()), **change}
    with pytest.raises(SetupError) as caught:
        GAME.position_from(seen, 3, options)
    assert sentence in str(caught.value)


def test_turns_that_cannot_be() -> None:
    seen = GAME.visible(position({"A1": "blue"}))
    options = {"colours": ["blue", "yellow", "green"]}
    with pytest.raises(SetupError, match="Player 1 is said to have had 0 turns, but 1 of their tiles"):
        GAME.position_from(seen, 3, options, turns=[0, 0, 0])
    with pytest.raises(SetupError, match="'turns' should be 3 numbers from 0 to 24"):
        GAME.position_from(seen, 3, options, turns=[1, 0])
    assert GAME.position_from(seen, 3, options, to_move=2).turns == (1, 0, 0)


@pytest.mark.parametrize("text", ["", "p1:red-heart", "p1:pink-1@A1", "p1:red-Z@A1", "p1:red-1@K1", "p1:red-1@A1xpink"])
def test_a_text_that_is_no_move(text: str) -> None:
    with pytest.raises(NotationError, match="is no move of Blockers!"):
        GAME.parse_move(text)


def test_a_text_that_is_no_position() -> None:
    good = GAME.format_position(position({"A1": "blue"}))
    for bad in ("", "blue", good.replace("board=", "boards="), good.replace("b1", "b?"), good + " x", good[:-4]):
        with pytest.raises(NotationError, match="is no position of Blockers!"):
            GAME.parse_position(bad)
    with pytest.raises(SetupError, match="no position of Blockers!"):
        GAME.from_json({"players": 3})


def test_the_result_waits_for_the_end() -> None:
    with pytest.raises(EngineError, match="not over yet"):
        GAME.result(GAME.new(3))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('colour_letters = "rgbyp"', 'colour_letters = "rgbyy"', "different letters"),
        ('rows = "ABCDEFGHI"', 'rows = "ABCDEFGH"', "'rows' should be nine different characters"),
        ("rack_size = 5", "rack_size = 0", "'rack_size' should be above 0"),
        ("unplayed = 4", "unplayed = 9", "should be below 'rack_size'"),
        ('"moon", "heart", "square"', '"moon", "heart", "heart"', "nine different symbols"),
        ("players = [2, 3, 4, 5]", "players = [2, 3, 4, 5, 6]", "'players' should count up to at most 5"),
        ('severity = "question" }', 'severity = "maybe" }', "needs a rule and a severity"),
        ('id = "blockers"', "id = ", "is not valid TOML"),
    ],
)
def test_a_data_file_that_cannot_be_played_by(old: str, new: str, sentence: str) -> None:
    assert old in TEXT
    with pytest.raises(SetupError) as caught:
        parse(TEXT.replace(old, new, 1))
    assert sentence in str(caught.value) and str(caught.value).startswith("game.toml")
