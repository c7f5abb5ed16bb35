"""Teaching the face reader an edition's own print: one picture of each tile is enough.

Whatever the shipped network calls a print, two pictures of the same print look alike to it. So a new tile is compared
with the taught ones, and both opinions count: a face of a usual shape is still read when it was taught badly, and one
that the network never met is read because it was taught.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.convnet import Array, embed
from vision.faces import INPUT_PX, TWINS, FaceModel, Inputs

SHARPNESS = 60.0
"""How fast the likelihood changes with how much a print looks like a taught one."""
ALIKE = 0.88
"""As much as this like a taught print, a print may as well be another: two pictures of the same print are more alike,
and those of different ones less."""
MOST_LOG_ODDS = 9.0
"""However like or unlike, a taught print says no more than this. A face that was not taught is left to the network."""
NEW_LOG_ODDS = 8.0
"""A taught print that the network takes for something else counts for so much more: there the network is wrong."""
TURNS_DEG = (-8.0, 0.0, 8.0)
SIZES = (0.94, 1.06)
"""Each taught picture is also turned a little and made larger and smaller, as the next tile may lie."""


@dataclass(frozen=True, slots=True, eq=False)
class TaughtFaces:
    """A face reader that also knows one edition's own print. Reads like `FaceModel`."""

    model: FaceModel
    prints: Array
    """(prints, features): what the network finds in each taught picture, of length 1."""
    faces: tuple[str, ...]
    """The face of each."""
    new: frozenset[str]
    """Those that the network takes for something else."""

    def log_probs(self, inputs: Inputs) -> NDArray[np.float64]:
        """(n, faces) natural log-probabilities, in the order of the model's faces."""
        found = self.model.log_probs(inputs)
        alike = _features(self.model, inputs) @ self.prints.T
        for face in dict.fromkeys(self.faces):
            most = alike[:, [each == face for each in self.faces]].max(axis=1)
            odds = np.clip(SHARPNESS * (most - ALIKE), -MOST_LOG_ODDS, MOST_LOG_ODDS)
            if face in self.new:
                odds = np.where(odds > 0, odds + NEW_LOG_ODDS, odds)
            found[:, self.model.faces.index(face)] += odds
        found -= found.max(axis=1, keepdims=True)
        return np.asarray(found - np.log(np.exp(found).sum(axis=1, keepdims=True)))

    def table(self, row: NDArray[np.float64]) -> dict[str, float]:
        """The log-probabilities of one tile by name."""
        return self.model.table(row)


def teach(model: FaceModel, inputs: Inputs, faces: Sequence[str]) -> TaughtFaces:
    """A reader taught with one or more pictures of some or all faces."""
    if len(inputs) != len(faces):
        raise ValueError(f"{len(inputs)} pictures were given for {len(faces)} faces")
    plain = {twin: face for face, twin in TWINS.items()}
    names = [plain.get(face, face) for face in faces]
    unknown = sorted(set(names) - set(model.faces))
    if unknown:
        raise ValueError(f"there is no face {', '.join(unknown)} to teach; there are {', '.join(model.faces)}")
    variants = [variant for picture in inputs for variant in _variants(picture)]
    each = len(variants) // max(1, len(inputs))
    taught = tuple(name for name in names for _ in range(each))
    prints = _features(model, np.stack(variants)) if variants else np.zeros((0, model.weights["b4"].size), np.float32)
    known = model.log_probs(inputs).argmax(axis=1) if variants else ()
    new = frozenset(name for name, read in zip(names, known, strict=True) if model.faces[int(read)] != name)
    return TaughtFaces(model, prints, taught, new)


def _features(model: FaceModel, inputs: Inputs) -> Array:
    found = embed(model.weights, inputs[..., None])
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6), np.float32)


def _variants(picture: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """The picture from all four sides, turned a little, larger and smaller."""
    middle = ((INPUT_PX - 1) / 2, (INPUT_PX - 1) / 2)
    found = []
    for turn in TURNS_DEG:
        for size in SIZES:
            matrix = cv2.getRotationMatrix2D(middle, turn, size)
            bent = cv2.warpAffine(picture, matrix, (INPUT_PX, INPUT_PX), borderMode=cv2.BORDER_REPLICATE)
            found += [np.asarray(np.rot90(bent, quarters), np.float32) for quarters in range(4)]
    return found
