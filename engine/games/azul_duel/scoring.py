"""Points: a tile on the dome, a special tile, broken tiles, and the scoring faces at the end."""

from __future__ import annotations

from engine.games.azul_duel.data import JOKER, SPECIAL, rules_data
from engine.games.azul_duel.state import NOTHING, SPECIAL_TILE, PlayerState, State
from engine.types import Reason, Result, Standing

OUTER = tuple(row * 6 + column for row in range(6) for column in range(6) if row in (0, 5) or column in (0, 5))
DIAGONALS = (tuple(i * 7 for i in range(6)), tuple(5 + i * 5 for i in range(6)))
CORNERS = (0, 2, 6, 8)


def space(plates: tuple[int, ...], row: int, column: int) -> int:
    """What is printed on a dome space (rows and columns from 0); NOTHING without a plate."""
    plate = plates[row // 2 * 3 + column // 2]
    return NOTHING if plate == NOTHING else rules_data().prints[plate][row % 2 * 2 + column % 2]


def plate_cells(slot: int) -> tuple[int, int, int, int]:
    """The four dome spaces of a plate slot, row by row."""
    first = slot // 3 * 12 + slot % 3 * 2
    return first, first + 1, first + 6, first + 7


def run_across(cells: list[int] | tuple[int, ...], cell: int) -> list[int]:
    """The unbroken run of tiles in the row through a space."""
    first = cell - cell % 6
    left = cell
    while left > first and cells[left - 1] != NOTHING:
        left -= 1
    right = cell
    while right < first + 5 and cells[right + 1] != NOTHING:
        right += 1
    return list(range(left, right + 1))


def run_down(cells: list[int] | tuple[int, ...], cell: int) -> list[int]:
    top = cell
    while top >= 6 and cells[top - 6] != NOTHING:
        top -= 6
    bottom = cell
    while bottom < 30 and cells[bottom + 6] != NOTHING:
        bottom += 6
    return list(range(top, bottom + 1, 6))


def tile_points(cells: list[int] | tuple[int, ...], cell: int) -> int:
    """What a tile scores where it now lies (D74)."""
    across, down = len(run_across(cells, cell)), len(run_down(cells, cell))
    if across == 1 and down == 1:
        return 1
    return (across if across > 1 else 0) + (down if down > 1 else 0)


def completes_special(cells: list[int] | tuple[int, ...], plates: tuple[int, ...], cell: int) -> int | None:
    """The special space that a tile on this space brings a special tile to, if it does (D75)."""
    row, column = divmod(cell, 6)
    slot = row // 2 * 3 + column // 2
    prints = rules_data().prints[plates[slot]]
    if SPECIAL not in prints:
        return None
    places = plate_cells(slot)
    special = places[prints.index(SPECIAL)]
    if cells[special] == NOTHING and all(cells[place] != NOTHING for place in places if place != special):
        return special
    return None


def place_name(player: int, cell: int) -> str:
    return f"p{player}.dome.{cell // 6 + 1}.{cell % 6 + 1}"


def tile_reasons(cells: list[int], player: int, cell: int, line: int) -> list[Reason]:
    """The points of a tile, one entry for each run."""
    across, down = run_across(cells, cell), run_down(cells, cell)
    params = {"line": line}
    if len(across) == 1 and len(down) == 1:
        return [Reason("lone", player, 1, (place_name(player, cell),), params)]
    found = []
    for key, run in (("across", across), ("down", down)):
        if len(run) > 1:
            found.append(Reason(key, player, len(run), tuple(place_name(player, place) for place in run), params))
    return found


def loss(player: PlayerState) -> int:
    """What broken tiles and the start tile cost (D82), before the score stops at 0."""
    data = rules_data()
    return sum(data.broken_values[: len(player.broken)]) + (data.marker_penalty if player.has_marker else 0)


def loss_reasons(player: PlayerState, number: int) -> list[Reason]:
    data = rules_data()
    found = [
        Reason("broken", number, -value, (f"p{number}.broken",), {"tile": index})
        for index, value in enumerate(data.broken_values[: len(player.broken)], start=1)
    ]
    if player.has_marker:
        found.append(Reason("start-tile", number, -data.marker_penalty, (f"p{number}.start",)))
    over = loss(player) - player.score
    if over > 0:
        found.append(Reason("not-below-zero", number, over))
    return found


def face_reasons(state: State, number: int, face: str) -> list[Reason]:
    """What one scoring face brings a player (D102–D110)."""
    player = state.players[number - 1]
    cells, values = player.cells, rules_data().faces[face]

    def counted(places: tuple[int, ...] | list[int], points: int, **params: int) -> Reason:
        return Reason(f"face-{face}", number, points, tuple(place_name(number, place) for place in places), params)

    def full(places: tuple[int, ...] | list[int] | range) -> bool:
        return all(cells[place] != NOTHING for place in places)

    if face == "rows":
        lines = [list(range(row * 6, row * 6 + 6)) for row in range(6)]
        return [counted(line, values["points"], row=i) for i, line in enumerate(lines, 1) if full(line)]
    if face == "columns":
        lines = [list(range(column, 36, 6)) for column in range(6)]
        return [counted(line, values["points"], column=i) for i, line in enumerate(lines, 1) if full(line)]
    if face == "diagonals":
        return [counted(line, values["points"]) for line in DIAGONALS if full(line)]
    if face == "multicolour":
        jokers = [cell for cell in range(36) if space(player.plates, *divmod(cell, 6)) == JOKER]
        return [counted(jokers, values["points"] * len(jokers), count=len(jokers))] if jokers and full(jokers) else []
    if face == "colourful-rows":
        found = []
        for row in range(6):
            tiles = [cell for cell in range(row * 6, row * 6 + 6) if cells[cell] != NOTHING]
            kinds = {cells[cell] for cell in tiles}
            if not state.options.special_counts_as_colour:
                kinds.discard(SPECIAL_TILE)
            if len(kinds) >= values["colours"]:
                found.append(counted(tiles, values["points"], row=row + 1))
        return found
    if face == "outer-spaces":
        tiles = [cell for cell in OUTER if cells[cell] != NOTHING]
        return [counted(tiles, values["points"] * len(tiles), count=len(tiles))] if tiles else []
    if face == "corner-plates":
        return [
            counted(plate_cells(slot), values["upper_points" if slot < 3 else "lower_points"])
            for slot in CORNERS
            if full(plate_cells(slot))
        ]
    empty = [
        cell for cell in range(36) if cells[cell] == NOTHING and space(player.plates, *divmod(cell, 6)) == SPECIAL
    ]
    return [counted(empty, values["points"] * len(empty), count=len(empty))] if empty else []


def final_reasons(state: State, number: int) -> tuple[Reason, ...]:
    """All end points of a player; the total does not fall below 0 (D111)."""
    found = [reason for face in state.options.scoring for reason in face_reasons(state, number, face)]
    total = state.players[number - 1].score + sum(reason.points for reason in found)
    if total < 0:
        found.append(Reason("not-below-zero", number, -total))
    return tuple(found)


def final_scores(state: State) -> tuple[int, int]:
    first, second = (
        state.players[number - 1].score + sum(reason.points for reason in final_reasons(state, number))
        for number in (1, 2)
    )
    return first, second


def result(state: State) -> Result:
    """Final scores; a tie goes to the holder of the start tile (D101)."""
    scores = final_scores(state)
    tied = scores[0] == scores[1]
    holder = next((number for number in (1, 2) if state.players[number - 1].has_marker), None)
    standings = tuple(
        Standing(
            number, scores[number - 1], final_reasons(state, number),
            (1 if holder == number else 0) if tied and holder else None,
        )
        for number in (1, 2)
    )
    if not tied:
        return Result(standings, (1 if scores[0] > scores[1] else 2,), "score")
    if holder is None:
        return Result(standings, (1, 2), "shared")
    return Result(standings, (holder,), "tie-break")
