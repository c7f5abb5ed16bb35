"""Loose tiles on a disc or in an area: how many of each colour."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.heap_background import Background
from vision.heap_blots import Blot, HeapModel, LooseTile, Patch, find_patches, look_at_blot, smoothing_px, strange_tiles
from vision.heap_region import HeapRegion
from vision.reading import Kind, Reading

MOST = 20
"""Counts beyond this are not told apart."""
STRANGE_TILES = 1.5
"""More unexplained ground than this many tiles cover: something else lies here."""
SAME_BOX_PX = 3
"""A blot whose box moved no farther is the same one."""

@dataclass(frozen=True, slots=True, eq=False)
class HeapLook:
    """Everything seen of one heap, before it is summed up as a reading."""

    tiles: tuple[LooseTile, ...]
    strange_tiles: float
    """Ground that is neither the empty place nor a tile, in tile areas."""
    blots: tuple[Blot, ...] = ()
    """The spots in which the tiles were found."""


def read_heap(view: Image, region: HeapRegion, model: HeapModel, background: Background) -> Reading:
    """The counts of every colour in the flat view of a heap's region."""
    return sum_up(look_at_heap(view, region, model, background), region, background.missing)


def sum_up(look: HeapLook, region: HeapRegion, missing: float) -> Reading:
    """The counts that a look gives, when a tile of each colour may have gone unseen."""
    parts: dict[str, dict[Hashable, float]] = {}
    for name in region.holds:
        chances = [tile.there * tile.colours.get(name, 0.0) for tile in look.tiles]
        parts[name] = _count_log_probs([*chances, missing])
    strange = look.strange_tiles > STRANGE_TILES
    return Reading(region.place, Kind.HEAP, parts, occluded=strange, unfamiliar=strange)


def look_at_heap(view: Image, region: HeapRegion, model: HeapModel, background: Background) -> HeapLook:
    """Find the tiles in a flat view of a heap's region, in any light."""
    return look_again(background.light(view).apply(view), region, model, background, None, None)


def look_again(
    view: Image, region: HeapRegion, model: HeapModel, background: Background, before: HeapLook | None,
    changed: NDArray[np.bool_] | None,
) -> HeapLook:
    """The same for a view in the light of the empty place's picture; what has not changed since the look before is
    taken from there."""
    empty = background.log_densities(view)
    blur = smoothing_px(region)
    ground = np.asarray(cv2.blur(np.where(region.near, empty, np.float32(0.0)), (blur, blur)), dtype=np.float32)
    blots = []
    for patch in find_patches(ground, region):
        known = None if before is None or changed is None else _known(patch, before, changed)
        blots.append(known or look_at_blot(view, empty, ground, patch, region, model))
    tiles = tuple(tile for blot in blots for tile in blot.tiles)
    founds = [found for blot in blots for found in blot.founds]
    return HeapLook(tiles, strange_tiles(empty, founds, region), tuple(blots))


def _known(patch: Patch, before: HeapLook, changed: NDArray[np.bool_]) -> Blot | None:
    if changed[patch.box].any():
        return None
    rows, columns = patch.box
    for blot in before.blots:
        old_rows, old_columns = blot.box
        moved = max(
            abs(rows.start - old_rows.start), abs(rows.stop - old_rows.stop),
            abs(columns.start - old_columns.start), abs(columns.stop - old_columns.stop),
        )
        if moved <= SAME_BOX_PX:
            return blot
    return None


def _count_log_probs(chances: Sequence[float]) -> dict[Hashable, float]:
    """Log probabilities of 0, 1, 2 … tiles, when each is there with its own chance."""
    counts = np.zeros(MOST + 1)
    counts[0] = 1.0
    for chance in chances:
        counts[1:] = counts[1:] * (1 - chance) + counts[:-1] * chance
        counts[0] *= 1 - chance
    counts = np.maximum(counts, 1e-9)
    return {count: float(value) for count, value in enumerate(np.log(counts / counts.sum()))}
