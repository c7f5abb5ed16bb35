"""Blots: spots of a heap's place that do not look empty, and the tiles in each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourTable, Light, table_rows
from vision.frame import Image
from vision.heap_background import FLOOR_LOG_DENSITY
from vision.heap_leaning import leaning
from vision.heap_region import Box, HeapRegion
from vision.heap_tops import straddling, tops_at
from vision.patches import PatchModel, PatchTable, thirds_of_each
from vision.squares import Found, Scene, candidates, code, corners_of, pick, slopes, split

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
ANOTHER_AREA = 0.5
"""Share of a tile's area that is looked through once more, when so much is left beside the round tiles found there."""
LEADING_AREA = 0.1
"""The same for the spots where it explains more than any other colour does."""
FEW_STRANGE = 0.25
"""Of so few unexplained spots, in tile areas, it does not matter how many hang together."""
LEAST_SCORE = 0.6
SURE_SCORE, SCORE_SLOPE = 1.7, 5.0
"""A tile of this score is as likely there as not, and how fast that changes."""
ODD_WEIGHT, MOST_DOUBT = 0.7, 1.0
"""How much is taken from the score of what looks less like any colour than a stranger would, and at most: the dark
sides of three tiles around a blue print were a blue tile."""
PIXEL_WEIGHT, PATCH_WEIGHT = 6.0, 0.3
"""How much the pixels of a tile's top, one by one, and its composition count for its colour."""
LEAST_SLANT = 0.2
"""Sides narrower than this share of an edge mislead nobody."""
KNOWN_WIDTH = 1.06
"""Of a tile that is known to lie there so much is left out of the search for others, in tile edges."""
DARKER, EXPLAINED = 0.85, 1.0
"""Sides are at least this much darker than their top; how much of the evidence they explain away."""
WHITE = Light()


@dataclass(frozen=True, slots=True, eq=False)
class HeapModel:
    """The colours of a table, ready for heaps."""

    colours: Floats
    """(rows of a colour table, colours): log densities of the colours that a heap can hold."""
    patches: PatchTable
    white: Light = WHITE
    """From the light of the empty place's picture to that of the colours."""

    @staticmethod
    def of(pixels: ColourTable, patches: PatchModel, holds: Sequence[str], white: Light = WHITE) -> HeapModel:
        """The model of the colours that a heap can hold."""
        columns = [pixels.names.index(name) for name in holds]
        colours = np.ascontiguousarray(pixels.log_densities[:, columns])
        return HeapModel(colours, PatchTable(patches.only(holds)), white)

    def densities(self, lit: Image) -> Floats:
        """Log densities (..., colours) of pixels in the light of the colours."""
        return self.colours.take(table_rows(lit), axis=0)


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
class Patch:
    """A connected spot that does not look empty."""

    box: Box
    """Rows and columns of the view, with a margin."""
    labels: NDArray[np.int32]
    """The numbers of the spots to which the pixels of the box belong, 0 for none."""
    number: int
    """Its own."""

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which pixels of the box are this spot."""
        return np.asarray(self.labels == self.number)

    @property
    def foreign(self) -> NDArray[np.bool_]:
        """Which pixels of the box belong to another patch."""
        return np.asarray((self.labels != self.number) & (self.labels != 0))


@dataclass(frozen=True, slots=True, eq=False)
class Blot:
    """A patch with the tiles in it."""

    box: Box
    founds: tuple[Found, ...] = ()
    """All tiles, also those of the heap next door."""
    tiles: tuple[LooseTile, ...] = ()
    """Those of this heap, with what their tops look like."""
    is_whole: bool = True
    """False while tiles are still to be looked for, or their tops to be looked at."""


def smoothing_px(region: HeapRegion) -> int:
    """Width over which evidence is blurred."""
    return 2 * round(SMOOTH * region.shape.edge_px / 2) + 1


def find_patches(ground: Floats, region: HeapRegion) -> list[Patch]:
    """The spots in which something lies, given how well each pixel's surroundings fit the empty place."""
    something = (ground < STRANGER_LOG_DENSITY + CAP / 2).view(np.uint8)
    left, top, wide, tall = cv2.boundingRect(something)
    if not wide:
        return []
    pad = math.ceil(region.shape.edge_px * 0.3)
    height, width = ground.shape
    bottom, right = min(top + tall + pad, height), min(left + wide + pad, width)
    top, left = max(top - pad, 0), max(left - pad, 0)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(something[top:bottom, left:right], connectivity=4)
    patches = []
    large = stats[:, cv2.CC_STAT_AREA] >= LEAST_AREA * region.shape.edge_px**2
    for number in np.flatnonzero(large[1:]) + 1:
        x, y, wide, tall, _ = map(int, stats[number])
        rows = slice(max(y - pad, 0), min(y + tall + pad, bottom - top))
        columns = slice(max(x - pad, 0), min(x + wide + pad, right - left))
        box = (slice(top + rows.start, top + rows.stop), slice(left + columns.start, left + columns.stop))
        patches.append(Patch(box, np.asarray(labels[rows, columns], dtype=np.int32), int(number)))
    return patches


def search_patch(
    view: Image, ground: Floats, patch: Patch, region: HeapRegion, model: HeapModel, known: Blot
) -> Blot:
    """Find the tiles of one patch: evidence for each colour, and squares in it, beside the tiles that are known."""
    rows, columns = patch.box
    foreign = patch.foreign
    if known.founds:
        foreign |= _tops_of(known.founds, patch, region)
        if np.count_nonzero(patch.own & ~foreign) < LEAST_AREA * region.shape.edge_px**2:
            return known
    here = np.ascontiguousarray(view[patch.box])
    anything = _within(STRANGER_LOG_DENSITY - ground[patch.box], -CAP, CAP)
    anything[foreign] = -CAP
    lit = model.white.apply(here)
    margins = _margins(lit, ground[patch.box], foreign, region, model)
    colours = _likely_colours(margins, region.shape.edge_px**2)
    if not colours:
        return known
    slope_x, slope_y = slopes(here)
    scene = Scene([code(margins[index]) for index in colours], colours, code(anything), slope_x, slope_y)
    there = [_moved(found, -columns.start, -rows.start) for found in known.founds]
    possible = candidates(scene, (0, 0), region.shape, LEAST_SCORE)
    founds = _picked(possible, lit, region, model, there)
    if not region.shape.is_round:
        founds += leaning(
            possible, [*there, *founds], lit.shape[:2], region.shape,
            lambda where: np.asarray(model.densities(lit[where]).mean(axis=0), dtype=np.float32),
        )
    founds = _explain_away(founds, here, margins, region, there)
    fresh = tuple(_moved(found, columns.start, rows.start) for found in founds)
    found = replace(known, founds=(*known.founds, *fresh))
    if not fresh or not region.shape.is_round:
        return found
    # Round tiles of one colour that touch are one plain without peaks: what lies beside those that were found, too.
    left = patch.own & ~foreign & ~_tops_of(fresh, patch, region)
    if np.count_nonzero(left) < ANOTHER_AREA * region.shape.edge_px**2:
        return found
    return search_patch(view, ground, patch, region, model, found)


def _picked(
    possible: Sequence[Found], lit: Image, region: HeapRegion, model: HeapModel, known: Sequence[Found]
) -> list[Found]:
    """The tiles among those that may lie there. What lies across two is none, if without it as many tiles are found: a
    pale tile and the dark side of the next one, together, were a black tile."""

    def are_one(each: Sequence[Found]) -> list[Found]:
        tops = tops_at(lit, each, region.shape.edge_px)
        densities = model.densities(tops).reshape(len(each), -1, len(region.holds))
        return [found for found, two in zip(each, straddling(densities), strict=True) if not two]

    founds = split(pick(possible, region.shape, known), possible, region.shape, known)
    if not founds or len(are_one(founds)) == len(founds):
        return founds
    single = are_one(possible)
    others = split(pick(single, region.shape, known), single, region.shape, known)
    return others if len(others) >= len(founds) else founds


def _tops_of(founds: Sequence[Found], patch: Patch, region: HeapRegion) -> NDArray[np.bool_]:
    """(height, width) of a patch's box: where the tops of some tiles are."""
    rows, columns = patch.box
    tops = np.zeros(patch.labels.shape, np.uint8)
    for found in founds:
        corners = corners_of(found, region.shape.edge_px * KNOWN_WIDTH) - (columns.start, rows.start)
        cv2.fillConvexPoly(tops, np.rint(corners).astype(np.int32), 1)
    return tops.astype(bool)


def look_at_tops(view: Image, blots: Sequence[Blot], region: HeapRegion, model: HeapModel) -> list[Blot]:
    """The blots with what the tops of their tiles look like, all at once."""
    owned = [
        [] if blot.is_whole else [found for found in blot.founds[_known_founds(blot) :] if _owned(found, region.owns)]
        for blot in blots
    ]
    tiles = iter(_tiles(view, [found for founds in owned for found in founds], region, model))
    return [
        blot if blot.is_whole
        else replace(blot, tiles=(*blot.tiles, *itertools.islice(tiles, len(founds))), is_whole=True)
        for blot, founds in zip(blots, owned, strict=True)
    ]


def _known_founds(blot: Blot) -> int:
    """How many of the tiles of an unfinished blot are known already: those come first."""
    return len(blot.tiles)


def strange_tiles(empty: Floats, founds: Sequence[Found], region: HeapRegion) -> float:
    """The largest spot, in tile areas, that neither the empty place nor a found tile, its sides and shadow explain."""
    strange = ((empty < FLOOR_LOG_DENSITY + 1.0) & region.owns).view(np.uint8)
    if cv2.countNonZero(strange) < region.shape.edge_px**2:
        return 0.0
    for found in founds:
        top = corners_of(found, region.shape.edge_px * 1.3)
        hull = cv2.convexHull(np.concatenate([top, top + np.array(region.shape.foot_px, dtype=np.float32)]))
        cv2.fillConvexPoly(strange, np.rint(hull).astype(np.int32), 0)
    left = cv2.countNonZero(strange)
    if left < FEW_STRANGE * region.shape.edge_px**2:
        return left / region.shape.edge_px**2
    opened = cv2.morphologyEx(strange, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    left = cv2.countNonZero(opened)
    if left < FEW_STRANGE * region.shape.edge_px**2:
        return left / region.shape.edge_px**2
    count, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=4)
    return float(stats[1:, cv2.CC_STAT_AREA].max()) / region.shape.edge_px**2 if count > 1 else 0.0


def _margins(lit: Image, ground: Floats, foreign: NDArray[np.bool_], region: HeapRegion, model: HeapModel) -> Floats:
    """(colours, height, width): by how much each colour explains each spot better than the empty place or any other."""
    seen = model.densities(lit)
    strangers = np.maximum(seen, np.float32(STRANGER_LOG_DENSITY))
    if region.shape.is_round:
        # No corners hold a round tile in place beside its neighbours: what one colour explains is no other colour.
        strangers = np.where(seen.max(axis=2, keepdims=True) > STRANGER_LOG_DENSITY, seen, strangers)
    blur = smoothing_px(region)
    blurred = np.asarray(cv2.blur(strangers, (blur, blur)), dtype=np.float32).reshape(seen.shape)
    kinds = np.ascontiguousarray(blurred.transpose(2, 0, 1))
    behind = kinds.max(axis=0) - kinds - np.float32(LIKE_ANOTHER)
    margins = _within(kinds - ground, -CAP, CAP) - _within(behind, 0.0, 2 * CAP)
    margins[:, foreign] = -CAP
    return margins


def _likely_colours(margins: Floats, tile_area_px: float) -> list[int]:
    """The colours of which tiles are searched: they explain enough spots, and some of them better than all others."""
    best = np.maximum(margins.max(axis=0), np.float32(1e-6))
    positive, leading = margins > 0, margins >= best
    enough = [np.count_nonzero(spots) > LEAST_AREA * tile_area_px for spots in positive]
    leads = np.where(enough, [np.count_nonzero(spots) for spots in leading], 0)
    least = max(1.0, min(LEADING_AREA * tile_area_px, float(leads.max())))
    return [int(index) for index in np.flatnonzero(leads >= least)]


def _explain_away(
    founds: Sequence[Found], view: Image, margins: Floats, region: HeapRegion, known: Sequence[Found]
) -> list[Found]:
    """Lower the score of what lies where another, surer tile has its dark sides, if it is dark itself.

    Seen at a slant, the sides of a tile are as large as half a top; with its shadow they look like a black tile.
    """
    if math.hypot(*region.shape.foot_px) < LEAST_SLANT * region.shape.edge_px:
        return list(founds)
    bright = cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)
    kept: list[Found] = []
    darker = np.zeros(bright.shape, np.uint8)
    foot = np.array(region.shape.foot_px, dtype=np.float32)
    for number, found in enumerate([*known, *founds]):
        core = np.zeros(bright.shape, np.uint8)
        cv2.fillConvexPoly(core, np.rint(corners_of(found, region.shape.edge_px * 0.88)).astype(np.int32), 1)
        inside = core > 0
        level = 0.0
        if inside.any():
            level = float(np.median(bright[inside]))
            if number >= len(known):
                evidence = margins[found.colour][inside & (bright < darker)]
                lost = float(np.maximum(evidence, 0.0).sum()) / np.count_nonzero(inside)
                found = replace(found, score=found.score - lost * EXPLAINED)
        if found.score < LEAST_SCORE:
            continue
        kept.append(found)
        top = corners_of(found, region.shape.edge_px)
        sides = np.zeros(bright.shape, np.uint8)
        hull = cv2.convexHull(np.concatenate([top, top + foot * 1.25]))
        cv2.fillConvexPoly(sides, np.rint(hull).astype(np.int32), int(level * DARKER))
        cv2.fillConvexPoly(sides, np.rint(top).astype(np.int32), 0)
        darker = np.maximum(darker, sides)
    return kept[len(known) :]


def _tiles(view: Image, founds: Sequence[Found], region: HeapRegion, model: HeapModel) -> list[LooseTile]:
    """What the tops of found tiles look like, and how surely each is one."""
    if not founds:
        return []
    seen = tops_at(view, founds, region.shape.edge_px)
    tops = model.white.apply(seen.reshape(len(founds), -1, 3)).reshape(seen.shape)
    likeness = model.densities(tops).reshape(len(founds), -1, len(region.holds)).mean(axis=1)
    doubts = _within(ODD_WEIGHT * (STRANGER_LOG_DENSITY - likeness.max(axis=1)), 0.0, MOST_DOUBT)
    evidence = PIXEL_WEIGHT * likeness + PATCH_WEIGHT * model.patches.log_densities(thirds_of_each(tops))
    chances = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return [
        LooseTile(
            found, 1.0 / (1.0 + math.exp(-SCORE_SLOPE * (found.score - doubt - SURE_SCORE))),
            dict(zip(region.holds, map(float, row), strict=True)), top,
        )
        for found, doubt, row, top in zip(founds, doubts.tolist(), chances, tops, strict=True)
    ]


def _owned(found: Found, owns: NDArray[np.bool_]) -> bool:
    x, y = round(found.x_px), round(found.y_px)
    return 0 <= y < owns.shape[0] and 0 <= x < owns.shape[1] and bool(owns[y, x])


def _moved(found: Found, x_px: int, y_px: int) -> Found:
    return replace(found, x_px=found.x_px + x_px, y_px=found.y_px + y_px)


def _within(values: Floats, low: float, high: float) -> Floats:
    return np.minimum(np.maximum(values, np.float32(low)), np.float32(high))
