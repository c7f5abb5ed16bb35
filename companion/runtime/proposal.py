"""Where the pieces of a table may lie, before anybody has dragged them into place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from calibration.propose import propose
from companion.catalogue import PlayedGame
from companion.simulation.arrangement import arrange
from companion.simulation.lens import View, hang
from companion.simulation.setup import tap_places
from vision.frame import Image
from vision.pose import PoseError
from vision.recording import DiscTap, SampleTile, Tap
from vision.rectify import Matrix, apply

Still = Callable[[], Image | None]
"""The camera's picture of this moment."""


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A picture of the table with every piece somewhere on it."""

    still: Image
    points: Mapping[str, list[list[float]]]
    """Pixels: four corners, middle and rim, or the corners of an area."""
    sure: Mapping[str, bool] = field(default_factory=dict)
    """Whether a piece was found, not just put somewhere."""
    samples: Sequence[tuple[Image, list[SampleTile]]] = ()
    is_simulated: bool = False


def usual_places(play: PlayedGame, still: Image) -> Proposal:
    """Every piece where it usually lies: boards before their owners, what is shared between them."""
    height, width = still.shape[:2]
    arrangement = arrange(play.layout, 0, untidiness=0.0)
    lens = hang(View(width_px=width, height_px=height, tilt_deg=0.0), arrangement.corners_mm())
    return Proposal(still, tapped_points(tap_places(arrangement, lens, 0, noise_fraction=0.0)))


def found_places(play: PlayedGame, still: Image) -> Proposal:
    """Every piece that is recognised on the picture; the others where they usually lie beside those."""
    usual = usual_places(play, still)
    try:
        taps = propose(still, play.layout).taps
    except PoseError:
        return usual
    found = {name: points_of(tap) for name, tap in taps.items()}
    boards = [piece.name for piece in play.layout.pieces if piece.frame == "corners" and piece.name in found]
    if not boards:
        return usual
    seen = np.concatenate([np.array(found[name]) for name in boards])
    laid = np.concatenate([np.array(usual.points[name]) for name in boards])
    matrix = cv2.findHomography(laid, seen)[0] if len(boards) > 1 else _similar(laid, seen)
    height, width = still.shape[:2]
    points = {name: found.get(name) or _inside(apply(np.asarray(matrix), np.array(usual.points[name])), width, height)
              for name in usual.points}
    return Proposal(still, points, {name: name in found for name in points})


def points_of(tap: Tap) -> list[list[float]]:
    """A tap as the page's points."""
    points = (tap.centre_px, tap.rim_px) if isinstance(tap, DiscTap) else tap.points_px
    return [[round(x, 1), round(y, 1)] for x, y in points]


def _similar(laid: Matrix, seen: Matrix) -> Matrix:
    """Moved, turned and enlarged alike: one board tells no more."""
    found, _ = cv2.estimateAffinePartial2D(laid, seen)
    return np.vstack([found, (0.0, 0.0, 1.0)])


def _inside(points: Matrix, width: int, height: int) -> list[list[float]]:
    """Points that a thumb can reach: drawn in from outside the picture."""
    reach = np.clip(points, (4.0, 4.0), (width - 4.0, height - 4.0))
    return [[round(float(x), 1), round(float(y), 1)] for x, y in reach]


def tapped_points(places: Mapping[str, Mapping[str, Any]]) -> dict[str, list[list[float]]]:
    """`setup.places` of a recording as the page's points."""
    found = {}
    for name, tap in places.items():
        if "corners" in tap:
            found[name] = [list(point) for point in tap["corners"]]
        elif "centre" in tap:
            found[name] = [list(tap["centre"]), list(tap["rim"])]
        else:
            found[name] = [list(point) for point in tap["polygon"]]
    return found
