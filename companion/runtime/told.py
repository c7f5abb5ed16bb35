"""Takes the simulated table's word for what lies there: everything but the seeing, for weak machines and measuring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from companion.simulation.table import Request, SimulatedTable
from companion.trials.noise import Noise, NoisyCamera
from vision.calibration import Calibration, Quality
from vision.colour_learning import builtin_model, builtin_patches
from vision.frame import Frame
from vision.pose import Camera
from vision.reading import Observation
from vision.rectify import Matrix

CLEAR = Noise(slot_error=1e-5, heap_error=1e-5, hidden=0.0, burst=0.0, double=0.0)
ERRORLESS_SEED = 1
SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))

TOGGLES = {
    "lamp": (Request.LAMP_OFF, Request.LAMP_ON),
    "blur": (Request.BLUR, Request.SHARP),
    "freeze": (Request.FREEZE, Request.THAW),
    "camera": (Request.LOSE_CAMERA, Request.FIND_CAMERA),
}
"""What the page's buttons switch on and off again."""


def exact_calibration(table: SimulatedTable) -> Calibration:
    """Where everything lies, known rather than found: for eyes that are told, and for cutting pictures."""
    lens = table.lens
    down = np.diag([1.0, 1.0, -1.0])
    camera = Camera(lens.focal_px, lens.k1, lens.axes @ down, -lens.axes @ lens.position_mm, lens.width_px,
                    lens.height_px)
    matrices, polygons = {}, {}
    for name, spot in table.arrangement.spots.items():
        height_mm = spot.piece.thickness_mm
        if spot.piece.frame == "polygon":
            polygons[name] = lens.project([(x, y, 0.0) for x, y in spot.outline()])
            continue
        corners = lens.project([(*spot.printed(u, v), height_mm) for u, v in SQUARE])
        found = cv2.getPerspectiveTransform(np.array(SQUARE, np.float32), corners.astype(np.float32))
        matrices[name] = np.asarray(found, dtype=np.float64)
    return Calibration(
        game=table.game.id, size_px=(lens.width_px, lens.height_px), camera=camera, poses={}, matrices=matrices,
        polygons_px=polygons, quality=Quality(0.0, {}), colours=builtin_model(table.layout.colours),
        patches=builtin_patches(table.layout.colours), empty=table.setup().empty,
    )


class ToldEyes:
    """Observations from the truth, as sure as a camera can be."""

    def __init__(self, table: SimulatedTable, calibration: Calibration) -> None:
        self._table = table
        self._camera = NoisyCamera(table.layout, CLEAR, ERRORLESS_SEED)
        self._matrices = dict(calibration.matrices)
        self._last: tuple[Mapping[str, Any], Observation] | None = None

    @property
    def matrices(self) -> Mapping[str, Matrix]:
        return self._matrices

    def observe(self, frame: Frame) -> Observation:
        """What lies there now; places under a hand are hidden."""
        truth = self._table.truth()
        places = truth["places"]
        still = not truth["hand"]
        if self._last is not None and self._last[0] == places:
            return replace(self._last[1], captured_ns=frame.captured_ns, still=still, hand=truth["hand"])
        observation = replace(self._camera.look(places, frame.captured_ns), still=still, hand=truth["hand"])
        self._last = (places, observation)
        return observation


class SimulatedReality:
    """The true position of a simulated table, and its buttons."""

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._told: Any = None
        self._on: set[str] = set()

    def state(self) -> Any:
        """The true position as plain JSON when it has changed since it was last asked for, else None."""
        state = self._table.sitting.state
        if state is self._told:
            return None
        self._told = state
        return self._table.game.to_json(state)

    def request(self, what: str) -> None:
        """One of the page's buttons: some do something once, some switch on and off."""
        if what not in TOGGLES:
            self._table.request(what)
            return
        on, off = TOGGLES[what]
        self._table.request(off if what in self._on else on)
        self._on ^= {what}
