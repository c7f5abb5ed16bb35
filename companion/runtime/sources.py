"""Where pictures come from: each source builds a rig for the game that is wanted."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from calibration import store as calibrations
from calibration.calibrate import CalibrationError, calibrate
from companion.catalogue import PlayedGame, own_colours, played_game
from companion.config import Settings
from companion.replay import Start, calibrate_recording, open_recording
from companion.runtime.pictures import secret_of
from companion.runtime.proposal import Proposal, found_places, tapped_points
from companion.runtime.rig import Eyes, Rig
from companion.runtime.told import SimulatedReality, ToldEyes, exact_calibration
from companion.simulation.habits import Pace
from companion.simulation.lens import View
from companion.simulation.play import Manners
from companion.simulation.table import NAMES, Scenery, SimulatedTable
from engine.registry import find_games
from vision.calibration import Calibration
from vision.camera import Camera, CameraError
from vision.camera_pi import PiOpener
from vision.camera_process import CameraProcess
from vision.camera_replay import ReplayCamera
from vision.camera_source import Opener
from vision.camera_webcam import WebcamOpener
from vision.frame import Image
from vision.observe import Observer
from vision.recording import Recording, SampleTile, Tap, read_tap

FRAME_SLOTS = 10
"""Frames of a live camera in use at a time: those that wait, the one on show, the one that crops are cut from."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The game that is to be watched."""

    play: PlayedGame
    start_player: int = 1
    seed: int | None = None
    """Of the simulated table; None takes the one of the settings."""
    evening: int = 0
    """At the same simulated table, another number is another game."""
    state: Any = None
    """The true position of the simulated table, where it goes on."""
    calibration: Calibration | None = None
    """The table as it was set up; a simulated table and a recording bring their own."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The game that a source brings along when none is under way."""

    play: PlayedGame
    seats: tuple[tuple[str, str | None], ...]
    """Names, with colours where they are known."""
    start_player: int = 1


class Source(Protocol):
    """One kind of camera."""

    @property
    def needs_setup(self) -> bool:
        """Whether people must show where the boards lie."""
        ...

    def ready(self) -> Ready | None:
        """The game to begin with; None where people choose one."""
        ...

    def propose(self, play: PlayedGame, still: Image | None) -> Proposal | None:
        """Where everything may lie, for the set-up; None when there is no picture."""
        ...

    @property
    def kind(self) -> str:
        """As the pages call it: `simulated`, `webcam`, `pi` or `recording`."""
        ...

    def rig(self, wanted: Wanted | None) -> Rig:
        """A camera for a game, or one that only shows pictures. Takes seconds; CameraError when there is none."""
        ...


def make_source(settings: Settings) -> Source:
    """The source that the settings name."""
    makers: Mapping[str, Callable[[Settings], Source]] = {
        "simulated": SimulatedSource, "webcam": webcam_source, "pi": pi_source, "recording": RecordingSource,
    }
    return makers[settings.source_kind](settings)


class SimulatedSource:
    """A table that plays by itself."""

    kind = "simulated"
    needs_setup = False

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._known: tuple[Any, Calibration] | None = None

    def ready(self) -> Ready:
        """The game of the settings, with as many players as it allows."""
        game = find_games()[self._settings.game]
        count = min(max(self._settings.players, game.players[0]), game.players[-1])
        play = played_game(game.id, count)
        names = (NAMES[index % len(NAMES)] for index in range(count))
        return Ready(play, tuple(zip(names, own_colours(play), strict=True)))

    def propose(self, play: PlayedGame, still: Image | None) -> Proposal:
        """The table as it would be laid, with taps as fingers make them."""
        view = View(width_px=self._settings.width_px, height_px=self._settings.height_px)
        table = SimulatedTable(play.game, play.layout, play.players, play.options, self._settings.seed,
                               scenery=Scenery(view=view))
        setup = table.setup()
        told: Mapping[str, Any] = setup.recording["setup"]
        points = tapped_points(told["places"])
        samples = [(setup.samples, sample_tiles(picture)) for picture in told.get("samples", ())]
        return Proposal(setup.empty, points, dict.fromkeys(points, True), samples, is_simulated=True)

    def rig(self, wanted: Wanted | None) -> Rig:
        """A simulated table on which the wanted game is played."""
        if wanted is None:
            raise CameraError("the simulated table shows nothing before a game is chosen; start one on the page")
        settings, play = self._settings, wanted.play
        seed = settings.seed if wanted.seed is None else wanted.seed
        view = View(width_px=settings.width_px, height_px=settings.height_px)
        paced = settings.speed > 0
        table = SimulatedTable(
            play.game, play.layout, play.players, play.options, seed, fps=settings.fps,
            speed=settings.speed if paced else 1.0, clock=time.monotonic if paced else None,
            manners=Manners(pace=Pace().hurried(settings.haste), slip_share=settings.slips),
            scenery=Scenery(view=view), start_player=wanted.start_player, state=wanted.state, evening=wanted.evening,
        )
        told = settings.readings == "told"
        calibration = exact_calibration(table) if told else self._calibrated(table)
        eyes: Eyes = ToldEyes(table, calibration) if told else Observer(play.layout, calibration)
        return Rig(
            table, play.layout, calibration, eyes, tuple(secret_of(play.layout, calibration)),
            calibration.size_px[0], paced, seed, SimulatedReality(table),
        )


    def _calibrated(self, table: SimulatedTable) -> Calibration:
        """Set up once a table: the boards lie where they lay in the game before, and at the last start."""
        key = [table.game.id, table.players, table.options, table.seed, table.lens.width_px, table.lens.height_px]
        if self._known is None or self._known[0] != key:
            self._known = (key, self._kept(table, json.dumps(key)))
        return self._known[1]

    def _kept(self, table: SimulatedTable, key: str) -> Calibration:
        path = self._settings.data_folder / "simulated" / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"
        # Whatever is wrong with a kept set-up (an older companion's, a torn file), making it anew is the remedy.
        with suppress(CalibrationError):
            return calibrations.load(path)
        calibration = calibrate_simulated(table)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            calibrations.save(calibration, path)
        return calibration


def calibrate_simulated(table: SimulatedTable) -> Calibration:
    """Set the simulated table up as people would: taps that are a little off, an empty picture, some samples."""
    setup = table.setup()
    told: Mapping[str, Any] = setup.recording["setup"]
    taps: dict[str, Tap] = {name: read_tap(value, Path("the simulated table"), name)
                            for name, value in told["places"].items()}
    samples = [
        (setup.samples, sample_tiles(picture)) for picture in told.get("samples", ())
    ]
    return calibrate(table.layout, taps, empty=setup.empty, samples=samples)


def sample_tiles(picture: Mapping[str, Any]) -> list[SampleTile]:
    """The sample tiles of one picture of a recording."""
    return [
        SampleTile(tile["colour"], (tile["at"][0], tile["at"][1]), tile.get("face")) for tile in picture["tiles"]
    ]


class LiveSource:
    """A camera above a real table."""

    def __init__(self, kind: str, opener: Opener) -> None:
        self.kind = kind
        self.needs_setup = True
        self._opener = opener
        self._camera: CameraProcess | None = None

    def ready(self) -> None:
        """People choose what they play."""
        return

    def propose(self, play: PlayedGame, still: Image | None) -> Proposal | None:
        """Every piece where it was found, or else where it usually lies, to be dragged into place."""
        return None if still is None else found_places(play, still)

    def rig(self, wanted: Wanted | None) -> Rig:
        """The camera, with eyes once the table has been set up."""
        # The next game looks as the table did when it was set up: under the light that the camera found then.
        light = self._camera.light if self._camera is not None else None
        camera = self._camera = CameraProcess(self._opener, light, slots=FRAME_SLOTS)
        if wanted is None or wanted.calibration is None:
            return Rig(camera)
        layout, calibration = wanted.play.layout, wanted.calibration
        return Rig(
            camera, layout, calibration, Observer(layout, calibration), tuple(secret_of(layout, calibration)),
            calibration.size_px[0],
        )


def webcam_source(settings: Settings) -> LiveSource:
    """The webcam with the number of the settings."""
    return LiveSource("webcam", WebcamOpener(settings.webcam, (settings.width_px, settings.height_px)))


def pi_source(settings: Settings) -> LiveSource:
    """The camera of a Raspberry Pi; its library is looked for when it is opened."""
    return LiveSource("pi", PiOpener((settings.width_px, settings.height_px), fps=settings.fps))


class RecordingSource:
    """A recorded sitting, watched as if it happened now."""

    kind = "recording"
    needs_setup = False

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.recording: Recording
        self.recording, self.play = open_recording(Path(settings.source.partition("=")[2]).expanduser())

    def ready(self) -> Ready:
        """The game that was recorded."""
        seats = tuple((seat.name, seat.colour) for seat in self.recording.seats)
        return Ready(self.play, seats, self.recording.start_player)

    def propose(self, play: PlayedGame, still: Image | None) -> None:
        """A recording was set up when it was made."""
        return

    def rig(self, wanted: Wanted | None) -> Rig:
        """The recording from its beginning."""
        recording, play = self.recording, self.play
        calibration = calibrate_recording(recording, play, Start.SAMPLES)
        start = {"position": recording.start_position, "turns": recording.start_turns}
        camera: Camera = ReplayCamera(recording)
        if self._settings.speed > 0:
            camera = PacedCamera(camera, self._settings.speed)
        return Rig(
            camera, play.layout, calibration, Observer(play.layout, calibration),
            tuple(secret_of(play.layout, calibration)), calibration.size_px[0], paced=False, start=start,
        )


class PacedCamera:
    """Hands out recorded frames no sooner than they were taken."""

    def __init__(self, camera: Camera, speed: float, clock: Callable[[], float] = time.monotonic,
                 sleep: Callable[[float], None] = time.sleep) -> None:
        self._camera, self._speed, self._clock, self._sleep = camera, speed, clock, sleep
        self._zero: tuple[float, int] | None = None
        self._next: Any = None

    def read(self) -> Any:
        """The next frame when its time has come, or None after a moment of waiting."""
        if self._next is None:
            self._next = self._camera.read()
        frame = self._next
        if frame is None:
            return None
        if self._zero is None:
            self._zero = (self._clock(), frame.captured_ns)
        due_s = self._zero[0] + (frame.captured_ns - self._zero[1]) / 1e9 / self._speed
        wait_s = due_s - self._clock()
        if wait_s > 0.2:
            self._sleep(0.2)
            return None
        if wait_s > 0:
            self._sleep(wait_s)
        self._next = None
        return frame

    def close(self) -> None:
        self._camera.close()
