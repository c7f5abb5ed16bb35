"""Counters: the number a stone stands on.

A stone is a dark cube that hides the print under and behind it. For each position of the track it is known which print
a stone there would hide: that must be black, and what surrounds it must not.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.frame import Image
from vision.layout import PlaceSpec, Track
from vision.occlusion import inside, is_covered_at, shadow_on_board
from vision.reading import Kind, Reading
from vision.rectify import Matrix
from vision.view import Reader, Table, View

KINDS = (Kind.COUNTER,)

STEP_FRACTION = 0.008
"""Distance of samples: five or six to a space of the track."""
RING = 0.6
"""What surrounds a stone: as far out as this share of the stone's width."""
BLACK_SHARE = 0.75
"""From the darkest to the middling brightness of a track, what lies below this share is black."""
SHARPNESS = 35.0
"""How fast the probability of a position falls with its score."""
MOVED_SHARE, MOVED_SAMPLES = 0.4, 6
"""A stone that comes or goes changes more samples than the second of these, by more than the first as a share of the
way from black to middling; it hides more than twice as many."""
LEAST_MOVED_LEVELS = 12.0
LEAST_SCORE = 0.04
"""Print alone makes some position of a track score as much as this."""
ABSENT_SCORE, STANDS_OUT = 0.25, 3.0
"""A track on which nothing scores more shows no stone, unless one position scores so many times as much as all others:
a stone that stands askew or beside its space hides only some of the print it should."""


def make(table: Table) -> Reader:
    """The reader of all counters of a table."""
    return CounterReader(table)


@dataclass(frozen=True, slots=True, eq=False)
class _Track:
    """One track: where it is sampled, and which samples a stone on each position hides or touches."""

    weight: int
    """Points for each step."""
    at: tuple[tuple[float, float], ...]
    """Where a stone can stand, in fractions of the board."""
    points: Matrix
    """(N, 2) fractions of the board."""
    samples: NDArray[np.int64]
    """(positions, K): the points that matter for each position, filled up with the first point."""
    weights: NDArray[np.float32]
    """(positions, K): with these they give the mean inside a stone minus the mean around it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """A track as it looked when it was last measured."""

    bright: NDArray[np.uint8]
    """(1, N) brightness of its samples."""
    moved_levels: float
    """By how much a sample changes when a stone comes or goes."""

    def shows(self, bright: NDArray[np.uint8]) -> bool:
        """Whether the stone stands where it stood, in another look at the track."""
        return int(np.count_nonzero(cv2.absdiff(bright, self.bright) > self.moved_levels)) <= MOVED_SAMPLES


class CounterReader:
    """Counters: each has one stone on each of its tracks, and shows what they add up to."""

    def __init__(self, table: Table) -> None:
        self._counters: dict[str, tuple[PlaceSpec, tuple[_Track, ...]]] = {}
        self._readings: dict[str, Reading] = {}
        self._looks: dict[str, list[_Look]] = {}
        """Of the tracks of each counter, where no hand was near."""
        for name, piece in table.pieces.items():
            for place in piece.places:
                if place.kind is Kind.COUNTER and name in table.calibration.matrices:
                    self._counters[place.name] = (place, tuple(_track(table, name, place, one) for one in place.tracks))

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return {
            _key(place, index): (place.piece, Wanted(track.points, np.zeros(len(track.points))))
            for place, tracks in self._counters.values() for index, track in enumerate(tracks)
        }

    def learn(self, view: View) -> None:
        """Nothing: a dark cube looks alike on every table."""
        self._readings.clear()
        self._looks.clear()

    def read(self, view: View) -> Iterator[Reading]:
        for place, tracks in self._counters.values():
            if place.piece in view.touched or place.name not in self._readings:
                brights = [
                    _brightness(view.lit(_key(place, index), place.piece)) for index in range(len(tracks))
                ]
                free, known = not view.covered[place.piece].any(), self._looks.get(place.name)
                if not free or known is None or not all(map(_Look.shows, known, brights)):
                    self._measure(view, place, tracks, brights, free)
            yield self._readings[place.name]

    def _measure(
        self, view: View, place: PlaceSpec, tracks: tuple[_Track, ...], brights: list[NDArray[np.uint8]], free: bool
    ) -> None:
        """Look for the stones of one counter."""
        sums: dict[int, float] = {0: 1.0}
        hidden = False
        looks: list[_Look] = []
        for track, bright in zip(tracks, brights, strict=True):
            low, middle = _levels(bright)
            looks.append(_Look(bright, max(LEAST_MOVED_LEVELS, MOVED_SHARE * (middle - low))))
            score = _scores(track, bright, low, middle)
            chances = np.exp(SHARPNESS * (score - score.max()))
            steps = list(enumerate((chances / chances.sum()).tolist()))
            sums = {
                so_far + step * track.weight: chance * more
                for so_far, chance in sums.items() for step, more in steps
            }
            at = track.at[int(score.argmax())]
            hidden |= is_covered_at(view.covered[place.piece], view.free[place.piece], at)
            hidden |= _is_absent(score)
        values: dict[Hashable, float] = {value: math.log(max(chance, 1e-30)) for value, chance in sums.items()}
        self._readings[place.name] = Reading(place.name, Kind.COUNTER, {"value": values}, occluded=hidden)
        self._looks.pop(place.name, None)
        if free and not hidden:
            self._looks[place.name] = looks


def _key(place: PlaceSpec, track: int) -> str:
    return f"counters.{place.name}.{track}"


def _brightness(lit: Image) -> NDArray[np.uint8]:
    """(1, N) the brightest channel of each sample."""
    blue, green, red = cv2.split(lit.reshape(1, -1, 3))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)


def _levels(bright: NDArray[np.uint8]) -> tuple[float, float]:
    """The darkest and the middling brightness of a track."""
    reached = np.cumsum(np.bincount(bright.ravel(), minlength=256))
    low, middle = (float(np.searchsorted(reached, share * bright.size)) for share in (0.004, 0.5))
    return low, middle


def _scores(track: _Track, bright: NDArray[np.uint8], low: float, middle: float) -> NDArray[np.float64]:
    """(positions,) how much blacker a stone's patch is than what surrounds it."""
    levels = np.arange(256, dtype=np.float32)
    black = np.clip(1.0 - (levels - low) / max(BLACK_SHARE * (middle - low), 1.0), 0.0, 1.0).astype(np.float32)
    seen = black[bright.ravel()].take(track.samples)
    return np.asarray(np.einsum("pk,pk->p", seen, track.weights), dtype=np.float64)


def _is_absent(score: NDArray[np.float64]) -> bool:
    """Whether no stone stands on any position of a track."""
    second, best = map(float, np.sort(score)[-2:])
    return best < min(ABSENT_SCORE, STANDS_OUT * max(second, LEAST_SCORE))


def _track(table: Table, name: str, place: PlaceSpec, spec: Track) -> _Track:
    piece, calibration = table.pieces[name], table.calibration
    camera, pose, item = calibration.camera, calibration.poses[name], table.layout.items[place.item]
    at = np.array(spec.at)
    outlines = [shadow_on_board(camera, pose, piece, (u, v), item, askew=1.0) for u, v in at]
    reach = RING * item.size_mm / min(piece.size_mm)
    everything = np.concatenate(outlines)
    low, high = everything.min(axis=0) - reach, everything.max(axis=0) + reach
    across, down = (np.arange(low[axis], high[axis], STEP_FRACTION) for axis in (0, 1))
    points = np.array([[u, v] for v in down for u in across])
    stones = np.zeros((len(at), len(points)), dtype=np.float32)
    for index, outline in enumerate(outlines):
        middle = outline.mean(axis=0)
        wide = 1.0 + 2.0 * reach / np.maximum(outline.max(axis=0) - outline.min(axis=0), 1e-6)
        within = inside(outline, points)
        around = inside((outline - middle) * wide.astype(np.float32) + middle, points) & ~inside(
            (outline - middle) * np.float32(1.15) + middle, points
        )
        stones[index] = within / max(1, within.sum()) - around / max(1, around.sum())
    most = int((stones != 0).sum(axis=1).max())
    samples = np.argsort(stones == 0, axis=1, kind="stable")[:, :most].astype(np.int64)
    return _Track(spec.weight, spec.at, points, samples, np.take_along_axis(stones, samples, axis=1))
