"""A game that was really played, followed from what lay on the table: every position, every slip, no false alarm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.games.blockers.moves import Move
from engine.games.blockers.rules import GAME
from engine.games.blockers.state import State

FILE = Path(__file__).with_name("played_game.json")


@pytest.fixture(scope="module")
def played() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return value


def move_of(state: State, wanted: dict[str, Any]) -> Move:
    """The legal move that a recording describes."""
    keys = ("player", "to", "face", "captured")
    (move,) = [
        move for move in GAME.legal_moves(state)
        if (told := GAME.describe(move)) and all(told[key] == wanted[key] for key in keys)
    ]
    return move


def tables(played: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each frame with all its places."""
    table: dict[str, Any] = {}
    for frame in played["frames"]:
        table.update(frame["places"])
        yield frame, dict(table)


def test_every_settled_table_is_the_position_or_its_slip(played: dict[str, Any]) -> None:
    state = GAME.new(3, {"colours": played["colours"]}, played["start_player"])
    moves = iter([*played["moves"], None])
    coming = next(moves)
    for frame, table in tables(played):
        while coming and coming["t"] <= frame["t"]:
            assert GAME.round(state) == coming["round"]
            assert GAME.problems(state, table) == ()
            state = GAME.apply(state, move_of(state, coming)).state
            coming = next(moves)
        if not frame["settled"]:
            continue
        slips = [slip for slip in played["slips"] if slip["t_start"] <= frame["t"] <= slip["t_end"]]
        found = [(slip.slug, slip.player, list(slip.places)) for slip in GAME.problems(state, table)]
        assert found == [(slip["kind"], slip["player"], slip["places"]) for slip in slips], f"at {frame['t']} s"
        if not slips:
            assert GAME.visible(state) == table


def test_a_game_can_be_joined_half_way(played: dict[str, Any]) -> None:
    """People who start the companion late must still be able to finish the game with it."""
    followed = GAME.new(3, {"colours": played["colours"]}, played["start_player"])
    for wanted in played["moves"][:24]:
        followed = GAME.play(followed, move_of(followed, wanted))
    joined = GAME.position_from(
        GAME.visible(followed), 3, {"colours": played["colours"]}, to_move=followed.player, turns=list(followed.turns)
    )
    assert GAME.visible(joined) == GAME.visible(followed)
    assert GAME.scores(joined) == GAME.scores(followed)
    assert joined.turns == followed.turns
    # The faces of tiles captured before are not known, so every move of the followed game is among those of the other.
    assert set(GAME.legal_moves(followed)) <= set(GAME.legal_moves(joined))
    for wanted in played["moves"][24:]:
        move = move_of(followed, wanted)
        followed, joined = GAME.apply(followed, move).state, GAME.apply(joined, move).state
    assert GAME.visible(joined) == GAME.visible(followed)
    assert GAME.parse_position(GAME.format_position(joined)) == joined
    assert GAME.from_json(json.loads(json.dumps(GAME.to_json(joined)))) == joined
