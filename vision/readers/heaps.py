"""Heaps: loose tiles on discs and in areas. Only regions that changed since they were last read are looked at anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.colour_learning import fit_sample_patches, fit_seen
from vision.colours import ColourTable, Light
from vision.frame import Image
from vision.heap_background import Background, ReferenceBackground
from vision.heap_print import learn_backgrounds
from vision.heap_region import HeapRegion, heap_regions
from vision.heaps import HeapLook, HeapModel, look_at_heap, sum_up
from vision.reading import Kind, Reading
from vision.view import Reader, Table, View

KINDS = (Kind.HEAP,)

SMALLER = 4
"""A region is compared with its last look at this fraction of its size, where a camera's noise averages out."""
CHANGED_SPOT = 10
CHANGED_MEAN = 2.0
"""Levels (of 255) by which one spot, or all together, must differ before a region is read anew."""
EMPTY_SCORE = 0.9
"""Where nothing scores more than this, a region learnt in mid-game is taken for empty, and its look is kept."""
EMPTY_TIMES = 2
SURE_THERE, SURE_COLOUR = 0.97, 0.97
"""Tiles this sure show how the colours look at this table."""
ENOUGH_TILES, MOST_TILES = 10, 12
"""So many tiles are needed before colours are learnt from them, and no more than so many of a colour are used."""


def make(table: Table) -> Reader:
    """The reader of all heaps of a table."""
    return HeapReader(table)


@dataclass(slots=True)
class _Memory:
    """What is remembered of one region."""

    small: NDArray[np.int16]
    reading: Reading
    times_empty: int = 0


class HeapReader:
    """All heaps of one table."""

    def __init__(self, table: Table) -> None:
        calibration = table.calibration
        self._calibration = calibration
        self._pixels = table.colours
        self._patches = calibration.patches
        self.regions: dict[str, HeapRegion] = heap_regions(
            table.layout, calibration.camera, calibration.poses, calibration.polygons_px
        )
        self.backgrounds: dict[str, Background] = {}
        self.models: dict[str, HeapModel] = {}
        self._lights: dict[str, Light] = {}
        self._memory: dict[str, _Memory] = {}
        self._own_empty: set[str] = set()
        self._seen: dict[str, list[Image]] = {}
        self._adapted = 0

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return {}

    def learn(self, view: View) -> None:
        """Keep the look of the empty places; without a picture of them, learn the print under the tiles."""
        self._memory.clear()
        self._lights = {name: view.lights[region.piece] for name, region in self.regions.items()}
        self._make_models()
        looks = {name: region.view(view.image) for name, region in self.regions.items()}
        if view.is_reference:
            self.backgrounds = {name: ReferenceBackground(look) for name, look in looks.items()}
            self._own_empty = set(self.regions)
        else:
            self.backgrounds = dict(learn_backgrounds(looks, self.regions, self.models))
            self._own_empty = set()

    def read(self, view: View) -> Iterator[Reading]:
        """All heaps; those that look as they did are answered from memory."""
        for name, region in self.regions.items():
            flat = region.view(view.image)
            size = (max(1, flat.shape[1] // SMALLER), max(1, flat.shape[0] // SMALLER))
            small = np.asarray(cv2.resize(flat, size, interpolation=cv2.INTER_AREA), dtype=np.int16)
            known = self._memory.get(name)
            if known is None or _differs(small, known.small):
                look = look_at_heap(flat, region, self.models[name], self.backgrounds[name])
                times_empty = self._notice(name, flat, look)
                known = _Memory(small, sum_up(look, region), times_empty)
                self._memory[name] = known
            elif known.times_empty:
                known.times_empty += 1
                self._keep_empty(name, flat, known.times_empty)
            yield known.reading
        self._adapt()

    def _notice(self, name: str, flat: Image, look: HeapLook) -> int:
        """Learn from a look: how the place looks empty, and how this table's tiles look."""
        for tile in look.tiles:
            colour = max(tile.colours, key=lambda key: tile.colours[key])
            if tile.there > SURE_THERE and tile.colours[colour] > SURE_COLOUR:
                self._seen.setdefault(colour, []).append(tile.top)
        if name in self._own_empty or look.strange_tiles > 0.3:
            return 0
        if any(tile.found.score > EMPTY_SCORE for tile in look.tiles):
            return 0
        before = self._memory.get(name)
        times = 1 if before is None else before.times_empty + 1
        self._keep_empty(name, flat, times)
        return times

    def _keep_empty(self, name: str, flat: Image, times: int) -> None:
        """What looked empty again and again is the look of the empty place."""
        if times >= EMPTY_TIMES and name not in self._own_empty:
            lit = self.backgrounds[name].light(flat).apply(flat)
            self.backgrounds[name] = ReferenceBackground(lit)
            self._own_empty.add(name)

    def _adapt(self) -> None:
        """Once enough tiles were recognised, colours are read as they look at this table."""
        known = sum(min(len(tops), MOST_TILES) for tops in self._seen.values())
        if known < max(ENOUGH_TILES, 2 * self._adapted):
            return
        self._adapted = known
        for tops in self._seen.values():
            del tops[:-MOST_TILES]
        self._pixels = ColourTable(fit_seen(self._calibration.colours, self._seen))
        self._patches = fit_sample_patches(self._calibration.patches, self._seen)
        self._make_models()
        self._memory.clear()

    def _make_models(self) -> None:
        self.models = {
            name: HeapModel.of(self._pixels, self._patches, region.holds, self._lights[name])
            for name, region in self.regions.items()
        }


def _differs(now: NDArray[np.int16], then: NDArray[np.int16]) -> bool:
    apart = np.abs(now - then)
    return bool(apart.max() > CHANGED_SPOT or apart.mean() > CHANGED_MEAN)
