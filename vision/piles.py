"""Piles of round tiles, of which only the top shows, and the flat chips that may lie below them or alone.

A pile leans away from where its foot stands, the higher the more, and its sides show the tiles below. Only the top tile
is seen as a whole disc in one colour.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourModel, ColourTable, to_lab
from vision.frame import Image
from vision.heap_background import CoveredBackground, ReferenceBackground
from vision.print_colours import distances, ground_colours

Floats = NDArray[np.float32]

CAP = 3.0
"""Evidence of one pixel never counts more than this."""
LIKE_ANOTHER = 1.5
"""A colour this much behind the best one may still be the right one."""
STRANGER_LOG_DENSITY = -14.5
"""What looks neither like the empty place nor like a known colour may still be a tile in an unexpected shade."""
COVERED_LOG_DENSITY = -13.5
"""The same where something lies for sure, be it a pile or a chip."""
DISC = 1.0
"""Share of a tile's diameter that must show its colour: a chip is smaller than a tile."""
SURE_SCORE, SCORE_SLOPE = 2.3, 9.0
"""A pile of this score is as likely there as not, and how fast that changes."""
SURE_OVER_CHIP = 1.38
"""The same where a chip may lie instead, and the edge of a tile that no chip reaches counts as much as all of it: a
blue tile on a dark blue place hardly differs from it there, but a chip does not at all."""
RIM_FROM, RIM_TO, RIM_MIDDLE = 0.39, 0.47, 0.3
"""Where the white rim of a chip lies, and how far what is within it reaches, from its middle in diameters."""
LEAST_RIM, RIM_WEIGHT = 14.0, 0.05
"""A ring that is lighter or greyer all around than what is within it, by more than this in Lab, is the rim of a chip:
how much each further step takes from the score of a pile."""
FACE_DOWN_WEIGHT = 0.8
"""How much more is asked of a pile where a chip that lay face down would look like this."""
COLOUR_WEIGHT = 5.0
"""How much a lead in score counts for a colour."""
MOST_LOG_ODDS = 8.0
CHANGED_LAB = 10.0
"""A pixel this far from the empty place shows something else."""
CHANGED_SLOPE = 16.0
CHIP_FACE = 0.78
"""Share of a chip's diameter within which nothing but its face is seen."""
CHIP_WHOLE = 1.05
"""The same for all of it, rim and shadow."""
WHOLE_WEIGHT = 0.5
"""How much all of a chip counts beside its face for where it lies: on paper as white as its rim only the face differs
from the empty place, and on dark print the face fits in many spots, beside other chips the whole does."""
ASTRAY_COST = 0.03
"""How much more of a chip must be seen a millimetre farther from its place."""
LEAST_CHROMA = 22.0
COLOUR_REACH_LAB = 21.0
"""A pixel farther than this from all colours shows none of them."""
PALEST, MOST_COLOURFUL = 0.8, 1.35
"""A chip's face is plain, where a tile has an ornament that dulls it."""
DULLED = 0.75
"""The half of a tile that is less colourful than this share of the other half's is more ornament than ground."""
LIGHTNESS_WEIGHT = 0.7
WHITE_LIGHTNESS, WHITE_CHROMA = 66.0, 14.0
"""The rim and the star of a chip are lighter and greyer than this, and tell nothing."""
SAME_MIDDLE, HALVES_APART = 0.4, 0.7
"""The middles of the two halves of a chip's face lie farther apart than the second of these, in radii; colours whose
middles are no farther apart than the first lie around each other …"""
MIXED_SHARE, PARTED_SHARE = 0.7, 0.85
"""… or that much of each lies on its own side of the line between them, more than the second of these; no more than the
first is no half."""
USUAL_CHROMA = 42.0
"""Of the grounds of all tiles on average; where a camera shows them duller, everything else is duller too."""
LIKE_THE_BACK_LAB = 9.0
"""A chip whose face is no farther than this from the back that was learnt lies face down …"""
BACK_REACH_LAB, BACK_SHARE = 20.0, 0.5
"""… if at least this share of it is no farther than that from the back: what lies in the middle between the colours of
two halves is the colour of neither, and as grey as a back."""
ALIKE_BACKS, ALIKE_LAB = 3, 5.0
"""So many chips that look no farther apart than this show their backs: faces differ."""
CHIP_WEIGHT = 12.0
"""How fast the probability of a face grows with its share of the pixels."""
FACE_DOWN = "face-down"


@dataclass(frozen=True, slots=True, eq=False)
class PileTop:
    """What was seen of one pile."""

    log_odds: float
    """That anything lies there."""
    colours: NDArray[np.float64]
    """Log probabilities of the top's colour."""


@dataclass(frozen=True, slots=True, eq=False)
class ChipBelow:
    """A chip that may lie where a pile may stand."""

    diameter_px: float
    is_face_down: bool
    """Whether it lies face down, if it is one that is seen there."""


@dataclass(frozen=True, slots=True, eq=False)
class ChipSeen:
    """What was seen of one chip."""

    values: dict[Hashable, float]
    """Log probabilities of all contents."""
    lab: NDArray[np.float64] | None
    """The middling colour of its face; None where nothing lies."""


def learn_back(labs: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """How the back of these chips looks, given their middling colours: as most of them do, if enough are alike."""
    for one in labs:
        alike = [other for other in labs if np.linalg.norm(other - one) <= ALIKE_LAB]
        if len(alike) >= ALIKE_BACKS and 2 * len(alike) > len(labs):
            return np.asarray(np.mean(alike, axis=0))
    return None


def read_top(
    view: Image, background: ReferenceBackground, colours: ColourTable, picks: Sequence[int], where: NDArray[np.bool_],
    diameter_px: float, chip: ChipBelow | None = None,
) -> PileTop:
    """The top of a pile in a flat, lit view; its middle is one of the pixels `where`, or a chip lies there instead."""
    stranger = COVERED_LOG_DENSITY if isinstance(background, CoveredBackground) else STRANGER_LOG_DENSITY
    seen = np.maximum(colours.pixels(view)[..., list(picks)], stranger)
    seen = np.stack([cv2.blur(seen[..., index], (3, 3)) for index in range(len(picks))], axis=2)
    empty = cv2.blur(background.log_densities(view), (3, 3))
    best = seen.max(axis=2, keepdims=True)
    margins = np.clip(seen - empty[..., None], -CAP, CAP) - np.clip(best - seen - LIKE_ANOTHER, 0.0, 2 * CAP)
    disc = disc_kernel(diameter_px * DISC)
    if chip is not None:
        disc = np.asarray((disc + _beyond_chip(disc, chip.diameter_px)) / 2, dtype=np.float32)
    scores = np.array([
        cv2.filter2D(np.ascontiguousarray(margins[..., index]), cv2.CV_32F, disc, borderType=cv2.BORDER_REPLICATE)[
            where
        ].max()
        for index in range(len(picks))
    ], dtype=np.float64)
    sure = SURE_SCORE if chip is None else SURE_OVER_CHIP + _like_chip(view, where, chip)
    odds = SCORE_SLOPE * (float(scores.max()) - sure)
    evidence = COLOUR_WEIGHT * (scores - scores.max())
    return PileTop(
        max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, odds)), evidence - math.log(np.exp(evidence).sum()),
    )


def _like_chip(view: Image, where: NDArray[np.bool_], chip: ChipBelow) -> float:
    """How much more is asked of a pile because a chip would look like this."""
    lab = to_lab(view)
    rim = max(0.0, _rim_whiteness(lab, where, chip.diameter_px) - LEAST_RIM)
    return RIM_WEIGHT * rim + FACE_DOWN_WEIGHT * chip.is_face_down


def _beyond_chip(disc: Floats, chip_px: float) -> Floats:
    """The part of a disc that no chip in its middle reaches; it adds up to one."""
    reach = disc.shape[0] // 2
    steps = np.arange(-reach, reach + 1)
    ring = np.where(np.hypot(*np.meshgrid(steps, steps)) > chip_px / 2, disc, 0.0)
    return np.asarray(ring / ring.sum(), dtype=np.float32)


def _rim_whiteness(lab: Floats, where: NDArray[np.bool_], diameter_px: float) -> float:
    """How much lighter or greyer a ring as wide as a chip's rim is than what is within it, in the quarter where that is
    least; around the one of the pixels `where` where that is most."""
    white = lab[..., 0] - np.linalg.norm(lab[..., 1:], axis=2)
    reach = math.ceil(diameter_px / 2)
    across, down = np.meshgrid(np.arange(-reach, reach + 1), np.arange(-reach, reach + 1))
    away = np.hypot(across, down) / diameter_px
    ring, quarter = (away >= RIM_FROM) & (away <= RIM_TO), np.floor(np.arctan2(down, across) / (math.pi / 2) + 0.5) % 4
    rim = np.min([_mean_over(white, ring & (quarter == number)) for number in range(4)], axis=0)
    return float((rim - _mean_over(white, away <= RIM_MIDDLE))[where].max())


def _mean_over(values: Floats, around: NDArray[np.bool_]) -> Floats:
    """The mean of the pixels that lie so around each pixel."""
    kernel = (around / around.sum()).astype(np.float32)
    return np.asarray(cv2.filter2D(values, cv2.CV_32F, kernel, borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


def _is_back(lab: Floats, middle: NDArray[np.float64], back: NDArray[np.float64]) -> bool:
    """Whether a face of these pixels looks like the back, both in the middle and pixel by pixel."""
    alike = np.linalg.norm(lab - back, axis=1) <= BACK_REACH_LAB
    return bool(np.linalg.norm(middle - back) <= LIKE_THE_BACK_LAB and alike.mean() >= BACK_SHARE)


def _face_down(faces: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """The same with the back for the likeliest, whatever colour it resembles."""
    best = max(faces, key=lambda face: faces[face])
    return {**faces, best: faces[FACE_DOWN], FACE_DOWN: faces[best]}


def _halved(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How much two colours look like the halves of a face, by where their pixels lie, in radii."""
    across = one.mean(axis=0) - other.mean(axis=0)
    apart = float(np.linalg.norm(across))
    by_middles = (apart - SAME_MIDDLE) / (HALVES_APART - SAME_MIDDLE)
    # A chip off its place shows less of one half, and some of its shadow, as dark as a black half, beyond the other.
    line = (one.mean(axis=0) + other.mean(axis=0)) / 2.0 @ across
    parted = min(float((one @ across > line).mean()), float((other @ across < line).mean()))
    by_line = (parted - MIXED_SHARE) / (PARTED_SHARE - MIXED_SHARE) if apart > SAME_MIDDLE else 0.0
    return min(1.0, max(0.0, by_middles, by_line))


def disc_kernel(diameter_px: float) -> Floats:
    """A disc that adds up to one."""
    reach = math.ceil(diameter_px / 2)
    steps = np.arange(-reach, reach + 1)
    disc = (np.hypot(*np.meshgrid(steps, steps)) <= diameter_px / 2).astype(np.float32)
    return np.asarray(disc / disc.sum(), dtype=np.float32)


class ChipFaces:
    """Reads chips: none, face down, or a face in one or two colours."""

    def __init__(self, colours: ColourModel, holds: Sequence[str]) -> None:
        self.names = tuple(holds)
        darker, lighter = ground_colours(colours, holds), ground_colours(colours, holds, lighter=True)
        depth, height = (np.linalg.norm(half[:, 1:], axis=1) for half in (darker, lighter))
        # A black tile has no lighter ground, only gloss; a half that is much duller shows the ornament, not the ground.
        self._lighter = np.where(((height > LEAST_CHROMA) & (height > DULLED * depth))[:, None], lighter, darker)
        self._grounds = np.where((depth < DULLED * height)[:, None], self._lighter, darker)
        chroma = float(np.linalg.norm(self._grounds[:, 1:], axis=1).mean())
        self._reach_lab = COLOUR_REACH_LAB * min(1.0, chroma / USUAL_CHROMA)

    def read(
        self, view: Image, empty: Image, where: NDArray[np.bool_], diameter_px: float,
        back: NDArray[np.float64] | None = None, most_log_odds: float = MOST_LOG_ODDS,
    ) -> ChipSeen:
        """What a flat, lit view shows; the chip's middle is one of the pixels `where`, and backs look like `back`. That
        anything lies there is never surer than `most_log_odds`."""
        lab = to_lab(view)
        changed = (np.linalg.norm(lab - to_lab(empty), axis=2) > CHANGED_LAB).astype(np.float32)
        covered = cv2.filter2D(changed, cv2.CV_32F, disc_kernel(diameter_px * CHIP_FACE))
        down, across = np.mgrid[: lab.shape[0], : lab.shape[1]]
        astray = np.hypot(across - across[where].mean(), down - down[where].mean())
        whole = cv2.filter2D(changed, cv2.CV_32F, disc_kernel(diameter_px * CHIP_WHOLE))
        likely = np.where(where, covered + WHOLE_WEIGHT * whole - ASTRAY_COST * astray, -1.0)
        row, column = np.unravel_index(int(likely.argmax()), likely.shape)
        share = float(covered[row, column])
        odds = max(-most_log_odds, min(most_log_odds, CHANGED_SLOPE * (share - 0.55)))
        radius_px = diameter_px * CHIP_FACE / 2
        inside = np.hypot(across - column, down - row) <= radius_px
        at = np.column_stack([across[inside] - column, down[inside] - row]) / radius_px
        there, absent = -math.log1p(math.exp(-odds)), -math.log1p(math.exp(odds))
        values: dict[Hashable, float] = {None: absent}
        middle = np.asarray(np.median(lab[inside], axis=0), dtype=np.float64)
        faces = self._faces(lab[inside], at)
        if back is not None and _is_back(lab[inside], middle, back):
            faces = _face_down(faces)
        values.update({content: there + value for content, value in faces.items()})
        return ChipSeen(values, middle if odds > 0 else None)

    def _faces(self, lab: Floats, at: NDArray[np.float64]) -> dict[Hashable, float]:
        """Log probabilities of the faces of a chip that shows these pixels, so far from its middle in radii."""
        chroma = np.linalg.norm(lab[:, 1:], axis=1)
        telling = (lab[:, 0] < WHITE_LIGHTNESS) | (chroma > WHITE_CHROMA)
        labels, at = self._labels(lab[telling]), at[telling]
        shares = np.bincount(labels + 1, minlength=len(self.names) + 1)[1:] / max(1, len(labels))
        scores: dict[Hashable, float] = {
            (name,): float(share) for name, share in zip(self.names, shares, strict=True)
        }
        for one, other in itertools.combinations(range(len(self.names)), 2):
            pair = tuple(sorted((self.names[one], self.names[other])))
            less, more = sorted((float(shares[one]), float(shares[other])))
            # The back has an ornament in its middle, and that another ground around it: such colours make no halves.
            halved = _halved(at[labels == one], at[labels == other]) if less else 0.0
            scores[pair] = halved * (2.0 * less + 0.5 * (more - less))
        scores[FACE_DOWN] = 1.0 - max(scores.values())
        top = max(scores.values())
        total = math.log(sum(math.exp(CHIP_WEIGHT * (score - top)) for score in scores.values()))
        return {content: CHIP_WEIGHT * (score - top) - total for content, score in scores.items()}

    def _labels(self, lab: Floats) -> NDArray[np.intp]:
        """For each pixel the number of its colour, -1 for none."""
        distance = np.minimum(
            distances(lab, self._grounds, PALEST, LIGHTNESS_WEIGHT, MOST_COLOURFUL),
            distances(lab, self._lighter, PALEST, LIGHTNESS_WEIGHT, MOST_COLOURFUL),
        )
        return np.where(distance.min(axis=1) < self._reach_lab, distance.argmin(axis=1), -1)
