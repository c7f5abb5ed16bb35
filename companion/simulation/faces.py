"""What is printed on top of things: tiles, markers, plates, chips and lettered cards, in a drawing style of our own.

The same drawings, a little paler, are the prints on the boards: nearly as strong as the tiles themselves, as on
real boards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.simulation.glyphs import Colour, disc, draw_glyph, draw_text, fill, line, regular, star_points
from companion.simulation.lens import Points
from companion.simulation.lettering import knows, print_face
from vision.frame import Image
from vision.glyphs import Style
from vision.layout import Layout

FACE_PX = 72
"""Edge of the picture of one face."""
CREAM: Colour = (214, 228, 236)
INK: Colour = (44, 36, 34)
BACK: Colour = (166, 168, 168)
CHIP_BACK: Colour = (48, 84, 132)


@dataclass(frozen=True, slots=True)
class Look:
    """What somebody sees on a thing from above."""

    colour: str
    """A key of the layout's colours, or a word such as `marker`, `special`, `stone`, `face-down`."""
    face: str | None = None
    """The letter, number or figure of a card."""
    spaces: tuple[str, ...] = ()
    """The four printed spaces of a plate, or the colours of a chip."""

    @property
    def key(self) -> tuple[str, ...]:
        """What stays the same when the thing is moved, turned or turned over."""
        return ("spaces", *sorted(self.spaces)) if self.spaces else (self.colour,)


def bgr(layout: Layout, colour: str) -> Colour:
    """A colour of the layout in cv2's order; cream for words that are no colour."""
    if colour == "stone":
        return (38, 36, 34)
    if colour == "face-down":
        return CHIP_BACK
    if colour == "back":
        return BACK
    red, green, blue = layout.colours.get(colour, (236, 228, 214))
    return (float(blue), float(green), float(red))


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """`share` of the second colour in the first."""
    a, b = np.array(first), np.array(second)
    blue, green, red = a + (b - a) * share
    return (float(blue), float(green), float(red))


def ornament(image: Image, layout: Layout, colour: str, x: float, y: float, radius: float, strength: float) -> None:
    """The pattern of a colour, by its place in the layout's list: so that no two colours share one."""
    base = bgr(layout, colour)
    bright = sum(base) / 3
    accent = mix(base, (250, 246, 238) if bright < 115 else (70, 52, 40), 0.55)
    kind = list(layout.colours).index(colour) % 5 if colour in layout.colours else 0
    ink = mix(base, accent, strength)
    wide = max(1, round(radius * 0.12))
    if kind == 0:
        line(image, regular(4, math.pi / 4) * radius * 1.05 + (x, y), mix(base, (255, 255, 255), 0.2), wide, True)
    elif kind == 1:
        fill(image, star_points(8, 0.45) * radius * 0.85 + (x, y), mix(base, (30, 60, 190), 0.6 * strength))
        disc(image, x, y, radius * 0.22, base)
    elif kind == 2:
        for shift in (-0.5, 0.0, 0.5):
            start, end = (x - radius * 0.8, y + shift * radius), (x + radius * 0.8, y + shift * radius)
            line(image, np.array([start, end]), mix(base, (0, 0, 0), 0.16 * strength), wide)
    elif kind == 3:
        for dx, dy in ((-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45)):
            disc(image, x + dx * radius, y + dy * radius, radius * 0.3, mix(base, (190, 160, 70), 0.6 * strength), wide)
        disc(image, x, y, radius * 0.14, ink)
    else:
        fill(image, star_points(8, 0.38, 0.0) * radius * 0.95 + (x, y), mix(base, (150, 140, 20), 0.75 * strength))
        disc(image, x, y, radius * 0.2, mix(base, (255, 255, 255), 0.6))


def _sector(start_deg: int, end_deg: int) -> Points:
    """A slice of a circle of radius 1 around (0, 0)."""
    angles = np.radians(np.linspace(start_deg, end_deg, 16))
    return np.vstack([np.column_stack([np.cos(angles), np.sin(angles)]), [(0.0, 0.0)]])


def draw_space(image: Image, layout: Layout, colour: str, x: float, y: float, radius: float, strength: float) -> None:
    """A round printed space of a plate: a colour, a joker wheel or a special flower."""
    disc(image, x, y, radius * 1.08, (120, 140, 150))
    if colour == "joker":
        colours = [key for key in layout.colours if key not in ("marker", "special")]
        for index, key in enumerate(colours):
            start, end = (int(360 * i / len(colours)) for i in (index, index + 1))
            fill(image, _sector(start, end) * radius + np.array([x, y]), mix(bgr(layout, key), CREAM, 1 - strength))
        disc(image, x, y, radius * 0.3, CREAM)
    elif colour == "special":
        disc(image, x, y, radius, mix((150, 176, 190), CREAM, 0.5))
        fill(image, star_points(8, 0.5) * radius * 0.6 + (x, y), mix((70, 110, 150), CREAM, 0.4))
    else:
        disc(image, x, y, radius, mix(bgr(layout, colour), CREAM, 1 - strength))
        ornament(image, layout, colour, x, y, radius * 0.62, strength)


def draw_face(
    image: Image, face: str, style: Style | None, x: float, y: float, radius: float, colour: Colour
) -> None:
    """A face as the table's edition prints it; in the table's own strokes where there is no edition."""
    if style is None or not knows(face):
        draw_glyph(image, face, x, y, radius, colour)
    else:
        print_face(image, face, style, x, y, radius, colour)


def face_picture(layout: Layout, look: Look, shape: str, style: Style | None = None) -> Image:
    """(FACE_PX, FACE_PX, 3): the top of a thing, up as its layer sees it, printed in a style."""
    base = bgr(layout, look.colour)
    image: Image = np.empty((FACE_PX, FACE_PX, 3), np.uint8)
    middle = FACE_PX / 2 - 0.5
    if shape == "card" and len(look.spaces) == 4:
        image[:] = np.array(mix(CREAM, (150, 190, 205), 0.35), np.uint8)
        line(image, regular(4, math.pi / 4) * FACE_PX * 0.66 + (middle, middle), (96, 124, 142), 2, True)
        fill(image, star_points(4, 0.25) * FACE_PX * 0.09 + (middle, middle), (90, 120, 140))
        quarters, upright = _upright(look.spaces)
        for index, space in enumerate(upright):
            at = (np.array([index % 2, index // 2]) * 0.4783 + 0.2609) * FACE_PX - 0.5
            draw_space(image, layout, space, float(at[0]), float(at[1]), FACE_PX * 0.185, 0.88)
        return np.ascontiguousarray(np.rot90(image, -quarters))
    image[:] = np.array(base, np.uint8)
    if look.face is not None:
        draw_face(image, look.face, style, middle, middle, FACE_PX * 0.3, INK)
    elif look.spaces:
        for index, colour in enumerate(look.spaces):
            start, end = (int(360 * i / len(look.spaces)) - 90 for i in (index, index + 1))
            fill(image, _sector(start, end) * FACE_PX * 0.36 + middle, bgr(layout, colour))
    elif look.colour == "marker":
        disc(image, middle, middle, FACE_PX * 0.34, INK, 2)
        draw_text(image, "1", middle, middle, FACE_PX * 0.42, INK, 0.16)
    elif look.colour in ("special", "face-down"):
        fill(image, star_points(8, 0.5) * FACE_PX * 0.3 + (middle, middle), mix(base, (70, 120, 180), 0.6))
    elif look.colour in ("stone", "back") or shape == "card":
        pass
    else:
        ornament(image, layout, look.colour, middle, middle, FACE_PX * 0.34, 0.9)
    return _glazed(image)


def _upright(spaces: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """By how many quarters a plate lies turned clockwise, and its spaces as printed: all that is printed on it turns
    with it. Nobody knows which way is up, but of four ways the same one is always taken for that."""
    grid = np.array(spaces).reshape(2, 2)
    ways = [tuple(map(str, np.rot90(grid, quarters).ravel())) for quarters in range(4)]
    quarters = min(range(4), key=ways.__getitem__)
    return quarters, ways[quarters]


def _glazed(image: Image) -> Image:
    """A little brighter towards the middle of the upper half, as resin is."""
    y, x = np.mgrid[0:FACE_PX, 0:FACE_PX] / FACE_PX
    gloss = np.exp(-((x - 0.4) ** 2 + (y - 0.35) ** 2) / 0.12) * 14.0 - 3.0
    return np.asarray(np.clip(image + gloss[:, :, None], 0, 255), np.uint8)


class Faces:
    """Pictures of faces, drawn once each."""

    def __init__(self, layout: Layout, style: Style | None = None) -> None:
        self._layout = layout
        self._style = style
        self._pictures: dict[tuple[Look, str], Image] = {}

    def picture(self, look: Look, shape: str) -> Image:
        """The top of a thing with this look."""
        known = self._pictures.get((look, shape))
        if known is None:
            known = self._pictures[look, shape] = face_picture(self._layout, look, shape, self._style)
        return known

    def side(self, look: Look) -> Colour:
        """The colour of the thing's sides, in full light."""
        if look.spaces and len(look.spaces) == 4:
            return (120, 138, 148)
        return mix(bgr(self._layout, look.colour), (20, 16, 14), 0.12)


