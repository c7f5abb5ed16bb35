"""A game that is watched: tables are shown to a reconciler, five times a second or more rarely, without an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from companion.catalogue import PlayedGame
from companion.reconcile.belief import Confirmed, Event
from companion.reconcile.reconciler import Reconciler
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS
from vision.reading import Observation


class Watching:
    """One game, from a position on."""

    def __init__(self, played: PlayedGame, state: Any, every_ns: int = FRAME_NS) -> None:
        self.kinds = {name: place.kind for name, place in played.layout.places.items()}
        self.reconciler = Reconciler(played.game, self.kinds, state)
        self.camera = NoisyCamera(played.layout, Noise(slot_error=0.004, heap_error=0.01), 1)
        self.events: list[Event] = []
        self._frame = 0
        self._every_ns = every_ns

    def next_look(self, table: Mapping[str, Any], hand: bool = False) -> Observation:
        """The next frame, of this table."""
        self._frame += 1
        return self.camera.clear_look(table, self._frame * self._every_ns, hand)

    def pass_over(self, frames: int) -> None:
        """Something moves all the time: no frame is looked at."""
        for _ in range(frames):
            self._frame += 1
            self.reconciler.pass_over(self._frame * self._every_ns)

    def distrust(self, table: Mapping[str, Any], frames: int) -> None:
        """Show a table for some frames that cannot be believed."""
        for _ in range(frames):
            assert not self.reconciler.observe(replace(self.next_look(table), trusted=False)).events

    def watch(self, table: Mapping[str, Any], frames: int, hand: bool = False) -> list[Event]:
        """Look at a table for some frames, and say what came of it."""
        found = [
            event for _ in range(frames) for event in self.reconciler.observe(self.next_look(table, hand)).events
        ]
        self.events += found
        return found


def moves_of(events: Iterable[Event]) -> list[Any]:
    """The moves and deals that were agreed on."""
    return [event.move for event in events if isinstance(event, Confirmed)]


def doubtful(look: Observation, doubts: Mapping[str, Mapping[Any, float]]) -> Observation:
    """A look at which some places were read in doubt: how likely each content seemed there, as log probabilities."""
    read = {place: replace(look.readings[place], parts={"value": dict(odds)}) for place, odds in doubts.items()}
    return replace(look, readings={**look.readings, **read})
