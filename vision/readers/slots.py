"""Slots: one tile or none. A tile is told from its print by what changed against the empty place, and by its colour."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.borrow import Bare, borrow_all, borrow_on_board
from vision.card import card_points
from vision.changes import NEVER_SEEN, SMALL, differ, shrink
from vision.colours import ColourTable
from vision.frame import Image
from vision.layout import PlaceSpec
from vision.logistic import shipped
from vision.patches import PatchModel, PatchTable, thirds_of_each
from vision.reading import Kind, Reading
from vision.slot_features import FACE_NAMES, NAMES, Floats, Looks, face_density, features, tile_density
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
STRANGE_FACE, FOREIGN_FACE = -16.0, -17.0
"""Mean log density, in the colour of the supposed tile, of the middle of a space: seen where a tile covers it, and
where none can lie, since nothing there has that colour."""
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
        self._faces: Image = np.zeros((count, FACE, FACE, 3), dtype=np.uint8)
        self._tops: Image = np.zeros((count, TOP, TOP, 3), dtype=np.uint8)
        """All slots as they were last seen, under the reference light."""
        self._empty: Image = np.zeros((count, FACE, FACE, 3), dtype=np.uint8)
        self._empty_tops: Image = np.zeros((count, TOP, TOP, 3), dtype=np.uint8)
        """Known only where the look of the empty place is its own."""
        self._now_looks = Looks.of(self._faces, self._tops)
        """Of the slots as they were when they were last measured."""
        self._empty_looks = Looks.of(self._empty, self._empty_tops)
        self._is_worked_out = np.zeros(count, dtype=bool)
        """For each slot whether that is of the empty place as it is known now."""
        self._own = np.zeros(count, dtype=bool)
        """For each slot whether its reference is its own look or borrowed from its sisters."""
        self._features = np.zeros((count, len(NAMES)), dtype=np.float32)
        self._first = np.zeros(count)
        """Log odds before it is asked what neighbours hide."""
        self._odds = np.zeros(count)
        self._density = np.zeros((count, len(table.colours.names)), dtype=np.float32)
        self._small = np.full((count, 2, SMALL * SMALL * 3), NEVER_SEEN, dtype=np.int16)
        """Faces and tops, shrunk, as they look now."""
        self._read_from, self._clear = self._small.copy(), self._small.copy()
        """The same when they were last measured, and when they were last seen without a hand over them."""
        self._otherwise = np.zeros(count, dtype=bool)
        """Which of them look otherwise now than when they were last seen without a hand over them."""
        self._hidden = np.zeros(count, dtype=bool)
        self._readings: dict[int, Reading] = {}
        """By the number of the slot, in order."""
        self._is_thing = np.array([len(place.holds) == 1 for place in self.grid.all], dtype=bool)
        """Which of them hold one thing only, and no tile that is to be told from others by its colour."""
        self._picks = [[table.colours.names.index(colour) for colour in place.holds] for place in self.grid.all]

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        return self.grid.wanted()

    def learn(self, view: View) -> None:
        """Remember the empty places; without a picture of them, work out how they must look."""
        self._forget()
        if view.is_reference:
            self._look(view)
            self._keep_own(np.ones(len(self.grid.all), dtype=bool))
            return
        self.borrow(view)
        self.measure(view)
        self._keep_own(self._odds < -SURE_LOG_ODDS)

    def borrow(self, view: View) -> None:
        """Work out from one frame how every place must look empty, without ever having seen it so."""
        self._look(view)
        faces = self._faces
        self._empty, self._own = faces.copy(), np.zeros(len(faces), dtype=bool)
        self._is_worked_out[:] = False
        boards = self.grid.spans
        tile_like = self._tile_like()
        borrowed = borrow_all(
            self.grid.places, {name: faces[span] for name, span in boards.items()},
            {name: _bare(view, name) for name in boards},
            {name: tile_like[span] for name, span in boards.items()},
        )
        for name, span in boards.items():
            self._empty[span] = borrowed[name]
            self._is_worked_out[span] = False
        for _ in range(2):
            self.measure(view)
            for name, span in boards.items():
                bare = self._odds[span] < -SISTER_LOG_ODDS
                self._empty[span] = borrow_on_board(self.grid.places[name], faces[span], self._empty[span], bare)
                self._is_worked_out[span] = False

    def read(self, view: View) -> Iterator[Reading]:
        seen = self._look(view)
        small = np.concatenate([shrink(self._faces[seen]), shrink(self._tops[seen])], axis=1)
        self._small[seen] = small
        changed = np.zeros(len(self.grid.all), dtype=bool)
        changed[seen] = differ(small, self._read_from[seen])
        self._otherwise[seen] = differ(small, self._clear[seen])
        self._read_from[changed] = self._small[changed]
        before = self._odds.copy()
        if changed.any():
            self._measure(changed)
        hidden = self._under_hands(view)
        if not self._own.all():
            sure = changed & ~self._own & ~hidden & (self._odds < -SURE_LOG_ODDS)
            if sure.any():
                self._keep_own(sure)
        stale = changed | (before != self._odds) | (hidden != self._hidden)
        self._hidden = hidden
        if not self._readings:
            stale[:] = True
        for index, evidence in zip(*self._colour_evidence(np.flatnonzero(stale)), strict=True):
            self._readings[index] = self._reading(index, self.grid.all[index], evidence, bool(hidden[index]))
        yield from self._readings.values()

    def take_colours(self, pixels: ColourTable, patches: PatchModel) -> None:
        """Tell tiles from print, and their colours, by these; what was seen before is looked at anew."""
        self._colours, self._patches = pixels, PatchTable(patches)
        self._measure(np.ones(len(self.grid.all), dtype=bool))
        self._readings.clear()

    def measure(self, view: View) -> Floats:
        """(slots, features): the numbers that tell tiles from print, for all slots."""
        self._look(view)
        return self._measure(np.ones(len(self.grid.all), dtype=bool))

    def _look(self, view: View) -> NDArray[np.intp]:
        """Take the slots of all boards that were touched as they are now; which ones those are."""
        seen = []
        for name, span in self.grid.spans.items():
            if name in view.touched:
                self._faces[span] = view.lit(f"slots.{name}.face", name).reshape(-1, FACE, FACE, 3)
                self._tops[span] = view.lit(f"slots.{name}.top", name).reshape(-1, TOP, TOP, 3)
                seen.append(np.arange(span.start, span.stop))
        return np.concatenate(seen) if seen else np.arange(0)

    def _measure(self, which: NDArray[np.bool_]) -> Floats:
        """Measure some slots, then those again of whose print neighbouring tiles hide a part."""
        chosen = np.flatnonzero(which)
        likely_before = self._first > LIKELY_LOG_ODDS
        tops = self._tops[chosen]
        self._density[chosen] = tile_density(tops, self._colours)
        now, empty = Looks.of(self._faces[chosen], tops), self._empty_look(chosen)
        self._now_looks.put(chosen, now)
        self._features[chosen] = features(now, empty, self._density[chosen], self._colours)
        self._first[chosen] = self._log_odds(chosen, self._features[chosen])
        likely = self._first > LIKELY_LOG_ODDS
        turned = np.flatnonzero(likely != likely_before).tolist()
        touched = set(chosen.tolist()) | self.grid.hidden_by(turned)
        self._odds[chosen] = self._first[chosen]
        final = self._features.copy()
        hidden = {
            index: mask for index, mask in self.grid.hidden(likely, touched).items()
            if np.count_nonzero(mask) > LEAST_HIDDEN * mask.size
        }
        for index in touched - hidden.keys():
            self._odds[index] = self._first[index]
        if hidden:
            self._measure_hidden(hidden, final)
        return final

    def _measure_hidden(self, hidden: Mapping[int, NDArray[np.bool_]], final: Floats) -> None:
        """Once more, with the hidden spots replaced by the nearest ones in sight, now and in the reference alike."""
        again = np.array(sorted(hidden))
        fill = np.stack([nearest_seen(hidden[int(index)]) for index in again])
        self._work_out_empty(again)
        now, empty = (looks.faces_filled(again, fill) for looks in (self._now_looks, self._empty_looks))
        final[again, :FACE_NAMES] = features(now, empty, self._density[again], self._colours)
        seen = np.array([1.0 - np.count_nonzero(mask) / mask.size for _, mask in sorted(hidden.items())])
        # The less of the print is in sight, the less is known.
        self._odds[again] = self._log_odds(again, final[again]) * np.minimum(1.0, 0.4 + seen)

    def _empty_look(self, which: NDArray[np.intp]) -> Looks:
        """How some places look empty."""
        self._work_out_empty(which)
        return self._empty_looks.some(which)

    def _work_out_empty(self, which: NDArray[np.intp]) -> None:
        fresh = which[~self._is_worked_out[which]]
        if len(fresh):
            self._empty_looks.put(fresh, Looks.of(self._empty[fresh], self._empty_tops[fresh]))
            self._is_worked_out[fresh] = True

    def _log_odds(self, chosen: NDArray[np.intp], values: Floats) -> NDArray[np.float64]:
        """(chosen,) log odds that something lies there."""
        is_own = self._own[chosen]
        odds = self._models["own"].log_odds(values)
        if not is_own.all():
            borrowed = np.minimum(self._models["borrowed"].log_odds(values), self._most_odds(chosen))
            odds = np.where(is_own, odds, borrowed)
        things = self._is_thing[chosen]
        if things.any():
            own, borrowed = (self._models[kind].log_odds(values[things]) for kind in ("own thing", "borrowed thing"))
            odds[things] = np.where(is_own[things], own, borrowed)
        return np.asarray(np.clip(odds, -MOST_LOG_ODDS, MOST_LOG_ODDS), dtype=np.float64)

    def _most_odds(self, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        """(chosen,) the most that may speak for tiles on places never seen empty. Where a top would be seen, a dark
        ornament or a neighbour passes for one; a tile also covers the middle of its space with its own colour."""
        shown = face_density(self._now_looks, chosen, self._density[chosen].argmax(axis=1), self._colours)
        return np.interp(shown, (FOREIGN_FACE, STRANGE_FACE), (-LIKELY_LOG_ODDS, MOST_LOG_ODDS))

    def _colour_evidence(self, chosen: NDArray[np.intp]) -> tuple[list[int], NDArray[np.float64]]:
        """Some slots, and how well each colour suits the top of each of them (chosen, colours)."""
        evidence = PIXEL_WEIGHT * self._density[chosen].astype(np.float64)
        likely = self._odds[chosen] > COLOUR_LOG_ODDS
        if likely.any():
            middle = self._tops[chosen[likely], TOP // 4 : -(TOP // 4), TOP // 4 : -(TOP // 4)]
            evidence[likely] += PATCH_WEIGHT * self._patches.log_densities(thirds_of_each(middle))
        return chosen.tolist(), evidence

    def _reading(self, index: int, place: PlaceSpec, evidence: NDArray[np.float64], hidden: bool) -> Reading:
        odds = float(self._odds[index])
        every = evidence.tolist()
        logs = [every[pick] for pick in self._picks[index]]
        if place.prints in place.holds:
            logs[place.holds.index(place.prints)] += PRINTED_LOG_ODDS
        most = max(logs)
        full, empty = -math.log1p(math.exp(-odds)), -math.log1p(math.exp(odds))
        full -= most + math.log(sum(math.exp(value - most) for value in logs))
        values: dict[Hashable, float] = {None: empty}
        values.update({colour: full + value for colour, value in zip(place.holds, logs, strict=True)})
        return Reading(place.name, Kind.SLOT, {"value": values}, occluded=hidden)

    def _under_hands(self, view: View) -> NDArray[np.bool_]:
        """(slots,) under a hand: inside its hull or next to such a place, and looking otherwise than before it came."""
        under, changed = self.grid.under_hands(view.covered), self._otherwise
        if under.any():
            under = self.grid.spread(under & changed, changed)
        fresh = np.flatnonzero(changed & ~under)
        self._clear[fresh] = self._small[fresh]
        self._otherwise[fresh] = False
        return under

    def _tile_like(self) -> NDArray[np.float64]:
        """(slots,) 0 to 1: how much each top looks like that of a tile in some colour."""
        density = tile_density(self._tops, self._colours)
        return np.asarray(1.0 / (1.0 + np.exp(TILE_LIKE_DENSITY - density.max(axis=1))), dtype=np.float64)

    def _keep_own(self, which: NDArray[np.bool_]) -> None:
        """Remember how some places look empty."""
        self._empty[which] = self._faces[which]
        self._empty_tops[which] = self._tops[which]
        self._own |= which
        self._is_worked_out[which] = False

    def _forget(self) -> None:
        self._read_from[:] = NEVER_SEEN
        self._readings.clear()
