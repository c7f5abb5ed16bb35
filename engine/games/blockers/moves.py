"""Placing a tile: which moves the rules allow, and the position after one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from engine.games.blockers.data import EMPTY, FULL, members
from engine.games.blockers.groups import capturable
from engine.games.blockers.state import Hands, State


class Place(NamedTuple):
    """A tile put on a cell."""

    player: int
    colour: str
    """The colour of the tile that is placed."""
    face: str
    cell: str
    """Where it goes, such as `A4`."""
    captured: str | None = None
    """The colour of the tile that lay there and is captured."""


class Pass(NamedTuple):
    """A turn without a placement, because no tile of the rack fits anywhere."""

    player: int


Move = Place | Pass

_place = lru_cache(maxsize=1 << 14)(Place)
"""The same few thousand moves come up in every position."""


def playable_colours(state: State, player: int) -> tuple[int, ...]:
    """The player's colours that are not finished."""
    limit = state.rules.data.turns_per_colour
    return tuple(colour for colour in state.rules.colours[player - 1] if state.placed(colour) < limit)


def targets(state: State, player: int, colour: int) -> tuple[int, int]:
    """The empty cells, and the cells whose tile the player may capture with a tile of this colour."""
    rules, taken, free = state.rules, 0, 0
    for other, cells in enumerate(state.stones):
        taken |= cells
        if other == colour or not cells:
            continue
        if rules.owners[other] == player and not rules.two_player_capture_own_second_colour:
            continue
        free |= capturable(cells)
    return FULL & ~taken, free


def hand(state: State, colour: int) -> int:
    """The faces that can be played: the rack where it is known, otherwise everything not yet seen."""
    return state.hands.racks[colour] if state.hands else state.unseen[colour]


def placements(state: State, player: int, cells: int = FULL) -> Iterator[Place]:
    """Every tile that the player may put on one of some cells, if it is (or were) their turn."""
    data = state.rules.data
    for colour in playable_colours(state, player):
        empty, free = targets(state, player, colour)
        name = data.colours[colour]
        for face in members(hand(state, colour)):
            fits, label = data.fits[face] & cells, data.faces[face]
            for cell in members(fits & empty):
                yield _place(player, name, label, data.cells[cell])
            for cell in members(fits & free):
                yield _place(player, name, label, data.cells[cell], data.colours[state.colour_at(cell)])


def may_pass(state: State) -> bool:
    """Whether the mover can be without any move (B35): for certain, or as far as can be known of a secret rack."""
    certain, possible = True, True
    for colour in playable_colours(state, state.player):
        empty, free = targets(state, state.player, colour)
        faces = hand(state, colour)
        stuck = sum(1 for face in members(faces) if not state.rules.data.fits[face] & (empty | free))
        certain = certain and stuck == faces.bit_count()
        possible = possible and stuck >= min(state.rules.data.rack_size, faces.bit_count())
    return certain or (possible and state.rules.no_move_policy == "skip" and state.hands is None)


def legal_moves(state: State, cells: int = FULL) -> list[Move]:
    """Every move the rules allow now that puts a tile on one of some cells, or none anywhere."""
    if state.is_over:
        return []
    found: list[Move] = list(placements(state, state.player, cells))
    if may_pass(state):
        found.append(Pass(state.player))
    return found


def next_player(state: State, turns: tuple[int, ...]) -> int:
    """Who moves after `state.player`: clockwise, whoever still has a turn; unchanged when nobody has."""
    for step in range(1, state.rules.players + 1):
        player = (state.player - 1 + step) % state.rules.players + 1
        if turns[player - 1] < state.rules.turns:
            return player
    return state.player


def play(state: State, move: Move) -> State:
    """The position after a move that is trusted to be legal."""
    rules, board, stones, unseen, captured, turns, player, hands = state
    seat = player - 1
    turns = (*turns[:seat], turns[seat] + 1, *turns[seat + 1 :])
    if isinstance(move, Pass):
        return state._replace(turns=turns, player=next_player(state, turns))
    data = rules.data
    colour, face, cell = data.colour_index[move.colour], data.face_index[move.face], data.cell_index[move.cell]
    bit = 1 << cell
    changed = list(stones)
    changed[colour] |= bit
    if move.captured is not None:
        gone = data.colour_index[move.captured]
        changed[gone] &= ~bit
        heap = captured[seat]
        heap = (*heap[:gone], heap[gone] + 1, *heap[gone + 1 :])
        captured = (*captured[:seat], heap, *captured[seat + 1 :])
    left = unseen[colour] & ~(1 << face)
    return State(
        rules,
        (*board[:cell], face, *board[cell + 1 :]),
        tuple(changed),
        (*unseen[:colour], left, *unseen[colour + 1 :]),
        captured,
        turns,
        next_player(state, turns),
        draw(hands, colour, face) if hands else None,
    )


def draw(hands: Hands, colour: int, face: int) -> Hands:
    """The racks and piles after a tile was played and the next one drawn (B37)."""
    racks, piles = list(hands.racks), list(hands.piles)
    racks[colour] &= ~(1 << face)
    if piles[colour]:
        racks[colour] |= 1 << piles[colour][-1]
        piles[colour] = piles[colour][:-1]
    return Hands(tuple(racks), tuple(piles))


def is_empty(state: State, cell: int) -> bool:
    """Whether no tile lies on a cell."""
    return state.board[cell] == EMPTY
