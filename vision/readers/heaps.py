"""Heaps: loose tiles on discs and in areas. Only regions that changed since they were last read are looked at anew."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.colour_learning import SEEN_PRIOR_SHARE, fit_sample_patches, fit_seen
from vision.colours import ColourTable, Light
from vision.frame import Image
from vision.heap_background import Background, ReferenceBackground
from vision.heap_blots import HeapModel
from vision.heap_empties import EmptyLooks, looks_empty
from vision.heap_glance import (
    CHANGED_SPOT,
    apart_of,
    brightened,
    carried,
    followed_light,
    gain_of,
    is_changed,
    light_spots,
)
from vision.heap_memory import HeapMemory
from vision.heap_print import PrintBackground, learn_backgrounds, learn_from_empty
from vision.heap_region import PIXELS_A_MM, SMALL, HeapRegion, heap_regions
from vision.heap_spots import Spaces
from vision.heaps import HeapLook, look, look_again, look_at_nothing, sum_up
from vision.occlusion import is_covered_at
from vision.patches import PatchModel
from vision.pose import PiecePose
from vision.reading import Kind, Reading
from vision.slides import REACH_MM, Ground, Rim, Slide, carried_view, is_elsewhere, is_far, pasted, slid_view, wide_view
from vision.view import Reader, Table, View

KINDS = (Kind.HEAP,)

Floats = NDArray[np.float32]

SURELY_CHANGED, MOST_CHANGED_SPOTS = 30.0, 6
"""Where more than so many numbers of these differ by so many levels (of 255), tiles lie or lay."""
RETHINK = 2
"""How often a frame may be read anew after something was learnt from it."""
ALIKE_DISCS = 3
"""So many discs show the print they share well enough to tell an empty one in the first picture."""
HAND_SHARE = 0.15
"""A hand that hides this share of the bare board about a heap may hide some of its tiles, and looks like some."""
SURE_THERE, SURE_COLOUR = 0.97, 0.97
"""Tiles this sure show how the colours look at this table."""
SAME_SPOT_PX = 8
"""Tiles closer than about this, one after another, are the same tile."""
ENOUGH_TILES, MOST_TILES = 10, 12
"""So many tiles are needed before colours are learnt from them, and no more than so many of a colour are used."""


def make(table: Table) -> Reader:
    """The reader of all heaps of a table."""
    return HeapReader(table)


class HeapReader:
    """All heaps of one table."""

    def __init__(self, table: Table) -> None:
        calibration = table.calibration
        self._calibration = calibration
        self._layout = table.layout
        self._places = table.layout.places
        self._table = table.colours
        self._pixels = table.colours
        self._patches = calibration.patches
        self.regions: dict[str, HeapRegion] = heap_regions(
            table.layout, calibration.camera, calibration.poses, calibration.polygons_px
        )
        self.backgrounds: dict[str, Background] = {}
        self.models: dict[str, HeapModel] = {}
        self._lights: dict[str, Light] = {}
        self._memory: dict[str, HeapMemory] = {}
        self._prints: dict[str, PrintBackground] = {}
        """Without a picture of the empty table: what was worked out of it."""
        self._spaces = Spaces({name: self._places[name] for name in self.regions}, calibration.camera)
        self._empties = EmptyLooks()
        """The places that were seen empty since."""
        self._frame = 0
        self._near: dict[str, Floats] = {}
        self._owns: dict[str, Floats] = {}
        """(height, width, 3): where tiles of each heap can be seen, and where their middles can lie, in a glance."""
        self._near_spots: dict[str, NDArray[np.intp]] = {}
        self._own_spots: dict[str, NDArray[np.intp]] = {}
        """The spots of a glance from which its light is judged, in all of it and where tiles' middles can lie."""
        for name, region in self.regions.items():
            self._lay(name, region)
        self._rims: dict[str, Rim] = {}
        self._poses = dict(calibration.poses)
        """Where the pieces lie as their places are looked at."""
        self._discs = {name for name, piece in table.pieces.items() if piece.frame == "disc"}
        self._slid: dict[str, PiecePose] = {}
        """Those that were found elsewhere, until that is asked for."""
        self._grounds: dict[str, Ground] = {}
        """What the empty looks were worked out from, where a disc was pushed."""
        self._bare: dict[str, Floats] = {}
        """Glances at the empty places, where the middles of tiles can lie."""
        self._nothing: dict[str, tuple[HeapLook, Reading]] = {}
        """What is seen of the empty places."""
        self._seen: dict[tuple[str, int, int], tuple[str, Image]] = {}
        """The tops of tiles that were recognised, with their colours, by place and spot."""
        self._adapted = 0
        self._has_learnt = False
        """Since that was last asked for."""

    def _lay(self, name: str, region: HeapRegion) -> None:
        """Look at a place as its region says."""
        middle = slice(SMALL // 2, None, SMALL)
        self.regions[name] = region
        near, owns = region.near_weights[middle, middle], region.owns[middle, middle].astype(np.float32)
        self._near[name], self._owns[name] = (np.repeat(mask[..., None], 3, axis=2) for mask in (near, owns))
        self._near_spots[name], self._own_spots[name] = light_spots(near), light_spots(owns)

    def slid(self) -> dict[str, PiecePose]:
        """The discs that were found elsewhere since this was last asked, and where they lie now."""
        slid, self._slid = self._slid, {}
        return slid

    def tops(self, pieces: Collection[str]) -> list[Image]:
        """The tops of all tiles that surely lie on some pieces, but those whose colour their space tells."""
        return [
            tile.top for name, known in self._memory.items() if self.regions[name].piece in pieces
            for tile in self._spaces.unnamed(known.look, self.regions[name], self._poses) if tile.there > SURE_THERE
        ]

    def taught(self) -> tuple[ColourTable, PatchModel] | None:
        """How the colours look at this table, where nobody showed samples, once that is known better than before."""
        news, self._has_learnt = self._has_learnt and not self._calibration.sampled, False
        return (self._pixels, self._patches) if news else None

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return {}

    def learn(self, view: View) -> None:
        """Keep the look of the empty places; without a picture of them, learn the print under the tiles."""
        self._memory.clear()
        self._nothing.clear()
        self._rims.clear()
        self._lights = {name: view.lights[region.piece] for name, region in self.regions.items()}
        self._make_models()
        looks = {name: region.view(view.image) for name, region in self.regions.items()}
        if view.is_reference:
            self._prints = {}
            self._bare = {
                name: region.glance(view.image) * self._owns[name] for name, region in self.regions.items()
            }
            self.backgrounds = {name: ReferenceBackground(flat) for name, flat in looks.items()}
        else:
            self._bare = {}
            self._prints, self._empties = learn_backgrounds(looks, self.regions, self.models), EmptyLooks()
            for name, empty in self._spaces.learn(looks, self.regions, self._calibration.poses).items():
                self._empties.keep(name, empty, math.inf)
            self._find_empty_discs(looks)
            self._use_empties()

    def _sees_more(self, name: str, flat: Image) -> bool:
        """Whether a space that was covered at first is bare in a view, which shows its print."""
        empty = self._spaces.learn_more(name, flat)
        if empty is not None:
            self._empties.keep(name, empty, math.inf)
            self.backgrounds[name] = ReferenceBackground(empty)
        return empty is not None

    def _find_empty_discs(self, views: Mapping[str, Image]) -> None:
        """Discs without a tile in the first picture: most of the others show what is print."""
        discs = [name for name, region in self.regions.items() if region.rim_fraction is not None]
        if len(discs) < ALIKE_DISCS:
            return
        for name in discs:
            seen = look(views[name], self.regions[name], self.models[name], self._prints[name])
            if looks_empty(seen):
                self._empties.keep(name, views[name], self._fit(name, seen.empty))

    def read(self, view: View) -> Iterator[Reading]:
        """All heaps; those that look as they did are answered from memory."""
        self._frame += 1
        self._go_with_boards(view.poses)
        hidden = self._hidden(view)
        for name, region in self.regions.items():
            known = self._memory.get(name)
            if name in hidden:
                continue
            if known is None or known.looks_empty or region.piece in view.touched:
                self._visit(name, view.image)
        for _ in range(RETHINK):
            # What was learnt on the way may change what was read before.
            self._adapt()
            forgotten = [name for name in self.regions if name not in self._memory and name not in hidden]
            for name in forgotten:
                self._visit(name, view.image)
            if not forgotten:
                break
        for name in self.regions:
            if name in hidden:
                # What hands show is no tile: it is not even looked at.
                known = self._memory.get(name)
                yield Reading(name, Kind.HEAP, known.reading.parts if known is not None else {}, occluded=True)
            else:
                yield self._memory[name].reading if name in self._memory else self._visit(name, view.image)

    def _hidden(self, view: View) -> set[str]:
        """The places on boards over which a hand is."""
        return {
            name for name, region in self.regions.items()
            if region.piece in view.covered and view.covered[region.piece].any()
            and is_covered_at(
                view.covered[region.piece], view.free[region.piece], self._places[name].at, self._places[name].size,
                HAND_SHARE,
            )
        }

    def _visit(self, name: str, image: Image, may_be_pushed: bool = True) -> Reading:
        """One region: from memory if it looks as it did."""
        region = self.regions[name]
        glance = region.glance(image)
        small = glance * self._near[name]
        known = self._memory.get(name)
        if known is None:
            # Once in a frame: where a rim is hardly seen, each of two places can look better than the other for ever.
            if may_be_pushed and self._follow(name, image):
                return self._visit(name, image, may_be_pushed=False)
            self._memory[name] = self._look(name, image, small)
            return self._memory[name].reading
        spots = self._near_spots[name]
        gain = gain_of(*(one.reshape(-1, 3).take(spots, axis=0) for one in (small, known.small)))
        apart = apart_of(small, brightened(known.small, gain))
        if is_changed(apart):
            seen = self._empty_again(name, glance, small, known, gain)
            if seen is None and may_be_pushed and self._follow(name, image):
                return self._visit(name, image, may_be_pushed=False)
            self._memory[name] = seen or self._look_again(name, image, small, known, gain, apart)
        elif known.looks_empty and self._offer_empty(name, known.look.view):
            known.looks_empty = False
        return self._memory[name].reading if name in self._memory else known.reading

    def _follow(self, name: str, image: Image) -> bool:
        """Look whether a disc was pushed aside, and for where it lies now; whether it is read elsewhere from now on."""
        region, background = self.regions[name], self.backgrounds[name]
        if region.piece not in self._discs or region.rim_fraction is None:
            return False
        if not isinstance(background, ReferenceBackground):
            return False
        if name not in self._rims:
            self._rims[name] = Rim(background.empty, region.rim_fraction)
        view, rim = region.view(image), self._rims[name]
        if rim.is_here(view):
            return False
        margin_px = round((REACH_MM + 2.0) * PIXELS_A_MM)
        slide = rim.find(wide_view(image, self._calibration.camera, region, margin_px), margin_px)
        if slide is None or not is_elsewhere(slide, rim.fit(view)):
            return False
        self._slide(name, region, background, slide)
        return True

    def _slide(self, name: str, region: HeapRegion, background: ReferenceBackground, slide: Slide) -> None:
        """A disc lies elsewhere: its place and those around it are looked at accordingly."""
        assert region.rim_fraction is not None
        ground, pose = self._ground(name, background), self._poses[region.piece]
        pose = replace(
            pose, x_mm=pose.x_mm + slide.right_px / PIXELS_A_MM, y_mm=pose.y_mm + slide.down_px / PIXELS_A_MM
        )
        home = ground.laid[region.piece]
        empty = ground.seen
        if is_far(home, pose):
            right_px, down_px = (PIXELS_A_MM * (pose.x_mm - home.x_mm), PIXELS_A_MM * (pose.y_mm - home.y_mm))
            empty = slid_view(empty, region.rim_fraction, Slide(right_px, down_px, slide.fit))
        else:
            pose = home
        grounds = {
            other: self._ground(other, known) for other, known in self.backgrounds.items()
            if self._places[other].piece in self._calibration.polygons_px and isinstance(known, ReferenceBackground)
        }
        self._poses[region.piece] = self._slid[region.piece] = pose
        now = heap_regions(self._layout, self._calibration.camera, self._poses, self._calibration.polygons_px)
        self._lay(name, now[name])
        self._know_empty(name, empty, ground)
        for other, area in now.items():
            if self._places[other].piece not in self._calibration.polygons_px:
                continue
            self._lay(other, area)
            if other in grounds:
                self._know_empty(other, self._with_discs(grounds[other], area, now), grounds[other])
            else:
                self._memory.pop(other, None)

    def _ground(self, name: str, background: ReferenceBackground) -> Ground:
        """What an empty look was worked out from: itself, unless something was pushed since."""
        ground = self._grounds.get(name)
        if ground is None or ground.shown is not background.empty:
            return Ground(background.empty, dict(self._poses), background.empty)
        return ground

    def _with_discs(self, ground: Ground, area: HeapRegion, now: Mapping[str, HeapRegion]) -> Image:
        """An empty area with the discs that were pushed since it was seen."""
        view = ground.seen
        for name, region in now.items():
            background = self.backgrounds[name]
            if region.piece not in self._discs or not isinstance(background, ReferenceBackground):
                continue
            if is_far(ground.laid[region.piece], self._poses[region.piece]):
                view = pasted(view, area, background.empty, region)
        return view

    def _go_with_boards(self, poses: Mapping[str, PiecePose]) -> None:
        """Places on boards that were found elsewhere are looked at there, and areas only where no board lies."""
        boards = self._poses.keys() - self._discs
        moved = {
            name for name in boards & poses.keys()
            if self._poses[name] is not poses[name] and is_far(self._poses[name], poses[name])
        }
        if not moved:
            return
        before = {name: self._poses[name] for name in moved}
        self._poses.update({name: poses[name] for name in moved})
        laid = {name: pose for name, pose in self._calibration.poses.items() if name in boards}
        now = heap_regions(self._layout, self._calibration.camera, self._poses, self._calibration.polygons_px, laid)
        for name, region in now.items():
            was, known = self.regions[name], self.backgrounds[name]
            if region.piece in self._calibration.polygons_px and not np.array_equal(region.owns, was.owns):
                self._lay(name, region)
                if isinstance(known, ReferenceBackground):
                    self._know_empty(name, known.empty)
                self._memory.pop(name, None)
            if region.piece not in moved:
                continue
            if isinstance(known, ReferenceBackground):
                self._lay(name, region)
                empty = carried_view(known.empty, was, region, before[region.piece], poses[region.piece])
                self._know_empty(name, empty)
                self._spaces.move(name, region, poses[region.piece], empty)
            elif region.owns.shape == was.owns.shape:
                self._lay(name, region)
                self._memory.pop(name, None)

    def _know_empty(self, name: str, empty: Image, ground: Ground | None = None) -> None:
        """A place looks otherwise empty than it did."""
        self.backgrounds[name] = ReferenceBackground(empty)
        if ground is not None:
            self._grounds[name] = replace(ground, shown=empty)
        if name in self._empties.views:
            self._empties.views[name] = empty
        if name in self._bare:
            height, width = self._owns[name].shape[:2]
            self._bare[name] = cv2.resize(empty, (width, height), interpolation=cv2.INTER_AREA) * self._owns[name]
        self._nothing.pop(name, None)
        self._rims.pop(name, None)
        self._memory.pop(name, None)

    def _look(self, name: str, image: Image, small: Floats) -> HeapMemory:
        """Look at a whole region."""
        region, background = self.regions[name], self.backgrounds[name]
        light = background.light(region.pixels(image, background.spots))
        flat = light.apply(region.view(image))
        self._sees_more(name, flat)
        seen = look(flat, region, self.models[name], self.backgrounds[name])
        return self._remember(name, small, light, seen)

    def _remember(self, name: str, small: Floats, light: Light, seen: HeapLook) -> HeapMemory:
        region = self.regions[name]
        named = self._spaces.name_tiles(seen, region, self._poses)
        reading = sum_up(named, region, self.backgrounds[name].missing)
        return HeapMemory(small, light, seen, reading, self._notice(name, named))

    def _empty_again(
        self, name: str, glance: Image, small: Floats, known: HeapMemory, gain: Floats
    ) -> HeapMemory | None:
        """A place that looks as it did when it was seen empty is empty; None for any other."""
        background = self.backgrounds[name]
        if not isinstance(background, ReferenceBackground) or name not in self._bare:
            return None
        then, spots = self._bare[name], self._own_spots[name]
        # A few spots tell quickly that tiles lie here.
        some = known.light.apply(glance.reshape(1, -1, 3).take(spots, axis=1))[0].astype(np.float32)
        bare = then.reshape(-1, 3).take(spots, axis=0)
        brighter = gain_of(some, bare)
        if np.count_nonzero(np.abs(some - bare * brighter) > SURELY_CHANGED) > MOST_CHANGED_SPOTS:
            return None
        if is_changed(apart_of(known.light.apply(glance) * self._owns[name], brightened(then, brighter))):
            return None
        if name not in self._nothing:
            seen = look_at_nothing(self.regions[name], background)
            self._nothing[name] = (seen, sum_up(seen, self.regions[name], background.missing))
        seen, reading = self._nothing[name]
        return HeapMemory(small, carried(known.light, gain), seen.apart(), reading)

    def _look_again(
        self, name: str, image: Image, small: Floats, known: HeapMemory, gain: Floats, apart: Floats
    ) -> HeapMemory:
        """Look at a region where it changed, if the light is the same or changed slowly."""
        region, background = self.regions[name], self.backgrounds[name]
        measured = background.light(region.pixels(image, background.spots))
        light = followed_light(known.light, gain, measured)
        spots = cv2.dilate((apart > CHANGED_SPOT).astype(np.uint8), np.ones((3, 3), np.uint8))
        if not spots.any() or light is None:
            return self._look(name, image, small)
        height, width = region.owns.shape
        changed = cv2.resize(spots, (width, height), interpolation=cv2.INTER_NEAREST) > 0
        left, top, wide, tall = (SMALL * edge for edge in cv2.boundingRect(spots))
        pad = round(region.shape.edge_px / 2)
        box = (slice(max(top - pad, 0), top + tall + pad), slice(max(left - pad, 0), left + wide + pad))
        part = light.apply(region.view(image, box))
        seen = look_again(part, box, region, self.models[name], background, known.look, changed)
        if self._sees_more(name, seen.view):
            return self._look(name, image, small)
        # What is taken from memory keeps the look it was read from, so that slow changes add up to one.
        kept = brightened(known.small, gain)
        cv2.copyTo(small, spots, kept)
        return self._remember(name, kept, light, seen)

    def _notice(self, name: str, seen: HeapLook) -> bool:
        """Learn from a look how this table's tiles look; whether the place itself may be empty."""
        for tile in seen.tiles:
            colour = max(tile.colours, key=lambda key: tile.colours[key])
            if tile.there > SURE_THERE and tile.colours[colour] > SURE_COLOUR:
                spot = (name, round(tile.found.x_px / SAME_SPOT_PX), round(tile.found.y_px / SAME_SPOT_PX))
                self._seen.pop(spot, None)
                self._seen[spot] = (colour, tile.top)
        if name not in self._prints or name in self._spaces:
            return False
        if name not in self._empties.views:
            return looks_empty(seen) and not self._offer_empty(name, seen.view)
        # It was taken for empty once: perhaps wrongly, under a shadow.
        if looks_empty(seen) or not self._empties.wants(name, self._fit_of(name, seen.view)):
            return False
        again = look(seen.view, self.regions[name], self.models[name], self._prints[name])
        return looks_empty(again) and not self._offer_empty(name, seen.view)

    def _offer_empty(self, name: str, flat: Image) -> bool:
        """What looked empty in two frames is the look of the empty place, and shows the print of the others."""
        near = self.regions[name].near
        if not self._empties.offer(name, flat, near, self._fit_of(name, flat), self._frame):
            return False
        self._use_empties()
        for other in [key for key in self._memory if key == name or key not in self._empties.views]:
            del self._memory[other]
        return True

    def _use_empties(self) -> None:
        views = self._empties.views
        self._prints = learn_from_empty(self._prints, views, self.regions)
        self.backgrounds = {**self._prints, **{name: ReferenceBackground(flat) for name, flat in views.items()}}

    def _fit_of(self, name: str, flat: Image) -> float:
        """How well a view fits the print, as a mean log density."""
        return self._fit(name, self._prints[name].log_densities(flat))

    def _fit(self, name: str, logs: Floats) -> float:
        return float(logs[self.regions[name].near].mean())

    def _adapt(self) -> None:
        """Once enough tiles were recognised, colours are read as they look at this table."""
        tops: dict[str, list[Image]] = {}
        for colour, top in self._seen.values():
            tops.setdefault(colour, []).append(top)
        held = {colour for region in self.regions.values() for colour in region.holds}
        if self._calibration.sampled and not held <= tops.keys():
            # Samples do until all have been seen: one learnt before another that is like it would crowd it out.
            return
        tops = {colour: each[-MOST_TILES:] for colour, each in tops.items()}
        known = sum(map(len, tops.values()))
        if known < max(ENOUGH_TILES, 2 * self._adapted):
            return
        self._adapted = known
        own = fit_seen(self._calibration.colours.names, tops)
        self._pixels = self._table.blended(own, 1.0 - SEEN_PRIOR_SHARE)
        self._patches = fit_sample_patches(self._calibration.patches, tops)
        self._make_models()
        self._memory.clear()
        self._has_learnt = True

    def _make_models(self) -> None:
        made: dict[tuple[tuple[str, ...], Light], HeapModel] = {}
        for name, region in self.regions.items():
            key = (region.holds, self._lights[name])
            if key not in made:
                made[key] = HeapModel.of(self._pixels, self._patches, *key)
            self.models[name] = made[key]
