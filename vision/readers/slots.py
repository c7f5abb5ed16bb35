"""Slots: one tile or none. A tile is told from its print by what changed against the empty place, and by its colour."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.borrow import Bare, borrow_all, borrow_on_board
from vision.card import card_points
from vision.changes import Changes
from vision.frame import Image
from vision.layout import PlaceSpec
from vision.logistic import shipped
from vision.patches import PatchTable, thirds
from vision.reading import Kind, Reading
from vision.slot_features import NAMES, Floats, features, tile_density
from vision.slot_grid import FACE, TOP, SlotGrid, nearest_seen
from vision.view import Reader, Table, View

KINDS = (Kind.SLOT,)

PRINTED_LOG_ODDS = 2.5
"""A tile on a space printed in a colour is that much likelier to have this colour; its look can easily outvote that."""
LIKELY_LOG_ODDS = 1.5
"""From here a tile is taken to lie there when it is asked what it hides."""
SISTER_LOG_ODDS = 1.0
"""A place this likely empty may show its sisters on the same board how they look."""
SURE_LOG_ODDS = 5.0
"""From here the look of an empty place is kept as its own."""
MOST_LOG_ODDS = 9.0
COLOUR_LOG_ODDS = -4.0
"""Where a tile is less likely than this, its colour does not matter."""
PIXEL_WEIGHT, PATCH_WEIGHT = 6.0, 0.3
"""How much the pixels of a top, one by one, and its composition count for its colour."""
TILE_LIKE_DENSITY = -11.0
"""Mean log density from which a top looks more like a tile than not."""
LEAST_HIDDEN = 0.08
"""A smaller share of a face that neighbours hide is not worth a second look."""


def make(table: Table) -> Reader:
    """The reader of all slots of a table."""
    return SlotReader(table)


def _bare(view: View, name: str) -> Bare:
    """The surface of a board that no tile covers."""
    free = view.free[name]
    return card_points()[free], view.lit(f"card.{name}", name)[free]


class SlotReader:
    """All slots of one table. Only those that changed since they were last read are measured anew."""

    def __init__(self, table: Table) -> None:
        self._colours = table.colours
        self._patches = PatchTable(table.calibration.patches)
        self._models = shipped("slot_model.json")
        self.grid = SlotGrid(table)
        count = len(self.grid.all)
        self._empty: Image = np.zeros((count, FACE, FACE, 3), dtype=np.uint8)
        self._empty_tops: Image = np.zeros((count, TOP, TOP, 3), dtype=np.uint8)
        """Known only where the look of the empty place is its own."""
        self._own = np.zeros(count, dtype=bool)
        """For each slot whether its reference is its own look or borrowed from its sisters."""
        self._features = np.zeros((count, len(NAMES)), dtype=np.float32)
        self._first = np.zeros(count)
        """Log odds before it is asked what neighbours hide."""
        self._odds = np.zeros(count)
        self._density = np.zeros((count, len(table.colours.names)), dtype=np.float32)
        self._faces_seen, self._tops_seen = Changes(), Changes()
        self._faces_clear, self._tops_clear = Changes(), Changes()
        self._readings: dict[int, Reading] = {}
        self._picks = [[table.colours.names.index(colour) for colour in place.holds] for place in self.grid.all]

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return self.grid.wanted()

    def learn(self, view: View) -> None:
        """Remember the empty places; without a picture of them, work out how they must look."""
        self._forget()
        if view.is_reference:
            self._keep_own(view, np.ones(len(self.grid.all), dtype=bool))
            return
        self.borrow(view)
        self.measure(view)
        self._keep_own(view, self._odds < -SURE_LOG_ODDS)

    def borrow(self, view: View) -> None:
        """Work out from one frame how every place must look empty, without ever having seen it so."""
        faces = self._lit(view, "face", FACE)
        self._empty, self._own = faces.copy(), np.zeros(len(faces), dtype=bool)
        boards = self.grid.spans
        tile_like = self._tile_like(view)
        borrowed = borrow_all(
            self.grid.places, {name: faces[span] for name, span in boards.items()},
            {name: _bare(view, name) for name in boards},
            {name: tile_like[span] for name, span in boards.items()},
        )
        for name, span in boards.items():
            self._empty[span] = borrowed[name]
        for _ in range(2):
            self.measure(view)
            for name, span in boards.items():
                bare = self._odds[span] < -SISTER_LOG_ODDS
                self._empty[span] = borrow_on_board(self.grid.places[name], faces[span], self._empty[span], bare)

    def read(self, view: View) -> Iterator[Reading]:
        faces, tops = self._lit(view, "face", FACE), self._lit(view, "top", TOP)
        changed = self._faces_seen.since_last(faces) | self._tops_seen.since_last(tops)
        before = self._odds.copy()
        if changed.any():
            self._measure(faces, tops, changed)
        hidden = self._hidden(view, faces, tops)
        if not self._own.all():
            sure = changed & ~self._own & ~hidden & (self._odds < -SURE_LOG_ODDS)
            if sure.any():
                self._keep_own(view, sure)
        for index, place in enumerate(self.grid.all):
            last = self._readings.get(index)
            stale = last is None or changed[index] or before[index] != self._odds[index]
            if stale or last is None or last.occluded != hidden[index]:
                last = self._reading(index, place, tops[index], bool(hidden[index]))
                self._readings[index] = last
            yield last

    def measure(self, view: View) -> Floats:
        """(slots, features): the numbers that tell tiles from print, for all slots."""
        faces, tops = self._lit(view, "face", FACE), self._lit(view, "top", TOP)
        return self._measure(faces, tops, np.ones(len(self.grid.all), dtype=bool))

    def _measure(self, faces: Image, tops: Image, which: NDArray[np.bool_]) -> Floats:
        """Measure some slots, then those again of whose print neighbouring tiles hide a part."""
        chosen = np.flatnonzero(which)
        likely_before = self._first > LIKELY_LOG_ODDS
        self._features[chosen], self._density[chosen] = features(
            faces[chosen], self._empty[chosen], tops[chosen], self._empty_tops[chosen], self._colours
        )
        self._first[chosen] = self._log_odds(chosen, self._features[chosen])
        likely = self._first > LIKELY_LOG_ODDS
        turned = set(np.flatnonzero(likely != likely_before).tolist())
        touched = set(chosen.tolist()) | {one for one, other in self.grid.masks if other in turned}
        self._odds[chosen] = self._first[chosen]
        final = self._features.copy()
        hidden = {
            index: mask for index, mask in self.grid.hidden(likely, touched).items() if mask.mean() > LEAST_HIDDEN
        }
        for index in touched - hidden.keys():
            self._odds[index] = self._first[index]
        if hidden:
            self._measure_hidden(faces, tops, hidden, final)
        return final

    def _measure_hidden(
        self, faces: Image, tops: Image, hidden: Mapping[int, NDArray[np.bool_]], final: Floats
    ) -> None:
        """Once more, with the hidden spots replaced by the nearest ones in sight, now and in the reference alike."""
        again = np.array(sorted(hidden))
        some, empties = faces[again], self._empty[again]
        for row, index in enumerate(again):
            fill = nearest_seen(hidden[int(index)])
            some[row] = some[row].reshape(-1, 3)[fill].reshape(some[row].shape)
            empties[row] = empties[row].reshape(-1, 3)[fill].reshape(empties[row].shape)
        final[again], _ = features(some, empties, tops[again], self._empty_tops[again], self._colours)
        seen = np.array([1.0 - hidden[int(index)].mean() for index in again])
        # The less of the print is in sight, the less is known.
        self._odds[again] = self._log_odds(again, final[again]) * np.minimum(1.0, 0.4 + seen)

    def _log_odds(self, chosen: NDArray[np.intp], values: Floats) -> NDArray[np.float64]:
        """(chosen,) log odds that something lies there."""
        own, borrowed = (self._models[key].log_odds(values) for key in ("own", "borrowed"))
        odds = np.where(self._own[chosen], own, borrowed)
        return np.asarray(np.clip(odds, -MOST_LOG_ODDS, MOST_LOG_ODDS), dtype=np.float64)

    def _reading(self, index: int, place: PlaceSpec, top: Image, hidden: bool) -> Reading:
        odds = float(self._odds[index])
        evidence = PIXEL_WEIGHT * self._density[index].astype(np.float64)
        if odds > COLOUR_LOG_ODDS:
            middle = top[TOP // 4 : -(TOP // 4), TOP // 4 : -(TOP // 4)]
            evidence += PATCH_WEIGHT * self._patches.log_densities(thirds(middle))[0]
        evidence = evidence[self._picks[index]]
        if place.prints in place.holds:
            evidence[place.holds.index(place.prints)] += PRINTED_LOG_ODDS
        evidence -= evidence.max()
        evidence -= math.log(np.exp(evidence).sum())
        full, empty = -math.log1p(math.exp(-odds)), -math.log1p(math.exp(odds))
        values: dict[Hashable, float] = {None: empty}
        values.update({colour: full + float(value) for colour, value in zip(place.holds, evidence, strict=True)})
        return Reading(place.name, Kind.SLOT, {"value": values}, occluded=hidden)

    def _hidden(self, view: View, faces: Image, tops: Image) -> NDArray[np.bool_]:
        """(slots,) under a hand: inside its hull or next to such a place, and looking otherwise than before it came."""
        under = self.grid.under_hands(view.covered)
        if under.any():
            nothing = np.zeros(len(under), dtype=bool)
            changed = self._faces_clear.since_last(faces, nothing) | self._tops_clear.since_last(tops, nothing)
            under = self.grid.spread(under & changed, changed)
        self._faces_clear.since_last(faces, ~under)
        self._tops_clear.since_last(tops, ~under)
        return under

    def _tile_like(self, view: View) -> NDArray[np.float64]:
        """(slots,) 0 to 1: how much each top looks like that of a tile in some colour."""
        density = tile_density(self._lit(view, "top", TOP), self._colours)
        return np.asarray(1.0 / (1.0 + np.exp(TILE_LIKE_DENSITY - density.max(axis=1))), dtype=np.float64)

    def _keep_own(self, view: View, which: NDArray[np.bool_]) -> None:
        """Remember how some places look empty."""
        self._empty[which] = self._lit(view, "face", FACE)[which]
        self._empty_tops[which] = self._lit(view, "top", TOP)[which]
        self._own |= which

    def _forget(self) -> None:
        self._faces_seen.forget()
        self._tops_seen.forget()
        self._readings.clear()

    def _lit(self, view: View, what: str, side: int) -> Image:
        parts = [view.lit(f"slots.{name}.{what}", name) for name in self.grid.places]
        return np.concatenate(parts).reshape(-1, side, side, 3)
