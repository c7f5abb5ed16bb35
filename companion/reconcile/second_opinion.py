"""A second opinion on moves that nobody saw: what lies there later may tell that they were others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from companion.reconcile.belief import Confirmed, TakenBack
from companion.reconcile.parts import Change
from vision.reading import Kind

if TYPE_CHECKING:
    from companion.reconcile.reconciler import Reconciler
    from vision.reading import Observation

FEWEST_UNSEEN = 2
"""So many moves at once may have been others that left the same behind."""
FEWEST_PUZZLING = 2
"""One place that shows what nothing explains is misread; so many of them are not, all at once."""
MOST_SINCE = 6
"""After so many steps more, nobody goes back to before them."""
AGREED_LOOKS = 4
"""For so many looks the other must explain everything."""
MOST_LOOKS = 40
"""It has so many looks for finding out."""
MOST_FAIR = 3
"""Where it searches all the while, it is waited for no longer than so many times as long as usual."""
RESTING_KINDS = (Kind.SLOT, Kind.CELL, Kind.PILE)
"""What is plainly seen on places of these kinds lies there; a heap may be miscounted as long as nobody touches it, and
a chip misread. A place that is plainly bare is, whatever may lie on it."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A position before moves of which nobody saw enough, and the steps that have been agreed on since."""

    state: Any
    steps: tuple[Any, ...] = ()
    covered: frozenset[str] = frozenset()
    """Where the first of them was seen, the places on which something may have followed it at once that nobody saw;
    none where they came to be seen together, or while the table was doubted: then they may all have been others."""
    plain: frozenset[Change] = frozenset()
    """What those of the steps that were seen one by one have laid on somebody's own board: that was there."""
    rests: tuple[Mapping[str, Any], ...] = ()
    """What was plainly seen to lie there each time that some of the steps had been agreed on, place by place …"""
    settled: tuple[Mapping[str, Any], ...] = ()
    """… and what has come to be plainly seen after that."""

    def has_room_for(self, steps: int) -> bool:
        """Whether so many more steps are not too many to go back to before them."""
        return len(self.steps) + steps <= MOST_SINCE

    def followed_by(self, step: Any) -> Unseen | None:
        """The same after one more step; None once too many have followed."""
        return replace(self, steps=(*self.steps, step)) if self.has_room_for(1) else None

    def seen_to_lay(self, changes: Iterable[Change], rest: Mapping[str, Any]) -> Unseen:
        """The same, once the last step was plainly seen to lay something, and with what lay there then."""
        return replace(
            self, plain=self.plain.union(changes), rests=(*self.rests, rest), settled=(*self.settled, {})
        )

    def seen_to_settle(self, rest: Mapping[str, Any]) -> Unseen:
        """The same, with what has come to be plainly seen since the last step."""
        *earlier, last = self.settled
        return replace(self, settled=(*earlier, {**last, **rest}))


class SecondOpinion:
    """Somebody else who looks at the table, and knows only what lay there before those moves."""

    def __init__(self, unseen: Unseen, other: Reconciler) -> None:
        self.unseen = unseen
        self.other = other
        self._found: list[Any] = []
        self._agreed = self.looks = self._all_looks = 0

    def observe(self, observation: Observation) -> None:
        """One more look."""
        update = self.other.observe(observation)
        self.other.stand_by_it()
        for event in update.events:
            if isinstance(event, TakenBack):
                del self._found[len(self._found) - len(event.moves):]
            elif isinstance(event, Confirmed):
                self._found.append(event.move)
        self.looks += not self.other.is_searching
        self._all_looks += 1
        self._agreed = self._agreed + 1 if self._found and self.other.is_content() else 0

    def is_waited_for(self, fair_looks: int) -> bool:
        """Whether nobody is to be accused, or asked, before it has been heard: however long it searches, a table that
        lies there plainly is not left without a word."""
        return self.looks < fair_looks and self._all_looks < MOST_FAIR * fair_looks

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be expected of it."""
        return self.looks >= MOST_LOOKS

    @property
    def steps(self) -> tuple[Any, ...] | None:
        """The steps that explain all that lies there; None while there are none."""
        return tuple(self._found) if self._agreed >= AGREED_LOOKS else None
