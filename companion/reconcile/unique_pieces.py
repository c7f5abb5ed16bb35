"""Pieces are conserved: one that lies where it lay cannot be a new one elsewhere, whatever a look at that says."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from companion.reconcile.sifting import Sifted
from engine.api import Game, UniquePieces
from vision.reading import Kind, Reading

LEAST_LEFT = math.log(0.005)
"""Where nothing that remains possible is as likely as this, what was read is kept: an earlier piece may be misread."""


def conserve(game: Game, states: Sequence[Any], sifted: Sifted) -> Sifted:
    """A frame without faces that are seen elsewhere, where they have lain, on places that do not look as expected. Each
    of `states` may be the true position: what lies elsewhere in one of them alone may have come."""
    if not sifted.unsettled or not has_unique_pieces(type(game)):
        return sifted
    unique = cast(UniquePieces, game)
    in_place = frozenset(sifted.seen.keys() - sifted.unsettled)
    changed: dict[str, Reading] = {}
    for place in sifted.unsettled:
        reading = sifted.observation.readings[place]
        if reading.kind is Kind.CELL and "face" in reading.parts:
            single = _without_doubles(unique, states, reading, in_place)
            if single is not None:
                changed[place] = single
    if not changed:
        return sifted
    readings = {**sifted.observation.readings, **changed}
    observation = replace(sifted.observation, readings=readings)
    return replace(sifted, observation=observation, seen={**sifted.seen, **changed})


@lru_cache(maxsize=8)
def has_unique_pieces(kind: type[Game]) -> bool:
    """Whether no two pieces of a game are alike. To ask whether a class keeps a protocol takes long, and it is asked in
    every look."""
    return issubclass(kind, UniquePieces)


def _without_doubles(
    game: UniquePieces, states: Sequence[Any], reading: Reading, in_place: frozenset[str]
) -> Reading | None:
    """The reading of a cell without the faces that lie elsewhere; None where that changes nothing."""
    colours, faces = reading.parts["colour"], reading.parts["face"]
    colour = max(colours, key=colours.__getitem__)

    def may_come(state: Any, face: Hashable) -> bool:
        lies = game.whereabouts(state, {"colour": colour, "face": face})
        return not lies or reading.place in lies or not in_place.issuperset(lies)

    left = {face: log_prob for face, log_prob in faces.items() if any(may_come(state, face) for state in states)}
    if len(left) == len(faces) or not left:
        return None
    if max(left.values()) < LEAST_LEFT:
        return None
    total = math.log(sum(math.exp(log_prob) for log_prob in left.values()))
    single = {face: log_prob - total for face, log_prob in left.items()}
    return replace(reading, parts={**reading.parts, "face": single})
