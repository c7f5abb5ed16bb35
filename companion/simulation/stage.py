"""Time at the simulated table: hands that move, things that travel with them, and who waits for what.

Everything that happens is a generator that yields the seconds until it goes on; the stage lets simulated time pass.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.simulation.hands import Hand, behind
from companion.simulation.things import TableTop, Thing

Task = Generator[float, None, None]
"""Something that happens; yields seconds to wait."""

POLL_S = 0.1
SHOULDER_MM = 1000.0
"""How far behind its player's seat an arm comes from."""


@dataclass(slots=True)
class Actor:
    """A player's hand on its way from one point to the next."""

    player: int
    shoulder: tuple[float, float]
    home: tuple[float, float]
    start: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """x, y, lift in millimetres and the second it left there."""
    end: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """The same of where it is going."""
    out: bool = True
    """True while it is away from the table."""
    carried: list[Thing] = field(default_factory=list)
    pushed: list[tuple[Thing, Thing]] = field(default_factory=list)
    """Things that slide with the hand: as they lay, as they will lie."""

    def share(self, t_s: float) -> float:
        """How much of the way is behind it, 0 to 1, gently started and stopped."""
        span = self.end[3] - self.start[3]
        share = 1.0 if span <= 0 else min(1.0, max(0.0, (t_s - self.start[3]) / span))
        return share * share * (3 - 2 * share)

    def hand(self, t_s: float) -> Hand:
        """The hand at a moment."""
        share = self.share(t_s)
        x, y, lift = (a + (b - a) * share for a, b in zip(self.start[:3], self.end[:3], strict=True))
        arc = 0.0 if self.pushed else 18.0 * math.sin(math.pi * share)
        return Hand(self.player, x, y, lift + arc, self.shoulder[0], self.shoulder[1])

    def moving(self, t_s: float) -> list[Thing]:
        """What travels with the hand at a moment."""
        share, hand = self.share(t_s), self.hand(t_s)
        things = []
        for index, thing in enumerate(self.carried):
            step = thing.item.size_mm * 0.8
            dx, dy = (index % 3 - 1) * step, (index // 3) * step
            back = math.atan2(self.shoulder[1] - hand.y_mm, self.shoulder[0] - hand.x_mm)
            x = hand.x_mm - dx * math.sin(back) + (dy + 4) * math.cos(back)
            y = hand.y_mm + dx * math.cos(back) + (dy + 4) * math.sin(back)
            things.append(replace(thing, x_mm=x, y_mm=y, z_mm=4.0 + hand.lift_mm))
        for before, after in self.pushed:
            things.append(replace(
                after,
                x_mm=before.x_mm + (after.x_mm - before.x_mm) * share,
                y_mm=before.y_mm + (after.y_mm - before.y_mm) * share,
                turn_rad=before.turn_rad + (after.turn_rad - before.turn_rad) * share,
            ))
        return things


@dataclass(order=True, slots=True)
class _Waiting:
    wake_s: float
    number: int
    task: Task = field(compare=False)


class Stage:
    """The table top, the hands above it and the clock of the simulated evening."""

    def __init__(self, top: TableTop, homes: Mapping[int, tuple[float, float]]) -> None:
        self.top = top
        self.t_s = 0.0
        self.half_done = 0
        """How many moves are under way: tiles taken and not yet laid."""
        self._waiting: list[_Waiting] = []
        self._number = 0
        self._running: set[int] = set()
        self.actors = {
            player: Actor(
                player, behind(seat.x_mm, seat.y_mm, seat.turn_rad, SHOULDER_MM),
                homes[player],
            )
            for player, seat in top.arrangement.seats.items()
        }

    # -- tasks ------------------------------------------------------------------------------------------------

    def start(self, task: Task) -> int:
        """Let something begin now; its number."""
        self._number += 1
        self._running.add(self._number)
        heapq.heappush(self._waiting, _Waiting(self.t_s, self._number, task))
        return self._number

    def together(self, tasks: Iterable[Task]) -> Task:
        """Several things at once; goes on when the last is done."""
        numbers = [self.start(task) for task in tasks]
        while any(number in self._running for number in numbers):
            yield POLL_S

    def advance(self, t_s: float) -> None:
        """Let time pass up to a moment."""
        while self._waiting and self._waiting[0].wake_s <= t_s:
            waiting = heapq.heappop(self._waiting)
            self.t_s = max(self.t_s, waiting.wake_s)
            try:
                pause = next(waiting.task)
            except StopIteration:
                self._running.discard(waiting.number)
                continue
            heapq.heappush(self._waiting, _Waiting(self.t_s + max(0.0, pause), waiting.number, waiting.task))
        self.t_s = max(self.t_s, t_s)

    def next_event_s(self) -> float | None:
        """When something happens next; None when nothing will."""
        return self._waiting[0].wake_s if self._waiting else None

    # -- what can be seen ----------------------------------------------------------------------------------------

    def hands(self) -> list[Hand]:
        """The hands above the table now."""
        return [actor.hand(self.t_s) for actor in self.actors.values() if not actor.out]

    def moving(self) -> list[Thing]:
        """What is carried or pushed now."""
        return [thing for actor in self.actors.values() for thing in actor.moving(self.t_s)]

    @property
    def settled(self) -> bool:
        """Nothing moves and no move is half done."""
        return self.half_done == 0 and all(actor.out for actor in self.actors.values())

    # -- what a hand can do ----------------------------------------------------------------------------------------

    def move(self, actor: Actor, x_mm: float, y_mm: float, seconds: float, lift_mm: float = 0.0) -> Task:
        """Move a hand; whatever it carries comes along."""
        now = actor.hand(self.t_s)
        if actor.out:
            now = Hand(actor.player, *actor.home, 40.0, *actor.shoulder)
            actor.out = False
        actor.start = (now.x_mm, now.y_mm, now.lift_mm, self.t_s)
        actor.end = (x_mm, y_mm, lift_mm, self.t_s + seconds)
        yield seconds

    def withdraw(self, actor: Actor, seconds: float) -> Task:
        """Take the hand from the table with whatever is in it."""
        if actor.out:
            return
        yield from self.move(actor, *actor.home, seconds, 40.0)
        actor.carried.clear()
        actor.out = True

    def lift(self, actor: Actor, numbers: Sequence[int]) -> None:
        """Take things into the hand."""
        actor.carried.extend(self.top.lift(number) for number in numbers)

    def push(self, actor: Actor, pairs: Sequence[tuple[Thing, Thing]], seconds: float) -> Task:
        """Push things to where the second of each pair lies."""
        for before, _ in pairs:
            self.top.lift(before.id)
        xs, ys = [after.x_mm for _, after in pairs], [after.y_mm for _, after in pairs]
        actor.pushed = list(pairs)
        arrangement = self.top.arrangement
        yield from self.move(actor, sum(xs) / len(xs), sum(ys) / len(ys), seconds)
        actor.pushed = []
        for _, after in pairs:
            self.top.lay(self.top.followed(after, arrangement))
