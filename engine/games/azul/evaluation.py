"""What a position of Azul is worth to a player: the score it has, the tiling that is coming, and what is half done."""

from __future__ import annotations

from functools import lru_cache

from engine.games.azul.data import EMPTY, LINES, GameData
from engine.games.azul.scoring import final_scores, penalty, tile_points
from engine.games.azul.state import Board, Rules, State
from engine.games.azul.tiling import free_columns

Wall = tuple[tuple[int, ...], ...]

HALF_DONE = 0.55
"""How much of a line's points an incomplete line promises when it is nearly full."""
BONUS_SHARE = 0.6
"""How much of an end bonus a nearly complete row, column or colour is worth."""
START_WORTH = 0.7
"""What it is worth to start the next round."""


def evaluate(state: State, player: int) -> float:
    """The player's worth minus that of the best of the others, in points."""
    if state.phase == "over":
        worths: list[float] = [float(score) for score in final_scores(state)]
    else:
        worths = [board_worth(board, state.rules) for board in state.boards]
        if not state.is_marker_in_centre:
            worths[state.starter - 1] += START_WORTH
    return worths[player - 1] - max(worth for number, worth in enumerate(worths, 1) if number != player)


@lru_cache(maxsize=8192)
def board_worth(board: Board, rules: Rules) -> float:
    """One board: a pure function of it, remembered because a search meets the same boards again and again."""
    wall = board.wall
    gained = 0
    promised = 0.0
    for row, (colour, count) in enumerate(board.lines):
        if colour == EMPTY:
            continue
        columns = free_columns(wall, row, colour, rules)
        if not columns:
            promised -= 1.0
            continue
        points, after = max(_laid(wall, row, column, colour) for column in columns)
        if count == row + 1:
            wall = after
            gained += points
        else:
            promised += HALF_DONE * points * count / (row + 1)
    score = max(0, board.score + gained - penalty(board.floor, rules.data))
    # A score that stops at 0 hides what the floor line costs: a little of it still counts, so that less is better.
    hidden = 0.1 * min(0, board.score + gained - penalty(board.floor, rules.data))
    return score + hidden + promised + bonuses_in_sight(wall, rules.data)


def _laid(wall: Wall, row: int, column: int, colour: int) -> tuple[int, Wall]:
    """The points of a tile on this space, and the wall with it."""
    new_row = (*wall[row][:column], colour, *wall[row][column + 1 :])
    after = (*wall[:row], new_row, *wall[row + 1 :])
    return tile_points(after, row, column), after


def bonuses_in_sight(wall: Wall, data: GameData) -> float:
    """The end bonuses: whole where they are earned, a growing share where they are on their way."""
    colours = [0] * LINES
    columns = [0] * LINES
    worth = 0.0
    for row in wall:
        filled = 0
        for column, colour in enumerate(row):
            if colour != EMPTY:
                filled += 1
                columns[column] += 1
                colours[colour] += 1
        worth += _share(filled) * data.bonus_row
    return worth + sum(
        _share(column) * data.bonus_column + _share(colour) * data.bonus_colour
        for column, colour in zip(columns, colours, strict=True)
    )


def _share(filled: int) -> float:
    return 1.0 if filled == LINES else BONUS_SHARE * (filled / LINES) ** 2
