"""What is known of one table once it has been set up: geometry, looks and colours. A frozen value.

`calibration/` makes and stores it; `vision/` only uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vision.colours import ColourModel
from vision.frame import Image
from vision.pose import Camera, PiecePose
from vision.rectify import Matrix


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's correction of a layout: the places of a group moved and stretched about the middle of the board."""

    group: str
    """Part of a place name that all its places share, such as `wall`."""
    offset: tuple[float, float] = (0.0, 0.0)
    """Fractions of the board."""
    scale: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a calibration is, and what to do when it is poor."""

    error_px: float
    """Median distance between printed lines and where they should be."""
    support: Mapping[str, float]
    """For each piece, the share of its lines (or the clarity of its rim) that was found."""
    colour_separation: float | None = None
    """Smallest distance between two tile colours, in units of their spread; None before colours were learnt."""
    advice: tuple[str, ...] = ()
    """Keys of what to do: `board-unclear`, `board-small`, `colours-close`, `too-dark`, `too-oblique` with `:piece`."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """One table."""

    game: str
    size_px: tuple[int, int]
    """Width and height of the picture it was made from."""
    camera: Camera
    poses: Mapping[str, PiecePose]
    """Boards and discs on the table."""
    matrices: Mapping[str, Matrix]
    """For each board, fractions of its print to pixels; for each disc, fractions of its square."""
    polygons_px: Mapping[str, Matrix]
    """Areas, (N, 2)."""
    quality: Quality
    colours: ColourModel
    """What tiles look like under the reference light, in which a board's white is plain white."""
    empty: Image | None = None
    """The picture of the laid table without tiles, where one was taken."""
    first: Image | None = None
    """Without an empty picture: the settled frame from which the table was learnt."""
    corrections: tuple[Correction, ...] = ()

    @property
    def reference(self) -> Image:
        """The picture with which frames are compared."""
        picture = self.empty if self.empty is not None else self.first
        if picture is None:
            raise ValueError("a calibration needs a picture of its table, but has neither an empty nor a first one")
        return picture
