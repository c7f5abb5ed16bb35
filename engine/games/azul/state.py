"""A position of Azul: plain tuples of small numbers, so that it is cheap to copy, compare and store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.errors import SetupError
from engine.games.azul.data import EMPTY, LINES, GameData

Counts = tuple[int, ...]
"""How many tiles of each colour."""
Line = tuple[int, int]
"""A pattern line: its colour (EMPTY when it has none) and how many tiles it holds."""

NONE: Counts = (0,) * LINES
EMPTY_LINE: Line = (EMPTY, 0)


@dataclass(frozen=True)
class Rules:
    """How this table plays: the number of players and the answers to the open questions of the rulebook."""

    players: int
    wall: str
    """`coloured` or `grey`: the side of the boards."""
    partial_voluntary_floor: bool
    """Whether a chosen line may be left short on purpose and the rest dropped."""
    marker_on_full_floor: str
    """`beside`, `replace_first` or `replace_last`."""
    no_center_taker: str
    """`same_starter` or `next_player`: who starts after a round in which nobody drew from the centre."""
    empty_supply: str
    """`ask` or `end`: what happens when not one tile can be dealt."""
    data: GameData = field(compare=False, repr=False)
    discs: int = field(compare=False, repr=False)
    """How many factory discs are in use."""
    is_coloured: bool = field(compare=False, repr=False)

    @property
    def options(self) -> dict[str, Any]:
        """Each option with the value in force."""
        return {name: getattr(self, name) for name in self.data.options}


def make_rules(data: GameData, players: int, options: Mapping[str, Any] | None) -> Rules:
    """The rules of one table; SetupError when the number of players or an option is not known."""
    if players not in data.discs_by_players:
        numbers = ", ".join(str(number) for number in data.discs_by_players)
        raise SetupError(f"Azul is for {numbers} players, not {players}.")
    chosen = {name: values[0] for name, values in data.options.items()}
    for name, value in (options or {}).items():
        if name not in data.options:
            raise SetupError(f"Azul has no option '{name}'; it has {', '.join(data.options)}.")
        if value not in data.options[name]:
            allowed = ", ".join(repr(each) for each in data.options[name])
            raise SetupError(f"The option '{name}' of Azul can be {allowed}, not {value!r}.")
        chosen[name] = value
    return Rules(
        players=players,
        data=data,
        discs=data.discs_by_players[players],
        is_coloured=chosen["wall"] == "coloured",
        **chosen,
    )


class Board(NamedTuple):
    """One player's board."""

    lines: tuple[Line, ...]
    """Pattern lines 1 to 5."""
    wall: tuple[tuple[int, ...], ...]
    """The colour on each wall space, row by row; EMPTY where none lies."""
    floor: tuple[int, ...]
    """The floor line from the left: colours and MARKER."""
    score: int


class Supply(NamedTuple):
    """What nobody sees: the bag and the lid.

    When the game was followed from its start both are exact. In a game picked up half-way only their sum is: then
    `bag` is the most that can be in the bag and `lid` what lies in the lid for certain.
    """

    bag: Counts
    lid: Counts
    is_exact: bool
    bag_total: int | None
    """How many tiles the bag holds, when that follows."""

    @property
    def together(self) -> Counts:
        """Bag and lid, exact in any case."""
        return tuple(map(int.__add__, self.bag, self.lid))


class State(NamedTuple):
    """A whole position."""

    rules: Rules
    phase: str
    """`deal`, `offer`, `tiling` or `over`."""
    round: int
    player: int
    """Whose turn it is in the offer, from 1."""
    starter: int
    """Who starts the next deal: the holder of the marker, or the last starter while it lies in the centre."""
    is_marker_in_centre: bool
    discs: tuple[Counts, ...]
    centre: Counts
    boards: tuple[Board, ...]
    waiting: tuple[int, ...]
    """During the tiling, the players whose lines or floor are still to be dealt with."""
    supply: Supply


EMPTY_BOARD = Board((EMPTY_LINE,) * LINES, ((EMPTY,) * LINES,) * LINES, (), 0)


def new_state(rules: Rules, start_player: int) -> State:
    """The position before the first deal: all tiles in the bag, the marker in front of the start player."""
    if not 1 <= start_player <= rules.players:
        raise SetupError(f"The start player should be a number from 1 to {rules.players}, not {start_player}.")
    bag = (rules.data.tiles_per_colour,) * LINES
    return State(
        rules=rules,
        phase="deal",
        round=1,
        player=start_player,
        starter=start_player,
        is_marker_in_centre=False,
        discs=(NONE,) * rules.discs,
        centre=NONE,
        boards=(EMPTY_BOARD,) * rules.players,
        waiting=(),
        supply=Supply(bag, NONE, True, sum(bag)),
    )


def add(a: Counts, b: Counts) -> Counts:
    """Two heaps put together."""
    return tuple(map(int.__add__, a, b))


def add_one(counts: Counts, colour: int, number: int) -> Counts:
    """A heap with so many more tiles of one colour."""
    return (*counts[:colour], counts[colour] + number, *counts[colour + 1 :])


def replace_at(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """A tuple with one entry changed."""
    return (*values[:index], value, *values[index + 1 :])
