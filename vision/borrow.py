"""How a place looks empty when nobody took a picture of the empty table: its sisters know.

Places that are printed alike look alike while they are empty; tiles on them differ in colour, or lie askew. So the
look that most sisters share is the empty one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import to_gamma, to_lab, to_linear
from vision.frame import Image
from vision.layout import PlaceSpec

SUIT_STEPS = 6
SUIT_SHARE = 0.55
"""At least so many of a board's places are taken to be empty when its light is matched."""
_LINEAR = np.asarray(to_linear(np.arange(256) / 255.0), dtype=np.float64)

SMALL = 8
"""Places are compared at 8 × 8: fine print differs in sharpness between a near board and a far one."""
ALIKE_LAB = 7.0
"""Places whose typical spot differs by no more than about this look the same."""


def borrow_all(places: Mapping[str, Sequence[PlaceSpec]], faces: Mapping[str, Image]) -> dict[str, Image]:
    """For each board, how its places look empty, from all places of the table that are printed alike."""
    empty = {name: looks.copy() for name, looks in faces.items()}
    groups: dict[Hashable, list[tuple[str, int]]] = {}
    for name, specs in places.items():
        for index, place in enumerate(specs):
            groups.setdefault(sisterhood(place), []).append((name, index))
    for members in groups.values():
        look = borrow_empty(np.stack([faces[name][index] for name, index in members]))
        for name, index in members:
            empty[name][index] = look
    return {name: suit(looks, faces[name]) for name, looks in empty.items()}


def borrow_on_board(
    places: Sequence[PlaceSpec], faces: Image, empty: Image, bare: NDArray[np.bool_]
) -> Image:
    """The looks of one board again, now that some of its places are known to be bare: these are the best sisters."""
    better = empty.copy()
    groups: dict[Hashable, list[int]] = {}
    for index, place in enumerate(places):
        groups.setdefault(sisterhood(place), []).append(index)
    for members in groups.values():
        known = [index for index in members if bare[index]]
        for index in members:
            others = [other for other in known if other != index]
            if others:
                better[index] = np.median(faces[others], axis=0)
    return better


def sisterhood(place: PlaceSpec) -> Hashable:
    """What places that are printed alike have in common."""
    return place.prints, place.size, place.item


def borrow_empty(faces: Image) -> Image:
    """(n, n, 3): how places printed alike look empty, from faces (places, n, n, 3) under one light."""
    apart = distances(faces)
    near = np.exp(-np.square(apart / ALIKE_LAB))
    centre = int(near.sum(axis=1).argmax())
    alike = apart[centre] < 1.6 * ALIKE_LAB
    return np.asarray(np.median(faces[alike], axis=0), dtype=np.uint8)


def suit(empty: Image, faces: Image) -> Image:
    """Borrowed looks (places, n, n, 3) under the light of the board they are borrowed for.

    A board may lie in another shade, or in the gloss of a lamp that washes its print out: one gain and one haze for
    each channel explain that. Tiles on some of its places do not, so the places that fit worst are left out.
    """
    now = _LINEAR[faces].reshape(len(faces), -1, 3)
    then = _LINEAR[empty].reshape(len(faces), -1, 3)
    gain, haze = np.ones(3), np.zeros(3)
    for _ in range(SUIT_STEPS):
        miss = np.abs(np.sqrt(now) - np.sqrt(np.clip(then * gain + haze, 0.0, 1.0))).mean(axis=2)
        typical = np.median(miss, axis=1)
        fitting = typical <= np.quantile(typical, SUIT_SHARE)
        close = miss[fitting] <= np.quantile(miss[fitting], 0.8)
        for channel in range(3):
            x, y = then[fitting][close][:, channel], now[fitting][close][:, channel]
            # Relative errors: a dark print says as much about haze as a bright one about gain.
            weight = 1.0 / np.square(0.03 + x)
            mean_x, mean_y = np.average(x, weights=weight), np.average(y, weights=weight)
            spread = np.average(np.square(x - mean_x), weights=weight) + 1e-6
            slope = np.average((x - mean_x) * (y - mean_y), weights=weight) / spread
            gain[channel] = np.clip(slope, 0.6, 1.5)
            haze[channel] = np.clip(mean_y - gain[channel] * mean_x, -0.02, 0.2)
    suited = np.clip(_LINEAR[empty] * gain + haze, 0.0, 1.0)
    return np.asarray(np.round(to_gamma(suited) * 255.0), dtype=np.uint8)


def distances(faces: Image) -> NDArray[np.float64]:
    """(places, places): the median difference of spots, in Lab, when both are brought to the same lightness."""
    small = np.stack([cv2.resize(face, (SMALL, SMALL), interpolation=cv2.INTER_AREA) for face in faces])
    lab = to_lab(small).reshape(len(faces), -1, 3)
    lightness = lab[..., 0] - 0.6 * (np.median(lab[..., 0], axis=1, keepdims=True) - np.median(lab[..., 0]))
    flat = np.concatenate([lightness[..., None], lab[..., 1:]], axis=2)
    rows = [np.median(np.linalg.norm(flat - one, axis=2), axis=1) for one in flat]
    return np.asarray(rows, dtype=np.float64)
