"""What is known of one table once it has been set up: geometry, looks and colours. A frozen value.

`calibration/` makes and stores it; `vision/` only uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourModel
from vision.frame import Image
from vision.layout import Layout, PieceSpec, PlaceSpec, Track
from vision.patches import PatchModel
from vision.pose import Camera, PiecePose
from vision.rectify import Matrix


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's correction of a layout: places dragged into place on the phone, because their edition differs."""

    group: str
    """Part of a place name that all its places share, such as `wall`, `line` or `line3`."""
    piece: str | None = None
    """The board it is for; None for all of them."""
    offset: tuple[float, float] = (0.0, 0.0)
    """Fractions of the board."""
    scale: tuple[float, float] = (1.0, 1.0)
    """Stretched about the middle of the group."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a calibration is, and what to do when it is poor."""

    error_px: float
    """Median distance between printed lines and where they should be."""
    support: Mapping[str, float]
    """For each piece, the share of its lines (or the clarity of its rim) that was found."""
    colour_separation: float | None = None
    """Smallest distance between two tile colours, in units of their spread."""
    advice: tuple[str, ...] = ()
    """Keys of what to do: `board-unclear:p1`, `board-small:p1`, `board-too-bright:p1`, `too-oblique`, `too-dark`,
    `colours-close`."""


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
    patches: PatchModel
    """The same for the tops of whole tiles."""
    empty: Image | None = None
    """The picture of the laid table without tiles, where one was taken."""
    first: Image | None = None
    """Without an empty picture: the settled frame from which the table was learnt."""
    corrections: tuple[Correction, ...] = ()
    prints: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    """For each face of which a sample tile was shown, the brightness of that tile as `vision.faces` cuts it out."""
    sampled: bool = False
    """Whether people showed sample tiles: then the colours are this table's own."""

    @property
    def reference(self) -> Image:
        """The picture with which frames are compared."""
        picture = self.empty if self.empty is not None else self.first
        if picture is None:
            raise ValueError("a calibration needs a picture of its table, but has neither an empty nor a first one")
        return picture


def corrected(layout: Layout, corrections: Sequence[Correction]) -> Layout:
    """The layout with a person's corrections applied, one after another."""
    for correction in corrections:
        pieces = tuple(
            _correct(piece, correction) if correction.piece in (None, piece.name) else piece for piece in layout.pieces
        )
        places = {place.name: place for piece in pieces for place in piece.places}
        layout = replace(layout, pieces=pieces, places=places)
    return layout


def _correct(piece: PieceSpec, correction: Correction) -> PieceSpec:
    chosen = [place for place in piece.places if in_group(place.name, correction.group)]
    points = [at for place in chosen for at in (place.at, *(spot for track in place.tracks for spot in track.at))]
    if not points:
        return piece
    middle = tuple((min(point[axis] for point in points) + max(point[axis] for point in points)) / 2 for axis in (0, 1))

    def moved(at: tuple[float, float]) -> tuple[float, float]:
        u, v = (
            middle[axis] + (at[axis] - middle[axis]) * correction.scale[axis] + correction.offset[axis]
            for axis in (0, 1)
        )
        return u, v

    def place_moved(place: PlaceSpec) -> PlaceSpec:
        tracks = tuple(Track(track.weight, tuple(map(moved, track.at)), track.cell) for track in place.tracks)
        return replace(place, at=moved(place.at), tracks=tracks)

    names = {place.name for place in chosen}
    return replace(piece, places=tuple(place_moved(one) if one.name in names else one for one in piece.places))


def in_group(place: str, group: str) -> bool:
    """Whether a place name has the group as one of its parts, with or without a number behind it."""
    return any(part == group or part.rstrip("0123456789") == group for part in place.split("."))
