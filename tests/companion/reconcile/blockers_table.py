"""Positions of Blockers! by the moves that lead to them, and tables that show other tiles than lie there."""

from __future__ import annotations

from typing import Any

from companion.catalogue import PlayedGame


def reached(play: PlayedGame, *moves: str) -> Any:
    """The position after some moves, of which the first player makes the first."""
    state = play.game.new(play.players, play.options, 1)
    for move in moves:
        state = play.game.apply(state, play.game.parse_move(move)).state
    return state


def tile(colour: str, face: str) -> dict[str, str]:
    return {"colour": colour, "face": face}


def shown(play: PlayedGame, state: Any, cells: dict[str, Any]) -> dict[str, Any]:
    """A table that shows a position, but for some cells."""
    return {**play.game.visible(state), **{f"board.{cell}": content for cell, content in cells.items()}}
