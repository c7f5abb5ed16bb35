"""What hands must do to turn what lies on the table into what should lie there, for any game.

A move is the difference between two tables: places that lose something and places that gain. Gains are matched with
losses of the same look, nearest first, so that the tile that is laid is the tile that was taken.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.simulation.faces import Look
from companion.simulation.things import BACK, UNKNOWN, TableTop, Thing, looks, stone_steps
from vision.reading import Kind


class Way(StrEnum):
    """How a thing gets where it belongs."""

    CARRY = "carry"
    """Lifted, carried and laid."""
    PUSH = "push"
    """Pushed over the table, as the rest of a disc is."""
    SLIDE = "slide"
    """A stone moved along its track."""
    TURN = "turn"
    """Turned over, or replaced by what lay hidden, where it lies."""
    BRING = "bring"
    """Brought from outside the table."""
    REMOVE = "remove"
    """Taken away from the table."""
    ASIDE = "aside"
    """Laid before a player, in no place."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One thing and where it goes."""

    way: Way
    look: Look
    """How it looks afterwards."""
    number: int | None
    """The thing; None when it comes from outside."""
    source: str | None
    target: str | None
    track: int = 0
    index: int = 0
    """For a stone, the track and the space it comes to stand on."""


@dataclass(slots=True)
class _Gain:
    place: str
    look: Look


def plan(top: TableTop, wanted: Mapping[str, Any], kept: Collection[tuple[str, ...]] = ()) -> list[Transfer]:
    """Everything that must happen so that the places show `wanted`; places it does not list stay as they are.

    Things whose look's key is in `kept` are laid aside rather than taken from the table.
    """
    transfers: list[Transfer] = []
    losses: list[Thing] = []
    gains: list[_Gain] = []
    piles: list[tuple[str, Look]] = []
    for name, content in wanted.items():
        if content == UNKNOWN or name not in top.layout.places:
            continue
        spec = top.layout.places[name]
        things = top.things_at(name)
        if spec.kind is Kind.COUNTER:
            transfers.extend(_stones(top, name, content))
        elif spec.kind is Kind.PILE and content is not None and things:
            if things[-1].look.colour != content["top"]:
                piles.append((name, Look(content["top"])))
        elif spec.kind is Kind.CHIP and things and content is not None:
            look = looks(spec.kind, content)[0]
            if things[-1].look != look:
                transfers.append(Transfer(Way.TURN, look, things[-1].id, name, name))
        else:
            surplus, missing = _difference(things, looks(spec.kind, content))
            losses.extend(surplus)
            gains.extend(_Gain(name, look) for look in missing)
    for name, look in piles:
        _uncover(top, name, look, losses, gains, transfers)
    losses.extend(thing for thing in top.resting.values() if thing.place is None and thing.look.colour != BACK)
    transfers.extend(_matched(top, losses, gains))
    for gain in gains:
        transfers.append(Transfer(Way.BRING, gain.look, None, None, gain.place))
    growing = {transfer.target for transfer in transfers if transfer.target is not None}
    # What disappears under a pile is laid before the tile that shows.
    leaving = [transfer for thing in losses for transfer in _leave(top, thing, growing, kept)]
    return leaving + transfers


def _difference(things: Sequence[Thing], wanted: Sequence[Look]) -> tuple[list[Thing], list[Look]]:
    """What lies there too much, and what is missing."""
    missing = list(wanted)
    surplus = []
    for thing in things:
        same = [look for look in missing if look == thing.look]
        # A loose tile may show a face that the content of its heap does not name.
        same = same or [look for look in missing if look == Look(thing.look.colour)]
        if same:
            missing.remove(same[0])
        else:
            surplus.append(thing)
    return surplus, missing


def _stones(top: TableTop, name: str, value: Any) -> list[Transfer]:
    spec = top.layout.places[name]
    stones = {thing.track: thing for thing in top.things_at(name)}
    if value is None:
        return [Transfer(Way.REMOVE, stone.look, stone.id, name, None) for stone in stones.values()]
    result = []
    for track, index in enumerate(stone_steps(spec, int(value))):
        stone = stones.get(track)
        if stone is None:
            result.append(Transfer(Way.BRING, Look("stone"), None, None, name, track, index))
        elif stone.index != index:
            result.append(Transfer(Way.SLIDE, stone.look, stone.id, name, name, track, index))
    return result


def _uncover(
    top: TableTop, name: str, look: Look, losses: list[Thing], gains: list[_Gain], transfers: list[Transfer]
) -> None:
    """A pile shows another top: either its top was taken, or something was laid on it."""
    stack = top.things_at(name)
    wanted = [gain for gain in gains if gain.look.key == stack[-1].look.key]
    offered = [thing for thing in losses if thing.look.key == stack[-1].look.key]
    if len(wanted) <= len(offered):
        gains.append(_Gain(name, look))
        return
    losses.append(stack[-1])
    if len(stack) > 1 and stack[-2].look != look:
        # Nobody saw in which order the tiles below were stacked: what comes to light decides.
        transfers.append(Transfer(Way.TURN, look, stack[-2].id, name, name))
    elif len(stack) == 1:
        transfers.append(Transfer(Way.TURN, look, None, None, name))


def _matched(top: TableTop, losses: list[Thing], gains: list[_Gain]) -> list[Transfer]:
    """Pair gains with losses of the same key, nearest first, and take both off their lists."""
    pairs = sorted(
        (
            (_far(top, thing, gain.place), thing.id, number)
            for number, gain in enumerate(gains)
            for thing in losses
            if thing.look.key == gain.look.key and thing.place != gain.place
        ),
    )
    by_id = {thing.id: thing for thing in losses}
    done: dict[int, Transfer] = {}
    for _, thing_id, number in pairs:
        if thing_id not in by_id or number in done:
            continue
        thing, gain = by_id.pop(thing_id), gains[number]
        face = gain.look.face if gain.look.face is not None else thing.look.face
        look = gain.look if gain.look.spaces else Look(gain.look.colour, face)
        done[number] = Transfer(_way(top, thing.place, gain.place), look, thing.id, thing.place, gain.place)
    losses[:] = list(by_id.values())
    gains[:] = [gain for number, gain in enumerate(gains) if number not in done]
    return [done[number] for number in sorted(done)]


def _far(top: TableTop, thing: Thing, place: str) -> float:
    spec = top.layout.places[place]
    return math.dist(top.arrangement.spots[spec.piece].printed(*spec.at), (thing.x_mm, thing.y_mm))


def _way(top: TableTop, source: str | None, target: str) -> Way:
    """Shared places push into shared heaps; everything else is carried."""
    if source is None:
        return Way.CARRY
    spots = top.arrangement.spots
    owners = [spots[top.layout.places[name].piece].piece.player for name in (source, target)]
    heap = top.layout.places[target].kind is Kind.HEAP
    return Way.PUSH if heap and owners == [None, None] else Way.CARRY


def _leave(
    top: TableTop, thing: Thing, growing: Collection[str], kept: Collection[tuple[str, ...]]
) -> list[Transfer]:
    """Where something goes that no place asks for: under a pile that grows beside it, aside, or away."""
    if thing.place is None:
        return []
    piece = top.layout.places[thing.place].piece
    for name in sorted(growing):
        spec = top.layout.places[name]
        if spec.kind is Kind.PILE and spec.piece == piece and name != thing.place:
            return [Transfer(Way.CARRY, thing.look, thing.id, thing.place, name)]
    if thing.look.key in kept:
        return [Transfer(Way.ASIDE, thing.look, thing.id, thing.place, None)]
    return [Transfer(Way.REMOVE, thing.look, thing.id, thing.place, None)]
