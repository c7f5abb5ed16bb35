"""Learns a table's colours from its first loose tiles, where nobody showed samples.

What passes for white on a board may be cream or grey, so that all tiles look tinted alike. Together they tell that
tint; with it they are recognised, and then they are as good as samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration
from vision.colour_learning import SEEN_PRIOR_SHARE, fit_sample_patches, fit_seen
from vision.colours import ColourModel, ColourTable, Light, to_linear
from vision.frame import Image
from vision.heap_blots import PATCH_WEIGHT, PIXEL_WEIGHT
from vision.patches import PatchModel, PatchTable, thirds_of_each

Gains = NDArray[np.float64]

FEWEST_TILES = 8
"""Of fewer tiles one in an unusual shade would count for too much."""
STEPS = (0.2, 0.1, 0.05)
"""Logs of gains by which a tint is moved on, coarse ones first."""
MOST_STEPS = 12
"""With each of them, at the most."""
USUAL_TINT, USUAL_BRIGHTNESS = 0.2, 0.3
"""How far the paper of boards is from white, as logs of gains: standard deviations of one channel and of all."""
DARKEST = 0.01
"""Nothing is taken to be darker than this, in linear light."""
WORTH_WHILE = 1.0
"""A tint that makes a tile's look likelier by less, in logs, is none."""
MOST_OVEREXPOSED = 1.25
"""No tile is brighter than paper by more than this factor, in linear light and in any channel, glossy as it may be. In
a light in which one would be, all that is bright looks alike and passes for anything."""
WORST_TILE = 30.0
"""A tile that looks so much less likely than the best, in logs, counts no more: it may be none."""


SURE_COLOUR = 0.97
"""Tiles this sure stand for samples."""


def learn_tiles(
    known: Calibration, table: ColourTable, tops: Sequence[Image], holds: Sequence[str]
) -> Calibration:
    """The calibration, whose colours `table` holds, with colours as these tiles show them: their tops in the reference
    light, and the colours that they can have."""
    tint = tint_of(tops, table, known.patches, holds)
    colours, patches = known.colours.under(tint.inverse()), known.patches.under(tint.inverse())
    flat = np.stack([np.asarray(top).reshape(-1, 3) for top in tops])
    evidence = _evidence(tint.apply(flat), table, PatchTable(known.patches.only(holds)), holds)
    chances = np.exp(evidence - np.logaddexp.reduce(evidence, axis=1)[:, None])
    seen: dict[str, list[Image]] = {}
    for top, row in zip(tops, chances, strict=True):
        if row.max() > SURE_COLOUR:
            seen.setdefault(holds[int(row.argmax())], []).append(top)
    return replace(
        known, colours=_blended(colours, fit_seen(colours.names, seen)), patches=fit_sample_patches(patches, seen)
    )


def tint_of(tops: Sequence[Image], colours: ColourTable, patches: PatchModel, holds: Sequence[str]) -> Light:
    """What still has to be done to the light for loose tiles (their tops, in the light of the colours) to look most
    like tiles of the colours that they can have."""
    if len(tops) < FEWEST_TILES:
        return Light()
    pixels, table = np.stack([np.asarray(top).reshape(-1, 3) for top in tops]), PatchTable(patches.only(holds))

    def likelihood(logs: Gains) -> float:
        lit = Light((float(np.exp(logs[0])), float(np.exp(logs[1])), float(np.exp(logs[2])))).apply(pixels)
        each = np.logaddexp.reduce(_evidence(lit, colours, table, holds), axis=1)
        return float(np.maximum(each, each.max() - WORST_TILE).mean()) - _cost(logs) / len(tops)

    most = np.maximum(math.log(MOST_OVEREXPOSED) - np.log(_brightest(pixels)), 0.0)
    logs = np.zeros(3)
    plain = best = likelihood(logs)
    for step in STEPS:
        for _ in range(MOST_STEPS):
            tried = [
                (likelihood(logs + move), logs + move) for move in _moves(step)
                if (logs + move <= most)[move > 0].all()
            ]
            score, moved = max(tried, key=lambda pair: pair[0])
            if score <= best:
                break
            best, logs = score, moved
    if best - plain < WORTH_WHILE:
        return Light()
    blue, green, red = map(float, np.exp(logs))
    return Light((blue, green, red))


def _brightest(pixels: Image) -> Gains:
    """(3,): how bright the brightest of some tops (tiles, spots, 3) are in each channel, in linear light."""
    return np.asarray(np.maximum(to_linear(np.median(pixels, axis=1) / 255.0).max(axis=0), DARKEST), dtype=np.float64)


def _evidence(pixels: Image, colours: ColourTable, patches: PatchTable, holds: Sequence[str]) -> Gains:
    """(tiles, colours): how well each colour suits the tops (tiles, ..., 3)."""
    columns = [colours.names.index(name) for name in holds]
    flat = pixels.reshape(len(pixels), -1, 3)
    single = PIXEL_WEIGHT * colours.pixels(flat)[..., columns].mean(axis=1)
    return np.asarray(single + PATCH_WEIGHT * patches.log_densities(thirds_of_each(flat)), dtype=np.float64)


def _blended(known: ColourModel, own: ColourModel) -> ColourModel:
    """The colours of which tiles were recognised mostly as those look, the others as they were known."""
    weights, means, covariances = list(known.weights), list(known.means_lab), list(known.covariances_lab)
    for number, name in enumerate(own.names):
        index = known.names.index(name)
        shares = own.weights[number] * (1.0 - SEEN_PRIOR_SHARE), known.weights[index] * SEEN_PRIOR_SHARE
        weights[index] = np.concatenate(shares)
        means[index] = np.concatenate([own.means_lab[number], known.means_lab[index]])
        covariances[index] = np.concatenate([own.covariances_lab[number], known.covariances_lab[index]])
    return ColourModel(known.names, tuple(weights), tuple(means), tuple(covariances))


def _cost(logs: Gains) -> float:
    """How unusual a tint is."""
    brightness = float(logs.mean())
    return 0.5 * (brightness / USUAL_BRIGHTNESS) ** 2 + 0.5 * float(np.square((logs - brightness) / USUAL_TINT).sum())


def _moves(step: float) -> list[Gains]:
    """One channel or all of them, up and down."""
    ways = np.concatenate([np.eye(3), np.ones((1, 3))])
    return [sign * step * way for sign, way in product((-1.0, 1.0), ways)]
