"""Fitted numbers of a logistic model: from features to the log odds of a yes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """Standardise, weigh, add up."""

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    slope: float = 1.0
    """How far the odds are believed: fitted on recordings that the weights were not fitted on."""

    def log_odds(self, features: ArrayLike) -> NDArray[np.float64]:
        """(N,) of features (N, len(names))."""
        values = (np.asarray(features, dtype=np.float64) - self.mean) / self.scale
        return np.asarray(self.slope * (np.clip(values, -8.0, 8.0) @ self.weights + self.bias), dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a file."""
        return {
            "names": list(self.names), "mean": self.mean.round(5).tolist(), "scale": self.scale.round(5).tolist(),
            "weights": self.weights.round(5).tolist(), "bias": round(self.bias, 5), "slope": round(self.slope, 4),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Logistic:
        """The reverse of `to_json`."""
        mean, scale, weights = (np.array(data[key], dtype=np.float64) for key in ("mean", "scale", "weights"))
        return Logistic(tuple(data["names"]), mean, scale, weights, float(data["bias"]), float(data["slope"]))


def shipped(name: str) -> dict[str, Logistic]:
    """The models in a file that comes with this package."""
    text = resources.files("vision").joinpath(name).read_text(encoding="utf-8")
    return {key: Logistic.from_json(value) for key, value in json.loads(text).items()}
