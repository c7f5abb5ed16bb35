"""Colours of tiles under any light: which colours a pixel or a patch may have, as probabilities.

A colour is a mixture of a few blobs in Lab, because real tiles carry ornament: one blob for the ground, others for the
ornament, the gloss and the shaded rim. Pixels are first brought to one light (`Light`); then everything is a look-up
in a table of 32 × 32 × 32 colours, so that a whole heap costs less than a millisecond.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.frame import Image

Floats = NDArray[np.float32]

UNKNOWN = "unknown"
UNIFORM_LOG_DENSITY = -math.log(100.0 * 110.0 * 120.0)
"""Density of a colour about which nothing is known, over the part of Lab that cameras see."""
UNKNOWN_SHARE = 0.02
"""Share of a tile's pixels that may look like anything: a scratch, a crumb, a glint."""
PATCH_WEIGHT = 6.0
"""Neighbouring pixels say the same thing twice: a whole patch counts as this many independent pixels."""
_BITS = 5
_AT_ONCE = 4096
"""So many colours are weighed at a time: all 32768 of a table with some 100 blobs took 100 MB for a moment."""
_MIDDLE_LAB = np.array([50.0, 0.0, 0.0])


@dataclass(frozen=True, slots=True)
class Light:
    """Gains of blue, green and red, in linear light, that bring a picture to the reference light."""

    gains: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def curves(self) -> Image:
        """(1, 256, 3) uint8 for cv2.LUT."""
        return _curves(self.gains)

    def apply(self, image: Image) -> Image:
        """The picture as the reference light would show it."""
        if max(abs(gain - 1.0) for gain in self.gains) < 0.01:
            return image
        return np.asarray(cv2.LUT(image, self.curves()), dtype=np.uint8)

    def inverse(self) -> Light:
        """From the reference light back to this one."""
        blue, green, red = self.gains
        return Light((1.0 / blue, 1.0 / green, 1.0 / red))

    def differs(self, other: Light, share: float) -> bool:
        """Whether a channel's gain is another one by more than a share."""
        return any(abs(one - was) > share * was for one, was in zip(self.gains, other.gains, strict=True))

    def then(self, other: Light) -> Light:
        """Both, one after the other."""
        blue, green, red = (a * b for a, b in zip(self.gains, other.gains, strict=True))
        return Light((blue, green, red))


def match_light(pixels: ArrayLike, reference: ArrayLike) -> Light:
    """The light that turns pixels (N, 3) into the reference's pixels of the same spots, though some are covered.

    The most frequent ratio is taken, not the mean: a third of the spots may show a tile or a hand instead.
    """
    seen = np.asarray(pixels, dtype=np.uint8).reshape(-1, 3)
    wanted = np.asarray(reference, dtype=np.uint8).reshape(-1, 3)
    lowest, highest = (np.asarray(some(seen, wanted)).T for some in (cv2.min, cv2.max))
    low, high = (some(some(one[0], one[1]), one[2]) for some, one in ((np.minimum, lowest), (np.maximum, highest)))
    usable = np.flatnonzero((low > 12) & (high < 250))
    if len(usable) < 20:
        return Light()
    logs = _log_linear()
    ratios = logs.take(wanted.T.take(usable, axis=1)) - logs.take(seen.T.take(usable, axis=1))
    ratios.sort(axis=1)
    blue, green, red = (math.exp(min(max(mode, -2.5), 2.5)) for mode in half_sample_modes(ratios).tolist())
    return Light((blue, green, red))


@lru_cache(maxsize=64)
def _curves(gains: tuple[float, float, float]) -> Image:
    linear, bounds = _linear_levels()
    # Channel by channel the levels come in order, which makes them quicker to find.
    return np.ascontiguousarray(np.searchsorted(bounds, np.array(gains)[:, None] * linear).T[None], dtype=np.uint8)


@cache
def _linear_levels() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The linear light of each of the 256 levels, and of the bounds between them."""
    levels = np.arange(256)
    return np.asarray(to_linear(levels / 255.0)), np.asarray(to_linear((levels[:-1] + 0.5) / 255.0))


@cache
def _log_linear() -> NDArray[np.float64]:
    """The log of the linear light of each of the 256 levels."""
    return np.asarray(np.log(np.maximum(to_linear(np.arange(256) / 255.0), 1e-6)))


def white_light(pixels: ArrayLike, white: float = 225.0) -> Light:
    """The light that makes the brightest tenth of a board's pixels a plain white, for a table never seen before."""
    seen = np.asarray(pixels, dtype=np.float32).reshape(-1, 3)
    brightness = seen.max(axis=1)
    bright = seen[(brightness >= np.quantile(brightness, 0.85)) & (brightness <= np.quantile(brightness, 0.97))]
    if len(bright) == 0:
        return Light()
    linear = np.median(to_linear(bright / 255.0), axis=0)
    gains = np.clip(to_linear(white / 255.0) / np.maximum(linear, 1e-4), 0.2, 12.0)
    blue, green, red = map(float, gains)
    return Light((blue, green, red))


def half_sample_modes(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value around which the values of each row, given in order, crowd most, by halving the densest half again and
    again."""
    rows, count = ordered.shape
    firsts = np.arange(rows)
    while count > 8:
        half = (count + 1) // 2
        starts = (ordered[:, half - 1 :] - ordered[:, : count - half + 1]).argmin(axis=1)
        ordered = ordered.ravel().take((starts + firsts * count)[:, None] + np.arange(half))
        count = half
    return np.asarray(ordered.mean(axis=1))


def to_lab(bgr: ArrayLike) -> Floats:
    """CIE Lab (..., 3) of sRGB values 0-255 in the order blue, green, red."""
    values = np.asarray(bgr, dtype=np.float32) / np.float32(255.0)
    # One long row: OpenCV takes its time over every row anew.
    flat = cv2.cvtColor(values.reshape(1, -1, 3), cv2.COLOR_BGR2Lab)
    return np.asarray(flat, dtype=np.float32).reshape(values.shape)


@dataclass(frozen=True, slots=True, eq=False)
class ColourModel:
    """For each colour a mixture of Gaussians in Lab under the reference light."""

    names: tuple[str, ...]
    weights: tuple[NDArray[np.float64], ...]
    """For each colour the shares of its blobs, (K,)."""
    means_lab: tuple[NDArray[np.float64], ...]
    """(K, 3) each."""
    covariances_lab: tuple[NDArray[np.float64], ...]
    """(K, 3, 3) each."""

    def log_densities(self, lab: ArrayLike) -> Floats:
        """(N, colours): natural log density of Lab values (N, 3) under each colour."""
        values = np.asarray(lab, dtype=np.float64).reshape(-1, 3)
        starts = np.cumsum([0, *(len(weights) for weights in self.weights[:-1])])
        blobs = blob_exponents(
            np.concatenate(self.weights), np.concatenate(self.means_lab), np.concatenate(self.covariances_lab)
        )
        found = np.empty((len(values), len(self.names)), dtype=np.float32)
        for first in range(0, len(values), _AT_ONCE):
            # Exponents of all blobs at once: they are polynomials of the second degree in Lab.
            exponents = np.asarray(second_degree(values[first : first + _AT_ONCE]) @ blobs, dtype=np.float32)
            density = np.add.reduceat(np.exp(np.maximum(exponents, np.float32(-80.0))), starts, axis=1)
            found[first : first + _AT_ONCE] = np.log(
                density + np.float32(UNKNOWN_SHARE * math.exp(UNIFORM_LOG_DENSITY))
            )
        return found

    def only(self, names: Sequence[str]) -> ColourModel:
        """The model of some of the colours, in the order given."""
        picks = [self.names.index(name) for name in names]
        return ColourModel(
            tuple(names), tuple(self.weights[i] for i in picks), tuple(self.means_lab[i] for i in picks),
            tuple(self.covariances_lab[i] for i in picks),
        )

    def under(self, light: Light) -> ColourModel:
        """The model as another light shows it: `light` brings this model's light to the other."""
        means = []
        for blobs in self.means_lab:
            linear = to_linear(from_lab(blobs) / 255.0) * np.array(light.gains)
            means.append(to_lab(to_gamma(linear) * 255.0).astype(np.float64))
        return ColourModel(self.names, self.weights, tuple(means), self.covariances_lab)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a calibration file."""
        return {
            name: {
                "weights": self.weights[i].round(4).tolist(), "means_lab": self.means_lab[i].round(3).tolist(),
                "covariances_lab": self.covariances_lab[i].round(3).tolist(),
            }
            for i, name in enumerate(self.names)
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> ColourModel:
        """The reverse of `to_json`."""
        return ColourModel(
            tuple(data), tuple(np.array(blob["weights"], dtype=np.float64) for blob in data.values()),
            tuple(np.array(blob["means_lab"], dtype=np.float64) for blob in data.values()),
            tuple(np.array(blob["covariances_lab"], dtype=np.float64) for blob in data.values()),
        )


def second_degree(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 10): all products of up to two of the three numbers, about the middle of Lab."""
    x, y, z = (lab - _MIDDLE_LAB).T
    return np.column_stack([np.ones_like(x), x, y, z, x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z])


def blob_exponents(
    weights: NDArray[np.float64], means_lab: NDArray[np.float64], covariances_lab: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(10, K): with these, the terms of the second degree make up the log densities of some blobs."""
    blobs = zip(weights, means_lab, covariances_lab, strict=True)
    return np.stack([_exponent(*blob) for blob in blobs], axis=1)


def _exponent(weight: float, mean: NDArray[np.float64], covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """(10,): with these, the terms of the second degree make up the log density of a blob."""
    inverse, at = np.linalg.inv(covariance), mean - _MIDDLE_LAB
    peak = weight * (1 - UNKNOWN_SHARE) / math.sqrt((2 * math.pi) ** 3 * np.linalg.det(covariance))
    slope = inverse @ at
    square = -0.5 * inverse[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return np.concatenate([[math.log(max(peak, 1e-300)) - 0.5 * float(at @ slope)], slope, square])


class ColourTable:
    """A colour model unrolled over all colours that 5 bits a channel can tell apart."""

    def __init__(self, model: ColourModel) -> None:
        self.names = model.names
        self.log_densities: Floats = model.log_densities(_all_lab())
        """(32768, colours)."""

    def blended(self, own: ColourModel, share: float) -> ColourTable:
        """The table with the colours that `own` knows given by it, for a share of their pixels."""
        table = copy(self)
        table.log_densities = self.log_densities.copy()
        for name in own.names:
            column = self.names.index(name)
            logs = own.only([name]).log_densities(_all_lab())[:, 0]
            known = self.log_densities[:, column]
            table.log_densities[:, column] = np.logaddexp(logs + math.log(share), known + math.log(1.0 - share))
        return table

    def pixels(self, image: Image) -> Floats:
        """Log densities (..., colours) of pixels (..., 3) under the reference light."""
        return self.log_densities.take(table_rows(image), axis=0)

    def patch(self, image: Image, prior: Mapping[str, float] | None = None) -> dict[str, float]:
        """Log probabilities of the colours, and of `unknown`, for one patch (..., 3) of a tile's top."""
        mean = self.pixels(image).reshape(-1, len(self.names)).mean(axis=0)
        return patch_log_probs(mean, self.names, prior)


def table_rows(image: Image) -> NDArray[np.intp]:
    """The row of a colour table of every pixel (..., 3)."""
    small = (image >> (8 - _BITS)).astype(np.intp)
    return np.asarray((small[..., 0] << (2 * _BITS)) | (small[..., 1] << _BITS) | small[..., 2])


@cache
def _all_lab() -> Floats:
    """Lab of the middle of every cell of a table."""
    levels = (np.arange(1 << _BITS) + 0.5) * (256 / (1 << _BITS)) - 0.5
    blue, green, red = np.meshgrid(levels, levels, levels, indexing="ij")
    return to_lab(np.stack([blue, green, red], axis=-1)).reshape(-1, 3)


def patch_log_probs(
    mean_log_densities: ArrayLike, names: Sequence[str], prior: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Log probabilities from a patch's mean log densities, one for each name; `unknown` competes with its own."""
    evidence = np.append(np.asarray(mean_log_densities, dtype=np.float64), UNIFORM_LOG_DENSITY) * PATCH_WEIGHT
    keys = [*names, UNKNOWN]
    if prior is not None:
        evidence = evidence + np.log([max(prior.get(key, 1e-6), 1e-6) for key in keys])
    evidence -= evidence.max()
    log_probs = evidence - math.log(np.exp(evidence).sum())
    return dict(zip(keys, map(float, log_probs), strict=True))


def from_lab(lab: ArrayLike) -> Floats:
    """The reverse of `to_lab`, clipped to what a screen can show."""
    values = np.asarray(lab, dtype=np.float32)
    bgr = cv2.cvtColor(values.reshape(1, -1, 3), cv2.COLOR_Lab2BGR)
    return np.clip(np.asarray(bgr, dtype=np.float32).reshape(values.shape), 0.0, 1.0) * np.float32(255.0)


def to_linear(values: Any) -> Any:
    """Linear light of sRGB values 0-1."""
    low = np.asarray(values, dtype=np.float64)
    return np.where(low <= 0.04045, low / 12.92, ((np.maximum(low, 0.04045) + 0.055) / 1.055) ** 2.4)


def to_gamma(values: Any) -> Any:
    """sRGB values 0-1 of linear light."""
    low = np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)
    return np.where(low <= 0.0031308, low * 12.92, 1.055 * np.maximum(low, 0.0031308) ** (1 / 2.4) - 0.055)
