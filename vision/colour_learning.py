"""Three ways to know a table's colours: from tiles that people named, from loose tiles nobody named, or from memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.colours import ColourModel, from_lab, to_gamma, to_lab, to_linear
from vision.frame import Image

WHITE_LEVEL = 225.0
"""sRGB level of a board's white under the built-in model's light."""
SAMPLE_NOISE_LAB = (6.0, 4.0, 4.0)
"""How far a tile elsewhere on the table, in other shade and gloss, may be from the samples."""
PRIOR_SHARE = 0.1
"""What is kept of the model before when a table's own tiles are learnt."""
_AUGMENTED = 400


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
        widened = [_widen(bgr, index) for index, (_, bgr) in enumerate(blobs)]
        shares = np.array([share for share, _ in blobs])
        weights.append(shares / shares.sum())
        means.append(np.stack([mean for mean, _ in widened]))
        covariances.append(np.stack([covariance for _, covariance in widened]))
    return ColourModel(tuple(colours), tuple(weights), tuple(means), tuple(covariances))


def fit_samples(prior: ColourModel, patches: Mapping[str, Sequence[Image]]) -> ColourModel:
    """A model of this table's own tiles: patches of tile tops by colour, all under the reference light.

    A colour without a patch keeps the prior's blobs.
    """
    from sklearn.mixture import GaussianMixture  # slow to import, and needed while calibrating only

    weights, means, covariances = list(prior.weights), list(prior.means_lab), list(prior.covariances_lab)
    for index, name in enumerate(prior.names):
        given = [np.asarray(patch).reshape(-1, 3) for patch in patches.get(name, ())]
        if not given or sum(map(len, given)) < 30:
            continue
        lab = to_lab(np.concatenate(given)).astype(np.float64)
        mixture = GaussianMixture(3, reg_covar=4.0, random_state=0).fit(lab)
        spread = np.diag(np.square(SAMPLE_NOISE_LAB))
        weights[index] = np.concatenate([mixture.weights_ * (1 - PRIOR_SHARE), prior.weights[index] * PRIOR_SHARE])
        means[index] = np.concatenate([mixture.means_, prior.means_lab[index]])
        covariances[index] = np.concatenate([mixture.covariances_ + spread, prior.covariances_lab[index]])
    return ColourModel(prior.names, tuple(weights), tuple(means), tuple(covariances))


@cache
def _measured() -> list[dict[str, Any]]:
    text = resources.files("vision").joinpath("builtin_colours.json").read_text(encoding="utf-8")
    return list(json.loads(text))


def _under_white(lab: ArrayLike, white_srgb: Sequence[float]) -> NDArray[np.float64]:
    """BGR of a colour as it would look if the white beside it were WHITE_LEVEL."""
    gains = to_linear(WHITE_LEVEL / 255.0) / to_linear(np.array(white_srgb[::-1]) / 255.0)
    linear = to_linear(from_lab(lab) / 255.0) * gains
    return np.asarray(to_gamma(linear) * 255.0)


def _widen(bgr: NDArray[np.float64], seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and covariance in Lab of a colour over lights not quite balanced, darker or glossier ones."""
    random = np.random.default_rng(seed)
    linear = np.repeat(to_linear(bgr / 255.0)[None], _AUGMENTED, axis=0)
    linear = linear * np.exp(random.normal(0, 0.10, (_AUGMENTED, 3))) * np.exp(random.normal(0, 0.25, (_AUGMENTED, 1)))
    linear = linear + np.abs(random.normal(0, 0.03, (_AUGMENTED, 1)))
    lab = to_lab(to_gamma(linear) * 255.0).astype(np.float64) + random.normal(0, 4.0, (_AUGMENTED, 3))
    return lab.mean(axis=0), np.cov(lab.T)
