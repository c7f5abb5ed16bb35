"""What players and chance can do in Azul Duel. A move also says what it shows: the tops that come to light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.types import Content, Place


@dataclass(frozen=True, slots=True)
class Deal:
    """What a refill brought, or what a chip showed when it was turned up: the new contents of these places."""

    contents: tuple[tuple[Place, str], ...]
    """Place and content in letters, sorted: `f1.sun` `BRKK`, `offer.2` `2@180`, `f3.chip` `YK` or `?`."""

    @property
    def places(self) -> Mapping[Place, str]:
        return dict(self.contents)


@dataclass(frozen=True, slots=True)
class StartPlate:
    """A player chooses a plate before the first round."""

    player: int
    source: str
    """`offer.1` … `offer.3`."""
    plate: int
    rotation: int
    """Degrees clockwise from the catalogue."""
    to: str
    """`plate.R.C`."""


@dataclass(frozen=True, slots=True)
class Plate:
    """A player uses a token to lay a plate."""

    player: int
    source: str
    """`offer.N` or `stack`."""
    plate: int
    rotation: int
    to: str
    drawn: int = 0
    """Draws from the stack that moved the score stones; one for a player without points, however often they drew."""


@dataclass(frozen=True, slots=True)
class Sun:
    """A player takes all tiles of a colour from a sun."""

    player: int
    source: str
    """`f1` … `f4` or `big`."""
    colour: str
    count: int
    to: str
    """`line1` … `line6` or `broken`."""
    top: str | None = None
    """The tile that lies on top of the small moon afterwards."""
    laid: int | None = None
    """How many go to the line when the player breaks some although there is room (a house rule)."""


@dataclass(frozen=True, slots=True)
class Moon:
    """A player takes every top tile of a colour from the moons."""

    player: int
    colour: str
    count: int
    sources: tuple[str, ...]
    to: str
    tops: tuple[tuple[str, str | None], ...] = ()
    """For each small factory among the sources, what its top is afterwards."""
    laid: int | None = None


@dataclass(frozen=True, slots=True)
class Chip:
    """A player takes a bonus chip."""

    player: int
    source: str
    to: str
    """`chips.1` … `chips.10`."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A player who can do nothing passes for the rest of the phase."""

    player: int


@dataclass(frozen=True, slots=True)
class Tile:
    """A player tiles the dome: the whole second phase for one player."""

    player: int
    columns: tuple[int, ...]
    """For each pattern line the dome column its tile goes to (1 to 6), or 0 when none is laid."""
    chips: tuple[int, ...] = ()
    """The places of the store (1 to 10) whose chips are turned face down."""


Move = Deal | StartPlate | Plate | Sun | Moon | Chip | Pass | Tile

Contents = Mapping[Place, Content]
