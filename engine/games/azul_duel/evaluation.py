"""What a position of Azul Duel is worth to a player: the score, the tiling that is coming, and what is being built."""

from __future__ import annotations

from functools import lru_cache

from engine.games.azul_duel.scoring import completes_special, final_scores, loss, tile_points
from engine.games.azul_duel.state import NOTHING, OVER, SPECIAL_TILE, PlayerState, State
from engine.games.azul_duel.tiling import face_up, fitting_columns, has_three_plates

HALF_DONE = 0.55
"""How much of a line's points an incomplete line promises when it is nearly full."""
ROOM_TO_COME = 0.8
"""The points a line can hope for that still waits for a plate with its colour."""
BREAKING = 1.2
"""What a tile costs that will break because no space is left for it."""
SPECIAL_WORTH = 3.0
"""What a special tile brings, on average over the rows."""
PLATE_WORTH = 1.6
CHIP_WORTH = 0.7
START_WORTH = 0.7


def evaluate(state: State, player: int) -> float:
    """The player's worth minus the other's, in points."""
    if state.phase == OVER:
        scores = final_scores(state)
        return float(scores[player - 1] - scores[2 - player])
    return board_worth(state.players[player - 1]) - board_worth(state.players[2 - player])


@lru_cache(maxsize=8192)
def board_worth(player: PlayerState) -> float:
    """One board: a pure function of it, remembered because a search meets the same boards again and again."""
    cells = list(player.cells)
    gained = promised = 0.0
    for row in range(6):
        if not player.counts[row]:
            continue
        columns = fitting_columns(player._replace(cells=tuple(cells)), row, player.colours[row])
        full = player.counts[row] == row + 1
        if not columns:
            breaks = has_three_plates(player, row)
            promised += -BREAKING * player.counts[row] if breaks else ROOM_TO_COME * player.counts[row] / (row + 1)
            continue
        points, cell, special = max(_laid(player, cells, row * 6 + column - 1) for column in columns)
        if not full:
            promised += HALF_DONE * points * player.counts[row] / (row + 1)
            continue
        gained += points
        cells[cell] = player.colours[row]
        if special != NOTHING:
            cells[special] = SPECIAL_TILE
    total = player.score + gained - loss(player)
    # Below 0 nothing more is lost on the track, but fewer broken tiles are still better.
    kept = total if total > 0 else 0.1 * total
    plates = sum(plate != NOTHING for plate in player.plates)
    return kept + promised + PLATE_WORTH * plates + CHIP_WORTH * len(face_up(player)) + START_WORTH * player.has_marker


def _laid(player: PlayerState, cells: list[int], cell: int) -> tuple[float, int, int]:
    """What a tile on this space brings, the space, and the special space it completes."""
    before = cells[cell]
    cells[cell] = 0
    points: float = tile_points(cells, cell)
    special = completes_special(cells, player.plates, cell)
    cells[cell] = before
    if special is None:
        return points, cell, NOTHING
    return points + SPECIAL_WORTH, cell, special
