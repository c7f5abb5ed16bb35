"""What a game is. A folder below `engine/games/` whose `rules.py` offers `GAME`, an object with these methods.

States and moves are each game's own frozen values; everybody else treats them as opaque and goes through
the game. Players are numbered from 1 in turn order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

from engine.types import Content, DealRequest, Heights, Place, Plausible, Reason, Result, Slip, Step, Visible

State = Any
Move = Any


class Game(Protocol):
    """One game, whole. Every method is pure: it changes none of its arguments and reads no clock."""

    @property
    def id(self) -> str:
        """The name used in recordings, such as `azul-duel`."""
        ...

    @property
    def players(self) -> range:
        """How many can play."""
        ...

    @property
    def options(self) -> Mapping[str, Sequence[Any]]:
        """Each option with its allowed values, the default first (an option that takes a list gives its items)."""
        ...

    @property
    def has_rounds(self) -> bool:
        """Whether a game is played in rounds that each end with a score. Where False, `round` counts turns."""
        ...

    def new(self, players: int, options: Mapping[str, Any] | None = None, start_player: int = 1) -> State:
        """The position before the first deal; SetupError when it cannot be played so."""
        ...

    # -- whose turn, what is possible -------------------------------------------------------------------

    def phase(self, state: State) -> str:
        """A key such as `deal`, `offer`, `tiling`, `over`; translated beside the game."""
        ...

    def round(self, state: State) -> int:
        """The round being played, from 1."""
        ...

    def to_move(self, state: State) -> tuple[int, ...]:
        """Who may act now. Several when players act independently, nobody while a deal is awaited or at the end."""
        ...

    def legal_moves(self, state: State) -> Sequence[Move]:
        """Every move the rules allow now. Of players who act independently, the moves of each."""
        ...

    def plausible_moves(self, state: State) -> Iterable[Plausible]:
        """All that hands are likely to do: every legal move, and the mistakes with their slips."""
        ...

    def apply(self, state: State, move: Move) -> Step:
        """The position after a legal move, with a reason for every point; IllegalMoveError otherwise."""
        ...

    def play(self, state: State, move: Move) -> State:
        """`apply` without reasons: the fast path for players that search. The move is trusted to be legal."""
        ...

    def player_of(self, move: Move) -> int | None:
        """Who makes the move; None for a deal."""
        ...

    # -- chance, read from the table ---------------------------------------------------------------------

    def deal_request(self, state: State) -> DealRequest | None:
        """What a refill must bring now, or None when none is awaited."""
        ...

    def deal(self, state: State, contents: Mapping[Place, Content]) -> Move:
        """The deal that put these contents on the table; IllegalMoveError with its slip when it cannot be."""
        ...

    def random_deal(self, state: State, seed: int) -> Move:
        """A deal as a shuffled bag would give it, for simulated tables and tests."""
        ...

    # -- what a camera needs -----------------------------------------------------------------------------

    def places(self, players: int, options: Mapping[str, Any] | None = None) -> tuple[Place, ...]:
        """Every place of the recording format for that many players, in a fixed order."""
        ...

    def visible(self, state: State) -> Visible:
        """What every place should show; `?` where it cannot be known."""
        ...

    def changes(self, before: State, after: State) -> Visible:
        """The places that show something else after than before, with what they show then."""
        ...

    def problems(self, before: State, after: State | Visible) -> tuple[Slip, ...]:
        """Every slip in a changed table; empty when a legal move (or nothing) explains it. Places that
        `after` does not list or lists as `?` are taken to be as `before` has them."""
        ...

    def position_from(
        self, seen: Visible, players: int, options: Mapping[str, Any] | None = None, to_move: int = 1,
        **hints: Any,
    ) -> State:
        """A position in mid-game built from what lies on the table; SetupError with a sentence if it cannot be.
        Hidden supplies become sets or exact counts, as far as they follow."""
        ...

    def supplies(self, state: State) -> Mapping[str, Any]:
        """Hidden stores (bag, lid, tower, piles): exact counts where they follow, `{min, max}` where not."""
        ...

    def late_places(self, state: State, move: Move) -> frozenset[Place]:
        """Places of a legal move that people may bring up to date a little later without doing anything wrong,
        such as the score stone after wall-tiling."""
        ...

    # -- the end, and words -------------------------------------------------------------------------------

    def scores(self, state: State) -> tuple[int, ...]:
        """The score of each player now, in player order."""
        ...

    def is_over(self, state: State) -> bool: ...

    def result(self, state: State) -> Result:
        """Final scores with their bonuses, tie-break and winners; EngineError while the game is not over."""
        ...

    def describe(self, move: Move) -> Mapping[str, Any]:
        """A move as the recording format's `moves` gives it (without `n`, `round` and `t`): from, colour, to …
        Empty for moves that do not stand there (deals, tilings); `setup: True` marks one made before round 1."""
        ...

    # -- text and JSON: parse and format are inverses ------------------------------------------------------

    def format_move(self, move: Move) -> str: ...

    def parse_move(self, text: str) -> Move: ...

    def format_position(self, state: State) -> str: ...

    def parse_position(self, text: str) -> State: ...

    def to_json(self, state: State) -> Any: ...

    def from_json(self, data: Any) -> State: ...


class Player(Protocol):
    """Somebody who chooses moves: greedy, searching, or a person."""

    def choose(self, game: Game, state: State, moves: Sequence[Move] | None = None) -> Move:
        """One of `moves`, all made by the same player: those that player's hidden hand allows. Without `moves`,
        one of the legal moves of the first player who may act."""
        ...


class Says(Protocol):
    """A game also puts each move into words: the page and the terminal ask for this.

    Kept apart from `Game` only so that a game under construction can be played before it can speak; the contract
    suite asks it of every game.
    """

    def say(self, move: Move) -> tuple[str, Mapping[str, Any]]:
        """A key of the game's [moves] strings (`take`, `tile`, `deal` …) with the parameters of that sentence."""
        ...


@runtime_checkable
class Evaluates(Protocol):
    """Optional: a game that can say how good a position is, which makes its players stronger."""

    def evaluate(self, state: State, player: int) -> float:
        """What the position is worth to the player, in points: the score and what it is likely to become, minus the
        best of the others'. Cheap: a search asks it thousands of times. Any phase, also when the game is over."""
        ...


@runtime_checkable
class PlaysOut(Protocol):
    """Optional: a game with its own fast loop for complete random games."""

    def random_playout(self, rng: Random) -> int:
        """Play one complete two-player (or smallest) game at random; returns how many moves players made."""
        ...


@runtime_checkable
class HidesHands(Protocol):
    """Optional: a game whose players hold secret tiles. A real table never knows them, a simulated one has to."""

    def with_hidden(self, state: State, seed: int) -> State:
        """The same position with the hidden tiles shuffled and dealt to the hands: from there on `legal_moves` are
        those of the true hands, and `visible` is unchanged."""
        ...

    def without_hidden(self, state: State) -> State:
        """The position as everybody at the table may know it."""
        ...


@runtime_checkable
class UniquePieces(Protocol):
    """Optional: a game in which each piece exists once, so that one that is still seen somewhere is nowhere else."""

    def whereabouts(self, state: State, content: Content) -> tuple[Place, ...]:
        """The places on one of which the piece with this look lies; empty when it can be anywhere, or there is none."""
        ...


@runtime_checkable
class Sifting(Protocol):
    """Optional: a game with so many moves or mistakes in some position that only those are made which what shows
    speaks for."""

    def moves_towards(
        self, state: State, seen: Mapping[Place, Content], covered: Collection[Place]
    ) -> Sequence[Move] | None:
        """The legal moves that lead to, or over, a table of which the places `seen` show something new (UNKNOWN where
        it cannot be told what) and those `covered` cannot be seen; None where all legal moves are to be looked at. Of
        many that differ only in what cannot be told, one may stand for all."""
        ...

    def plausible_towards(
        self, state: State, seen: Mapping[Place, Content], covered: Collection[Place]
    ) -> Iterable[Plausible] | None:
        """The same of the mistakes among `plausible_moves`: those that may be of use where each place that a mistake
        changes either shows something new or cannot be seen."""
        ...


@runtime_checkable
class Recalling(Protocol):
    """Optional: a game in which pieces lie under others, where nobody can see them."""

    def recall(self, state: State, seen: Mapping[Place, Content]) -> Mapping[str, Any]:
        """Hints for `position_from`: what lay under others in a position, as far as what is seen by now leaves it."""
        ...


@runtime_checkable
class HidesHeights(Protocol):
    """Optional: a game with piles of which only the top shows, and whose height matters: what nobody can see the
    players are asked for."""

    def heights(self, state: State) -> Mapping[Place, int]:
        """How many pieces each such pile holds, as far as it is known."""
        ...

    def unseen_heights(self, before: State | None, after: State) -> Mapping[Place, Heights]:
        """How many pieces each such pile with a piece on it may hold in a position that was read from the table, after
        another one that is known (None where nothing is)."""
        ...

    def with_heights(self, state: State, told: Mapping[Place, int]) -> State:
        """The same position with piles of a height that somebody told; SetupError when they cannot be so. What may
        lie under the tops is of unknown kind, and nothing else about the position changes."""
        ...

    def ask_height(self, place: Place) -> tuple[str, Mapping[str, Any]]:
        """A key of the game's [heights] strings with the parameters of that question: how many pieces lie there."""
        ...


@runtime_checkable
class Fumbles(Protocol):
    """Optional: a game with mistakes too many to list. A simulated table makes some of them."""

    def fumbles(self, state: State, seed: int) -> Iterable[Plausible]:
        """A few mistakes that `plausible_moves` does not list, drawn at random, each as `problems` names it."""
        ...


def total(reasons: Iterable[Reason]) -> int:
    """The points of all reasons together."""
    return sum(reason.points for reason in reasons)
