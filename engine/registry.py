"""Finds games by looking into folders: a game is a folder with rules, data, a layout and words.

Nothing lists the games. A folder that is a game has `rules.py` (which offers `GAME`), `game.toml`, `layout.toml` and
`strings/`. A broken one is told in one sentence and hides no other.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.util
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from engine.api import Game
from engine.errors import SetupError
from engine.strings import load_catalogues

GAMES_FOLDER = Path(__file__).parent / "games"
GAMES_PACKAGE = "engine.games"
PARTS = ("rules.py", "game.toml", "layout.toml", "strings")

METHODS = tuple(name for name in vars(Game) if not name.startswith("_"))


@dataclass(frozen=True)
class Games(Mapping[str, Game]):
    """The games that were found, by id, in alphabetical order."""

    found: Mapping[str, Game]
    folders: Mapping[str, Path]
    """Where each game lives."""
    problems: tuple[str, ...]
    """One sentence for each folder that looks like a game but cannot be used."""

    def __getitem__(self, game_id: str) -> Game:
        if game_id not in self.found:
            known = ", ".join(self.found) or "none"
            broken = "".join(f"; {problem}" for problem in self.problems)
            raise UnknownGameError(f"there is no game '{game_id}'; the games found are: {known}{broken}")
        return self.found[game_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


class UnknownGameError(SetupError, KeyError):
    """A game that no folder holds. Also a KeyError, so that `in` and `get` work as for any mapping."""

    def __str__(self) -> str:
        return str(self.args[0])


def find_games(*folders: Path) -> Games:
    """All games in the engine's own folder and in the extra ones."""
    found: dict[str, Game] = {}
    where: dict[str, Path] = {}
    problems: list[str] = []
    for folder in (GAMES_FOLDER, *folders):
        if not folder.is_dir():
            problems.append(f"{folder} is no folder, so no games were looked for there")
            continue
        for path in sorted(folder.iterdir()):
            if not any((path / part).exists() for part in PARTS):
                continue
            try:
                game = load_game(path)
            except SetupError as error:
                problems.append(str(error))
                continue
            if game.id in found:
                problems.append(f"{path}: the id '{game.id}' is already that of {where[game.id]}")
                continue
            found[game.id], where[game.id] = game, path
    return Games({game_id: found[game_id] for game_id in sorted(found)}, where, tuple(problems))


def game_folder(game_id: str, *folders: Path) -> Path:
    """Where a game's data files lie; SetupError when there is no such game."""
    games = find_games(*folders)
    games[game_id]
    return games.folders[game_id]


def load_game(folder: Path) -> Game:
    """The game of one folder; SetupError says in one sentence why it cannot be used."""
    for part in PARTS:
        if not (folder / part).exists():
            raise SetupError(f"{folder}: a game needs {', '.join(PARTS)}, but {part} is missing")
    for name in ("game.toml", "layout.toml"):
        read_toml(folder / name)
    load_catalogues(folder)
    try:
        game = _import_rules(folder).GAME
    except SetupError as error:
        raise SetupError(f"{folder}: {error}") from error
    except AttributeError as error:
        raise SetupError(f"{folder}: rules.py offers no GAME ({error})") from error
    except Exception as error:  # a game folder may hold anything: whatever it raises is told, not swallowed
        raise SetupError(f"{folder}: rules.py cannot be imported: {error}") from error
    lacking = [name for name in METHODS if not hasattr(game, name)]
    if lacking:
        raise SetupError(f"{folder}: GAME lacks {', '.join(lacking)}")
    return cast(Game, game)


def read_toml(path: Path) -> dict[str, Any]:
    """A data file of a game; SetupError names it when it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"{path}: {error}") from error


def _import_rules(folder: Path) -> Any:
    if folder.parent.resolve() == GAMES_FOLDER.resolve():
        return importlib.import_module(f"{GAMES_PACKAGE}.{folder.name}.rules")
    # A folder from elsewhere becomes a package of its own name, so that its files can import each other with a dot.
    package = f"game_{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"
    if package not in sys.modules:
        spec = importlib.machinery.ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[package] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{package}.rules")
