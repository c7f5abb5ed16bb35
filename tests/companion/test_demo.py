"""If these fail, the first thing a newcomer sees is a wall of garbage or nothing at all."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from companion.__main__ import main
from companion.terminal import letters
from engine.registry import find_games


@pytest.mark.parametrize("game_id", list(find_games()))
@pytest.mark.parametrize("language", ["en", "nl", "fr"])
def test_a_whole_game_is_told_in_every_language(game_id: str, language: str) -> None:
    arguments = ["demo", "--game", game_id, "--language", language, "--level", "random", "--seed", "3"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "★ " in done.output.splitlines()[-1]
    assert "\x1b" not in done.output, "colours are for screens only"


def test_the_same_seed_tells_the_same_game() -> None:
    first, again = (CliRunner().invoke(main, ["demo", "--level", "random", "--seed", "5"]).output for _ in range(2))
    assert first == again


def test_no_two_colours_share_a_letter() -> None:
    """Colour-blind people could not tell the tiles apart."""
    assert letters(["blue", "yellow", "red", "black", "white", "marker"]) == {
        "blue": "B", "yellow": "Y", "red": "R", "black": "K", "white": "W", "marker": "M",
    }
