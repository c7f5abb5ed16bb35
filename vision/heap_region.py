"""The part of a picture in which one heap lies, seen from straight above at the height of the tiles' tops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.layout import Layout, PieceSpec, PlaceSpec
from vision.pose import Camera, PiecePose
from vision.reading import Kind
from vision.rectify import PIXEL_CENTRE
from vision.squares import Shape

Matrix = NDArray[np.float64]

Box = tuple[slice, slice]
"""Rows and columns of a view."""
WHOLE: Box = (slice(None), slice(None))

PIXELS_A_MM = 1.0
SMALL = 4
"""A glance is so much smaller than a view: a camera's noise averages out."""
OVERHANG_FRACTION = 0.4
"""A tile whose middle lies this share of its edge outside a disc or an area still belongs to it."""
_OUTLINE_POINTS = 48


@dataclass(frozen=True, slots=True, eq=False)
class HeapRegion:
    """How to look at one heap."""

    place: str
    piece: str
    holds: tuple[str, ...]
    single: tuple[str, ...]
    """Those of which only one can lie here."""
    shape: Shape
    """The tiles in the flat view."""
    maps: tuple[NDArray[np.int16], NDArray[np.uint16]]
    """For cv2.remap, from the picture to the flat view."""
    owns: NDArray[np.bool_]
    """(height, width): where the middle of a tile of this heap can lie."""
    near: NDArray[np.bool_]
    """(height, width): within half a tile of that, where tiles of this heap can be seen at all."""
    near_weights: NDArray[np.float32]
    """The same as 1 and 0."""
    rim_fraction: NDArray[np.float32] | None
    """For a round piece: how far each pixel of its face is from its middle, the rim being 1; None for an area."""

    small_map: NDArray[np.int16]
    """The nearest pixels for a glance at a SMALL-th of the size each way, two by two of them to be averaged."""
    corner_mm: tuple[float, float]
    """Where the view begins on the table."""
    top_mm: float
    """How high above the table the tops of the tiles are."""

    def glance(self, image: Image) -> Image:
        """A small view, to see whether anything changed."""
        # Whole pixels will do for means of several: between them it would take six times as long.
        small = cv2.remap(image, self.small_map, np.array([]), interpolation=cv2.INTER_NEAREST)
        return np.asarray(
            cv2.resize(small, (small.shape[1] // 2, small.shape[0] // 2), interpolation=cv2.INTER_AREA), dtype=np.uint8
        )

    def view(self, image: Image, box: Box = WHOLE) -> Image:
        """The flat view (height, width, 3), BGR, or a part of it."""
        first, second = self.maps
        return np.asarray(cv2.remap(image, first[box], second[box], interpolation=cv2.INTER_LINEAR), dtype=np.uint8)

    def pixels(self, image: Image, spots: NDArray[np.intp]) -> Image:
        """Some pixels (N, 3) of the flat view, counted row by row."""
        first, second = self.maps
        maps = first.reshape(1, -1, 2)[:, spots], second.reshape(1, -1)[:, spots]
        return np.asarray(cv2.remap(image, *maps, interpolation=cv2.INTER_LINEAR), dtype=np.uint8).reshape(-1, 3)


def heap_regions(
    layout: Layout, camera: Camera, poses: Mapping[str, PiecePose], polygons_px: Mapping[str, Matrix],
    left: Mapping[str, PiecePose] | None = None,
) -> dict[str, HeapRegion]:
    """The regions of all heaps of a layout whose piece is on the table, by place. Of an area, nothing belongs to a heap
    that a piece covers, or has `left` since the empty table was seen."""
    lying = [*poses.items(), *(left or {}).items()]
    taken = [_outline(pose, round_piece=_is_disc(layout, name)) for name, pose in lying]
    regions = {}
    for piece in layout.pieces:
        for place in piece.places:
            if place.kind is not Kind.HEAP:
                continue
            if piece.name in poses:
                regions[place.name] = region_on_piece(layout, camera, piece, place, poses[piece.name])
            elif piece.name in polygons_px:
                area = camera.to_plane(polygons_px[piece.name], piece.thickness_mm)
                regions[place.name] = _build(layout, camera, piece, place, area, taken, None)
    return regions


def region_on_piece(
    layout: Layout, camera: Camera, piece: PieceSpec, place: PlaceSpec, pose: PiecePose
) -> HeapRegion:
    """The region of a heap on a piece that lies there. What lies within another such place of the piece belongs to
    that, be it only the shadow of a stack."""
    beside = [
        _area(other, pose) for other in piece.places if other.kind in (Kind.HEAP, Kind.PILE) and other is not place
    ]
    return _build(layout, camera, piece, place, _area(place, pose), [], pose, beside)


def _area(place: PlaceSpec, pose: PiecePose) -> Matrix:
    """The outline of a place on a piece, on the table in millimetres."""
    u, v = place.at
    width, height = place.size
    if place.round_area:
        turns = np.linspace(0.0, 2 * math.pi, _OUTLINE_POINTS, endpoint=False)
        fractions = np.column_stack([u + width / 2 * np.cos(turns), v + height / 2 * np.sin(turns)])
    else:
        fractions = np.array([[u - width / 2, v - height / 2], [u + width / 2, v - height / 2],
                              [u + width / 2, v + height / 2], [u - width / 2, v + height / 2]])
    return pose.points_mm(fractions)[:, :2]


def _build(
    layout: Layout, camera: Camera, piece: PieceSpec, place: PlaceSpec, area_mm: Matrix, others_mm: Sequence[Matrix],
    pose: PiecePose | None, beside_mm: Sequence[Matrix] = (),
) -> HeapRegion:
    item = layout.items[place.item]
    top_mm = piece.thickness_mm + item.height_mm
    overhang = OVERHANG_FRACTION * item.size_mm
    margin = overhang + item.size_mm * 0.8
    low, high = area_mm.min(axis=0) - margin, area_mm.max(axis=0) + margin
    width, height = (SMALL * math.ceil(length / SMALL) for length in (high - low) * PIXELS_A_MM)
    x_mm = low[0] + (np.arange(width) + 0.5) / PIXELS_A_MM
    y_mm = low[1] + (np.arange(height) + 0.5) / PIXELS_A_MM
    grid_x, grid_y = np.meshgrid(x_mm, y_mm)
    points = np.column_stack([grid_x.ravel(), grid_y.ravel(), np.full(grid_x.size, top_mm)])
    pixels = camera.project(points)
    flat = (pixels - PIXEL_CENTRE).reshape(height, width, 2).astype(np.float32)
    half = cv2.resize(flat, (2 * width // SMALL, 2 * height // SMALL), interpolation=cv2.INTER_AREA)
    owns = _within(area_mm, low, (height, width), overhang)
    for other in others_mm:
        owns &= ~_within(other, low, (height, width), overhang)
    for other in beside_mm:
        owns &= ~_within(other, low, (height, width), 0.0)
    reach = 2 * int(item.size_mm * 0.72 * PIXELS_A_MM) + 1
    near = cv2.dilate(owns.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))) > 0
    middle = (low + high) / 2
    here = camera.project([[*middle, piece.thickness_mm]])
    foot = (camera.to_plane(here, top_mm)[0] - middle) * PIXELS_A_MM
    return HeapRegion(
        place.name, piece.name, place.holds, tuple(one for one in layout.single if one in place.holds),
        Shape(item.size_mm * PIXELS_A_MM, item.shape == "round", (float(foot[0]), float(foot[1]))),
        _maps(flat), owns, near, near.astype(np.float32),
        _rim_fraction(camera, pixels, place, pose, (height, width)), np.rint(half).astype(np.int16),
        (float(low[0]), float(low[1])), top_mm,
    )


def _maps(pixels: NDArray[Any]) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """For cv2.remap, in its fastest form."""
    first, second = cv2.convertMaps(
        np.ascontiguousarray(pixels[..., 0]), np.ascontiguousarray(pixels[..., 1]), cv2.CV_16SC2
    )
    return np.asarray(first, dtype=np.int16), np.asarray(second, dtype=np.uint16)


def _rim_fraction(
    camera: Camera, pixels: Matrix, place: PlaceSpec, pose: PiecePose | None, shape: tuple[int, int]
) -> NDArray[np.float32] | None:
    """Where the piece's face, below the height of the tops, is seen through each pixel of the view."""
    if pose is None or not place.round_area:
        return None
    on_face = pose.fractions(camera.to_plane(pixels, pose.thickness_mm))
    away = (on_face - place.at) / (np.array(place.size) / 2.0)
    return np.asarray(np.linalg.norm(away, axis=1).reshape(shape), dtype=np.float32)


def _within(area_mm: Matrix, low_mm: Matrix, shape: tuple[int, int], beyond_mm: float) -> NDArray[np.bool_]:
    """Mask of pixels inside an area widened by some millimetres."""
    corners = np.rint(((area_mm - low_mm) * PIXELS_A_MM - 0.5) * 16).astype(np.int32)
    mask = cv2.fillPoly(np.zeros(shape, np.uint8), [corners], 1, shift=4)
    reach = 2 * round(beyond_mm * PIXELS_A_MM) + 1
    return np.asarray(cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))) > 0)


def _outline(pose: PiecePose, round_piece: bool) -> Matrix:
    if not round_piece:
        return pose.points_mm([[0, 0], [1, 0], [1, 1], [0, 1]])[:, :2]
    turns = np.linspace(0.0, 2 * math.pi, _OUTLINE_POINTS, endpoint=False)
    return pose.points_mm(np.column_stack([0.5 + 0.5 * np.cos(turns), 0.5 + 0.5 * np.sin(turns)]))[:, :2]


def _is_disc(layout: Layout, name: str) -> bool:
    return any(piece.name == name and piece.frame == "disc" for piece in layout.pieces)
