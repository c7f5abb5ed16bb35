"""Which colour a tile has that comes in a shade nobody has seen before: the one that it is nearest to.

A colour model says of such a tile that it is hardly likely to have any colour, and leaves them all about even. That is
right as long as it may be no tile at all; once it is one, yellow too pale for a known yellow is still no blue.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourModel, blob_exponents, second_degree, to_lab
from vision.frame import Image

STRAY_LAB = (14.0, 12.0, 12.0)
"""How far the tiles of another edition, or of a table in another light, stray from the known ones of their colour."""
STRAY_SHARE = 0.05
"""So many tiles do."""
LEAST_LOG_DENSITY = -60.0


class Shades:
    """How well any shade suits each colour, were it the colour of a tile."""

    def __init__(self, model: ColourModel, names: Sequence[str]) -> None:
        known = model.only(names)
        stray = np.diag(np.square(STRAY_LAB))
        self._exponents = blob_exponents(
            np.concatenate([both for own in known.weights for both in (own * (1.0 - STRAY_SHARE), own * STRAY_SHARE)]),
            np.concatenate([both for own in known.means_lab for both in (own, own)]),
            np.concatenate([both for own in known.covariances_lab for both in (own, own + stray)]),
        )
        self._starts = np.cumsum([0, *(2 * len(own) for own in known.weights[:-1])])

    def split(self, shades: Image, logs: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Log probabilities (N, colours) of the colours of things of which each shows a shade (N, 3): that it is a tile
        stays as likely as it was, the colours share that as suits the shade."""
        exponents = second_degree(to_lab(shades).astype(np.float64)) @ self._exponents
        densities = np.add.reduceat(np.exp(np.maximum(exponents, LEAST_LOG_DENSITY)), self._starts, axis=1)
        each = weight * np.log(densities)
        whole = np.logaddexp.reduce(logs, axis=1, keepdims=True)
        return np.asarray(whole + each - np.logaddexp.reduce(each, axis=1, keepdims=True), dtype=np.float64)
