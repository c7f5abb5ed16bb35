"""One picture after another of the table, drawing again only what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from companion.simulation.arrangement import Arrangement
from companion.simulation.backdrop import Backdrop
from companion.simulation.faces import Faces
from companion.simulation.hands import Hand, HandPainter
from companion.simulation.lens import Lens
from companion.simulation.light import Lamp
from companion.simulation.solids import Box, Sprite, cast_shadow, draw_sprite, put
from companion.simulation.things import Thing
from vision.frame import Image
from vision.layout import Layout

MANY_CHANGES = 40
"""Beyond this many changed things the whole picture is drawn again."""


class Scene:
    """The table as the camera sees it, before noise and changing light."""

    def __init__(self, layout: Layout, arrangement: Arrangement, lens: Lens, lamp: Lamp, seed: int) -> None:
        self._lens = lens
        self._lamp = lamp
        self._faces = Faces(layout)
        self._backdrop = Backdrop(layout, lens, lamp, seed)
        self._painter = HandPainter(lens, lamp, seed)
        self._empty = self._backdrop.draw(arrangement)
        self._still = self._empty.copy()
        self._drawn: dict[int, tuple[Thing, Sprite]] = {}
        self._whole = Box(0, 0, lens.width_px, lens.height_px)

    def rearrange(self, arrangement: Arrangement) -> None:
        """Draw the table again after a piece was nudged."""
        self._empty = self._backdrop.draw(arrangement)
        self._redraw(self._whole)

    def picture(self, resting: Mapping[int, Thing], moving: Sequence[Thing] = (), hands: Sequence[Hand] = ()) -> Image:
        """A new picture (height, width, 3) of what lies, what is carried and the hands above."""
        self._update(resting)
        image = self._still.copy()
        self._put_moving(image, moving)
        for hand in hands:
            self._painter.draw(image, hand)
        return image

    def cover(self, moving: Sequence[Thing], hands: Sequence[Hand]) -> NDArray[np.uint8]:
        """(height, width) uint8: where something hides the table."""
        mask = np.zeros((self._lens.height_px, self._lens.width_px), np.uint8)
        for thing in moving:
            sprite = draw_sprite(thing, self._faces, self._lens, self._lamp)
            box = sprite.box.clipped(self._whole.x1, self._whole.y1)
            mask[box.y0 : box.y1, box.x0 : box.x1] = 255
        for hand in hands:
            self._painter.cover(mask, hand)
        return mask

    def _put_moving(self, image: Image, moving: Sequence[Thing]) -> None:
        sprites = [draw_sprite(thing, self._faces, self._lens, self._lamp) for thing in moving]
        for sprite in sprites:
            cast_shadow(image, self._whole, sprite)
        for sprite in sorted(sprites, key=lambda sprite: -sprite.distance_mm):
            put(image, self._whole, sprite)

    def _update(self, resting: Mapping[int, Thing]) -> None:
        """Bring the still picture up to date, box by box."""
        changed: list[Box] = []
        for number in [number for number in self._drawn if number not in resting]:
            changed.append(self._drawn.pop(number)[1].whole)
        for number, thing in resting.items():
            known = self._drawn.get(number)
            if known is not None and known[0] is thing:
                continue
            if known is not None:
                changed.append(known[1].whole)
            sprite = draw_sprite(thing, self._faces, self._lens, self._lamp)
            self._drawn[number] = (thing, sprite)
            changed.append(sprite.whole)
        if len(changed) > MANY_CHANGES:
            self._redraw(self._whole)
            return
        for box in _apart(changed):
            self._redraw(box)

    def _redraw(self, box: Box) -> None:
        box = box.clipped(self._whole.x1, self._whole.y1)
        if box.empty:
            return
        area = self._still[box.y0 : box.y1, box.x0 : box.x1]
        area[:] = self._empty[box.y0 : box.y1, box.x0 : box.x1]
        here = [sprite for _, sprite in self._drawn.values() if sprite.whole.touches(box)]
        here.sort(key=lambda sprite: -sprite.distance_mm)
        for sprite in here:
            cast_shadow(area, box, sprite)
        for sprite in here:
            put(area, box, sprite)


def _apart(boxes: Sequence[Box]) -> list[Box]:
    """The same area in boxes that do not touch."""
    result: list[Box] = []
    for box in boxes:
        merged = box
        while True:
            touching = [other for other in result if other.touches(merged)]
            if not touching:
                break
            for other in touching:
                result.remove(other)
                merged = merged.joined(other)
        result.append(merged)
    return result
