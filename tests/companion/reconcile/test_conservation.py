"""Refills that were taken before anybody saw them well: worked out from where the pieces went."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from companion.reconcile.conservation import shared_out

COLOURS = ("blue", "yellow", "red", "black", "white")


def test_nine_factories_are_shared_out_in_few_steps() -> None:
    """With four players the companion thought about one frame for minutes, in more memory than a Pi has."""
    factories = [f"f{number}" for number in range(1, 10)]
    lay = {
        factory: {COLOURS[number % 5]: 2, COLOURS[(number + 1) % 5]: 1, COLOURS[(number + 2) % 5]: 1}
        for number, factory in enumerate(factories)
    }
    taken = {colour: sum(heap.get(colour, 0) for heap in lay.values()) for colour in COLOURS}
    asked = 0

    def shown(key: tuple[str, str]) -> Mapping[Hashable, float]:
        nonlocal asked
        asked += 1
        count = lay[key[0]].get(key[1], 0)
        return {count: 2.0}

    ways = shared_out(shown, taken, dict.fromkeys(factories, 4), 1.0)
    assert ways[0][1] == lay
    assert asked < 20_000
