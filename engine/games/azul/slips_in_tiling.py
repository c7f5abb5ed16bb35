"""Mistakes of the wall-tiling: one thing of a player's tiling done wrong, all else done right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from engine.games.azul.data import EMPTY, LINES, MARKER
from engine.games.azul.hands import Delta, name_of
from engine.games.azul.moves import DROPPED, Tile
from engine.games.azul.scoring import penalty, shown_score
from engine.games.azul.state import Board, State
from engine.games.azul.tiling import tile_board, tilings
from engine.games.azul.visible import board_contents, board_places
from engine.types import Plausible, Reason, Slip

MOST_TILINGS = 12
"""On the grey side a player may have hundreds of tilings: mistakes are built around the first of them only."""
STONE_RANGE = 10
"""How far from its number a wrongly moved stone is looked for."""


def wrong_tilings(state: State) -> Iterator[Plausible]:
    """The mistakes of every player who has not tiled yet."""
    for player in state.waiting:
        board = state.boards[player - 1]
        for columns in islice(tilings(board, state.rules), MOST_TILINGS):
            yield from wrong_tiling(state, Tile(player, columns))


def late_clearings(state: State, players: Iterable[int]) -> Iterator[Plausible]:
    """Incomplete lines that players clear away after they have tiled."""
    data = state.rules.data
    for player in players:
        for line, (_, count) in enumerate(state.boards[player - 1].lines, 1):
            if count:
                emptied: Delta = {f"p{player}.line{line}.{cell}": None for cell in range(1, count + 1)}
                slip = data.slip("line-cleared-too-early", player, tuple(emptied), line=line)
                yield Plausible(None, emptied, (slip,))


def wrong_tiling(state: State, move: Tile) -> Iterator[Plausible]:
    """The mistakes around one right tiling."""
    data, player = state.rules.data, move.player
    board = state.boards[player - 1]
    after, _ = tile_board(board, move, state.rules, None)
    right = board_delta(board, after, state, player)
    for line, (colour, count) in enumerate(board.lines, 1):
        cells = [f"p{player}.line{line}.{cell}" for cell in range(1, count + 1)]
        column = move.columns[line - 1]
        name = data.colours[colour]
        if column > 0:
            space = f"p{player}.wall.{line}.{column}"
            without = {place: content for place, content in right.items() if place != space}
            for place, slip in wrong_spaces(state, player, after, line, colour):
                yield Plausible(move, {**without, place: name}, (slip,))
            kept = {place: content for place, content in without.items() if place not in cells}
            slip = data.slip("complete-line-not-tiled", player, tuple(cells), line=line)
            yield Plausible(move, kept, (slip,))
            if line > 1:
                rest = {place: content for place, content in right.items() if place not in cells[1:]}
                slip = data.slip("line-not-cleared", player, tuple(cells[1:]), line=line)
                yield Plausible(move, rest, (slip,))
        elif column < 0:
            kept = {place: content for place, content in right.items() if place not in cells}
            slip = data.slip("complete-line-not-tiled", player, tuple(cells), "A84", line=line)
            yield Plausible(move, kept, (slip,))
        elif count:
            yield from touched_incomplete(state, move, right, after, line)
    yield from untidy_floor_and_stone(state, move, right, after)


def wrong_spaces(state: State, player: int, after: Board, line: int, colour: int) -> Iterator[tuple[str, Slip]]:
    """Every free space where the tile of a line may lie by mistake: its own row, then its column in other rows."""
    data = state.rules.data
    name = data.colours[colour]
    for row in range(LINES):
        for column in range(LINES):
            if after.wall[row][column] != EMPTY:
                continue
            place = f"p{player}.wall.{row + 1}.{column + 1}"
            if row == line - 1 and not state.rules.is_coloured:
                # On the grey side every free space of the row is right, unless its column has the colour.
                if any(after.wall[other][column] == colour for other in range(LINES) if other != row):
                    slug = "colour-repeated-in-column"
                    yield place, data.slip(slug, player, (place,), colour=name, column=column + 1, line=line)
            elif row == line - 1 or (state.rules.is_coloured and data.columns[row][colour] == column):
                yield place, data.slip("wrong-wall-space", player, (place,), colour=name, place=place)


def touched_incomplete(state: State, move: Tile, right: Delta, after: Board, line: int) -> Iterator[Plausible]:
    """An incomplete line tiled, or cleared away."""
    data, player = state.rules.data, move.player
    colour, count = state.boards[player - 1].lines[line - 1]
    emptied: Delta = {f"p{player}.line{line}.{cell}": None for cell in range(1, count + 1)}
    slip = data.slip("line-cleared-too-early", player, tuple(emptied), line=line)
    yield Plausible(move, {**right, **emptied}, (slip,))
    columns = [data.columns[line - 1][colour]] if state.rules.is_coloured else range(LINES)
    for column in columns:
        if after.wall[line - 1][column] == EMPTY:
            space = f"p{player}.wall.{line}.{column + 1}"
            slip = data.slip("incomplete-line-tiled", player, (space,), line=line)
            yield Plausible(move, {**right, **emptied, space: data.colours[colour]}, (slip,))


def untidy_floor_and_stone(state: State, move: Tile, right: Delta, after: Board) -> Iterator[Plausible]:
    """The floor line not cleared, the stone on another number."""
    data, player = state.rules.data, move.player
    board = state.boards[player - 1]
    if board.floor:
        spaces = [f"p{player}.floor.{space}" for space in range(1, len(board.floor) + 1)]
        kept = {place: content for place, content in right.items() if place not in spaces}
        yield Plausible(move, kept, (data.slip("floor-not-cleared", player, tuple(spaces)),))
        if MARKER in board.floor and len(board.floor) > 1:
            place = spaces[board.floor.index(MARKER)]
            slip = data.slip("floor-not-cleared", player, (place,))
            yield Plausible(move, {**right, place: name_of(MARKER, data)}, (slip,))
    place = f"p{player}.score"
    score = shown_score(after.score, data)
    forgotten = shown_score(after.score + penalty(board.floor, data), data)
    undropped = cleared_away(state, move)
    if undropped not in (None, score):
        lines = [line for line, column in enumerate(move.columns, 1) if column == DROPPED]
        places = tuple(f"p{player}.line{line}.1" for line in lines)
        slip = data.slip("line-cleared-too-early", player, places, "A84", line=lines[0])
        yield Plausible(move, {**right, place: undropped}, (slip,))
    near = range(max(0, score - STONE_RANGE), min(data.score_track_max, score + STONE_RANGE) + 1)
    for seen in sorted({*near, forgotten, shown_score(board.score, data)} - {score, undropped}):
        slip = data.slip("score-marker-wrong", player, (place,), seen=seen, score=score)
        yield Plausible(move, {**right, place: seen}, (slip,))


def cleared_away(state: State, move: Tile) -> int | None:
    """The number of the stone when an unplaceable line went to the lid and not to the floor line."""
    if DROPPED not in move.columns:
        return None
    data, board = state.rules.data, state.boards[move.player - 1]
    reasons: list[Reason] = []
    tile_board(board, move, state.rules, reasons)
    gain = sum(reason.points for reason in reasons if reason.key in ("lone", "across", "down"))
    return shown_score(max(0, board.score + gain - penalty(board.floor, data)), data)


def board_delta(before: Board, after: Board, state: State, player: int) -> Delta:
    """The places in which two states of one board differ."""
    data = state.rules.data
    places = board_places(player, data.floor_length)
    pairs = zip(places, board_contents(before, data), board_contents(after, data), strict=True)
    return {place: new for place, old, new in pairs if old != new}
