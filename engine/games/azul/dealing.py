"""Refills: what a deal must bring, whether it can be, and what it does to the hidden supply."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from engine.errors import EngineError
from engine.games.azul.data import LINES
from engine.games.azul.moves import Deal
from engine.games.azul.state import NONE, Counts, State, Supply, add
from engine.types import UNKNOWN, Content, DealRequest, Place, Slip


def disc_counts(state: State) -> list[int]:
    """How many tiles each disc gets, filled one after another (A61, A63, A64)."""
    data = state.rules.data
    left = sum(state.supply.together)
    counts = []
    for _ in range(state.rules.discs):
        counts.append(min(data.tiles_per_disc, left))
        left -= counts[-1]
    return counts


def is_poured(state: State) -> bool | None:
    """Whether the lid must be poured into the bag during this deal (A62); None when that cannot be told."""
    if state.supply.bag_total is None:
        return None
    return state.supply.bag_total < sum(disc_counts(state))


def request(state: State) -> DealRequest | None:
    """What a refill must bring now, or None when none is awaited."""
    if state.phase != "deal":
        return None
    colours = state.rules.data.colours
    counts = disc_counts(state)
    most, least = bounds(state)
    return DealRequest(
        places={f"f{number}": count for number, count in enumerate(counts, 1)},
        supply=dict(zip(colours, most, strict=True)),
        total=sum(counts),
        fixed={"centre": {"marker": 1}},
        least=dict(zip(colours, least, strict=True)),
    )


def bounds(state: State) -> tuple[Counts, Counts]:
    """The most and the least of each colour that this deal can bring."""
    supply = state.supply
    poured = is_poured(state)
    if poured is False:
        return supply.bag, NONE
    if poured and supply.is_exact:
        return supply.together, supply.bag
    return supply.together, NONE


def make_deal(state: State, contents: Mapping[Place, Content]) -> Deal:
    """The deal that put these contents on the discs, not yet checked against the rules."""
    colours = state.rules.data.colours
    discs = []
    for number in range(1, state.rules.discs + 1):
        heap = contents.get(f"f{number}") or {}
        if heap == UNKNOWN:
            raise EngineError(f"The deal cannot be read while f{number} is hidden.")
        foreign = sorted(set(heap) - set(colours))
        if foreign:
            raise EngineError(f"There is no tile '{foreign[0]}' to deal on f{number}.")
        discs.append(tuple(int(heap.get(colour, 0)) for colour in colours))
    return Deal(tuple(discs))


def deal_slips(state: State, move: Deal) -> list[Slip]:
    """Everything that is wrong with a deal, most specific first."""
    data, rules = state.rules.data, state.rules
    if state.phase == "over":
        used = tuple(f"f{number}" for number, disc in enumerate(move.discs, 1) if any(disc))
        return [data.slip("round-after-the-end", None, used)]
    if len(move.discs) != rules.discs:
        params: dict[str, Any] = {"place": "f1", "count": len(move.discs), "expected": rules.discs}
        return [data.slip("factory-wrong-count", None, (), "A4", **params)]
    found = []
    expected = disc_counts(state)
    counts = [sum(disc) for disc in move.discs]
    # Which disc is filled first is nobody's business: only how many are full, part-filled and empty counts.
    if sorted(counts) != sorted(expected):
        for number, count in enumerate(counts, 1):
            wanted = expected[number - 1] if sum(expected) < rules.discs * data.tiles_per_disc else data.tiles_per_disc
            if count != wanted:
                params = {"place": f"f{number}", "count": count, "expected": wanted}
                found.append(data.slip("factory-wrong-count", None, (f"f{number}",), **params))
    brought = NONE
    for disc in move.discs:
        brought = add(brought, disc)
    most, least = bounds(state)
    for colour in range(LINES):
        if brought[colour] > most[colour] or (sum(brought) >= sum(expected) and brought[colour] < least[colour]):
            rule = "A62" if brought[colour] <= state.supply.together[colour] else "A2"
            places = tuple(f"f{number}" for number, disc in enumerate(move.discs, 1) if disc[colour])
            params = {"colour": data.colours[colour], "count": brought[colour]}
            found.append(data.slip("impossible-tiles", None, places, rule, **params))
    return found


def play_deal(state: State, move: Deal) -> State:
    """The position after a deal that is known to be possible: the marker lies in the centre (A30)."""
    brought = NONE
    for disc in move.discs:
        brought = add(brought, disc)
    return state._replace(
        phase="offer",
        player=state.starter,
        is_marker_in_centre=True,
        discs=move.discs,
        centre=NONE,
        supply=after_deal(state.supply, brought),
    )


def after_deal(supply: Supply, brought: Counts) -> Supply:
    """Bag and lid after these tiles came out, the lid being poured when the bag runs out (A62)."""
    number = sum(brought)
    left = tuple(map(int.__sub__, supply.together, brought))
    if supply.bag_total is None:
        return Supply(left, NONE, False, None)
    if supply.bag_total >= number:
        # Out of the bag alone: what lies in the lid stays there.
        bag = tuple(map(int.__sub__, supply.bag, brought))
        return Supply(bag, supply.lid, supply.is_exact, supply.bag_total - number)
    # Everything that is left came out of the lid and is now in the bag, whatever lay where before.
    return Supply(left, NONE, True, sum(left))


def random_deal(state: State, rng: random.Random) -> Deal:
    """A deal as a shuffled bag would give it."""
    supply = state.supply
    need = sum(disc_counts(state))
    if supply.is_exact and sum(supply.bag) < need:
        drawn = tiles_of(supply.bag)
        rng.shuffle(drawn)
        drawn += rng.sample(tiles_of(supply.lid), need - len(drawn))
    else:
        drawn = rng.sample(tiles_of(supply.bag if supply.is_exact else supply.together), need)
    discs = []
    start = 0
    for count in disc_counts(state):
        disc = drawn[start : start + count]
        discs.append(tuple(disc.count(colour) for colour in range(LINES)))
        start += count
    return Deal(tuple(discs))


def tiles_of(counts: Counts) -> list[int]:
    """A heap as a list of single tiles."""
    return [colour for colour, count in enumerate(counts) for _ in range(count)]
