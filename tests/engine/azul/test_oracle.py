"""Games of another engine. If one fails, this engine keeps a different score from everybody else's."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.commands.oracle import command
from engine.games.azul.rules import GAME

FILE = Path(__file__).parent / "data" / "three-games.jsonl"
GAMES = [json.loads(line) for line in FILE.read_text().splitlines()]


@pytest.mark.parametrize("record", GAMES, ids=lambda record: f"{record['players']} players")
def test_another_engines_game_is_the_same(record: dict[str, Any]) -> None:
    assert GAME.compare_record(record) is None


def change(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def apply(record: dict[str, Any]) -> None:
        *parents, last = path
        place: Any = record
        for key in parents:
            place = place[key]
        place[last] = value

    return apply


@pytest.mark.parametrize(
    ("tamper", "where"),
    [
        (change("first_player", value=0), "round 1, starter"),
        (change("rounds", 0, "factories", 0, value="BBBB"), "round 1, draw order"),
        (change("rounds", 0, "bag_left", value=79), "round 1, tiles left in the bag"),
        (change("rounds", 1, "lid_left", value=3), "round 2, tiles left in the lid"),
        (change("rounds", 0, "moves", 0, "player", value=0), "round 1, move 1"),
        (change("rounds", 0, "marker_taken_by", value=9), "round 1, marker taken by"),
        (change("rounds", 0, "floor_before_tiling", 0, value=["red"]), "round 1, floors before the tiling"),
        (change("rounds", 2, "gain", 1, value=99), "round 3, player 2, gain"),
        (change("rounds", 2, "penalty", 0, value=99), "round 3, player 1, penalty"),
        (change("rounds", 2, "after", 0, "wall", 0, value="11111"), "round 3, player 1, wall"),
        (change("rounds", 2, "after", 0, "lines", value=[None] * 4), "round 3, player 1, lines"),
        (change("rounds", 3, "after", 1, "score", value=77), "round 4, player 2, score"),
        (change("rounds", 0, "next_starter", value=9), "round 1, next starter"),
        (change("end", "bonus", 0, "columns", value=7), "end, player 1, bonus"),
        (change("end", "scores", value=[1, 2]), "end, scores"),
        (change("end", "complete_rows", value=[5, 5]), "end, complete rows"),
        (change("end", "winners", value=[0, 1]), "end, winners"),
        (lambda record: record["rounds"].pop(), "after the last round, phase"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_first_difference_is_found(tamper: Callable[[dict[str, Any]], None], where: str) -> None:
    record = copy.deepcopy(GAMES[0])
    tamper(record)
    difference = GAME.compare_record(record)
    assert difference is not None and difference.startswith(where), difference
    assert "in azul 2 |" in difference


def test_the_command_tells_what_differs_and_names_torn_lines(tmp_path: Path) -> None:
    good = CliRunner().invoke(command, [str(FILE)])
    assert good.exit_code == 0 and good.output == "3 of 3 games are the same.\n"
    wrong = copy.deepcopy(GAMES[1])
    wrong["end"]["winners"] = [0, 1, 2]
    lines = [json.dumps(GAMES[0]), json.dumps(wrong), json.dumps(GAMES[2])[:500], "[1]", '{"players": 2}', ""]
    bad_file = tmp_path / "games.jsonl"
    bad_file.write_text("\n".join(lines))
    bad = CliRunner().invoke(command, [str(bad_file)])
    assert bad.exit_code == 1
    told = bad.output.splitlines()
    assert told[0].startswith(f"line 2, game {wrong['game']}: end, winners")
    assert told[1].startswith("line 3, game ?: this line is torn")
    assert told[2].startswith("line 4, game ?: this line is no record")
    assert told[3].startswith("line 5, game ?: The record is no complete game")
    assert told[4] == "1 of 5 games are the same."
