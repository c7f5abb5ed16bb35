"""Points and their reasons: tiles on the wall, the floor line, the end bonuses."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.azul.data import EMPTY, LINES, GameData
from engine.games.azul.state import Board, State
from engine.types import Place, Reason, Result, Standing

Wall = tuple[tuple[int, ...], ...]
Cell = tuple[int, int]


def runs(wall: Wall, row: int, column: int) -> tuple[list[Cell], list[Cell]]:
    """The unbroken runs across and down through a space, itself included, both from 0."""
    left = right = column
    while left > 0 and wall[row][left - 1] != EMPTY:
        left -= 1
    while right < LINES - 1 and wall[row][right + 1] != EMPTY:
        right += 1
    top = bottom = row
    while top > 0 and wall[top - 1][column] != EMPTY:
        top -= 1
    while bottom < LINES - 1 and wall[bottom + 1][column] != EMPTY:
        bottom += 1
    return [(row, each) for each in range(left, right + 1)], [(each, column) for each in range(top, bottom + 1)]


def tile_points(wall: Sequence[Sequence[int]], row: int, column: int) -> int:
    """What a tile just laid on this space scores (A54 to A56)."""
    cells = wall[row]
    left = right = column
    while left and cells[left - 1] != EMPTY:
        left -= 1
    while right < LINES - 1 and cells[right + 1] != EMPTY:
        right += 1
    top = bottom = row
    while top and wall[top - 1][column] != EMPTY:
        top -= 1
    while bottom < LINES - 1 and wall[bottom + 1][column] != EMPTY:
        bottom += 1
    across, down = right - left + 1, bottom - top + 1
    if across == down == 1:
        return 1
    return (across if across > 1 else 0) + (down if down > 1 else 0)


def tile_reasons(wall: Wall, row: int, column: int, player: int, colour: str) -> list[Reason]:
    """The same points, each run with the tiles that counted."""
    across, down = runs(wall, row, column)
    params = {"line": row + 1, "column": column + 1, "colour": colour}
    if len(across) == len(down) == 1:
        return [Reason("lone", player, 1, wall_places(player, across), params)]
    return [
        Reason(key, player, len(run), wall_places(player, run), {**params, "count": len(run)})
        for key, run in (("across", across), ("down", down))
        if len(run) > 1
    ]


def wall_places(player: int, cells: list[Cell]) -> tuple[Place, ...]:
    """The names of wall spaces given from 0."""
    return tuple(f"p{player}.wall.{row + 1}.{column + 1}" for row, column in cells)


def penalty(floor: tuple[int, ...], data: GameData) -> int:
    """What the used floor spaces cost, before the score stops at 0 (A58)."""
    return sum(data.floor_values[: len(floor)])


def floor_reasons(floor: tuple[int, ...], player: int, score: int, data: GameData) -> list[Reason]:
    """One reason for each used floor space, and one for the points below 0 that nobody loses."""
    found = [
        Reason("floor", player, -data.floor_values[index], (f"p{player}.floor.{index + 1}",), {"space": index + 1})
        for index in range(len(floor))
    ]
    short = penalty(floor, data) - score
    if short > 0:
        found.append(Reason("floor-clamp", player, short, (), {"count": short}))
    return found


def complete_rows(board: Board) -> int:
    """How many wall rows have five tiles: the end of the game and the tie-break."""
    return sum(EMPTY not in row for row in board.wall)


def bonus_reasons(board: Board, player: int, data: GameData) -> list[Reason]:
    """The end bonuses of one player (A72)."""
    wall = board.wall
    found = []
    for row in range(LINES):
        if EMPTY not in wall[row]:
            cells = [(row, column) for column in range(LINES)]
            params = {"line": row + 1}
            found.append(Reason("bonus-row", player, data.bonus_row, wall_places(player, cells), params))
    for column in range(LINES):
        cells = [(row, column) for row in range(LINES)]
        if all(wall[row][column] != EMPTY for row in range(LINES)):
            params = {"column": column + 1}
            found.append(Reason("bonus-column", player, data.bonus_column, wall_places(player, cells), params))
    for colour, name in enumerate(data.colours):
        cells = [(row, wall[row].index(colour)) for row in range(LINES) if colour in wall[row]]
        if len(cells) == LINES:
            places = wall_places(player, cells)
            found.append(Reason("bonus-colour", player, data.bonus_colour, places, {"colour": name}))
    return found


def final_scores(state: State) -> list[int]:
    """The scores with the end bonuses added."""
    return [
        board.score + sum(reason.points for reason in bonus_reasons(board, player, state.rules.data))
        for player, board in enumerate(state.boards, 1)
    ]


def final_result(state: State) -> Result:
    """Bonuses, tie-break and winners (A72, A73)."""
    scores = final_scores(state)
    best = max(scores)
    first = [player for player, score in enumerate(scores, 1) if score == best]
    rows = [complete_rows(board) for board in state.boards]
    most = max(rows[player - 1] for player in first)
    winners = tuple(player for player in first if rows[player - 1] == most)
    standings = tuple(
        Standing(
            player,
            scores[player - 1],
            tuple(bonus_reasons(board, player, state.rules.data)),
            rows[player - 1] if len(first) > 1 and player in first else None,
        )
        for player, board in enumerate(state.boards, 1)
    )
    decided_by = "score" if len(first) == 1 else "tie-break" if len(winners) == 1 else "shared"
    return Result(standings, winners, decided_by)


def shown_score(score: int, data: GameData) -> int:
    """The number on which the stone stands: a second lap starts again at 1 (A74)."""
    return score if score <= data.score_track_max else (score - 1) % data.score_track_max + 1
