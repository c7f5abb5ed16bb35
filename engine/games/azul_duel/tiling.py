"""The second phase of a round: tiles move to the dome, chips complete lines, broken tiles are paid for."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product

from engine.games.azul_duel.acquire import with_player
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.moves import Tile
from engine.games.azul_duel.scoring import (
    completes_special,
    loss,
    loss_reasons,
    place_name,
    run_across,
    run_down,
    tile_reasons,
)
from engine.games.azul_duel.state import (
    CHIP_UNKNOWN,
    CHIP_USED,
    DEAL,
    NOTHING,
    OVER,
    SPECIAL_TILE,
    UNSEEN_TILE,
    PlayerState,
    State,
    put,
)
from engine.types import Reason

Demands = tuple[tuple[int, int], ...]
"""Lines that chips complete: the colour of each and how many tiles it lacks."""


def fitting_columns(player: PlayerState, row: int, colour: int) -> list[int]:
    """The free spaces of a dome row where a colour may lie (D71), as columns from 1."""
    fits = rules_data().fits
    found = []
    for third in range(3):
        plate = player.plates[row // 2 * 3 + third]
        if plate != NOTHING:
            for column in fits[plate][row % 2][colour]:
                if player.cells[row * 6 + third * 2 + column] == NOTHING:
                    found.append(third * 2 + column + 1)
    return found


def has_three_plates(player: PlayerState, row: int) -> bool:
    first = row // 2 * 3
    return NOTHING not in player.plates[first : first + 3]


def unplaceable(player: PlayerState, row: int) -> bool:
    """A line whose tiles break: three plates beside it and no space that fits (D73)."""
    return (
        player.counts[row] > 0
        and has_three_plates(player, row)
        and not fitting_columns(player, row, player.colours[row])
    )


def face_up(player: PlayerState) -> list[int]:
    """The places of the store (from 1) with a chip that can still be used."""
    return [place for place, chip in enumerate(player.chips, start=1) if 0 <= chip <= CHIP_UNKNOWN]


@lru_cache(maxsize=65536)
def can_pay(kinds: tuple[int, ...], demands: Demands) -> bool:
    """Whether exactly these chips complete these lines: each tile costs two of its colour or any three (D77, D78)."""
    missing = sum(count for _, count in demands)
    pairs = 3 * missing - len(kinds)
    if not 0 <= pairs <= missing:
        return False
    wanted: dict[int, int] = {}
    for colour, count in demands:
        wanted[colour] = wanted.get(colour, 0) + count
    shown = rules_data().chip_kinds
    showing = [frozenset(wanted) if kind == CHIP_UNKNOWN else frozenset(shown[kind]) for kind in kinds]
    # Which tiles are paid in pairs is free: what is left over makes up threes of any colour. Pairs can be formed
    # when no set of colours needs more chips than show one of them.
    for shares in product(*(range(count + 1) for count in wanted.values())):
        if sum(shares) == pairs and _can_pair(dict(zip(wanted, shares, strict=True)), showing):
            return True
    return False


def _can_pair(pairs: dict[int, int], showing: list[frozenset[int]]) -> bool:
    colours = [colour for colour, count in pairs.items() if count]
    for size in range(1, len(colours) + 1):
        for group in combinations(colours, size):
            if 2 * sum(pairs[colour] for colour in group) > sum(not chip.isdisjoint(group) for chip in showing):
                return False
    return True


@lru_cache(maxsize=65536)
def payments(kinds: tuple[int, ...], demands: Demands) -> tuple[tuple[int, ...], ...]:
    """Which of these chips can pay, as indices; of equal chips the first are used."""
    missing = sum(count for _, count in demands)
    places: dict[int, list[int]] = {}
    for index, kind in enumerate(kinds):
        places.setdefault(kind, []).append(index)
    found = []
    for numbers in product(*(range(len(indices) + 1) for indices in places.values())):
        if not 2 * missing <= sum(numbers) <= 3 * missing:
            continue
        chosen = sorted(index for indices, n in zip(places.values(), numbers, strict=True) for index in indices[:n])
        if can_pay(tuple(sorted(kinds[index] for index in chosen)), demands):
            found.append(tuple(chosen))
    return tuple(found)


def line_choices(player: PlayerState, row: int, chips: int) -> list[int]:
    """The columns a line can be tiled to; 0 for a line that stays or breaks."""
    count = player.counts[row]
    if not count:
        return [0]
    fitting = fitting_columns(player, row, player.colours[row])
    if count == row + 1:
        return fitting or [0]
    missing = row + 1 - count
    return [0, *fitting] if fitting and 2 * missing <= chips else [0]


def tilings(state: State, player: int) -> tuple[Tile, ...]:
    """Every way a player can tile: a space for each line, and the chips that are used."""
    return _tilings(state.players[player - 1], player)


@lru_cache(maxsize=64)
def _tilings(mover: PlayerState, player: int) -> tuple[Tile, ...]:
    store = face_up(mover)
    kinds = tuple(mover.chips[place - 1] for place in store)
    choices = [line_choices(mover, row, len(store)) for row in range(6)]
    found = []
    for columns in product(*choices):
        demands = demanded(mover, columns)
        if not demands:
            found.append(Tile(player, columns))
        elif 2 * sum(count for _, count in demands) <= len(store):
            found.extend(
                Tile(player, columns, tuple(store[index] for index in group)) for group in payments(kinds, demands)
            )
    return tuple(found)


def demanded(player: PlayerState, columns: tuple[int, ...]) -> Demands:
    """What chips have to make up for when lines are tiled so."""
    return tuple(
        (player.colours[row], row + 1 - player.counts[row])
        for row in range(6)
        if columns[row] and player.counts[row] <= row
    )


def play_tile(state: State, move: Tile, reasons: list[Reason] | None = None) -> State:
    """The position after one player's tiling; reasons are gathered when a list is given."""
    mover = state.players[move.player - 1]
    cells, counts, colours = list(mover.cells), list(mover.counts), list(mover.colours)
    broken, tower = mover.broken, list(state.tower)
    score = mover.score
    data = rules_data()
    for row in range(6):
        count, colour = counts[row], colours[row]
        if not count:
            continue
        column = move.columns[row]
        if column:
            cell = row * 6 + column - 1
            cells[cell] = colour
            across, down = len(run_across(cells, cell)), len(run_down(cells, cell))
            score += 1 if across == down == 1 else (across if across > 1 else 0) + (down if down > 1 else 0)
            if reasons is not None:
                reasons.extend(tile_reasons(cells, move.player, cell, row + 1))
            special = completes_special(cells, mover.plates, cell)
            if special is not None:
                cells[special] = SPECIAL_TILE
                points = data.special_row_points[special // 6]
                score += points
                if reasons is not None:
                    name = place_name(move.player, special)
                    reasons.append(Reason("special", move.player, points, (name,), {"row": special // 6 + 1}))
            tower[colour] += count - 1
        elif unplaceable(mover, row):
            kept = min(count, len(data.broken_values) - len(broken))
            broken = broken + (colour,) * kept
            tower[colour] += count - kept
        else:
            continue
        counts[row], colours[row] = 0, NOTHING
    settled = mover._replace(broken=broken, score=score)
    if reasons is not None:
        reasons.extend(loss_reasons(settled, move.player))
    for colour in broken:
        # One of unknown colour is counted among those in bag and tower already.
        if colour != UNSEEN_TILE:
            tower[colour] += 1
    chips = mover.chips
    for place in move.chips:
        chips = put(chips, place - 1, chips[place - 1] + CHIP_USED)
    done = PlayerState(
        tuple(counts), tuple(colours), mover.plates, tuple(cells), (), chips, mover.tokens_used, mover.has_marker,
        mover.has_passed, True, max(0, score - loss(settled)),
    )
    after = state._replace(players=with_player(state, move.player, done), tower=tuple(tower))
    return finish_round(after) if all(player.has_tiled for player in after.players) else after


def finish_round(state: State) -> State:
    """After the last tiling: the next deal is awaited, or the game is over."""
    starter = next((n for n in (1, 2) if state.players[n - 1].has_marker), state.starter)
    if state.round == rules_data().rounds:
        return state._replace(phase=OVER, starter=starter)
    return state._replace(phase=DEAL, starter=starter)
