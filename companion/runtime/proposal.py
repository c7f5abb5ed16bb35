"""Where the pieces of a table may lie, before anybody has dragged them into place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.catalogue import PlayedGame
from companion.simulation.arrangement import arrange
from companion.simulation.lens import View, hang
from companion.simulation.setup import tap_places
from vision.frame import Image
from vision.recording import SampleTile

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
