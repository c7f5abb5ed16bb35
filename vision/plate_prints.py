"""What is printed on the spaces of a plate, and whether a plate lies there at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourModel, to_lab
from vision.frame import Image
from vision.plate_spaces import VIEW, PlateShape
from vision.print_colours import distances, ground_colours

Floats = NDArray[np.float32]

JOKER, SPECIAL = "joker", "special"
"""Spaces that are printed in all colours at once, and in none."""
PALEST = 0.5
"""A print is paler than its tile, but at least this share as colourful."""
LIGHTNESS_WEIGHT = 0.4
"""Lightness differs between print and tile, in shadow and in gloss; hue hardly does."""
GROUND_LEAD = 6.0
"""A pixel is taken for the plate's own ground when no colour is this much closer, in Lab."""
JOKER_SHARE = 0.22
"""No colour has a much larger share of a space printed in all of them."""
SHARE_WEIGHT = 16.0
"""How fast the probability of a print grows with its share of the pixels."""
SAME_LAB = 7.0
"""A pixel this close to the empty place has not changed."""
DEEPEST_SHADOW, MOST_TINTED = 25.0, 8.0
"""How much darker all of a place may be, and how much tinted (in Lab), with nothing lying there."""
LEAST_UNCHANGED, SOME_PLATE_LOG_ODDS = 0.4, 2.0
"""Where less than this is left of the empty place, and no plate is likely either, something hides it."""
GROUND_LAB = 14.0
LEAST_GROUND = 0.6
"""Share of a plate's ground that must look alike; where a hand lies across it, it does not."""
EVEN_GROUND = 0.85
"""A plate that lies straight shows so much of its ground where it should be."""
BESIDE = tuple((down, across) for down in range(-3, 4) for across in range(-3, 4))
"""How far a plate may lie beside its place, in pixels of the view."""
DARKER_PART = 0.2
"""Share of the ground around a space that a tile's side and shadow darken at least."""
MOST_LOG_ODDS = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class PlateLook:
    """One place for a plate as one frame shows it."""

    log_odds: float
    """That a plate lies there."""
    prints: NDArray[np.float64]
    """(4, kinds of print): log probabilities, as if nothing lay on the spaces."""
    shaded: NDArray[np.float64]
    """(4,): how much darker, in lightness, the darker part of the ground right around each space is than the rest."""
    strange: bool
    """It looks neither like the empty place nor like a plate: a hand, or something laid down."""


class PlatePrints:
    """Reads prints by the colours of the tiles of the same table."""

    def __init__(self, colours: ColourModel, holds: Sequence[str], shape: PlateShape) -> None:
        self.names = tuple(holds)
        self._shape = shape
        plain = [name for name in holds if name not in (JOKER, SPECIAL)]
        self._columns = [self.names.index(name) for name in plain]
        self._grounds = ground_colours(colours, plain)
        rows, columns = np.nonzero(shape.ground)
        down, across = np.array(BESIDE).T[:, :, None]
        self._beside = (rows - down) % VIEW * VIEW + (columns - across) % VIEW
        """(shifts, samples of the ground): which sample of a view comes to lie on each when it is moved."""

    def look(self, view: Image, empty: Image | None) -> PlateLook:
        """A place, lit, and how it looked empty if that is known; both (VIEW, VIEW, 3)."""
        lab = to_lab(view)
        shape = self._shape
        straight, ground, even = self._straightened(lab)
        shares = np.stack([self._shares(straight[disc], ground) for disc in shape.discs])
        coloured = np.minimum(1.0, shares.sum(axis=1) / 0.5).sum()
        odds = 6.0 * (float(coloured) - 1.5)
        unchanged = 0.0
        if empty is not None:
            apart = (lab - to_lab(empty))[shape.whole]
            # A hand beside the board throws a shadow on it, which is no change; nor is what is left of a lamp's tint.
            apart[:, 0] -= np.clip(np.median(apart[:, 0]), -DEEPEST_SHADOW, 0.0)
            apart[:, 1:] -= np.clip(np.median(apart[:, 1:], axis=0), -MOST_TINTED, MOST_TINTED)
            unchanged = float((np.linalg.norm(apart, axis=1) < SAME_LAB).mean())
            odds += 8.0 * (0.5 - unchanged)
        odds = max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, odds))
        neither = empty is not None and odds < SOME_PLATE_LOG_ODDS and unchanged < LEAST_UNCHANGED
        strange = neither or (even < LEAST_GROUND and unchanged < 0.7)
        shaded = np.array([ground[0] - np.quantile(straight[ring, 0], DARKER_PART) for ring in shape.rings])
        return PlateLook(odds, np.stack([self._print(share) for share in shares]), shaded, strange)

    def _straightened(self, lab: Floats) -> tuple[Floats, Floats, float]:
        """The view moved so that a plate that lies a little beside its place comes to lie upon it, its ground, and
        which share of that looks alike."""
        (ground,), (even,) = _grounds(lab[self._shape.ground][None])
        if even >= EVEN_GROUND:
            return lab, ground, float(even)
        # All at once: one shift after another takes many times as long.
        grounds, evens = _grounds(lab.reshape(-1, 3)[self._beside])
        best = int(evens.argmax())
        if evens[best] <= even:
            return lab, ground, float(even)
        return np.roll(lab, BESIDE[best], axis=(0, 1)), grounds[best], float(evens[best])

    def _shares(self, lab: Floats, ground: Floats) -> NDArray[np.float64]:
        """(colours,): which share of a space's pixels shows each colour rather than the plate's ground."""
        distance = distances(lab, self._grounds, PALEST, LIGHTNESS_WEIGHT)
        from_ground = lab - ground
        from_ground[:, 0] *= LIGHTNESS_WEIGHT * 1.5
        best = distance.argmin(axis=1)
        is_colour = distance.min(axis=1) < np.linalg.norm(from_ground, axis=1) - GROUND_LEAD
        return np.bincount(best[is_colour], minlength=len(self._grounds)) / len(lab)

    def _print(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.zeros(len(self.names))
        scores[self._columns] = shares
        for index, name in enumerate(self.names):
            if name == JOKER:
                scores[index] = np.minimum(shares, JOKER_SHARE).sum()
            elif name == SPECIAL:
                scores[index] = 1.0 - shares.sum()
        evidence = SHARE_WEIGHT * (scores - scores.max())
        return np.asarray(evidence - math.log(np.exp(evidence).sum()), dtype=np.float64)


def _grounds(pixels: Floats) -> tuple[Floats, NDArray[np.float64]]:
    """For each of some looks (looks, samples, 3) at the ground of a plate: its colour, and which share of it looks like
    that."""
    grounds = np.median(pixels, axis=1)
    return grounds, np.asarray((np.linalg.norm(pixels - grounds[:, None], axis=2) < GROUND_LAB).mean(axis=1))
