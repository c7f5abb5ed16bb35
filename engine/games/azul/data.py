"""The game's numbers and lists, read from `game.toml` and checked before anybody plays by them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engine.errors import SetupError
from engine.types import Place, Severity, Slip

MARKER = 5
"""The start marker in a floor line, beside the colours 0 to 4."""
EMPTY = -1
"""A wall space or pattern line without a tile."""
LINES = 5
"""Pattern lines, wall rows and wall columns."""


@dataclass(frozen=True)
class GameData:
    """What `game.toml` says, ready for use."""

    colours: tuple[str, ...]
    """Names of the five colours; a colour is its index here."""
    letters: str
    """One letter for each colour, and then the marker's."""
    tiles_per_colour: int
    tiles_per_disc: int
    discs_by_players: Mapping[int, int]
    score_track_max: int
    """The last number of the score track; it starts at 0."""
    floor_values: tuple[int, ...]
    """What each floor space costs, from the left."""
    wall_pattern: tuple[tuple[int, ...], ...]
    """The colour printed on each wall space, row by row."""
    columns: tuple[tuple[int, ...], ...]
    """Of each row, the column (from 0) where each colour belongs."""
    bonus_row: int
    bonus_column: int
    bonus_colour: int
    phases: tuple[str, ...]
    reasons: tuple[str, ...]
    options: Mapping[str, tuple[Any, ...]]
    """Each option with its allowed values, the default first."""
    slips: Mapping[str, tuple[str, Severity]]
    """Each slip with the rule it breaks and how much it matters."""

    @property
    def floor_length(self) -> int:
        return len(self.floor_values)

    def slip(self, slug: str, player: int | None, places: tuple[Place, ...], rule: str = "", **params: Any) -> Slip:
        """A slip with its rule and severity from the data; `rule` names a closer one."""
        default_rule, severity = self.slips[slug]
        return Slip(slug, player, places, rule or default_rule, severity, params)


def check(table: Mapping[str, Any], source: str) -> GameData:
    """The data of a parsed file; SetupError with one sentence when it cannot be played by."""

    def need(key: str, kind: type) -> Any:
        if not isinstance(table.get(key), kind):
            raise SetupError(f"{source}: '{key}' should be a {kind.__name__}, but it is {table.get(key)!r}.")
        return table[key]

    def ensure(holds: bool, sentence: str) -> None:
        if not holds:
            raise SetupError(f"{source}: {sentence}")

    colours = tuple(need("colours", list))
    letters = need("letters", str) + need("marker_letter", str)
    ensure(len(colours) == LINES and len(set(colours)) == LINES, f"'colours' should be five names, not {colours!r}.")
    ensure(len(set(letters)) == LINES + 1, f"'letters' and 'marker_letter' should be six letters, not {letters!r}.")
    rows = need("wall_pattern", list)
    ensure(len(rows) == LINES, f"'wall_pattern' should have five rows, not {len(rows)}.")
    for number, row in enumerate(rows, 1):
        ensure(
            sorted(row) == sorted(letters[:LINES]),
            f"row {number} of 'wall_pattern' should have each of {letters[:LINES]} once, not '{row}'.",
        )
    for number, column in enumerate(zip(*rows, strict=True), 1):
        ensure(len(set(column)) == LINES, f"column {number} of 'wall_pattern' repeats a colour: '{''.join(column)}'.")
    pattern = tuple(tuple(letters.index(letter) for letter in row) for row in rows)
    floor = tuple(need("floor_values", list))
    ensure(len(floor) == 7, f"'floor_values' should have seven numbers, not {len(floor)}.")
    ensure(all(type(value) is int and value > 0 for value in floor), f"'floor_values' should be above 0: {floor!r}.")
    for key in ("tiles_per_colour", "tiles_per_disc", "score_track_max"):
        ensure(need(key, int) > 0, f"'{key}' should be above 0, but it is {table[key]}.")
    players = need("players", list)
    discs = {int(key): value for key, value in need("discs_by_players", dict).items()}
    ensure(sorted(discs) == sorted(players), f"'discs_by_players' should list {players}, but it lists {sorted(discs)}.")
    most = max(discs.values()) * table["tiles_per_disc"]
    ensure(
        most <= LINES * table["tiles_per_colour"],
        f"the discs of a full table need {most} tiles, but there are only {LINES * table['tiles_per_colour']}.",
    )
    bonuses = need("bonuses", dict)
    for key in ("row", "column", "colour"):
        ensure(type(bonuses.get(key)) is int, f"'bonuses.{key}' should be a number, but it is {bonuses.get(key)!r}.")
    slips: dict[str, tuple[str, Severity]] = {}
    for slug, entry in need("slips", dict).items():
        ensure(
            isinstance(entry, dict) and entry.get("severity") in set(Severity) and "rule" in entry,
            f"the slip '{slug}' needs a rule and a severity out of error, warning, question.",
        )
        slips[slug] = (entry["rule"], Severity(entry["severity"]))
    words = need("words", dict)
    options = {name: tuple(values) for name, values in need("options", dict).items()}
    return GameData(
        colours=colours,
        letters=letters,
        tiles_per_colour=table["tiles_per_colour"],
        tiles_per_disc=table["tiles_per_disc"],
        discs_by_players=discs,
        score_track_max=table["score_track_max"],
        floor_values=floor,
        wall_pattern=pattern,
        columns=tuple(tuple(row.index(colour) for colour in range(LINES)) for row in pattern),
        bonus_row=bonuses["row"],
        bonus_column=bonuses["column"],
        bonus_colour=bonuses["colour"],
        phases=tuple(words.get("phases", ())),
        reasons=tuple(words.get("reasons", ())),
        options=options,
        slips=slips,
    )


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
