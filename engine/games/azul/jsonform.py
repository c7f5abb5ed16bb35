"""A position as plain JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import NotationError, SetupError
from engine.games.azul.data import GameData
from engine.games.azul.state import Board, State, Supply, make_rules

FORMAT = "azul-position/1"


def to_json(state: State) -> dict[str, Any]:
    """Dictionaries, lists, texts and numbers only; a colour is its index in the game's list."""
    return {
        "format": FORMAT,
        "players": state.rules.players,
        "options": state.rules.options,
        "phase": state.phase,
        "round": state.round,
        "player": state.player,
        "starter": state.starter,
        "marker_in_centre": state.is_marker_in_centre,
        "discs": [list(disc) for disc in state.discs],
        "centre": list(state.centre),
        "boards": [
            {
                "lines": [list(line) for line in board.lines],
                "wall": [list(row) for row in board.wall],
                "floor": list(board.floor),
                "score": board.score,
            }
            for board in state.boards
        ],
        "waiting": list(state.waiting),
        "bag": list(state.supply.bag),
        "lid": list(state.supply.lid),
        "supply_exact": state.supply.is_exact,
        "bag_total": state.supply.bag_total,
    }


def from_json(value: Any, data: GameData) -> State:
    """The position that `to_json` wrote; NotationError when it is none."""
    if not isinstance(value, Mapping) or value.get("format") != FORMAT:
        raise NotationError(f"This is no position of Azul in the format {FORMAT}.")
    try:
        return State(
            rules=make_rules(data, value["players"], value["options"]),
            phase=str(value["phase"]),
            round=int(value["round"]),
            player=int(value["player"]),
            starter=int(value["starter"]),
            is_marker_in_centre=bool(value["marker_in_centre"]),
            discs=tuple(tuple(disc) for disc in value["discs"]),
            centre=tuple(value["centre"]),
            boards=tuple(
                Board(
                    tuple((line[0], line[1]) for line in board["lines"]),
                    tuple(tuple(row) for row in board["wall"]),
                    tuple(board["floor"]),
                    int(board["score"]),
                )
                for board in value["boards"]
            ),
            waiting=tuple(value["waiting"]),
            supply=Supply(tuple(value["bag"]), tuple(value["lid"]), value["supply_exact"], value["bag_total"]),
        )
    except (KeyError, TypeError, ValueError, IndexError, SetupError) as error:
        raise NotationError(f"This position of Azul cannot be read: {error}.") from error
