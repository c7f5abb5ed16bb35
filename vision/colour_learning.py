"""Three ways to know a table's colours: from tiles that people named, from loose tiles nobody named, or from memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.colours import ColourModel, from_lab, to_gamma, to_lab, to_linear
from vision.frame import Image
from vision.mixture import fit_mixture
from vision.patches import PatchModel, thirds, thirds_of_each

WHITE_LEVEL = 225.0
"""sRGB level of a board's white under the built-in model's light."""
SAMPLE_NOISE_LAB = (6.0, 4.0, 4.0)
"""How far a tile elsewhere on the table, in other shade and gloss, may be from the samples."""
SAMPLE_BLOB_LAB = 2.0
"""The least spread of one blob of a sample tile's colour."""
VEILS = ((0.0, 0.55), (0.06, 0.25), (0.15, 0.12), (0.28, 0.08))
"""Gloss lays a grey veil over a tile's top, in linear light, and how often it is that thick."""
PRIOR_SHARE = 0.1
"""What is kept of the model before when a table's own tiles are learnt."""
SEEN_PRIOR_SHARE = 0.3
"""The same where tiles were recognised rather than named: one of them may be taken for another."""
_AUGMENTED, _SPOTS = 400, 81
_SAMPLE_SPREAD = np.kron(np.full((3, 3), 0.7) + 0.3 * np.eye(3), np.diag(np.square([8.0, 5.0, 5.0])))
"""Covariance of the thirds of one tile from spot to spot of a table: light moves all three together."""


def builtin_model(colours: Mapping[str, tuple[int, int, int]], without: Sequence[str] = ()) -> ColourModel:
    """The model from memory, for the colours of a layout, under a light in which a board's white is WHITE_LEVEL.

    Every tile colour measured so far is one or two blobs, widened by the lights, shades and gloss that another table
    may have; the layout's own typical value stands in for a colour never measured. `without` leaves out sources by
    name, so that a recording can be judged by a model that has not seen it.
    """
    sources = [source for source in _measured() if source["source"] not in without]
    weights, means, covariances = [], [], []
    for name, typical in colours.items():
        blobs = [
            (float(blob["share"]), _under_white(blob["lab"], source["white_srgb"]))
            for source in sources
            for blob in source["colours"].get(name, ())
        ]
        blobs = blobs or [(1.0, np.array(typical[::-1], dtype=np.float64))]
        widened = [_widen(bgr, veil, index) for index, (_, bgr) in enumerate(blobs) for veil, _ in VEILS]
        shares = np.array([share * often for share, _ in blobs for _, often in VEILS])
        weights.append(shares / shares.sum())
        means.append(np.stack([mean for mean, _ in widened]))
        covariances.append(np.stack([covariance for _, covariance in widened]))
    return ColourModel(tuple(colours), tuple(weights), tuple(means), tuple(covariances))


def builtin_patches(colours: Mapping[str, tuple[int, int, int]], without: Sequence[str] = ()) -> PatchModel:
    """As `builtin_model`, for patches: each source's tile is imagined many times over and its thirds measured."""
    return _builtin_patches(tuple(colours.items()), tuple(without))


@lru_cache(maxsize=4)
def _builtin_patches(colours: tuple[tuple[str, tuple[int, int, int]], ...], without: tuple[str, ...]) -> PatchModel:
    """The same, once: it takes a second, and does not depend on the table."""
    weights, means, covariances = [], [], []
    for name, typical in colours:
        tiles = [
            [(float(blob["share"]), _under_white(blob["lab"], source["white_srgb"])) for blob in blobs]
            for source in _measured()
            if source["source"] not in without and (blobs := source["colours"].get(name))
        ]
        tiles = tiles or [[(1.0, np.array(typical[::-1], dtype=np.float64))]]
        imagined = [_imagine(tile, veil, seed) for seed, tile in enumerate(tiles) for veil, _ in VEILS]
        weights.append(np.array([often / len(tiles) for _ in tiles for _, often in VEILS]))
        means.append(np.stack([features.mean(axis=0) for features in imagined]))
        covariances.append(np.stack([np.cov(features.T) + 9.0 * np.eye(9) for features in imagined]))
    return PatchModel(tuple(name for name, _ in colours), tuple(weights), tuple(means), tuple(covariances))


def fit_sample_patches(prior: PatchModel, patches: Mapping[str, Sequence[Image]]) -> PatchModel:
    """A patch model of this table's own tiles; a colour without a patch keeps the prior's."""
    weights, means, covariances = list(prior.weights), list(prior.means), list(prior.covariances)
    for index, name in enumerate(prior.names):
        given = [thirds(patch) for patch in patches.get(name, ())]
        if not given:
            continue
        own = np.repeat([often for _, often in VEILS], len(given)) * (1 - PRIOR_SHARE) / len(given)
        weights[index] = np.append(own, prior.weights[index] * PRIOR_SHARE)
        veiled = [_veiled(np.reshape(given, (-1, 3)), veil).reshape(-1, 9) for veil, _ in VEILS]
        means[index] = np.concatenate([*veiled, prior.means[index]])
        spread = np.repeat(_SAMPLE_SPREAD[None], len(own), axis=0)
        covariances[index] = np.concatenate([spread, prior.covariances[index]])
    return PatchModel(prior.names, tuple(weights), tuple(means), tuple(covariances))


def sample_looks(patches: Mapping[str, Sequence[Image]]) -> PatchModel:
    """The looks of named tiles alone, nothing remembered from other tables."""
    means = tuple(np.stack([thirds(patch) for patch in given]) for given in patches.values())
    weights = tuple(np.full(len(each), 1.0 / len(each)) for each in means)
    spreads = tuple(np.repeat(_SAMPLE_SPREAD[None], len(each), axis=0) for each in means)
    return PatchModel(tuple(patches), weights, means, spreads)


def fit_samples(prior: ColourModel, patches: Mapping[str, Sequence[Image]]) -> ColourModel:
    """A model of this table's own tiles: patches of tile tops by colour, all under the reference light.

    A colour without a patch keeps the prior's blobs.
    """
    weights, means, covariances = list(prior.weights), list(prior.means_lab), list(prior.covariances_lab)
    for index, name in enumerate(prior.names):
        given = [np.asarray(patch).reshape(-1, 3) for patch in patches.get(name, ())]
        if not given or sum(map(len, given)) < 30:
            continue
        lab = to_lab(np.concatenate(given)).astype(np.float64)
        mixture = fit_mixture(lab, 3, SAMPLE_BLOB_LAB**2)
        spread = np.diag(np.square(SAMPLE_NOISE_LAB))
        weights[index] = np.concatenate([mixture.weights * (1 - PRIOR_SHARE), prior.weights[index] * PRIOR_SHARE])
        means[index] = np.concatenate([mixture.means, prior.means_lab[index]])
        covariances[index] = np.concatenate([mixture.covariances + spread, prior.covariances_lab[index]])
    return ColourModel(prior.names, tuple(weights), tuple(means), tuple(covariances))


def fit_seen(names: Sequence[str], patches: Mapping[str, Sequence[Image]]) -> ColourModel:
    """The colours of which tiles were recognised at the table, two blobs each, to be blended with what was known."""
    found, weights, means, covariances = [], [], [], []
    spread = np.diag(np.square(SAMPLE_NOISE_LAB))
    for name in names:
        given = [np.asarray(patch).reshape(-1, 3) for patch in patches.get(name, ())]
        if not given:
            continue
        lab = to_lab(np.concatenate(given))
        criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.2)
        cv2.setRNGSeed(0)
        _, labels, _ = cv2.kmeans(lab, 2, np.empty(0, dtype=np.int32), criteria, 2, cv2.KMEANS_PP_CENTERS)
        groups = [lab[labels.ravel() == group].astype(np.float64) for group in range(2)]
        groups = [group for group in groups if len(group) > 9]
        shares = np.array([len(group) for group in groups])
        found.append(name)
        middles = np.stack([group.mean(axis=0) for group in groups])
        weights.append(np.concatenate([often * shares / shares.sum() for _, often in VEILS]))
        means.append(np.concatenate([_veiled(middles, veil) for veil, _ in VEILS]))
        covariances.append(np.stack([np.cov(group.T) + spread for group in groups] * len(VEILS)))
    return ColourModel(tuple(found), tuple(weights), tuple(means), tuple(covariances))


def builtin_sources() -> list[str]:
    """The names of the tables whose tiles the model from memory knows."""
    return [str(source["source"]) for source in _measured()]


@cache
def _measured() -> list[dict[str, Any]]:
    text = resources.files("vision").joinpath("builtin_colours.json").read_text(encoding="utf-8")
    return list(json.loads(text))


def _under_white(lab: ArrayLike, white_srgb: Sequence[float]) -> NDArray[np.float64]:
    """BGR of a colour as it would look if the white beside it were WHITE_LEVEL."""
    gains = to_linear(WHITE_LEVEL / 255.0) / to_linear(np.array(white_srgb[::-1]) / 255.0)
    linear = to_linear(from_lab(lab) / 255.0) * gains
    return np.asarray(to_gamma(linear) * 255.0)


def _veiled(lab: NDArray[np.float64], veil: float) -> NDArray[np.float64]:
    """Colours (N, 3) in Lab under a veil of gloss."""
    levels = to_gamma(to_linear(from_lab(lab) / 255.0) + veil) * 255.0
    return np.asarray(to_lab(levels), dtype=np.float64)


def _widen(bgr: NDArray[np.float64], veil: float, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and covariance in Lab of a colour over lights not quite balanced, darker or glossier ones."""
    random = np.random.default_rng(seed)
    linear = np.repeat(to_linear(bgr / 255.0)[None], _AUGMENTED, axis=0)
    linear = linear * np.exp(random.normal(0, 0.10, (_AUGMENTED, 3))) * np.exp(random.normal(0, 0.25, (_AUGMENTED, 1)))
    tint = np.exp(random.normal(0, 0.2, (_AUGMENTED, 3)))
    linear = linear + veil * tint + np.abs(random.normal(0, 0.02 + 0.2 * veil, (_AUGMENTED, 1)))
    lab = to_lab(to_gamma(linear) * 255.0).astype(np.float64) + random.normal(0, 4.0, (_AUGMENTED, 3))
    return lab.mean(axis=0), np.cov(lab.T)


def _imagine(tile: Sequence[tuple[float, NDArray[np.float64]]], veil: float, seed: int) -> NDArray[np.float64]:
    """Thirds of a tile made of blobs (share, BGR), in many lights, sharp and blurred: (N, 9)."""
    random = np.random.default_rng(seed)
    count = _AUGMENTED // 4
    shares = np.array([share for share, _ in tile])
    blobs = to_linear(np.stack([bgr for _, bgr in tile]) / 255.0)
    each = np.clip(shares * np.exp(random.normal(0, 0.25, (count, len(shares)))), 1e-3, None)
    below = np.cumsum(each / each.sum(axis=1, keepdims=True), axis=1)[:, None, :-1]
    pixels = blobs[(random.random((count, _SPOTS, 1)) > below).sum(axis=2)]
    blur = random.uniform(0.0, 0.6, (count, 1, 1))
    pixels = pixels * (1 - blur) + pixels.mean(axis=1, keepdims=True) * blur
    pixels = pixels * np.exp(random.normal(0, 0.10, (count, 1, 3)) + random.normal(0, 0.25, (count, 1, 1)))
    gloss = veil * np.exp(random.normal(0, 0.2, (count, 1, 3)))
    gloss = gloss + np.abs(random.normal(0, 0.02 + 0.2 * veil, (count, 1, 1)))
    # A reflection seldom covers a whole top alike: it fades from one side to the other.
    gloss = gloss * (1 + random.uniform(0.0, 1.0, (count, 1, 1)) * random.uniform(-1.0, 1.0, (count, _SPOTS, 1)))
    pixels = pixels + gloss + np.abs(random.normal(0, 0.01, (count, _SPOTS, 1)))
    levels = to_gamma(pixels) * 255.0 + random.normal(0, 4.0, (count, _SPOTS, 3))
    return thirds_of_each(np.clip(levels, 0, 255))
