"""Plays a recording back through the same pipeline as a live camera."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from calibration.calibrate import calibrate
from companion.catalogue import PlayedGame, played_game
from companion.outcome import OutcomeBook
from companion.reconcile.belief import Update
from companion.reconcile.reconciler import Reconciler
from companion.reconcile.start import seen_table, starting_state
from engine.errors import SetupError
from engine.types import UNKNOWN
from vision.calibration import Calibration
from vision.camera_replay import NS_PER_S
from vision.frame import Frame, Image
from vision.layout import Layout
from vision.observe import Observer
from vision.pictures import PictureError, read_picture
from vision.reading import Kind, Observation
from vision.recording import FrameFile, Recording, RecordingError, check_places, read_recording


class Start(StrEnum):
    """How much of the set-up may be used."""

    SAMPLES = "samples"
    EMPTY = "empty"
    TAPS = "taps"


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One frame as it was read and understood."""

    file: FrameFile
    image: Image
    observation: Observation
    update: Update | None
    """None when only readings were asked for, or the game has not begun."""
    seconds: float
    """What reading and understanding it took, without decoding the picture."""


@dataclass(slots=True)
class Replay:
    """A recording being played back."""

    recording: Recording
    played: PlayedGame
    calibration: Calibration
    book: OutcomeBook
    reconciler: Reconciler | None = None
    refused: list[str] = field(default_factory=list)
    """Why frames could not be the start of a game: tables that cannot be."""
    skipped: list[str] = field(default_factory=list)
    """One sentence for each frame that could not be read."""


def open_recording(folder: Path) -> tuple[Recording, PlayedGame]:
    """A recording with its game; RecordingError when they do not fit together."""
    recording = read_recording(folder)
    options = dict(recording.options)
    colours = [seat.colour for seat in recording.seats]
    if all(colours):
        options["colours"] = colours
    played = played_game(recording.game, len(recording.seats), options)
    check_places(recording, played.layout)
    return recording, played


def calibrate_recording(recording: Recording, played: PlayedGame, start: Start) -> Calibration:
    """The table of a recording, from as much of its set-up as may be used."""
    setup = recording.setup
    try:
        empty = read_picture(setup.empty) if setup.empty is not None and start is not Start.TAPS else None
        samples = (
            [(read_picture(sample.picture), sample.tiles) for sample in setup.samples]
            if start is Start.SAMPLES
            else []
        )
    except PictureError as error:
        raise RecordingError(str(error)) from error
    first = first_picture(recording) if empty is None else None
    return calibrate(played.layout, setup.taps, empty=empty, first=first, samples=samples)


def first_picture(recording: Recording) -> Image:
    """The first frame that can be read."""
    for file in recording.frames:
        try:
            return read_picture(file.path)
        except PictureError:
            continue
    raise RecordingError(f"{recording.folder}: none of its {len(recording.frames)} frames can be read")


def start_replay(folder: Path, start: Start) -> Replay:
    """Open and calibrate a recording."""
    recording, played = open_recording(folder)
    return Replay(recording, played, calibrate_recording(recording, played, start), OutcomeBook(played.game))


def looks(replay: Replay, readings_only: bool = False) -> Iterator[Look]:
    """Every frame of the recording, one after another. A frame that cannot be read is skipped and noted."""
    observer = Observer(replay.played.layout, replay.calibration)
    for file in replay.recording.frames:
        try:
            image = read_picture(file.path)
        except PictureError as error:
            replay.skipped.append(str(error))
            continue
        began = time.perf_counter()
        frame = Frame(image, round(file.t_s * NS_PER_S))
        observation = observer.observe(frame)
        update = None if readings_only else follow(replay, observation)
        yield Look(file, image, observation, update, time.perf_counter() - began)


def follow(replay: Replay, observation: Observation) -> Update | None:
    """Let the reconciler take one observation; the first one that can be trusted starts the game."""
    if replay.reconciler is None:
        if not observation.trusted:
            return None
        recording, played = replay.recording, replay.played
        try:
            state = starting_state(
                played, recording.start_player, observation, recording.start_position, recording.start_turns
            )
        except SetupError as error:
            # Nobody can be asked in a replay: the next frame may show the table better.
            replay.refused.append(f"{observation.captured_ns / NS_PER_S:g} s: {error}")
            return None
        kinds = {
            name: place.kind for name, place in played.layout.places.items() if name in observation.readings
        }
        replay.reconciler = Reconciler(played.game, kinds, state)
    update = replay.reconciler.observe(observation)
    replay.book.note(update, observation.captured_ns)
    return update


def observation_line(look: Look, layout: Layout) -> dict[str, Any]:
    """An observation in the shape of a line of truth.jsonl; several colours of one piece in the order of the game."""
    observation, order = look.observation, list(layout.colours)
    places = {name: _written(content, layout.places[name].kind, order)
              for name, content in seen_table(observation).items()}
    return {
        "t": look.file.t_s,
        "hand": observation.hand,
        "settled": observation.still and not observation.hand,
        "trusted": observation.trusted,
        "places": places,
    }


def _written(content: Any, kind: Kind, colours: Sequence[str]) -> Any:
    """A content as it is written down. What lies on a cell and is no piece there, such as one across two, is
    unknown."""
    if kind is Kind.CHIP and isinstance(content, list):
        return sorted(content, key=colours.index)
    if kind is Kind.CELL and isinstance(content, Mapping) and content["colour"] not in colours:
        return UNKNOWN
    return content
