"""Pictures of tiles as a camera would give them: turned, shifted, bent, blurred, lit and noisy, at any size.

Only brightness matters to the face reader (see `vision.faces`), so that is all that is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces import CUT_PX, FIELD
from vision.glyphs import SIDE_PX
from vision.glyphs.strokes import Mask

Picture = NDArray[np.float32]
"""(height, width) brightness from 0 to 255."""

CANVAS_PX = 128
TILE_PX = 84
"""The edge of the tile on the canvas on which it is first drawn."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """How badly tiles are laid and seen."""

    turn_deg: float = 11.0
    """Most that a tile is turned away from one of four ways round."""
    shift: float = 0.07
    """Most that it lies off the middle of the picture, in tile edges."""
    scale: float = 0.08
    bend: float = 0.03
    """Most that a corner is out of place, in tile edges."""
    squash: float = 0.35
    """Most that a slanting view shortens one direction."""
    blur_px: tuple[float, float] = (0.2, 0.75)
    noise: tuple[float, float] = (1.0, 6.0)
    glare: float = 0.0
    """How often a lamp shines back from the tile, and how often the edge of a shadow lies over it."""


HARDER = Trouble(turn_deg=13.0, shift=0.08, squash=0.4, blur_px=(0.2, 0.95), noise=(1.0, 7.0), glare=0.12)
"""What the reader learns from: somewhat worse than what is asked of it."""


def scene(ink: Mask, rng: np.random.Generator) -> Picture:
    """A tile with its glyph on a board, upright, well lit and sharp."""
    card = rng.uniform(120, 245)
    black = card * rng.uniform(0.12, 0.45)
    canvas = np.full((CANVAS_PX, CANVAS_PX), rng.uniform(60, 250), np.float32)
    edge = (CANVAS_PX - TILE_PX) // 2
    for side in range(4):
        # What lies around: a lined board, or the neighbouring tiles.
        if rng.random() < 0.5:
            strip = canvas if side % 2 == 0 else canvas.T
            where = slice(0, edge - 3) if side < 2 else slice(CANVAS_PX - edge + 3, CANVAS_PX)
            strip[where] = rng.uniform(40, 250)
    tile = _card(int(rng.integers(1, 9)))
    canvas += (card - canvas) * tile
    # The picture of a glyph is twice as wide as the glyph is high.
    side_px = round(2 * TILE_PX * rng.uniform(0.44, 0.68))
    glyph = _cut(np.asarray(cv2.resize(ink, (side_px, side_px), interpolation=cv2.INTER_AREA), np.float32), CANVAS_PX)
    canvas += (black - canvas) * glyph * tile
    return canvas


@cache
def _card(rounding_px: int) -> Mask:
    """Where the tile is on the canvas."""
    edge = (CANVAS_PX - TILE_PX) // 2 + rounding_px
    tile = np.zeros((CANVAS_PX, CANVAS_PX), np.float32)
    tile[edge:-edge, edge:-edge] = 1.0
    rim = 2 * rounding_px + 1
    return np.asarray(cv2.dilate(tile, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (rim, rim))), np.float32)


def _cut(picture: Mask, side_px: int) -> Mask:
    """The middle of a picture, padded or cropped to a side."""
    out = np.zeros((side_px, side_px), np.float32)
    near, far = (side_px - picture.shape[0]) // 2, max(0, (picture.shape[0] - side_px) // 2)
    near = max(0, near)
    count = min(side_px, picture.shape[0])
    out[near : near + count, near : near + count] = picture[far : far + count, far : far + count]
    return out


def seen(sharp: Picture, tile_px: float, trouble: Trouble, rng: np.random.Generator, quarters: int) -> Picture:
    """The scene as a camera sees it with the tile so many pixels wide, already put upright on the cell."""
    across = tile_px * (1.0 - rng.uniform(0, trouble.squash) * (rng.random() < 0.4))
    size = np.array([across, tile_px]) if rng.random() < 0.5 else np.array([tile_px, across])
    angle = np.radians(90 * quarters + rng.uniform(-trouble.turn_deg, trouble.turn_deg))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64) * 0.5
    laid = corners @ turn.T * (1 + rng.uniform(-trouble.scale, trouble.scale))
    laid += rng.uniform(-trouble.shift, trouble.shift, 2) + rng.uniform(-trouble.bend, trouble.bend, (4, 2))
    # The picture shows 1.4 tile edges each way.
    target = (laid + 0.7) * size
    source = (corners * TILE_PX + CANVAS_PX / 2).astype(np.float32)
    blur = rng.uniform(*trouble.blur_px)
    shrink = TILE_PX / size
    soft = cv2.GaussianBlur(sharp, (0, 0), float(shrink.max() * np.hypot(0.35, blur)))
    matrix = cv2.getPerspectiveTransform(source, target.astype(np.float32))
    out = (round(1.4 * size[0]), round(1.4 * size[1]))
    warped = cv2.warpPerspective(soft, matrix, out, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    picture = _light(np.asarray(warped, np.float32), rng)
    if rng.random() < trouble.glare:
        picture = _shine(picture, rng)
    if rng.random() < trouble.glare:
        picture = _shade(picture, rng)
    picture += np.float32(rng.uniform(*trouble.noise)) * rng.standard_normal(picture.shape, np.float32)
    picture = np.clip(picture, 0, 255)
    if rng.random() < 0.5:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))]
        _, coded = cv2.imencode(".jpg", picture.astype(np.uint8), quality)
        picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), np.float32)
    return picture


def _light(picture: Picture, rng: np.random.Generator) -> Picture:
    """Brighter on one side than on the other, and brighter or darker as a whole."""
    height, width = picture.shape
    slope = rng.uniform(-0.2, 0.2, 2)
    rows = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None] * slope[0]
    columns = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :] * slope[1]
    return np.asarray(picture * (1 + rows + columns) * rng.uniform(0.55, 1.05), np.float32)


def _shine(picture: Picture, rng: np.random.Generator) -> Picture:
    """A soft bright spot, somewhere on the tile."""
    height, width = picture.shape
    middle, radius = rng.uniform(0.2, 0.8, 2), rng.uniform(0.15, 0.5)
    rows = (np.linspace(0, 1, height, dtype=np.float32)[:, None] - middle[0]) / radius
    columns = (np.linspace(0, 1, width, dtype=np.float32)[None, :] - middle[1]) / radius
    spot = np.exp(-(rows * rows + columns * columns))
    return np.asarray(picture + (255 - picture) * spot * rng.uniform(0.1, 0.5), np.float32)


def _shade(picture: Picture, rng: np.random.Generator) -> Picture:
    """Darker on one side of a line."""
    height, width = picture.shape
    angle, offset = rng.uniform(0, 2 * np.pi), rng.uniform(-0.3, 0.3)
    rows = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None] * np.sin(angle)
    columns = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :] * np.cos(angle)
    dark = np.clip((rows + columns - offset) / rng.uniform(0.03, 0.25), 0, 1) * rng.uniform(0.1, 0.45)
    return np.asarray(picture * (1 - dark), np.float32)


def crop(picture: Picture) -> Picture:
    """What the face reader is given of a picture of 1.4 tile edges: its middle, put on the reader's own grid."""
    height, width = picture.shape
    scale = np.array([width, height]) / 1.4 * FIELD / CUT_PX
    # The middle of pixel i of the crop lies (i + 0.5 - half) steps from the middle of the picture.
    matrix = np.array(
        [[scale[0], 0, width / 2 - scale[0] * (CUT_PX - 1) / 2 - 0.5],
         [0, scale[1], height / 2 - scale[1] * (CUT_PX - 1) / 2 - 0.5]]
    )
    return np.asarray(
        cv2.warpAffine(
            picture, matrix, (CUT_PX, CUT_PX), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        np.float32,
    )


def example(
    ink: Mask, tile_px: float, trouble: Trouble, rng: np.random.Generator, quarters: int | None = None
) -> Picture:
    """The brightness that the face reader is given of one drawn tile, turned by so many quarters or by any."""
    turned = int(rng.integers(4)) if quarters is None else quarters
    return crop(seen(scene(ink, rng), tile_px, trouble, rng, turned))


def bend(ink: Mask, is_letter: bool, rng: np.random.Generator) -> Mask:
    """The glyph a little slanted, narrowed, swayed, fattened and rounded, so that no two are alike. Only letters and
    numbers are ever set in italics."""
    slant = rng.uniform(0.14, 0.32) if is_letter and rng.random() < 0.3 else rng.uniform(-0.08, 0.14)
    wide = rng.uniform(0.78, 1.12)
    grid = np.arange(SIDE_PX, dtype=np.float32) - SIDE_PX / 2
    x, y = grid[None, :], grid[:, None]
    sway = (rng.uniform(-0.02, 0.02, 4) * SIDE_PX).astype(np.float32)
    turn = np.float32(2 * np.pi / SIDE_PX)
    map_x = x / wide + slant * y + sway[0] * np.sin(y * turn) + sway[1] * np.cos(x * turn) + SIDE_PX / 2
    map_y = y + sway[2] * np.sin(x * turn) + sway[3] * np.cos(y * turn) + SIDE_PX / 2
    bent = cv2.remap(ink, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR, borderValue=0)
    # The small letters of a word would run together.
    is_worn = is_letter and rng.random() < 0.4
    return _worn(np.asarray(bent, np.float32), rng) if is_worn else np.asarray(bent, np.float32)


def _worn(ink: Mask, rng: np.random.Generator) -> Mask:
    """Strokes somewhat thicker or thinner, corners rounded."""
    soft = np.asarray(cv2.GaussianBlur(ink, (0, 0), float(rng.uniform(0.8, 2.2))), np.float32)
    soft = soft / np.float32(max(float(soft.max()), 1e-6))
    return np.asarray(np.clip((soft - rng.uniform(0.34, 0.62)) * 3 + 0.5, 0, 1), np.float32)
