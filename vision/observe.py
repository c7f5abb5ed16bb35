"""From a frame to readings of every place of the table: one `Observer` for each camera.

It remembers where boards lay and what the last frame showed, so that a nudged board is found again and a frame in which
nothing changed costs next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Atlas, Wanted, locate
from vision.boards import Boards
from vision.calibration import Calibration, corrected
from vision.card import (
    Card,
    card_wanted,
    covered_spots,
    learn_card,
    light_of,
    middle_of,
    never_covered,
    one_tint,
    printed_alike,
    share_tint,
    share_white,
)
from vision.colours import ColourTable, Light
from vision.fine_print import FinePrint
from vision.focus import sharpened
from vision.frame import Frame, Image
from vision.layout import Layout, PlaceSpec
from vision.noise import without_noise
from vision.pose import PiecePose, homography
from vision.readers import readers_for
from vision.reading import Kind, Observation, Reading
from vision.rectify import Matrix
from vision.stillness import Thumbnail, is_same, is_still, samples, thumbnail, thumbnail_of
from vision.tile_learning import FEWEST_TILES, learn_tiles
from vision.touched import TouchedPieces, area_outline_px, outline_px
from vision.view import Following, Learning, Reader, Remembering, ShowingTiles, Table, Teaching, View

MORE_TILES = 1.5
"""So many times the tiles from which colours were learnt, and they are learnt anew."""
DARK_LEVEL, BRIGHT_SHARE = 12, 0.01
"""A frame whose bright parts stay below this shows nothing: the lamp is off or the lens is covered."""
TOO_DARK = 0.33
"""A frame that is no brighter than this share of the reference picture, in levels on the whole, is not believed: its
colours cannot be brought back."""

BLURRED = "blurred"
"""Why a frame is not trusted on which no print can be told."""
FINE_KINDS, BLURRED_SHARE = (Kind.CHIP,), 0.1
"""Where things of two colours lie, a lens that is out of focus by this share of their width mixes them: its pictures
are drawn sharper before they are read."""
STANDS_S = 20.0
"""What has covered a place for so long is no hand: a glass was put there, or a coaster."""
HUNTS_S = 20.0
"""A lens that finds its focus again does so in this time, in which what it shows is read but not believed; one that
does not is believed as far as it shows anything."""


class Observer:
    """Reads frames of one table from one camera."""

    def __init__(self, layout: Layout, calibration: Calibration) -> None:
        self._calibration = calibration
        layout = corrected(layout, calibration.corrections)
        self._pieces = {
            piece.name: piece for piece in layout.pieces
            if piece.name in calibration.matrices or piece.name in calibration.polygons_px
        }
        self._table = Table(layout, calibration, ColourTable(calibration.colours), self._pieces)
        self._boards = Boards(calibration, self._pieces, dict(calibration.matrices), dict(calibration.poses))
        self._names = [name for name in calibration.matrices if self._pieces[name].frame == "corners"]
        self._free = {name: never_covered(self._pieces[name], layout, self._lean(name)) for name in self._names}
        for name in self._names:
            self._boards.learn(name, calibration.reference, self._free[name])
        self._wanted = {f"card.{name}": (name, card_wanted()) for name in self._names}
        for name, ruler in self._boards.rulers.items():
            self._wanted[f"ruler.{name}"] = (name, Wanted(ruler.points, np.zeros(len(ruler.points))))
        self._coloured = [name for name in self._names if not self._pieces[name].white]
        self._take_readers(readers_for(self._table))
        for reader in self._readers:
            self._wanted.update(reader.wanted())
        self._atlas = Atlas(self._located(self._pieces))
        self._touched = TouchedPieces({name: self._outline(name) for name in self._pieces}, calibration.size_px)
        printed = {place.piece for place in layout.places.values() if place.kind is Kind.CELL}
        self._prints = FinePrint(
            {name: self._outline(name) for name in self._pieces if name in printed}, calibration.reference
        )
        self._cards: dict[str, Card] = {}
        self._soft_cards: dict[float, dict[str, Card]] = {}
        """The cards as a lens out of focus shows them, by how far it is, in pixels."""
        self._lights: dict[str, Light] = {}
        self._covered: dict[str, NDArray[np.bool_]] = {}
        self._lost: set[str] = set()
        self._blurred_px = BLURRED_SHARE * min(
            (self._width_px(place) for place in layout.places.values() if place.kind in FINE_KINDS), default=math.inf
        )
        """How far out of focus a lens is, at least, whose pictures are drawn sharper."""
        self._blurred_ns: int | None = None
        """Since when it is."""
        self._hunts_s = HUNTS_S
        self._aside: Observer | None = None
        """Who looks through a lens that hunts for its focus, and is forgotten with all it saw once that is found."""
        self._darkest = TOO_DARK * cv2.mean(thumbnail(calibration.reference))[0]
        """Levels, on the whole, of the darkest frame that is believed."""
        self._seen: Thumbnail | None = None
        self._before: Thumbnail | None = None
        self._last = Observation(0, {})
        self._hidden_ns: dict[str, int] = {}
        """Since when the places that are hidden now have been."""
        self._looked_ns: int | None = None
        self._unseen_s = 0.0
        self._wants_tiles = bool(self._coloured) and not calibration.sampled
        """Whether the colours are still to be learnt from the first loose tiles."""
        self._tiles_learnt, self._known_colours = 0, self._table.colours
        self._learn(calibration.reference)

    def _take_readers(self, readers: list[Reader]) -> None:
        self._readers = readers
        self._following = [reader for reader in readers if isinstance(reader, Following)]
        self._remembering = [reader for reader in readers if isinstance(reader, Remembering)]
        self._teaching = [reader for reader in readers if isinstance(reader, Teaching)]
        # Where boards have no white of their own, colours are learnt together with their tint instead.
        self._learning = [reader for reader in readers if isinstance(reader, Learning)] if not self._coloured else []

    @property
    def readers(self) -> list[Reader]:
        """Those who read the places of this table."""
        return self._readers

    @property
    def matrices(self) -> dict[str, Matrix]:
        """Where each board and disc lies now: fractions to pixels of a frame of the calibrated size."""
        return dict(self._boards.matrices)

    def observe(self, frame: Frame) -> Observation:
        """Readings of all places; a frame that cannot be used at all comes back not trusted."""
        image = self._fit(frame.image)
        few = samples(image)
        small = thumbnail_of(few)
        still = self._before is not None and is_still(small, self._before)
        self._before = small
        if np.count_nonzero(small >= DARK_LEVEL) < BRIGHT_SHARE * small.size or cv2.mean(small)[0] < self._darkest:
            return Observation(frame.captured_ns, {}, still, trusted=False, why="dark")
        reprinted = self._prints.changed(image)
        if (self._seen is None or reprinted) and self._prints.is_blurred(image):
            return Observation(frame.captured_ns, {}, still, trusted=False, why=BLURRED)
        if self._seen is None or reprinted or not is_same(small, self._seen):
            self._unseen_s = 0.0 if self._looked_ns is None else (frame.captured_ns - self._looked_ns) / 1e9
            clear = without_noise(image)
            few = few if clear is image else samples(clear)
            seen = self._read(clear, few, reprinted, frame.captured_ns)
            if seen.why == BLURRED:
                return replace(self._look_aside(frame), still=still)
            self._last = seen
            if self._wants_tiles and not self._last.hand and self._learn_tiles():
                self._last = self._read(clear, few, (), frame.captured_ns)
            self._prints.note(image, self._names)
            self._seen, self._looked_ns = small, frame.captured_ns
            return replace(self._last, captured_ns=frame.captured_ns, still=still)
        self._looked_ns = frame.captured_ns
        if any([reader.again() for reader in self._remembering]):
            self._seen = None
        self._last = replace(self._last, hand=self._has_hand(frame.captured_ns))
        return replace(self._last, captured_ns=frame.captured_ns, still=still, moved=())

    def _read(self, image: Image, few: Image, reprinted: Sequence[str], now_ns: int) -> Observation:
        touched = [*dict.fromkeys([*self._touched.since_read(few), *reprinted])]
        pixels = self._atlas.fetch(image, touched)
        where = self._boards.watch(
            image, {name: pixels[f"ruler.{name}"] for name in self._boards.rulers if name in touched}
        )
        if where.moved:
            pixels = self._fetch_moved(image, where.moved)
        if self._hunts(now_ns):
            self._touched.forget()
            return Observation(0, {}, trusted=False, why=BLURRED)
        self._lost = (self._lost - set(touched)) | set(where.lost)
        view = self._view(image, pixels, touched)
        bare = [name for name in sorted(self._boards.unsure) if name in touched and not self._covered[name].any()]
        settled = self._boards.settle(image, bare)
        if settled:
            view = self._view(image, self._fetch_moved(image, settled), touched)
        self._boards.laid.update({name: self._boards.matrices[name] for name in bare})
        for name in sorted({*self._boards.unsure, *self._boards.laid}):
            if name in touched and self._covered[name].any():
                view = self._lay_right(image, name, touched)
        if self._boards.softness_px >= self._blurred_px:
            view = self._sharper(view)
        readings = self._readings(view)
        for follower in self._following:
            self._follow(follower.slid())
        for name in self._lost:
            for place in self._pieces[name].places:
                if place.name in readings:
                    readings[place.name] = replace(readings[place.name], occluded=True)
        self._hidden_ns = {
            # A chip is hidden by the pile upon it, not by a hand.
            place: self._hidden_ns.get(place, now_ns) for place, reading in readings.items()
            if reading.occluded and reading.kind is not Kind.CHIP
        }
        lost_ones = sorted(self._lost)
        why = ",".join([f"board-moved:{name}" for name in where.moved] + [f"board-lost:{name}" for name in lost_ones])
        turned = {name: self._boards.turned[name][0] for name in lost_ones if name in self._boards.turned}
        return Observation(0, readings, trusted=len(lost_ones) < max(1, len(self._names)), why=why,
                           hand=self._has_hand(now_ns), moved=where.moved, turned=turned)

    def _has_hand(self, now_ns: int) -> bool:
        """Whether something covers a place that does not stand there for good, as a glass does."""
        return any(now_ns - since_ns < STANDS_S * 1e9 for since_ns in self._hidden_ns.values())

    def _hunts(self, now_ns: int) -> bool:
        """Whether the lens has just lost its focus, and will find it again."""
        if self._boards.softness_px < self._blurred_px:
            self._blurred_ns = self._aside = None
            return False
        if self._blurred_ns is None:
            self._blurred_ns = now_ns
        return now_ns - self._blurred_ns < self._hunts_s * 1e9

    def _look_aside(self, frame: Frame) -> Observation:
        """What a lens shows that hunts for its focus: not to be believed, and nothing is learnt from it."""
        if self._aside is None:
            self._aside = deepcopy(self)
            self._aside._hunts_s = 0.0
        return replace(self._aside.observe(frame), trusted=False, why=BLURRED)

    def _lay_right(self, image: Image, name: str, touched: Collection[str]) -> View:
        """A frame in which something seems to cover a board that was moved on: a board that was taken to lie a little
        beside itself looks so, too. It lies where nothing covers it, if there is such a place near by."""
        boards = self._boards
        found, sure = boards.matrices[name], boards.unsure.get(name)
        for start in (found, boards.laid.get(name), sure):
            if start is None:
                continue
            boards.lay(name, start)
            boards.settle(image, [name])
            view = self._view(image, self._fetch_moved(image, [name]), touched)
            if not self._covered[name].any():
                boards.laid[name] = boards.matrices[name]
                return view
        boards.lay(name, found)
        if sure is not None:
            boards.unsure[name] = sure
        return self._view(image, self._fetch_moved(image, [name]), touched)

    def _readings(self, view: View) -> dict[str, Reading]:
        """All readings; once some readers have learnt the colours of this table, all read by them."""
        readings = {reading.place: reading for reader in self._readers for reading in reader.read(view)}
        news = [taught for reader in self._teaching if (taught := reader.taught()) is not None]
        for taught in news:
            for reader in self._learning:
                reader.take_colours(*taught)
                readings.update({reading.place: reading for reading in reader.read(view)})
        return readings

    def _follow(self, slid: Mapping[str, PiecePose]) -> None:
        """Some pieces that have no ruler lie elsewhere now."""
        for name, pose in slid.items():
            self._boards.poses[name] = pose
            self._boards.matrices[name] = homography(self._calibration.camera, pose)
        if slid:
            self._touched.move({name: self._outline(name) for name in slid})

    def _fetch_moved(self, image: Image, moved: Collection[str]) -> Mapping[str, Image]:
        """The pixels of a frame in which some pieces lie elsewhere than before."""
        self._atlas.move(self._located(moved))
        self._touched.move({name: self._outline(name) for name in moved})
        return self._atlas.fetch(image, moved)

    def view(self, image: Image, is_reference: bool = False) -> View:
        """A frame of the calibrated size as the readers see it, every piece looked at anew."""
        return self._view(image, self._atlas.fetch(image), list(self._pieces), is_reference)

    def _view(
        self, image: Image, pixels: Mapping[str, Image], touched: Collection[str], is_reference: bool = False
    ) -> View:
        looked = [name for name in self._names if name in touched]
        cards = self._cards_at(self._boards.softness_px)
        self._lights.update({name: light_of(cards[name], pixels[f"card.{name}"]) for name in looked})
        self._lights = one_tint(self._lights, cards)
        for name in looked:
            self._covered[name] = covered_spots(cards[name], pixels[f"card.{name}"], self._lights[name])
        # What lies between the boards is lit as the boards are, on the whole.
        middle = np.exp(middle_of(np.log([self._lights[name].gains for name in self._names])))
        between = Light((float(middle[0]), float(middle[1]), float(middle[2])))
        lights = {name: self._lights.get(name, between) for name in self._pieces}
        return View(
            image, pixels, lights, self._calibration.camera, self._boards.poses, self._boards.matrices,
            dict(self._covered), self._free, touched, is_reference, self._unseen_s,
        )

    def _sharper(self, view: View) -> View:
        """The same frame, with what is fine in it drawn sharper."""
        where = {key: at for key, at in self._located(self._pieces).items() if self._wanted[key][1].is_fine}
        sharp = Atlas(where).fetch(sharpened(view.image, self._boards.softness_px))
        return replace(view, pixels={**view.pixels, **sharp})

    def _cards_at(self, softness_px: float) -> dict[str, Card]:
        """The cards as the lens shows them now: beside a sharp one, every edge of a soft print is a hand."""
        if softness_px <= 0.0:
            return self._cards
        if softness_px not in self._soft_cards:
            soft = np.asarray(cv2.GaussianBlur(self._calibration.reference, (0, 0), softness_px), dtype=np.uint8)
            camera, poses, matrices = self._calibration.camera, self._calibration.poses, self._calibration.matrices
            spots = {
                name: (name, locate(camera, poses[name], matrices[name], card_wanted())) for name in self._names
            }
            pixels = Atlas(spots).fetch(soft)
            self._soft_cards[softness_px] = {
                name: replace(card, reference=pixels[name]) for name, card in self._cards.items()
            }
        return self._soft_cards[softness_px]

    def _learn(self, picture: Image) -> None:
        self._soft_cards.clear()
        image = without_noise(picture)
        pixels = self._atlas.fetch(image)
        for name in self._names:
            self._cards[name] = learn_card(pixels[f"card.{name}"], self._free[name])
        white = printed_alike(self._pieces, [name for name in self._names if name not in self._coloured])
        self._cards = share_white(share_tint(self._cards, white), self._coloured)
        view = self.view(image, is_reference=self._calibration.empty is not None)
        for reader in self._readers:
            reader.learn(view)

    def _learn_tiles(self) -> bool:
        """Where nobody showed samples: learn this table's colours from the first loose tiles on boards that have no
        white of their own; whether that has been done now. It is done anew when many more lie there."""
        readers = [reader for reader in self._readers if isinstance(reader, ShowingTiles)]
        tops = [top for reader in readers for top in reader.tops(self._coloured)]
        if len(tops) < max(FEWEST_TILES, MORE_TILES * self._tiles_learnt):
            return False
        self._tiles_learnt = len(tops)
        held = {
            colour for place in self._table.layout.places.values()
            if place.kind is Kind.HEAP and place.piece in self._coloured for colour in place.holds
        }
        learnt = learn_tiles(self._calibration, self._known_colours, tops, sorted(held))
        self._table = replace(self._table, calibration=learnt, colours=ColourTable(learnt.colours))
        self._take_readers(readers_for(self._table))
        self._learn(learnt.reference)
        self._touched.forget()
        return True

    def _located(self, pieces: Collection[str]) -> dict[str, tuple[str, Matrix]]:
        """Where the wanted points of some pieces lie now."""
        camera, poses, matrices = self._calibration.camera, self._boards.poses, self._boards.matrices
        return {
            key: (piece, locate(camera, poses[piece], matrices[piece], wanted))
            for key, (piece, wanted) in self._wanted.items() if piece in pieces
        }

    def _outline(self, name: str) -> Matrix:
        """What a piece and anything on it may cover of the picture."""
        tallest_mm = max((item.height_mm for item in self._table.layout.items.values()), default=0.0)
        if name in self._boards.poses:
            return outline_px(self._calibration.camera, self._boards.poses[name], tallest_mm)
        return area_outline_px(self._calibration.camera, self._calibration.polygons_px[name], tallest_mm)

    def _width_px(self, place: PlaceSpec) -> float:
        """How wide a place is in the picture."""
        pose, (x, y), (width, _) = self._calibration.poses[place.piece], place.at, place.size
        left, right = self._calibration.camera.project(pose.points_mm([[x - width / 2, y], [x + width / 2, y]]))
        return float(np.linalg.norm(right - left))

    def _lean(self, name: str) -> Matrix:
        """How far the top of the tallest thing on a board appears shifted at its middle, in fractions of the board."""
        tallest = max((item.height_mm for item in self._table.layout.items.values()), default=0.0)
        pose, camera = self._boards.poses[name], self._calibration.camera
        seen = camera.project(pose.points_mm([[0.5, 0.5]], tallest))
        foot = pose.fractions(camera.to_plane(seen, pose.thickness_mm))
        return np.asarray(foot[0] - 0.5, dtype=np.float64)

    def _fit(self, image: Image) -> Image:
        """The frame at the size the table was calibrated at."""
        width, height = self._calibration.size_px
        if image.shape[1] == width and image.shape[0] == height:
            return image
        return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
