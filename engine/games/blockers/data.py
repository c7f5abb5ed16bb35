"""The game's numbers and lists, read from `game.toml` and checked before anybody plays by them.

A cell, a face and a colour are indices inside the game and names outside it. A set of cells is one integer whose bit
`row × 9 + column` says whether a cell is in it; so is a set of faces.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engine.errors import SetupError
from engine.types import Place, Severity, Slip

SIDE = 9
"""Rows and columns of the board."""
CELLS = SIDE * SIDE
EMPTY = -1
"""A cell without a tile."""
BACK = "back"
"""The colour of a tile that lies face down, as a camera reports it."""
ASKEW = "askew"
"""The same of a tile that lies on no one cell, reported for each cell that it covers much of."""

FULL = (1 << CELLS) - 1
NOT_FIRST_COLUMN = FULL & ~sum(1 << (row * SIDE) for row in range(SIDE))
NOT_LAST_COLUMN = FULL & ~sum(1 << (row * SIDE + SIDE - 1) for row in range(SIDE))


@dataclass(frozen=True)
class GameData:
    """What `game.toml` says, ready for use."""

    players: range
    colours: tuple[str, ...]
    colour_letters: str
    faces: tuple[str, ...]
    """Numbers, letters, symbols, joker: the tiles that every colour has once."""
    face_letters: str
    """One letter for each face in a position's notation."""
    cells: tuple[str, ...]
    """`A1` … `I9`, row by row."""
    fits: tuple[int, ...]
    """For each face, the set of cells that accept it."""
    accepted: tuple[int, ...]
    """For each cell, the set of the four faces that it accepts."""
    rack_size: int
    turns_per_colour: int
    """How many tiles of each colour are placed in a whole game."""
    options: Mapping[str, tuple[Any, ...]]
    """Each option with its allowed values, the default first; of `colours`, what the list may hold."""
    slips: Mapping[str, tuple[str, Severity]]
    """Each slip with the rule it breaks and how much it matters."""
    phases: tuple[str, ...]
    reasons: tuple[str, ...]
    colour_index: Mapping[str, int]
    face_index: Mapping[str, int]
    cell_index: Mapping[str, int]
    places: tuple[Place, ...]
    """The place of each cell, such as `board.A1`."""

    @property
    def all_faces(self) -> int:
        """The set of every face."""
        return (1 << len(self.faces)) - 1

    def slip(self, slug: str, player: int | None, places: tuple[Place, ...], /, **params: Any) -> Slip:
        """A slip with its rule and severity from the data; every sentence may name the player."""
        rule, severity = self.slips[slug]
        named = {} if player is None else {"player": player}
        return Slip(slug, player, places, rule, severity, named | params)


def members(bits: int) -> Iterator[int]:
    """The indices in a set, in rising order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def spread(bits: int) -> int:
    """A set of cells with every cell that shares an edge with one of them."""
    return bits | (bits << SIDE) & FULL | bits >> SIDE | (bits & NOT_LAST_COLUMN) << 1 | (bits & NOT_FIRST_COLUMN) >> 1


def check(table: Mapping[str, Any], source: str) -> GameData:
    """The data of a parsed file; SetupError with one sentence when it cannot be played by."""

    def need(key: str, kind: type) -> Any:
        if not isinstance(table.get(key), kind):
            raise SetupError(f"{source}: '{key}' should be a {kind.__name__}, but it is {table.get(key)!r}.")
        return table[key]

    def ensure(holds: bool, sentence: str) -> None:
        if not holds:
            raise SetupError(f"{source}: {sentence}")

    colours, colour_letters = tuple(need("colours", list)), need("colour_letters", str)
    ensure(len(set(colours)) == len(colours), f"'colours' names a colour twice: {colours!r}.")
    ensure(
        len(set(colour_letters)) == len(colour_letters) == len(colours),
        f"'colour_letters' should be {len(colours)} different letters, not '{colour_letters}'.",
    )
    players = need("players", list)
    ensure(
        players == list(range(min(players), max(players) + 1)) and max(players) <= len(colours),
        f"'players' should count up to at most {len(colours)}, not {players}.",
    )
    rows, columns = need("rows", str), need("columns", str)
    for key, names in (("rows", rows), ("columns", columns)):
        ensure(len(set(names)) == len(names) == SIDE, f"'{key}' should be nine different characters, not '{names}'.")
    regions = need("regions", list)
    ensure(
        len(regions) == 3 and all(isinstance(row, list) and len(row) == 3 for row in regions),
        f"'regions' should be three rows of three symbols, not {regions!r}.",
    )
    symbols = tuple(symbol for row in regions for symbol in row)
    letters = need("symbol_letters", dict)
    ensure(len(set(symbols)) == SIDE, f"'regions' should name nine different symbols, not {symbols!r}.")
    ensure(sorted(letters) == sorted(symbols), "'symbol_letters' should have one letter for each symbol of 'regions'.")
    faces = (*columns, *rows, *symbols, need("joker", str))
    face_letters = columns + rows + "".join(letters[symbol] for symbol in symbols) + need("joker_letter", str)
    ensure(
        len(set(face_letters)) == len(face_letters) == len(faces) == len(set(faces)),
        f"the letters of the faces should be {len(faces)} different ones, not '{face_letters}'.",
    )
    fits = _fits(regions)
    for key in ("rack_size", "unplayed"):
        ensure(type(need(key, int)) is int and table[key] > 0, f"'{key}' should be above 0, but it is {table[key]}.")
    ensure(
        table["unplayed"] < table["rack_size"] < len(faces),
        f"'unplayed' ({table['unplayed']}) should be below 'rack_size' ({table['rack_size']}).",
    )
    slips: dict[str, tuple[str, Severity]] = {}
    for slug, entry in need("slips", dict).items():
        ensure(
            isinstance(entry, dict) and entry.get("severity") in set(Severity) and "rule" in entry,
            f"the slip '{slug}' needs a rule and a severity out of error, warning, question.",
        )
        slips[slug] = (entry["rule"], Severity(entry["severity"]))
    options = {name: tuple(values) for name, values in need("options", dict).items()}
    ensure(options.get("colours") == colours, "'options.colours' should list the same colours as 'colours'.")
    words = need("words", dict)
    cells = tuple(row + column for row in rows for column in columns)
    return GameData(
        players=range(min(players), max(players) + 1),
        colours=colours,
        colour_letters=colour_letters,
        faces=faces,
        face_letters=face_letters,
        cells=cells,
        fits=fits,
        accepted=tuple(
            sum(1 << face for face, allowed in enumerate(fits) if allowed >> cell & 1) for cell in range(CELLS)
        ),
        rack_size=table["rack_size"],
        turns_per_colour=len(faces) - table["unplayed"],
        options=options,
        slips=slips,
        phases=tuple(words["phases"]),
        reasons=tuple(words["reasons"]),
        colour_index={name: index for index, name in enumerate(colours)},
        face_index={name: index for index, name in enumerate(faces)},
        cell_index={name: index for index, name in enumerate(cells)},
        places=tuple(f"board.{cell}" for cell in cells),
    )


def _fits(regions: list[list[str]]) -> tuple[int, ...]:
    """For each face in the order numbers, letters, symbols, joker: the cells that accept it."""
    columns = [sum(1 << (row * SIDE + column) for row in range(SIDE)) for column in range(SIDE)]
    rows = [sum(1 << (row * SIDE + column) for column in range(SIDE)) for row in range(SIDE)]
    boxes = [
        sum(1 << ((down * 3 + row) * SIDE + across * 3 + column) for row in range(3) for column in range(3))
        for down in range(len(regions))
        for across in range(len(regions[0]))
    ]
    return (*columns, *rows, *boxes, FULL)


def parse(text: str, source: str = "game.toml") -> GameData:
    """The data of a file's text."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SetupError(f"{source} is not valid TOML: {error}.") from error
    return check(table, source)


@cache
def load() -> GameData:
    """The data that came with the game, read once."""
    return parse(resources.files(__package__).joinpath("game.toml").read_text(encoding="utf-8"))
