"""The one thread that owns the table: the game, the belief, the journal and the store."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from companion.catalogue import PlayedGame, played_game
from companion.config import Settings
from companion.health import Facts, check_all
from companion.reconcile.start import starting_state
from companion.record import Recorder
from companion.runtime.crops import Crops
from companion.runtime.heights import settle as settle_heights
from companion.runtime.lookups import look_up
from companion.runtime.loop import CameraLoop, brightness
from companion.runtime.messages import CameraNews, Inbox, Order, Seen, Stop, settle
from companion.runtime.orders import obey, seats_from
from companion.runtime.setup import Wizard
from companion.runtime.sitting import Sitting
from companion.runtime.snapshot import SnapshotBuilder, Surroundings
from companion.runtime.sources import Source, Wanted
from companion.runtime.tables import Tables
from companion.store.games import GameRow, GameStore, SeatRow
from engine.errors import EngineError
from engine.journal import Header, Journal, Kind
from engine.registry import Games
from vision.calibration import Calibration
from vision.camera import Relightable
from vision.frame import Image
from web.contract import Reply, Snapshot

HEALTH_EVERY_S = 5.0
LIGHT_RATIO = 0.75
"""Between rounds the camera settles anew when the light is less than this share of what it was, or as much more."""
VERSIONS_A_BOOT = 1 << 32
"""Each start of the companion counts its snapshots from a higher number than the one before."""

log = logging.getLogger(__name__)

Listener = Callable[[Snapshot], None]


class Table:
    """Owns everything that changes. Its methods are called in its own thread, except where they say otherwise."""

    def __init__(self, settings: Settings, games: Games, store: GameStore, source: Source) -> None:
        self.settings, self.games, self.store, self.source = settings, games, store, source
        self.inbox = Inbox()
        self.loop = CameraLoop(self.inbox, settings.fps, settings.still_fps)
        self.crops = Crops()
        self.tables = Tables(settings.data_folder / "tables")
        self.wizard = Wizard(self.tables, lambda play: source.propose(play, self.still()), self.still)
        self.recorder = Recorder(settings.data_folder / "recordings", settings.record_mb)
        self.sitting: Sitting | None = None
        self.calibration: Calibration | None = None
        self.camera_detail = ""
        self._saved_entries = 0
        self._ended = False
        self._next_game_s: float | None = None
        self._around = Surroundings(source.kind)
        self._builder = SnapshotBuilder(self.crops.has)
        self._boot = _boot_number(store)
        self._version = self._boot * VERSIONS_A_BOOT
        self._snapshot = self._builder.idle(self._version, self._around)
        self._listeners: list[Listener] = []
        self._listening = threading.Lock()
        self._health_s = 0.0
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)
        self.failure: BaseException | None = None
        """What ended the thread, if it did not end by being told to."""

    # -- from any thread --------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Resume the game that was under way, or begin, and follow it."""
        self.resume()
        self.publish()
        self.loop.start()
        self._thread.start()

    def stop(self, timeout_s: float = 0.8) -> bool:
        """End both threads; what was agreed is on the disk already. False when one of them is still busy (with setting
        a table up, or with a device that hangs)."""
        self.inbox.put(Stop())
        ended = self.loop.stop(timeout_s / 2)
        if self._thread.ident is not None:
            self._thread.join(timeout_s / 2)
        if self._thread.is_alive():
            return False
        self.recorder.stop()
        self.store.close()
        return ended

    def still(self) -> Image | None:
        """The camera's picture of this moment, unmasked: for setting up, never for showing."""
        latest = self.loop.latest
        return None if latest is None else latest[1].image

    def relight(self) -> bool:
        """Let the camera settle on the light that there is now; False for a camera that has no say in it."""
        latest = self.loop.latest
        camera = None if latest is None else latest[0].camera
        if not isinstance(camera, Relightable):
            return False
        camera.relight()
        return True

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        with self._listening:
            self._listeners = [*self._listeners, listener]

        def leave() -> None:
            with self._listening:
                self._listeners = [each for each in self._listeners if each is not listener]

        return leave

    # -- the thread -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            message = self.inbox.get(0.5)
            if isinstance(message, Stop):
                return
            if isinstance(message, Seen):
                self._see(message)
            elif isinstance(message, CameraNews):
                self._hear(message)
            elif isinstance(message, Order):
                self._serve(message)
            self._tend()

    def _serve(self, order: Order) -> None:
        """An order that goes wrong is told to whoever gave it; the table goes on."""
        try:
            answer = (look_up if order.is_query else obey)(self, order.name, order.arguments)
        except EngineError as error:
            answer = None if order.is_query else Reply(False, "refused.rules", {"detail": str(error)})
        except Exception:
            log.exception("the order '%s' failed", order.name)
            answer = None if order.is_query else Reply(False, "error.unexpected")
        if not order.is_query:
            self.save()
            self.publish()
        settle(order, answer)

    def _see(self, seen: Seen) -> None:
        sitting = self.sitting
        if sitting is None or seen.rig.layout is not sitting.play.layout:
            return
        if seen.reality is not None:
            self.store.set_simulated(sitting.number, seen.rig.seed, seen.reality)
        entries = len(sitting.journal.entries)
        if not entries and sitting.reconciler is None and self.source.kind != "simulated":
            self._begin_where_it_lies(sitting, seen)
        if self.recorder.wanted is not None:
            wanted, self.recorder.wanted = self.recorder.wanted, None
            self.recorder.begin(sitting, (seen.rig, seen.frame, seen.observation), wanted)
        self.recorder.note(seen)
        self.crops.look(seen)
        round_before = sitting.play.game.round(sitting.state)
        if self._follow(sitting, seen) or len(sitting.journal.entries) > entries:
            if (sitting.play.game.round(sitting.state) != round_before and self.calibration is not None
                    and is_other_light(self.calibration.reference, self.loop.vitals.brightness)):
                self.relight()
            self.crops.keep(sitting)
            self.save()
            self.publish()

    def _follow(self, sitting: Sitting, seen: Seen) -> bool:
        """Take a frame into account; whether anything that people see has changed. A frame that cannot be followed
        costs what was not agreed on yet, never the game."""
        try:
            return sitting.observe(seen.observation)
        except Exception:
            log.exception("a look at the table could not be followed; the game goes on from the last agreed move")
            sitting.let_go()
            return True

    def _begin_where_it_lies(self, sitting: Sitting, seen: Seen) -> None:
        """A game that is under way already when the camera first sees it is taken up from there."""
        observation = seen.observation
        if not observation.trusted or observation.hand:
            return
        header = sitting.journal.header
        try:
            state = starting_state(sitting.play, header.start_player, observation, seen.rig.start.get("position"),
                                   seen.rig.start.get("turns"))
        except EngineError as error:
            log.warning("the table could not be taken up as it lies: %s", error)
            return
        if state != sitting.state:
            state, heights = settle_heights(sitting.play.game, None, state)
            sitting.write(Kind.POSITION, sitting.play.game.format_position(state), confidence=0.5, data=heights)

    def _hear(self, news: CameraNews) -> None:
        if news.state == "ended":
            if self.source.kind == "simulated":
                self._next_game_s = time.monotonic() + self.settings.pause_s
            return
        self.camera_detail = news.detail
        self._around = replace(self._around, camera=news.state)
        self._health_s = 0.0
        self.publish()

    def _tend(self) -> None:
        """What is done now and then: checks, and the next game on the simulated table."""
        now_s = time.monotonic()
        if now_s - self._health_s >= HEALTH_EVERY_S:
            self._health_s = now_s
            self.check_health()
        if self._next_game_s is not None and now_s >= self._next_game_s and self.settings.pause_s > 0:
            self._next_game_s = None
            if self.sitting is not None and self.sitting.is_over:
                self._again(self.sitting)

    def check_health(self) -> None:
        """Look after everything; publishes when something has changed."""
        views = check_all(self.facts())
        around = replace(self._around, health=views, recording=self.recorder.on)
        if around != self._around:
            self._around = around
            self.publish()

    def facts(self) -> Facts:
        """What the health checks look at."""
        return Facts(
            camera=self._around.camera, camera_detail=self.camera_detail, source=self.source.kind,
            vitals=self.loop.vitals, calibrated_s=self.tables.saved_s, calibration=self.calibration,
            folder=self.settings.data_folder, troubles=tuple(self.store.troubles), lasting=self.store.lasting,
            recording_full=self.recorder.full,
        )

    # -- games ------------------------------------------------------------------------------------------------------

    def resume(self) -> None:
        """Go on with the game that was under way, or begin the one that the source brings along."""
        row = None if self.source.kind == "recording" else self.store.unfinished()
        if row is not None:
            try:
                self._take_up(row)
                return
            except EngineError as error:
                log.error("game %d cannot go on: %s", row.number, error)
                self.store.end(row.number, time.time(), None)
        ready = self.source.ready()
        if ready is None:
            self.loop.use(lambda: self.source.rig(None))
        else:
            seats = seats_from([{"name": name, **({"colour": colour} if colour else {})}
                                for name, colour in ready.seats])
            self.begin(ready.play, seats, ready.start_player)

    def _take_up(self, row: GameRow) -> None:
        header = row.header
        play = played_game(header.game, len(header.players), header.options)
        journal = self.store.journal(row)
        sitting = Sitting(row.number, play, row.seats, journal)
        self.sitting, self._saved_entries = sitting, len(journal.entries)
        self._ended = False
        seed, state = None, None
        if self.source.kind == "simulated":
            stored = self.store.simulated(row.number)
            if stored is not None:
                seed, state = stored[0], play.game.from_json(stored[1])
            elif journal.entries:
                state = sitting.state
        self.watch(Wanted(play, header.start_player, seed, row.number - 1, state))

    def begin(self, play: PlayedGame, seats: list[SeatRow], start_player: int) -> None:
        """A new game; one that was under way is kept as it is and counts as ended."""
        play.game.new(play.players, play.options, start_player)
        self.finish()
        header = Header(play.game.id, tuple(seat.name for seat in seats), dict(play.options), start_player)
        number = self.store.begin(header, seats, time.time())
        self.sitting = Sitting(number, play, tuple(seats), Journal(header))
        self._saved_entries, self._ended = 0, False
        self._next_game_s = None
        self.watch(Wanted(play, start_player, evening=number - 1))

    def watch(self, wanted: Wanted) -> None:
        """Point the camera at a game."""
        if self.source.needs_setup:
            self.calibration = self.wizard.calibration_for(wanted.play) or self.tables.last_for(wanted.play)
            wanted = replace(wanted, calibration=self.calibration)
        self.wizard.done()
        self.loop.use(lambda: self.source.rig(wanted))

    def _again(self, sitting: Sitting) -> None:
        """The same people play once more; the next one begins."""
        start = sitting.journal.header.start_player % sitting.play.players + 1
        self.begin(sitting.play, list(sitting.seats), start)
        self.publish()

    def finish(self) -> None:
        """The game under way ends here, whatever it has come to."""
        if self.sitting is not None and not self._ended:
            self.save()
            self.store.end(self.sitting.number, time.time(), self._summary(self.sitting))
        self.sitting, self._ended = None, False
        self.crops.clear()

    def _summary(self, sitting: Sitting) -> Mapping[str, Any]:
        return self._builder.build(self._version, sitting, replace(self._around, health=())).to_json()

    # -- keeping and telling ----------------------------------------------------------------------------------------

    def save(self) -> None:
        """Everything that was agreed goes to the disk before anybody is told."""
        sitting = self.sitting
        if sitting is None:
            return
        fresh = sitting.journal.entries[self._saved_entries :]
        if fresh:
            lasting = self.store.lasting
            self.store.append(sitting.number, fresh)
            self._saved_entries = len(sitting.journal.entries)
            if lasting != self.store.lasting:
                self._health_s = 0.0
        if sitting.is_over != self._ended:
            self._ended = sitting.is_over
            self.store.end(sitting.number, time.time() if self._ended else None,
                           self._summary(sitting) if self._ended else None)

    def publish(self) -> None:
        """Build the snapshot of this moment and hand it to everybody."""
        self._version += 1
        around = replace(self._around, recording=self.recorder.on)
        snapshot = (self._builder.idle(self._version, around) if self.sitting is None
                    else self._builder.build(self._version, self.sitting, around))
        self._snapshot = snapshot
        for listener in self._listeners:
            listener(snapshot)


def is_other_light(then: Image, now: float | None) -> bool:
    """Whether the table is much darker or brighter than when it was set up: dusk, or a lamp switched on."""
    before = brightness(then)
    return now is not None and not before * LIGHT_RATIO <= now <= before / LIGHT_RATIO


def _boot_number(store: GameStore) -> int:
    boots = int(store.fact("boots") or 0) + 1
    store.set_fact("boots", boots)
    return boots if store.lasting else int(time.time()) % (1 << 20)
