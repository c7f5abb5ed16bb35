"""One game as it is followed: journal, belief, slips and the open question. Owned by the table's thread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.catalogue import PlayedGame
from companion.reconcile.belief import (
    Answer,
    Asked,
    Confirmed,
    Event,
    SlipCleared,
    SlipRaised,
    TakenBack,
    Verdict,
    Withdrawn,
)
from companion.reconcile.reconciler import Reconciler
from companion.reconcile.start import position_like
from companion.runtime.gate import MOVING
from companion.runtime.heights import HeightQuestion, open_questions
from companion.runtime.kept import KeptLooks
from companion.runtime.overrule import Overruled
from companion.store.games import SeatRow
from engine.api import State
from engine.errors import EngineError
from engine.journal import Entry, Journal, Kind, Source, add
from engine.replay import Replay, advance, replay
from engine.types import Slip
from vision.reading import Observation

NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Alert:
    """A slip that lies on the table."""

    id: str
    event: str
    """What the reconciler calls it; several slips that were raised together share it."""
    slip: Slip
    table: Mapping[str, Any]
    """What lies differently from the agreed position."""
    meant: Any
    """The legal move that was most likely meant, or None."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, under a name that no earlier question had."""

    id: str
    asked: Asked

    @property
    def places(self) -> tuple[str, ...]:
        return self.asked.places


@dataclass(slots=True)
class Sitting:
    """A game under way."""

    number: int
    """Its number in the store."""
    play: PlayedGame
    seats: tuple[SeatRow, ...]
    journal: Journal
    played: Replay = field(init=False)
    alerts: list[Alert] = field(default_factory=list)
    question: Question | None = None
    verdict: Verdict = Verdict.UNCHANGED
    overruled: Overruled = field(default_factory=Overruled)
    kept: KeptLooks = field(default_factory=KeptLooks)
    reconciler: Reconciler | None = None
    slot_ns: dict[int, int] = field(default_factory=dict)
    """When each step was settled, on the camera's clock; only for steps of this run."""
    _is_cleared: bool = False
    """After the end, whether something has been taken away."""
    _generation: int = 0
    _zero_ns: int | None = None
    _offset_s: float = 0.0
    _now_ns: int = 0
    _heights: tuple[Replay, tuple[HeightQuestion, ...]] | None = None

    def __post_init__(self) -> None:
        self.played = replay(self.play.game, self.journal)
        self._offset_s = self.journal.entries[-1].t_seconds if self.journal.entries else 0.0

    @property
    def state(self) -> State:
        """The agreed position."""
        return self.played.state

    @property
    def heights(self) -> tuple[HeightQuestion, ...]:
        """What nobody but the players can count, as long as it counts."""
        if self._heights is None or self._heights[0] is not self.played:
            self._heights = (self.played, open_questions(self.play.game, self.played, f"g{self.number}.height"))
        return self._heights[1]

    @property
    def asking(self) -> Question | HeightQuestion | None:
        """What people are asked now: what happened before how many there are."""
        return self.question or next(iter(self.heights), None)

    @property
    def is_over(self) -> bool:
        return bool(self.play.game.is_over(self.state))

    @property
    def t_s(self) -> float:
        """Seconds since the sitting began, as of the last frame."""
        if self._zero_ns is None:
            return self._offset_s
        return round(self._offset_s + (self._now_ns - self._zero_ns) / NS_PER_S, 3)

    # -- frames ----------------------------------------------------------------------------------------------

    def observe(self, observation: Observation) -> bool:
        """Take one frame into account; True when anything that people see has changed."""
        self._now_ns = observation.captured_ns
        if self._zero_ns is None:
            self._zero_ns = self._now_ns
        if self.is_over:
            return self._watch_on(observation)
        if observation.why == MOVING:
            if self.reconciler is not None:
                self.reconciler.pass_over(self._now_ns)
            return self._pause()
        self.kept.note(observation)
        before = (self.verdict, self.journal, tuple(self.alerts), self.question)
        self._look(observation)
        return before != (self.verdict, self.journal, tuple(self.alerts), self.question)

    def _watch_on(self, observation: Observation) -> bool:
        """After the end: whether somebody plays on. Once anything has been taken away the table is being cleared, and
        nothing more is said of it."""
        if self.reconciler is None or self._is_cleared:
            return False
        if observation.why == MOVING:
            self.reconciler.pass_over(self._now_ns)
            return False
        before = tuple(self.alerts)
        update = self.reconciler.observe(self.overruled.filter(observation))
        self._is_cleared = bool(observation.turned) or not self.reconciler.is_only_added_to()
        self.take(
            event for event in update.events
            if isinstance(event, SlipCleared) or (isinstance(event, SlipRaised) and not self._is_cleared)
        )
        return before != tuple(self.alerts)

    def _pause(self) -> bool:
        """Something moves: nothing is read, and no alarm is raised or withdrawn."""
        before = self.verdict
        if before in (Verdict.UNCHANGED, Verdict.CONFIRMED):
            self.verdict = Verdict.IN_PROGRESS
        return self.verdict is not before

    def _look(self, observation: Observation) -> None:
        if self.reconciler is None:
            if not observation.trusted:
                return
            self._start(observation)
        assert self.reconciler is not None
        update = self.reconciler.observe(self.overruled.filter(observation))
        self.take(update.events)
        if observation.trusted:
            self.verdict = update.belief.verdict

    def _start(self, observation: Observation) -> None:
        kinds = {name: place.kind for name, place in self.play.layout.places.items() if name in observation.readings}
        self._generation += 1
        self.reconciler = Reconciler(self.play.game, kinds, self.state)

    def take(self, events: Iterable[Event]) -> None:
        """Note what the reconciler has come to know."""
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        if isinstance(event, Confirmed):
            self._confirm(event)
        elif isinstance(event, TakenBack):
            self._take_back(event)
        elif isinstance(event, SlipRaised):
            self._raise(event)
        elif isinstance(event, SlipCleared):
            self.alerts = [alert for alert in self.alerts if alert.event != self._named(event.id)]
        elif isinstance(event, Asked):
            self.question = Question(self._named(event.id), replace(event, answers=self._all_answers(event)))
        elif isinstance(event, Withdrawn) and self.question and self.question.id == self._named(event.id):
            self.question = None

    def _all_answers(self, asked: Asked) -> tuple[Answer, ...]:
        """The answers to a question, and always the one to go on from what lies there: what was thought likely may
        all be wrong."""
        if self.reconciler is None:
            return asked.answers
        table = self.reconciler.shown_table()
        turns = range(1, self.play.players + 1)
        possible = [turn for turn in turns if self.position_with(table, turn) is not None]
        going_on = [Answer(f"t{turn}", "answer.table", turn=turn) for turn in possible]
        return (*asked.answers[:-1], *going_on, *asked.answers[-1:])

    def position_with(self, table: Mapping[str, Any], turn: int) -> State | None:
        """The agreed position with some places otherwise and somebody to move next; None when it cannot be one."""
        whole = {**self.play.game.visible(self.state), **table}
        try:
            return position_like(self.play, self.state, whole, turn)
        except EngineError:
            return None

    def _named(self, event_id: str) -> str:
        """Numbers begin anew with each reconciler; names do not."""
        return f"g{self.number}.{self._generation}.{event_id}"

    def _confirm(self, event: Confirmed) -> None:
        game = self.play.game
        kind = Kind.DEAL if game.player_of(event.move) is None else Kind.MOVE
        confidence = round(1.0 / (1.0 + math.exp(-min(event.evidence, 50.0))), 4)
        self.write(kind, game.format_move(event.move), confidence=confidence)
        self.slot_ns[len(self.journal.entries)] = event.t_ns
        self.question = None

    def _take_back(self, event: TakenBack) -> None:
        """What looked like the last moves were others: they are undone, and told anew by what follows."""
        slots = [line.slot for line in self.played.lines[-len(event.moves):]]
        for slot in reversed(slots):
            self.write(Kind.UNDO, supersedes=slot)

    def _raise(self, event: SlipRaised) -> None:
        name = self._named(event.id)
        for index, slip in enumerate(event.slips, start=1):
            alert_id = name if index == 1 else f"{name}.{index}"
            self.alerts.append(Alert(alert_id, name, slip, dict(event.table), event.meant))
            self.write(Kind.SLIP, slip.slug, data={
                "player": slip.player, "places": list(slip.places), "rule": slip.rule,
                "severity": slip.severity.value, "params": dict(slip.params),
            })

    # -- the journal -----------------------------------------------------------------------------------------

    def write(
        self, kind: Kind, notation: str = "", *, source: Source = Source.CAMERA, confidence: float = 1.0,
        supersedes: int | None = None, data: Mapping[str, Any] | None = None,
    ) -> Entry:
        """One more entry, played at once."""
        self.journal = add(
            self.journal, kind, notation, source=source, confidence=confidence, t_seconds=self.t_s,
            supersedes=supersedes, data=data,
        )
        self.played = advance(self.play.game, self.played, self.journal)
        return self.journal.entries[-1]

    def let_go(self) -> None:
        """Forget all that is not agreed on: the table is followed anew from the next look on."""
        self.reconciler, self.question, self.alerts, self.verdict = None, None, [], Verdict.UNCHANGED
        self._is_cleared = False

    def restart(self, since_ns: int | None = None) -> None:
        """Follow the table anew from the agreed position, taking into account what was seen since a moment."""
        self.let_go()
        looks: Sequence[Observation] = list(self.kept.since(since_ns)) if since_ns is not None else []
        last = self.kept.last()
        if not looks and last is not None:
            looks = [last]
        for look in looks:
            if self.is_over:
                break
            self._look(look)


def visible_changes(sitting: Sitting, before: State, after: State) -> dict[str, tuple[Any, Any]]:
    """Each place that looks different in two positions, with both contents."""
    was, now = sitting.play.game.visible(before), sitting.play.game.visible(after)
    return {place: (was.get(place), content) for place, content in now.items() if was.get(place) != content}

