"""Measures how the tiles of a table look, for the colours that the companion knows from memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.scikit import scikit
from vision.colour_learning import SAMPLE_BLOB_LAB, WHITE_LEVEL
from vision.colours import Light, to_lab
from vision.frame import Image

BLOBS = 2
"""A tile has a ground and an ornament."""
MOST_PIXELS = 20_000
"""Enough of a colour: more would only take longer."""


@dataclass(frozen=True, slots=True)
class Blob:
    """One shade of a tile colour as the camera saw it."""

    lab: tuple[float, float, float]
    share: float


def shades(tops: Sequence[Image]) -> tuple[Blob, ...]:
    """The shades that the tops of some tiles of one colour are made of, the commonest first."""
    pixels = np.concatenate([np.asarray(top).reshape(-1, 3) for top in tops])
    pixels = pixels[:: len(pixels) // MOST_PIXELS + 1]
    model = scikit("mixture").GaussianMixture(BLOBS, reg_covar=SAMPLE_BLOB_LAB**2, n_init=3, random_state=0)
    fitted = model.fit(to_lab(pixels).astype(np.float64))
    found = []
    for index in np.argsort(-fitted.weights_):
        lightness, green_red, blue_yellow = (round(float(value), 1) for value in fitted.means_[index])
        found.append(Blob((lightness, green_red, blue_yellow), round(float(fitted.weights_[index]), 3)))
    return tuple(found)


def white_under(light: Light) -> tuple[int, int, int]:
    """What a board's white looked like (red, green, blue) where this light brings it to the reference."""
    white: Image = np.full((1, 1, 3), round(WHITE_LEVEL), dtype=np.uint8)
    blue, green, red = map(int, light.inverse().apply(white)[0, 0])
    return red, green, blue


def source(name: str, light: Light, tops: Mapping[str, Sequence[Image]]) -> dict[str, Any]:
    """One table as the file of built-in colours has it, from tile tops by colour as the camera saw them: brought to the
    reference light, the palest would be lost in white."""
    return {
        "source": name,
        "white_srgb": list(white_under(light)),
        "colours": {
            colour: [{"lab": list(blob.lab), "share": blob.share} for blob in shades(tops[colour])]
            for colour in sorted(tops)
        },
    }
