"""How many broken tiles lie on a pile of which only the top shows: what follows from the rest, and what people say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from engine.errors import SetupError
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.state import (
    ACQUIRE,
    NOTHING,
    REVEAL,
    TILING,
    UNSEEN_TILE,
    State,
)
from engine.types import Heights, Place

Span = tuple[int, int]
"""The fewest and the most."""


def pile(number: int) -> Place:
    """Where the broken tiles of a player lie."""
    return f"p{number}.broken"


def heights(state: State) -> dict[Place, int]:
    """How many broken tiles each player has."""
    return {pile(number): len(player.broken) for number, player in enumerate(state.players, start=1)}


def ask_height(place: Place) -> tuple[str, Mapping[str, Any]]:
    """The question how many tiles lie there."""
    return "broken", {"player": int(place[1])}


# -- what is told ----------------------------------------------------------------------------------------------


def with_heights(state: State, told: Mapping[Place, int]) -> State:
    """The same position with so many broken tiles; nobody knows the colours of those that come to it."""
    for place, height in told.items():
        numbers = [number for number in (1, 2) if pile(number) == place]
        if not numbers:
            raise SetupError(f"Nothing lies on {place} of which the number could be told.")
        state = _with_pile(state, numbers[0], height)
    return state


def _with_pile(state: State, number: int, height: int) -> State:
    was = state.players[number - 1].broken
    if bool(height) != bool(was) or not 0 <= height <= len(rules_data().broken_values):
        raise SetupError(f"There cannot be {height} broken tiles where {len(was)} are thought to lie: {pile(number)}.")
    if height == len(was):
        return state
    # Fewer than were thought to lie there: they were others.
    below = was[:-1] if height > len(was) else ()
    now = (*below, *(UNSEEN_TILE,) * (height - 1 - len(below)), was[-1])
    supply = [bag + tower for bag, tower in zip(state.bag, state.tower, strict=True)]
    for colour in range(len(supply)):
        # A tile of which nobody knows the colour is counted among those in bag and tower, until it lies there.
        supply[colour] += was.count(colour) - now.count(colour)
    players = list(state.players)
    players[number - 1] = state.players[number - 1]._replace(broken=now)
    return state._replace(
        players=(players[0], players[1]), bag=tuple(supply), tower=(0,) * len(supply), supply_is_split=False
    )


# -- what follows from the rest --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What is known of an earlier moment of the round."""

    piles: tuple[tuple[int, ...], ...]
    """The broken tiles of each player."""
    lines: tuple[tuple[int, ...] | None, ...]
    """How many tiles lay in the pattern lines of each player; None where nobody knows."""
    on_factories: Span


def unseen_heights(before: State | None, after: State) -> dict[Place, Heights]:
    """How many tiles each pile of a position that was read may hold. What has left the factories since an earlier
    position of the round, and lies in no line, is broken."""
    is_later = before is not None and before.round == after.round and before.phase in (ACQUIRE, REVEAL, TILING)
    earlier = _remembered(before) if before and is_later else _dealt(after)
    ways = _ways(earlier, _still_on_factories(before if is_later else None, after), after)
    usual = [len(player.broken) if is_later else min(1, len(player.broken)) for player in after.players]
    likeliest = min(ways, key=lambda way: sum(abs(n - m) for n, m in zip(way, usual, strict=True)), default=usual)
    found = {}
    for index, player in enumerate(after.players):
        if player.broken:
            numbers = {way[index] for way in ways}
            if len(numbers) != 1:
                # Where there is a doubt, the rest of the table may be misread as well.
                numbers = set(range(1, len(rules_data().broken_values) + 1))
            found[pile(index + 1)] = Heights(tuple(sorted(numbers)), likeliest[index])
    return found


def _remembered(before: State) -> _Earlier:
    suns = sum(map(sum, before.suns)) + sum(before.large_moon)
    unsure = sum(stack.count(UNSEEN_TILE) for stack in before.moons)
    most = suns + sum(map(len, before.moons))
    return _Earlier(
        tuple(player.broken for player in before.players), tuple(player.counts for player in before.players),
        (most - unsure, most),
    )


def _dealt(after: State) -> _Earlier:
    """The beginning of the round. Before anything is tiled in the first one, no line held anything then."""
    dealt = sum(rules_data().factory_tiles)
    is_first = after.round == 1 and all(max(player.cells) == NOTHING for player in after.players)
    lines = tuple((0,) * len(player.counts) if is_first else None for player in after.players)
    return _Earlier(((), ()), lines, (dealt if is_first else 0, dealt))


def _still_on_factories(before: State | None, after: State) -> Span:
    """How many tiles lie there. Of a stack whose top has changed nobody knows how many were taken."""
    fewest = most = sum(map(sum, after.suns)) + sum(after.large_moon)
    for index, stack in enumerate(after.moons):
        if not stack:
            continue
        was = () if before is None else before.moons[index]
        is_same = stack == was and stack[-1] not in stack[:-1] and UNSEEN_TILE not in stack
        highest = len(stack)
        if UNSEEN_TILE in stack:
            laid = 0 if before is None else sum(before.suns[index + 1])
            highest = max(laid, rules_data().factory_tiles[index + 1]) - 1
        fewest, most = fewest + (len(stack) if is_same else 1), most + highest
    return fewest, most


def _ways(earlier: _Earlier, on_factories: Span, after: State) -> list[tuple[int, ...]]:
    """The numbers of broken tiles, of both players, that agree with the rest of the table; none where it does not agree
    with what is known."""
    most = len(rules_data().broken_values)
    taken = max(0, earlier.on_factories[0] - on_factories[1]), earlier.on_factories[1] - on_factories[0]
    gains = [_gain(was, now.counts, taken[1]) for was, now in zip(earlier.lines, after.players, strict=True)]
    fewest_new, most_new = taken[0] - sum(gain[1] for gain in gains), taken[1] - sum(gain[0] for gain in gains)
    # Whoever has tiled the dome has no broken tiles any more.
    may_be_cleared = [not now.broken and (bool(was) or not on_factories[1])
                      for was, now in zip(earlier.piles, after.players, strict=True)]
    found = []
    for grown in product(*(range(most + 1 - len(was)) for was in earlier.piles)):
        reached = [len(was) + more for was, more in zip(earlier.piles, grown, strict=True)]
        fits = all(
            gone or (more > 0 if now.broken[-1:] != was[-1:] else more == 0 or bool(was))
            for gone, more, was, now in zip(may_be_cleared, grown, earlier.piles, after.players, strict=True)
        )
        # Of more than a pile takes the rest is in the tower.
        if fits and sum(grown) <= most_new and (sum(grown) >= fewest_new or most in reached):
            found.append(tuple(
                height if now.broken else 0 for height, now in zip(reached, after.players, strict=True)
            ))
    return found


def _gain(was: Sequence[int] | None, now: Sequence[int], most: int) -> Span:
    """How many tiles have come to the lines of a player; where some have gone, nobody can tell."""
    if was is None or any(old > new for old, new in zip(was, now, strict=True)):
        return 0, max(0, most)
    gain = sum(now) - sum(was)
    return gain, gain
