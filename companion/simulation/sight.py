"""Which places a hand hides: the truth must not ask of a reader to see through one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulation.arrangement import Arrangement
from companion.simulation.glyphs import SHIFT, fixed
from companion.simulation.lens import Lens
from companion.simulation.solids import Box, box_around
from vision.layout import Layout

COVERED_SHARE = 0.04
"""A place of which more than this is hidden cannot be seen."""
COARSE = 4
"""Areas are compared in a picture so many times smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenArea:
    """Where a place is seen, up to the tops of what lies there, in the coarse picture."""

    box: Box
    inside: NDArray[np.bool_]
    """Which pixels of the box belong to the place."""


def seen_areas(layout: Layout, arrangement: Arrangement, lens: Lens) -> dict[str, SeenArea]:
    """The area of every place in the picture."""
    areas: dict[str, SeenArea] = {}
    for name, spec in layout.places.items():
        spot = arrangement.spots[spec.piece]
        half_u, half_v = spec.size[0] / 2, spec.size[1] / 2
        low = spot.piece.thickness_mm
        high = low + layout.items[spec.item].height_mm
        corners = [
            (*spot.printed(spec.at[0] + du * half_u, spec.at[1] + dv * half_v), z)
            for du, dv in ((-1, -1), (1, -1), (1, 1), (-1, 1)) for z in (low, high)
        ]
        outline = cv2.convexHull((lens.project(corners) / COARSE).astype(np.float32)).reshape(-1, 2).astype(np.float64)
        box = box_around(outline, 1.0).clipped(lens.width_px // COARSE, lens.height_px // COARSE)
        mask = np.zeros((max(box.y1 - box.y0, 1), max(box.x1 - box.x0, 1)), np.uint8)
        cv2.fillConvexPoly(mask, fixed(outline - (box.x0, box.y0)), 255, cv2.LINE_8, SHIFT)
        areas[name] = SeenArea(box, mask > 0)
    return areas


def hidden_places(areas: Mapping[str, SeenArea], cover: NDArray[np.uint8]) -> Iterator[str]:
    """The places of which too much is covered; `cover` is as large as the picture."""
    size = (cover.shape[1] // COARSE, cover.shape[0] // COARSE)
    coarse = cv2.resize(cover, size, interpolation=cv2.INTER_AREA) > 127
    for name, area in areas.items():
        part = coarse[area.box.y0 : area.box.y1, area.box.x0 : area.box.x1]
        if part.size and part.any() and float(part[area.inside].mean()) > COVERED_SHARE:
            yield name
