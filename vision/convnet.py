"""The small network of the face reader, forward only: three convolutions, each halved by pooling, and two layers.

Pictures are (n, height, width, channels). A convolution is one matrix product over all 3 × 3 neighbourhoods.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Weights = dict[str, Array]
"""`k1`, `b1` … `k3`, `b3`: kernels (9 × channels in, channels out) and biases; `w4`, `b4`, `w5`, `b5`: the layers."""

CONVOLUTIONS = (1, 2, 3)
BATCH = 48


def neighbourhoods(x: Array) -> Array:
    """(n, h, w, c) → (n × h × w, 9 × c): what each 3 × 3 window sees, with zeros outside the picture."""
    n, height, width, channels = x.shape
    padded = np.zeros((n, height + 2, width + 2, channels), np.float32)
    padded[:, 1:-1, 1:-1] = x
    windows = np.empty((n, height, width, 9, channels), np.float32)
    for index in range(9):
        row, column = divmod(index, 3)
        windows[:, :, :, index] = padded[:, row : row + height, column : column + width]
    return windows.reshape(n * height * width, 9 * channels)


def pool(x: Array) -> Array:
    """The largest of each 2 × 2 block."""
    n, height, width, channels = x.shape
    blocks = x.reshape(n, height // 2, 2, width // 2, 2, channels)
    upper = np.maximum(blocks[:, :, 0, :, 0], blocks[:, :, 0, :, 1])
    return np.maximum(upper, np.maximum(blocks[:, :, 1, :, 0], blocks[:, :, 1, :, 1]))


def embed(weights: Weights, x: Array) -> Array:
    """(n, side, side, 1) → (n, features): what the network has found before it names a face."""
    return np.concatenate([_embed_batch(weights, batch) for batch in _batches(x)])


def _batches(x: Array) -> list[Array]:
    """The neighbourhoods of a picture take fifty times its memory, so that many pictures go through in parts."""
    return [x[start : start + BATCH] for start in range(0, len(x), BATCH)]


def _embed_batch(weights: Weights, x: Array) -> Array:
    for layer in CONVOLUTIONS:
        n, height, width, _ = x.shape
        x = (neighbourhoods(x) @ weights[f"k{layer}"] + weights[f"b{layer}"]).reshape(n, height, width, -1)
        x = pool(np.maximum(x, 0.0))
    return np.asarray(np.maximum(x.reshape(len(x), -1) @ weights["w4"] + weights["b4"], 0.0))


def forward(weights: Weights, x: Array) -> Array:
    """(n, side, side, 1) → (n, classes): a score for each class."""
    return np.concatenate([_embed_batch(weights, batch) @ weights["w5"] + weights["b5"] for batch in _batches(x)])


def write_weights(path: Path, classes: tuple[str, ...], temperature: float, weights: Weights) -> None:
    """Store a fitted network; half precision is plenty for reading."""
    half = {name: value.astype(np.float16) for name, value in weights.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, classes=np.array(classes), temperature=np.float32(temperature), **half)  # type: ignore[arg-type]


def read_weights(path: Path) -> tuple[tuple[str, ...], float, Weights]:
    """The classes, the temperature and the weights of a stored network."""
    with np.load(path, allow_pickle=False) as stored:
        names = [name for name in stored.files if name not in {"classes", "temperature"}]
        weights = {name: stored[name].astype(np.float32) for name in names}
        return tuple(str(name) for name in stored["classes"]), float(stored["temperature"]), weights
