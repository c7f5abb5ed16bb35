"""Slips: everything that is wrong with a changed table, each with a name, a player and the places where it shows.

Nothing is called a slip that legal play explains: not one move, and not several quick ones in the order of turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.games.blockers.data import ASKEW, BACK, SIDE, GameData
from engine.games.blockers.groups import capturable
from engine.games.blockers.moves import Pass, Place, may_pass, next_player, play, playable_colours
from engine.games.blockers.state import State
from engine.games.blockers.visible import (
    Tile,
    cell_place,
    heap_place,
    read_heap,
    read_tile,
    tile_at,
    tiles,
)
from engine.types import UNKNOWN, Slip, Visible

ORDER = (
    "board-turned",
    "setup-wrong",
    "tile-face-down",
    "tile-off-grid",
    "settled-tile-moved",
    "duplicate-tile",
    "play-after-the-end",
    "wrong-colour-drawn",
    "turn-skipped",
    "out-of-turn",
    "two-tiles-placed",
    "two-captures",
    "own-tile-replaced",
    "capture-splits-group",
    "face-does-not-fit",
    "captured-not-kept",
    "tile-removed",
    "impossible-tiles",
)
"""The most telling first."""


@dataclass(frozen=True)
class Seen:
    """The changed table: what differs from the position before."""

    cells: Mapping[int, Tile | None]
    """The cells that show something else than before."""
    heaps: Mapping[int, tuple[int, ...]]
    """How much each player's captured tiles grew, by colour; players whose heap cannot be seen are left out."""

    @property
    def is_unchanged(self) -> bool:
        return not self.cells and not any(any(grown) for grown in self.heaps.values())


@dataclass
class _Account:
    """What is still unexplained while slips are looked for."""

    arrived: dict[int, Tile] = field(default_factory=dict)
    """Cells that show a new tile."""
    gone: dict[int, Tile] = field(default_factory=dict)
    """Cells whose tile left and that are empty now."""
    extra: Counter[tuple[int, int]] = field(default_factory=Counter)
    """For player and colour, captured tiles that nothing explains yet; below zero where one is missing."""


def look(before: State, after: Visible) -> Seen:
    """The differences between a position and a table."""
    data, lying = before.rules.data, tiles(before)
    cells: dict[int, Tile | None] = {}
    for place, content in after.items():
        cell = data.cell_index.get(place.removeprefix("board."))
        if cell is None or content == UNKNOWN:
            continue
        old, new = lying.get(cell), read_tile(data, place, content)
        if new is not None and new.face is None and old is not None and new.colour == old.colour:
            continue
        if old != new:
            cells[cell] = new
    heaps: dict[int, tuple[int, ...]] = {}
    for player in range(1, before.rules.players + 1):
        place = heap_place(player)
        if place not in after:
            heaps[player] = (0,) * len(data.colours)
        elif after[place] != UNKNOWN:
            now = read_heap(data, place, after[place])
            heaps[player] = tuple(new - old for new, old in zip(now, before.captured[player - 1], strict=True))
    return Seen(cells, heaps)


def problems(before: State, after: Visible) -> tuple[Slip, ...]:
    """Every slip in a changed table, the most telling first; empty when legal play explains it."""
    seen = look(before, after)
    if seen.is_unchanged:
        return ()
    if turned := _turned(before, seen):
        return (turned,)
    if is_explained(before, seen):
        return ()
    found = sorted(_slips(before, seen), key=lambda slip: ORDER.index(slip.slug))
    return tuple(slip for index, slip in enumerate(found) if slip not in found[:index])


# -- legal explanations ------------------------------------------------------------------------------------------


def is_explained(before: State, seen: Seen) -> bool:
    """Whether legal moves in the order of turns lead to what is seen, each cell changed by one of them."""
    state, left = before, dict(seen.cells)
    while left and not state.is_over:
        moves = [move for move in (_placement(state, cell, tile) for cell, tile in left.items()) if move is not None]
        if moves:
            # Two tiles of one player cannot both be this move: the second stays unexplained, as it should.
            del left[state.rules.data.cell_index[moves[0].cell]]
            state = play(state, moves[0])
        elif may_pass(state) and len(left) < state.rules.players:
            state = play(state, Pass(state.player))
        else:
            return False
    if left:
        return False
    return all(
        grown
        == tuple(new - old for new, old in zip(state.captured[player - 1], before.captured[player - 1], strict=True))
        for player, grown in seen.heaps.items()
    )


def _placement(state: State, cell: int, tile: Tile | None) -> Place | None:
    """The mover's legal placement that puts this tile on this cell, if there is one."""
    data = state.rules.data
    if (
        tile is None
        or tile.colour in (BACK, ASKEW)
        or data.colour_index[tile.colour] not in state.rules.colours[state.player - 1]
    ):
        return None
    old = tile_at(state, cell)
    for face in (tile.face,) if tile.face else data.faces:
        move = Place(state.player, tile.colour, face, data.cells[cell], old.colour if old else None)
        if fault(state, move) is None:
            return move
    return None


def fault(state: State, move: Place | Pass) -> Slip | None:
    """What is wrong with a move, None when it is legal: the same as being in `legal_moves`, but quicker."""
    data, rules = state.rules.data, state.rules
    if isinstance(move, Pass):
        if not state.is_over and move.player == state.player and may_pass(state):
            return None
        return data.slip("turn-skipped", move.player, ())
    tile, cell = Tile(move.colour, move.face), data.cell_index[move.cell]
    if rules.owners[data.colour_index[move.colour]] != move.player:
        return data.slip("out-of-turn", move.player, (cell_place(data, cell),), **_params(tile, data, cell))
    slips = list(_turn_faults(state, move.player, [cell], {cell: tile})) + list(_tile_faults(state, cell, tile, True))
    old = tile_at(state, cell)
    if not slips and move.captured != (old.colour if old else None):
        slips = [
            data.slip(
                "captured-not-kept",
                move.player,
                (cell_place(data, cell), heap_place(move.player)),
                **_params(tile, data, cell),
                captured=old.colour if old else move.captured,
            )
        ]
    if (
        not slips
        and state.hands
        and not state.hands.racks[data.colour_index[move.colour]] >> data.face_index[move.face] & 1
    ):
        slips = [data.slip("duplicate-tile", move.player, (cell_place(data, cell),), **_params(tile, data, cell))]
    return min(slips, key=lambda slip: ORDER.index(slip.slug)) if slips else None


# -- slips -------------------------------------------------------------------------------------------------------


def _slips(before: State, seen: Seen) -> Iterator[Slip]:
    account = _Account()
    for cell, tile in seen.cells.items():
        if tile is not None:
            account.arrived[cell] = tile
        elif (old := tile_at(before, cell)) is not None:
            account.gone[cell] = old
    for player, grown in seen.heaps.items():
        account.extra.update({(player, colour): number for colour, number in enumerate(grown)})
    yield from _foreign(before, account)
    yield from _moved(before, account)
    yield from _turn_slips(before, account)
    for cell, tile in account.arrived.items():
        yield from _tile_faults(before, cell, tile, _takes(before, account, cell, tile))
    yield from _capture_slips(before, seen, account)


def _turned(before: State, seen: Seen) -> Slip | None:
    """The whole board seen a quarter, half or three quarters round."""
    if len(seen.cells) < 2 or any(any(grown) for grown in seen.heaps.values()):
        return None
    lying = tiles(before)
    if len(lying) < 2:
        return None
    now = dict(lying)
    for cell, tile in seen.cells.items():
        if tile is None:
            now.pop(cell, None)
        else:
            now[cell] = tile
    for quarters in (1, 2, 3):
        if {turn_cell(cell, quarters): tile for cell, tile in lying.items()} == now:
            return before.rules.data.slip("board-turned", None, ("board.A1",), degrees=90 * quarters)
    return None


def turn_cell(cell: int, quarters: int) -> int:
    """Where a cell goes when the board is turned clockwise by so many quarters."""
    row, column = divmod(cell, SIDE)
    for _ in range(quarters):
        row, column = column, SIDE - 1 - row
    return row * SIDE + column


def _foreign(before: State, account: _Account) -> Iterator[Slip]:
    """Tiles that nobody can have played: across cells, face down, or of a colour without a player."""
    data = before.rules.data
    across = [cell for cell, tile in account.arrived.items() if tile.colour == ASKEW]
    if across:
        where = tuple(cell_place(data, cell) for cell in sorted(across))
        yield data.slip("tile-off-grid", before.player, where, place=where[0])
    for cell in across:
        del account.arrived[cell]
    for cell, tile in list(account.arrived.items()):
        place = cell_place(data, cell)
        if tile.colour == BACK:
            yield data.slip("tile-face-down", before.player, (place,), place=place)
            del account.arrived[cell]
        elif before.rules.owners[data.colour_index[tile.colour]] is None:
            yield data.slip("setup-wrong", None, (place,), colour=tile.colour, place=place)
            del account.arrived[cell]


def _moved(before: State, account: _Account) -> Iterator[Slip]:
    """Tiles that lay somewhere and now lie elsewhere."""
    data = before.rules.data
    left = {tile: cell for cell, tile in account.gone.items()}
    left |= {old: cell for cell in account.arrived if (old := tile_at(before, cell)) is not None}
    for cell, tile in list(account.arrived.items()):
        source = left.get(tile)
        if source is None or source == cell:
            continue
        where = (cell_place(data, source), cell_place(data, cell))
        params = {"colour": tile.colour, "face": tile.face, "from": where[0], "to": where[1]}
        yield data.slip("settled-tile-moved", before.player, where, **params)
        account.gone.pop(source, None)
        del account.arrived[cell]


def _owner(before: State, tile: Tile) -> int:
    owner = before.rules.owners[before.rules.data.colour_index[tile.colour]]
    assert owner is not None, "tiles without a player were sorted out before"
    return owner


def _turn_slips(before: State, account: _Account) -> Iterator[Slip]:
    """Whose tiles arrived, against whose turn it is."""
    data = before.rules.data
    played: dict[int, list[int]] = {}
    for cell, tile in account.arrived.items():
        played.setdefault(_owner(before, tile), []).append(cell)
    in_turn = _in_turn(before, played)
    if not before.is_over and before.player not in played and len(in_turn) > 1:
        cells = [cell for player in in_turn for cell in played[player]]
        places = tuple(cell_place(data, cell) for cell in cells)
        yield data.slip("turn-skipped", before.player, places)
    elif before.player not in played:
        in_turn = ()
    for player, cells in played.items():
        state = before if player not in in_turn else before._replace(player=player)
        for slip in _turn_faults(state, player, cells, account.arrived):
            places = slip.places
            if slip.slug == "out-of-turn" and any(
                _takes(before, account, cell, account.arrived[cell]) for cell in cells
            ):
                places = (*places, heap_place(player))
            yield data.slip(slip.slug, slip.player, places, **slip.params)


def _in_turn(before: State, played: Mapping[int, object]) -> tuple[int, ...]:
    """The players who acted one after another without a gap: from the mover on, or from the one after the mover."""
    found: list[int] = []
    state = before if before.player in played else before._replace(player=next_player(before, before.turns))
    while state.player in played and state.player not in found:
        found.append(state.player)
        state = state._replace(player=next_player(state, state.turns))
    return tuple(found)


def _turn_faults(state: State, player: int, cells: list[int], tiles: Mapping[int, Tile]) -> Iterator[Slip]:
    """What is wrong with these cells being played by this player now, whatever the tiles show."""
    data = state.rules.data
    places = tuple(cell_place(data, cell) for cell in cells)
    params = _params(tiles[cells[0]], data, cells[0])
    if state.turns[player - 1] >= state.rules.turns:
        yield data.slip("play-after-the-end", player, places, **params)
    elif player != state.player:
        yield data.slip("out-of-turn", player, places, **params)
    if state.turns[player - 1] < state.rules.turns and any(
        data.colour_index[tiles[cell].colour] not in playable_colours(state, player) for cell in cells
    ):
        yield data.slip("wrong-colour-drawn", player, places, **params)
    if len(cells) > 1:
        yield data.slip("two-tiles-placed", player, places, **params, count=len(cells))


def _tile_faults(before: State, cell: int, tile: Tile, takes: bool) -> Iterator[Slip]:
    """What is wrong with this tile on this cell, whoever's turn it is. `takes`: the old tile went to a heap."""
    data, player = before.rules.data, _owner(before, tile)
    colour, place = data.colour_index[tile.colour], cell_place(data, cell)
    params = _params(tile, data, cell)
    old = tile_at(before, cell)
    both = (place, heap_place(player)) if takes else (place,)
    if tile.face is not None:
        face = data.face_index[tile.face]
        if not before.unseen[colour] >> face & 1:
            twin = [
                cell_place(data, other) for other, lying in tiles(before).items() if other != cell and lying == tile
            ]
            yield data.slip("duplicate-tile", player, (place, *twin), **params)
        if not data.accepted[cell] >> face & 1:
            yield data.slip("face-does-not-fit", player, (place,), **params)
    if old is not None:
        taken = data.colour_index[old.colour]
        if _is_own(before, tile, taken):
            yield data.slip("own-tile-replaced", player, both, **params)
        elif not capturable(before.stones[taken]) >> cell & 1:
            yield data.slip("capture-splits-group", player, both, **params, captured=old.colour)


def _is_own(before: State, tile: Tile, taken: int) -> bool:
    """Whether a tile of the colour `taken` may not be captured with this tile because both are the same player's."""
    rules = before.rules
    if rules.owners[taken] != _owner(before, tile):
        return False
    return rules.data.colours[taken] == tile.colour or not rules.two_player_capture_own_second_colour


def _takes(before: State, account: _Account, cell: int, tile: Tile) -> bool:
    """Whether the tile that lay on the cell is seen in the heap of whoever covered it, or that heap is hidden."""
    old = tile_at(before, cell)
    if old is None:
        return False
    key = (_owner(before, tile), before.rules.data.colour_index[old.colour])
    return key not in account.extra or account.extra[key] > 0


def _capture_slips(before: State, seen: Seen, account: _Account) -> Iterator[Slip]:
    """Captured tiles against what left the board."""
    data, extra = before.rules.data, account.extra
    captures: dict[int, list[int]] = {}
    missing: list[tuple[int, Tile, Tile]] = []
    for cell, tile in account.arrived.items():
        old = tile_at(before, cell)
        if old is None:
            continue
        player, colour = _owner(before, tile), data.colour_index[old.colour]
        captures.setdefault(player, []).append(cell)
        if player not in seen.heaps:
            continue
        if extra[player, colour] > 0:
            extra[player, colour] -= 1
        elif not _is_own(before, tile, colour):
            # An own tile that was replaced by mistake may simply be back on the rack.
            missing.append((cell, old, tile))
    yield from _removed(before, account, captures)
    for cell, old, tile in missing:
        player, colour = _owner(before, tile), data.colour_index[old.colour]
        places = [cell_place(data, cell), heap_place(player)]
        for other in seen.heaps:
            if extra[other, colour] > 0:
                extra[other, colour] -= 1
                places.append(heap_place(other))
                break
        yield data.slip("captured-not-kept", player, tuple(places), **_params(tile, data, cell), captured=old.colour)
    for (player, colour), number in extra.items():
        where = (heap_place(player),)
        if number < 0:
            params = {"place": where[0], "captured": data.colours[colour], "colour": data.colours[colour]}
            yield data.slip("captured-not-kept", player, where, **params)
        elif number > 0:
            yield data.slip("impossible-tiles", player, where, colour=data.colours[colour], place=where[0])


def _removed(before: State, account: _Account, captures: Mapping[int, list[int]]) -> Iterator[Slip]:
    """Tiles that left the board and whose cell stayed empty; the second of two captured in one turn is one of them."""
    data, extra = before.rules.data, account.extra
    for cell, tile in account.gone.items():
        colour = data.colour_index[tile.colour]
        keeper = next((player for player in range(1, before.rules.players + 1) if extra[player, colour] > 0), None)
        place = cell_place(data, cell)
        if keeper is not None:
            extra[keeper, colour] -= 1
        player = keeper or before.player
        places = (place, heap_place(player)) if keeper else (place,)
        if keeper is not None and keeper in captures:
            taken = tuple(cell_place(data, other) for other in captures[keeper])
            yield data.slip("two-captures", player, (*taken, *places), place=place)
        else:
            yield data.slip("tile-removed", player, places, place=place, colour=tile.colour, face=tile.face)
    for player, cells in captures.items():
        if len(cells) > 1:
            taken = tuple(cell_place(data, cell) for cell in cells)
            yield data.slip("two-captures", player, (*taken, heap_place(player)), place=taken[0])


def _params(tile: Tile, data: GameData, cell: int) -> dict[str, object]:
    """What most sentences need."""
    return {"colour": tile.colour, "face": tile.face or UNKNOWN, "place": cell_place(data, cell)}
