"""The settings: defaults, then a TOML file, then the environment, then flags, each overriding the one before."""

from __future__ import annotations

import os
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import platformdirs

APP = "table-companion"
PREFIX = "COMPANION_"
FILE_VARIABLE = f"{PREFIX}CONFIG"
"""Names the settings file; it is no setting itself."""
TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})


class ConfigError(Exception):
    """A setting that cannot be used; the message names where it stands and what to do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be chosen. The documentation is made from the texts below the fields."""

    source: str = "simulated"
    """Where pictures come from: `simulated`, `webcam`, `pi`, or `recording=FOLDER`."""
    host: str = "127.0.0.1"
    """The address to listen on. `0.0.0.0` lets phones on the same network join; the default is this machine only."""
    port: int = 8765
    """The port of the pages; 0 takes a free one."""
    name: str = ""
    """The name or address that the QR code carries; empty: found out by itself."""
    wifi: str = ""
    """The text of a second QR code that joins the Wi-Fi, such as `WIFI:T:WPA;S:Home;P:secret;;`; empty: none."""
    pin: str = ""
    """The PIN with which phones are paired, at least four digits; empty: a new one, kept with the games."""
    data: str = ""
    """The folder for games, tables and recordings; empty: the usual place for a user's data."""
    language: str = "en"
    """The language of the terminal: `en`, `nl` or `fr`. Each phone chooses its own."""
    game: str = "azul"
    """Simulated table: the game to begin with when none is under way."""
    players: int = 2
    """Simulated table: how many play when none is under way."""
    seed: int = 1
    """Simulated table: the same seed gives the same games."""
    speed: float = 1.0
    """Simulated table and recordings: how many times faster than real; 0 is as fast as the machine can."""
    slips: float = 0.04
    """Simulated table: the share of moves that go wrong at first."""
    haste: float = 1.0
    """Simulated table: how much quicker than usual the people are."""
    readings: str = "camera"
    """Simulated table: `camera` reads its pictures; `told` takes its word for what lies there, for weak machines."""
    pause_s: float = 30.0
    """Simulated table: how long a finished game stays on show before the next begins; 0 stops after the game."""
    webcam: int = 0
    """The number of the webcam; 0 is the first."""
    width_px: int = 1536
    """The width of the camera's picture."""
    height_px: int = 864
    """The height of the camera's picture."""
    fps: float = 10.0
    """Pictures a second while something moves."""
    still_fps: float = 5.0
    """Pictures a second while nothing has moved for a while."""
    record_mb: int = 500
    """The most that one recording may take on the disk, in megabytes."""

    def __post_init__(self) -> None:
        for wrong, what in (
            (self.source.partition("=")[0] not in ("simulated", "webcam", "pi", "recording"),
             f"source is '{self.source}', but must be simulated, webcam, pi or recording=FOLDER"),
            (self.source.startswith("recording") and not self.source.partition("=")[2],
             "source 'recording' needs a folder: write recording=FOLDER"),
            (not 0 <= self.port <= 65_535, f"port is {self.port}, but must lie between 0 and 65535"),
            (self.readings not in ("camera", "told"), f"readings is '{self.readings}', but must be camera or told"),
            (self.language not in ("en", "nl", "fr"), f"language is '{self.language}', but must be en, nl or fr"),
            (self.fps <= 0 or self.still_fps <= 0, "fps and still_fps must be greater than 0"),
            (self.speed < 0, f"speed is {self.speed}, but must be 0 or more"),
            (not 0 <= self.slips <= 1, f"slips is {self.slips}, but must lie between 0 and 1"),
            (self.haste <= 0, f"haste is {self.haste}, but must be greater than 0"),
            (self.pause_s < 0, f"pause_s is {self.pause_s}, but must be 0 or more"),
            (self.width_px < 320 or self.height_px < 180, "the picture must be at least 320 × 180 pixels"),
            (self.record_mb < 1, f"record_mb is {self.record_mb}, but must be 1 or more"),
            (bool(self.pin) and not (len(self.pin) >= 4 and self.pin.isascii() and self.pin.isdigit()),
             "pin must be at least four digits"),
        ):
            if wrong:
                raise ConfigError(f"{what}; change it and start again")

    @property
    def source_kind(self) -> str:
        """`simulated`, `webcam`, `pi` or `recording`."""
        return self.source.partition("=")[0]

    @property
    def data_folder(self) -> Path:
        """Where everything is kept."""
        return Path(self.data).expanduser() if self.data else Path(platformdirs.user_data_dir(APP, appauthor=False))


def load_settings(
    file: Path | None = None, environment: Mapping[str, str] | None = None, flags: Mapping[str, Any] | None = None
) -> Settings:
    """The settings from every source; ConfigError names the first that cannot be used."""
    variables = os.environ if environment is None else environment
    chosen: dict[str, Any] = {}
    path = file or (Path(variables[FILE_VARIABLE]) if variables.get(FILE_VARIABLE) else None)
    chosen.update(_from_file(path if path is not None else default_file(), named=path is not None))
    chosen.update(_from_environment(variables))
    chosen.update({name: value for name, value in (flags or {}).items() if value is not None})
    return replace(Settings(), **chosen)


def default_file() -> Path:
    """Where the settings file is looked for when none is named."""
    return Path(platformdirs.user_config_dir(APP, appauthor=False)) / "settings.toml"


def _from_file(path: Path, named: bool) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if named:
            raise ConfigError(f"{path}: there is no such settings file; write one or leave the name out") from None
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: the settings cannot be read ({error}); correct the file") from error
    known = setting_types()
    for name, value in data.items():
        if name not in known:
            raise ConfigError(f"{path}: there is no setting '{name}'; those known are: {', '.join(known)}")
        wanted = known[name]
        fits = isinstance(value, wanted) and (wanted is bool) == isinstance(value, bool)
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            data[name] = float(value)
        elif not fits:
            raise ConfigError(f"{path}: '{name}' is {value!r}, but must be {_called(wanted)}")
    return data


def _from_environment(variables: Mapping[str, str]) -> dict[str, Any]:
    known = setting_types()
    found: dict[str, Any] = {}
    for variable, text in variables.items():
        if not variable.startswith(PREFIX) or variable == FILE_VARIABLE:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name not in known:
            names = ", ".join(f"{PREFIX}{each.upper()}" for each in known)
            raise ConfigError(f"there is no setting for the environment variable {variable}; those known are: {names}")
        found[name] = _parsed(variable, text, known[name])
    return found


def _parsed(variable: str, text: str, wanted: type) -> Any:
    try:
        if wanted is bool:
            if text.lower() not in TRUE | FALSE:
                raise ValueError
            return text.lower() in TRUE
        return wanted(text)
    except ValueError:
        raise ConfigError(f"{variable} is '{text}', but must be {_called(wanted)}") from None


def _called(wanted: type) -> str:
    return {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[wanted]


def setting_types() -> dict[str, type]:
    """Every setting with its type, in the order in which they are documented."""
    hints = typing.get_type_hints(Settings)
    found: dict[str, type] = {}
    for field in fields(Settings):
        hint = hints[field.name]
        found[field.name] = hint if not isinstance(hint, types.UnionType) else typing.get_args(hint)[0]
    return found
