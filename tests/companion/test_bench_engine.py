"""If these fail, nobody knows whether a change made the engine slower."""

from __future__ import annotations

import json

from click.testing import CliRunner

from companion.__main__ import main
from engine.registry import find_games


def test_every_game_has_a_line_with_its_ratio() -> None:
    done = CliRunner().invoke(main, ["bench", "engine", "--seconds", "0", "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.output)
    assert {row["game"] for row in rows} == set(find_games())
    assert all(row["games"] >= 1 and row["ratio"] > 0 and row["draws_per_game"] > 0 for row in rows)


def test_the_table_names_its_columns() -> None:
    done = CliRunner().invoke(main, ["bench", "engine", "--seconds", "0"])
    assert done.output.splitlines()[0].split()[:4] == ["game", "path", "games", "games/s"]
