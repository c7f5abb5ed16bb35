"""Fits the numbers that tell tiles from print, leaving out one recording at a time to see how they do on strangers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.scikit import scikit
from vision.logistic import Logistic
from vision.slot_features import NAMES


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Measured slots with what really lay there."""

    features: NDArray[np.float64]
    """(N, features)."""
    full: NDArray[np.bool_]
    """(N,) whether a tile lay there."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did on a recording that it was not fitted on."""

    wrong: int
    of: int
    sure: int
    """Slots given at least 99 %."""
    sure_wrong: int


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one of the models is fitted."""

    is_own: bool
    """Whether places are compared with their own look when they were empty, or with that of their sisters."""
    ignored: tuple[str, ...] = ()
    """Numbers that are left out."""
    evenly: bool = False
    """Whether full and empty places count alike, however many there are of each."""


_OWN_LOOK = ("texture", "top_unlike_low", "top_unlike_middle", "top_unlike_texture")
"""What only means something against a reference of the same place."""
_TILE = ("purer", "darkening", "darker_than_around", "tile_like", "tile_lead")
"""What is asked of tiles alone: a token has its player's colour and may be as light as the print below it. Nor are
places for such things empty as often as those for tiles."""
RECIPES: Mapping[str, Recipe] = {
    "own": Recipe(is_own=True),
    "borrowed": Recipe(is_own=False, ignored=_OWN_LOOK),
    "own thing": Recipe(is_own=True, ignored=_TILE, evenly=True),
    "borrowed thing": Recipe(is_own=False, ignored=_OWN_LOOK + _TILE, evenly=True),
}
"""The models that `vision.readers.slots` asks for: two for places of tiles, two for those that hold one thing only."""


def fit(examples: Mapping[str, Examples], recipe: Recipe, strength: float = 0.3) -> Logistic:
    """One model from all recordings, each counting alike."""
    features = np.concatenate([one.features for one in examples.values()])
    features[:, [NAMES.index(name) for name in recipe.ignored]] = 0.0
    full = np.concatenate([one.full for one in examples.values()])
    weights = np.concatenate([np.full(len(one.full), len(full) / len(one.full)) for one in examples.values()])
    if recipe.evenly:
        weights = np.where(full, weights / weights[full].sum(), weights / weights[~full].sum())
    weights /= weights.mean()
    mean, scale = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-3)
    fitted, bias = fit_logistic((features - mean) / scale, full, weights, strength)
    return Logistic(NAMES, mean, scale, fitted, bias)


def fit_logistic(
    features: NDArray[np.float64], answers: NDArray[np.bool_], weights: NDArray[np.float64], strength: float
) -> tuple[NDArray[np.float64], float]:
    """The weight of each feature and the bias that make the answers likeliest.

    The less `strength`, the more large weights are held down; the bias is free.
    """
    model = scikit("linear_model").LogisticRegression(C=strength, tol=1e-8, max_iter=5000)
    fitted = model.fit(features, answers, sample_weight=weights)
    return np.asarray(fitted.coef_[0], dtype=np.float64), float(fitted.intercept_[0])


def leave_one_out(examples: Mapping[str, Examples], recipe: Recipe, strength: float = 0.3) -> dict[str, Trial]:
    """For each recording, how a model fitted on the others does on it."""
    trials = {}
    for name, held in examples.items():
        others = {other: one for other, one in examples.items() if other != name}
        odds = fit(others, recipe, strength).log_odds(held.features)
        wrong = (odds > 0) != held.full
        sure = np.abs(odds) > np.log(99.0)
        trials[name] = Trial(int(wrong.sum()), len(wrong), int(sure.sum()), int((wrong & sure).sum()))
    return trials
