"""A position of Blockers!: plain tuples of small numbers, so that it is cheap to copy, compare and store."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.errors import SetupError
from engine.games.blockers.data import CELLS, EMPTY, GameData, members


@dataclass(frozen=True)
class Rules:
    """How this table plays: who has which colours, and the answers to the open questions of the rulebook."""

    colours: tuple[tuple[int, ...], ...]
    """The colour of each player; two each in the two-player game with two colours."""
    two_player_mode: str
    two_player_capture_own_second_colour: bool
    no_move_policy: str
    """`skip`: a turn may be skipped when the rack may hold no tile that fits; `ask`: only when surely none fits."""
    tie_policy: str
    """`shared` or `fewer_groups`: what decides between equal scores and equal captures."""
    data: GameData = field(compare=False, repr=False)
    owners: tuple[int | None, ...] = field(compare=False, repr=False)
    """The player of each colour, from 1; None for a colour that nobody plays."""
    turns: int = field(compare=False, repr=False)
    """How many turns each player has in a whole game."""

    @property
    def players(self) -> int:
        return len(self.colours)

    @property
    def options(self) -> dict[str, Any]:
        """Each option with the value in force."""
        names = [[self.data.colours[colour] for colour in own] for own in self.colours]
        return {
            "two_player_mode": self.two_player_mode,
            "two_player_capture_own_second_colour": self.two_player_capture_own_second_colour,
            "no_move_policy": self.no_move_policy,
            "tie_policy": self.tie_policy,
            "colours": names if self.has_two_colours else [own[0] for own in names],
        }

    @property
    def has_two_colours(self) -> bool:
        return len(self.colours[0]) > 1


class Hands(NamedTuple):
    """What the racks and piles really hold. Only a simulated table knows it."""

    racks: tuple[int, ...]
    """For each colour, the set of faces on the rack."""
    piles: tuple[tuple[int, ...], ...]
    """For each colour, the faces still to be drawn, the next one last."""


class State(NamedTuple):
    """A whole position."""

    rules: Rules
    board: tuple[int, ...]
    """The face on each cell, EMPTY where none lies; the colour follows from `stones`."""
    stones: tuple[int, ...]
    """For each colour, the set of cells it lies on."""
    unseen: tuple[int, ...]
    """For each colour, the faces that may still be on its rack or in its pile. More than there are tiles when a game
    was joined half-way and the faces of captured tiles are not known."""
    captured: tuple[tuple[int, ...], ...]
    """For each player, how many tiles of each colour they captured."""
    turns: tuple[int, ...]
    """How many turns each player has had."""
    player: int
    """Whose turn it is, from 1."""
    hands: Hands | None = None
    """None at a real table: racks are secret."""

    @property
    def is_over(self) -> bool:
        return min(self.turns) >= self.rules.turns

    def placed(self, colour: int) -> int:
        """How many tiles of a colour have been placed: those that lie there and those that were captured."""
        return self.stones[colour].bit_count() + sum(heap[colour] for heap in self.captured)

    def colour_at(self, cell: int) -> int:
        """The colour on a cell; EMPTY when there is none."""
        for colour, cells in enumerate(self.stones):
            if cells >> cell & 1:
                return colour
        return EMPTY


def make_rules(data: GameData, players: int, options: Mapping[str, Any] | None) -> Rules:
    """The rules of one table; SetupError when the number of players, a colour or an option is not known."""
    if players not in data.players:
        raise SetupError(f"Blockers! is for {data.players[0]} to {data.players[-1]} players, not {players}.")
    given = dict(options or {})
    colours = given.pop("colours", None)
    chosen = {name: values[0] for name, values in data.options.items() if name != "colours"}
    for name, value in given.items():
        if name not in chosen:
            raise SetupError(f"Blockers! has no option '{name}'; it has {', '.join(data.options)}.")
        if value not in data.options[name]:
            allowed = ", ".join(repr(each) for each in data.options[name])
            raise SetupError(f"The option '{name}' of Blockers! can be {allowed}, not {value!r}.")
        chosen[name] = value
    each = 2 if players == 2 and chosen["two_player_mode"] == "two_colours" else 1
    if colours is not None:
        own = _named_colours(data, colours, players)
        if each == 2 and len(own[0]) == 1 and "two_player_mode" not in given:
            # A recording names one colour for each player: two people with one colour each play the simple game.
            chosen["two_player_mode"], each = "one_colour", 1
        elif each == 2 and all(len(names) == 1 for names in own):
            # People name the colour they like; the second is the next one that nobody has.
            free = [colour for colour in range(len(data.colours)) if (colour,) not in own]
            own = tuple((*names, second) for names, second in zip(own, free, strict=False))
        if any(len(names) != each for names in own):
            raise SetupError(
                f"Blockers! for {players} players needs {each} colour{'s' * (each > 1)} for each player here, "
                f"but 'colours' is {colours!r}."
            )
    else:
        own = tuple(tuple(range(each * number, each * number + each)) for number in range(players))
    owners: list[int | None] = [None] * len(data.colours)
    for player, mine in enumerate(own, 1):
        for colour in mine:
            if owners[colour] is not None:
                raise SetupError(
                    f"The colour {data.colours[colour]} is given to two players: 'colours' is {colours!r}."
                )
            owners[colour] = player
    return Rules(own, data=data, owners=tuple(owners), turns=each * data.turns_per_colour, **chosen)


def _named_colours(data: GameData, colours: Any, players: int) -> tuple[tuple[int, ...], ...]:
    """The colours of each player from a list of names, or of lists of names."""
    if not isinstance(colours, Sequence) or isinstance(colours, str):
        raise SetupError(f"The option 'colours' of Blockers! is a list, a colour for each player, not {colours!r}.")
    entries = [[entry] if isinstance(entry, str) else list(entry) for entry in colours]
    if players == 2 and len(entries) == 4 and all(len(entry) == 1 for entry in entries):
        entries = [entries[0] + entries[1], entries[2] + entries[3]]
    if len(entries) != players:
        raise SetupError(f"The option 'colours' should name {players} players' colours, but it is {colours!r}.")
    for name in (name for entry in entries for name in entry):
        if name not in data.colour_index:
            raise SetupError(f"Blockers! has no colour {name!r}; it has {', '.join(data.colours)}.")
    return tuple(tuple(data.colour_index[name] for name in entry) for entry in entries)


def new_state(rules: Rules, start_player: int) -> State:
    """The empty board."""
    if not 1 <= start_player <= rules.players:
        raise SetupError(f"The start player should be a number from 1 to {rules.players}, not {start_player}.")
    colours = len(rules.data.colours)
    return State(
        rules=rules,
        board=(EMPTY,) * CELLS,
        stones=(0,) * colours,
        unseen=tuple(rules.data.all_faces if owner else 0 for owner in rules.owners),
        captured=((0,) * colours,) * rules.players,
        turns=(0,) * rules.players,
        player=start_player,
    )


def with_hands(state: State, seed: int) -> State:
    """The same position with the hidden tiles mixed and the racks filled, as a simulated table needs it."""
    rng = random.Random(seed)
    racks: list[int] = []
    piles: list[tuple[int, ...]] = []
    data = state.rules.data
    for colour, owner in enumerate(state.rules.owners):
        if owner is None:
            racks.append(0)
            piles.append(())
            continue
        hidden = list(members(state.unseen[colour]))
        rng.shuffle(hidden)
        # In a game joined half-way, some of the faces not seen belong to captured tiles.
        del hidden[len(data.faces) - state.placed(colour) :]
        rack = hidden[: rack_count(state, colour)]
        racks.append(sum(1 << face for face in rack))
        piles.append(tuple(hidden[len(rack) :]))
    return state._replace(hands=Hands(tuple(racks), tuple(piles)))


def pile_count(state: State, colour: int) -> int:
    """How many tiles the face-down pile of a colour holds."""
    data = state.rules.data
    return max(0, len(data.faces) - data.rack_size - state.placed(colour))


def rack_count(state: State, colour: int) -> int:
    """How many tiles stand on the rack of a colour."""
    return max(0, min(state.rules.data.rack_size, len(state.rules.data.faces) - state.placed(colour)))
