"""Positions for tests, written as cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.games.blockers.rules import GAME
from engine.games.blockers.state import State


def position(
    tiles: Mapping[str, str] | None = None,
    *,
    players: int = 3,
    colours: tuple[Any, ...] = ("blue", "yellow", "green"),
    captured: Mapping[int, Mapping[str, int]] | None = None,
    to_move: int = 1,
    turns: list[int] | None = None,
    **options: Any,
) -> State:
    """A table with tiles such as {"G2": "yellow G"}; `yellow` alone takes a face that fits and is still free."""
    seen: dict[str, Any] = dict.fromkeys(GAME.places(players, {**options, "colours": list(colours)}))
    seen.update({f"p{player}.captured": (captured or {}).get(player, {}) for player in range(1, players + 1)})
    for cell, (colour, face) in dress(tiles or {}).items():
        seen[f"board.{cell}"] = {"colour": colour, "face": face}
    return GAME.position_from(seen, players, {**options, "colours": list(colours)}, to_move, turns=turns)


def cells(state: State, player: int, face: str) -> set[str]:
    """Where the mover may put a face."""
    return {
        move.cell for move in GAME.legal_moves(state) if getattr(move, "face", None) == face and move.player == player
    }


def dress(tiles: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """A fitting face for every tile that names only a colour, each face once in its colour."""
    dressed = {cell: (words[0], words[1]) for cell, text in tiles.items() if len(words := text.split()) == 2}
    worn = {tile: cell for cell, tile in dressed.items()}
    fixed = set(dressed)

    def find(cell: str, tried: set[tuple[str, str]]) -> bool:
        accepted = GAME.data.accepted[GAME.data.cell_index[cell]]
        for tile in ((tiles[cell], face) for index, face in enumerate(GAME.data.faces) if accepted >> index & 1):
            if tile in tried or worn.get(tile) in fixed:
                continue
            tried.add(tile)
            if tile not in worn or find(worn[tile], tried):
                worn[tile], dressed[cell] = cell, tile
                return True
        return False

    for cell in tiles:
        if cell not in fixed and not find(cell, set()):
            raise ValueError(f"there are not enough faces for {cell}")
    return dressed
