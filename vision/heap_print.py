"""What discs and table look like under the tiles, learnt from one picture in which tiles already lie there.

All discs carry the same print, so that at the same distance from the middle the same colours come back on every disc,
while tiles lie here and there. Those frequent colours are taken for the print; then tiles are looked for, and the print
is learnt again from what they leave uncovered.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import Light, match_light
from vision.frame import Image
from vision.heap_background import FLOOR_LOG_DENSITY, Background
from vision.heap_region import HeapRegion
from vision.heaps import HeapLook, HeapModel, look_at_heap
from vision.squares import corners_of

Floats = NDArray[np.float32]

RINGS = 12
"""Rings of a round piece from its middle to its rim; one more stands for the table around it."""
ROUNDS = 3
TABLE_SHARE = 0.93
"""Before any tile is known: this share of the table's pixels, the most frequent colours first, is taken for empty."""
COMMON = 0.4
"""A colour belongs to a ring of the print if it is as frequent on all discs but this share of them."""
LEAST_SEEN = 0.15
"""A disc of which less than this share of a ring is uncovered says nothing about that ring."""
BLUR_PX = 5
SURE_TILE = 0.3
PEAK = -7.5
CELL_LOG_VOLUME = 5.4
"""Of a cell of 16 levels a channel, in Lab."""
_CELLS = 16


class PrintBackground:
    """How often each colour is seen in each ring of the empty place, pixel by pixel and blurred."""

    def __init__(self, sharp: Floats, blurred: Floats, rings: NDArray[np.intp], first: Image) -> None:
        self._sharp = sharp
        self._blurred = blurred
        self._rings = rings
        self._first = first

    def light(self, view: Image) -> Light:
        """Against the first view: most of it is still the same."""
        return match_light(view[::4, ::4], self._first[::4, ::4])

    def log_densities(self, view: Image) -> Floats:
        """By ring and colour; a fine print's colours must also mix as they do there."""
        return np.minimum(self._sharp[self._rings, _cells(view)], self._blurred[self._rings, _cells(_blur(view))])


def learn_backgrounds(
    views: Mapping[str, Image], regions: Mapping[str, HeapRegion], models: Mapping[str, HeapModel]
) -> dict[str, Background]:
    """Backgrounds for all heaps from their views in one picture, tiles and all."""
    rings = {name: _rings(region) for name, region in regions.items()}
    covered = {name: np.zeros_like(region.near) for name, region in regions.items()}
    learnt = _learn(views, regions, rings, covered, TABLE_SHARE)
    for _ in range(ROUNDS):
        covered = {
            name: _covered(look_at_heap(views[name], region, models[name], learnt[name]), region)
            for name, region in regions.items()
        }
        learnt = _learn(views, regions, rings, covered, 1.0)
    return learnt


def _learn(
    views: Mapping[str, Image], regions: Mapping[str, HeapRegion], rings: Mapping[str, NDArray[np.intp]],
    covered: Mapping[str, NDArray[np.bool_]], table_share: float,
) -> dict[str, Background]:
    uses = {name: region.near & ~covered[name] for name, region in regions.items()}
    sharp = _table({name: _cells(view) for name, view in views.items()}, rings, uses, table_share)
    blurred = _table({name: _cells(_blur(view)) for name, view in views.items()}, rings, uses, table_share)
    return {name: PrintBackground(sharp, blurred, rings[name], views[name]) for name in regions}


def _table(
    cells: Mapping[str, NDArray[np.intp]], rings: Mapping[str, NDArray[np.intp]],
    uses: Mapping[str, NDArray[np.bool_]], table_share: float,
) -> Floats:
    """(rings + 1, cells): log density of each colour. In a ring, a colour that only some discs show is a tile's."""
    counts = np.zeros((len(cells), RINGS + 1, _CELLS**3), dtype=np.float32)
    for index, name in enumerate(cells):
        np.add.at(counts[index], (rings[name][uses[name]], cells[name][uses[name]]), 1.0)
    shares = np.zeros((RINGS + 1, _CELLS**3))
    for ring in range(RINGS):
        totals = counts[:, ring].sum(axis=1)
        shown = totals > LEAST_SEEN * max(float(totals.max()), 1.0)
        each = np.stack([_smooth(row / total) for row, total in zip(counts[shown, ring], totals[shown], strict=True)])
        shares[ring] = np.quantile(each, COMMON, axis=0)
    table = _smooth(counts[:, RINGS].sum(axis=0))
    order = np.argsort(-table)
    table[order[np.cumsum(table[order]) > table_share * table.sum() * (1 + 1e-9)]] = 0.0
    shares[RINGS] = table
    shares = np.stack([_smooth(row) for row in shares])
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    logs = np.log(np.maximum(shares, 1e-9)) - CELL_LOG_VOLUME
    return np.asarray(np.clip(logs, FLOOR_LOG_DENSITY, PEAK), dtype=np.float32)


def _blur(view: Image) -> Image:
    return np.asarray(cv2.blur(view, (BLUR_PX, BLUR_PX)), dtype=np.uint8)


def _rings(region: HeapRegion) -> NDArray[np.intp]:
    if region.rim_fraction is None:
        return np.full(region.owns.shape, RINGS, dtype=np.intp)
    return np.minimum(region.rim_fraction * RINGS, RINGS).astype(np.intp)


def _cells(view: Image) -> NDArray[np.intp]:
    small = (view >> 4).astype(np.intp)
    return np.asarray((small[..., 0] << 8) | (small[..., 1] << 4) | small[..., 2])


def _smooth(row: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colours next to a frequent one are nearly as likely: light and gloss shift them a little."""
    cube = row.reshape(_CELLS, _CELLS, _CELLS)
    for axis in range(3):
        padded = np.concatenate([cube.take([0], axis), cube, cube.take([-1], axis)], axis)
        before = padded.take(range(_CELLS), axis)
        after = padded.take(range(2, _CELLS + 2), axis)
        cube = 0.25 * before + 0.5 * cube + 0.25 * after
    return cube.ravel()


def _covered(look: HeapLook, region: HeapRegion) -> NDArray[np.bool_]:
    mask = np.zeros(region.owns.shape, np.uint8)
    for tile in look.tiles:
        if tile.there > SURE_TILE:
            top = corners_of(tile.found, region.shape.edge_px * 1.15)
            hull = cv2.convexHull(np.concatenate([top, top + np.array(region.shape.foot_px, dtype=np.float32)]))
            cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
    return mask > 0
