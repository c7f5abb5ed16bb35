"""Blockers!, whole: the object through which everybody else plays it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from engine.errors import EngineError, IllegalMoveError, SetupError
from engine.games.blockers import fumbles, moves, notation, plausible, scoring, slips, visible
from engine.games.blockers.data import GameData, load, members
from engine.games.blockers.moves import Move, Pass, Place
from engine.games.blockers.state import State, make_rules, new_state, with_hands
from engine.types import Content, DealRequest, Plausible, Result, Slip, Step, Visible
from engine.types import Place as PlaceName

STAND_INS = 2
"""So many tiles on a cell that is covered stand for all that may lie there."""


class Blockers:
    """The game for two to five. Racks are secret, so a legal move is any tile of the mover that nobody has seen yet."""

    id = "blockers"
    has_rounds = False

    @property
    def data(self) -> GameData:
        return load()

    @property
    def players(self) -> range:
        return self.data.players

    @property
    def options(self) -> Mapping[str, Sequence[Any]]:
        return self.data.options

    def new(self, players: int, options: Mapping[str, Any] | None = None, start_player: int = 1) -> State:
        return new_state(make_rules(self.data, players, options), start_player)

    # -- whose turn, what is possible ----------------------------------------------------------------------

    def phase(self, state: State) -> str:
        if state.is_over:
            return "over"
        return "placing" if next(moves.placements(state, state.player), None) else "no-move"

    def round(self, state: State) -> int:
        """The number of the mover's own turn; at the end, the last."""
        return min(state.turns[state.player - 1] + 1, state.rules.turns)

    def to_move(self, state: State) -> tuple[int, ...]:
        return () if state.is_over else (state.player,)

    def legal_moves(self, state: State) -> Sequence[Move]:
        return moves.legal_moves(state)

    def moves_towards(
        self, state: State, seen: Mapping[PlaceName, Content], covered: Collection[PlaceName]
    ) -> Sequence[Move] | None:
        shown = self._cells(seen)
        # Which tile lies where nobody can look nobody can tell; that there are several, two of them say as well.
        hidden = Counter[str]()
        found = moves.legal_moves(state, shown)
        if not state.is_over:
            for move in moves.placements(state, state.player, self._cells(covered) & ~shown):
                hidden[move.cell] += 1
                if hidden[move.cell] <= STAND_INS:
                    found.append(move)
        return found

    def plausible_towards(
        self, state: State, seen: Mapping[PlaceName, Content], covered: Collection[PlaceName]
    ) -> Iterable[Plausible] | None:
        return plausible.mistakes(state, self._cells((*seen, *covered)))

    def _cells(self, places: Iterable[PlaceName]) -> int:
        """The set of those cells that are among some places."""
        index = self._cell_at
        return sum({1 << index[place] for place in places if place in index})

    @cached_property
    def _cell_at(self) -> Mapping[PlaceName, int]:
        return {place: cell for cell, place in enumerate(self.data.places)}

    def plausible_moves(self, state: State) -> Iterator[Plausible]:
        return plausible.plausible_moves(state)

    def fumbles(self, state: State, seed: int) -> Iterator[Plausible]:
        return fumbles.fumbles(state, random.Random(seed))

    def apply(self, state: State, move: Move) -> Step:
        slip = slips.fault(state, move)
        if slip is not None:
            raise IllegalMoveError(slip, notation.format_move(move), notation.format_position(state))
        return Step(*scoring.move_reasons(state, move))

    def play(self, state: State, move: Move) -> State:
        return moves.play(state, move)

    def player_of(self, move: Move) -> int | None:
        return move.player

    # -- chance: the piles are hidden and so is what is drawn ------------------------------------------------

    def deal_request(self, state: State) -> DealRequest | None:
        return None

    def deal(self, state: State, contents: Mapping[PlaceName, Content]) -> Move:
        raise EngineError("Blockers! has no deal that lies open on the table.")

    def random_deal(self, state: State, seed: int) -> Move:
        raise EngineError("Blockers! has no deal that lies open on the table; with_hidden fills the racks.")

    def with_hidden(self, state: State, seed: int) -> State:
        """The same position with shuffled piles and filled racks: from there on only rack tiles are legal moves."""
        return with_hands(state, seed)

    def without_hidden(self, state: State) -> State:
        """The position as everybody at the table may know it."""
        return state._replace(hands=None)

    def random_playout(self, rng: random.Random) -> int:
        """One whole random game for three with true racks; the number of its moves."""
        state = self.with_hidden(self.new(3), rng.getrandbits(32))
        data, count = self.data, 0
        while not state.is_over:
            state = moves.play(state, random_move(data, state, rng))
            count += 1
        return count

    # -- what a camera needs ---------------------------------------------------------------------------------

    def places(self, players: int, options: Mapping[str, Any] | None = None) -> tuple[PlaceName, ...]:
        make_rules(self.data, players, options)
        return visible.places(self.data, players)

    def visible(self, state: State) -> Visible:
        return visible.visible(state)

    def changes(self, before: State, after: State) -> Visible:
        return visible.changes(before, after)

    def problems(self, before: State, after: State | Visible) -> tuple[Slip, ...]:
        seen = visible.visible(after) if isinstance(after, State) else after
        return slips.problems(before, seen)

    def position_from(
        self, seen: Visible, players: int, options: Mapping[str, Any] | None = None, to_move: int = 1, **hints: Any
    ) -> State:
        """`turns` (or `start_turns`): how many turns each player has had, where people know it."""
        turns = hints.get("turns", hints.get("start_turns"))
        return visible.position_from(make_rules(self.data, players, options), seen, to_move, turns)

    def whereabouts(self, state: State, content: Content) -> tuple[PlaceName, ...]:
        return visible.whereabouts(state, content)

    def late_places(self, state: State, move: Move) -> frozenset[PlaceName]:
        """None: a captured tile lies in front of its captor at once (B36)."""
        return frozenset()

    def supplies(self, state: State) -> Mapping[str, Any]:
        return visible.supplies(state)

    # -- the end, and words ------------------------------------------------------------------------------------

    def scores(self, state: State) -> tuple[int, ...]:
        return scoring.scores(state)

    def is_over(self, state: State) -> bool:
        return state.is_over

    def result(self, state: State) -> Result:
        if not state.is_over:
            raise EngineError(f"The game is not over yet: '{notation.format_position(state)}'.")
        return scoring.result(state)

    def evaluate(self, state: State, player: int) -> float:
        return scoring.evaluate(state, player)

    def describe(self, move: Move) -> Mapping[str, Any]:
        if isinstance(move, Pass):
            return {}
        return {"player": move.player, "to": move.cell, "face": move.face, "captured": move.captured}

    def say(self, move: Move) -> tuple[str, Mapping[str, Any]]:
        if isinstance(move, Pass):
            return "pass", {"player": move.player}
        params = {"player": move.player, "to": f"board.{move.cell}", "face": move.face, "colour": move.colour}
        if move.captured is None:
            return "place", params
        return "capture", {**params, "captured": move.captured}

    # -- text and JSON -------------------------------------------------------------------------------------------

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(self.data, text)

    def format_position(self, state: State) -> str:
        return notation.format_position(state)

    def parse_position(self, text: str) -> State:
        return notation.parse_position(self.data, text)

    def to_json(self, state: State) -> Any:
        return notation.to_json(state)

    def from_json(self, data: Any) -> State:
        return notation.from_json(self.data, data)


def random_move(data: GameData, state: State, rng: random.Random) -> Move:
    """One of the legal moves, each as likely, without building the others."""
    options: list[tuple[int, int, int]] = []
    total = 0
    for colour in moves.playable_colours(state, state.player):
        empty, free = moves.targets(state, state.player, colour)
        for face in members(moves.hand(state, colour)):
            cells = data.fits[face] & (empty | free)
            if cells:
                total += cells.bit_count()
                options.append((colour, face, cells))
    if not total:
        return Pass(state.player)
    pick = int(rng.random() * total)
    for colour, face, cells in options:
        size = cells.bit_count()
        if pick < size:
            for _ in range(pick):
                cells &= cells - 1
            cell = (cells & -cells).bit_length() - 1
            taken = state.colour_at(cell)
            captured = data.colours[taken] if taken >= 0 else None
            return Place(state.player, data.colours[colour], data.faces[face], data.cells[cell], captured)
        pick -= size
    raise SetupError("the counts of the cells do not add up")


GAME = Blockers()
