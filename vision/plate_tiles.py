"""Whether a tile lies on a space of a plate, often in the very colour of the print: what changed since it was bare.

A tile has its own gloss, an ornament turned by chance, and an edge with a shadow; a print stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import to_lab
from vision.exposure import Exposure
from vision.frame import Image

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

DEEPEST_SHADOW, BRIGHTEST = 18.0, 4.0
"""A space may be darker or lighter than it was bare, by this much lightness, without anything lying on it."""
PALE, MOST_TINTED = 70.0, 2.0
"""Plain paper, above this lightness, may look tinted by so much (in Lab): a compressed picture keeps tints badly."""
TINTED = 2.5
"""Everything may, by so much for each unit by which the tint of the light has changed since it was bare: no camera
shows dark colours in another light quite as a gain of each channel would have them."""
REACH = 0.38
"""What is compared: within this share of the width of a face from its middle, where a tile's top is seen for sure."""
STEP, FINE_STEP = 0.6, 0.3
"""How far a plate may have been moved, across and down, in samples of a face; and how closely that is told."""
LAID_BACK = (0.0, -1.0, 1.0, -2.0, 2.0)
"""How far beside its old place a plate may be laid back, across and down, in samples of a face."""
ASKEW = (0.0, -0.3, 0.3, -0.6, 0.6, -0.9, 0.9)
"""How far each space of a plate may have come to lie beside its old place by itself when the plate was turned a little,
across and down, in samples of a face."""
FEWEST_ASKEW, MOST_ASKEW = 2, 24.0
"""Whatever turns a plate changes more than one of its spaces, and none by more than these log odds of a tile."""
SOFTER = (0.6, 1.0)
"""How much softer one of two pictures may be, in samples of a face: a camera loses its focus and finds it again."""
MOST_CHANGED = 1.8
"""A space that changed more than this (a log, as below) has a tile on it in any way of comparing."""
CLEARLY_ALIKE = 0.25
"""So much more of a plate must be alike before one picture is believed to be softer than the other."""
BESIDE = 0.15
"""A difference that this many samples aside would explain is none: a print of many colours is hardly ever met again to
the pixel."""
NOISE_SAMPLES = 0.7
"""A difference is judged together with those around it, about so many samples away: a camera errs at every pixel by
itself, a tile differs all over."""
USUAL_PERCENT = 60
"""Which of all differences on a space stands for it: a tile in the very colour of the print differs by its gloss and by
its ornament, on less than half of it."""
HALF_CHANGED = 1.18
"""Log of one plus that difference (in Lab) at which a tile is as likely as not."""
CHANGE_WEIGHT, TEXTURE_WEIGHT = 12.0, 6.0
HALF_TEXTURE = 0.08
"""How unrelated the fine structure is at which a tile is as likely as not: 0 is the same, 1 unrelated."""
LONE_BARE = -5.5
"""A single space that looks bare only as if the plate had been moved must look so beyond doubt: where tiles cover all
the others, nothing else tells whether it was."""
SURELY_BARE = -4.0
"""Log odds of a tile below which a space is certainly bare."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The spaces of a plate beside how they looked bare."""

    odds: Floats
    """(spaces,) log odds that a tile lies on each."""
    sharper_samples: float
    """How much the picture had to be softened to be like that of the bare spaces; negative when that is the sharper
    one."""

    @property
    def is_bare(self) -> bool:
        """No tile lies on any of the spaces, for certain."""
        return bool((self.odds < SURELY_BARE).all())


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """One way to bring two looks at a plate together; both (spaces, n, n, 3) in Lab."""

    now: Floats
    then: Floats
    sharper_samples: float = 0.0
    tinted: float = 0.0
    """By how much (in Lab) the light may have changed the tint of anything."""


def compare_exposed(faces: Image, exposure: Exposure, bare: Image, bare_exposure: Exposure) -> Comparison:
    """Spaces with how they looked bare, in another light."""
    # What was too bright for the camera in one picture must not count as a change from the other.
    limit = np.minimum(exposure.brightest, bare_exposure.brightest)
    return compare(np.minimum(faces, limit), np.minimum(bare, limit), TINTED * exposure.tint_beside(bare_exposure))


def compare(faces: Image, bare: Image, tinted: float = 0.0) -> Comparison:
    """Spaces (spaces, n, n, 3) with how they looked bare; the light may have changed any tint by so much, in Lab.

    A plate that was pushed, a board that was found again not quite where it lay, and a lens out of focus change all
    spaces of a plate alike: they are compared in the way that explains most of them.
    """
    within = _within(faces.shape[1])
    way = _Way(to_lab(faces).astype(np.float64), to_lab(bare).astype(np.float64), tinted=tinted)
    glance = Comparison(_log_odds(way, within), 0.0)
    if glance.is_bare:
        return glance
    plain, unlike = _most_alike(_moved(way, STEP), within)
    softer, still_unlike = _most_alike([moved for soft in _softened(way) for moved in _moved(soft, STEP)], within)
    best, _ = _most_alike(_moved(softer if still_unlike < unlike - CLEARLY_ALIKE else plain, FINE_STEP), within)
    odds = _log_odds(best, within)
    if np.count_nonzero(odds < 0) == 1:
        alone = int(odds.argmin())
        if odds[alone] > LONE_BARE:
            odds[alone] = max(odds[alone], glance.odds[alone])
    return Comparison(odds, best.sharper_samples)


def lies_askew(faces: Image, bare: Image) -> bool:
    """Whether a bare plate has been turned a little since it looked so, as whoever lays it back in the dark turns it:
    each of its spaces looks bare, moved by itself, and they do not as they lie."""
    within = _within(faces.shape[1])
    way = _Way(to_lab(faces).astype(np.float64), to_lab(bare).astype(np.float64))
    odds = _log_odds(way, within)
    if np.count_nonzero(odds >= SURELY_BARE) < FEWEST_ASKEW or odds.max() > MOST_ASKEW:
        return False
    moved = [replace(way, then=_beside(way.then, across, down)) for across, down in product(ASKEW, repeat=2)]
    best = _changes(moved, within).argmin(axis=0)
    then = np.stack([moved[number].then[space] for space, number in enumerate(best)])
    return bool((_log_odds(replace(way, then=then), within) < SURELY_BARE).all())


def laid_back(faces: Image, bare: Image) -> Image:
    """How the spaces of a plate that was lifted would look bare where it lies now: moved to where most is explained."""
    moved = [_beside(bare, across, down) for across, down in product(LAID_BACK, repeat=2)]
    now, then = to_lab(faces).astype(np.float64), to_lab(np.stack(moved)).astype(np.float64)
    ways = [_Way(now, each) for each in then]
    best, _ = _most_alike(ways, _within(faces.shape[1]))
    return moved[ways.index(best)]


def _within(side: int) -> Mask:
    """(side, side): where a tile's top is seen for sure."""
    steps = (np.arange(side) + 0.5) / side - 0.5
    return np.asarray(np.hypot(*np.meshgrid(steps, steps)) < REACH)


def _beside(faces: NDArray[Any], across: float, down: float) -> NDArray[Any]:
    """Spaces (spaces, n, n, 3) moved by so many samples."""
    matrix = np.array([[1.0, 0.0, across], [0.0, 1.0, down]])
    size = faces.shape[1:3]
    return np.stack([cv2.warpAffine(face, matrix, size, borderMode=cv2.BORDER_REPLICATE) for face in faces])


def _most_alike(ways: Sequence[_Way], within: Mask) -> tuple[_Way, float]:
    """The way that explains most, and how much of the plate it leaves unexplained. A space that a tile covers has no
    say in it."""
    unlike = np.minimum(_changes(ways, within), MOST_CHANGED).sum(axis=1)
    best = int(unlike.argmin())
    return ways[best], float(unlike[best])


def _changes(ways: Sequence[_Way], within: Mask) -> Floats:
    """(ways, spaces) how much each space differs in each way."""
    # All at once: for a few spaces of a few samples each, numpy's calls cost more than what they do.
    now, then = np.concatenate([way.now for way in ways]), np.concatenate([way.then for way in ways])
    every = _Way(now, then, tinted=ways[0].tinted)
    return _change(_same_shade(every, within), every.then, within).reshape(len(ways), -1)


def _moved(way: _Way, step: float) -> list[_Way]:
    """As if the plate had lain a step of so many samples beside."""
    ways = [way]
    for across, down in product((0.0, -step, step), repeat=2):
        if across or down:
            ways.append(replace(way, then=_beside(way.then, across, down)))
    return ways


def _softened(way: _Way) -> list[_Way]:
    """As if one of the two pictures had been taken out of focus."""
    return [replace(way, now=_soft(way.now, samples), sharper_samples=samples) for samples in SOFTER] + [
        replace(way, then=_soft(way.then, samples), sharper_samples=-samples) for samples in SOFTER
    ]


def _soft(faces: Floats, samples: float) -> Floats:
    border = cv2.BORDER_REPLICATE
    return np.stack([cv2.GaussianBlur(face, (0, 0), samples, borderType=border) for face in faces]).astype(np.float64)


def _same_shade(way: _Way, within: Mask) -> Floats:
    """The present faces without what a shadow or a reflection did to their lightness, a compressed picture to the tint
    of plain paper, or another light to any."""
    apart = np.median(way.now[:, within] - way.then[:, within], axis=1)
    is_pale = np.median(way.then[:, within, 0], axis=1) > PALE
    most = np.where(is_pale, max(MOST_TINTED, way.tinted), way.tinted)[:, None]
    lighter = np.clip(apart[:, :1], -DEEPEST_SHADOW, BRIGHTEST)
    shift = np.concatenate([lighter, np.clip(apart[:, 1:], -most, most)], axis=1)
    return np.asarray(way.now - shift[:, None, None], dtype=np.float64)


def _change(now: Floats, then: Floats, within: Mask) -> Floats:
    """(spaces,) the log of one plus the usual difference."""
    down, across = (np.asarray(slope) for slope in np.gradient(then, axis=(1, 2)))
    slopes = np.sqrt((down[:, within] ** 2 + across[:, within] ** 2).sum(axis=2))
    # One below the other, as one picture: what is compared lies farther from the edges than this reaches.
    column = np.ascontiguousarray(now - then).reshape(-1, *now.shape[2:])
    smooth = np.asarray(cv2.GaussianBlur(column, (3, 3), NOISE_SAMPLES), dtype=np.float64).reshape(now.shape)
    apart = np.linalg.norm(smooth[:, within], axis=2) - BESIDE * slopes
    return np.asarray(np.log1p(np.percentile(np.maximum(apart, 0.0), USUAL_PERCENT, axis=1)))


def _log_odds(way: _Way, within: Mask) -> Floats:
    """(spaces,) that a tile lies on each."""
    now = _same_shade(way, within)
    texture = np.array([_unrelated(one, other, within) for one, other in zip(now, way.then, strict=True)])
    odds = CHANGE_WEIGHT * (_change(now, way.then, within) - HALF_CHANGED) + TEXTURE_WEIGHT * (texture - HALF_TEXTURE)
    return np.asarray(odds, dtype=np.float64)


def _unrelated(now: Floats, then: Floats, within: Mask) -> float:
    """One minus the correlation of the slopes of two faces, over all three channels."""
    parts = []
    for face in (now, then):
        down, across = (np.asarray(slope) for slope in np.gradient(face, axis=(0, 1)))
        parts.append(np.concatenate([down[within].ravel(), across[within].ravel()]))
    one, other = parts
    # A space without any structure agrees with itself, whatever the noise.
    return float(1.0 - (one @ other + 40.0) / (np.sqrt((one @ one) * (other @ other)) + 40.0))
