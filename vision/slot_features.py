"""What tells a tile from the print below it, as a few numbers for each slot.

All compare the printed space and its surroundings with how they look empty. Shadows of hands and of neighbouring tiles
darken a print, and a lamp's reflection washes it out, without changing what it is: so the space is also compared with
its reference darkened and washed out as suits it best. A print cannot become purer in colour that way; a tile is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourTable, table_rows, to_lab
from vision.frame import Image

Floats = NDArray[np.float32]

NAMES = (
    "unlike_low", "unlike_middle", "unlike_shaded_low", "unlike_shaded_middle", "unlike_washed", "unlike_chroma",
    "unlike_texture", "unlike_texture_log", "purer", "darkening", "texture_gain", "darker_than_around", "tile_like",
    "tile_lead", "texture", "top_unlike_low", "top_unlike_middle", "top_unlike_texture",
)
FACE_NAMES = 15
"""So many of these, the first ones, come from the printed space and its surroundings."""
_LOGS_OF = [NAMES.index(name) for name in ("unlike_texture_log", "darkening", "texture_gain", "darker_than_around")]
_FURTHER_LOGS_OF = [
    NAMES.index(name) for name in (
        "unlike_low", "unlike_middle", "unlike_shaded_low", "unlike_shaded_middle", "unlike_washed", "texture",
        "top_unlike_low", "top_unlike_middle",
    )
]
"""Numbers that count by their logarithm, and by that of one more."""
_FACE_FURTHER_LOGS_OF = [index for index in _FURTHER_LOGS_OF if index < FACE_NAMES]
_LEVELS = np.arange(256, dtype=np.float32) / 255.0
_OFFSET = np.float32(0.004)
"""Added to linear light before ratios are taken, so that noise in black print stays small."""
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4).astype(np.float32) + _OFFSET
_LOGS = np.log(_LINEAR)
CORE_SHARE, SHIFT_SHARE = 0.43, 0.14
"""Of the width of a sampled top: the middle of a tile, and how far off it is looked for."""
DARKEST, BRIGHTEST = 0.25, 1.3
MOST_WASHED = 0.35
FULL_COLOUR = np.float32(0.05)
"""In linear light: what is darker shows less of its colour."""


@dataclass(frozen=True, slots=True, eq=False)
class _Spots:
    """Which samples are compared, in the order in which they are kept: the printed space, its rim, where a top is."""

    face: NDArray[np.intp]
    """Samples of the face, row by row: first those of the space, then its rim."""
    top: NDArray[np.intp]
    """Samples of the top, row by row: its middle."""
    middle: NDArray[np.intp]
    """Of the space those in its middle."""
    space_side: int
    top_side: int

    @property
    def space(self) -> int:
        """How many samples the space has."""
        return self.space_side**2


@cache
def _spots(face_side: int, top_side: int) -> _Spots:
    edge, cut = face_side // 8, top_side // 4
    numbers = np.arange(face_side**2).reshape(face_side, face_side)
    space = numbers[edge:-edge, edge:-edge]
    rim = np.setdiff1d(numbers, space)
    third = face_side // 4 - edge
    inner = np.arange(space.size).reshape(space.shape)[third:-third, third:-third]
    top = np.arange(top_side**2).reshape(top_side, top_side)[cut:-cut, cut:-cut]
    return _Spots(np.concatenate([space.ravel(), rim]), top.ravel(), inner.ravel(), len(space), len(top))


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Slots as they are compared: what each sample looks like, in every way that is needed."""

    spots: _Spots
    lab: Floats
    """(slots, samples, 3)."""
    linear: Floats
    """(slots, samples, 3), with an offset."""
    tint: Floats
    """(slots, samples, 2): how much bluer and redder than green, as logarithms."""
    rows: NDArray[np.intp]
    """(slots, samples): rows of a colour table."""

    @staticmethod
    def of(faces: Image, tops: Image) -> Looks:
        """Of the spaces (slots, n, n, 3) and of where tops would be seen (slots, m, m, 3), lit alike."""
        spots, count = _spots(faces.shape[1], tops.shape[1]), len(faces)
        samples = np.concatenate(
            [faces.reshape(count, -1, 3).take(spots.face, axis=1), tops.reshape(count, -1, 3).take(spots.top, axis=1)],
            axis=1,
        )
        logs = _LOGS.take(samples)
        return Looks(
            spots, to_lab(samples), _LINEAR.take(samples), logs[..., ::2] - logs[..., 1:2], table_rows(samples)
        )

    def some(self, which: NDArray[np.intp]) -> Looks:
        """Those of some slots."""
        lab, linear, tint = (part.take(which, axis=0) for part in (self.lab, self.linear, self.tint))
        return Looks(self.spots, lab, linear, tint, self.rows.take(which, axis=0))

    def put(self, which: NDArray[np.intp], others: Looks) -> None:
        """Take some slots from other looks of as many slots."""
        self.lab[which], self.linear[which], self.tint[which] = others.lab, others.linear, others.tint
        self.rows[which] = others.rows

    def faces_filled(self, which: NDArray[np.intp], fill: NDArray[np.intp]) -> Looks:
        """The faces of some slots with each sample replaced by another one: (slots, n²) numbers, row by row."""
        face, count = self.spots.face, self.rows.shape[1]
        place = np.empty_like(face)
        place[face] = np.arange(len(face))
        each = place.take(fill.take(face, axis=1)) + (which * count)[:, None]
        lab, linear, tint = (
            part.reshape(-1, part.shape[2]).take(each, axis=0) for part in (self.lab, self.linear, self.tint)
        )
        return Looks(self.spots, lab, linear, tint, self.rows.take(each))


def features(now: Looks, empty: Looks, density: Floats, colours: ColourTable) -> Floats:
    """(slots, len(NAMES)) numbers, from slots as they look now and empty and the densities of their tops; only the
    FACE_NAMES first ones from looks without tops."""
    spots, count, space, faces = now.spots, len(density), now.spots.space, len(now.spots.face)
    has_tops = now.rows.shape[1] > faces
    shade = _within(_dot(now.linear, empty.linear) / _dot(empty.linear, empty.linear), DARKEST, BRIGHTEST)
    # The rim is compared by its shade only.
    shaded = _without_rim(empty.linear * shade[..., None], spots)
    washed = _wash(now.linear[:, :space], empty.linear[:, :space])
    guessed = to_lab(_gamma(np.concatenate([shaded, washed], axis=1)) * np.float32(255.0))
    as_shaded, as_washed = guessed[:, : shaded.shape[1]], guessed[:, shaded.shape[1] :]
    lab_now, lab_empty = now.lab[:, :space], empty.lab[:, :space]
    tint = now.tint[:, :space] - empty.tint[:, :space]
    peak = np.minimum(_peak(now.linear[:, :space]), _peak(empty.linear[:, :space]))
    chroma = np.sqrt(_dot(tint, tint)) * np.minimum(np.float32(1.0), peak / FULL_COLOUR)
    purer = np.sqrt(_dot(lab_now[..., 1:], lab_now[..., 1:])) - np.sqrt(_dot(lab_empty[..., 1:], lab_empty[..., 1:]))
    unlike = _distances(lab_now, [lab_empty, as_shaded[:, :space], as_washed])
    low, middle = quantiles(np.concatenate([unlike, chroma, purer, shade[:, :space]]), 0.3, 0.5)
    low, middle = low.reshape(-1, count), middle.reshape(-1, count)
    (inner_shade,) = quantiles(shade.take(spots.middle, axis=1), 0.5)
    (rim_shade,) = quantiles(shade[:, space:faces], 0.5)
    texture, energy_now, energy_then = _texture(lab_now[..., 0], lab_empty[..., 0], spots.space_side)
    rows = [
        low[0], middle[0], low[1], middle[1], middle[2], middle[3], texture,
        np.float32(0.04) + np.maximum(np.float32(0.0), texture), middle[4] / np.float32(10.0), middle[5],
        (energy_now + 1.0) / (energy_then + 1.0), inner_shade / rim_shade,
        _within(density.max(axis=1), -25.0, -4.0), _within(_tile_lead(now, empty, density, colours), -6.0, 6.0),
        energy_now,
    ]
    if has_tops:
        top_now, top_empty = now.lab[:, faces:], empty.lab[:, faces:]
        rows += quantiles(_distance(top_now, as_shaded[:, space:]), 0.3, 0.5)
        rows.append(_texture(top_now[..., 0], top_empty[..., 0], spots.top_side)[0])
    out = np.array(rows, dtype=np.float32)
    out[_LOGS_OF] = np.log(out[_LOGS_OF])
    further = _FURTHER_LOGS_OF if has_tops else _FACE_FURTHER_LOGS_OF
    out[further] = np.log1p(out[further])
    return np.ascontiguousarray(out.T)


def _without_rim(values: Floats, spots: _Spots) -> Floats:
    """The samples of the space and of the top."""
    return np.concatenate([values[:, : spots.space], values[:, len(spots.face) :]], axis=1)


def quantiles(values: Floats, *shares: float) -> list[Floats]:
    """For each share the quantile of every row of values (N, ...): one sort serves all, where numpy's own take longer
    over a few rows than everything else together."""
    ordered = np.sort(values.reshape(len(values), -1), axis=1)
    last = ordered.shape[1] - 1
    found = []
    for share in shares:
        below = int(share * last)
        weight = np.float32(share * last - below)
        above = ordered[:, min(below + 1, last)]
        found.append(np.asarray(ordered[:, below] * (1 - weight) + above * weight, dtype=np.float32))
    return found


def _dot(one: Floats, other: Floats) -> Floats:
    """The sum over channels of the products."""
    return np.asarray(np.einsum("...i,...i->...", one, other), dtype=np.float32)


def _distance(one: Floats, other: Floats) -> Floats:
    """How far colours (..., 3) lie apart."""
    apart = one - other
    return np.sqrt(_dot(apart, apart))


def _distances(one: Floats, others: Sequence[Floats]) -> Floats:
    """(others · slots, samples): the same of one look and several others."""
    apart = np.concatenate([one - other for other in others])
    return np.sqrt(_dot(apart, apart))


def _peak(linear: Floats) -> Floats:
    """The largest of three channels."""
    return np.asarray(np.maximum(np.maximum(linear[..., 0], linear[..., 1]), linear[..., 2]), dtype=np.float32)


def _within(values: Floats, low: float, high: float) -> Floats:
    return np.asarray(np.minimum(np.maximum(values, np.float32(low)), np.float32(high)), dtype=np.float32)


def face_density(
    now: Looks, which: NDArray[np.intp], colour: NDArray[np.intp], colours: ColourTable
) -> Floats:
    """(which,) mean log density of the middle of some spaces, each in one colour."""
    rows = now.rows.take(which, axis=0).take(now.spots.middle, axis=1)
    return np.asarray(colours.log_densities[rows, colour[:, None]].mean(axis=1), dtype=np.float32)


def _tile_lead(now: Looks, empty: Looks, density: Floats, colours: ColourTable) -> Floats:
    """(slots,) how much more the middle of the space looks like a tile of the likeliest colour than the empty space
    does."""
    best, middle = density.argmax(axis=1)[:, None], now.spots.middle
    rows = np.concatenate([now.rows.take(middle, axis=1), empty.rows.take(middle, axis=1)])
    every = np.add.reduce(colours.log_densities[rows, np.concatenate([best, best])], axis=1)
    return np.asarray((every[: len(best)] - every[len(best) :]) * np.float32(1.0 / len(middle)), dtype=np.float32)


def tile_density(top: Image, colours: ColourTable) -> Floats:
    """(slots, colours): mean log densities of the middle of a tile, where it looks most like one. Tiles lie askew and
    off their spaces, so the middle is looked for up to a fifth of a tile around."""
    density = colours.pixels(top)
    count, side = density.shape[:2]
    width, step = round(side * CORE_SHARE), max(1, round(side * SHIFT_SHARE))
    total = np.zeros((count, side + 1, side + 1, density.shape[-1]), dtype=np.float32)
    total[:, 1:, 1:] = density.cumsum(axis=1).cumsum(axis=2)
    first = (side - width) // 2
    windows = []
    for row in (first - step, first, first + step):
        for column in (first - step, first, first + step):
            windows.append(
                total[:, row + width, column + width] - total[:, row, column + width]
                - total[:, row + width, column] + total[:, row, column]
            )
    means = np.stack(windows) / (width * width)
    best = means.max(axis=2).argmax(axis=0)
    return np.asarray(means[best, np.arange(count)], dtype=np.float32)


def _wash(now: Floats, then: Floats) -> Floats:
    """The empty space darkened, and washed out by white light, as far as it comes closest to now; one mix a slot."""
    count = len(now)
    flat_now, flat_then = now.reshape(count, -1), then.reshape(count, -1)
    share = np.float32(1.0 / flat_now.shape[1])
    mean_now, mean_then = (np.add.reduce(flat, axis=1, keepdims=True) * share for flat in (flat_now, flat_then))
    steps_then = flat_then - mean_then
    spread = _dot(steps_then, steps_then)[:, None] + np.float32(1e-4)
    gain = _within(_dot(flat_now - mean_now, steps_then)[:, None] / spread, DARKEST, BRIGHTEST)
    white = _within(mean_now - gain * mean_then, 0.0, MOST_WASHED)
    plain = _within((_dot(flat_now, flat_then) / _dot(flat_then, flat_then))[:, None], DARKEST, BRIGHTEST)
    gain = np.where(white > 0, gain, plain)
    return np.asarray((gain * flat_then + white).reshape(now.shape), dtype=np.float32)


def _texture(now: Floats, then: Floats, side: int) -> tuple[Floats, Floats, Floats]:
    """How unlike the fine structure is (0 same, 1 unrelated, 2 opposite), and how strong it is in both."""
    lightness = np.concatenate([now, then]).reshape(-1, side, side)
    across = lightness[:, 1:-1, 2:] - lightness[:, 1:-1, :-2]
    down = lightness[:, 2:, 1:-1] - lightness[:, :-2, 1:-1]
    gradients = np.concatenate([across, down], axis=1).reshape(len(lightness), -1)
    a, b = gradients[: len(now)], gradients[len(now) :]
    share = np.float32(1.0 / gradients.shape[1])
    energy_now, energy_then, both = _dot(a, a) * share, _dot(b, b) * share, _dot(a, b) * share
    together = both / np.sqrt((energy_now + 2.0) * (energy_then + 2.0))
    return (
        np.asarray(1.0 - together, dtype=np.float32), np.asarray(np.sqrt(energy_now), dtype=np.float32),
        np.asarray(np.sqrt(energy_then), dtype=np.float32),
    )


def _gamma(linear: Floats) -> Floats:
    low = _within(linear - _OFFSET, 0.0, 1.0)
    power = np.asarray(cv2.pow(low.reshape(len(low), -1), 1 / 2.4), dtype=np.float32).reshape(low.shape)
    bent = np.float32(1.055) * power - np.float32(0.055)
    return np.asarray(np.where(low <= 0.0031308, low * np.float32(12.92), bent), dtype=np.float32)
