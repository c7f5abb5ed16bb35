"""What people would tap and photograph while setting up the simulated table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.simulation.arrangement import Arrangement, Spot
from companion.simulation.faces import Look
from companion.simulation.lens import Lens
from companion.simulation.things import BACK, TableTop, Thing
from vision.frame import Image
from vision.layout import Layout
from vision.reading import Kind

TAP_NOISE_FRACTION = 0.01
"""A finger is off by up to one percent of the image width."""
SAMPLES_EACH = 3


@dataclass(frozen=True, slots=True, eq=False)
class TableSetup:
    """A recording.json and the two pictures beside it."""

    recording: Mapping[str, Any]
    empty: Image
    samples: Image


def tap_places(
    arrangement: Arrangement, lens: Lens, seed: int, noise_fraction: float = TAP_NOISE_FRACTION
) -> dict[str, Any]:
    """`setup.places` of a recording: corners, disc taps and polygons, each a little off."""
    rng = np.random.default_rng((seed, 61))
    reach = noise_fraction * lens.width_px

    def tap(x_mm: float, y_mm: float, height_mm: float) -> list[float]:
        angle, away = rng.uniform(0, 2 * math.pi), reach * math.sqrt(rng.uniform(0, 1)) * 0.999
        x, y = lens.project([(x_mm, y_mm, height_mm)])[0]
        return [round(float(x + away * math.cos(angle)), 1), round(float(y + away * math.sin(angle)), 1)]

    places: dict[str, Any] = {}
    for name, spot in arrangement.spots.items():
        height = spot.piece.thickness_mm
        if spot.piece.frame == "corners":
            places[name] = {"corners": [tap(x, y, height) for x, y in spot.outline()]}
        elif spot.piece.frame == "disc":
            places[name] = {"centre": tap(spot.x_mm, spot.y_mm, height), "rim": tap(*spot.at(1.0, 0.5), height)}
        else:
            places[name] = {"polygon": [tap(x, y, 0.0) for x, y in spot.outline()]}
    return places


def lay_samples(top: TableTop) -> list[Thing]:
    """Some loose tiles of every colour (and of various faces), in the shared heaps or on the cells of a board."""
    layout = top.layout
    heaps = [p for p in layout.places.values() if p.kind is Kind.HEAP and _shared(layout, p.piece)]
    cells = [p for p in layout.places.values() if p.kind is Kind.CELL]
    laid: list[Thing] = []
    if cells:
        colours = sorted(set(cells[0].holds) - {BACK})
        for number, colour in enumerate(colour for colour in colours for _ in range(SAMPLES_EACH)):
            cell = cells[(number * 7 + 3) % len(cells)]
            face = cell.faces[number % len(cell.faces)] if cell.faces else None
            thing = top.posed(top.make(Look(colour, face), cell.item), cell.name)
            top.lay(thing)
            laid.append(thing)
        return laid
    if not heaps:
        return laid
    room = {heap.name: 4 if heap.round_area else 12 for heap in heaps}
    for colour in dict.fromkeys(colour for heap in heaps for colour in heap.holds if colour != "marker"):
        for _ in range(SAMPLES_EACH):
            roomy = [heap for heap in heaps if len(top.things_at(heap.name)) < room[heap.name]]
            fitting = [heap for heap in roomy if colour in heap.holds]
            if not fitting:
                continue
            heap = min(fitting, key=lambda heap: len(top.things_at(heap.name)) / room[heap.name])
            thing = top.posed(top.make(Look(colour), heap.item), heap.name)
            top.lay(thing)
            laid.append(thing)
    return laid


def sample_list(things: Sequence[Thing], lens: Lens) -> list[dict[str, Any]]:
    """Where the sample tiles are seen, as recording.json lists them."""
    result = []
    for thing in things:
        x, y = lens.project([(thing.x_mm, thing.y_mm, thing.z_mm + thing.item.height_mm)])[0]
        entry: dict[str, Any] = {"colour": thing.look.colour, "at": [round(float(x), 1), round(float(y), 1)]}
        if thing.look.face is not None:
            entry["face"] = thing.look.face
        result.append(entry)
    return result


def secret_outlines(arrangement: Arrangement, lens: Lens) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
    """The areas that must be blacked out in every picture that leaves the companion, in pixels."""
    result = []
    for spot in arrangement.spots.values():
        if spot.piece.secret:
            raised = [(x, y, 0.0) for x, y in _grown(spot)]
            result.append(lens.project(raised))
    return result


def _grown(spot: Spot) -> list[tuple[float, float]]:
    return [spot.at(u, v) for u, v in ((-0.03, -0.2), (1.03, -0.2), (1.03, 1.2), (-0.03, 1.2))]


def _shared(layout: Layout, piece: str) -> bool:
    return next(spec.player for spec in layout.pieces if spec.name == piece) is None
