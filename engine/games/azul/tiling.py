"""The wall-tiling: complete lines go to the wall, the floor line is paid and cleared, the round ends."""

from __future__ import annotations

from collections.abc import Iterator

from engine.games.azul.data import EMPTY, LINES, MARKER
from engine.games.azul.moves import DROPPED, SKIPPED, Tile
from engine.games.azul.scoring import complete_rows, floor_reasons, penalty, tile_points, tile_reasons
from engine.games.azul.state import EMPTY_LINE, Board, Counts, Rules, State, add_one, replace_at
from engine.types import Reason


def is_untouched(board: Board) -> bool:
    """Whether nothing on this board needs tiling: no complete line, an empty floor line."""
    return not board.floor and all(count < number for number, (_, count) in enumerate(board.lines, 1))


def begin_tiling(state: State) -> State:
    """The position when the last tile has been taken: everybody with something to do tiles, in any order."""
    waiting = tuple(player for player, board in enumerate(state.boards, 1) if not is_untouched(board))
    state = state._replace(phase="tiling", waiting=waiting)
    return state if waiting else end_round(state)


def end_round(state: State) -> State:
    """The position when everybody has tiled: the next deal is awaited, or the game is over (A60, A70)."""
    rules, starter = state.rules, state.starter
    if any(complete_rows(board) for board in state.boards):
        return state._replace(phase="over", waiting=())
    if state.is_marker_in_centre and rules.no_center_taker == "next_player":
        starter = starter % rules.players + 1
    if rules.empty_supply == "end" and not any(state.supply.together):
        return state._replace(phase="over", waiting=())
    return state._replace(phase="deal", waiting=(), round=state.round + 1, player=starter, starter=starter)


def free_columns(wall: tuple[tuple[int, ...], ...], row: int, colour: int, rules: Rules) -> list[int]:
    """The columns, from 0, where the tile of a complete line may go (A51, A80, A81)."""
    if colour in wall[row]:
        return []
    if rules.is_coloured:
        return [rules.data.columns[row][colour]]
    return [
        column
        for column in range(LINES)
        if wall[row][column] == EMPTY and all(wall[other][column] != colour for other in range(LINES))
    ]


def tilings(board: Board, rules: Rules, row: int = 0) -> Iterator[tuple[int, ...]]:
    """Every way to tile the lines from this row (from 0) down, as the columns of a Tile."""
    if row == LINES:
        yield ()
        return
    colour, count = board.lines[row]
    if count <= row:
        for rest in tilings(board, rules, row + 1):
            yield (SKIPPED, *rest)
        return
    columns = free_columns(board.wall, row, colour, rules)
    if not columns:
        for rest in tilings(board, rules, row + 1):
            yield (DROPPED, *rest)
    for column in columns:
        wall = replace_at(board.wall, row, replace_at(board.wall[row], column, colour))
        for rest in tilings(board._replace(wall=wall), rules, row + 1):
            yield (column + 1, *rest)


def legal_tilings(state: State) -> list[Tile]:
    """Every tiling of every player who has not tiled yet."""
    return [
        Tile(player, columns)
        for player in state.waiting
        for columns in tilings(state.boards[player - 1], state.rules)
    ]


def tile_board(board: Board, move: Tile, rules: Rules, reasons: list[Reason] | None) -> tuple[Board, Counts]:
    """The board after its tiling and the tiles that go to the lid; adds to `reasons` when they are wanted."""
    data, player = rules.data, move.player
    lines, wall, floor, score = board
    lid: Counts = (0,) * LINES
    for row, column in enumerate(move.columns):
        if column == SKIPPED:
            continue
        colour = lines[row][0]
        lines = replace_at(lines, row, EMPTY_LINE)
        if column == DROPPED:
            room = min(row + 1, data.floor_length - len(floor))
            floor += (colour,) * room
            lid = add_one(lid, colour, row + 1 - room)
            continue
        wall = replace_at(wall, row, replace_at(wall[row], column - 1, colour))
        lid = add_one(lid, colour, row)
        score += tile_points(wall, row, column - 1)
        if reasons is not None:
            reasons += tile_reasons(wall, row, column - 1, player, data.colours[colour])
    if reasons is not None:
        reasons += floor_reasons(floor, player, score, data)
    score = max(0, score - penalty(floor, data))
    for item in floor:
        if item != MARKER:
            lid = add_one(lid, item, 1)
    return Board(lines, wall, (), score), lid


def play_tile(state: State, move: Tile, reasons: list[Reason] | None = None) -> State:
    """The position after one player's tiling that is known to be legal."""
    index = move.player - 1
    board, lid = tile_board(state.boards[index], move, state.rules, reasons)
    supply = state.supply._replace(lid=tuple(map(int.__add__, state.supply.lid, lid)))
    waiting = tuple(player for player in state.waiting if player != move.player)
    state = state._replace(boards=replace_at(state.boards, index, board), waiting=waiting, supply=supply)
    return state if waiting else end_round(state)


def refusal(state: State, move: Tile) -> tuple[str, str, int]:
    """The slug, the rule and the row (from 0) that forbid a tiling; empty texts when nothing does."""
    if move.player not in state.waiting:
        return "out-of-turn", "A50", 0
    board, rules = state.boards[move.player - 1], state.rules
    if move.columns in tilings(board, rules):
        return "", "", 0
    wall = board.wall
    for row, column in enumerate(move.columns[:LINES]):
        colour, count = board.lines[row]
        if count <= row:
            if column != SKIPPED:
                return "incomplete-line-tiled", "A50", row
            continue
        free = free_columns(wall, row, colour, rules)
        if column - 1 in free:
            wall = replace_at(wall, row, replace_at(wall[row], column - 1, colour))
            continue
        if column == SKIPPED or (column == DROPPED and free):
            return "complete-line-not-tiled", "A51" if column == SKIPPED else "A85", row
        if not rules.is_coloured and 1 <= column <= LINES and wall[row][column - 1] == EMPTY:
            repeated = "row" if colour in wall[row] else "column"
            return f"colour-repeated-in-{repeated}", "A81", row
        return "wrong-wall-space", "A51", row
    return "wrong-wall-space", "A51", 0
