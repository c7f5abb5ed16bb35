"""One picture after another of the table, drawing again only what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulation.arrangement import Arrangement
from companion.simulation.backdrop import Backdrop
from companion.simulation.faces import Faces
from companion.simulation.hands import Hand, HandPainter
from companion.simulation.lens import Lens
from companion.simulation.lettering import edition
from companion.simulation.light import Cast, Lamp
from companion.simulation.solids import Box, Sprite, cast_shadow, draw_sprite, put
from companion.simulation.things import Thing
from vision.frame import Image
from vision.layout import Layout

MANY_CHANGES = 40
"""Beyond this many changed things the whole picture is drawn again."""


class Scene:
    """The table as the camera sees it, before noise and changing light."""

    def __init__(
        self, layout: Layout, arrangement: Arrangement, lens: Lens, lamp: Lamp, seed: int, softness_px: float = 0.0
    ) -> None:
        self._lens = lens
        self._lamp = lamp
        self._softness_px = softness_px
        self._faces = Faces(layout, edition(seed))
        self._backdrop = Backdrop(layout, lens, lamp, seed)
        self._painter = HandPainter(lens, lamp, seed)
        self._whole = Box(0, 0, lens.width_px, lens.height_px)
        self._drawn: dict[int, tuple[Thing, Sprite]] = {}
        self._cast = Cast()
        self._empty = self._backdrop.draw(arrangement)
        self._sharp = self._empty.copy()
        """What lies still, as drawn …"""
        self._still = self._empty.copy()
        """… as the lens draws it …"""
        self._lit = self._empty.copy()
        """… and under the light of the last picture."""
        self._shown, self._work = self._empty.copy(), self._empty.copy()
        """What lies still, lit and unlit, with what moved in the last picture drawn upon it …"""
        self._drawn_upon: Sequence[Box] = ()
        """… which is here: only that is drawn over, since copying a whole picture costs more than drawing a hand."""
        self._redraw(self._whole)

    def rearrange(self, arrangement: Arrangement) -> None:
        """Draw the table again after a piece was nudged."""
        self._empty = self._backdrop.draw(arrangement)
        self._redraw(self._whole)

    def picture(
        self, resting: Mapping[int, Thing], moving: Sequence[Thing] = (), hands: Sequence[Hand] = (),
        cast: Cast | None = None,
    ) -> Image:
        """A picture (height, width, 3) of what lies, what is carried and the hands above, under a light.

        It is drawn over by the next one.
        """
        light = cast or Cast()
        self._update(resting)
        if light != self._cast:
            self._cast = light
            np.copyto(self._lit, light.apply(self._still))
            np.copyto(self._shown, self._lit)
        image, work = self._shown, self._work
        for box in self._drawn_upon:
            part = np.s_[box.y0 : box.y1, box.x0 : box.x1]
            image[part], work[part] = self._lit[part], self._still[part]
        boxes = self._put_moving(work, moving)
        boxes.extend(box for box in (self._painter.draw(work, hand) for hand in hands) if box is not None)
        self._drawn_upon = _apart(boxes)
        for box in self._drawn_upon:
            part = np.s_[box.y0 : box.y1, box.x0 : box.x1]
            image[part] = light.apply(work[part])
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

    def _put_moving(self, image: Image, moving: Sequence[Thing]) -> list[Box]:
        sprites = [draw_sprite(thing, self._faces, self._lens, self._lamp) for thing in moving]
        for sprite in sprites:
            cast_shadow(image, self._whole, sprite)
        for sprite in sorted(sprites, key=lambda sprite: -sprite.distance_mm):
            put(image, self._whole, sprite)
        clipped = (sprite.whole.clipped(self._whole.x1, self._whole.y1) for sprite in sprites)
        return [box for box in clipped if not box.empty]

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
        area = self._sharp[box.y0 : box.y1, box.x0 : box.x1]
        area[:] = self._empty[box.y0 : box.y1, box.x0 : box.x1]
        here = [sprite for _, sprite in self._drawn.values() if sprite.whole.touches(box)]
        here.sort(key=lambda sprite: -sprite.distance_mm)
        for sprite in here:
            cast_shadow(area, box, sprite)
        for sprite in here:
            put(area, box, sprite)
        self._soften(box)

    def _soften(self, box: Box) -> None:
        """Bring what was drawn in a box to the lens and the light, a pixel or two around it included."""
        wide, high = self._whole.x1, self._whole.y1
        outer = Box(box.x0 - 4, box.y0 - 4, box.x1 + 4, box.y1 + 4).clipped(wide, high)
        inner = Box(box.x0 - 2, box.y0 - 2, box.x1 + 2, box.y1 + 2).clipped(wide, high)
        soft = self._sharp[outer.y0 : outer.y1, outer.x0 : outer.x1]
        if self._softness_px > 0:
            soft = np.asarray(cv2.GaussianBlur(soft, (3, 3), self._softness_px), np.uint8)
        part = np.s_[inner.y0 : inner.y1, inner.x0 : inner.x1]
        self._still[part] = soft[inner.y0 - outer.y0 : inner.y1 - outer.y0, inner.x0 - outer.x0 : inner.x1 - outer.x0]
        self._lit[part] = self._cast.apply(self._still[part])
        self._shown[part], self._work[part] = self._lit[part], self._still[part]


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
