"""What went wrong in the wall-tiling and the refill after it, read from how the table changed."""

from __future__ import annotations

from itertools import islice

from engine.games.azul.data import EMPTY, LINES
from engine.games.azul.dealing import deal_slips
from engine.games.azul.diagnosis_offer import Change, board_change
from engine.games.azul.hands import name_of
from engine.games.azul.moves import Deal, Tile
from engine.games.azul.scoring import final_scores, penalty, shown_score, tile_points
from engine.games.azul.state import Board, State, replace_at
from engine.games.azul.table import SeenBoard, Table
from engine.games.azul.tiling import free_columns, play_tile, tile_board, tilings
from engine.games.azul.visible import board_contents, board_places
from engine.types import Slip

MOST_TILINGS = 200
"""How many tilings of the grey side are compared with the stone of a player who made another slip too."""


def tiling_slips(before: State, table: Table) -> list[Slip]:
    """The slips of everybody's tiling; players who have not begun make none, unless the next round is dealt."""
    is_dealt = any(map(any, table.discs))
    found: list[Slip] = []
    state = before
    for player, board in enumerate(before.boards, 1):
        if player not in before.waiting:
            found += settled_slips(before, table, player)
            continue
        columns = tiling_seen(before, table, player)
        if columns is None:
            is_begun = not shows(before, table, player, board)
            if is_begun or is_dealt:
                found += board_slips(before, table, player)
            columns = next(tilings(board, before.rules))
        state = play_tile(state, Tile(player, columns))
    if is_dealt:
        found += round_slips(state, table)
    elif table.has_marker_in_centre != before.is_marker_in_centre:
        found.append(before.rules.data.slip("marker-misplaced", None, ("centre",), "A59"))
    return found


def tiling_seen(before: State, table: Table, player: int) -> tuple[int, ...] | None:
    """The legal tiling that this player's board shows, if it shows one."""
    board = before.boards[player - 1]
    for columns in tilings(board, before.rules):
        after, _ = tile_board(board, Tile(player, columns), before.rules, None)
        if shows(before, table, player, after):
            return columns
    return None


def shows(before: State, table: Table, player: int, board: Board) -> bool:
    """Whether what was seen of a player's board is this board."""
    data = before.rules.data
    pairs = zip(board_places(player, data.floor_length), board_contents(board, data), strict=True)
    return all(table.known.get(place, content) == content for place, content in pairs)


def board_slips(before: State, table: Table, player: int) -> list[Slip]:
    """What is wrong with one player's tiling."""
    data, rules = before.rules.data, before.rules
    board, seen = before.boards[player - 1], table.boards[player - 1]
    change = board_change(board, seen, player, data.floor_length)
    found: list[Slip] = []
    homeless = homeless_tiles(board, change)
    wall = board.wall
    for row in range(LINES):
        found += row_slips(before, change, seen, row, wall, homeless)
        for number, column, colour in change.tiled:
            if number == row + 1:
                wall = replace_at(wall, row, replace_at(wall[row], column - 1, colour))
    torn = tuple(f"p{player}.wall.{row}.{column}" for row, column, _ in change.torn_off)
    if torn:
        found.append(data.slip("settled-tile-moved", player, torn, place=torn[0]))
    spaces = tuple(f"p{player}.floor.{space}" for space, item in enumerate(seen.floor, 1) if item != EMPTY)
    if spaces:
        found.append(data.slip("floor-not-cleared", player, spaces))
    return found + stone_slips(before, change, seen, rules.is_coloured, bool(found))


def homeless_tiles(board: Board, change: Change) -> set[int]:
    """Rows (from 0) of complete lines whose tile lies in another row than its own."""
    rows = set()
    strays = [colour for row, _, colour in change.tiled if board.lines[row - 1][0] != colour
              or board.lines[row - 1][1] < row]
    for row, (colour, count) in enumerate(board.lines):
        arrived = any(number == row + 1 and each == colour for number, _, each in change.tiled)
        if count == row + 1 and not arrived and colour in strays:
            rows.add(row)
    return rows


def row_slips(
    before: State, change: Change, seen: SeenBoard, row: int, wall: tuple[tuple[int, ...], ...], homeless: set[int]
) -> list[Slip]:
    """What is wrong with one line and its wall row; `wall` has the tiles of the rows above as they were laid."""
    data, rules, player = before.rules.data, before.rules, change.player
    colour, count = before.boards[player - 1].lines[row]
    line = row + 1
    cells = [f"p{player}.line{line}.{cell}" for cell, each in enumerate(seen.lines[row], 1) if each != EMPTY]
    new = [(column, each) for number, column, each in change.tiled if number == line]
    own = [column for column, each in new if count and each == colour]
    found: list[Slip] = []
    is_complete = count == line
    is_lifted = any(number == line for number, _, _ in change.lifted)
    if is_complete and own:
        found += space_slips(before, player, row, own[0], colour, wall)
        if cells:
            found.append(data.slip("line-not-cleared", player, tuple(cells), line=line))
    elif is_complete:
        free = free_columns(wall, row, colour, rules)
        if len(cells) == line:
            rule = "A51" if free else "A84"
            found.append(data.slip("complete-line-not-tiled", player, tuple(cells), rule, line=line))
        elif row not in homeless and free:
            place = f"p{player}.wall.{line}.{free[0] + 1}"
            found.append(data.slip("complete-line-not-tiled", player, (place,), line=line))
        if 0 < len(cells) < line:
            found.append(data.slip("line-not-cleared", player, tuple(cells), line=line))
    elif own and is_lifted:
        place = f"p{player}.wall.{line}.{own[0]}"
        found.append(data.slip("incomplete-line-tiled", player, (place,), line=line))
    elif is_lifted and not any(number == line for number, _, _ in change.laid):
        gone = tuple(f"p{player}.line{line}.{cell}" for number, cell, _ in change.lifted if number == line)
        found.append(data.slip("line-cleared-too-early", player, gone, line=line))
    used = {own[0]} if own and (is_complete or is_lifted) else set()
    for column, each in new:
        if column not in used:
            place = f"p{player}.wall.{line}.{column}"
            found.append(data.slip("wrong-wall-space", player, (place,), colour=name_of(each, data), place=place))
    if any(number == line for number, _, _ in change.laid):
        laid = tuple(f"p{player}.line{line}.{cell}" for number, cell, _ in change.laid if number == line)
        found.append(data.slip("settled-tile-moved", player, laid, place=laid[0]))
    return found


def space_slips(
    before: State, player: int, row: int, column: int, colour: int, wall: tuple[tuple[int, ...], ...]
) -> list[Slip]:
    """What is wrong with the space (column from 1) on which a complete line's tile lies."""
    data, rules = before.rules.data, before.rules
    place, name = f"p{player}.wall.{row + 1}.{column}", name_of(colour, data)
    if rules.is_coloured:
        if data.columns[row][colour] == column - 1:
            return []
        return [data.slip("wrong-wall-space", player, (place,), colour=name, place=place)]
    found = []
    if colour in wall[row]:
        found.append(data.slip("colour-repeated-in-row", player, (place,), colour=name, line=row + 1))
    if any(wall[other][column - 1] == colour for other in range(LINES) if other != row):
        found.append(data.slip("colour-repeated-in-column", player, (place,), colour=name, column=column))
    return found


def stone_slips(before: State, change: Change, seen: SeenBoard, is_coloured: bool, has_others: bool) -> list[Slip]:
    """A stone on another number than the score; beside other slips it may stand as if there were none."""
    data, rules, player = before.rules.data, before.rules, change.player
    board = before.boards[player - 1]
    wall, score = board.wall, board.score
    floor = len(board.floor)
    dropped: list[int] = []
    for row in range(LINES):
        colour, count = board.lines[row]
        own = [column for number, column, _ in change.tiled if number == row + 1]
        if count == row + 1 and not own and not free_columns(wall, row, colour, rules):
            floor = min(data.floor_length, floor + row + 1)  # an unplaceable line fell to the floor
            dropped.append(row + 1)
        for column in own:
            wall = replace_at(wall, row, replace_at(wall[row], column - 1, seen.wall[row][column - 1]))
            score += tile_points(wall, row, column - 1)
    as_placed = shown_score(max(0, score - penalty((EMPTY,) * floor, data)), data)
    if seen.score == as_placed:
        return []
    right = [as_placed]
    if has_others or is_coloured:
        right = []
        for columns in islice(tilings(board, rules), MOST_TILINGS):
            after, _ = tile_board(board, Tile(player, columns), rules, None)
            right.append(shown_score(after.score, data))
    if has_others and seen.score in (*right, shown_score(board.score, data)):
        return []
    undropped = shown_score(max(0, score - penalty(board.floor, data)), data)
    if not has_others and dropped and seen.score == undropped:
        places = tuple(f"p{player}.line{line}.1" for line in dropped)
        return [data.slip("line-cleared-too-early", player, places, "A84", line=dropped[0])]
    expected = right[0] if right else as_placed
    return [data.slip("score-marker-wrong", player, (f"p{player}.score",), seen=seen.score, score=expected)]


def round_slips(state: State, table: Table) -> list[Slip]:
    """What is wrong with discs and centre once everybody has tiled: the refill, the marker, a round too many."""
    data = state.rules.data
    if not any(map(any, table.discs)):
        return [data.slip("impossible-tiles", None, ("centre",), colour=data.colours[colour], count=count)
                for colour, count in enumerate(table.centre) if count]
    found = deal_slips(state, Deal(table.discs))
    if state.phase == "over":
        return found
    loose = sum(table.centre)
    if loose and not found:
        found.append(data.slip("factory-wrong-count", None, ("centre",), place="centre", count=loose, expected=0))
    if not table.has_marker_in_centre:
        found.append(data.slip("marker-misplaced", state.starter, ("centre",), "A30"))
    return found


def settled_slips(before: State, table: Table, player: int) -> list[Slip]:
    """What is wrong on a board on which nothing should have changed: things of the tiling not done, or undone."""
    data = before.rules.data
    board, seen = before.boards[player - 1], table.boards[player - 1]
    change = board_change(board, seen, player, data.floor_length)
    found: list[Slip] = []
    torn = {(row, colour) for row, _, colour in change.torn_off}
    for line in range(1, LINES + 1):
        laid = [(cell, colour) for number, cell, colour in change.laid if number == line]
        lifted = tuple(f"p{player}.line{line}.{cell}" for number, cell, _ in change.lifted if number == line)
        if laid:
            places = tuple(f"p{player}.line{line}.{cell}" for cell, _ in laid)
            colour = laid[0][1]
            if (line, colour) in torn and len(laid) == line:
                torn.discard((line, colour))
                found.append(data.slip("complete-line-not-tiled", player, places, line=line))
            elif colour in board.wall[line - 1] and not lifted:
                found.append(data.slip("line-not-cleared", player, places, line=line))
            else:
                found.append(data.slip("settled-tile-moved", player, places, place=places[0]))
        elif lifted and any(row == line for row, _, _ in change.tiled):
            cells = tuple(f"p{player}.wall.{row}.{column}" for row, column, _ in change.tiled if row == line)
            found.append(data.slip("incomplete-line-tiled", player, cells, line=line))
        elif lifted and len(lifted) == board.lines[line - 1][1]:
            # While walls are tiled, a line that is empty as a whole was cleared with the others.
            found.append(data.slip("line-cleared-too-early", player, lifted, line=line))
        elif lifted:
            found.append(data.slip("settled-tile-moved", player, lifted, place=lifted[0]))
    for row, column, colour in change.tiled:
        place = f"p{player}.wall.{row}.{column}"
        if not any(place in slip.places for slip in found):
            found.append(data.slip("wrong-wall-space", player, (place,), colour=name_of(colour, data), place=place))
    for row, column, colour in change.torn_off:
        place = f"p{player}.wall.{row}.{column}"
        if (row, colour) in torn:
            found.append(data.slip("settled-tile-moved", player, (place,), place=place))
    spaces = tuple(f"p{player}.floor.{space}" for space, _ in change.fallen)
    if spaces:
        found.append(data.slip("floor-not-cleared", player, spaces))
    scores = {shown_score(board.score, data)}
    if before.phase == "over":
        scores.add(shown_score(final_scores(before)[player - 1], data))
    if seen.score not in scores:
        wanted = max(scores)
        found.append(data.slip("score-marker-wrong", player, (f"p{player}.score",), seen=seen.score, score=wanted))
    return found
