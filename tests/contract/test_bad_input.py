"""If one of these fails, a slip of the keyboard ends in a traceback instead of a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.__main__ import main
from engine.api import Game
from engine.errors import EngineError, IllegalMoveError, NotationError, SetupError
from tests.contract.setups import CHECKED, GAMES, Setup

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def one_sentence(error: BaseException) -> str:
    """The message, after checking that it is one line that says something."""
    text = str(error)
    assert len(text) > 10
    assert "\n" not in text
    return text


@every_game
def test_a_wrong_number_of_players(game: Game) -> None:
    for players in (0, min(game.players) - 1, max(game.players) + 1):
        with pytest.raises(SetupError) as raised:
            game.new(players)
        assert str(players) in one_sentence(raised.value)


@every_game
def test_a_start_player_who_does_not_play(game: Game) -> None:
    players = min(game.players)
    for start in (0, players + 1):
        with pytest.raises(SetupError) as raised:
            game.new(players, None, start)
        one_sentence(raised.value)


@every_game
def test_an_unknown_option(game: Game) -> None:
    with pytest.raises(SetupError) as raised:
        game.new(min(game.players), {"no_such_option": 1})
    assert "no_such_option" in one_sentence(raised.value)


@every_game
def test_an_option_with_a_value_it_cannot_have(game: Game) -> None:
    for name in game.options:
        with pytest.raises(SetupError) as raised:
            game.new(min(game.players), {name: "no-such-value"})
        assert name in one_sentence(raised.value)


@every_game
@pytest.mark.parametrize("text", ["", "nonsense", "p1 p1 p1", "1", "\x00", "é" * 300, "{}", "p9 f99 blue line9"])
def test_a_text_that_is_no_move_and_no_position(game: Game, text: str) -> None:
    with pytest.raises(NotationError) as raised:
        game.parse_move(text)
    one_sentence(raised.value)
    with pytest.raises(NotationError) as raised:
        game.parse_position(text)
    one_sentence(raised.value)


@pytest.mark.parametrize("setup", CHECKED, ids=str)
def test_an_illegal_move_carries_its_slug_move_and_position(setup: Setup) -> None:
    """The same move once more is out of turn or finds nothing to take."""
    game = setup.game
    tried = 0
    for before, move, after in setup.walk(3):
        if game.player_of(move) is None or move in game.legal_moves(after):
            continue
        tried += 1
        with pytest.raises(IllegalMoveError) as raised:
            game.apply(after, move)
        assert raised.value.slug == raised.value.slip.slug
        assert raised.value.move == game.format_move(move)
        assert raised.value.position == game.format_position(after)
        one_sentence(raised.value)
        assert game.format_position(before) != game.format_position(after)
    assert tried


@every_game
def test_a_table_that_cannot_be(game: Game) -> None:
    with pytest.raises(EngineError) as raised:
        game.position_from({}, max(game.players) + 1)
    one_sentence(raised.value)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["demo", "--game", "chess"], "there is no game 'chess'"),
        (["demo", "--players", "99"], "99"),
        (["bench", "engine", "--game", "chess"], "there is no game 'chess'"),
        (["demo", "--language", "de"], "'de' is not one of"),
        (["no-such-command"], "No such command"),
    ],
)
def test_the_program_answers_in_a_sentence(arguments: list[str], told: str) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code != 0
    assert told in done.output
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_a_game_file_with_a_wrong_value_is_named(extra_folder: Path) -> None:
    (extra_folder / "pebbles" / "layout.toml").write_text("format = [", encoding="utf-8")
    done = CliRunner().invoke(main, ["demo", "--folder", str(extra_folder), "--game", "pebbles"])
    assert done.exit_code == 1
    assert "layout.toml" in done.output
