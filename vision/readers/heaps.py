"""Heaps: loose tiles on discs and in areas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.frame import Image
from vision.heap_background import Background, ReferenceBackground
from vision.heap_print import learn_backgrounds
from vision.heap_region import HeapRegion, heap_regions
from vision.heaps import HeapModel, read_heap
from vision.reading import Kind, Reading
from vision.view import Table, View

KINDS = (Kind.HEAP,)

SHRINK = 4
"""Flat views are compared with those before at a quarter of their size, where a camera's noise averages out."""
CHANGED_LEVELS = 10.0
"""A spot that differs by this much makes it worth reading a heap again."""


class HeapReader:
    """Reads all heaps of a table; a heap that looks as it did is not read again."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._regions: dict[str, HeapRegion] = {}
        self._models: dict[str, HeapModel] = {}
        self._backgrounds: Mapping[str, Background] = {}
        self._before: dict[str, NDArray[np.float32]] = {}
        self._readings: dict[str, Reading] = {}

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return {}

    def learn(self, view: View) -> None:
        calibration = self._table.calibration
        self._regions = heap_regions(self._table.layout, view.camera, view.poses, calibration.polygons_px)
        models = {
            (region.piece, region.holds): self._model(view, region.piece, region.holds)
            for region in self._regions.values()
        }
        self._models = {name: models[region.piece, region.holds] for name, region in self._regions.items()}
        views = {name: region.view(view.image) for name, region in self._regions.items()}
        if view.is_reference:
            self._backgrounds = {name: ReferenceBackground(flat) for name, flat in views.items()}
        else:
            self._backgrounds = learn_backgrounds(views, self._regions, self._models)

    def _model(self, view: View, piece: str, holds: Sequence[str]) -> HeapModel:
        """The table's colours as they look in the light of the picture the place was learnt from."""
        calibration = self._table.calibration
        light = view.lights[piece].inverse()
        return HeapModel.of(calibration.colours.under(light), calibration.patches.under(light), holds)

    def read(self, view: View) -> Iterator[Reading]:
        for name, region in self._regions.items():
            flat = region.view(view.image)
            if self._has_changed(name, flat):
                self._readings[name] = read_heap(flat, region, self._models[name], self._backgrounds[name])
            yield self._readings[name]

    def _has_changed(self, name: str, flat: Image) -> bool:
        size = (max(1, flat.shape[1] // SHRINK), max(1, flat.shape[0] // SHRINK))
        small = np.asarray(cv2.resize(flat, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
        before = self._before.get(name)
        if before is not None and name in self._readings and float(np.abs(small - before).max()) < CHANGED_LEVELS:
            return False
        self._before[name] = small
        return True


def make(table: Table) -> HeapReader:
    """The reader of a table's heaps."""
    return HeapReader(table)
