"""Where every board lies now: watched from frame to frame, and found again when it was nudged."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration
from vision.card import CARD
from vision.frame import Image
from vision.layout import PieceSpec
from vision.pose import PiecePose, Sighting, homography, place_piece
from vision.rectify import Matrix, apply
from vision.register import (
    IN_PLACE,
    SLIDING,
    SURELY_FOUND,
    Drift,
    Ruler,
    find_again,
    follow,
    follow_to_the_end,
    make_ruler,
    measure_drift,
    sample_points,
    softened,
)

SMALL_PX, LARGE_PX = 0.3, 1.2
"""Below the first a drift is left alone (a camera trembles); above the second a fit is followed to the end."""
FINE_PX = 0.15
"""Where a board lies is known so well once nothing covers it."""
AS_USUAL = 0.04
"""A board whose print fits no worse than this below its usual has not moved."""
FAINT_SHARE = 0.8
"""A board whose print has never fitted well, and fits no worse than this share of its best, lies where it lay."""
FOUND = 0.6
"""Correlation from which a board that was looked for counts as found."""
QUARTERS = (180, 90, 270)
"""How far a square board may be turned, in degrees."""
SEARCHED = (8, 40)
"""After so many looks in a row in which a board was not found, it is looked for turned all around."""
SOFTNESSES_PX = (0.0, 1.5, 3.0, 5.0)
"""How far a lens may be out of focus, in pixels: print is compared with what it looks like then."""
SOFTER = 0.05
"""So much better must print fit for the lens to be taken to be in or out of focus …"""
TELLING = 0.5
"""… on boards whose print fits so well in some way; what was pushed or is covered tells nothing of a lens."""
HARDLY_WORSE, SLID_WORSE, MOST_SLID = 0.02, 0.01, 8
"""A board that fits no worse than this for having only slid has only slid; it is measured anew until it stays where it
is or fits so much worse, at most so often."""
_CHECKS = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9], [0.5, 0.5]])


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What became of the boards in one frame."""

    moved: tuple[str, ...] = ()
    """Boards that lie elsewhere than before and were found."""
    lost: tuple[str, ...] = ()
    """Boards that could not be found: covered, taken away, or turned."""


@dataclass(slots=True, eq=False)
class Boards:
    """The boards of one table; changes as they are moved."""

    calibration: Calibration
    pieces: Mapping[str, PieceSpec]
    matrices: dict[str, Matrix]
    poses: dict[str, PiecePose]
    rulers: dict[str, Ruler] = field(default_factory=dict)
    usual: dict[str, float] = field(default_factory=dict)
    """Boards whose print never fits its ruler well, as those with little print: how well it does where they lie."""

    best: dict[str, float] = field(default_factory=dict)
    """How well the print of each board has fitted its ruler at the best: little print in a noisy picture never does."""

    turned: dict[str, tuple[int, Matrix]] = field(default_factory=dict)
    """Lost boards that were found turned: by how many degrees, and where."""
    missed: dict[str, int] = field(default_factory=dict)
    """In how many looks in a row each lost board was not found."""

    unsure: dict[str, Matrix] = field(default_factory=dict)
    """Boards that were moved on, perhaps with a hand over them, which bends a fit where there is no print to hold it;
    with where they lay when that was last known for sure."""

    laid: dict[str, Matrix] = field(default_factory=dict)
    """Where boards that were moved lay when nothing covered them last."""

    softness: int = 0
    """How far the lens was out of focus in the last frame, by number."""
    soft_rulers: dict[tuple[str, int], Ruler] = field(default_factory=dict)
    """Rulers as a lens out of focus shows them, by name and softness; made when one is first needed."""

    def learn(self, name: str, image: Image, free: NDArray[np.bool_]) -> None:
        """Make the ruler of a board from its reference picture."""
        width_mm, height_mm = self.pieces[name].size_mm
        self.rulers[name] = make_ruler(image, self.matrices[name], free.reshape(CARD, CARD), height_mm / width_mm)

    @property
    def softness_px(self) -> float:
        """How far the lens was out of focus in the last frame."""
        return SOFTNESSES_PX[self.softness]

    def ruler(self, name: str) -> Ruler:
        """The ruler of a board as the lens shows it now."""
        return self._ruler(name, self.softness)

    def _ruler(self, name: str, softness: int) -> Ruler:
        if softness == 0:
            return self.rulers[name]
        if (name, softness) not in self.soft_rulers:
            self.soft_rulers[name, softness] = softened(self.rulers[name], SOFTNESSES_PX[softness])
        return self.soft_rulers[name, softness]

    def _focus(self, points: Mapping[str, Image]) -> dict[str, Drift]:
        """How far the boards in sight have drifted, and how soft the lens draws: one lens shows them all."""
        drifts = {name: measure_drift(self.ruler(name), pixels) for name, pixels in points.items()}
        if not drifts or (self.softness == 0 and min(drift.in_place for drift in drifts.values()) >= IN_PLACE):
            return drifts
        every = [
            drifts if softness == self.softness
            else {name: measure_drift(self._ruler(name, softness), pixels) for name, pixels in points.items()}
            for softness in range(len(SOFTNESSES_PX))
        ]
        telling = [name for name in points if max(each[name].in_place for each in every) >= TELLING]
        if not telling:
            return drifts
        fits = [sum(each[name].in_place for name in telling) / len(telling) for each in every]
        best = max(range(len(fits)), key=fits.__getitem__)
        if fits[best] > fits[self.softness] + SOFTER:
            self.softness = best
        return every[self.softness]

    def watch(self, image: Image, points: Mapping[str, Image]) -> Whereabouts:
        """Look at some boards, given the pixels of their rulers' points; those that drifted are followed."""
        moved, lost = list[str](), list[str]()
        for name, drift in self._focus(points).items():
            ruler = self.ruler(name)
            if name in self.unsure:
                drift = self._step_back(name, image, drift, moved)
            before = self.matrices[name]
            self.best[name] = max(self.best.get(name, 0.0), drift.in_place)
            clear = min(FOUND, self.best[name])
            if drift.in_place >= FOUND:
                self.turned.pop(name, None)
                self.missed.pop(name, None)
            if drift.in_place >= IN_PLACE:
                after = before @ drift.matrix()
                distance = self._distance_px(before, after)
                if distance <= SMALL_PX:
                    continue
                if distance > LARGE_PX:
                    after, _ = follow_to_the_end(ruler, image, before)
                    after, _ = self._slid(name, image, after)
                else:
                    # Measured once more from there: one step alone falls short by a tenth of the way.
                    after = after @ measure_drift(ruler, sample_points(ruler, image, after)).matrix()
            elif drift.in_place >= self.usual.get(name, IN_PLACE) - AS_USUAL:
                continue
            else:
                after, reached = follow_to_the_end(ruler, image, before)
                if reached < IN_PLACE:
                    after, reached = follow_to_the_end(ruler, image, find_again(ruler, image, before)[0])
                if reached < max(FOUND, drift.in_place + 0.1):
                    if (drift.in_place < FOUND and self._is_turned(name, image)) or drift.in_place < clear / 2:
                        lost.append(name)
                    if drift.in_place >= (FOUND if clear == FOUND else FAINT_SHARE * clear):
                        # It was looked for all around and lies here: the same look need not be searched again.
                        self.usual[name] = drift.in_place
                    continue
                after, _ = self._slid(name, image, after)
            self.unsure.setdefault(name, before)
            self.lay(name, after)
            self.turned.pop(name, None)
            moved.append(name)
        return Whereabouts(tuple(dict.fromkeys(moved)), tuple(lost))

    def _step_back(self, name: str, image: Image, drift: Drift, moved: list[str]) -> Drift:
        """The drift of a board that was moved on; from where it lay before, if its print fits better there."""
        ruler, sure = self.ruler(name), self.unsure[name]
        there = measure_drift(ruler, sample_points(ruler, image, sure))
        if there.in_place <= drift.in_place or self._distance_px(self.matrices[name], sure) <= FINE_PX:
            return drift
        self.lay(name, sure)
        moved.append(name)
        return there

    def _is_turned(self, name: str, image: Image) -> bool:
        """Whether a board that is not where it was lies there turned."""
        ruler, before = self.ruler(name), self.matrices[name]
        self.missed[name] = self.missed.get(name, 0) + 1
        known = self.turned.pop(name, None)
        width, height = self.pieces[name].size_mm
        if known is not None:
            starts = {known[0]: known[1]}
        elif width == height:
            starts = {degrees: before @ Drift((0.0, 0.0), math.radians(degrees), 0.0).matrix() for degrees in QUARTERS}
        else:
            return False
        # Whoever turns a board hardly lays it down where it was; but a hand loses a board too, and a search takes long.
        look = find_again if self.missed[name] in SEARCHED and known is None else follow
        for degrees, start in starts.items():
            there, reached = look(ruler, image, start)
            if reached >= FOUND:
                self.turned[name] = (degrees, there)
                return True
        return False

    def settle(self, image: Image, names: Collection[str]) -> tuple[str, ...]:
        """Fit boards that were moved on once more, now that nothing covers them; those that lie elsewhere for it."""
        moved = []
        for name in names:
            self.unsure.pop(name, None)
            found, reached = follow(self.ruler(name), image, self.matrices[name])
            after, fit = self._slid(name, image, found)
            if max(reached, fit) >= IN_PLACE and self._distance_px(self.matrices[name], after) > FINE_PX:
                self.lay(name, after)
                moved.append(name)
        return tuple(moved)

    def _slid(self, name: str, image: Image, found: Matrix) -> tuple[Matrix, float]:
        """Where a board lies that was found, as if it had only slid and turned on its table, and how well it fits; as
        it was found where that fits worse, for then the camera has moved. Eight numbers bend into whatever a tile or a
        hand hides, and a corner that is off by some pixels shows table for print."""
        ruler, camera, first = self.ruler(name), self.calibration.camera, self.calibration.matrices[name]
        laid, lies = (homography(camera, self._pose(name, matrix)) for matrix in (first, found))
        slid = lies @ np.linalg.inv(laid) @ first
        drift = measure_drift(ruler, sample_points(ruler, image, slid))
        for _ in range(MOST_SLID):
            further = slid @ drift.matrix()
            before, drift = drift, measure_drift(ruler, sample_points(ruler, image, further))
            if drift.in_place < before.in_place - SLID_WORSE:
                drift = before
                break
            distance_px, slid = self._distance_px(slid, further), further
            if distance_px < SMALL_PX / 4:
                break
        fit, found_fit = drift.in_place, measure_drift(ruler, sample_points(ruler, image, found)).in_place
        if found_fit < SURELY_FOUND and (fit < found_fit - HARDLY_WORSE or max(fit, found_fit) < IN_PLACE):
            # Print that is all circles holds no turn: a bent fit may lie so far off that it is looked for from afar.
            again, fit_again = find_again(ruler, image, slid, SLIDING)
            if fit_again > fit:
                slid, fit = again, fit_again
        return (slid / slid[2, 2], fit) if fit >= found_fit - HARDLY_WORSE else (found, found_fit)

    def lay(self, name: str, matrix: Matrix) -> None:
        """A board lies here now."""
        self.matrices[name] = matrix
        self.usual.pop(name, None)
        self.poses[name] = self._pose(name, matrix)

    def _pose(self, name: str, matrix: Matrix) -> PiecePose:
        """Where a board lies on the table whose print is seen there."""
        piece = self.pieces[name]
        sighting = Sighting(piece.size_mm, piece.thickness_mm, _CHECKS, apply(matrix, _CHECKS), 1.0)
        return place_piece(self.calibration.camera, sighting)

    @staticmethod
    def _distance_px(before: Matrix, after: Matrix) -> float:
        return float(np.linalg.norm(apply(before, _CHECKS) - apply(after, _CHECKS), axis=1).max())
