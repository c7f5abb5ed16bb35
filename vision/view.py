"""One frame as the readers of places see it: the pixels they asked for, brought to one light."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.calibration import Calibration
from vision.colours import ColourTable, Light
from vision.frame import Image
from vision.layout import Layout, PieceSpec
from vision.patches import PatchModel
from vision.pose import Camera, PiecePose
from vision.reading import Reading
from vision.rectify import Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What every reader is made from."""

    layout: Layout
    calibration: Calibration
    colours: ColourTable
    """Tile colours under the reference light."""
    pieces: Mapping[str, PieceSpec]
    """The pieces that were tapped."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One frame."""

    image: Image
    """The frame at the calibration's size."""
    pixels: Mapping[str, Image]
    """For each key that a reader wanted, (points, 3) uint8 BGR as the camera saw them."""
    lights: Mapping[str, Light]
    """For each piece, what brings its pixels to the reference light."""
    camera: Camera
    poses: Mapping[str, PiecePose]
    """Where pieces lie now."""
    matrices: Mapping[str, Matrix]
    covered: Mapping[str, NDArray[np.bool_]]
    """For each board, (CARD, CARD) which bare parts of its surface something unknown covers."""
    free: Mapping[str, NDArray[np.bool_]]
    """For each board, (CARD²,) which spots of its surface are bare: no tile on any place can hide them."""
    touched: Collection[str]
    """The pieces that look otherwise than when they were last read: the readings of all others still hold."""
    is_reference: bool = False
    """True for the picture of the laid table without tiles."""
    unseen_s: float = 0.0
    """For how long nobody had looked at the table just before."""

    def lit(self, key: str, piece: str) -> Image:
        """The pixels of a key under the reference light."""
        lit: Image = self.lights[piece].apply(self.pixels[key][None])[0]
        return lit


@runtime_checkable
class Remembering(Protocol):
    """A reader for whom it counts how often something was seen."""

    def again(self) -> bool:
        """A frame looked like the one before, and was not read for that; whether the next is to be read all the same,
        because more can be learnt by now."""
        ...


@runtime_checkable
class ShowingTiles(Protocol):
    """A reader that finds loose tiles."""

    def tops(self, pieces: Collection[str]) -> list[Image]:
        """The tops, in the reference light, of all tiles that surely lie on some pieces."""
        ...


@runtime_checkable
class Teaching(Protocol):
    """A reader that learns from the tiles it recognises how the colours look at this table."""

    def taught(self) -> tuple[ColourTable, PatchModel] | None:
        """What was learnt of them since this was last asked."""
        ...


@runtime_checkable
class Following(Protocol):
    """A reader that finds pieces again which were pushed aside."""

    def slid(self) -> Mapping[str, PiecePose]:
        """The pieces that were found elsewhere since this was last asked, and where they lie now."""
        ...


class Reader(Protocol):
    """Reads all places of some kinds. One for each table; it may remember what places looked like before."""

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        """The points it needs of each frame: key → piece and points. Keys must differ between readers."""
        ...

    def learn(self, view: View) -> None:
        """See the reference picture, or without one the first settled frame, before the first reading."""
        ...

    def read(self, view: View) -> Iterator[Reading]:
        """All its places; those on pieces that were not touched may be answered from memory."""
        ...


@runtime_checkable
class Learning(Reader, Protocol):
    """A reader that believes what others have learnt of the colours."""

    def take_colours(self, pixels: ColourTable, patches: PatchModel) -> None:
        """Read everything in these colours from now on."""
        ...
