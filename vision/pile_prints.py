"""How the places of piles and chips look empty, where nobody took a picture of the empty table: their sisters know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.bare import bare_ones, filled, in_light_of, unlike_around
from vision.frame import Image

SEVERAL = 3
"""Of so many places two would be alike if two of them were bare."""


@dataclass(frozen=True, slots=True, eq=False)
class EmptyPlaces:
    """How each of some places that are printed alike looks empty."""

    looks: tuple[Image, ...]
    bare: frozenset[int]
    """The numbers of those that are empty."""
    is_seen: bool
    """Whether the others' looks were seen on a sister, or are a guess."""

    @property
    def are_covered(self) -> bool:
        """Something lies on all of them: under it, nothing is known of how they look."""
        return not self.bare


def empty_places(looks: Sequence[Image], diameter_px: float) -> EmptyPlaces:
    """Those looks that agree to a hair are of bare places, and show how the others look under what lies there; so are,
    on paper of another shade, those that go with what is printed around them. Where none of several does, all are
    covered."""
    reach = min(look.shape[0] // 2 for look in looks)
    middles = np.stack([_middle(look, reach) for look in looks])
    alike = bare_ones(middles, diameter_px)
    unlike = np.array([unlike_around(middle, diameter_px) for middle in middles])
    most = 1.0 if alike or len(looks) >= SEVERAL else max(1.0, float(unlike.min()))
    bare = sorted({*alike, *np.flatnonzero(unlike <= most).tolist()})
    if bare:
        usual = np.median(middles[alike or bare], axis=0).astype(np.uint8)
    else:
        # What lies there leans to one side here and to another there.
        usual = filled(np.median(middles, axis=0).astype(np.uint8), diameter_px)
    empty = [look.copy() for look in looks]
    for index in set(range(len(looks))) - set(bare):
        _middle(empty[index], reach)[:] = in_light_of(usual, middles[index], diameter_px)
    return EmptyPlaces(tuple(empty), frozenset(bare), bool(alike))


def _middle(look: Image, reach: int) -> Image:
    """The square about the middle of a look, so far each way."""
    centre = look.shape[0] // 2
    return look[centre - reach : centre + reach + 1, centre - reach : centre + reach + 1]
