"""Fitting the network: plain gradient descent with momentum of both orders (Adam), written out for five layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.convnet import CONVOLUTIONS, Array, Weights, forward, neighbourhoods, pool

Labels = NDArray[np.int64]

CORES = 2
"""So many parts of a batch are worked on side by side."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how fast to learn."""

    channels: tuple[int, int, int] = (16, 32, 64)
    hidden: int = 128
    epochs: int = 6
    batch: int = 100
    rate: float = 2e-3
    drop: float = 0.25
    """How much of the last layer is left out at random, so that no single feature decides."""
    seed: int = 1


def begin(plan: Plan, side_px: int, classes: int) -> Weights:
    """Random weights of the right size."""
    rng = np.random.default_rng(plan.seed)
    weights: Weights = {}
    before = 1
    for layer, after in zip(CONVOLUTIONS, plan.channels, strict=True):
        weights[f"k{layer}"] = _random(rng, 9 * before, after)
        weights[f"b{layer}"] = np.zeros(after, np.float32)
        before = after
    flat = (side_px // 8) ** 2 * before
    weights["w4"], weights["b4"] = _random(rng, flat, plan.hidden), np.zeros(plan.hidden, np.float32)
    weights["w5"], weights["b5"] = _random(rng, plan.hidden, classes), np.zeros(classes, np.float32)
    return weights


def _random(rng: np.random.Generator, rows: int, columns: int) -> Array:
    return np.asarray(rng.standard_normal((rows, columns)) * np.sqrt(2 / rows), np.float32)


def gradients(weights: Weights, x: Array, labels: Labels, keep: Array) -> tuple[float, Weights]:
    """The loss on a batch and its slope in every weight. `keep` masks the features that are left out."""
    seen: list[tuple[Array, Array, Array]] = []
    for layer in CONVOLUTIONS:
        n, height, width, _ = x.shape
        columns = neighbourhoods(x)
        whole = (columns @ weights[f"k{layer}"] + weights[f"b{layer}"]).reshape(n, height, width, -1)
        blocks = whole.reshape(n, height // 2, 2, width // 2, 2, -1)
        pooled = np.maximum(pool(whole), 0.0)
        seen.append((columns, blocks, pooled))
        x = pooled
    flat = x.reshape(len(x), -1)
    found = np.maximum(flat @ weights["w4"] + weights["b4"], 0.0)
    kept = found * keep
    scores = kept @ weights["w5"] + weights["b5"]
    scores = scores - scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = float(-np.log(chances[rows, labels] + 1e-9).mean())
    # A little of the truth is spread over all classes: the network stays humble, its probabilities useful.
    smooth = np.float32(0.02)
    slope = chances - smooth / chances.shape[1]
    slope[rows, labels] -= 1 - smooth
    slope /= len(labels)
    slopes: Weights = {"w5": kept.T @ slope, "b5": slope.sum(axis=0)}
    slope = (slope @ weights["w5"].T) * keep * (found > 0)
    slopes |= {"w4": flat.T @ slope, "b4": slope.sum(axis=0)}
    slope = (slope @ weights["w4"].T).reshape(seen[-1][2].shape)
    for layer in reversed(CONVOLUTIONS):
        columns, blocks, pooled = seen[layer - 1]
        slope = slope * (pooled > 0)
        spread = ((blocks == pooled[:, :, None, :, None]) * slope[:, :, None, :, None]).reshape(len(columns), -1)
        slopes |= {f"k{layer}": columns.T @ spread, f"b{layer}": spread.sum(axis=0)}
        if layer > 1:
            slope = _fold(spread, weights[f"k{layer}"], seen[layer - 2][2].shape)
    return loss, slopes


def _fold(spread: Array, kernel: Array, shape: tuple[int, ...]) -> Array:
    """Back through a convolution: add up what every window says of each pixel of its input, of this shape."""
    n, height, width, channels = shape
    # One product for each of the nine positions: what is added up then lies together in memory.
    windows = spread @ kernel.reshape(9, channels, -1).transpose(0, 2, 1)
    padded = np.zeros((n, height + 2, width + 2, channels), np.float32)
    for index, said in enumerate(windows):
        row, column = divmod(index, 3)
        padded[:, row : row + height, column : column + width] += said.reshape(shape)
    return padded[:, 1:-1, 1:-1]


def batches(count: int, size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    order = rng.permutation(count)
    for start in range(0, count - size + 1, size):
        yield order[start : start + size]


def fit(x: Array, labels: Labels, classes: int, plan: Plan, tell: Callable[[int, float], None]) -> Weights:
    """Weights that name the class of each picture. `tell` hears of each finished epoch and its loss."""
    rng = np.random.default_rng(plan.seed + 1)
    weights = begin(plan, x.shape[1], classes)
    mean = {name: np.zeros_like(value) for name, value in weights.items()}
    square = {name: np.zeros_like(value) for name, value in weights.items()}
    steps, total = 0, plan.epochs * (len(x) // plan.batch)
    with ThreadPoolExecutor(CORES) as pool:
        for epoch in range(plan.epochs):
            losses = []
            for chosen in batches(len(x), plan.batch, rng):
                keep = (rng.random((plan.batch, plan.hidden)) >= plan.drop).astype(np.float32) / (1 - plan.drop)
                # A tile lies any of four ways round.
                turned = np.rot90(x[chosen], int(rng.integers(4)), axes=(1, 2))[..., None]
                loss, slopes = _shared_gradients(pool, weights, turned, labels[chosen], keep)
                losses.append(loss)
                steps += 1
                rate = plan.rate * min(1.0, steps / 200) * 0.5 * (1 + np.cos(np.pi * steps / total))
                for name, slope in slopes.items():
                    mean[name] += 0.1 * (slope - mean[name])
                    square[name] += 0.001 * (slope * slope - square[name])
                    step = mean[name] / (1 - 0.9**steps) / (np.sqrt(square[name] / (1 - 0.999**steps)) + 1e-7)
                    weights[name] -= np.float32(rate) * (step + np.float32(1e-4) * weights[name])
            tell(epoch + 1, float(np.mean(losses)))
    return weights


def _shared_gradients(
    pool: ThreadPoolExecutor, weights: Weights, x: Array, labels: Labels, keep: Array
) -> tuple[float, Weights]:
    """The same as `gradients`, each core taking its part of the batch; summed in the same order every time."""
    parts = [slice(core, None, CORES) for core in range(CORES)]
    found = list(pool.map(lambda part: gradients(weights, x[part], labels[part], keep[part]), parts))
    slopes = {name: np.asarray(sum(each[name] for _, each in found) / CORES, np.float32) for name in weights}
    return sum(loss for loss, _ in found) / CORES, slopes


def fit_temperature(weights: Weights, x: Array, labels: Labels) -> float:
    """By how much scores must be softened to make probabilities honest on pictures that were not learnt from."""
    scores = forward(weights, x[..., None]).astype(np.float64)
    rows = np.arange(len(labels))

    def loss(temperature: float) -> float:
        softened = scores / temperature
        softened -= softened.max(axis=1, keepdims=True)
        return float((np.log(np.exp(softened).sum(axis=1)) - softened[rows, labels]).mean())

    return min((float(value) for value in np.geomspace(0.4, 3.0, 40)), key=loss)
