"""What a camera sees of a position, and a position built from what it sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import ne
from typing import Any, NamedTuple

from engine.errors import SetupError
from engine.games.blockers.data import ASKEW, BACK, CELLS, EMPTY, GameData, members
from engine.games.blockers.state import Rules, State, new_state, pile_count, rack_count
from engine.types import UNKNOWN, Content, Place, Visible


class Tile(NamedTuple):
    """A tile as it is seen."""

    colour: str
    """One of the game's colours, BACK for a tile that lies face down, or ASKEW for one that lies on no one cell."""
    face: str | None
    """None when it cannot be read."""


def cell_place(data: GameData, cell: int) -> Place:
    return data.places[cell]


def heap_place(player: int) -> Place:
    return f"p{player}.captured"


def places(data: GameData, players: int) -> tuple[Place, ...]:
    """Every place, in a fixed order."""
    return (
        *data.places,
        *(heap_place(player) for player in range(1, players + 1)),
    )


def visible(state: State) -> dict[Place, Content]:
    """What every place should show."""
    data = state.rules.data
    names, faces, board = data.places, data.faces, state.board
    seen: dict[Place, Content] = dict.fromkeys(names)
    for colour, cells in zip(data.colours, state.stones, strict=True):
        while cells:
            cell = (cells & -cells).bit_length() - 1
            seen[names[cell]] = {"colour": colour, "face": faces[board[cell]]}
            cells &= cells - 1
    for player in range(1, state.rules.players + 1):
        seen[heap_place(player)] = heap_content(state, player)
    return seen


def changes(before: State, after: State) -> dict[Place, Content]:
    """The places that show something else after than before."""
    data, board = after.rules.data, after.board
    # A tile of a colour may have come where another of the same was.
    others = sum(1 << cell for cell in compress(range(CELLS), map(ne, before.board, board)))
    seen: dict[Place, Content] = {}
    for old, new in zip(before.stones, after.stones, strict=True):
        for cell in members(old & ~new):
            seen.setdefault(data.places[cell], None)
    for colour, old, new in zip(data.colours, before.stones, after.stones, strict=True):
        for cell in members(new & (others | ~old)):
            seen[data.places[cell]] = {"colour": colour, "face": data.faces[board[cell]]}
    for player, (had, has) in enumerate(zip(before.captured, after.captured, strict=True), 1):
        if had != has:
            seen[heap_place(player)] = heap_content(after, player)
    return seen


def heap_content(state: State, player: int, more: Mapping[int, int] | None = None) -> dict[str, int]:
    """The captured tiles of a player by colour, with so many more (or fewer) of some."""
    counts = list(state.captured[player - 1])
    for colour, number in (more or {}).items():
        counts[colour] += number
    return {name: count for name, count in zip(state.rules.data.colours, counts, strict=True) if count}


def tile_at(state: State, cell: int) -> Tile | None:
    """The tile on a cell, by names."""
    colour = state.colour_at(cell)
    if colour == EMPTY:
        return None
    return Tile(state.rules.data.colours[colour], state.rules.data.faces[state.board[cell]])


def tiles(state: State) -> dict[int, Tile]:
    """Every tile on the board by its cell."""
    data = state.rules.data
    return {
        cell: Tile(data.colours[colour], data.faces[state.board[cell]])
        for colour, cells in enumerate(state.stones)
        for cell in members(cells)
    }


def whereabouts(state: State, content: Content) -> tuple[Place, ...]:
    """Where the one tile with this colour and face lies: on its cell, or once captured before one of its captors."""
    data = state.rules.data
    if not isinstance(content, Mapping) or content.get("colour") not in data.colour_index:
        return ()
    colour, face = data.colour_index[content["colour"]], data.face_index.get(content.get("face") or UNKNOWN)
    if face is None or state.unseen[colour] >> face & 1:
        return ()
    for cell in members(state.stones[colour]):
        if state.board[cell] == face:
            return (cell_place(data, cell),)
    return tuple(heap_place(player) for player, heap in enumerate(state.captured, 1) if heap[colour])


def read_tile(data: GameData, place: Place, content: Content) -> Tile | None:
    """The tile in a cell's content; SetupError when the content is none that can lie there."""
    if content is None:
        return None
    if not isinstance(content, Mapping) or "colour" not in content:
        raise SetupError(f"{place} should hold null or a colour and a face, but it holds {content!r}.")
    colour, face = content["colour"], content.get("face")
    if colour not in (BACK, ASKEW) and colour not in data.colour_index:
        raise SetupError(f"{place} holds a tile of the colour {colour!r}, which Blockers! does not have.")
    if face == UNKNOWN or colour in (BACK, ASKEW):
        face = None
    if face is not None and face not in data.face_index:
        raise SetupError(f"{place} holds a tile with the face {face!r}, which Blockers! does not have.")
    return Tile(colour, face)


def read_heap(data: GameData, place: Place, content: Content) -> tuple[int, ...]:
    """The counts of a heap's content; SetupError when it cannot be a heap of tiles."""
    if content is None:
        content = {}
    if not isinstance(content, Mapping):
        raise SetupError(f"{place} should hold counts by colour, but it holds {content!r}.")
    for colour, count in content.items():
        if (colour not in data.colour_index and colour != BACK) or not isinstance(count, int) or count < 0:
            raise SetupError(f"{place} holds {count!r} of {colour!r}, which cannot be.")
    return tuple(content.get(colour, 0) for colour in data.colours)


def position_from(rules: Rules, seen: Visible, to_move: int, turns: Sequence[int] | None) -> State:
    """The position in mid-game that lies on the table; `turns` is what people say each player has played."""
    data, state = rules.data, new_state(rules, to_move)
    known = set(places(data, rules.players))
    for place in seen:
        if place not in known:
            raise SetupError(f"'{place}' is no place of a Blockers! table for {rules.players} players.")
    for place in places(data, rules.players):
        if seen.get(place, UNKNOWN) == UNKNOWN:
            raise SetupError(f"{place} cannot be seen, so the position cannot be taken over: clear the view of it.")
    board, stones, unseen = [EMPTY] * CELLS, [0] * len(data.colours), list(state.unseen)
    for cell in range(CELLS):
        place = cell_place(data, cell)
        tile = read_tile(data, place, seen[place])
        if tile is None:
            continue
        if tile.colour == ASKEW:
            raise SetupError(f"The tile near {place} does not lie on one cell: lay it on the cell where it belongs.")
        if tile.colour == BACK or tile.face is None:
            raise SetupError(f"The face of the tile on {place} cannot be read: turn it face up, or say what it is.")
        colour, face = data.colour_index[tile.colour], data.face_index[tile.face]
        if rules.owners[colour] is None:
            raise SetupError(f"{place} holds a {tile.colour} tile, but nobody plays {tile.colour}.")
        board[cell] = face
        stones[colour] |= 1 << cell
        unseen[colour] &= ~(1 << face)
    captured = tuple(
        read_heap(data, heap_place(player), seen[heap_place(player)]) for player in range(1, rules.players + 1)
    )
    state = state._replace(board=tuple(board), stones=tuple(stones), unseen=tuple(unseen), captured=captured)
    for colour, name in enumerate(data.colours):
        if state.placed(colour) > len(data.faces) or (rules.owners[colour] is None and state.placed(colour)):
            raise SetupError(f"There are {state.placed(colour)} {name} tiles on the table, which cannot be.")
    return state._replace(turns=_turns(state, turns))


def _turns(state: State, said: Sequence[int] | None) -> tuple[int, ...]:
    """The turns of each player: as people say, or as many as the tiles they have placed."""
    rules = state.rules
    placed = [sum(state.placed(colour) for colour in own) for own in rules.colours]
    if said is None:
        return tuple(min(number, rules.turns) for number in placed)
    if len(said) != rules.players or any(not 0 <= number <= rules.turns for number in said):
        raise SetupError(
            f"'turns' should be {rules.players} numbers from 0 to {rules.turns}, but it is {list(said)!r}."
        )
    for player, (number, tiles) in enumerate(zip(said, placed, strict=True), 1):
        if tiles > number:
            raise SetupError(
                f"Player {player} is said to have had {number} turns, but {tiles} of their tiles are on the table "
                "or captured."
            )
    return tuple(said)


def supplies(state: State) -> dict[str, Any]:
    """What is hidden: the sizes of piles and racks, and which faces of each colour nobody has seen."""
    data, stores = state.rules.data, dict[str, Any]()
    for player, own in enumerate(state.rules.colours, 1):
        stores[f"p{player}.pile"] = {data.colours[colour]: pile_count(state, colour) for colour in own}
        stores[f"p{player}.rack"] = {data.colours[colour]: rack_count(state, colour) for colour in own}
        for colour in own:
            faces = [data.faces[face] for face in members(state.unseen[colour])]
            count = len(data.faces) - state.placed(colour)
            least = 1 if count == len(faces) else 0
            stores[f"unseen.{data.colours[colour]}"] = {
                "count": count,
                "faces": {face: 1 if least else {"min": 0, "max": 1} for face in faces},
            }
    return stores
