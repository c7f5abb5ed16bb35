"""Where things lie on a table: a game's `layout.toml` unfolded for a number of players.

A layout names pieces (boards, discs, areas) and the places on each, in fractions of the piece: u to the right, v
down, from its first corner. It knows nothing of a picture and nothing of a rule.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vision.reading import Kind

FORMAT = "table-layout/1"


class LayoutError(Exception):
    """A layout file that cannot be used; the message names the file and the key."""


@dataclass(frozen=True, slots=True)
class Item:
    """A thing that can lie on a place."""

    id: str
    shape: str
    """`square`, `round`, `cube` or `card`."""
    size_mm: float
    """Edge or diameter."""
    height_mm: float


@dataclass(frozen=True, slots=True)
class Track:
    """Where one stone of a counter can stand: position i means i × weight points."""

    weight: int
    at: tuple[tuple[float, float], ...]
    cell: tuple[float, float] | None = None
    """Width and height of one printed space, in fractions of the piece, where its outline is printed."""


@dataclass(frozen=True, slots=True)
class PlaceSpec:
    """One place on its piece."""

    name: str
    piece: str
    kind: Kind
    at: tuple[float, float]
    """Centre, in fractions of the piece."""
    size: tuple[float, float]
    """Width and height, in fractions of the piece's width and height."""
    item: str
    """What lies here; a key of `Layout.items`."""
    holds: tuple[str, ...]
    """The colours (and marker, special …) that can lie here."""
    prints: str | None = None
    """The colour printed on the space, where it looks like a tile."""
    faces: tuple[str, ...] = ()
    """For a cell, the faces its print allows; a prior that can be switched off."""
    round_area: bool = False
    """True where the space is an ellipse (a factory's sun, the space of a round tile) rather than a rectangle."""
    tracks: tuple[Track, ...] = ()
    """For a counter, one track a stone."""
    spots: tuple[tuple[float, float], ...] = ()
    """For a heap whose pieces lie singly on printed spaces, the centres of those spaces."""
    own_spots: tuple[tuple[str, tuple[float, float]], ...] = ()
    """Those of them that are kept for one colour, with that colour."""


@dataclass(frozen=True, slots=True)
class PieceSpec:
    """A board, disc or area that people lay on the table and tap while setting up."""

    name: str
    """As in a recording's `setup.places`: `p1`, `f3`, `centre`."""
    frame: str
    """How it is tapped: `corners`, `disc` (middle and rim) or `polygon`."""
    size_mm: tuple[float, float]
    thickness_mm: float
    player: int | None
    secret: bool
    """True for a rack: masked from every picture that leaves the companion."""
    places: tuple[PlaceSpec, ...]
    white: bool = True
    """False where even the brightest part of its surface is far from white, so that it cannot tell the light's tint."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that can lie on one table."""

    game: str
    items: Mapping[str, Item]
    colours: Mapping[str, tuple[int, int, int]]
    """Each colour with a typical sRGB value, for drawing and as the first guess of a colour model."""
    pieces: tuple[PieceSpec, ...]
    places: Mapping[str, PlaceSpec] = field(default_factory=dict)
    """All places of all pieces by name."""
    single: tuple[str, ...] = ()
    """Those of the colours of which there is only one thing on the table."""


def load_layout(path: Path, players: int, options: Mapping[str, Any] | None = None) -> Layout:
    """Read and unfold a layout file; LayoutError names the file and key when something is missing."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise LayoutError(f"{path}: {error}") from error
    try:
        return _unfold(data, players, dict(options or {}))
    except KeyError as error:
        raise LayoutError(f"{path}: the key {error} is missing") from error
    except (TypeError, ValueError) as error:
        raise LayoutError(f"{path}: {error}") from error


def _unfold(data: Mapping[str, Any], players: int, options: Mapping[str, Any]) -> Layout:
    if data["format"] != FORMAT:
        raise ValueError(f"format is '{data['format']}', expected '{FORMAT}'")
    items = {
        key: Item(key, value["shape"], float(value["size_mm"]), float(value["height_mm"]))
        for key, value in data["items"].items()
    }
    colours = {key: (int(r), int(g), int(b)) for key, (r, g, b) in data["colours"].items()}
    pieces = tuple(
        _piece(piece, name, player, options)
        for piece in data["pieces"]
        for name, player in _names(piece, players)
    )
    places = {place.name: place for piece in pieces for place in piece.places}
    return Layout(data["game"], items, colours, pieces, places, tuple(data.get("single", ())))


def _names(piece: Mapping[str, Any], players: int) -> list[tuple[str, int | None]]:
    """The names of the copies of a piece: one a player, one for each number, or just one."""
    pattern = piece["name"]
    if "{player}" in pattern:
        return [(pattern.format(player=player), player) for player in range(1, players + 1)]
    if "{n}" in pattern:
        count = piece["count"]
        number = count[str(players)] if isinstance(count, dict) else count
        return [(pattern.format(n=n), None) for n in range(1, number + 1)]
    return [(pattern, None)]


def _piece(piece: Mapping[str, Any], name: str, player: int | None, options: Mapping[str, Any]) -> PieceSpec:
    places: list[PlaceSpec] = []
    for group in piece.get("places", ()):
        if any(options.get(key, default) != wanted for key, (wanted, default) in group.get("when", {}).items()):
            continue
        places.extend(_group(group, name))
    width, height = piece["size_mm"]
    return PieceSpec(
        name, piece["frame"], (float(width), float(height)), float(piece.get("thickness_mm", 0.0)), player,
        bool(piece.get("secret", False)), tuple(places), bool(piece.get("white", True)),
    )


def _group(group: Mapping[str, Any], piece: str) -> list[PlaceSpec]:
    """The places of one group: explicit rows of cells, or a single place."""
    kind = Kind(group["kind"])
    common = {
        "piece": piece, "kind": kind, "item": group["item"], "holds": tuple(group.get("holds", ())),
        "size": tuple(map(float, group["size"])), "round_area": bool(group.get("round", False)),
        "tracks": tuple(
            Track(
                int(track["weight"]), tuple((float(u), float(v)) for u, v in track["at"]),
                (float(track["cell"][0]), float(track["cell"][1])) if "cell" in track else None,
            )
            for track in group.get("tracks", ())
        ),
        "spots": tuple((float(u), float(v)) for u, v in group.get("spots", ())),
        "own_spots": tuple((name, (float(u), float(v))) for name, (u, v) in group.get("own_spots", {}).items()),
    }
    separator = group.get("separator", ".")
    if "rows" not in group:
        u, v = group["at"]
        return [PlaceSpec(name=group["name"].format(piece=piece), at=(float(u), float(v)), **common)]
    return [
        PlaceSpec(
            name=f"{row['name'].format(piece=piece)}{separator}{index}",
            at=(float(u), float(row["v"])),
            prints=row["prints"][index - 1] if "prints" in row else None,
            faces=tuple(row["faces"][index - 1]) if "faces" in row else (),
            **common,
        )
        for row in group["rows"]
        for index, u in enumerate(row["u"], start=1)
    ]
