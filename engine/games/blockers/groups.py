"""Groups on the board: how many there are, and which tiles can leave without splitting one.

Every function is asked again and again for the same sets of cells (a move changes one colour or two), so the answers
are remembered.
"""

from __future__ import annotations

from functools import lru_cache

from engine.games.blockers.data import CELLS, members, spread

REMEMBERED = 1 << 14
"""How many sets of cells are remembered; a game meets a few hundred."""

NEIGHBOURS = tuple(spread(1 << cell) & ~(1 << cell) for cell in range(CELLS))
RINGS = tuple(spread(spread(1 << cell)) & ~(1 << cell) for cell in range(CELLS))
"""The cells around a cell through which its neighbours are most often connected."""


def group_of(cells: int, seed: int) -> int:
    """Everything in `cells` that is connected by edges to the set `seed`."""
    grown = seed & cells
    while True:
        wider = spread(grown) & cells
        if wider == grown:
            return grown
        grown = wider


@lru_cache(maxsize=REMEMBERED)
def groups(cells: int) -> tuple[int, ...]:
    """The groups of one colour's cells."""
    found: list[int] = []
    while cells:
        group = group_of(cells, cells & -cells)
        found.append(group)
        cells ^= group
    return tuple(found)


@lru_cache(maxsize=REMEMBERED)
def capturable(cells: int) -> int:
    """The cells of one colour whose tile may be captured: what is left of its group is empty or still one group."""
    free = 0
    for cell in members(cells):
        around = NEIGHBOURS[cell] & cells
        if around & (around - 1) == 0:
            free |= 1 << cell
            continue
        first = around & -around
        if around & ~group_of(cells & RINGS[cell], first) == 0 or around & ~group_of(cells ^ 1 << cell, first) == 0:
            free |= 1 << cell
    return free
