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

from vision.colours import Light, match_light, to_linear
from vision.frame import Image
from vision.heap_background import FLOOR_LOG_DENSITY, SHADES
from vision.heap_blots import HeapModel
from vision.heap_region import WHOLE, Box, HeapRegion
from vision.heaps import HeapLook, look_at_heap
from vision.squares import corners_of

Floats = NDArray[np.float32]

RINGS = 12
"""Rings of a round piece from its middle to its rim; one more stands for the table around it."""
ROUNDS = 3
TABLE_SHARE = 0.93
"""Before any tile is known: this share of the table's pixels, the most frequent colours first, is taken for empty."""
SECTORS = 8
COMMON = 0.45
"""A colour belongs to a ring of the print as far as it is seen in all sectors of all discs but this share of them."""
LEAST_SEEN = 0.25
"""A sector of which less than this share is uncovered says nothing."""
LIGHT_STEP_PX = 4
"""The light is judged from every fourth pixel each way."""
BLUR_PX = 5
REACH_PX = 4
"""How far a disc's middle is looked for."""
COVER_SCORE = 1.0
"""While learning, what may be a tile is left out: a little print less is no loss."""
PEAK = -7.5
LIT_LOG_DENSITY = -9.5
"""Print that fits this well lies in no shadow."""
CELL_LOG_VOLUME = 5.4
"""Of a cell of 16 levels a channel, in Lab."""
_CELLS = 16


class PrintBackground:
    """How often each colour is seen in each ring of the empty place, pixel by pixel and blurred."""

    missing = 0.02

    def __init__(
        self, sharp: Floats, blurred: Floats, rings: NDArray[np.intp], first: Image, light: Light
    ) -> None:
        self._sharp = sharp
        self._blurred = blurred
        self.rings = rings
        self._first = first
        self._light = light
        height, width = first.shape[:2]
        self.spots = np.arange(height * width).reshape(height, width)[::LIGHT_STEP_PX, ::LIGHT_STEP_PX].ravel()

    def around(self, rings: NDArray[np.intp]) -> PrintBackground:
        """The same print about another middle."""
        return PrintBackground(self._sharp, self._blurred, rings, self._first, self._light)

    def with_print(self, sharp: Floats, blurred: Floats) -> PrintBackground:
        """The same place with a print known better; the table around it stays as it was learnt."""
        sharp, blurred = sharp.copy(), blurred.copy()
        sharp[RINGS], blurred[RINGS] = self._sharp[RINGS], self._blurred[RINGS]
        return PrintBackground(sharp, blurred, self.rings, self._first, self._light)

    def level(self, view: Image) -> Image:
        """The view in the light that all discs share."""
        return self._light.apply(view)

    def light(self, pixels: Image) -> Light:
        """Against the first view, most of which is still the same."""
        return match_light(pixels, self._first.reshape(-1, 3)[self.spots])

    def log_densities(self, view: Image, box: Box = WHOLE) -> Floats:
        """By ring and colour; a fine print's colours must also mix as they do there."""
        levelled, rings = self.level(view), self.rings[box]
        mixed = _blur(levelled)
        logs = np.minimum(self._sharp[rings, _cells(levelled)], self._blurred[rings, _cells(mixed)])
        strange = logs < LIT_LOG_DENSITY
        rings, levelled, mixed, best = rings[strange], levelled[strange], mixed[strange], logs[strange]
        for shade, cost in SHADES[1:]:
            lit, lit_mixed = _cells(_brighter(levelled, shade)), _cells(_brighter(mixed, shade))
            shaded = np.minimum(self._sharp[rings, lit], self._blurred[rings, lit_mixed]) - np.float32(cost)
            np.maximum(best, shaded, out=best)
        logs[strange] = best
        return np.asarray(logs, dtype=np.float32)


def learn_backgrounds(
    views: Mapping[str, Image], regions: Mapping[str, HeapRegion], models: Mapping[str, HeapModel]
) -> dict[str, PrintBackground]:
    """Backgrounds for all heaps from their views in one picture, tiles and all."""
    rings = {name: _rings(region) for name, region in regions.items()}
    lights = _level(views, rings)
    covered = {name: np.zeros_like(region.near) for name, region in regions.items()}
    learnt = _learn(views, regions, rings, lights, covered, TABLE_SHARE)
    for _ in range(ROUNDS):
        rings = {name: _centred(learnt[name], views[name], regions[name], rings[name]) for name in regions}
        learnt = {name: learnt[name].around(rings[name]) for name in regions}
        covered = {
            name: _covered(look_at_heap(views[name], region, models[name], learnt[name]), region)
            for name, region in regions.items()
        }
        learnt = _learn(views, regions, rings, lights, covered, 1.0)
    return learnt


def learn_from_empty(
    prints: Mapping[str, PrintBackground], empties: Mapping[str, Image], regions: Mapping[str, HeapRegion]
) -> dict[str, PrintBackground]:
    """The backgrounds once some discs have been seen empty: they show the print of all.

    `empties` are their views in the light of the first picture; without a disc among them nothing changes.
    """
    discs = {name: view for name, view in empties.items() if regions[name].rim_fraction is not None}
    if not discs:
        return dict(prints)
    levelled = {name: prints[name].level(view) for name, view in discs.items()}
    rings = {name: prints[name].rings for name in discs}
    uses = {name: regions[name].near for name in discs}
    sharp = _table({name: _cells(view) for name, view in levelled.items()}, rings, uses, 1.0, None)
    blurred = _table({name: _cells(_blur(view)) for name, view in levelled.items()}, rings, uses, 1.0, None)
    return {name: known.with_print(sharp, blurred) for name, known in prints.items()}


def _learn(
    views: Mapping[str, Image], regions: Mapping[str, HeapRegion], rings: Mapping[str, NDArray[np.intp]],
    lights: Mapping[str, Light], covered: Mapping[str, NDArray[np.bool_]], table_share: float,
) -> dict[str, PrintBackground]:
    levelled = {name: lights[name].apply(view) for name, view in views.items()}
    uses = {name: region.near & ~covered[name] for name, region in regions.items()}
    sharp = _table({name: _cells(view) for name, view in levelled.items()}, rings, uses, table_share, COMMON)
    blurred = _table({name: _cells(_blur(view)) for name, view in levelled.items()}, rings, uses, table_share, COMMON)
    return {name: PrintBackground(sharp, blurred, rings[name], views[name], lights[name]) for name in regions}


def _table(
    cells: Mapping[str, NDArray[np.intp]], rings: Mapping[str, NDArray[np.intp]],
    uses: Mapping[str, NDArray[np.bool_]], table_share: float, common: float | None,
) -> Floats:
    """(rings + 1, cells): log density of each colour. In a ring, a colour that only some discs show is a tile's."""
    discs = [name for name in cells if (rings[name] < RINGS).any()]
    shares = np.zeros((RINGS + 1, _CELLS**3))
    for ring in range(RINGS if discs else 0):
        each = []
        for name in discs:
            here = rings[name] == ring
            sector = _sectors(rings[name])[here]
            shown, cell = uses[name][here], cells[name][here]
            for number in range(SECTORS):
                part = sector == number
                if part.any() and shown[part].mean() > LEAST_SEEN:
                    counts = np.bincount(cell[part & shown], minlength=_CELLS**3).astype(np.float32)
                    each.append(_smooth(counts / counts.sum()))
        if each:
            each_sector = np.stack(each)
            shares[ring] = each_sector.mean(axis=0) if common is None else np.quantile(each_sector, common, axis=0)
    table = np.zeros(_CELLS**3)
    for name in cells:
        around = uses[name] & (rings[name] == RINGS)
        table += np.bincount(cells[name][around], minlength=_CELLS**3)
    table = _smooth(table)
    order = np.argsort(-table)
    table[order[np.cumsum(table[order]) > table_share * table.sum() * (1 + 1e-9)]] = 0.0
    inner = shares[:RINGS]
    shares[:RINGS] = 0.5 * inner + 0.25 * (inner[[0, *range(RINGS - 1)]] + inner[[*range(1, RINGS), RINGS - 1]])
    shares[RINGS] = table
    shares = np.stack([_smooth(row) for row in shares])
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    logs = np.log(np.maximum(shares, 1e-9)) - CELL_LOG_VOLUME
    return np.asarray(np.clip(logs, FLOOR_LOG_DENSITY, PEAK), dtype=np.float32)


def _brighter(pixels: Image, shade: float) -> Image:
    """Pixels in a shadow, as they would look without it."""
    return np.asarray(np.minimum(pixels * np.float32(1.0 / shade), np.float32(255.0)), dtype=np.uint8)


def _blur(view: Image) -> Image:
    return np.asarray(cv2.blur(view, (BLUR_PX, BLUR_PX)), dtype=np.uint8)


def _centred(
    background: PrintBackground, view: Image, region: HeapRegion, rings: NDArray[np.intp]
) -> NDArray[np.intp]:
    """The rings about the middle at which the print fits best: a disc may lie a few millimetres beside its taps."""
    if region.rim_fraction is None:
        return rings
    best, fit = rings, -np.inf
    for down in range(-REACH_PX, REACH_PX + 1, 2):
        for right in range(-REACH_PX, REACH_PX + 1, 2):
            moved = np.roll(_rings(region), (down, right), axis=(0, 1))
            good = float(background.around(moved).log_densities(view)[::2, ::2].mean()) - 0.002 * (down**2 + right**2)
            if good > fit:
                best, fit = moved, good
    return best


def _level(views: Mapping[str, Image], rings: Mapping[str, NDArray[np.intp]]) -> dict[str, Light]:
    """Lights that bring all discs to the same brightness and tint: under a lamp they differ."""
    lights = {name: Light() for name in views}
    discs = [name for name in views if (rings[name] < RINGS).any()]
    if len(discs) < 3:
        return lights
    whites = []
    for name in discs:
        print_pixels = views[name][rings[name] < RINGS - 1]
        bright = print_pixels.max(axis=1)
        low, high = np.quantile(bright, [0.7, 0.9])
        whites.append(np.median(to_linear(print_pixels[(bright >= low) & (bright <= high)] / 255.0), axis=0))
    gains = np.clip(np.median(whites, axis=0) / np.maximum(whites, 1e-3), 0.7, 1.4)
    for name, (blue, green, red) in zip(discs, gains, strict=True):
        lights[name] = Light((float(blue), float(green), float(red)))
    return lights


def _sectors(rings: NDArray[np.intp]) -> NDArray[np.intp]:
    """Which sector of a disc each pixel lies in, about the middle of its innermost ring."""
    middle_y, middle_x = np.argwhere(rings == 0).mean(axis=0)
    y, x = np.indices(rings.shape)
    turn = np.arctan2(y - middle_y, x - middle_x) / (2 * np.pi)
    return np.asarray(np.floor((turn % 1.0) * SECTORS), dtype=np.intp) % SECTORS


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
        if tile.found.score > COVER_SCORE:
            top = corners_of(tile.found, region.shape.edge_px * 1.15)
            hull = cv2.convexHull(np.concatenate([top, top + np.array(region.shape.foot_px, dtype=np.float32)]))
            cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
    return mask > 0
