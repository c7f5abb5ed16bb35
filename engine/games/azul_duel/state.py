"""A position of Azul Duel: small tuples of small numbers, so that a search can copy it cheaply.

Colours are numbered in the order of `game.toml`. Factory 0 is the large one, 1 to 4 are the small ones.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.games.azul_duel.data import rules_data

NOTHING = -1
"""An empty space, slot or place."""
SPECIAL_TILE = 5
"""A special tile on a dome space; 0 to 4 are the colours."""
UNSEEN_TILE = 6
"""In a stack: there may be a tile here, of any colour; nobody saw it being stacked. Among broken tiles one
does lie here."""

CHIP_UNKNOWN = 10
"""A chip whose front was never seen; 0 to 9 are the kinds of `chips.toml`."""
CHIP_DOWN = 11
"""A chip face down on a factory."""
CHIP_TURNED = 12
"""A chip that has just been turned up: its colours have to be read from the table."""
CHIP_USED = 16
"""Added to the kind of a chip that lies face down in a store because it was used."""

FACTORIES = ("big", "f1", "f2", "f3", "f4")
LARGE = 0
LINES = ("line1", "line2", "line3", "line4", "line5", "line6")
BROKEN = "broken"
STORE = 10
"""Places for chips on a player board: two a round."""

Counts = tuple[int, ...]
"""How many tiles of each colour."""
NO_TILES: Counts = (0, 0, 0, 0, 0)

PHASES = ("deal", "setup", "acquire", "reveal", "tiling", "over")
DEAL, SETUP, ACQUIRE, REVEAL, TILING, OVER = range(6)


class Options(NamedTuple):
    """How this game is played."""

    scoring: tuple[str, ...]
    """The scoring faces in play."""
    stack_draw_at_zero: str
    """`free` or `forbidden`: what happens to a player without points who draws from the stack."""
    special_counts_as_colour: bool
    """Whether a special tile is a colour of its own in a colourful row."""
    partial_voluntary_break: bool
    """Whether some of the tiles may be broken although the line has room."""


class PlayerState(NamedTuple):
    """One player's board."""

    counts: tuple[int, ...]
    """Tiles in each pattern line, top to bottom."""
    colours: tuple[int, ...]
    """The colour of each pattern line, NOTHING for an empty one."""
    plates: tuple[int, ...]
    """The nine plate slots row by row: 4 × plate + quarter turns, or NOTHING."""
    cells: tuple[int, ...]
    """The 36 dome spaces row by row: a colour, SPECIAL_TILE or NOTHING."""
    broken: tuple[int, ...]
    """Broken tiles, bottom to top. Under the top UNSEEN_TILE stands for those of which nobody saw the colour."""
    chips: tuple[int, ...]
    """The ten places of the chip store."""
    tokens_used: int
    has_marker: bool
    """Holds the start tile: on its space while tiles are taken, in front of the board after tiling."""
    has_passed: bool
    has_tiled: bool
    score: int


class State(NamedTuple):
    """A whole position."""

    players: tuple[PlayerState, PlayerState]
    suns: tuple[Counts, ...]
    """Tiles on the sun of each factory."""
    large_moon: Counts
    """Tiles on the spaces of the large moon."""
    moons: tuple[tuple[int, ...], ...]
    """The stack on each small moon (index 0 is f1): the tiles below, sorted as nobody saw their order, then the top.
    Where the game was joined in the middle, UNSEEN_TILE stands for those that may lie below."""
    chips: tuple[int, ...]
    """The chip on each small moon: NOTHING, a kind, CHIP_UNKNOWN, CHIP_DOWN or CHIP_TURNED."""
    marker_on_large: bool
    offer: tuple[int, ...]
    """The open plates as they lie: 4 × plate + quarter turns, or NOTHING."""
    bag: Counts
    tower: Counts
    """Discarded tiles; all of them are in `bag` when it cannot be known which lie where (`supply_is_split`)."""
    supply_is_split: bool
    """False when only bag and tower together are known: the game was joined in the middle."""
    round: int
    phase: int
    turn: int
    """The player to act (1 or 2) while plates are chosen and tiles are taken."""
    starter: int
    """Who began this round, or, after tiling, who begins the next."""
    options: Options


def empty_player(score: int) -> PlayerState:
    """A board before the game."""
    return PlayerState(
        (0,) * 6, (NOTHING,) * 6, (NOTHING,) * 9, (NOTHING,) * 36, (), (NOTHING,) * STORE, 0, False, False, False, score
    )


def put(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    """The same values with one changed."""
    return (*values[:index], value, *values[index + 1 :])


def add(one: Counts, other: Counts) -> Counts:
    return tuple([a + b for a, b in zip(one, other, strict=True)])


def subtract(one: Counts, other: Counts) -> Counts:
    return tuple([a - b for a, b in zip(one, other, strict=True)])


def unseen_plates(state: State) -> tuple[int, ...]:
    """The plates of the stack: all that lie neither in the display nor on a dome. Their order is unknown."""
    seen = {place >> 2 for place in state.offer if place >= 0}
    for player in state.players:
        seen.update(place >> 2 for place in player.plates if place >= 0)
    return tuple(plate for plate in range(len(rules_data().prints) // 4) if plate not in seen)


def unseen_chips(state: State) -> Counts:
    """How many chips of each kind have not been seen: in the supply, face down on a factory, or taken unread."""
    left = list(rules_data().chip_counts)
    for chip in state.chips:
        if 0 <= chip < CHIP_UNKNOWN:
            left[chip] -= 1
    for player in state.players:
        for chip in player.chips:
            if chip >= 0 and chip % CHIP_USED < CHIP_UNKNOWN:
                left[chip % CHIP_USED] -= 1
    return tuple(left)


def store_places(state: State) -> tuple[int, int]:
    """The first place of this round's section of a chip store, and the one after its last."""
    first = (state.round - 1) * rules_data().chips_per_round
    return first, first + rules_data().chips_per_round


def chips_taken(state: State, player: PlayerState) -> int:
    """How many chips a player has taken this round."""
    first, after = store_places(state)
    return sum(chip != NOTHING for chip in player.chips[first:after])
