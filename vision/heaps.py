"""Loose tiles on a disc or in an area: how many of each colour."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourTable, Light
from vision.frame import Image
from vision.heap_background import FLOOR_LOG_DENSITY, Background
from vision.heap_region import HeapRegion
from vision.patches import PatchModel, PatchTable, thirds
from vision.reading import Kind, Reading
from vision.squares import Found, Scene, candidates, corners_of, pick, slopes

Floats = NDArray[np.float32]

CAP = 3.0
"""Evidence of one pixel never counts more than this, so that a few bright pixels make no tile."""
SMOOTH = 0.25
"""Ornament is read together with the ground around it: in tile edges."""
LIKE_ANOTHER = 1.5
"""A colour this much behind the best one may still be the right one: the whole tile's look decides that later."""
STRANGER_LOG_DENSITY = -12.5
"""What is certainly not the empty place is more likely a tile in an unexpected shade than anything else."""
LEAST_AREA = 0.3
"""Share of a tile's area that must look like a colour before tiles of it are searched."""
LEAST_SCORE = 0.6
MOST = 20
"""Counts beyond this are not told apart."""
SURE_SCORE, SCORE_SLOPE = 1.7, 5.0
"""A tile of this score is as likely there as not, and how fast that changes."""
PIXEL_WEIGHT, PATCH_WEIGHT = 6.0, 0.3
"""How much the pixels of a tile's top, one by one, and its composition count for its colour."""
LEAST_SLANT = 0.2
"""Sides narrower than this share of an edge mislead nobody."""
DARKER, EXPLAINED = 0.85, 1.0
"""Sides are at least this much darker than their top; how much of the evidence they explain away."""
STRANGE_TILES = 1.5
"""More unexplained ground than this many tiles cover: something else lies here."""


WHITE = Light()


@dataclass(frozen=True, slots=True, eq=False)
class HeapModel:
    """The colours of a table, ready for heaps."""

    pixels: ColourTable
    columns: tuple[int, ...]
    """Those of the table that stand for the colours a heap can hold."""
    patches: PatchTable
    white: Light = WHITE
    """From the light of the empty place's picture to that of the colours."""

    @staticmethod
    def of(pixels: ColourTable, patches: PatchModel, holds: Sequence[str], white: Light = WHITE) -> HeapModel:
        """The model of the colours that a heap can hold."""
        columns = tuple(pixels.names.index(name) for name in holds)
        return HeapModel(pixels, columns, PatchTable(patches.only(holds)), white)

    def densities(self, image: Image) -> Floats:
        """Log densities (..., colours) of pixels in the light of the empty place's picture."""
        return self.pixels.pixels(self.white.apply(image))[..., list(self.columns)]


@dataclass(frozen=True, slots=True, eq=False)
class LooseTile:
    """A tile found in a heap."""

    found: Found
    there: float
    """Probability that it is a tile at all."""
    colours: Mapping[str, float]
    """Probabilities of its colours."""
    top: Image
    """(9, 9, 3): its top in the light of the colours."""


@dataclass(frozen=True, slots=True, eq=False)
class HeapLook:
    """Everything seen of one heap, before it is summed up as a reading."""

    tiles: tuple[LooseTile, ...]
    strange_tiles: float
    """Ground that is neither the empty place nor a tile, in tile areas."""


def read_heap(view: Image, region: HeapRegion, model: HeapModel, background: Background) -> Reading:
    """The counts of every colour in the flat view of a heap's region."""
    return sum_up(look_at_heap(view, region, model, background), region)


def sum_up(look: HeapLook, region: HeapRegion) -> Reading:
    """The counts that a look gives."""
    parts: dict[str, dict[Hashable, float]] = {}
    for name in region.holds:
        parts[name] = _count_log_probs([tile.there * tile.colours.get(name, 0.0) for tile in look.tiles])
    strange = look.strange_tiles > STRANGE_TILES
    return Reading(region.place, Kind.HEAP, parts, occluded=strange, unfamiliar=strange)


def look_at_heap(view: Image, region: HeapRegion, model: HeapModel, background: Background) -> HeapLook:
    """Find the tiles: evidence for each colour, squares in it, and what each square's top looks like."""
    view = background.light(view).apply(view)
    empty = background.log_densities(view)
    margins, anything = _margins(view, region, model, empty)
    founds = _search(view, margins, anything, region)
    kept = _explain_away(pick(founds, region.shape), view, margins, region)
    tiles = tuple(_tile(view, found, region, model) for found in kept if _owned(found, region))
    return HeapLook(tiles, _strange(empty, kept, region))


def _margins(view: Image, region: HeapRegion, model: HeapModel, empty: Floats) -> tuple[list[Floats], Floats]:
    """For each colour, by how much it explains each spot better than the empty place or any other colour; and how
    surely it is not the empty place, in shadow or not."""
    seen = model.densities(view)
    blur = 2 * round(SMOOTH * region.shape.edge_px / 2) + 1
    seen = np.maximum(seen, STRANGER_LOG_DENSITY)
    kinds = [cv2.blur(seen[..., index], (blur, blur)) for index in range(seen.shape[2])]
    ground = cv2.blur(np.where(region.near, empty, 0.0), (blur, blur))
    best = np.max(kinds, axis=0)
    margins = [
        np.clip(kind - ground, -CAP, CAP) - np.clip(best - kind - LIKE_ANOTHER, 0.0, 2 * CAP) for kind in kinds
    ]
    return margins, np.clip(STRANGER_LOG_DENSITY - ground, -CAP, CAP)


def _search(view: Image, margins: Sequence[Floats], anything: Floats, region: HeapRegion) -> list[Found]:
    """Tiles in the blots that are not the empty place, of the colours that prevail somewhere in them."""
    least = LEAST_AREA * region.shape.edge_px**2
    count, _, stats, _ = cv2.connectedComponentsWithStats((anything > -CAP / 2).astype(np.uint8), connectivity=4)
    pad = math.ceil(region.shape.edge_px * 0.3)
    height, width = anything.shape
    founds: list[Found] = []
    for blot in range(1, count):
        left, top, wide, tall, size = map(int, stats[blot])
        if size < least:
            continue
        x0, y0 = max(left - pad, 0), max(top - pad, 0)
        x1, y1 = min(left + wide + pad, width), min(top + tall + pad, height)
        here = [margin[y0:y1, x0:x1] for margin in margins]
        colours = [index for index, margin in enumerate(here) if np.count_nonzero(margin > 0) > least]
        if not colours:
            continue
        slope_x, slope_y = slopes(view[y0:y1, x0:x1])
        scene = Scene([here[index] for index in colours], colours, anything[y0:y1, x0:x1], slope_x, slope_y)
        founds += candidates(scene, (x0, y0), region.shape, LEAST_SCORE)
    return founds


def _explain_away(founds: Sequence[Found], view: Image, margins: Sequence[Floats], region: HeapRegion) -> list[Found]:
    """Lower the score of what lies where another, surer tile has its dark sides, if it is dark itself.

    Seen at a slant, the sides of a tile are as large as half a top; with its shadow they look like a black tile.
    """
    if math.hypot(*region.shape.foot_px) < LEAST_SLANT * region.shape.edge_px:
        return list(founds)
    bright = cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)
    kept: list[Found] = []
    darker = np.zeros(bright.shape, np.uint8)
    foot = np.array(region.shape.foot_px, dtype=np.float32)
    for found in founds:
        core = np.zeros(bright.shape, np.uint8)
        cv2.fillConvexPoly(core, np.rint(corners_of(found, region.shape.edge_px * 0.88)).astype(np.int32), 1)
        inside = core > 0
        doubtful = inside & (bright < darker)
        if inside.any():
            lost = (margins[found.colour][inside & doubtful]).clip(0.0).sum() / inside.sum()
            found = replace(found, score=found.score - float(lost) * EXPLAINED)
        if found.score < LEAST_SCORE:
            continue
        kept.append(found)
        top = corners_of(found, region.shape.edge_px)
        level = float(np.median(bright[inside])) if inside.any() else 0.0
        sides = np.zeros(bright.shape, np.uint8)
        hull = cv2.convexHull(np.concatenate([top, top + foot * 1.25]))
        cv2.fillConvexPoly(sides, np.rint(hull).astype(np.int32), int(level * DARKER))
        cv2.fillConvexPoly(sides, np.rint(top).astype(np.int32), 0)
        darker = np.maximum(darker, sides)
    return kept


def _owned(found: Found, region: HeapRegion) -> bool:
    x, y = round(found.x_px), round(found.y_px)
    return 0 <= y < region.owns.shape[0] and 0 <= x < region.owns.shape[1] and bool(region.owns[y, x])


def _tile(view: Image, found: Found, region: HeapRegion, model: HeapModel) -> LooseTile:
    steps = (np.arange(9) - 4) / 4 * region.shape.edge_px * 0.4
    across, down = np.meshgrid(steps, steps)
    cosine, sine = math.cos(found.angle_rad), math.sin(found.angle_rad)
    x = np.clip(np.rint(found.x_px + across * cosine - down * sine).astype(int), 0, view.shape[1] - 1)
    y = np.clip(np.rint(found.y_px + across * sine + down * cosine).astype(int), 0, view.shape[0] - 1)
    top = view[y, x]
    evidence = PIXEL_WEIGHT * model.densities(top).reshape(-1, len(region.holds)).mean(axis=0)
    evidence = evidence + PATCH_WEIGHT * model.patches.log_densities(thirds(model.white.apply(top)))[0]
    chances = np.exp(evidence - evidence.max())
    chances /= chances.sum()
    there = 1.0 / (1.0 + math.exp(-SCORE_SLOPE * (found.score - SURE_SCORE)))
    return LooseTile(found, there, dict(zip(region.holds, map(float, chances), strict=True)), model.white.apply(top))


def _strange(empty: Floats, founds: Sequence[Found], region: HeapRegion) -> float:
    """The largest blot, in tile areas, that neither the empty place nor a found tile, its sides and shadow explain."""
    strange = ((empty < FLOOR_LOG_DENSITY + 1.0) & region.owns).astype(np.uint8)
    for found in founds:
        top = corners_of(found, region.shape.edge_px * 1.3)
        hull = cv2.convexHull(np.concatenate([top, top + np.array(region.shape.foot_px, dtype=np.float32)]))
        cv2.fillConvexPoly(strange, np.rint(hull).astype(np.int32), 0)
    opened = cv2.morphologyEx(strange, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=4)
    return float(stats[1:, cv2.CC_STAT_AREA].max()) / region.shape.edge_px**2 if count > 1 else 0.0


def _count_log_probs(chances: Sequence[float]) -> dict[Hashable, float]:
    """Log probabilities of 0, 1, 2 … tiles, when each is there with its own chance."""
    counts = np.zeros(MOST + 1)
    counts[0] = 1.0
    for chance in chances:
        counts[1:] = counts[1:] * (1 - chance) + counts[:-1] * chance
        counts[0] *= 1 - chance
    counts = np.maximum(counts, 1e-9)
    return {count: float(value) for count, value in enumerate(np.log(counts / counts.sum()))}
