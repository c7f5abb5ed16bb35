"""Positions written the way a person would describe them, for the tests of Azul Duel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.games.azul_duel.data import LETTERS, rules_data
from engine.games.azul_duel.options import make_options
from engine.games.azul_duel.position import on_table
from engine.games.azul_duel.state import (
    ACQUIRE,
    CHIP_DOWN,
    NO_TILES,
    NOTHING,
    SPECIAL_TILE,
    TILING,
    PlayerState,
    State,
    empty_player,
    subtract,
)

TILES = LETTERS + "S"


def heap(letters: str) -> tuple[int, ...]:
    return tuple(letters.count(letter) for letter in LETTERS)


def chip(letters: str) -> int:
    wanted = sorted(LETTERS.index(letter) for letter in letters)
    return [sorted(kind) for kind in rules_data().chip_kinds].index(wanted)


def board(
    lines: Mapping[int, str] | None = None,
    plates: Mapping[tuple[int, int], tuple[int, int]] | None = None,
    cells: Mapping[tuple[int, int], str] | None = None,
    broken: str = "",
    chips: tuple[str, ...] = (),
    score: int = 5,
    marker: bool = False,
    tokens_used: int = 0,
) -> PlayerState:
    """A player's board: lines by number, plates (number, degrees) by slot, dome tiles by row and column."""
    counts, colours = [0] * 6, [NOTHING] * 6
    for line, letters in (lines or {}).items():
        counts[line - 1], colours[line - 1] = len(letters), LETTERS.index(letters[0])
    slots, dome, store = [NOTHING] * 9, [NOTHING] * 36, [NOTHING] * 10
    for (row, column), (plate, degrees) in (plates or {}).items():
        slots[(row - 1) * 3 + column - 1] = plate * 4 + degrees // 90
    for (row, column), letter in (cells or {}).items():
        dome[(row - 1) * 6 + column - 1] = SPECIAL_TILE if letter == "S" else LETTERS.index(letter)
    for place, letters in enumerate(chips):
        store[place] = chip(letters)
    return empty_player(score)._replace(
        counts=tuple(counts),
        colours=tuple(colours),
        plates=tuple(slots),
        cells=tuple(dome),
        broken=tuple(LETTERS.index(letter) for letter in broken),
        chips=tuple(store),
        has_marker=marker,
        tokens_used=tokens_used,
    )


def acquiring(
    one: PlayerState,
    other: PlayerState | None = None,
    suns: Mapping[str, str] | None = None,
    moons: Mapping[str, str] | None = None,
    chips: Mapping[str, int] | None = None,
    offer: tuple[int, ...] = (),
    marker_on_large: bool = True,
    number: int = 1,
    options: Mapping[str, Any] | None = None,
    turn: int = 1,
) -> State:
    """A position while tiles are taken; moon stacks from bottom to top."""
    suns, moons, chips = suns or {}, moons or {}, chips or {}
    names = ("f1", "f2", "f3", "f4")
    held = {name for name in names if suns.get(name) or moons.get(name)}
    state = State(
        players=(one, other or board()),
        suns=tuple(heap(suns.get(name, "")) for name in ("big", *names)),
        large_moon=heap(moons.get("big", "")),
        moons=tuple(tuple(LETTERS.index(letter) for letter in moons.get(name, "")) for name in names),
        chips=tuple(chips.get(name, CHIP_DOWN if name in held else NOTHING) for name in names),
        marker_on_large=marker_on_large,
        offer=(*offer, *(NOTHING,) * (3 - len(offer))),
        bag=NO_TILES,
        tower=NO_TILES,
        supply_is_split=True,
        round=number,
        phase=ACQUIRE,
        turn=turn,
        starter=1,
        options=make_options(options),
    )
    return with_bag(state)


def tiling(
    one: PlayerState, other: PlayerState | None = None, number: int = 1, options: Mapping[str, Any] | None = None
) -> State:
    """A position at the beginning of the second phase."""
    return acquiring(one, other, marker_on_large=False, number=number, options=options)._replace(phase=TILING)


def with_bag(state: State) -> State:
    """All tiles that do not lie on the table are in the bag."""
    return state._replace(bag=subtract((rules_data().tiles_per_colour,) * 5, on_table(state)))
