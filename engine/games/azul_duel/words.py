"""Moves in the recording format's terms, and as keys of the translated sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.games.azul_duel.acquire import STACK
from engine.games.azul_duel.moves import Chip, Deal, Moon, Move, Pass, Plate, StartPlate, Sun, Tile
from engine.games.azul_duel.notation import CHIP_CHANGES


def describe(move: Move) -> Mapping[str, Any]:
    """A move as a recording's `moves` gives it; empty for deals and tilings. Plates before round 1 are marked."""
    if isinstance(move, (Deal, Tile)):
        return {}
    if isinstance(move, StartPlate):
        return {
            "setup": True, "player": move.player, "from": move.source, "plate": move.plate, "to": move.to,
            "rotation": move.rotation,
        }
    if isinstance(move, Pass):
        return {"player": move.player, "action": "pass", "from": None, "colour": None, "count": 0, "to": None}
    if isinstance(move, Chip):
        action: dict[str, Any] = {"action": "chip", "from": move.source, "colour": None, "count": 1, "to": move.to}
    elif isinstance(move, Plate):
        action = {
            "action": "plate", "from": move.source, "colour": None, "count": 1, "to": move.to,
            "rotation": move.rotation, "plate": move.plate,
        }
        if move.source == STACK:
            action["drawn"] = move.drawn
    elif isinstance(move, Sun):
        action = {"action": "sun", "from": move.source, "colour": move.colour, "count": move.count, "to": move.to}
    else:
        action = {
            "action": "moon", "from": "moon", "colour": move.colour, "count": move.count, "to": move.to,
            "sources": list(move.sources),
        }
    return {"player": move.player, **action}


def say(move: Move) -> tuple[str, Mapping[str, Any]]:
    """A key of [moves] with what its sentence needs."""
    if isinstance(move, Deal):
        is_reveal = bool(move.contents) and CHIP_CHANGES.fullmatch(move.contents[0][0]) is not None
        return ("reveal" if is_reveal else "deal"), {"places": [place for place, _ in move.contents]}
    if isinstance(move, Tile):
        return "tile", {"player": move.player, "count": sum(column > 0 for column in move.columns)}
    if isinstance(move, Pass):
        return "pass", {"player": move.player}
    if isinstance(move, Chip):
        return "chip", {"player": move.player, "source": move.source}
    if isinstance(move, StartPlate):
        return "start-plate", {"player": move.player, "source": move.source, "to": move.to}
    if isinstance(move, Plate):
        if move.source == STACK:
            return "stack-plate", {"player": move.player, "to": move.to, "count": move.drawn}
        return "plate", {"player": move.player, "source": move.source, "to": move.to}
    told = {"player": move.player, "colour": move.colour, "count": move.count, "to": move.to}
    return ("moon", told) if isinstance(move, Moon) else ("sun", {**told, "source": move.source})
