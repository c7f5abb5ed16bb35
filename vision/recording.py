"""Reads a `table-recording/1` folder strictly: what is missing is named with its file and key."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.layout import Layout

FORMAT = "table-recording/1"

Point = tuple[float, float]
"""Pixels, x to the right and y down; the centre of the top-left pixel is (0.5, 0.5)."""


class RecordingError(Exception):
    """A recording that cannot be used; the message names the file, the key and the remedy."""


@dataclass(frozen=True, slots=True)
class CornersTap:
    """A board's outer corners as its owner names them: top left, top right, bottom right, bottom left."""

    points_px: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class DiscTap:
    """A tap on the middle of a disc and one on its rim."""

    centre_px: Point
    rim_px: Point


@dataclass(frozen=True, slots=True)
class PolygonTap:
    """An area such as the centre or a rack."""

    points_px: tuple[Point, ...]


Tap = CornersTap | DiscTap | PolygonTap


@dataclass(frozen=True, slots=True)
class SampleTile:
    """A loose tile whose colour the people said while setting up."""

    colour: str
    at_px: Point
    face: str | None = None


@dataclass(frozen=True, slots=True)
class SamplePicture:
    """A picture with sample tiles on it."""

    picture: Path
    tiles: tuple[SampleTile, ...]


@dataclass(frozen=True, slots=True)
class Setup:
    """What the people tapped and photographed before the game."""

    taps: Mapping[str, Tap]
    empty: Path | None = None
    samples: tuple[SamplePicture, ...] = ()


@dataclass(frozen=True, slots=True)
class Seat:
    """One player of a recording."""

    name: str
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class FrameFile:
    """One frame on disk."""

    path: Path
    t_s: float


@dataclass(frozen=True, slots=True)
class Recording:
    """One sitting at a table."""

    folder: Path
    game: str
    options: Mapping[str, Any]
    seats: tuple[Seat, ...]
    start_player: int
    size_px: tuple[int, int]
    """Width and height of the frames."""
    setup: Setup
    frames: tuple[FrameFile, ...]
    start_position: Mapping[str, Any] | None = None
    start_turns: tuple[int, ...] | None = None

    def truth(self) -> Iterator[dict[str, Any]]:
        """The lines of truth.jsonl; none when there is no such file."""
        path = self.folder / "truth.jsonl"
        if path.exists():
            yield from _json_lines(path, ("t", "settled", "places"))

    def outcome(self) -> dict[str, Any] | None:
        """outcome.json, or None when there is none."""
        path = self.folder / "outcome.json"
        return _json(path) if path.exists() else None


def read_recording(folder: Path) -> Recording:
    """The recording in `folder`; RecordingError when a required part is missing or wrong."""
    path = folder / "recording.json"
    if not path.exists():
        raise RecordingError(f"{path}: there is no such file; name a folder that holds a recording")
    data = _json(path)
    if _need(data, "format", path) != FORMAT:
        raise RecordingError(f"{path}: 'format' is {data['format']!r}, but only {FORMAT!r} can be read")
    camera = _need(data, "camera", path)
    seats = tuple(
        Seat(str(_need(seat, "name", path, "players.")), seat.get("colour")) for seat in _need(data, "players", path)
    )
    turns = data.get("start_turns")
    return Recording(
        folder=folder,
        game=str(_need(data, "game", path)),
        options=dict(data.get("options", {})),
        seats=seats,
        start_player=int(_need(data, "start_player", path)),
        size_px=(int(_need(camera, "width", path, "camera.")), int(_need(camera, "height", path, "camera."))),
        setup=_setup(_need(data, "setup", path), folder, path),
        frames=_frames(folder),
        start_position=data.get("start_position"),
        start_turns=None if turns is None else tuple(int(turn) for turn in turns),
    )


def check_places(recording: Recording, layout: Layout) -> None:
    """RecordingError when the recording names a piece or place that the layout does not know."""
    path = recording.folder / "recording.json"
    pieces = {piece.name: piece for piece in layout.pieces}
    kinds = {"corners": CornersTap, "disc": DiscTap, "polygon": PolygonTap}
    for name, tap in recording.setup.taps.items():
        if name not in pieces:
            raise RecordingError(f"{path}: 'setup.places.{name}' is no piece of {layout.game}; remove or rename it")
        wanted = pieces[name].frame
        if not isinstance(tap, kinds[wanted]):
            raise RecordingError(f"{path}: 'setup.places.{name}' must be given by its {wanted}")
    for place in recording.start_position or {}:
        if place not in layout.places:
            raise RecordingError(f"{path}: 'start_position.{place}' is no place of {layout.game}; remove or rename it")


def _frames(folder: Path) -> tuple[FrameFile, ...]:
    path = folder / "frames.jsonl"
    if not path.exists():
        raise RecordingError(f"{path}: there is no such file; a recording lists its frames there")
    frames = tuple(FrameFile(folder / str(line["file"]), float(line["t"])) for line in _json_lines(path, ("file", "t")))
    if any(later.t_s < earlier.t_s for earlier, later in itertools.pairwise(frames)):
        raise RecordingError(f"{path}: the frames are not in the order of their 't'; sort the lines")
    return frames


def _setup(data: Mapping[str, Any], folder: Path, path: Path) -> Setup:
    places = _need(data, "places", path, "setup.")
    empty = data.get("empty")
    samples = tuple(
        SamplePicture(
            folder / str(_need(sample, "image", path, "setup.samples.")),
            tuple(
                SampleTile(
                    str(_need(tile, "colour", path, "setup.samples.tiles.")),
                    _point(_need(tile, "at", path, "setup.samples.tiles."), path, "setup.samples.tiles.at"),
                    tile.get("face"),
                )
                for tile in _need(sample, "tiles", path, "setup.samples.")
            ),
        )
        for sample in data.get("samples") or ()
    )
    taps = {name: read_tap(value, path, f"setup.places.{name}") for name, value in places.items()}
    return Setup(taps, folder / str(empty) if empty else None, samples)


def read_tap(value: Mapping[str, Any], path: Path, key: str) -> Tap:
    """One piece as it was tapped; `path` and `key` are what an error names."""
    if "corners" in value:
        points = _points(value["corners"], path, f"{key}.corners")
        if len(points) != 4:
            raise RecordingError(f"{path}: '{key}.corners' has {len(points)} points, but a board has 4 corners")
        _check_convex(points, path, f"{key}.corners")
        return CornersTap((points[0], points[1], points[2], points[3]))
    if "centre" in value:
        return DiscTap(
            _point(value["centre"], path, f"{key}.centre"),
            _point(_need(value, "rim", path, f"{key}."), path, f"{key}.rim"),
        )
    if "polygon" in value:
        points = _points(value["polygon"], path, f"{key}.polygon")
        if len(points) < 3:
            raise RecordingError(f"{path}: '{key}.polygon' has {len(points)} points, but an area needs 3 at least")
        return PolygonTap(points)
    raise RecordingError(f"{path}: '{key}' has neither 'corners' nor 'centre' nor 'polygon'; tap the piece again")


def _check_convex(points: Sequence[Point], path: Path, key: str) -> None:
    """Corners named in a wrong order cross; a reader would see a folded board."""
    turns = []
    for index in range(4):
        (ax, ay), (bx, by), (cx, cy) = (points[(index + step) % 4] for step in range(3))
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    if not (all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)):
        raise RecordingError(f"{path}: '{key}' cross or fold; tap the four corners again, clockwise from the top left")
    if turns[0] < 0:
        raise RecordingError(
            f"{path}: '{key}' run counter-clockwise, as in a mirror; tap them clockwise from the top left"
        )


def _points(value: Sequence[Any], path: Path, key: str) -> tuple[Point, ...]:
    return tuple(_point(point, path, key) for point in value)


def _point(value: Any, path: Path, key: str) -> Point:
    try:
        x, y = value
        return float(x), float(y)
    except (TypeError, ValueError) as error:
        raise RecordingError(f"{path}: '{key}' is {value!r}, but a point is two numbers [x, y]") from error


def _need(data: Any, key: str, path: Path, prefix: str = "") -> Any:
    if not isinstance(data, Mapping) or key not in data:
        raise RecordingError(f"{path}: the key '{prefix}{key}' is missing; add it or make the recording again")
    return data[key]


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RecordingError(f"{path}: this is no readable JSON ({error})") from error
    if not isinstance(data, dict):
        raise RecordingError(f"{path}: expected one JSON object, but got a {type(data).__name__}")
    return data


def _json_lines(path: Path, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                data = json.loads(line)
            except json.JSONDecodeError as error:
                raise RecordingError(f"{path}: line {number} is no readable JSON ({error.msg})") from error
            for key in keys:
                if not isinstance(data, dict) or key not in data:
                    raise RecordingError(f"{path}: line {number} lacks the key '{key}'")
            yield data
