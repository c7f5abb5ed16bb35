"""From what people tapped and photographed to a `Calibration`: with samples, an empty table, or taps alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.geometry import Geometry, solve_geometry
from calibration.prints import sample_prints
from vision.calibration import Calibration, Quality
from vision.card import CARD, never_covered, paper
from vision.colour_learning import builtin_model, builtin_patches, fit_sample_patches, fit_samples, sample_looks
from vision.colours import Light, white_light
from vision.frame import Image
from vision.layout import Item, Layout
from vision.patches import PatchModel
from vision.pose import Camera
from vision.reading import Kind
from vision.recording import CornersTap, DiscTap, PolygonTap, SampleTile, Tap
from vision.rectify import Matrix, rectify

LARGEST_WIDTH_PX = 2400
"""A larger picture is shrunk to this: a tile is then still some forty pixels wide."""
GOOD_SUPPORT = 0.8
SMALL_BOARD_PX = 220.0
STEEP_RAD = 0.87
DARK_LEVEL = 50.0
CLIPPED_LEVEL, CLIPPED_SHARE = 252, 0.15
"""A board of which a larger share is as bright as a camera can show has lost its colours there."""
CLOSE_COLOURS, CLOSE_SAMPLES = 0.7, 3.0
"""Tile colours nearer than this many spreads are hard to tell apart: those of the built-in model, spread over many
tables, which has 1.0 in good light; and those of tiles that were shown at this table."""
SAMPLE_SIDE_SHARE = 0.55
"""Share of a tile's width that is cut out around a tap on it."""

SMALL_PIECE_MM = 100.0
"""Pieces smaller than this show too little bare surface to tell the light."""
SAMPLED_KINDS = (Kind.SLOT, Kind.HEAP, Kind.PILE, Kind.CELL)
"""Places that hold whole pieces of one colour."""


class CalibrationError(Exception):
    """A table that cannot be set up from what was given; the message says what to do."""


def calibrate(
    layout: Layout,
    taps: Mapping[str, Tap],
    *,
    empty: Image | None = None,
    first: Image | None = None,
    samples: Sequence[tuple[Image, Sequence[SampleTile]]] = (),
    without: Sequence[str] = (),
) -> Calibration:
    """The calibration of a table. `empty` is the laid table without tiles; without it `first` is any settled frame, be
    it in mid-game. `samples` are pictures with tiles whose colours people named. `without` leaves out sources of the
    built-in colours, so that a recording is not judged by its own."""
    picture = empty if empty is not None else first
    if picture is None:
        raise CalibrationError("there is no picture of the table: take one of the laid table, or hand in a frame")
    scale = min(1.0, LARGEST_WIDTH_PX / picture.shape[1])
    picture = shrink(picture, scale)
    known = {piece.name for piece in layout.pieces}
    scaled = {name: scale_tap(tap, scale) for name, tap in taps.items() if name in known}
    geometry = solve_geometry(picture, scaled, layout)
    colours, patches = builtin_model(layout.colours, without), builtin_patches(layout.colours, without)
    light, looks, closest = light_between(geometry.matrices, layout, picture), patches, CLOSE_COLOURS
    if samples:
        tops = sample_patches(samples, scale, geometry.camera, layout, light)
        colours, patches = fit_samples(colours, tops), fit_sample_patches(patches, tops)
        if len(tops) > 1:
            looks, closest = sample_looks(tops), CLOSE_SAMPLES
    return Calibration(
        game=layout.game, size_px=(picture.shape[1], picture.shape[0]), camera=geometry.camera, poses=geometry.poses,
        matrices=geometry.matrices, polygons_px=geometry.polygons_px,
        quality=judge(geometry, picture, looks.under(light.inverse()), closest),
        colours=colours, patches=patches, sampled=bool(samples),
        empty=picture if empty is not None else None, first=None if empty is not None else picture,
        prints={
            face: cut for image, tiles in samples
            for face, cut in sample_prints(shrink(image, scale), tiles, scale, geometry, layout).items()
        },
    )


def judge(geometry: Geometry, picture: Image, looks: PatchModel, closest: float) -> Quality:
    """How good a calibration is, with advice where it is poor: also where the looks of two tile colours in this
    picture's own light are nearer than some spreads."""
    advice = [f"board-unclear:{name}" for name, share in geometry.support.items() if share < GOOD_SUPPORT * 0.6]
    for name, matrix in geometry.matrices.items():
        if geometry.poses[name].size_mm[0] < 100.0:
            continue
        corners = (matrix @ np.array([[0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]], dtype=np.float64)).T
        flat = corners[:, :2] / corners[:, 2:]
        if float(np.linalg.norm(np.roll(flat, -1, axis=0) - flat, axis=1).min()) < SMALL_BOARD_PX:
            advice.append(f"board-small:{name}")
        pixels = rectify(picture, matrix, (CARD, CARD)).reshape(-1, 3)
        if float((pixels.max(axis=1) >= CLIPPED_LEVEL).mean()) > CLIPPED_SHARE:
            advice.append(f"board-too-bright:{name}")
    if geometry.camera.tilt_rad > STEEP_RAD:
        advice.append("too-oblique")
    if float(np.percentile(picture[::8, ::8], 90)) < DARK_LEVEL:
        advice.append("too-dark")
    separation = colour_separation(looks)
    if separation < closest:
        advice.append("colours-close")
    return Quality(geometry.error_px, dict(geometry.support), separation, tuple(advice))


def colour_separation(patches: PatchModel) -> float:
    """The smallest distance between the looks of two tile colours, in units of their spread."""
    closest = math.inf
    for one in range(len(patches.names)):
        for other in range(one):
            for mean, covariance in zip(patches.means[one], patches.covariances[one], strict=True):
                apart = patches.means[other] - mean
                spread = (patches.covariances[other] + covariance) / 2
                distance = np.sqrt(np.einsum("ki,kij,kj->k", apart, np.linalg.inv(spread), apart))
                closest = min(closest, float(distance.min()))
    return closest


def shrink(image: Image, scale: float) -> Image:
    """The picture made smaller; itself when it is small enough."""
    if scale >= 1.0:
        return image
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def scale_tap(tap: Tap, scale: float) -> Tap:
    """A tap in the pixels of a picture made smaller."""

    def at(point: tuple[float, float]) -> tuple[float, float]:
        return point[0] * scale, point[1] * scale

    if isinstance(tap, CornersTap):
        first, second, third, fourth = map(at, tap.points_px)
        return CornersTap((first, second, third, fourth))
    if isinstance(tap, DiscTap):
        return replace(tap, centre_px=at(tap.centre_px), rim_px=at(tap.rim_px))
    return PolygonTap(tuple(map(at, tap.points_px)))


def _item_of(colour: str, layout: Layout) -> Item:
    """The thing that has a colour: what lies on the places for it, prints left out."""
    places = (place for place in layout.places.values() if place.kind in SAMPLED_KINDS)
    found = next((layout.items[place.item] for place in places if colour in place.holds), None)
    return found if found is not None else max(layout.items.values(), key=lambda item: item.height_mm)


def light_between(matrices: Mapping[str, Matrix], layout: Layout, picture: Image) -> Light:
    """What brings the table between the boards to the reference light: what most white boards say of themselves."""
    logs = []
    for piece in layout.pieces:
        if piece.white and piece.name in matrices and piece.size_mm[0] > SMALL_PIECE_MM:
            pixels = rectify(picture, matrices[piece.name], (CARD, CARD)).reshape(-1, 3)
            logs.append(np.log(white_light(paper(pixels, never_covered(piece, layout, np.zeros(2)))).gains))
    blue, green, red = map(float, np.exp(np.median(logs, axis=0))) if logs else (1.0, 1.0, 1.0)
    return Light((blue, green, red))


def sample_patches(
    samples: Sequence[tuple[Image, Sequence[SampleTile]]],
    scale: float,
    camera: Camera,
    layout: Layout,
    light: Light,
) -> dict[str, list[Image]]:
    """The tops of the sample tiles, by colour, under the reference light, to which `light` brings them."""
    patches: dict[str, list[Image]] = {}
    for image, tiles in samples:
        shrunk = shrink(image, scale)
        for tile in tiles:
            at_px = (tile.at_px[0] * scale, tile.at_px[1] * scale)
            item = _item_of(tile.colour, layout)
            height_mm = item.height_mm
            x_mm, y_mm = camera.to_plane([at_px], height_mm)[0]
            half = item.size_mm * SAMPLE_SIDE_SHARE / 2
            ends = camera.project([[x_mm - half, y_mm, height_mm], [x_mm + half, y_mm, height_mm]])
            reach = max(2, round(float(np.linalg.norm(ends[1] - ends[0])) / 2))
            column, row = round(at_px[0] - 0.5), round(at_px[1] - 0.5)
            patch = shrunk[max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1]
            if patch.size:
                patches.setdefault(tile.colour, []).append(light.apply(np.ascontiguousarray(patch)))
    return patches
