"""Things with thickness: seen from the camera, lit by the lamp, with the shadow they throw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulation.faces import FACE_PX, Faces
from companion.simulation.glyphs import SHIFT, fixed
from companion.simulation.lens import Lens, Points
from companion.simulation.light import Lamp
from companion.simulation.things import Thing
from vision.frame import Image

FINE = 3
"""Sprites are drawn so many times larger and then made small, which softens their edges."""
SHADOW_STRENGTH = 0.5

Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A rectangle of the picture: from (x0, y0) up to, not including, (x1, y1)."""

    x0: int
    y0: int
    x1: int
    y1: int

    def touches(self, other: Box) -> bool:
        """True when they share a pixel."""
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    def joined(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def clipped(self, width: int, height: int) -> Box:
        """The part of it inside the picture; empty boxes have no pixels."""
        x0, y0 = min(max(self.x0, 0), width), min(max(self.y0, 0), height)
        return Box(x0, y0, max(x0, min(self.x1, width)), max(y0, min(self.y1, height)))

    @property
    def empty(self) -> bool:
        """True when it has no pixels."""
        return self.x1 <= self.x0 or self.y1 <= self.y0


def box_around(points_px: Points, margin_px: float = 2.0) -> Box:
    """The box of pixels around points."""
    low, high = np.floor(points_px.min(axis=0) - margin_px), np.ceil(points_px.max(axis=0) + margin_px)
    return Box(int(low[0]), int(low[1]), int(high[0]), int(high[1]))


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """A thing ready to be put on a picture."""

    box: Box
    """Where its pixels are."""
    image: Image
    """Colours times alpha."""
    alpha: Mask
    shadow_box: Box
    shadow: Mask
    """How much light is taken away, 0 to 255."""
    distance_mm: float
    """From the camera: what is farther away is drawn first."""

    @property
    def whole(self) -> Box:
        """Thing and shadow together."""
        return self.box.joined(self.shadow_box)


def draw_sprite(thing: Thing, faces: Faces, lens: Lens, lamp: Lamp) -> Sprite:
    """A thing as it is seen from the camera."""
    foot = thing.footprint()
    top_mm = thing.z_mm + thing.item.height_mm
    lower = lens.project(np.column_stack([foot, np.full(len(foot), thing.z_mm)]))
    upper = lens.project(np.column_stack([foot, np.full(len(foot), top_mm)]))
    box = box_around(np.vstack([lower, upper]))
    light = lamp.at(thing.x_mm, thing.y_mm)
    canvas = np.zeros(((box.y1 - box.y0) * FINE, (box.x1 - box.x0) * FINE, 3), np.uint8)
    alpha = np.zeros(canvas.shape[:2], np.uint8)
    origin = np.array([box.x0, box.y0])

    def local(points: Points) -> Points:
        return np.asarray((points - origin) * FINE - 0.5)

    below, above = local(lower), local(upper)
    _sides(canvas, alpha, thing, faces, lens, lamp, foot, below, above, light)
    _top(canvas, alpha, thing, faces, above, local, lens, top_mm, light)
    _edges(canvas, thing, lamp, foot, above, faces, light)
    size = (box.x1 - box.x0, box.y1 - box.y0)
    solid = cv2.bitwise_and(canvas, canvas, mask=alpha)
    small = np.asarray(cv2.resize(solid, size, interpolation=cv2.INTER_AREA), np.uint8)
    small_alpha = np.asarray(cv2.resize(alpha, size, interpolation=cv2.INTER_AREA), np.uint8)
    shadow_box, shadow = _shadow(thing, lens, lamp)
    # The farthest point counts: whatever lies on a plate is nearer than the plate's far corner, and drawn after it.
    depth = lens.position_mm - np.column_stack([foot, np.full(len(foot), thing.z_mm * 3.0)])
    away = float(np.linalg.norm(depth, axis=1).max())
    return Sprite(box, small, small_alpha, shadow_box, shadow, away)


def _sides(
    canvas: Image, alpha: Mask, thing: Thing, faces: Faces, lens: Lens, lamp: Lamp, foot: Points, below: Points,
    above: Points, light: float,
) -> None:
    base = np.array(faces.side(thing.look))
    towards = np.array(lamp.towards(thing.x_mm, thing.y_mm))
    following = np.roll(np.arange(len(foot)), -1)
    for i, j in enumerate(following):
        edge = foot[j] - foot[i]
        normal = np.array([edge[1], -edge[0]]) / np.hypot(*edge)
        if normal @ (lens.position_mm[:2] - foot[i]) <= 0:
            continue
        shade = light * (0.5 + 0.75 * max(0.0, float(normal @ towards[:2])))
        quad = fixed(np.array([above[i], above[j], below[j], below[i]]))
        blue, green, red = np.clip(base * shade, 0, 255)
        cv2.fillConvexPoly(canvas, quad, (float(blue), float(green), float(red)), cv2.LINE_8, SHIFT)
        cv2.fillConvexPoly(alpha, quad, 255, cv2.LINE_8, SHIFT)


def _top(
    canvas: Image, alpha: Mask, thing: Thing, faces: Faces, above: Points, local: Callable[[Points], Points],
    lens: Lens, top_mm: float, light: float,
) -> None:
    half = thing.item.size_mm / 2
    cos, sin = np.cos(thing.turn_rad) * half, np.sin(thing.turn_rad) * half
    square = np.array([
        (-cos + sin, -sin - cos), (cos + sin, sin - cos), (cos - sin, sin + cos), (-cos - sin, -sin + cos),
    ])
    corners = local(lens.project(np.column_stack([square + np.array([thing.x_mm, thing.y_mm]), np.full(4, top_mm)])))
    source = np.array([(0, 0), (FACE_PX, 0), (FACE_PX, FACE_PX), (0, FACE_PX)], np.float32) - 0.5
    change = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
    picture = cv2.convertScaleAbs(faces.picture(thing.look, thing.item.shape), alpha=light)
    size = (canvas.shape[1], canvas.shape[0])
    warped = cv2.warpPerspective(picture, change, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros(alpha.shape, np.uint8)
    cv2.fillConvexPoly(mask, fixed(above), 255, cv2.LINE_8, SHIFT)
    cv2.copyTo(warped, mask, canvas)
    cv2.bitwise_or(alpha, mask, dst=alpha)


def _edges(
    canvas: Image, thing: Thing, lamp: Lamp, foot: Points, above: Points, faces: Faces, light: float
) -> None:
    """The worn edge of the top catches the lamp on one side and is dark on the other."""
    if thing.item.height_mm < 1.0:
        return
    towards = np.array(lamp.towards(thing.x_mm, thing.y_mm))[:2]
    base = np.array(faces.side(thing.look)) * light
    middle = above.mean(axis=0)
    inner = middle + (above - middle) * 0.955
    following = np.roll(np.arange(len(foot)), -1)
    for i, j in enumerate(following):
        edge = foot[j] - foot[i]
        facing = float(np.array([edge[1], -edge[0]]) / np.hypot(*edge) @ towards)
        tone = base + (255 - base) * 0.28 * max(0.0, facing * 2 + 0.35) if facing > -0.15 else base * 0.78
        blue, green, red = np.clip(tone, 0, 255)
        width = 2 if len(foot) > 4 else 3
        cv2.polylines(
            canvas, [fixed(np.array([inner[i], inner[j]]))], False, (float(blue), float(green), float(red)), width,
            cv2.LINE_AA, SHIFT,
        )


def _shadow(thing: Thing, lens: Lens, lamp: Lamp) -> tuple[Box, Mask]:
    """A soft shadow beside the thing and a darker one under its edge."""
    foot = thing.footprint(0.5)
    dx, dy = lamp.shadow_mm(thing.x_mm, thing.y_mm, thing.z_mm + thing.item.height_mm)
    lift_x, lift_y = lamp.shadow_mm(thing.x_mm, thing.y_mm, thing.z_mm)
    near, far = foot + np.array([lift_x, lift_y]) * 0.6, foot + np.array([dx, dy]) * 1.6
    ground = np.zeros((len(foot), 1))
    outline = lens.project(np.vstack([np.hstack([near, ground]), np.hstack([far, ground])]))
    soft = 1.2 + min(thing.item.height_mm * 0.16 + thing.z_mm * 0.08, 6.0)
    box = box_around(outline, 2 + 2.2 * soft)
    mask = np.zeros((box.y1 - box.y0, box.x1 - box.x0), np.uint8)
    local = outline - (box.x0 + 0.5, box.y0 + 0.5)
    hull = cv2.convexHull(local.astype(np.float32)).reshape(-1, 2)
    strength = 255 * SHADOW_STRENGTH * (1.0 if thing.z_mm < 20 else 0.6)
    cv2.fillConvexPoly(mask, fixed(np.asarray(hull, np.float64)), int(strength), cv2.LINE_AA, SHIFT)
    return box, np.asarray(cv2.GaussianBlur(mask, (0, 0), soft), np.uint8)


def cast_shadow(image: Image, window: Box, sprite: Sprite) -> None:
    """Darken the part of `image` (which shows `window` of the picture) that lies in the sprite's shadow."""
    part = Box(
        max(window.x0, sprite.shadow_box.x0), max(window.y0, sprite.shadow_box.y0),
        min(window.x1, sprite.shadow_box.x1), min(window.y1, sprite.shadow_box.y1),
    )
    if part.empty:
        return
    area = image[part.y0 - window.y0 : part.y1 - window.y0, part.x0 - window.x0 : part.x1 - window.x0]
    left = sprite.shadow[
        part.y0 - sprite.shadow_box.y0 : part.y1 - sprite.shadow_box.y0,
        part.x0 - sprite.shadow_box.x0 : part.x1 - sprite.shadow_box.x0,
    ]
    area[:] = (area * (256 - left.astype(np.uint16))[:, :, None]) >> 8


def put(image: Image, window: Box, sprite: Sprite) -> None:
    """Put the sprite on `image`, which shows `window` of the picture."""
    part = Box(
        max(window.x0, sprite.box.x0), max(window.y0, sprite.box.y0),
        min(window.x1, sprite.box.x1), min(window.y1, sprite.box.y1),
    )
    if part.empty:
        return
    area = image[part.y0 - window.y0 : part.y1 - window.y0, part.x0 - window.x0 : part.x1 - window.x0]
    source = np.s_[part.y0 - sprite.box.y0 : part.y1 - sprite.box.y0, part.x0 - sprite.box.x0 : part.x1 - sprite.box.x0]
    through = (255 - sprite.alpha[source].astype(np.uint16))[:, :, None]
    area[:] = np.minimum(sprite.image[source] + ((area * through + 127) // 255), 255)
