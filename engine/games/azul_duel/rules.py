"""Azul Duel as the engine offers it: `GAME` ties the parts together and checks what comes in from outside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from engine.errors import EngineError, IllegalMoveError, SetupError
from engine.games.azul_duel import acquire, dealing, jsonform, notation, scoring, tiling
from engine.games.azul_duel.chance import play_randomly
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.evaluation import evaluate
from engine.games.azul_duel.heights import ask_height, heights, unseen_heights, with_heights
from engine.games.azul_duel.moves import Deal, Move, Plate, Tile
from engine.games.azul_duel.options import allowed, make_options
from engine.games.azul_duel.plausible import picks_and_slips, plausible_moves, tilings_and_slips
from engine.games.azul_duel.position import position_from, supplies
from engine.games.azul_duel.recall import recall
from engine.games.azul_duel.refusal import refused
from engine.games.azul_duel.sifting import has_many, tilings_towards
from engine.games.azul_duel.slips import problems
from engine.games.azul_duel.state import (
    ACQUIRE,
    DEAL,
    NO_TILES,
    NOTHING,
    OVER,
    PHASES,
    REVEAL,
    SETUP,
    TILING,
    State,
    empty_player,
)
from engine.games.azul_duel.visible import all_places, changes, visible
from engine.games.azul_duel.words import describe, say
from engine.types import Content, DealRequest, Heights, Place, Plausible, Reason, Result, Slip, Step, Visible


class AzulDuel:
    """Azul Duel for two players."""

    id = "azul-duel"
    players = range(2, 3)
    has_rounds = True

    @property
    def options(self) -> Mapping[str, Sequence[Any]]:
        return allowed()

    def new(self, players: int, options: Mapping[str, Any] | None = None, start_player: int = 1) -> State:
        data = rules_data()
        self._check_players(players)
        if start_player not in (1, 2):
            raise SetupError(f"Player {start_player} cannot start: Azul Duel has players 1 and 2.")
        player = empty_player(data.start_score)
        return State(
            players=(player, player), suns=(NO_TILES,) * len(data.factory_tiles), large_moon=NO_TILES, moons=((),) * 4,
            chips=(NOTHING,) * 4, marker_on_large=True, offer=(NOTHING,) * data.open_plates,
            bag=(data.tiles_per_colour,) * len(data.colours), tower=NO_TILES, supply_is_split=True, round=0, phase=DEAL,
            turn=start_player, starter=start_player, options=make_options(options),
        )

    def _check_players(self, players: int) -> None:
        if players not in self.players:
            raise SetupError(f"Azul Duel is for 2 players, not for {players}.")

    # -- whose turn, what is possible -------------------------------------------------------------------

    def phase(self, state: State) -> str:
        return PHASES[state.phase]

    def round(self, state: State) -> int:
        return max(1, state.round)

    def to_move(self, state: State) -> tuple[int, ...]:
        if state.phase in (SETUP, ACQUIRE):
            return (state.turn,)
        if state.phase == TILING:
            return tuple(number for number in (1, 2) if not state.players[number - 1].has_tiled)
        return ()

    def legal_moves(self, state: State) -> Sequence[Move]:
        if state.phase == ACQUIRE:
            return acquire.actions(state, state.turn)
        if state.phase == TILING:
            return [move for number in self.to_move(state) for move in tiling.tilings(state, number)]
        return acquire.start_plates(state, state.turn) if state.phase == SETUP else ()

    def moves_towards(
        self, state: State, seen: Mapping[Place, Content], covered: Collection[Place]
    ) -> Sequence[Move] | None:
        if state.phase == ACQUIRE:
            return acquire.actions_towards(state, state.turn, seen, covered)
        if state.phase != TILING or not has_many(state):
            return None
        return [move for number in self.to_move(state) for move in tilings_towards(state, number, seen, covered)]

    def plausible_towards(
        self, state: State, seen: Mapping[Place, Content], covered: Collection[Place]
    ) -> Iterable[Plausible] | None:
        if state.phase == ACQUIRE:
            return picks_and_slips(state, seen, covered)
        return tilings_and_slips(state, seen, covered) if state.phase == TILING and has_many(state) else None

    def plausible_moves(self, state: State) -> Iterable[Plausible]:
        return plausible_moves(state)

    def apply(self, state: State, move: Move) -> Step:
        slip = refused(state, move)
        if slip is not None:
            raise IllegalMoveError(slip, self.format_move(move), self.format_position(state))
        if isinstance(move, Tile):
            reasons: list[Reason] = []
            after = tiling.play_tile(state, move, reasons)
            return Step(after, tuple(reasons))
        after = self.play(state, move)
        paid = after.players[0].score + after.players[1].score - state.players[0].score - state.players[1].score
        if isinstance(move, Plate) and paid:
            return Step(after, (Reason("stack-draw", move.player, paid, (f"p{move.player}.{move.to}",)),))
        return Step(after)

    def play(self, state: State, move: Move) -> State:
        if isinstance(move, Deal):
            return dealing.play_deal(state, move)
        return tiling.play_tile(state, move) if isinstance(move, Tile) else acquire.play(state, move)

    def random_playout(self, rng: Random) -> int:
        """One complete random game; how many moves the players made."""
        return play_randomly(self.new(2), rng)

    def player_of(self, move: Move) -> int | None:
        return None if isinstance(move, Deal) else move.player

    # -- chance, read from the table ---------------------------------------------------------------------

    def deal_request(self, state: State) -> DealRequest | None:
        return dealing.request(state)

    def deal(self, state: State, contents: Mapping[Place, Content]) -> Move:
        move = dealing.make_deal(state, contents)
        slip = refused(state, move)
        if slip is not None:
            raise IllegalMoveError(slip, self.format_move(move), self.format_position(state))
        return move

    def random_deal(self, state: State, seed: int) -> Move:
        if state.phase not in (DEAL, REVEAL):
            raise EngineError("No deal is awaited now.")
        return dealing.random_deal(state, Random(seed))

    # -- what a camera needs -----------------------------------------------------------------------------

    def places(self, players: int, options: Mapping[str, Any] | None = None) -> tuple[Place, ...]:
        self._check_players(players)
        make_options(options)
        return all_places()

    def visible(self, state: State) -> Visible:
        return visible(state)

    def changes(self, before: State, after: State) -> Visible:
        return changes(before, after)

    def problems(self, before: State, after: State | Visible) -> tuple[Slip, ...]:
        return problems(before, visible(after) if isinstance(after, State) else after)

    def position_from(
        self, seen: Visible, players: int, options: Mapping[str, Any] | None = None, to_move: int = 1, **hints: Any
    ) -> State:
        self._check_players(players)
        return position_from(seen, make_options(options), to_move, **hints)

    def recall(self, state: State, seen: Visible) -> Mapping[str, Any]:
        return recall(state, seen)

    def heights(self, state: State) -> Mapping[Place, int]:
        return heights(state)

    def unseen_heights(self, before: State | None, after: State) -> Mapping[Place, Heights]:
        return unseen_heights(before, after)

    def with_heights(self, state: State, told: Mapping[Place, int]) -> State:
        return with_heights(state, told)

    def ask_height(self, place: Place) -> tuple[str, Mapping[str, Any]]:
        return ask_height(place)

    def supplies(self, state: State) -> Mapping[str, Any]:
        return supplies(state)

    def late_places(self, state: State, move: Move) -> frozenset[Place]:
        """Tokens, stones and chips of a tiling; tokens of a plate; what a deal tidies up besides."""
        if isinstance(move, Deal):
            return _late_after_deal()
        if isinstance(move, Tile):
            return _late_on_board(move.player, ("score", "start", "chips"))
        if isinstance(move, Plate):
            return _late_on_board(move.player, ("token",))
        return frozenset()

    # -- the end, and words -------------------------------------------------------------------------------

    def scores(self, state: State) -> tuple[int, ...]:
        return tuple(player.score for player in state.players)

    def evaluate(self, state: State, player: int) -> float:
        return evaluate(state, player)

    def is_over(self, state: State) -> bool:
        return state.phase == OVER

    def result(self, state: State) -> Result:
        if state.phase != OVER:
            raise EngineError("The game is not over yet, so there is no result.")
        return scoring.result(state)

    def describe(self, move: Move) -> Mapping[str, Any]:
        return describe(move)

    def say(self, move: Move) -> tuple[str, Mapping[str, Any]]:
        return say(move)

    # -- text and JSON --------------------------------------------------------------------------------------

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(text)

    def format_position(self, state: State) -> str:
        return notation.format_position(state)

    def parse_position(self, text: str) -> State:
        return notation.parse_position(text)

    def to_json(self, state: State) -> Any:
        return jsonform.to_json(state)

    def from_json(self, data: Any) -> State:
        return jsonform.from_json(data)


GAME = AzulDuel()


@cache
def _late_after_deal() -> frozenset[Place]:
    return frozenset(place for place in all_places() if ".token." in place or place == "big.moon")


@cache
def _late_on_board(player: int, sorts: tuple[str, ...]) -> frozenset[Place]:
    """The places of some sorts on a player's board."""
    own = f"p{player}."
    return frozenset(place for place in all_places() if place.startswith(own) and place.split(".")[1] in sorts)
