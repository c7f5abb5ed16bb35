"""Small recordings of two tables and simulated ones, shared by the tests of seeing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from calibration.calibrate import calibrate
from companion.catalogue import played_game
from companion.runtime.sources import calibrate_simulated
from companion.simulation.table import SimulatedTable
from vision.calibration import Calibration
from vision.frame import Frame, Image
from vision.layout import Layout
from vision.observe import Observer
from vision.pictures import read_picture
from vision.reading import Kind, Observation
from vision.recording import Recording, read_recording

FOLDER = Path(__file__).parent.parent / "fixtures" / "recordings"


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A recorded table with its calibration."""

    recording: Recording
    layout: Layout
    calibration: Calibration
    truth: tuple[dict[str, Any], ...]

    def picture(self, index: int) -> Image:
        return read_picture(self.recording.frames[index].path)


@cache
def laid(name: str, start: str = "empty", first: int = 0) -> Laid:
    """A table from its empty picture (`empty`), with named tiles (`samples`), or from taps and one frame (`taps`)."""
    recording = read_recording(FOLDER / name)
    layout = played_game(recording.game, len(recording.seats), dict(recording.options)).layout
    setup = recording.setup
    assert setup.empty is not None
    if start == "taps":
        calibration = calibrate(layout, setup.taps, first=read_picture(recording.frames[first].path))
    else:
        samples = [(read_picture(sample.picture), sample.tiles) for sample in setup.samples]
        calibration = calibrate(
            layout, setup.taps, empty=read_picture(setup.empty), samples=samples if start == "samples" else ()
        )
    return Laid(recording, layout, calibration, tuple(recording.truth()))


def look(table: Laid, image: Image, observer: Observer | None = None) -> Observation:
    """What a fresh observer, or one who has seen frames before, sees in a picture."""
    return (observer or Observer(table.layout, table.calibration)).observe(Frame(image, 0))


def simulated_duel(seed: int) -> tuple[SimulatedTable, Observer]:
    """A simulated table of Azul Duel as it is laid out before a game, and somebody who has not looked at it yet."""
    table = _duel(seed)
    return table, Observer(table.layout, _calibration(seed))


def _duel(seed: int) -> SimulatedTable:
    play = played_game("azul-duel", 2)
    return SimulatedTable(play.game, play.layout, 2, play.options, seed)


@cache
def _calibration(seed: int) -> Calibration:
    """Of such a table: the dearest part of looking at one."""
    return calibrate_simulated(_duel(seed))


READ_HERE = (Kind.SLOT, Kind.COUNTER)


def misread(table: Laid, seen: Observation, index: int, kinds: tuple[Kind, ...] = READ_HERE) -> list[str]:
    """The places in sight that were read wrong in a settled frame."""
    wrong = []
    for place, content in table.truth[index]["places"].items():
        reading = seen.readings.get(place)
        if content == "?" or reading is None or reading.kind not in kinds or reading.occluded:
            continue
        if reading.best()[0] != content:
            wrong.append(f"{place}: {content} read as {reading.best()[0]}")
    return wrong


def hidden_places(seen: Observation) -> set[str]:
    """The slots that were said to be hidden."""
    return {
        name for name, reading in seen.readings.items() if reading.occluded and reading.kind is Kind.SLOT
    }
