"""What a tile's top looks like as a whole: its dark, middle and bright thirds, so that ornament counts.

Single pixels cannot tell a white tile with a turquoise star from a plain cream one, nor yellow with red ornament from
red. The thirds (by lightness) of a patch can, at any angle of the tile and at any size in the picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.colours import UNKNOWN, Light, from_lab, to_gamma, to_lab, to_linear

Matrix = NDArray[np.float64]

UNFAMILIAR_SIGMAS = 6.0
"""Farther than this from every colour, a patch is more likely no tile at all."""


def thirds(pixels_bgr: ArrayLike) -> Matrix:
    """(9,): mean Lab of the darkest, the middle and the brightest third of a patch (..., 3)."""
    return np.asarray(thirds_of_each(np.asarray(pixels_bgr)[None])[0])


def thirds_of_each(patches_bgr: ArrayLike) -> Matrix:
    """(N, 9): the same for many patches (N, ..., 3)."""
    lab = to_lab(patches_bgr).astype(np.float64)
    lab = lab.reshape(len(lab), -1, 3)
    patches, count = lab.shape[:2]
    order = np.argsort(lab[..., 0], axis=1) + np.arange(0, patches * count, count)[:, None]
    ordered = lab.reshape(-1, 3).take(order, axis=0)
    sizes = np.array([(count + 2) // 3, (count + 1) // 3, count // 3])
    sums = np.add.reduceat(ordered, np.cumsum(sizes) - sizes, axis=1)
    return np.asarray((sums / sizes[:, None]).reshape(-1, 9))


@dataclass(frozen=True, slots=True, eq=False)
class PatchModel:
    """For each colour a mixture of Gaussians over the thirds of a patch, under the reference light."""

    names: tuple[str, ...]
    weights: tuple[Matrix, ...]
    """(K,) each."""
    means: tuple[Matrix, ...]
    """(K, 9) each."""
    covariances: tuple[Matrix, ...]
    """(K, 9, 9) each."""

    def log_densities(self, features: ArrayLike) -> Matrix:
        """(N, colours) of features (N, 9)."""
        return PatchTable(self).log_densities(features)

    def log_probs(self, features: ArrayLike) -> dict[str, float]:
        """Log probabilities of the colours, and of `unknown`, for one patch."""
        evidence = np.append(self.log_densities(features)[0], self._unknown())
        evidence -= evidence.max()
        evidence -= math.log(np.exp(evidence).sum())
        return dict(zip((*self.names, UNKNOWN), map(float, evidence), strict=True))

    def _unknown(self) -> float:
        usual = np.median(np.concatenate([np.linalg.slogdet(covariances)[1] for covariances in self.covariances]))
        return float(-0.5 * (usual + UNFAMILIAR_SIGMAS**2))

    def only(self, names: Sequence[str]) -> PatchModel:
        """The model of some of the colours, in the order given."""
        picks = [self.names.index(name) for name in names]
        return PatchModel(
            tuple(names), tuple(self.weights[i] for i in picks), tuple(self.means[i] for i in picks),
            tuple(self.covariances[i] for i in picks),
        )

    def under(self, light: Light) -> PatchModel:
        """The model as another light shows it: `light` brings this model's light to the other."""
        means = tuple(
            to_lab(to_gamma(to_linear(from_lab(blobs.reshape(-1, 3)) / 255.0) * np.array(light.gains)) * 255.0)
            .astype(np.float64).reshape(-1, 9)
            for blobs in self.means
        )
        return PatchModel(self.names, self.weights, means, self.covariances)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a calibration file."""
        return {
            name: {
                "weights": self.weights[i].round(4).tolist(), "means": self.means[i].round(3).tolist(),
                "covariances": self.covariances[i].round(3).tolist(),
            }
            for i, name in enumerate(self.names)
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> PatchModel:
        """The reverse of `to_json`."""
        return PatchModel(
            tuple(data), tuple(np.array(blob["weights"], dtype=np.float64) for blob in data.values()),
            tuple(np.array(blob["means"], dtype=np.float64) for blob in data.values()),
            tuple(np.array(blob["covariances"], dtype=np.float64) for blob in data.values()),
        )


class PatchTable:
    """A patch model with its inverses worked out, for reading many patches."""

    def __init__(self, model: PatchModel) -> None:
        self.names = model.names
        means, covariances = np.concatenate(model.means), np.concatenate(model.covariances)
        whiten = np.linalg.cholesky(np.linalg.inv(covariances))
        # All blobs side by side, so that one product serves all.
        self._whiten = np.ascontiguousarray(whiten.transpose(1, 0, 2).reshape(9, -1))
        self._middles = np.einsum("ki,kij->kj", means, whiten).ravel()
        self._offsets = np.log(np.concatenate(model.weights)) - 0.5 * np.linalg.slogdet(covariances)[1]
        self._sizes = np.array([len(weights) for weights in model.weights])
        self._starts = np.cumsum(self._sizes) - self._sizes

    def log_densities(self, features: ArrayLike) -> Matrix:
        """(N, colours) of features (N, 9), but for a constant."""
        values = np.asarray(features, dtype=np.float64).reshape(-1, 9)
        apart = (values @ self._whiten - self._middles).reshape(len(values), -1, 9)
        terms = self._offsets - 0.5 * np.einsum("nki,nki->nk", apart, apart)
        top = np.maximum.reduceat(terms, self._starts, axis=1)
        spread = np.repeat(top, self._sizes, axis=1)
        return np.asarray(top + np.log(np.add.reduceat(np.exp(terms - spread), self._starts, axis=1)))
