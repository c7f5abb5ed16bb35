"""Plates and the tiles upon them: a plate's four prints, and for each space whether a tile lies on it.

An empty place shows the board, then a plate is laid, then tiles cover the plate's spaces one by one. A tile often has
the very colour of the print below it, so each space is compared with how it looked just after its plate was laid.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.changes import Changes, quarters_of
from vision.exposure import Exposure, exposure_in
from vision.frame import Image
from vision.layout import PlaceSpec
from vision.patches import PatchTable, thirds
from vision.plate_memory import SURE_PLATE_LOG_ODDS, PlateMemory
from vision.plate_prints import SPECIAL, PlateLook, PlatePrints
from vision.plate_spaces import VIEW, PlateSpot, plate_shape, plate_spots
from vision.plate_tiles import SURELY_BARE, compare_exposed
from vision.reading import Kind, Reading
from vision.rectify import Matrix
from vision.standing import Standing
from vision.steady import SteadyOdds
from vision.view import Reader, Table, View

KINDS = (Kind.PLATE,)

FACE, FACE_SPAN = 12, 1.35
"""Samples along each side of a space and its surroundings, and how wide that is in tiles."""
TOP = 10
"""Samples along each side of a tile's top."""
MOST_LOG_ODDS = 8.0
PIXEL_WEIGHT, PATCH_WEIGHT = 6.0, 0.3
"""How much the pixels of a top, one by one, and its composition count for its colour."""
UNSEEN_LOG_ODDS = 0.0
"""That a tile lies on a space whose bare look was never seen: nobody can say."""
HALF_SHADED, SHADED_WEIGHT, SHADED_LOG_ODDS = 15.0, 0.4, 2.5
"""Unless the ground around it is this much darker than elsewhere, in lightness: a print throws no shadow. How fast that
tells, and how much at the most. Only of a plate that lay there from the start: a hand that lays one throws shadows."""
ON_BOARD_LOG_ODDS = 4.0
"""That a tile lies where no plate does and all but it looks as it did."""
TILE_HIDES_LOG_ODDS = -2.0
"""From here a tile may hide the print, and only memory tells it."""


def make(table: Table) -> Reader:
    """The reader of all plates of a table and of the slots on them."""
    return PlateReader(table)


class PlateReader:
    """All plates of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        boards = {name: piece for name, piece in table.pieces.items() if name in table.calibration.matrices}
        self._spots = plate_spots(table.layout, boards)
        self._all = [spot for spots in self._spots.values() for spot in spots]
        holds = next(iter(self._all)).place.holds if self._all else ()
        self._prints = PlatePrints(table.calibration.colours, holds, plate_shape(table.layout, table.pieces))
        self._patches = PatchTable(table.calibration.patches)
        plain = self._prints.names.index(SPECIAL) if SPECIAL in self._prints.names else None
        self._memory = PlateMemory(len(self._all), len(holds), FACE, plain)
        self._empty: list[Image | None] = [None] * len(self._all)
        self._empty_faces: dict[int, tuple[Image, Exposure]] = {}
        """How the spaces of places without a plate look, and how that picture was exposed."""
        self._changes = Changes()
        self._readings: dict[int, list[Reading]] = {}
        self._strange: set[int] = set()
        """Places on which something lay that is no plate."""
        self._unlearnt: set[int] = set()
        """Places that were read with a hand over their board: what they show is still to be learnt."""
        self._unseen_s = [0.0] * len(self._all)
        """For how long each place has not been seen with nothing over its board."""
        self._standing = Standing(self._spots)
        self._steady = SteadyOdds()

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        out: dict[str, tuple[str, Wanted]] = {}
        for name, spots in self._spots.items():
            plate = self._table.layout.items[spots[0].place.item]
            views = np.concatenate([spot.points for spot in spots])
            out[f"plates.{name}.view"] = (name, Wanted(views, np.full(len(views), plate.height_mm)))
            slots = [slot for spot in spots for slot in spot.slots if slot is not None]
            if slots:
                faces = np.concatenate([self._around(name, slot, FACE, FACE_SPAN) for slot in slots])
                tops = np.concatenate([self._around(name, slot, TOP, 1.0) for slot in slots])
                tile_mm = self._table.layout.items[slots[0].item].height_mm
                out[f"plates.{name}.face"] = (name, Wanted(faces, np.full(len(faces), plate.height_mm)))
                out[f"plates.{name}.top"] = (name, Wanted(tops, np.full(len(tops), plate.height_mm + tile_mm)))
        return out

    def learn(self, view: View) -> None:
        """Remember the empty places, where the picture shows them empty."""
        self._changes.forget()
        self._readings.clear()
        self._steady.forget()
        if view.is_reference:
            for index, (spot, (lit, faces, _)) in enumerate(zip(self._all, self._cuts(view), strict=True)):
                self._empty[index] = lit.copy()
                if faces is not None:
                    self._empty_faces[index] = (faces.copy(), exposure_in(view.lights[spot.place.piece]))

    def read(self, view: View) -> Iterator[Reading]:
        cuts = list(self._cuts(view))
        if not cuts:
            return
        self._standing.see(view.covered, view.free)
        # Space by space: of a whole plate, a tile in the colour of its print changes too little.
        quarters = quarters_of(np.stack([lit for lit, _, _ in cuts]))
        changed = np.flatnonzero(self._changes.since_last(quarters)) // 4
        for index, (spot, (lit, faces, tops)) in enumerate(zip(self._all, cuts, strict=True)):
            # Nothing is learnt of a board while a hand is over it: a sleeve may pass for another plate.
            alone = self._standing.leaves_clear(spot.place)
            due = alone and index in self._unlearnt
            self._unseen_s[index] += view.unseen_s
            if index not in changed and not due and index in self._readings:
                self._memory.again(index)
            else:
                look = self._prints.look(lit, self._empty[index])
                (self._unlearnt.discard if alone else self._unlearnt.add)(index)
                exposure = exposure_in(view.lights[spot.place.piece])
                self._readings[index] = list(self._read(index, spot, look, faces, tops, exposure, alone))
                (self._strange.add if look.strange else self._strange.discard)(index)
            if alone and index not in self._strange:
                self._unseen_s[index] = 0.0
            yield from self._readings[index]

    def again(self) -> bool:
        """Every plate that was seen whole has been seen once more."""
        self._standing.again()
        for index in self._readings.keys() - self._strange:
            self._memory.again(index)
        return any(self._standing.leaves_clear(self._all[index].place) for index in self._unlearnt)

    def _read(
        self, index: int, spot: PlateSpot, look: PlateLook, faces: Image | None, tops: Image | None, exposure: Exposure,
        alone: bool,
    ) -> Iterator[Reading]:
        hidden = look.strange
        there, absent = -math.log1p(math.exp(-look.log_odds)), -math.log1p(math.exp(look.log_odds))
        if faces is None or tops is None:
            yield self._plate(spot.place, there, absent, look.prints, hidden)
            return
        memory = self._memory
        if alone and not hidden:
            memory.notice(index, look.log_odds, look.prints, faces, exposure, self._unseen_s[index])
        seen = memory.compare(index, faces, exposure)
        if alone and not hidden:
            memory.sharpen(index, seen, faces, exposure)
            seen = replace(seen, odds=self._steady.steadied(index, faces, seen.odds, memory.known[index]))
        odds, densities = self._tile_log_odds(index, seen.odds, look.shaded, tops, there)
        if alone and not hidden and look.log_odds < -SURE_PLATE_LOG_ODDS:
            odds = np.where(self._lie_on_board(index, faces, exposure), ON_BOARD_LOG_ODDS, odds)
        prints = look.prints.copy()
        flat = np.full(prints.shape[1], -math.log(prints.shape[1]))
        for space in range(4):
            if memory.known[index, space]:
                prints[space] = memory.prints[index, space]
            elif odds[space] > TILE_HIDES_LOG_ODDS:
                bare = 1.0 / (1.0 + math.exp(odds[space]))
                prints[space] = np.log(bare * np.exp(prints[space]) + (1.0 - bare) * np.exp(flat))
        yield self._plate(spot.place, there, absent, prints, hidden)
        for space, slot in enumerate(spot.slots):
            if slot is not None:
                yield self._slot(slot, float(odds[space]), densities[space], tops[space], hidden)

    def _lie_on_board(self, index: int, faces: Image, exposure: Exposure) -> NDArray[np.bool_]:
        """(4,) the spaces of a place without a plate on which a tile lies all the same: a player's mistake."""
        if index not in self._empty_faces:
            return np.zeros(len(faces), dtype=bool)
        odds = compare_exposed(faces, exposure, *self._empty_faces[index]).odds
        # A shadow or a sleeve beside the board changes all of a place; a tile leaves the rest of it as it was.
        return np.asarray((odds > MOST_LOG_ODDS) & bool((odds < SURELY_BARE).any()))

    def _tile_log_odds(
        self, index: int, compared: NDArray[np.float64], shaded: NDArray[np.float64], tops: Image, there: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """(4,) log odds that a tile lies on each space, and (4, colours) how well each colour suits its top."""
        known = self._memory.known[index]
        most = UNSEEN_LOG_ODDS if self._memory.was_empty[index] else SHADED_LOG_ODDS
        unseen = np.clip(SHADED_WEIGHT * (shaded - HALF_SHADED), UNSEEN_LOG_ODDS, most)
        # What looks as it did when it was learnt is as bare, or as covered, as it was then.
        since = np.where(self._memory.doubted[index], np.maximum(compared, UNSEEN_LOG_ODDS), compared)
        odds = np.where(known, since, unseen)
        cut = TOP // 5
        names = len(self._table.colours.names)
        inner = np.ascontiguousarray(tops[:, cut:-cut, cut:-cut])
        densities = self._table.colours.pixels(inner).reshape(len(tops), -1, names).mean(axis=1)
        # Tiles lie on plates only.
        ceiling = math.log(max(math.exp(there), 1e-6)) - math.log(max(1.0 - math.exp(there), 1e-6))
        return np.clip(np.minimum(odds, ceiling), -MOST_LOG_ODDS, MOST_LOG_ODDS), densities

    def _plate(
        self, place: PlaceSpec, there: float, absent: float, prints: NDArray[np.float64], hidden: bool
    ) -> Reading:
        parts: dict[str, dict[Hashable, float]] = {"present": {True: there, False: absent}}
        for space in range(4):
            parts[str(space)] = dict(zip(self._prints.names, map(float, prints[space]), strict=True))
        return Reading(place.name, Kind.PLATE, parts, occluded=hidden)

    def _slot(
        self, slot: PlaceSpec, odds: float, density: NDArray[np.float32], top: Image, hidden: bool
    ) -> Reading:
        cut = TOP // 5
        names = self._table.colours.names
        evidence = PIXEL_WEIGHT * density.astype(np.float64)
        evidence += PATCH_WEIGHT * self._patches.log_densities(thirds(top[cut:-cut, cut:-cut]))[0]
        evidence = evidence[[names.index(colour) for colour in slot.holds]]
        evidence -= evidence.max()
        evidence -= math.log(np.exp(evidence).sum())
        full, empty = -math.log1p(math.exp(-odds)), -math.log1p(math.exp(odds))
        values: dict[Hashable, float] = {None: empty}
        values.update({colour: full + float(value) for colour, value in zip(slot.holds, evidence, strict=True)})
        return Reading(slot.name, Kind.SLOT, {"value": values}, occluded=hidden)

    def _cuts(self, view: View) -> Iterator[tuple[Image, Image | None, Image | None]]:
        """For each place, lit: the plate's view, and the faces and tops of the slots on it."""
        for name, spots in self._spots.items():
            views = view.lit(f"plates.{name}.view", name).reshape(-1, VIEW, VIEW, 3)
            key = f"plates.{name}.face"
            faces = view.lit(key, name).reshape(-1, 4, FACE, FACE, 3) if key in view.pixels else None
            tops = view.lit(f"plates.{name}.top", name).reshape(-1, 4, TOP, TOP, 3) if faces is not None else None
            slotted = 0
            for spot, lit in zip(spots, views, strict=True):
                if faces is None or tops is None or spot.slots[0] is None:
                    yield lit, None, None
                else:
                    yield lit, faces[slotted], tops[slotted]
                    slotted += 1

    def _around(self, name: str, slot: PlaceSpec, count: int, span: float) -> Matrix:
        """(count², 2) fractions of the board: a square of `span` tiles around a slot."""
        size_mm = self._table.layout.items[slot.item].size_mm
        steps = (np.arange(count) + 0.5) / count - 0.5
        width, height = (span * size_mm / edge for edge in self._table.pieces[name].size_mm)
        return np.array([[slot.at[0] + u * width, slot.at[1] + v * height] for v in steps for u in steps])
