"""All that hands are likely to do: every legal move, and the mistakes that people make, each with its slips.

Mistakes that need two tiles (two placed, two swapped) are left out: there are tens of thousands of them. `problems`
names them from what is seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.games.blockers.data import BACK, CELLS, FULL, SIDE, members
from engine.games.blockers.groups import NEIGHBOURS
from engine.games.blockers.moves import Place, legal_moves, placements, playable_colours, targets
from engine.games.blockers.slips import problems, turn_cell
from engine.games.blockers.state import State
from engine.games.blockers.visible import Tile, cell_place, heap_content, heap_place, tile_at, tiles
from engine.types import Content, Plausible, Slip
from engine.types import Place as PlaceName


def plausible_moves(state: State) -> Iterator[Plausible]:
    """Every legal move first, then the mistakes, the commonest kinds first."""
    for move in legal_moves(state):
        yield Plausible(move, changes(state, move) if isinstance(move, Place) else {})
    yield from mistakes(state)


def mistakes(state: State, cells: int = FULL) -> Iterator[Plausible]:
    """The mistakes with tiles that come to lie on some cells, or that lay there; every other, too."""
    if state.is_over:
        yield from _after_the_end(state, cells)
    else:
        yield from _wrong_tiles(state, cells)
        yield from _wrong_captures(state, cells)
        yield from _out_of_turn(state, cells)
    yield from _disturbed(state, cells)


def changes(state: State, move: Place) -> dict[PlaceName, Content]:
    """The places that look different after a move."""
    changed: dict[PlaceName, Content] = {f"board.{move.cell}": {"colour": move.colour, "face": move.face}}
    if move.captured is not None:
        taken = state.rules.data.colour_index[move.captured]
        changed[heap_place(move.player)] = heap_content(state, move.player, {taken: 1})
    return changed


def _slip(state: State, slug: str, player: int, tile: Tile, cell: int, *more: PlaceName, **params: object) -> Slip:
    data = state.rules.data
    place = cell_place(data, cell)
    return data.slip(slug, player, (place, *more), colour=tile.colour, face=tile.face, place=place, **params)


def _wrong_tiles(state: State, cells: int) -> Iterator[Plausible]:
    """The mover's tile on a cell that does not accept it, and a tile that cannot be there any more."""
    data, player = state.rules.data, state.player
    for colour in playable_colours(state, player):
        empty, free = targets(state, player, colour)
        name = data.colours[colour]
        for face in members(state.unseen[colour]):
            tile = Tile(name, data.faces[face])
            for cell in members((empty | free) & ~data.fits[face] & cells):
                old = tile_at(state, cell)
                move = Place(player, name, tile.face or "", data.cells[cell], old.colour if old else None)
                yield Plausible(None, changes(state, move), (_slip(state, "face-does-not-fit", player, tile, cell),))
        where = {state.board[cell]: cell for cell in members(state.stones[colour])}
        for face in members(data.all_faces & ~state.unseen[colour]):
            tile = Tile(name, data.faces[face])
            twin = (cell_place(data, where[face]),) if face in where else ()
            for cell in members(data.fits[face] & empty & cells):
                move = Place(player, name, data.faces[face], data.cells[cell])
                slip = _slip(state, "duplicate-tile", player, tile, cell, *twin)
                # One of the two was misread; which one changes nobody's points, so play can go on from either.
                meant = next((move._replace(face=data.faces[other]) for other in
                              members(data.accepted[cell] & state.unseen[colour])), None)
                yield Plausible(meant, changes(state, move), (slip,))
    for cell in members(_empty(state) & cells):
        place = cell_place(data, cell)
        slip = data.slip("tile-face-down", player, (place,), place=place)
        yield Plausible(None, {place: {"colour": BACK, "face": None}}, (slip,))


def _wrong_captures(state: State, cells: int) -> Iterator[Plausible]:
    """Captures of what may not be captured, and captured tiles that are not kept."""
    data, player = state.rules.data, state.player
    heap = heap_place(player)
    for colour in playable_colours(state, player):
        empty, free = targets(state, player, colour)
        name = data.colours[colour]
        for face in members(state.unseen[colour]):
            tile = Tile(name, data.faces[face])
            for cell in members(data.fits[face] & ~empty & cells):
                taken = state.colour_at(cell)
                old = data.colours[taken]
                seen: dict[PlaceName, Content] = {cell_place(data, cell): {"colour": name, "face": data.faces[face]}}
                kept = {**seen, heap: heap_content(state, player, {taken: 1})}
                left = {**seen, heap: heap_content(state, player)}
                if free >> cell & 1:
                    meant = Place(player, name, data.faces[face], data.cells[cell], old)
                    slip = _slip(state, "captured-not-kept", player, tile, cell, heap, captured=old)
                    yield Plausible(meant, left, (slip,))
                    yield from _two_captures(state, meant, cell)
                elif state.rules.owners[taken] == player:
                    if taken != colour and state.rules.two_player_capture_own_second_colour:
                        slip = _slip(state, "capture-splits-group", player, tile, cell, heap, captured=old)
                        yield Plausible(None, kept, (slip,))
                        continue
                    yield Plausible(None, kept, (_slip(state, "own-tile-replaced", player, tile, cell, heap),))
                    yield Plausible(None, left, (_slip(state, "own-tile-replaced", player, tile, cell),))
                else:
                    slip = _slip(state, "capture-splits-group", player, tile, cell, heap, captured=old)
                    yield Plausible(None, kept, (slip,))


def _two_captures(state: State, meant: Place, cell: int) -> Iterator[Plausible]:
    """A capture with which a neighbouring tile went along."""
    data, player = state.rules.data, meant.player
    heap = heap_place(player)
    for other in members(NEIGHBOURS[cell]):
        taken = state.colour_at(other)
        if taken < 0 or state.rules.owners[taken] == player:
            continue
        first = data.colour_index[meant.captured or ""]
        more = {first: 2} if first == taken else {first: 1, taken: 1}
        place = cell_place(data, other)
        seen = {**changes(state, meant), place: None, heap: heap_content(state, player, more)}
        slip = data.slip("two-captures", player, (cell_place(data, cell), place, heap), place=place)
        yield Plausible(meant, seen, (slip,))


def _out_of_turn(state: State, cells: int) -> Iterator[Plausible]:
    """A good move by somebody whose turn it is not."""
    data = state.rules.data
    for player in range(1, state.rules.players + 1):
        if player == state.player:
            continue
        for move in placements(state._replace(player=player, hands=None), player):
            cell = data.cell_index[move.cell]
            if not cells >> cell & 1:
                continue
            more = (heap_place(player),) if move.captured else ()
            slip = _slip(state, "out-of-turn", player, Tile(move.colour, move.face), cell, *more)
            yield Plausible(None, changes(state, move), (slip,))


def _after_the_end(state: State, cells: int) -> Iterator[Plausible]:
    """Tiles that should have stayed on the racks."""
    data = state.rules.data
    empty = _empty(state)
    for colour, player in enumerate(state.rules.owners):
        if player is None:
            continue
        for face in members(state.unseen[colour]):
            for cell in members(data.fits[face] & empty & cells):
                move = Place(player, data.colours[colour], data.faces[face], data.cells[cell])
                slip = _slip(state, "play-after-the-end", player, Tile(move.colour, move.face), cell)
                yield Plausible(None, changes(state, move), (slip,))


def _disturbed(state: State, cells: int) -> Iterator[Plausible]:
    """Tiles that were taken away or pushed aside, captured tiles that went missing, a board that was turned."""
    data, player = state.rules.data, state.player
    empty = _empty(state)
    for cell in members(~empty & cells):
        tile, place = tile_at(state, cell), cell_place(data, cell)
        assert tile is not None, "the cell is not empty"
        content = {"colour": tile.colour, "face": tile.face}
        params = {"place": place, "colour": tile.colour, "face": tile.face}
        yield Plausible(None, {place: None}, (data.slip("tile-removed", player, (place,), **params),))
        if data.colour_index[tile.colour] not in state.rules.colours[player - 1]:
            heap = heap_place(player)
            kept = heap_content(state, player, {data.colour_index[tile.colour]: 1})
            yield Plausible(
                None, {place: None, heap: kept}, (data.slip("tile-removed", player, (place, heap), **params),)
            )
        for other in _around(cell):
            if (empty & cells) >> other & 1:
                to = cell_place(data, other)
                params = {"colour": tile.colour, "face": tile.face, "from": place, "to": to}
                slip = data.slip("settled-tile-moved", player, (place, to), **params)
                seen: dict[PlaceName, Content] = {place: None, to: content}
                yield Plausible(None, seen, problems(state, seen) if _is_turned(state, seen) else (slip,))
    for owner in range(1, state.rules.players + 1):
        heap = heap_place(owner)
        for colour, count in enumerate(state.captured[owner - 1]):
            if count:
                name = data.colours[colour]
                slip = data.slip("captured-not-kept", owner, (heap,), place=heap, captured=name, colour=name)
                yield Plausible(None, {heap: heap_content(state, owner, {colour: -1})}, (slip,))
    yield from _turned(state)


def _turned(state: State) -> Iterator[Plausible]:
    data = state.rules.data
    lying = tiles(state)
    for quarters in (1, 2, 3):
        after = {turn_cell(cell, quarters): tile for cell, tile in lying.items()}
        if len(lying) < 2 or after == lying:
            continue
        seen = {
            cell_place(data, cell): {"colour": tile.colour, "face": tile.face} if (tile := after.get(cell)) else None
            for cell in range(CELLS)
            if after.get(cell) != lying.get(cell)
        }
        yield Plausible(None, seen, (data.slip("board-turned", None, ("board.A1",), degrees=90 * quarters),))


def _is_turned(state: State, seen: dict[PlaceName, Content]) -> bool:
    """Whether two tiles or fewer lie on the board, so that a pushed tile may look like a turned board."""
    return len(seen) == 2 and sum(cells.bit_count() for cells in state.stones) == 2


def _around(cell: int) -> Iterator[int]:
    """The eight cells around a cell, as far as they are on the board."""
    row, column = divmod(cell, SIDE)
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            if (down or across) and 0 <= row + down < SIDE and 0 <= column + across < SIDE:
                yield (row + down) * SIDE + column + across


def _empty(state: State) -> int:
    """The set of empty cells."""
    taken = 0
    for cells in state.stones:
        taken |= cells
    return ~taken & FULL
