"""Piles, of which only the top shows, and chips, which may lie under them."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.bare import hidden_mask
from vision.changes import Changes, quarters_of
from vision.colours import Light
from vision.frame import Image
from vision.heap_background import CoveredBackground, ReferenceBackground
from vision.layout import Item, PlaceSpec
from vision.occlusion import is_covered
from vision.pile_prints import EmptyPlaces, empty_places
from vision.piles import FACE_DOWN, MOST_LOG_ODDS, ChipBelow, ChipFaces, learn_back, read_top
from vision.reading import Kind, Reading
from vision.rectify import Matrix
from vision.view import Reader, Table, View

KINDS = (Kind.PILE, Kind.CHIP)

HIGHEST = 7
"""Tiles in the highest pile that is looked for."""
ASTRAY_MM = 4.5
"""How far the middle of a pile's top may lie from straight above the place."""
CHIP_ASTRAY = 0.22
"""How far a chip's middle may lie from its place's, in chips."""
COVERED_LOG_ODDS = 2.0
"""Where nobody knows how a place looks empty, because something lay there, nothing is surer than this."""
SURE_LOG_PROB = -0.01
"""What was read less surely than this is read anew, however little has changed since: a hand may have been near."""

OTHER_LIGHT = 0.02
"""Lights differ whose gains do by more than this share."""


def make(table: Table) -> Reader:
    """The reader of all piles and chips of a table."""
    return PileReader(table)


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """One place, seen flat with one pixel a millimetre."""

    place: PlaceSpec
    item: Item
    points: Matrix
    """(side², 2) fractions of the board."""
    side: int
    where: NDArray[np.bool_]
    """(side, side): where the middle of a top or a chip can be seen."""


class PileReader:
    """All piles and chips of one table, piles first."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._spots = [
            _spot(table, place)
            for kind in KINDS for piece in table.pieces.values() if piece.name in table.calibration.matrices
            for place in piece.places if place.kind is kind
        ]
        self._changes = {index: Changes() for index in range(len(self._spots))}
        self._empty: list[Image] = []
        self._backgrounds: list[ReferenceBackground] = []
        self._guessed: set[int] = set()
        """The numbers of the places of which it is a guess how they look empty."""
        self._readings: dict[int, Reading] = {}
        self._read_under: dict[int, Light] = {}
        """The light that each was last read in."""
        self._chips: dict[int, NDArray[np.float64]] = {}
        """The middling colours of the chips that lie open."""
        self._back: NDArray[np.float64] | None = None
        """How chips look that lie face down, once enough of them did."""
        self._chip_at = {
            (spot.place.piece, spot.place.at): index
            for index, spot in enumerate(self._spots) if spot.place.kind is Kind.CHIP
        }
        """The numbers of the places of chips, by where they are: a pile may stand there, too."""
        faces = [spot.place.holds for spot in self._spots if spot.place.kind is Kind.CHIP]
        self._faces = ChipFaces(table.calibration.colours, faces[0]) if faces else None

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return {
            f"piles.{spot.place.name}": (spot.place.piece, Wanted(spot.points, np.zeros(len(spot.points)), True))
            for spot in self._spots
        }

    def learn(self, view: View) -> None:
        """Remember the empty places; without a picture of them, what most places of a sort have in common."""
        self._empty = [self._cut(view, spot) for spot in self._spots]
        self._backgrounds = [ReferenceBackground(look) for look in self._empty]
        self._readings.clear()
        self._guessed.clear()
        if not view.is_reference:
            for members in self._sisters():
                self._know_empty(members, self._empty_places(view, members), members)

    def _sisters(self) -> list[list[int]]:
        """The numbers of the places that are printed alike."""
        groups: dict[tuple[Kind, tuple[float, float]], list[int]] = {}
        for index, spot in enumerate(self._spots):
            groups.setdefault((spot.place.kind, spot.place.size), []).append(index)
        return list(groups.values())

    def _empty_places(self, view: View, members: Sequence[int]) -> EmptyPlaces:
        diameter_mm = self._spots[members[0]].item.size_mm
        return empty_places([self._cut(view, self._spots[index]) for index in members], diameter_mm)

    def _know_empty(self, members: Sequence[int], places: EmptyPlaces, unknown: Collection[int]) -> None:
        """Take over how those of some places look empty of which that is not known yet."""
        for rank, index in enumerate(members):
            if index not in unknown:
                continue
            spot, look = self._spots[index], places.looks[rank]
            self._empty[index] = look
            self._backgrounds[index] = ReferenceBackground(look)
            if places.are_covered:
                self._backgrounds[index] = CoveredBackground(look, hidden_mask(spot.side, spot.item.size_mm))
            if places.is_seen or rank in places.bare:
                self._guessed.discard(index)
            else:
                self._guessed.add(index)
            self._readings.pop(index, None)

    def _learn_more(self, view: View) -> None:
        """Where it was a guess how places look empty, they or their sisters may show it now."""
        for members in self._sisters() if self._guessed else []:
            guessed = self._guessed.intersection(members)
            pieces = {self._spots[index].place.piece for index in members}
            covered = any(view.covered[piece].any() for piece in pieces)
            if not guessed or covered or pieces.isdisjoint(view.touched):
                continue
            places = self._empty_places(view, members)
            if places.is_seen or guessed & {members[rank] for rank in places.bare}:
                self._know_empty(members, places, guessed)

    def read(self, view: View) -> Iterator[Reading]:
        self._learn_more(view)
        readings = list(self._read_all(view))
        if self._back is None:
            self._back = learn_back(list(self._chips.values()))
            if self._back is not None:
                # What lies face down may have been read as the colour that the back is most like, or as a pile.
                for index, spot in enumerate(self._spots):
                    if (spot.place.piece, spot.place.at) in self._chip_at:
                        self._readings.pop(index, None)
                readings = list(self._read_all(view))
        yield from readings

    def _read_all(self, view: View) -> Iterator[Reading]:
        """All piles and chips; those that look as they did are known."""
        tall: dict[str, list[tuple[float, float]]] = {}
        for index, spot in enumerate(self._spots):
            raw = view.pixels[f"piles.{spot.place.name}"].reshape(1, spot.side, spot.side, 3)
            # Part by part: beside all the board around it, a blue tile on a dark blue place changes too little.
            changed = bool(self._changes[index].since_last(quarters_of(raw)).any())
            under = spot.place.kind is Kind.CHIP and spot.place.at in tall.get(spot.place.piece, ())
            last = self._readings.get(index)
            light = view.lights[spot.place.piece]
            # What was read in the light that a passing hand feigned is read again, though nothing changed there.
            relit = index in self._read_under and light.differs(self._read_under[index], OTHER_LIGHT)
            stale = changed or relit or (spot.place.kind is Kind.CHIP and last is not None and last.occluded != under)
            if last is None or stale or _is_unsure(last):
                self._read_under[index] = light
                covered = is_covered(view.covered[spot.place.piece], view.free[spot.place.piece], spot.place)
                last = self._read(view, index, covered or under)
                self._readings[index] = last
            if spot.place.kind is Kind.PILE and math.exp(last.parts["top"][None]) < 0.5:
                tall.setdefault(spot.place.piece, []).append(spot.place.at)
            yield last

    def _read(self, view: View, index: int, hidden: bool) -> Reading:
        spot = self._spots[index]
        place, look = spot.place, self._cut(view, spot)
        most = COVERED_LOG_ODDS if isinstance(self._backgrounds[index], CoveredBackground) else MOST_LOG_ODDS
        if place.kind is Kind.CHIP and self._faces is not None:
            seen = self._faces.read(look, self._empty[index], spot.where, spot.item.size_mm, self._back, most)
            self._chips.pop(index, None)
            if seen.lab is not None and not hidden:
                self._chips[index] = seen.lab
            return Reading(place.name, Kind.CHIP, {"value": seen.values}, occluded=hidden)
        colours = self._table.colours
        picks = [colours.names.index(name) for name in place.holds]
        chip = self._chip_below(view, self._chip_at.get((place.piece, place.at)))
        top = read_top(look, self._backgrounds[index], colours, picks, spot.where, spot.item.size_mm, chip)
        odds = max(-most, min(most, top.log_odds))
        there, absent = -math.log1p(math.exp(-odds)), -math.log1p(math.exp(odds))
        tops: dict[Hashable, float] = {None: absent}
        tops.update({name: there + float(value) for name, value in zip(place.holds, top.colours, strict=True)})
        return Reading(place.name, Kind.PILE, {"top": tops}, occluded=hidden)

    def _chip_below(self, view: View, index: int | None) -> ChipBelow | None:
        """What lies on a place, if it is a chip."""
        if index is None or self._faces is None:
            return None
        spot = self._spots[index]
        seen = self._faces.read(self._cut(view, spot), self._empty[index], spot.where, spot.item.size_mm, self._back)
        # While nobody knows how the backs look, anything may be one.
        is_face_down = self._back is None or max(seen.values, key=lambda face: seen.values[face]) == FACE_DOWN
        return ChipBelow(spot.item.size_mm, is_face_down)

    def _cut(self, view: View, spot: _Spot) -> Image:
        return view.lit(f"piles.{spot.place.name}", spot.place.piece).reshape(spot.side, spot.side, 3)


def _is_unsure(reading: Reading) -> bool:
    return any(max(values.values()) < SURE_LOG_PROB for values in reading.parts.values())


def _spot(table: Table, place: PlaceSpec) -> _Spot:
    piece, item = table.pieces[place.piece], table.layout.items[place.item]
    camera, pose = table.calibration.camera, table.calibration.poses[place.piece]
    edge_mm = np.array(piece.size_mm)
    levels = HIGHEST if place.kind is Kind.PILE else 1
    heights = item.height_mm * np.arange(1, levels + 1)
    tops = np.concatenate([pose.points_mm([place.at], height) for height in heights])
    path = (pose.fractions(camera.to_plane(camera.project(tops), pose.thickness_mm)) - place.at) * edge_mm
    astray = ASTRAY_MM if place.kind is Kind.PILE else CHIP_ASTRAY * item.size_mm
    half = math.ceil(float(np.abs(path).max()) + astray + item.size_mm * 0.62)
    side = 2 * half + 1
    steps = np.arange(-half, half + 1, dtype=np.float64)
    across, down = np.meshgrid(steps, steps)
    points = np.column_stack([across.ravel(), down.ravel()]) / edge_mm + place.at
    away = np.min([np.hypot(across - x, down - y) for x, y in path], axis=0)
    return _Spot(place, item, points, side, away <= astray)
