"""Why a move that somebody asked for is not allowed, as a slip."""

from __future__ import annotations

from engine.games.azul import offer, tiling
from engine.games.azul.moves import FLOOR, Deal, Move, Take, Tile, source_name
from engine.games.azul.state import State
from engine.types import Slip


def refused(state: State, move: Move) -> Slip | None:
    """The slip of a take, a tiling or an untimely deal; None when it is legal."""
    if isinstance(move, Take):
        return refused_take(state, move)
    if isinstance(move, Tile):
        return refused_tile(state, move)
    return refused_deal(state, move)


def refused_take(state: State, move: Take) -> Slip | None:
    data = state.rules.data
    if state.phase == "offer":
        slug, rule = offer.refusal(state, move)
    else:
        slug, rule = ("round-after-the-end", "A70") if state.phase == "over" else ("out-of-turn", "A48")
    if not slug:
        return None
    source = source_name(move.source)
    place = source
    if move.to != FLOOR and slug not in ("impossible-tiles", "tiles-left-behind"):
        place = f"p{move.player}.line{move.to}.1"
    colour = data.colours[move.colour] if 0 <= move.colour < len(data.colours) else str(move.colour)
    params = {"colour": colour, "place": source, "line": move.to, "count": move.number, "other": state.player}
    return data.slip(slug, move.player, (place,), rule, **params)


def refused_tile(state: State, move: Tile) -> Slip | None:
    data = state.rules.data
    row = 0
    if state.phase == "tiling":
        slug, rule, row = tiling.refusal(state, move)
    else:
        slug, rule = ("tiled-too-early", "A48") if state.phase == "offer" else ("out-of-turn", "A50")
    if not slug:
        return None
    column = move.columns[row] if row < len(move.columns) and move.columns[row] > 0 else 1
    place = f"p{move.player}.wall.{row + 1}.{column}"
    inside = 1 <= move.player <= state.rules.players
    colour = data.colours[state.boards[move.player - 1].lines[row][0]] if inside else data.colours[0]
    other = (state.waiting or (state.player,))[0]
    params = {"line": row + 1, "column": column, "colour": colour, "place": place, "other": other}
    return data.slip(slug, move.player, (place,), rule, **params)


def refused_deal(state: State, move: Deal) -> Slip | None:
    """A deal before the round is at its end: the position names what is still to be done."""
    data = state.rules.data
    if state.phase == "offer":
        left = [number for number, disc in enumerate(state.discs, 1) if any(disc)]
        place = f"f{left[0]}" if left else "centre"
        return data.slip("factory-wrong-count", None, (place,), "A48", place=place, count=0, expected=0)
    player = state.waiting[0]
    lines = state.boards[player - 1].lines
    complete = [number for number, (_, count) in enumerate(lines, 1) if count == number]
    if complete:
        places = (f"p{player}.line{complete[0]}.1",)
        return data.slip("complete-line-not-tiled", player, places, line=complete[0])
    return data.slip("floor-not-cleared", player, (f"p{player}.floor.1",))
