"""Loose tiles on a disc or in an area: how many of each colour."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.heap_background import PEAK_LOG_DENSITY, Background, ReferenceBackground
from vision.heap_blots import (
    Blot,
    HeapModel,
    LooseTile,
    Patch,
    find_patches,
    look_at_tops,
    search_patch,
    smoothing_px,
    strange_tiles,
)
from vision.heap_region import WHOLE, Box, HeapRegion
from vision.reading import Kind, Reading
from vision.squares import Found, corners_of

MOST = 20
"""Counts beyond this are not told apart."""
SUSPECT = 0.01
"""From this chance on a tile may be the one of which there is only one."""
LEAST_CHANCE = 1e-9
"""Nothing is taken to be less likely than this."""
STRANGE_TILES = 1.5
"""More unexplained ground than this many tiles cover: something else lies here."""
PART_OF_A_TILE, OVERLOOKED = 0.25, 0.1
"""Where ground as large as this part of a tile is unexplained, a tile that lies under others was overlooked with this
chance."""
SAME_BOX_PX = 3
"""A blot whose box moved no farther is the same one."""
SURELY_SCORE = 3.0
"""A tile that scored as much and on which nothing changed lies there still."""
FINE_PX, DIFFERENT_LEVELS = 5, 9
"""Views differ where their levels (of 255) do by more than this over a few pixels: a shadow that falls on a tile does
that, a camera's noise does not."""


@dataclass(frozen=True, slots=True, eq=False)
class HeapLook:
    """Everything seen of one heap, before it is summed up as a reading."""

    tiles: tuple[LooseTile, ...]
    strange_tiles: float
    """Ground that is neither the empty place nor a tile, in tile areas."""
    blots: tuple[Blot, ...]
    """The spots in which the tiles were found."""
    view: Image
    """The flat view in the light of the empty place's picture."""
    empty: NDArray[np.float32]
    """(height, width): how well each pixel of it fits the empty place, as a log density."""
    ground: NDArray[np.float32]
    """(height, width): the same together with its surroundings."""

    def apart(self) -> HeapLook:
        """The same look with maps of its own, which looking again may change."""
        return replace(self, view=self.view.copy(), empty=self.empty.copy(), ground=self.ground.copy())


def read_heap(view: Image, region: HeapRegion, model: HeapModel, background: Background) -> Reading:
    """The counts of every colour in the flat view of a heap's region."""
    return sum_up(look_at_heap(view, region, model, background), region, background.missing)


def sum_up(look: HeapLook, region: HeapRegion, missing: float) -> Reading:
    """The counts that a look gives, when a tile of each colour may have gone unseen."""
    chances = np.array([[tile.there * tile.colours.get(name, 0.0) for name in region.holds] for tile in look.tiles])
    if look.strange_tiles > PART_OF_A_TILE:
        missing = max(missing, OVERLOOKED)
    unseen = np.full((1, len(region.holds)), missing)
    every = np.concatenate([chances.reshape(-1, len(region.holds)), unseen])
    counts = _with_one(every, region.holds.index(region.single[0])) if region.single else _count_probs(every)
    counts = np.log(np.maximum(counts, LEAST_CHANCE))
    parts: dict[str, dict[Hashable, float]] = {
        name: dict(enumerate(row)) for name, row in zip(region.holds, counts.tolist(), strict=True)
    }
    strange = look.strange_tiles > STRANGE_TILES
    return Reading(region.place, Kind.HEAP, parts, occluded=strange, unfamiliar=strange)


def look_at_heap(view: Image, region: HeapRegion, model: HeapModel, background: Background) -> HeapLook:
    """Find the tiles in a flat view of a heap's region, in any light."""
    light = background.light(view.reshape(-1, 3)[background.spots])
    return look(light.apply(view), region, model, background)


def look(view: Image, region: HeapRegion, model: HeapModel, background: Background) -> HeapLook:
    """The same for a view in the light of the empty place's picture."""
    empty = background.log_densities(view)
    ground = np.empty_like(empty)
    _smooth(ground, empty, WHOLE, region)
    return _search(view, empty, ground, region, model, lambda patch: Blot(patch.box, is_whole=False))


def look_again(
    part: Image, box: Box, region: HeapRegion, model: HeapModel, background: Background, before: HeapLook,
    changed: NDArray[np.bool_],
) -> HeapLook:
    """The same where only a part of the view was taken anew, around all that has changed since the look before; the
    rest is taken from there, maps and all: the look before is of no use afterwards."""
    view, empty, ground = before.view, before.empty, before.ground
    changed[box] &= _differs(part, view[box])
    view[box], empty[box] = part, background.log_densities(part, box)
    _smooth(ground, empty, box, region)
    return _search(view, empty, ground, region, model, lambda patch: _known(patch, before, changed, region))


def look_at_nothing(region: HeapRegion, background: ReferenceBackground) -> HeapLook:
    """The look of a place that is as it was seen empty."""
    empty = np.full(region.owns.shape, PEAK_LOG_DENSITY, dtype=np.float32)
    ground = np.empty_like(empty)
    _smooth(ground, empty, WHOLE, region)
    return HeapLook((), 0.0, (), background.empty.copy(), empty, ground)


def _differs(now: Image, then: Image) -> NDArray[np.bool_]:
    """(height, width): where two views in the same light are not the same, fine noise aside."""
    apart = cv2.blur(cv2.absdiff(now, then), (FINE_PX, FINE_PX))
    blue, green, red = cv2.split(apart)
    return np.asarray(cv2.max(cv2.max(blue, green), red) > DIFFERENT_LEVELS)


def _smooth(
    ground: NDArray[np.float32], empty: NDArray[np.float32], box: Box, region: HeapRegion
) -> None:
    """Bring the smoothed map up to date with the map of which a box is new."""
    blur = smoothing_px(region)
    reach = blur // 2
    wide, wider = (tuple(slice(max(0, (side.start or 0) - by), None if side.stop is None else side.stop + by)
                         for side in box) for by in (reach, 2 * reach))
    some = cv2.blur(empty[wider] * region.near_weights[wider], (blur, blur))
    top, left = (one.start - more.start for one, more in zip(wide, wider, strict=True))
    target = ground[wide]
    target[:] = some[top : top + target.shape[0], left : left + target.shape[1]]


def _search(
    view: Image, empty: NDArray[np.float32], ground: NDArray[np.float32], region: HeapRegion, model: HeapModel,
    known: Callable[[Patch], Blot],
) -> HeapLook:
    patches = find_patches(ground, region)
    blots = [known(patch) for patch in patches]
    searched = [
        blot if blot.is_whole else search_patch(view, ground, patch, region, model, blot)
        for patch, blot in zip(patches, blots, strict=True)
    ]
    every = look_at_tops(view, searched, region, model)
    founds = [found for blot in every for found in blot.founds]
    tiles = tuple(tile for blot in every for tile in blot.tiles)
    return HeapLook(tiles, strange_tiles(empty, founds, region), tuple(every), view, empty, ground)


def _known(patch: Patch, before: HeapLook, changed: NDArray[np.bool_], region: HeapRegion) -> Blot:
    """What the look before knew of this patch: all of it, or the tiles that surely lie there still."""
    rows, columns = patch.box
    here = changed[patch.box]
    touched = here.any() and (here & patch.own).any()
    for blot in before.blots if not touched else ():
        old_rows, old_columns = blot.box
        moved = max(
            abs(rows.start - old_rows.start), abs(rows.stop - old_rows.stop),
            abs(columns.start - old_columns.start), abs(columns.stop - old_columns.stop),
        )
        if moved <= SAME_BOX_PX:
            return blot
    kept = [
        tile for tile in before.tiles
        if tile.found.score > SURELY_SCORE and _holds(patch, tile.found) and not _on_tile(changed, tile.found, region)
    ]
    return Blot(patch.box, tuple(tile.found for tile in kept), tuple(kept), is_whole=False)


def _holds(patch: Patch, found: Found) -> bool:
    """Whether the middle of a tile lies on a patch."""
    rows, columns = patch.box
    x, y = round(found.x_px) - columns.start, round(found.y_px) - rows.start
    height, width = patch.labels.shape
    return 0 <= y < height and 0 <= x < width and int(patch.labels[y, x]) == patch.number


def _on_tile(changed: NDArray[np.bool_], found: Found, region: HeapRegion) -> bool:
    """Whether anything changed on a tile's top."""
    corners = corners_of(found, region.shape.edge_px)
    (left, top), (right, bottom) = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int)
    here = changed[max(top, 0) : bottom + 1, max(left, 0) : right + 1]
    if not here.any():
        return False
    tile = np.zeros(here.shape, np.uint8)
    cv2.fillConvexPoly(tile, np.rint(corners - (max(left, 0), max(top, 0))).astype(np.int32), 1)
    return bool((tile.astype(bool) & here).any())


def _with_one(chances: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    """The same as `_count_probs` where at most one tile has the colour of a column, though several may look like it:
    weighed over which one that is."""
    suspects = np.flatnonzero(chances[:, column] > SUSPECT)
    if len(suspects) < 2:
        return _count_probs(chances)
    own = np.minimum(chances[:, column], 1.0 - LEAST_CHANCE)
    others = chances * ((1.0 - chances[:, column]) > LEAST_CHANCE)[:, None] / (1.0 - own)[:, None]
    others[:, column] = 0.0
    odds = own[suspects] / (1.0 - own[suspects])
    total = _count_probs(others)
    for one, weight in zip(suspects.tolist(), odds.tolist(), strict=True):
        so = others.copy()
        so[one] = 0.0
        so[one, column] = 1.0
        total += weight * _count_probs(so)
    return np.asarray(total / (1.0 + odds.sum()))


def _count_probs(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(colours, MOST + 1): probabilities of 0, 1, 2 … tiles of each colour, when each of some tiles is there and of
    that colour with its own chance (tiles, colours)."""
    counts = np.zeros((chances.shape[1], MOST + 1))
    for row, each in zip(counts, chances.T.tolist(), strict=True):
        so_far = [1.0]
        for chance in each:
            if chance > LEAST_CHANCE:
                more = [*so_far, 0.0]
                so_far = [was * (1.0 - chance) + below * chance
                          for was, below in zip(more, [0.0, *so_far], strict=True)][: MOST + 1]
        row[: len(so_far)] = so_far
    return counts
