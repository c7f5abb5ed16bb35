"""If one of these fails, a rule has changed: games that were played would now count differently."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contract.golden import FOLDER, result_text, step_text
from tests.contract.setups import GAMES

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_game_plays_as_it_always_did(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    first, start, *lines = text.splitlines()
    setup = json.loads(first)
    game = GAMES[setup["game"]]
    state = game.new(setup["players"], setup["options"], setup["start_player"])
    assert f"  {game.format_position(state)}" == start
    told = [first, start]
    for line in lines:
        if not line.startswith((" ", "result ", "winners ")):
            state, step = step_text(game, state, line)
            told += step.splitlines()
            assert told == text.splitlines()[: len(told)], f"after '{line}'"
    told += result_text(game.result(state)).splitlines()
    assert told == text.splitlines()


def test_every_game_of_the_engine_has_a_golden_game() -> None:
    assert {path.stem.rsplit("-", 1)[0] for path in FILES} >= set(GAMES) - {"pebbles"}
