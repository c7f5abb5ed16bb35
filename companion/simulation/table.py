"""The simulated table as a camera: frames of a game that plays itself, and misbehaviour on request."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import cv2
import numpy as np

from companion.simulation.arrangement import Arrangement, arrange
from companion.simulation.glyphs import SHIFT, fixed
from companion.simulation.hands import just_outside
from companion.simulation.lens import View, hang
from companion.simulation.light import COOL, DARK, WARM, Cast, Lamp, SensorNoise, drift
from companion.simulation.play import Manners, Sitting
from companion.simulation.scene import Scene
from companion.simulation.setup import TableSetup, lay_samples, sample_list, secret_outlines, tap_places
from companion.simulation.sight import SeenArea, hidden_places, seen_areas
from companion.simulation.stage import Stage
from companion.simulation.things import UNKNOWN, TableTop, lay_out
from engine.api import Game, State
from vision.camera import CameraError, EndOfFramesError
from vision.frame import Frame, Image
from vision.layout import Layout
from vision.reading import Kind

NS_PER_S = 1_000_000_000
NAMES = ("Ann", "Bo", "Cleo", "Dirk", "Eva", "Finn")
BLUR_PX = 4.0
NUDGE_MM = (3.0, 22.0)
NUDGED_ASIDE = tuple(math.radians(degrees) for degrees in (0, 45, -45, 90, -90, 135, -135, 180))
"""Where a push leads when another board is in the way: the nearest of these directions that is free."""
GRAIN_APART = 7919
"""Added to the seed for the grain of the set-up's pictures."""

Clock = Callable[[], float]
"""Seconds that only go forward."""


class Request(StrEnum):
    """What the table can be asked to do."""

    SLIP = "slip"
    NUDGE = "nudge"
    LAMP_OFF = "lamp-off"
    LAMP_ON = "lamp-on"
    WARM = "warm"
    COOL = "cool"
    BLUR = "blur"
    SHARP = "sharp"
    FREEZE = "freeze"
    THAW = "thaw"
    DROP = "drop"
    LOSE_CAMERA = "lose-camera"
    FIND_CAMERA = "find-camera"


@dataclass(frozen=True, slots=True)
class Scenery:
    """How the table looks and how its camera hangs."""

    view: View = field(default_factory=View)
    noise_sigma: float = 1.6
    """Grain of the sensor, in grey levels."""
    softness_px: float = 0.5
    """How soft the lens draws; 0 is perfectly sharp."""
    drift_strength: float = 1.0
    """How much the light wanders; 0 keeps it still."""
    untidiness: float = 1.0
    """How crookedly pieces are laid; 0 is perfectly straight."""


class SimulatedTable:
    """A camera above a table that plays by itself.

    Without a clock every `read` lets 1/fps of simulated time pass, as fast as the caller likes; with one, simulated
    time runs `speed` times as fast as the clock. With a `state` the first game goes on from that position;
    another `evening` is another game at the same table.
    """

    def __init__(
        self, game: Game, layout: Layout, players: int, options: Mapping[str, Any] | None = None, seed: int = 1,
        speed: float = 1.0, fps: float = 10.0, manners: Manners | None = None, scenery: Scenery | None = None,
        start_player: int = 1, clock: Clock | None = None, endless: bool = False, state: State | None = None,
        evening: int = 0,
    ) -> None:
        self.game, self.layout, self.players, self.options, self.seed = game, layout, players, dict(options or {}), seed
        self.start_player = start_player
        self._state, self._evening = state, evening
        self._scenery = scenery or Scenery()
        self._manners = manners or Manners()
        self._speed, self._step_s, self._clock, self._endless = speed, 1.0 / fps, clock, endless
        self._clock_start: float | None = None
        self._rng = np.random.default_rng((seed, 71))
        self._arrangement = arrange(layout, seed, self._scenery.untidiness)
        self.lens = hang(self._scenery.view, self._arrangement.corners_mm())
        away = self._rng.uniform(-1, 1, 2) * (260.0, 220.0)
        self._lamp = Lamp(float(away[0]), float(away[1]), level=float(self._rng.uniform(0.92, 1.08)))
        softness = self._scenery.softness_px
        self._scene = Scene(layout, self._arrangement, self.lens, self._lamp, seed, softness)
        self._noise = SensorNoise(self.lens.width_px, self.lens.height_px, self._scenery.noise_sigma, seed)
        self._seen_areas: Mapping[str, SeenArea] | None = None
        self._games_played = 0
        self._epoch_s = 0.0
        # A page steers the table from another thread than the one that reads its frames.
        self._lock = threading.RLock()
        self._begin()
        self._cast = Cast()
        self._dark = False
        self._blurred = self._lost = self._closed = False
        self._frozen: Image | None = None
        self._freeze = False
        self._dropped = 0

    def _begin(self) -> None:
        """Clear the table and start a game."""
        seed = self.seed + 1000 * (self._games_played + self._evening)
        self._top = TableTop(self.layout, self._arrangement, seed)
        seats = self._arrangement.seats.values()
        homes = {seat.player: just_outside(self.lens, seat.x_mm, seat.y_mm, seat.turn_rad) for seat in seats}
        self._stage = Stage(self._top, homes)
        self._stage.t_s = self._epoch_s
        start = (self.start_player - 1 + self._games_played) % self.players + 1
        self.sitting = Sitting(self.game, self.players, self.options, self._stage, seed, self._manners, start,
                               self._state)
        self._state = None
        lay_out(self._top, self.game.visible(self.sitting.state))
        self._stage.start(self.sitting.evening())

    # -- a camera -------------------------------------------------------------------------------------------------

    def read(self) -> Frame | None:
        """The next frame; None when it was dropped. EndOfFramesError when the game is over, unless endless."""
        if self._closed:
            raise CameraError("the simulated table is closed; start it again")
        with self._lock:
            self.advance(self._next_s())
            if self.sitting.over and not self._endless:
                raise EndOfFramesError("the simulated game is over")
            if self._lost:
                raise CameraError("the simulated camera is lost, as was asked; ask for 'find-camera' to have it back")
            if self._dropped > 0:
                self._dropped -= 1
                return None
            return Frame(self.picture(), round(self.t_s * NS_PER_S), 20_000, 1.0, (1.0, 1.0))

    def close(self) -> None:
        """Stop. Safe to call twice."""
        self._closed = True

    def _next_s(self) -> float:
        if self._clock is None:
            return self.t_s + self._step_s * self._speed
        now = self._clock()
        if self._clock_start is None:
            self._clock_start = now
        return max(self.t_s, (now - self._clock_start) * self._speed)

    # -- time --------------------------------------------------------------------------------------------------------

    @property
    def t_s(self) -> float:
        """Simulated seconds since the start."""
        return self._stage.t_s

    @property
    def settled(self) -> bool:
        """Nothing moves and no move is half done."""
        return self._stage.settled

    def advance(self, t_s: float) -> None:
        """Let simulated time pass without taking a picture."""
        self._stage.advance(t_s)
        if self._top.arrangement is not self._arrangement:
            # Somebody has turned a board.
            self._arrangement, self._seen_areas = self._top.arrangement, None
            self._scene.rearrange(self._arrangement)
        if self.sitting.over and self._endless:
            self._games_played += 1
            self._epoch_s = self._stage.t_s
            self._begin()

    def next_event_s(self) -> float | None:
        """When something happens next."""
        return self._stage.next_event_s()

    # -- pictures ----------------------------------------------------------------------------------------------------

    def picture(self) -> Image:
        """What the camera sees now."""
        if self._freeze and self._frozen is not None:
            return self._frozen.copy()
        image = self._finish(self._scene.picture(
            self._top.resting, self._stage.moving(), self._stage.hands(), self._light()
        ))
        if self._freeze:
            self._frozen = image.copy()
        return image

    def _light(self) -> Cast:
        """The light of this moment, in steps too small to see: only a change costs time."""
        cast = drift(self.t_s, self.seed, self._scenery.drift_strength).times(self._cast)
        return (cast.times(DARK) if self._dark else cast).stepped()

    def _finish(self, image: Image) -> Image:
        """Blur, if asked for, and grain."""
        if self._blurred:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), BLUR_PX), np.uint8)
        return self._noise.apply(image)

    # -- truth ---------------------------------------------------------------------------------------------------------

    @property
    def arrangement(self) -> Arrangement:
        """Where the pieces lie now."""
        return self._arrangement

    @property
    def top(self) -> TableTop:
        """What lies on the table now."""
        return self._top

    def contents(self) -> dict[str, Any]:
        """What every place holds now, seen or not."""
        return self._top.contents()

    def hands_in_view(self) -> int:
        """How many hands are above the table."""
        return len(self._stage.hands())

    def truth(self) -> dict[str, Any]:
        """What really lies there now, as a line of truth.jsonl; `?` where a hand hides it."""
        with self._lock:
            hands, moving = self._stage.hands(), self._stage.moving()
            places = self._top.contents()
            visible = False
            if hands or moving:
                cover = self._scene.cover(moving, hands)
                visible = bool(cover.any())
                for name in hidden_places(self._areas(), cover):
                    places[name] = UNKNOWN
            return {"t": round(self.t_s, 3), "hand": visible, "settled": self.settled, "places": places}

    def _areas(self) -> Mapping[str, SeenArea]:
        if self._seen_areas is None:
            self._seen_areas = seen_areas(self.layout, self._arrangement, self.lens)
        return self._seen_areas

    def outcome(self) -> dict[str, Any]:
        """The game so far, as outcome.json."""
        return self.sitting.story.outcome()

    # -- set-up --------------------------------------------------------------------------------------------------------

    def setup(self) -> TableSetup:
        """Taps a little off, a picture of the table with nothing but its score stones, and one with sample tiles."""
        start = self.game.new(self.players, self.options, self.start_player)
        bare = TableTop(self.layout, self._arrangement, self.seed + 1)
        stones = {name for name, spec in self.layout.places.items() if spec.kind is Kind.COUNTER}
        lay_out(bare, {name: content for name, content in self.game.visible(start).items() if name in stones})
        # With a grain of its own: at the next start the first frames would otherwise repeat it to the last pixel, which
        # no camera does.
        noise = SensorNoise(self.lens.width_px, self.lens.height_px, self._scenery.noise_sigma, self.seed + GRAIN_APART)
        empty = noise.apply(self._scene.picture(bare.resting, cast=self._light()))
        samples = lay_samples(bare)
        picture = noise.apply(self._scene.picture(bare.resting, cast=self._light()))
        recording = self.setup_recording_json(sample_list(samples, self.lens))
        return TableSetup(recording, self.masked(empty), self.masked(picture))

    def setup_recording_json(self, samples: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """recording.json of this table."""
        setup: dict[str, Any] = {"empty": "setup/empty.jpg"}
        if samples:
            setup["samples"] = [{"image": "setup/samples.jpg", "tiles": [dict(tile) for tile in samples]}]
        setup["places"] = tap_places(self._arrangement, self.lens, self.seed)
        return {
            "format": "table-recording/1", "game": self.game.id, "options": self.options, "players": self._seats(),
            "start_player": self.start_player,
            "camera": {"width": self.lens.width_px, "height": self.lens.height_px}, "setup": setup,
        }

    def _seats(self) -> list[dict[str, Any]]:
        """The players' names; with their colours where each has one, as the game gives them out."""
        seats: list[dict[str, Any]] = [{"name": NAMES[number % len(NAMES)]} for number in range(self.players)]
        colours = self.options.get("colours")
        if colours is None and self.players > 2:
            colours = self.game.options.get("colours", ())[: self.players]
        if colours and all(isinstance(colour, str) for colour in colours):
            for seat, colour in zip(seats, colours, strict=True):
                seat["colour"] = colour
        return seats

    def masked(self, image: Image) -> Image:
        """The picture with what is secret blacked out."""
        outlines = secret_outlines(self._arrangement, self.lens)
        if not outlines:
            return image
        result = image.copy()
        for outline in outlines:
            cv2.fillPoly(result, [fixed(outline - 0.5)], (0, 0, 0), cv2.LINE_8, SHIFT)
        return result

    # -- misbehaviour --------------------------------------------------------------------------------------------------

    def request(
        self, what: str | Request, piece: str | None = None, distance_mm: float | None = None, count: int = 10
    ) -> None:
        """Ask for something to go wrong, or right again. Unknown words are refused with a list of those known."""
        try:
            wish = Request(what)
        except ValueError:
            known = ", ".join(Request)
            raise ValueError(f"the simulated table cannot '{what}'; it knows: {known}") from None
        with self._lock:
            self._grant(wish, piece, distance_mm, count)

    def _grant(self, wish: Request, piece: str | None, distance_mm: float | None, count: int) -> None:
        if wish is Request.SLIP:
            self.sitting.slip_wanted = True
        elif wish is Request.NUDGE:
            self._nudge(piece, distance_mm)
        elif wish in (Request.LAMP_OFF, Request.LAMP_ON):
            self._dark = wish is Request.LAMP_OFF
            self._cast = Cast()
            self._note("light", what=str(wish))
        elif wish in (Request.WARM, Request.COOL):
            self._cast = WARM if wish is Request.WARM else COOL
            self._note("light", what=str(wish))
        elif wish in (Request.BLUR, Request.SHARP):
            self._blurred = wish is Request.BLUR
        elif wish in (Request.FREEZE, Request.THAW):
            self._freeze, self._frozen = wish is Request.FREEZE, None
        elif wish is Request.DROP:
            self._dropped += count
        else:
            self._lost = wish is Request.LOSE_CAMERA

    def _note(self, kind: str, **more: Any) -> None:
        self.sitting.story.events.append({"kind": kind, "t": round(self.t_s, 3), **more})

    def _nudge(self, piece: str | None, distance_mm: float | None) -> None:
        """Push a board, with everything that lies on it."""
        boards = [name for name, spot in self._arrangement.spots.items() if spot.piece.frame != "polygon"]
        name = piece or boards[int(self._rng.integers(len(boards)))]
        if name not in self._arrangement.spots:
            raise ValueError(f"there is no piece '{name}' to nudge; there are: {', '.join(boards)}")
        away = float(self._rng.uniform(*NUDGE_MM)) if distance_mm is None else distance_mm
        angle, turn = float(self._rng.uniform(0, 2 * math.pi)), float(self._rng.uniform(-0.02, 0.02))
        before = self._arrangement
        ways = [
            before.moved(name, away * math.cos(angle + aside), away * math.sin(angle + aside), turn)
            for aside in NUDGED_ASIDE
        ]
        # A board that is pushed against another one slides off: none comes to lie upon another.
        free = before.overlap_mm2(name) + 1.0
        self._arrangement = next((way for way in ways if way.overlap_mm2(name) <= free), before)
        self._seen_areas = None
        self._top.arrangement = self._arrangement
        for number, thing in list(self._top.resting.items()):
            self._top.resting[number] = self._top.followed(thing, before)
        self._scene.rearrange(self._arrangement)
        self._note("nudge", piece=name, distance_mm=round(away, 1))
