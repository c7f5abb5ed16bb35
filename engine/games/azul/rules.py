"""Azul as the engine offers it: `GAME` ties the parts together and checks what comes in from outside."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from engine.errors import EngineError, IllegalMoveError
from engine.games.azul import dealing, notation, offer, tiling
from engine.games.azul import jsonform as form
from engine.games.azul.data import GameData, load
from engine.games.azul.evaluation import evaluate
from engine.games.azul.goals import EVERYWHERE, Goals, lines_of
from engine.games.azul.moves import Deal, Move, Take, Tile, destination_name, source_name
from engine.games.azul.oracle import first_difference
from engine.games.azul.plausible import plausible_moves, slips_with
from engine.games.azul.playout import random_game
from engine.games.azul.position import position_from, supplies
from engine.games.azul.refusal import refused
from engine.games.azul.scoring import final_result
from engine.games.azul.slips import problems
from engine.games.azul.state import State, make_rules, new_state
from engine.games.azul.visible import all_places, changes, visible
from engine.types import Content, DealRequest, Place, Plausible, Reason, Result, Slip, Step

SLIPS_KEPT = 32
"""Of how many sources the mistakes are remembered; a position has ten."""


class Azul:
    """The game of Azul for two to four players, on either side of the boards."""

    id = "azul"
    players = range(2, 5)
    has_rounds = True

    @cached_property
    def data(self) -> GameData:
        """The numbers and lists, read when they are first needed."""
        return load()

    @property
    def options(self) -> Mapping[str, Sequence[Any]]:
        return self.data.options

    def new(self, players: int, options: Mapping[str, Any] | None = None, start_player: int = 1) -> State:
        return new_state(make_rules(self.data, players, options), start_player)

    # -- whose turn, what is possible -------------------------------------------------------------------

    def phase(self, state: State) -> str:
        return state.phase

    def round(self, state: State) -> int:
        return state.round

    def to_move(self, state: State) -> tuple[int, ...]:
        return (state.player,) if state.phase == "offer" else state.waiting

    def legal_moves(self, state: State) -> Sequence[Move]:
        if state.phase == "offer":
            return offer.legal_takes(state)
        return tiling.legal_tilings(state) if state.phase == "tiling" else ()

    def plausible_moves(self, state: State) -> Iterable[Plausible]:
        return plausible_moves(state)

    @cached_property
    def _slips_with(self) -> Callable[[State, int | None, Goals], tuple[Plausible, ...]]:
        """The mistakes of the last few positions: whoever follows a game asks for them in one frame after another."""
        return lru_cache(maxsize=SLIPS_KEPT)(slips_with)

    def moves_towards(
        self, state: State, seen: Mapping[Place, Content], covered: Collection[Place]
    ) -> Sequence[Move] | None:
        return offer.legal_takes(state, {*seen, *covered}) if state.phase == "offer" else None

    def plausible_towards(
        self, state: State, seen: Mapping[Place, Content], covered: Collection[Place]
    ) -> Iterable[Plausible] | None:
        if state.phase != "offer":
            return None
        # Whatever went wrong with a source, it does not look as it did.
        found = [
            each for source in offer.touched_sources(state, seen, covered)
            for each in self._slips_with(state, source, lines_of((*seen, *covered)))
        ]
        found += self._slips_with(state, None, EVERYWHERE)
        return [each for each in found if not each.places.keys().isdisjoint(seen)]

    def apply(self, state: State, move: Move) -> Step:
        self.check(state, move)
        if isinstance(move, Tile):
            reasons: list[Reason] = []
            after = tiling.play_tile(state, move, reasons)
            return Step(after, tuple(reasons))
        return Step(self.play(state, move))

    def play(self, state: State, move: Move) -> State:
        if isinstance(move, Take):
            return offer.play_take(state, move)
        return tiling.play_tile(state, move) if isinstance(move, Tile) else dealing.play_deal(state, move)

    def check(self, state: State, move: Move) -> None:
        """IllegalMoveError with its slip when the rules forbid the move."""
        if isinstance(move, Deal) and state.phase in ("deal", "over"):
            slips = dealing.deal_slips(state, move)
            if slips:
                raise IllegalMoveError(slips[0], self.format_move(move), self.format_position(state))
            if not any(map(any, move.discs)):
                raise EngineError("Bag and lid are empty, so no round can be dealt: agree on how the game ends.")
            return
        slip = refused(state, move)
        if slip:
            raise IllegalMoveError(slip, self.format_move(move), self.format_position(state))

    def random_playout(self, rng: random.Random) -> int:
        """Play one complete game at random for two; returns how many takes there were."""
        return random_game(rng, self.data)[0]

    def player_of(self, move: Move) -> int | None:
        return None if isinstance(move, Deal) else move.player

    # -- chance, read from the table ---------------------------------------------------------------------

    def deal_request(self, state: State) -> DealRequest | None:
        return dealing.request(state)

    def deal(self, state: State, contents: Mapping[Place, Content]) -> Move:
        move = dealing.make_deal(state, contents)
        self.check(state, move)
        return move

    def random_deal(self, state: State, seed: int) -> Move:
        return dealing.random_deal(state, random.Random(seed))

    # -- what a camera needs -----------------------------------------------------------------------------

    def places(self, players: int, options: Mapping[str, Any] | None = None) -> tuple[Place, ...]:
        rules = make_rules(self.data, players, options)
        return all_places(players, rules.discs, self.data.floor_length)

    def visible(self, state: State) -> Mapping[Place, Content]:
        return visible(state)

    def changes(self, before: State, after: State) -> Mapping[Place, Content]:
        return changes(before, after)

    def problems(self, before: State, after: State | Mapping[Place, Content]) -> tuple[Slip, ...]:
        return problems(before, visible(after) if isinstance(after, State) else after)

    def position_from(
        self, seen: Mapping[Place, Content], players: int, options: Mapping[str, Any] | None = None, to_move: int = 1,
        **hints: Any,
    ) -> State:
        return position_from(seen, make_rules(self.data, players, options), to_move, **hints)

    def supplies(self, state: State) -> Mapping[str, Any]:
        return supplies(state)

    def late_places(self, state: State, move: Move) -> frozenset[Place]:
        return frozenset({f"p{move.player}.score"}) if isinstance(move, Tile) else frozenset()

    # -- the end, and words -------------------------------------------------------------------------------

    def scores(self, state: State) -> tuple[int, ...]:
        return tuple(board.score for board in state.boards)

    def evaluate(self, state: State, player: int) -> float:
        return evaluate(state, player)

    def is_over(self, state: State) -> bool:
        return state.phase == "over"

    def result(self, state: State) -> Result:
        if state.phase != "over":
            raise EngineError("The game is not over yet, so there is no result.")
        return final_result(state)

    def describe(self, move: Move) -> Mapping[str, Any]:
        if not isinstance(move, Take):
            return {}
        return {
            "player": move.player,
            "from": source_name(move.source),
            "colour": self.data.colours[move.colour],
            "count": move.number,
            "to": destination_name(move.to),
        }

    def say(self, move: Move) -> tuple[str, Mapping[str, Any]]:
        if isinstance(move, Take):
            return "take", self.describe(move)
        return ("tile", {"player": move.player}) if isinstance(move, Tile) else ("deal", {})

    def compare_record(self, record: Mapping[str, Any]) -> str | None:
        """The first difference to a complete game that another engine wrote down."""
        difference = first_difference(record, self.data)
        return None if difference is None else str(difference)

    # -- text and JSON --------------------------------------------------------------------------------------

    def format_move(self, move: Move) -> str:
        return notation.format_move(move, self.data)

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(text, self.data)

    def format_position(self, state: State) -> str:
        return notation.format_position(state)

    def parse_position(self, text: str) -> State:
        return notation.parse_position(text, self.data)

    def to_json(self, state: State) -> Any:
        return form.to_json(state)

    def from_json(self, data: Any) -> State:
        return form.from_json(data, self.data)


GAME = Azul()
