"""The tilings that lead to, or over, what shows: with many chips there are thousands, and a table shows but a few."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

from engine.games.azul_duel.moves import Tile
from engine.games.azul_duel.state import PlayerState, State
from engine.games.azul_duel.tiling import Demands, demanded, face_up, line_choices, payments, tilings
from engine.types import Place

MANY_TILINGS = 300
"""From here on only those tilings are made that what shows speaks for."""
MOST_OPEN = 2
"""Of so many lines of which nothing shows yet where they were tiled to, every space is tried: a tile in the colour of
its print may hardly show."""
MOST_UNSHOWN = 3
"""Of payments of which no chip has been turned yet so many stand for all."""


def has_many(state: State) -> bool:
    """Whether there are so many tilings that they cannot all be looked at."""
    waiting = [number for number in (1, 2) if not state.players[number - 1].has_tiled]
    return sum(len(tilings(state, number)) for number in waiting) > MANY_TILINGS


def tilings_towards(
    state: State, number: int, seen: Collection[Place], covered: Collection[Place]
) -> list[Tile]:
    """The tilings of a player whose tiles lie where something has come to lie, or where nothing can be seen, those
    first of which most shows. A line that must be tiled, or was touched, and of which nothing shows yet is tiled to any
    space where there are few such lines, to its first where there are many."""
    mover = state.players[number - 1]
    open_places = {*seen, *covered}
    store = face_up(mover)
    touched = {place.rpartition(".")[0] for place in seen}
    choices = [_columns(mover, number, row, len(store), open_places) for row in range(6)]
    unshown = {
        row: [column for column in line_choices(mover, row, len(store)) if column]
        for row, options in enumerate(choices)
        if not any(options) and (not options or f"p{number}.line{row + 1}" in touched)
    }
    is_few = sum(map(bool, unshown.values())) <= MOST_OPEN
    for row, spaces in unshown.items():
        choices[row] += spaces if is_few else spaces[:1]
    found = []
    for columns in product(*choices):
        demands = demanded(mover, columns)
        if not demands:
            found.append(Tile(number, columns))
        elif 2 * sum(count for _, count in demands) <= len(store):
            found += [Tile(number, columns, chips) for chips in _paid(mover, number, demands, seen, open_places)]
    return sorted(found, key=lambda move: _unshown(move, seen))


def _unshown(move: Tile, seen: Collection[Place]) -> int:
    """How many of the marks of a tiling do not show, less those that do."""
    marks = [f"p{move.player}.dome.{row}.{column}" for row, column in enumerate(move.columns, 1) if column]
    marks += [f"p{move.player}.chips.{place}" for place in move.chips]
    return sum(-1 if mark in seen else 1 for mark in marks)


def _columns(mover: PlayerState, number: int, row: int, chips: int, open_places: Collection[Place]) -> list[int]:
    """The columns that a line may have been tiled to."""
    choices = line_choices(mover, row, chips)
    shown = [column for column in choices if column and f"p{number}.dome.{row + 1}.{column}" in open_places]
    return [0, *shown] if 0 in choices else shown


def _paid(
    mover: PlayerState, number: int, demands: Demands, seen: Collection[Place], open_places: Collection[Place]
) -> list[tuple[int, ...]]:
    """The chips that may have been used: those that were turned, and otherwise those that may still be."""
    store = face_up(mover)
    names = {place: f"p{number}.chips.{place}" for place in store}
    turned = {place for place in store if names[place] in seen}
    done, coming = [], []
    for group in payments(tuple(mover.chips[place - 1] for place in store), demands):
        chips = tuple(store[index] for index in group)
        if all(names[place] in open_places for place in chips):
            done.append(chips)
        elif turned.issubset(chips):
            coming.append(chips)
    return done + sorted(coming, key=len)[:MOST_UNSHOWN]
