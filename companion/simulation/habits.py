"""How people do what a move asks for: reaching, taking, pushing the rest, laying tiles one by one or all at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from companion.simulation.choreography import Transfer, Way
from companion.simulation.stage import Actor, Stage, Task
from companion.simulation.things import Thing
from companion.simulation.turning import turn_piece
from vision.reading import Kind

HANDFUL = 6
"""So many things are swept up at once."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long people take, in simulated seconds."""

    think_s: tuple[float, float] = (1.5, 5.0)
    """Between moves, from and to."""
    reach_mm_per_s: float = 620.0
    reach_least_s: float = 0.35
    lay_s: tuple[float, float] = (0.25, 0.6)
    """Between two tiles that are laid."""
    look_s: tuple[float, float] = (5.0, 9.0)
    """Until somebody notices a slip, or has read about it on a phone."""

    def hurried(self, factor: float) -> Pace:
        """The same people, so many times quicker in what they do."""
        return Pace(
            (self.think_s[0] / factor, self.think_s[1] / factor), self.reach_mm_per_s * factor,
            self.reach_least_s / factor, (self.lay_s[0] / factor, self.lay_s[1] / factor),
            (self.look_s[0] / factor, self.look_s[1] / factor),
        )


class Habits:
    """Turns transfers into what one hand does, as tasks for the stage."""

    def __init__(self, stage: Stage, pace: Pace, rng: Random) -> None:
        self._stage = stage
        self._pace = pace
        self._rng = rng

    def perform(self, player: int, transfers: Sequence[Transfer]) -> Task:
        """One player's hand does all of it and leaves."""
        actor = self._stage.actors[player]
        self._stage.half_done += 1
        yield from self._turn([t for t in transfers if t.way is Way.TURN and t.number is None])
        yield from self._take_and_lay(actor, transfers)
        yield from self._bring(actor, [t for t in transfers if t.way is Way.BRING])
        yield from self._turn([t for t in transfers if t.way is Way.TURN and t.number is not None])
        yield from self._remove(actor, [t for t in transfers if t.way in (Way.REMOVE, Way.ASIDE)])
        yield from self._slide(actor, [t for t in transfers if t.way is Way.SLIDE])
        yield from self._stage.withdraw(actor, self._seconds(actor, actor.home))
        self._stage.half_done -= 1

    def deal(self, player: int, transfers: Sequence[Transfer]) -> Task:
        """A refill: place after place, a handful each, back to the bag now and then."""
        actor = self._stage.actors[player]
        self._stage.half_done += 1
        others = [t for t in transfers if t.way is not Way.BRING]
        by_place: dict[str, list[Transfer]] = {}
        for transfer in transfers:
            if transfer.way is Way.BRING and transfer.target is not None:
                by_place.setdefault(transfer.target, []).append(transfer)
        yield from self._turn([t for t in others if t.way is Way.TURN])
        yield from self._take_and_lay(actor, others)
        yield from self._remove(actor, [t for t in others if t.way in (Way.REMOVE, Way.ASIDE)])
        yield from self._slide(actor, [t for t in others if t.way is Way.SLIDE])
        for count, place in enumerate(by_place):
            yield from self._bring(actor, by_place[place])
            if count % 2 == 1:
                yield from self._stage.withdraw(actor, self._seconds(actor, actor.home))
        yield from self._stage.withdraw(actor, self._seconds(actor, actor.home))
        self._stage.half_done -= 1

    def turn_board(self, player: int, piece: str, degrees: float, back: bool = False) -> Task:
        """Take a board by its edge and turn it with all that lies on it, or turn it back."""
        actor, spot = self._stage.actors[player], self._stage.top.arrangement.spots[piece]
        self._stage.half_done += 1
        corners = [spot.at(u, v) for u, v in ((0.0, 0.5), (1.0, 0.5), (0.5, 0.0), (0.5, 1.0))]
        yield from self._reach(actor, min(corners, key=lambda at: math.dist(at, actor.shoulder)))
        turn_piece(self._stage.top, piece, degrees, back)
        yield self._rng.uniform(*self._pace.lay_s)
        yield from self._stage.withdraw(actor, self._seconds(actor, actor.home))
        self._stage.half_done -= 1

    def tidy(self, player: int) -> Task:
        """Straighten something that lies on one of the player's own boards, or in a shared heap."""
        top = self._stage.top
        mine = [
            thing for thing in top.resting.values()
            if thing.place is not None and top.layout.places[thing.place].kind is Kind.SLOT
            and top.arrangement.spots[top.layout.places[thing.place].piece].piece.player in (player, None)
        ]
        if not mine:
            return
        thing = self._rng.choice(sorted(mine, key=lambda thing: thing.id))
        actor = self._stage.actors[player]
        yield from self._reach(actor, (thing.x_mm, thing.y_mm))
        if thing.id in top.resting and thing.place is not None:
            top.lay(top.posed(top.lift(thing.id), thing.place))
        yield self._rng.uniform(*self._pace.lay_s)
        yield from self._stage.withdraw(actor, self._seconds(actor, actor.home))

    # -- parts ---------------------------------------------------------------------------------------------------

    def _seconds(self, actor: Actor, to: tuple[float, float]) -> float:
        now = actor.hand(self._stage.t_s)
        start = actor.home if actor.out else (now.x_mm, now.y_mm)
        seconds = self._pace.reach_least_s + math.dist(start, to) / self._pace.reach_mm_per_s
        return seconds * self._rng.uniform(0.85, 1.3)

    def _reach(self, actor: Actor, to: tuple[float, float], lift_mm: float = 0.0) -> Task:
        yield from self._stage.move(actor, *to, self._seconds(actor, to), lift_mm)

    def _take_and_lay(self, actor: Actor, transfers: Sequence[Transfer]) -> Task:
        """From each source take what is carried and push the rest; then lay what is in the hand."""
        carries = [t for t in transfers if t.way is Way.CARRY and t.number is not None]
        pushes = [t for t in transfers if t.way is Way.PUSH and t.number is not None]
        near = [t for t in carries if self._short(t)]
        far = [t for t in carries if not self._short(t)]
        sources: list[str | None] = []
        for transfer in (*pushes, *far):
            if transfer.source not in sources:
                sources.append(transfer.source)
        for source in sources:
            taken, rest = ([t for t in some if t.source == source] for some in (far, pushes))
            yield from self._visit(actor, taken, rest)
        yield from self._lay(actor, far)
        piled = [t for t in near if t.target is not None and self._stage.top.layout.places[t.target].kind is Kind.PILE]
        spread = [t for t in near if t not in piled]
        self._rng.shuffle(spread)
        for transfer in (*spread, *piled):
            yield from self._visit(actor, [transfer], [])
            yield from self._lay(actor, [transfer])

    def _short(self, transfer: Transfer) -> bool:
        """Moved within one piece: done one after another, like wall-tiling."""
        places = self._stage.top.layout.places
        if transfer.source is None or transfer.target is None:
            return False
        return places[transfer.source].piece == places[transfer.target].piece

    def _visit(self, actor: Actor, carried: Sequence[Transfer], pushed: Sequence[Transfer]) -> Task:
        top = self._stage.top
        numbers = [t.number for t in carried if t.number in top.resting]
        rest = [t for t in pushed if t.number in top.resting]
        things = [top.resting[number] for number in (*numbers, *(t.number for t in rest)) if number is not None]
        if not things:
            return
        yield from self._reach(actor, _middle(things))
        yield self._rng.uniform(*self._pace.lay_s)
        self._stage.lift(actor, [number for number in numbers if number is not None])
        if rest:
            yield from self._push(actor, rest)

    def _push(self, actor: Actor, rest: Sequence[Transfer]) -> Task:
        """Push the rest over the table, each to a free spot near where it came from."""
        top = self._stage.top
        pairs: list[tuple[Thing, Thing]] = []
        for transfer in rest:
            if transfer.number is None or transfer.target is None:
                continue
            before = top.resting[transfer.number]
            # Laid for a moment, so that the next one finds another free spot.
            after = replace(top.posed(before, transfer.target, near=(before.x_mm, before.y_mm)), look=transfer.look)
            top.lift(before.id)
            top.lay(after)
            pairs.append((before, after))
        for before, after in pairs:
            top.lift(after.id)
            top.lay(before)
        yield from self._stage.push(actor, pairs, self._pace.reach_least_s * self._rng.uniform(1.2, 2.0))

    def _lay(self, actor: Actor, transfers: Sequence[Transfer]) -> Task:
        """Lay what the hand carries: one by one, or several at a time."""
        several = self._rng.random() < 0.35
        places = self._stage.top.layout.places
        by_piece = sorted(transfers, key=lambda t: (places[t.target].piece if t.target else "",))
        last: str | None = None
        for transfer in by_piece:
            thing = next((thing for thing in actor.carried if thing.id == transfer.number), None)
            if thing is None or transfer.target is None:
                continue
            arrangement = self._stage.top.arrangement
            laid = self._posed(thing, transfer, actor.player)
            if not (several and last == places[transfer.target].piece):
                yield from self._reach(actor, (laid.x_mm, laid.y_mm))
            last = places[transfer.target].piece
            actor.carried.remove(thing)
            # A board that is nudged under the hand is still where the tile goes.
            self._stage.top.lay(self._stage.top.followed(laid, arrangement))
            if not several:
                yield self._rng.uniform(*self._pace.lay_s)

    def _posed(self, thing: Thing, transfer: Transfer, player: int) -> Thing:
        assert transfer.target is not None
        top = self._stage.top
        dressed = replace(thing, look=transfer.look, track=transfer.track, index=transfer.index)
        spec = top.layout.places[transfer.target]
        if dressed.item.id != spec.item:
            dressed = replace(dressed, item=top.layout.items[spec.item])
        return top.posed(dressed, transfer.target, turn_rad=top.arrangement.seats[player].turn_rad)

    def _bring(self, actor: Actor, transfers: Sequence[Transfer]) -> Task:
        """Lay things that come from outside the table."""
        top = self._stage.top
        made: list[Transfer] = []
        for transfer in transfers:
            if transfer.target is None:
                continue
            thing = top.make(transfer.look, top.layout.places[transfer.target].item)
            actor.carried.append(thing)
            made.append(replace(transfer, number=thing.id))
        yield from self._lay(actor, made)

    def _turn(self, transfers: Sequence[Transfer]) -> Task:
        """Turn things over where they lie; a thing without a number comes to light under another."""
        top = self._stage.top
        for transfer in transfers:
            assert transfer.target is not None
            if transfer.number is None:
                stack = [top.lift(thing.id) for thing in top.things_at(transfer.target)]
                for thing in (top.make(transfer.look, top.layout.places[transfer.target].item), *stack):
                    top.lay(top.posed(thing, transfer.target))
            elif transfer.number in top.resting:
                thing = top.resting[transfer.number]
                lifted = top.lift(transfer.number)
                top.lay(replace(lifted, look=transfer.look, place=thing.place))
            yield 0.0

    def _remove(self, actor: Actor, transfers: Sequence[Transfer]) -> Task:
        """Sweep things up, a handful at a time; what is kept is laid before the player."""
        top = self._stage.top
        things = [top.resting[t.number] for t in transfers if t.number in top.resting and t.number is not None]
        aside = {t.number for t in transfers if t.way is Way.ASIDE}
        things.sort(key=lambda thing: (thing.place or "", thing.id))
        for start in range(0, len(things), HANDFUL):
            some = things[start : start + HANDFUL]
            yield from self._reach(actor, _middle(some))
            self._stage.lift(actor, [thing.id for thing in some])
            yield self._rng.uniform(*self._pace.lay_s)
            for thing in [thing for thing in actor.carried if thing.id in aside]:
                yield from self._lay_aside(actor, thing)
            yield from self._stage.withdraw(actor, self._seconds(actor, actor.home))

    def _lay_aside(self, actor: Actor, thing: Thing) -> Task:
        """In front of the player: between the board and the edge of the table."""
        top = self._stage.top
        own = [spot for spot in top.arrangement.spots.values() if spot.piece.player == actor.player]
        if own:
            x, y = own[0].at(0.5, 1.0 + 16.0 / own[0].size_mm[1])
        else:
            x, y = actor.shoulder
        yield from self._reach(actor, (x, y))
        actor.carried.remove(thing)
        top.lay(replace(thing, x_mm=x, y_mm=y, z_mm=0.0, turn_rad=self._rng.uniform(-3, 3), place=None))

    def _slide(self, actor: Actor, transfers: Sequence[Transfer]) -> Task:
        """Move stones along their tracks."""
        top = self._stage.top
        for transfer in transfers:
            if transfer.number is None or transfer.number not in top.resting or transfer.target is None:
                continue
            stone = top.resting[transfer.number]
            yield from self._reach(actor, (stone.x_mm, stone.y_mm))
            moved = replace(stone, index=transfer.index, track=transfer.track)
            after = top.posed(moved, transfer.target)
            seconds = self._seconds(actor, (after.x_mm, after.y_mm))
            yield from self._stage.push(actor, [(stone, after)], seconds)


def _middle(things: Sequence[Thing]) -> tuple[float, float]:
    return sum(thing.x_mm for thing in things) / len(things), sum(thing.y_mm for thing in things) / len(things)
