"""The lists and numbers of Azul Duel, read from the data files beside this one and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import SetupError
from engine.types import Place, Severity, Slip

FOLDER = Path(__file__).parent
LETTERS = "BYRKT"
"""One letter a colour, in the order of `colours`."""
JOKER = 5
"""A printed space for any colour."""
SPECIAL = 6
"""A printed space for a special tile."""
SPACE_LETTERS = LETTERS + "JS"
PLATE_COUNT = 18
CHIP_COUNT = 20


@dataclass(frozen=True, slots=True)
class Data:
    """Everything a copy of the game consists of."""

    colours: tuple[str, ...]
    rounds: int
    tiles_per_colour: int
    special_tiles: int
    factory_tiles: tuple[int, ...]
    """How many tiles a deal brings to the large factory, then to each small one."""
    open_plates: int
    tokens: int
    chips_per_round: int
    start_score: int
    score_track_max: int
    broken_values: tuple[int, ...]
    """What the first, second … broken tile costs."""
    marker_penalty: int
    special_row_points: tuple[int, ...]
    stack_draw_price: int
    faces: Mapping[str, Mapping[str, int]]
    """Each scoring face with its numbers; faces of one scoring tile share `tile`."""
    default_scoring: tuple[str, ...]
    options: Mapping[str, tuple[Any, ...]]
    prints: tuple[tuple[int, int, int, int], ...]
    """The four spaces of plate p at rotation q × 90° clockwise, at index 4p + q."""
    fits: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    """For the same index, half (0 upper, 1 lower) and colour: the columns (0, 1) where that colour may lie."""
    chip_kinds: tuple[tuple[int, ...], ...]
    """The colours that each kind of chip shows."""
    chip_counts: tuple[int, ...]
    """How many chips there are of each kind."""
    slips: Mapping[str, tuple[str, Severity]]
    """Each slug with the rule it breaks and how much it matters."""

    @property
    def space_names(self) -> tuple[str, ...]:
        """What a printed space is called, by its code."""
        return (*self.colours, "joker", "special")


def slip(
    slug: str, player: int | None, places: Iterable[Place], rule: str | None = None, /, **params: Any
) -> Slip:
    """A slip with the rule and the weight that `game.toml` gives it; a named player is a parameter too."""
    usual, severity = rules_data().slips[slug]
    if player is not None:
        params["player"] = player
    return Slip(slug, player, tuple(places), rule or usual, severity, params)


@cache
def rules_data() -> Data:
    """The data of the game as shipped."""
    return load_data(FOLDER)


def load_data(folder: Path) -> Data:
    """Read and check the data files of a folder; SetupError names the file and what is wrong in it."""
    game = _read(folder / "game.toml")
    plates = _read(folder / "plates.toml")
    chips = _read(folder / "chips.toml")
    try:
        return _build(game, plates["plates"], chips["chips"])
    except KeyError as error:
        raise SetupError(f"{folder.name}: game.toml, plates.toml or chips.toml lacks the key {error}.") from error
    except (TypeError, ValueError) as error:
        raise SetupError(f"{folder.name}: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"{path.name} cannot be read: {error}.") from error


def _build(game: Mapping[str, Any], plates: list[str], chips: Mapping[str, int]) -> Data:
    colours = tuple(game["colours"])
    _check(len(colours) == len(LETTERS), f"game.toml: colours lists {len(colours)}, expected {len(LETTERS)}")
    _check(len(set(colours)) == len(colours), "game.toml: a colour is listed twice")
    _check_plates(plates, int(game["special_tiles"]))
    _check(sum(chips.values()) == CHIP_COUNT, f"chips.toml: {sum(chips.values())} chips, expected {CHIP_COUNT}")
    kinds = tuple(_chip_colours(letters) for letters in chips)
    shown = [sum(count for kind, count in zip(kinds, chips.values(), strict=True) if c in kind) for c in range(5)]
    _check(len(set(shown)) == 1, f"chips.toml: the colours appear on {shown} chips, expected equally many")
    _check(len(game["special_row_points"]) == 6, "game.toml: special_row_points needs six numbers")
    _check(len(game["broken_values"]) == 4, "game.toml: broken_values needs four numbers")
    _check(game["tiles_per_colour"] * 5 >= 21, "game.toml: tiles_per_colour is too small for one deal")
    _check_faces(game["faces"], game["default_scoring"])
    prints = tuple(_turned(letters, turns) for letters in plates for turns in range(4))
    small = [int(game["small_factory_tiles"])] * int(game["small_factories"])
    return Data(
        colours, int(game["rounds"]), int(game["tiles_per_colour"]), int(game["special_tiles"]),
        (int(game["large_factory_tiles"]), *small), int(game["open_plates"]), int(game["tokens"]),
        int(game["chips_per_round"]), int(game["start_score"]), int(game["score_track_max"]),
        tuple(game["broken_values"]), int(game["marker_penalty"]), tuple(game["special_row_points"]),
        int(game["stack_draw_price"]), game["faces"], tuple(game["default_scoring"]),
        {key: tuple(values) for key, values in game["options"].items()},
        prints, tuple(_fits(spaces) for spaces in prints), kinds, tuple(chips.values()),
        {slug: (str(entry["rule"]), Severity(entry["severity"])) for slug, entry in game["slips"].items()},
    )


def _check(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence + ".")


def _check_plates(plates: list[str], specials: int) -> None:
    _check(len(plates) == PLATE_COUNT, f"plates.toml: {len(plates)} plates, expected {PLATE_COUNT}")
    seen: dict[tuple[int, ...], int] = {}
    for number, letters in enumerate(plates):
        _check(
            len(letters) == 4 and set(letters) <= set(SPACE_LETTERS),
            f"plates.toml: plate {number} is '{letters}', expected four letters of {SPACE_LETTERS}",
        )
        colours = [letter for letter in letters if letter in LETTERS]
        _check(
            len(colours) == 3 and len(set(colours)) == 3,
            f"plates.toml: plate {number} is '{letters}', expected three different colours and one joker or special",
        )
        for turns in range(4):
            other = seen.setdefault(_turned(letters, turns), number)
            _check(other == number, f"plates.toml: plates {other} and {number} are the same plate, turned")
    special = sum("S" in letters for letters in plates)
    _check(special == specials, f"plates.toml: {special} special plates, expected one for each of {specials} tiles")


def _check_faces(faces: Mapping[str, Mapping[str, int]], default: list[str]) -> None:
    for name, face in faces.items():
        _check("tile" in face, f"game.toml: the face '{name}' names no scoring tile")
    for name in default:
        _check(name in faces, f"game.toml: default_scoring names '{name}', which is no face")
    tiles = {faces[name]["tile"] for name in default}
    _check(len(tiles) == len(default), "game.toml: default_scoring uses a tile twice")


def _chip_colours(letters: str) -> tuple[int, ...]:
    _check(
        1 <= len(letters) <= 2 and set(letters) <= set(LETTERS),
        f"chips.toml: '{letters}' is no chip, expected one or two letters of {LETTERS}",
    )
    return tuple(LETTERS.index(letter) for letter in letters)


def _turned(letters: str, turns: int) -> tuple[int, int, int, int]:
    """A plate's spaces after quarter turns clockwise."""
    top_left, top_right, bottom_left, bottom_right = (SPACE_LETTERS.index(letter) for letter in letters)
    for _ in range(turns):
        top_left, top_right, bottom_left, bottom_right = bottom_left, top_left, bottom_right, top_right
    return top_left, top_right, bottom_left, bottom_right


def _fits(spaces: tuple[int, int, int, int]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple(
        tuple(
            tuple(column for column in (0, 1) if spaces[2 * half + column] in (colour, JOKER))
            for colour in range(len(LETTERS))
        )
        for half in (0, 1)
    )
