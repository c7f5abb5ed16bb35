"""A few Gaussian blobs that together explain a cloud of values."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

MOST_ROUNDS = 100
ENOUGH = 1e-3
"""Fitting ends when a round makes a value likelier by less than this, in log probability."""
STARTS = 3
"""The first grouping is the best of so many: where it begins must not decide how a colour looks."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Blobs with the share of the values that each explains."""

    weights: NDArray[np.float64]
    """(K,), summing to 1."""
    means: NDArray[np.float64]
    """(K, D)."""
    covariances: NDArray[np.float64]
    """(K, D, D)."""


def fit_mixture(values: NDArray[np.float64], blobs: int, least_variance: float) -> Mixture:
    """Blobs for values (N, D), found by expectation and maximisation from groups of near values.

    `least_variance` is added to each blob's spread in every direction, so that a few like values make no needle.
    """
    values = np.asarray(values, dtype=np.float64)
    belongs = _grouped(values, blobs)
    before = -np.inf
    for _ in range(MOST_ROUNDS):
        mixture = _blobs_of(values, belongs, least_variance)
        log_each = _log_each(values, mixture)
        highest = log_each.max(axis=1, keepdims=True)
        log_total = highest[:, 0] + np.log(np.exp(log_each - highest).sum(axis=1))
        belongs = np.exp(log_each - log_total[:, None])
        likelihood = float(log_total.mean())
        if abs(likelihood - before) < ENOUGH:
            break
        before = likelihood
    return mixture


def _grouped(values: NDArray[np.float64], groups: int) -> NDArray[np.float64]:
    """(N, groups): 1 for the group of near values that each belongs to."""
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
    cv2.setRNGSeed(0)
    _, labels, _ = cv2.kmeans(values.astype(np.float32), groups, np.empty(0, dtype=np.int32), criteria, STARTS,
                              cv2.KMEANS_PP_CENTERS)
    return np.asarray(np.eye(groups)[labels.ravel()], dtype=np.float64)


def _blobs_of(values: NDArray[np.float64], belongs: NDArray[np.float64], least_variance: float) -> Mixture:
    shares = belongs.sum(axis=0) + 10 * np.finfo(np.float64).eps
    means = belongs.T @ values / shares[:, None]
    away = values[:, None, :] - means[None]
    covariances = np.einsum("nk,nki,nkj->kij", belongs, away, away) / shares[:, None, None]
    covariances = covariances + least_variance * np.eye(values.shape[1])
    return Mixture(shares / shares.sum(), means, covariances)


def _log_each(values: NDArray[np.float64], mixture: Mixture) -> NDArray[np.float64]:
    """(N, K): the log of each blob's share times its density at each value."""
    roots = np.linalg.cholesky(mixture.covariances)
    found = np.empty((len(values), len(mixture.weights)))
    for index, (weight, mean, root) in enumerate(zip(mixture.weights, mixture.means, roots, strict=True)):
        scaled = np.linalg.solve(root, (values - mean).T)
        log_size = float(np.log(np.diag(root)).sum()) + 0.5 * len(mean) * np.log(2 * np.pi)
        found[:, index] = np.log(weight) - log_size - 0.5 * np.square(scaled).sum(axis=0)
    return found
