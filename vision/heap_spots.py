"""Heaps whose tiles lie singly on printed spaces, where nobody took a picture of the empty table.

Those spaces that look alike to a hair are bare, and show how the others look under their tiles. A space with a print of
its own, such as that of the start tile, is bare when it goes with what is printed around it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.bare import bare_ones, in_light_of, unlike_around
from vision.frame import Image
from vision.heap_blots import LooseTile
from vision.heap_region import PIXELS_A_MM, HeapRegion
from vision.heaps import HeapLook
from vision.layout import PlaceSpec
from vision.pose import Camera, PiecePose
from vision.squares import Shape

PATCH = 1.5
"""What is cut out about a space, in tiles."""
PASTED = 1.25
"""What is put over a space on which a tile lies, in tiles: the darkest of its shadow with it."""


OWN_SPACE_LOG_ODDS = 20.0
"""So much likelier a tile on a space that is kept for one colour has this colour. Where nobody showed samples, its look
may resemble another colour's more; that of a known tile outvotes this."""
LEAST_CHANCE = 1e-12
ON_SPACE = 0.5
"""A tile lies on a space when its middle is no farther off, in tiles."""


@dataclass(frozen=True, slots=True, eq=False)
class SpacePrints:
    """How a heap's place looks empty, as far as that is known."""

    empty: Image
    """The flat view."""
    middles_px: NDArray[np.float64]
    """(spaces, 2): where the spaces are in it."""
    seen: NDArray[np.bool_]
    """(spaces,): which of them were seen bare."""
    usual: Image
    """How most of them look."""
    shape: Shape
    """Of the tiles in it."""


class Spaces:
    """The printed spaces of all heaps that have some."""

    def __init__(self, places: Mapping[str, PlaceSpec], camera: Camera) -> None:
        self._places = {name: place for name, place in places.items() if place.spots}
        self._camera = camera
        self._prints: dict[str, SpacePrints] = {}

    def __contains__(self, name: str) -> bool:
        """Whether it is known how the spaces of a heap look empty."""
        return name in self._prints

    def learn(
        self, views: Mapping[str, Image], regions: Mapping[str, HeapRegion], poses: Mapping[str, PiecePose]
    ) -> dict[str, Image]:
        """How places look empty, from first views of them, where these tell."""
        self._prints.clear()
        for name in self._places:
            region = regions[name]
            prints = learn_spaces(views[name], self._middles_px(name, region, poses[region.piece]), region.shape)
            if prints is not None:
                self._prints[name] = prints
        return {name: prints.empty for name, prints in self._prints.items()}

    def learn_more(self, name: str, view: Image) -> Image | None:
        """The same where a space that was covered at first is bare in a view, in the same light; None elsewhere."""
        known = self._prints.get(name)
        if known is None:
            return None
        self._prints[name] = learn_more_spaces(known, view)
        return self._prints[name].empty if self._prints[name] is not known else None

    def move(self, name: str, region: HeapRegion, pose: PiecePose, empty: Image) -> None:
        """A board was pushed, and a place looks empty so from now on."""
        if name in self._prints:
            middles = self._middles_px(name, region, pose)
            self._prints[name] = replace(self._prints[name], empty=empty, middles_px=middles)

    def name_tiles(self, look: HeapLook, region: HeapRegion, poses: Mapping[str, PiecePose]) -> HeapLook:
        """A look whose tiles on spaces that are kept for one colour most likely have this colour."""
        if region.place not in self._places or not look.tiles:
            return look
        kept_for = self._kept_for(look, region, poses)
        return replace(look, tiles=tuple(
            tile if colour is None else replace(tile, colours=_likelier(tile.colours, colour))
            for tile, colour in zip(look.tiles, kept_for, strict=True)
        ))

    def unnamed(self, look: HeapLook, region: HeapRegion, poses: Mapping[str, PiecePose]) -> list[LooseTile]:
        """The tiles of a look that lie on no such space: only their looks tell their colours."""
        kept_for = self._kept_for(look, region, poses)
        return [tile for tile, colour in zip(look.tiles, kept_for, strict=True) if colour is None]

    def _kept_for(self, look: HeapLook, region: HeapRegion, poses: Mapping[str, PiecePose]) -> list[str | None]:
        """For each tile of a look, the colour for which its space is kept."""
        place = self._places.get(region.place)
        kept: list[str | None] = [None] * len(look.tiles)
        if place is None:
            return kept
        for colour, at in place.own_spots:
            middle = (poses[region.piece].points_mm([at])[0, :2] - region.corner_mm) * PIXELS_A_MM - 0.5
            for index, tile in enumerate(look.tiles):
                away = math.hypot(tile.found.x_px - middle[0], tile.found.y_px - middle[1])
                if away < ON_SPACE * region.shape.edge_px:
                    kept[index] = colour
        return kept

    def _middles_px(self, name: str, region: HeapRegion, pose: PiecePose) -> NDArray[np.float64]:
        """(spaces, 2): where the spaces of a heap are in its flat view, which lies as high as tiles do."""
        on_top = self._camera.to_plane(self._camera.project(pose.points_mm(self._places[name].spots)), region.top_mm)
        return np.asarray((on_top - region.corner_mm) * PIXELS_A_MM - 0.5, dtype=np.float64)


def _likelier(colours: Mapping[str, float], colour: str) -> dict[str, float]:
    """Probabilities of colours, one of which is that much likelier."""
    weights = {
        name: max(chance, LEAST_CHANCE) * (math.exp(OWN_SPACE_LOG_ODDS) if name == colour else 1.0)
        for name, chance in colours.items()
    }
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def learn_spaces(view: Image, middles_px: NDArray[np.float64], shape: Shape) -> SpacePrints | None:
    """What a first view shows, tiles and all; None where no two spaces are alike."""
    tile_px = shape.edge_px
    looks = _looks(view, middles_px, tile_px)
    alike = bare_ones(looks, tile_px)
    if not alike:
        return None
    usual = np.median(looks[alike], axis=0).astype(np.uint8)
    seen = np.array([index in alike or unlike_around(look, tile_px) <= 1.0 for index, look in enumerate(looks)])
    empty = view.copy()
    for middle, look, is_bare in zip(middles_px, looks, seen, strict=True):
        if not is_bare:
            _paste(empty, in_light_of(usual, look, tile_px), middle, shape)
    return SpacePrints(empty, middles_px, seen, usual, shape)


def learn_more_spaces(known: SpacePrints, view: Image) -> SpacePrints:
    """The same once some spaces that were covered at first are seen bare, in a view in the same light."""
    tile_px = known.shape.edge_px
    looks = _looks(view, known.middles_px, tile_px)
    seen, empty = known.seen.copy(), known.empty.copy()
    for index in np.flatnonzero(~known.seen):
        look = looks[index]
        like_the_others = bool(bare_ones(np.stack([look, known.usual]), tile_px))
        if like_the_others or unlike_around(look, tile_px) <= 1.0:
            seen[index] = True
            _paste(empty, look, known.middles_px[index], known.shape)
    return replace(known, seen=seen, empty=empty) if (seen != known.seen).any() else known


def _looks(view: Image, middles_px: NDArray[np.float64], tile_px: float) -> Image:
    """(spaces, side, side, 3): the spaces, cut out."""
    side = 2 * round(PATCH * tile_px / 2) + 1
    return np.stack([
        np.asarray(cv2.getRectSubPix(view, (side, side), (float(x), float(y))), dtype=np.uint8) for x, y in middles_px
    ])


def _paste(view: Image, look: Image, middle_px: NDArray[np.float64], shape: Shape) -> None:
    """Put a look over a space and over the tile that stands on it, whose top is seen a little aside."""
    half = look.shape[0] // 2
    left, top = np.rint(middle_px).astype(int) - half
    across, down = np.meshgrid(np.arange(-half, half + 1), np.arange(-half, half + 1))
    right_px, below_px = shape.foot_px
    away = [np.hypot(across + share * right_px, down + share * below_px) for share in (0.0, 0.5, 1.0)]
    rows, columns = np.nonzero(np.min(away, axis=0) < PASTED * shape.edge_px / 2)
    fits = (top + rows >= 0) & (top + rows < view.shape[0]) & (left + columns >= 0) & (left + columns < view.shape[1])
    view[top + rows[fits], left + columns[fits]] = look[rows[fits], columns[fits]]
