"""The options of a game: house rules, and the scoring faces in play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import SetupError
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.state import Options


def allowed() -> dict[str, tuple[Any, ...]]:
    """Each option with its values, the default first; of the scoring faces, the usual ones come first."""
    usual = rules_data().default_scoring
    faces = (*usual, *(face for face in rules_data().faces if face not in usual))
    return {"scoring": faces, **rules_data().options}


def make_options(given: Mapping[str, Any] | None) -> Options:
    """Options with their defaults filled in; SetupError for one that is unknown or has no such value."""
    wanted = dict(given or {})
    values = {name: possible[0] for name, possible in rules_data().options.items()}
    scoring = _faces(wanted.pop("scoring", rules_data().default_scoring))
    for name, value in wanted.items():
        possible = rules_data().options.get(name)
        if possible is None:
            known = ", ".join(("scoring", *rules_data().options))
            raise SetupError(f"Azul Duel has no option '{name}'; the options are: {known}.")
        if value not in possible:
            raise SetupError(f"The option '{name}' cannot be '{value}'; it is one of {', '.join(map(str, possible))}.")
        values[name] = value
    return Options(scoring=scoring, **values)


def _faces(given: Any) -> tuple[str, ...]:
    """The scoring faces in play: at most one face of each tile (D27)."""
    names = [given] if isinstance(given, str) else list(given)
    faces = rules_data().faces
    found = []
    for name in names:
        face = _face(str(name))
        if face is None:
            raise SetupError(f"There is no scoring face '{name}'; the faces are: {', '.join(faces)}.")
        found.append(face)
    tiles = [faces[face]["tile"] for face in found]
    if len(set(tiles)) < len(tiles):
        twice = [face for face in found if tiles.count(faces[face]["tile"]) > 1]
        raise SetupError(f"{' and '.join(twice[:2])} are the two sides of one scoring tile; choose one of them.")
    if not found:
        raise SetupError("At least one scoring face has to be in play.")
    return tuple(found)


def _face(name: str) -> str | None:
    """The face that a name means: written with another sign between its words, or by one of its words."""
    written = name.lower().replace("_", "-").replace(" ", "-")
    faces = rules_data().faces
    if written in faces:
        return written
    near = [face for face in faces if {word.rstrip("s") for word in written.split("-")} <= _stems(face)]
    return near[0] if len(near) == 1 else None


def _stems(face: str) -> set[str]:
    return {word.rstrip("s") for word in face.split("-")}


def options_json(options: Options) -> dict[str, Any]:
    return {**options._asdict(), "scoring": list(options.scoring)}
