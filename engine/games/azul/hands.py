"""How tiles lie on the table after hands have picked them up and laid them down, rightly or not.

These are the building blocks of `plausible`: each gives only the places that look different afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.azul.data import MARKER, GameData
from engine.games.azul.moves import Take, source_name
from engine.games.azul.state import NONE, Board, Counts, State, add, add_one
from engine.games.azul.visible import MARKER_NAME, heap
from engine.types import Content, Place, Slip

Delta = dict[Place, Content]
"""Places that look different, with their new contents."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Tiles lifted from one source (or, by mistake, two)."""

    places: Delta
    """What factories and centre look like afterwards."""
    number: int
    """How many tiles of the colour are in hand."""
    has_marker: bool
    """Whether the start marker is in hand too."""
    slips: tuple[Slip, ...] = ()


def tiles_at(state: State, source: int) -> Counts:
    """What lies at a source."""
    return state.discs[source - 1] if source else state.centre


def rest_of(state: State, source: int, colour: int) -> Counts:
    """The other tiles of a factory."""
    counts = tiles_at(state, source)
    return add_one(counts, colour, -counts[colour])


def lifted(
    state: State, source: int, kept: Counts, to_centre: Counts, has_marker: bool | None = None
) -> Delta:
    """Factory and centre after a pick: what stays at the source, what joins the centre, whether the marker is there."""
    data = state.rules.data
    marker = state.is_marker_in_centre if has_marker is None else has_marker
    if not source:
        return {"centre": heap(kept, data, marker)}
    delta: Delta = {source_name(source): heap(kept, data)}
    if any(to_centre) or marker != state.is_marker_in_centre:
        delta["centre"] = heap(add(state.centre, to_centre), data, marker)
    return delta


def right_pick(state: State, source: int, colour: int) -> Pick:
    """The pick as the rules want it."""
    number = tiles_at(state, source)[colour]
    rest = rest_of(state, source, colour)
    if source:
        return Pick(lifted(state, source, NONE, rest), number, False)
    return Pick(lifted(state, source, rest, NONE, False), number, state.is_marker_in_centre)


def name_of(item: int, data: GameData) -> str:
    """A tile's or the marker's name."""
    return MARKER_NAME if item == MARKER else data.colours[item]


def on_floor(board: Board, player: int, items: Sequence[int], data: GameData, gap: int = 0) -> Delta:
    """Things laid on the floor line after what lies there, leaving so many spaces free; the rest goes to the lid."""
    start = len(board.floor) + 1 + gap
    return {
        f"p{player}.floor.{space}": name_of(item, data)
        for space, item in zip(range(start, data.floor_length + 1), items, strict=False)
    }


def in_line(board: Board, player: int, to: int, colour: int, number: int, data: GameData, gap: int = 0) -> Delta:
    """Tiles laid in a pattern line after those that lie there, leaving so many cells free."""
    start = board.lines[to - 1][1] + 1 + gap
    name = data.colours[colour]
    return {f"p{player}.line{to}.{cell}": name for cell in range(start, min(to, start + number - 1) + 1)}


def room_in(board: Board, to: int) -> int:
    """How many tiles a pattern line can still take."""
    return to - board.lines[to - 1][1]


def laid(
    state: State, player: int, to: int, colour: int, number: int, has_marker: bool, dropped: int = 0
) -> Delta:
    """Tiles in hand laid as the rules want it: the marker first, then the line, the overflow on the floor."""
    board, data = state.boards[player - 1], state.rules.data
    room = min(number - dropped, room_in(board, to)) if to else 0
    delta = in_line(board, player, to, colour, room, data) if room else {}
    items = [MARKER] * has_marker + [colour] * (number - room)
    full = has_marker and len(board.floor) == data.floor_length
    if full and state.rules.marker_on_full_floor != "beside":
        space = 1 if state.rules.marker_on_full_floor == "replace_first" else data.floor_length
        delta[f"p{player}.floor.{space}"] = MARKER_NAME
        return delta
    if items:
        delta.update(on_floor(board, player, items, data))
    return delta


def take_delta(state: State, move: Take) -> Delta:
    """The places that a legal take changes."""
    pick = right_pick(state, move.source, move.colour)
    board = laid(state, move.player, move.to, move.colour, move.number, pick.has_marker, move.dropped)
    return {**pick.places, **board}
