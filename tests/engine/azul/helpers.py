"""Positions and whole games for the tests of Azul."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from engine.games.azul.data import load
from engine.games.azul.moves import Move
from engine.games.azul.rules import GAME
from engine.games.azul.state import Board, State

LETTERS = "BYRKW"
OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    {"wall": "grey"},
    {"partial_voluntary_floor": True, "marker_on_full_floor": "replace_first"},
    {"wall": "grey", "marker_on_full_floor": "replace_last", "no_center_taker": "next_player", "empty_supply": "end"},
)


def counts(letters: str) -> tuple[int, ...]:
    """A heap out of letters."""
    return tuple(letters.count(letter) for letter in LETTERS)


def board(lines: str = "-,-,-,-,-", wall: str = "", floor: str = "-", score: int = 0) -> Board:
    """A board in notation; the wall as rows parted by spaces, or left out."""
    text = f"{score} {lines} {wall or '..... ..... ..... ..... .....'} {floor}"
    return GAME.parse_position(
        f"azul 2 | 1 deal 1 1 | - - - - - | - | {text} | 0 -,-,-,-,- ..... ..... ..... ..... ..... - "
        "| 20.20.20.20.20 0.0.0.0.0"
    ).boards[0]


def position(
    boards: list[Board], discs: list[str] | None = None, centre: str = "", phase: str = "offer", **changes: Any
) -> State:
    """A position with these boards; whatever lies nowhere is in the bag."""
    options = changes.pop("options", None)
    state: State = GAME.new(len(boards), options)
    laid = [counts(disc) for disc in discs or []]
    laid += [counts("")] * (state.rules.discs - len(laid))
    waiting = tuple(range(1, len(boards) + 1)) if phase == "tiling" else ()
    state = state._replace(
        phase=phase,
        boards=tuple(boards),
        discs=tuple(laid),
        centre=counts(centre),
        is_marker_in_centre="M" in centre,
        waiting=waiting,
    )
    on_table = tiles_of(state, with_supply=False)
    bag = tuple(load().tiles_per_colour - number for number in on_table)
    return state._replace(supply=state.supply._replace(bag=bag, bag_total=sum(bag)), **changes)


def tiles_of(state: State, with_supply: bool = True) -> tuple[int, ...]:
    """All tiles of a position by colour, counted by hand."""
    total = [0] * 5
    heaps = [state.centre, *state.discs]
    if with_supply:
        heaps += [state.supply.bag, state.supply.lid]
    for heap in heaps:
        for colour, number in enumerate(heap):
            total[colour] += number
    for each in state.boards:
        for colour, number in each.lines:
            if number:
                total[colour] += number
        for item in (*(cell for row in each.wall for cell in row), *each.floor):
            if 0 <= item < 5:
                total[item] += 1
    return tuple(total)


def random_play(players: int, options: dict[str, Any], seed: int) -> Iterator[tuple[State, Move, State]]:
    """Every step of a random game: the position, the move, the position after it."""
    rng = random.Random(seed)
    state: State = GAME.new(players, options, rng.randint(1, players))
    while not GAME.is_over(state):
        if state.phase == "deal":
            move: Move = GAME.random_deal(state, rng.getrandbits(32))
        else:
            move = rng.choice(GAME.legal_moves(state))
        after = GAME.play(state, move)
        yield state, move, after
        state = after
