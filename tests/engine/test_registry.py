"""If these fail, a new game needs edits in other people's files, or one broken game takes the others down with it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from engine.errors import SetupError
from engine.registry import find_games, game_folder


def test_a_new_folder_is_all_a_new_game_needs(extra_folder: Path) -> None:
    games = find_games(extra_folder)
    game = games["pebbles"]
    rng = Random(1)
    state = game.new(2)
    while not game.is_over(state):
        move = rng.choice(game.legal_moves(state)) if game.to_move(state) else game.random_deal(state, 3)
        state = game.apply(state, move).state
    assert game.result(state).winners
    assert game_folder("pebbles", extra_folder) == extra_folder / "pebbles"
    assert set(games) == {*find_games(), "pebbles"}


def test_the_games_that_come_with_the_engine_are_whole() -> None:
    assert find_games().problems == ()


def test_files_of_an_extra_game_can_import_each_other(extra_folder: Path) -> None:
    folder = extra_folder / "pebbles"
    (folder / "numbers.py").write_text("MOST = 3\n", encoding="utf-8")
    rules = (folder / "rules.py").read_text(encoding="utf-8")
    (folder / "rules.py").write_text(rules.replace("import json\n", "import json\nfrom .numbers import MOST\n", 1))
    assert find_games(extra_folder).problems == find_games().problems


def problem_of(extra_folder: Path) -> str:
    """The one sentence about the extra game, after checking that the others are still there."""
    games = find_games(extra_folder)
    assert "pebbles" not in games
    assert set(games) == set(find_games())
    new = [problem for problem in games.problems if "pebbles" in problem]
    assert len(new) == 1
    assert "\n" not in new[0]
    return new[0]


@pytest.mark.parametrize("part", ["rules.py", "game.toml", "layout.toml"])
def test_a_missing_part_is_named(extra_folder: Path, part: str) -> None:
    (extra_folder / "pebbles" / part).unlink()
    assert f"{part} is missing" in problem_of(extra_folder)


def test_a_broken_data_file_is_named(extra_folder: Path) -> None:
    (extra_folder / "pebbles" / "game.toml").write_text("bowl = = 8", encoding="utf-8")
    assert "game.toml: " in problem_of(extra_folder)


def test_a_missing_language_is_named(extra_folder: Path) -> None:
    (extra_folder / "pebbles" / "strings" / "fr.toml").unlink()
    assert "fr.toml is missing" in problem_of(extra_folder)


def test_rules_that_do_not_import_are_told(extra_folder: Path) -> None:
    (extra_folder / "pebbles" / "rules.py").write_text("GAME = 1 / 0\n", encoding="utf-8")
    assert "rules.py cannot be imported: division by zero" in problem_of(extra_folder)


def test_rules_without_a_game_are_told(extra_folder: Path) -> None:
    (extra_folder / "pebbles" / "rules.py").write_text("", encoding="utf-8")
    assert "rules.py offers no GAME" in problem_of(extra_folder)


def test_a_game_that_lacks_a_method_is_told(extra_folder: Path) -> None:
    rules = (extra_folder / "pebbles" / "rules.py").read_text(encoding="utf-8")
    (extra_folder / "pebbles" / "rules.py").write_text(rules.replace("def supplies", "def stores"), encoding="utf-8")
    assert "GAME lacks supplies" in problem_of(extra_folder)


def test_two_games_with_one_id_keep_the_first(extra_folder: Path, tmp_path: Path) -> None:
    games = find_games(extra_folder, extra_folder)
    assert "pebbles" in games
    assert any("the id 'pebbles' is already that of" in problem for problem in games.problems)


def test_an_unknown_game_says_which_there_are(extra_folder: Path) -> None:
    with pytest.raises(SetupError, match=r"there is no game 'chess'; the games found are: .*pebbles"):
        find_games(extra_folder)["chess"]
    assert "chess" not in find_games(extra_folder)


def test_a_folder_that_is_not_there_is_told() -> None:
    games = find_games(Path("no-such-folder"))
    assert "no-such-folder is no folder, so no games were looked for there" in games.problems
