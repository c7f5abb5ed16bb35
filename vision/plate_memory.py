"""What the spaces of laid plates looked like before tiles covered them: a plate once laid never changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.exposure import Exposure
from vision.frame import Image
from vision.plate_tiles import SURELY_BARE, Comparison, compare_exposed, laid_back, lies_askew

SURE_PLATE_LOG_ODDS = 4.0
"""From here a plate is certainly there; below the negative of it, certainly not."""
SURE_PRINT = -0.1
"""A print that is read with at least this log probability is certain."""
UNSEEN_S = 5.0
"""A plate that came while nobody had looked for longer than this may have got tiles by then."""
AGREED = 3
"""Looks at a plate that must agree before what it showed counts as settled. Until then a hand may have been half upon
it, so that a look that differs starts anew."""

SWAPPED_SPACES = 3
"""Tiles hide a print of another colour on the few spaces for any colour only: when so many prints differ, somebody
turned the plate or laid another."""


MOST_PLAIN = 1
"""A plate has no more spaces than this without a colour. A sleeve shows none anywhere: nothing is learnt from that."""


TURNED_SPACES = 2
"""When so many prints differ, the plate may have been turned under the tiles that lie on it; it has, when as many
spaces look as they did bare, turned with it."""
HARDLY_BARE = 4.0
"""Log odds of a tile below which a space whose print is the one that would have come there counts as bare: the gloss of
a print does not turn with it."""
_QUARTERS = tuple(np.rot90(np.arange(4).reshape(2, 2), -quarters).ravel() for quarters in range(4))
"""Which space comes to lie on each of the four when a plate is turned by so many quarters."""


@dataclass(frozen=True, slots=True, eq=False)
class BareLook:
    """What one plate looks like without tiles."""

    known: NDArray[np.bool_]
    """(4,) whether the look of each space is known."""
    faces: Image
    """(4, n, n, 3)."""
    exposure: Exposure
    prints: NDArray[np.float64]
    """(4, kinds of print)."""
    tiled: Image | None
    """(4, n, n, 3) how the spaces looked last, with whatever lay on them; None where they never stayed so."""
    laid: NDArray[np.bool_]
    """(4,) where tiles may lie: where they lay last, and where they would if they had gone with the plate."""

    def turned(self, quarters: int) -> BareLook:
        """The same plate turned clockwise."""
        order = _QUARTERS[quarters]
        faces = np.ascontiguousarray(np.rot90(self.faces[order], -quarters, axes=(1, 2)))
        laid = self.laid | self.laid[order]
        return BareLook(self.known[order], faces, self.exposure, self.prints[order], None, laid)

    def compare(self, faces: Image, exposure: Exposure) -> Comparison:
        """Spaces beside it."""
        return compare_exposed(faces, exposure, self.faces, self.exposure)

    def met_again(self, faces: Image, exposure: Exposure, prints: NDArray[np.float64]) -> tuple[int, BareLook] | None:
        """The same plate as it lies now, perhaps turned, and how many of its spaces lie bare; None when it is not this
        one, or tiles hide which."""
        if self.tiled is not None and (replace(self, faces=self.tiled).compare(faces, exposure).odds < 0).all():
            # Tiles may hide all of it; but nothing about it has changed.
            return len(faces), self
        turned = (self.turned(quarters) for quarters in range(4))
        ways = [replace(way, faces=laid_back(faces, way.faces)) for way in turned]
        bare = [way.known & way._is_bare(faces, exposure, prints) for way in ways]
        counts = [int(each.sum()) for each in bare]
        best = int(np.argmax(counts))
        if counts[best] < TURNED_SPACES or counts.count(counts[best]) > 1:
            return None
        # What lies bare is remembered as it looks now: shade and gloss have not turned with the plate.
        now = np.where(bare[best][:, None, None, None], faces, ways[best].faces)
        return counts[best], replace(ways[best], faces=now, exposure=self.exposure.dimmer(exposure))

    def _is_bare(self, faces: Image, exposure: Exposure, prints: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(4,) which spaces look as they would without a tile."""
        odds = self.compare(faces, exposure).odds
        alike = (prints.max(axis=1) > SURE_PRINT) & (prints.argmax(axis=1) == self.prints.argmax(axis=1))
        bare = (odds < SURELY_BARE) | (alike & (odds < HARDLY_BARE))
        # However it glitters: where no tile lay, none has come because the plate was turned.
        likely = bare | (alike & ~self.laid)
        return np.asarray(likely if (likely | self.laid).all() else bare)


class PlateMemory:
    """The bare looks of the plates on one table; places and spaces are numbered."""

    def __init__(self, places: int, kinds: int, face: int, plain: int | None = None) -> None:
        self._plain = plain
        """The number of the print that has no colour, if there is one."""
        self.known = np.zeros((places, 4), dtype=bool)
        """Whether the bare look of a space is known."""
        self.bare: Image = np.zeros((places, 4, face, face, 3), dtype=np.uint8)
        self._exposures: dict[int, Exposure] = {}
        """How the picture was exposed in which a bare look was taken."""
        self.prints = np.zeros((places, 4, kinds))
        """Log probabilities of the print of each known space."""
        self.doubted = np.zeros((places, 4), dtype=bool)
        """Whether a tile in the colour of its print may have lain on a space when its look was learnt."""
        self._tiles: dict[int, Image | None] = {}
        """How the spaces looked last, with whatever lay on them, and stayed so …"""
        self._passing: dict[int, Image] = {}
        """… and how they look, but may not stay: a sleeve may pass over them."""
        self._looks = np.zeros(places, dtype=np.int64)
        self.was_empty = np.zeros(places, dtype=bool)
        """Whether a place has been seen without a plate."""
        self._laid = np.zeros((places, 4), dtype=bool)
        """On which spaces of a plate tiles lay when it was last looked at."""
        self._lifted: dict[int, BareLook] = {}
        """Plates that were lifted with tiles on them: somebody will lay them back."""
        self._former: dict[int, BareLook] = {}
        """What was remembered of places whose plate then looked like another, while tiles hid some of it: it may have
        been turned all the same, or lie under that, and will be seen again."""

        self._turned: dict[tuple[int, ...], BareLook] = {}
        """How plates looked that lay bare and were turned or lifted, by their places and prints: somebody will turn
        them back."""

    def notice(
        self, place: int, log_odds: float, prints: NDArray[np.float64], faces: Image, exposure: Exposure,
        unseen_s: float = 0.0,
    ) -> None:
        """One look at a place that nothing but a plate or tiles can hide: `prints` (4, kinds), `faces` (4, n, n, 3),
        how they were exposed and for how long nobody had looked before."""
        if int((prints.argmax(axis=1) == self._plain).sum()) > MOST_PLAIN and log_odds > 0:
            return
        self._passing.pop(place, None)
        if log_odds < -SURE_PLATE_LOG_ODDS:
            self.was_empty[place] = True
            if self._laid[place].any() and self.known[place].any():
                self._lifted[place] = self._look(place)
            self._forget(place)
            return
        if log_odds < SURE_PLATE_LOG_ODDS or not self.was_empty[place]:
            return
        sure = prints.max(axis=1) > SURE_PRINT
        if sure.all() and not self._laid[place].any() and self._is_turned(place, prints):
            # Nothing lay on it: it is learnt anew as it lies now.
            self._forget(place)
        if sure.all() and not self.known[place].any():
            before = self._as_before(place, faces, exposure, prints)
            if before is not None:
                self._take(place, before)
                return
        differ = self.known[place] & (self.prints[place].argmax(axis=1) != prints.argmax(axis=1))
        settled = self._looks[place] >= AGREED
        changed = int((differ & sure).sum())
        if settled and place in self._lifted:
            # Another plate lies there for now; it may lie upon it.
            self._former[place] = self._lifted.pop(place)
        looks = [self._lifted[place]] if place in self._lifted else []
        if settled and changed >= TURNED_SPACES:
            looks += [self._look(place), *([self._former[place]] if place in self._former else [])]
        met = [again for look in looks if (again := look.met_again(faces, exposure, prints)) is not None]
        if met:
            # Of a plate that was laid upon another and taken away, a print or two may be those of the one below.
            before = self._look(place) if settled else None
            self._take(place, max(met, key=lambda again: again[0])[1])
            if before is not None:
                # Whoever turned it will turn it back.
                self._former[place] = before
            return
        if settled and changed < SWAPPED_SPACES:
            if self.known[place].all() and lies_askew(faces, self.bare[place]):
                self.bare[place], self._exposures[place] = faces, exposure
            self._passing[place] = faces.copy()
            return
        if differ.any():
            if settled and self._laid[place].any():
                self._former[place] = self._look(place)
            self._forget(place)
        new = sure & ~self.known[place]
        self.bare[place][new] = faces[new]
        if new.any():
            others = self.known[place].any()
            self._exposures[place] = self._exposures[place].dimmer(exposure) if others else exposure
        self.prints[place][new] = prints[new]
        self.doubted[place][new] = unseen_s > UNSEEN_S
        self.known[place] |= new
        self._looks[place] += 1

    def _is_turned(self, place: int, prints: NDArray[np.float64]) -> bool:
        """Whether these are the prints of a plate that is known, turned."""
        was, now = self.prints[place].argmax(axis=1), prints.argmax(axis=1)
        turned = any((was[order] == now).all() for order in _QUARTERS[1:])
        return bool(self.known[place].all()) and turned and not (was == now).all()

    def compare(self, place: int, faces: Image, exposure: Exposure) -> Comparison:
        """What lies on the spaces of a plate, beside how they looked bare; nothing where none was ever seen so."""
        if not self.known[place].any():
            return Comparison(np.zeros(len(faces)), 0.0)
        seen = self._look(place).compare(faces, exposure)
        self._laid[place] = self.known[place] & (seen.odds > 0)
        return seen

    def sharpen(self, place: int, seen: Comparison, faces: Image, exposure: Exposure) -> None:
        """Keep a clearer look at a plate that is still bare: a tile in the colour of its print hardly differs from a
        look that was taken out of focus or in a glaring light."""
        if not self.known[place].all() or not seen.is_bare:
            return
        brighter = int(exposure.brightest.min()) > int(self._exposures[place].brightest.min())
        if seen.sharper_samples > 0 or (seen.sharper_samples == 0 and brighter):
            self.bare[place] = faces
            self._exposures[place] = exposure

    def again(self, place: int) -> None:
        """A place looks as it did the last time."""
        if place in self._passing:
            self._tiles[place] = self._passing.pop(place)
        if self.known[place].any():
            self._looks[place] += 1

    def _as_before(
        self, place: int, faces: Image, exposure: Exposure, prints: NDArray[np.float64]
    ) -> BareLook | None:
        """The look of a plate that has come to lie as it lay bare before. Of a space that looks otherwise, nobody knows
        how it looks bare now: a print may glitter, but whoever turns a plate back may lay a tile on it as well, in the
        very colour of its print."""
        look = self._turned.get((place, *prints.argmax(axis=1).tolist()))
        if look is None:
            return None
        look = replace(look, faces=laid_back(faces, look.faces))
        seen = look.compare(faces, exposure)
        if seen.is_bare or int((seen.odds < SURELY_BARE).sum()) < TURNED_SPACES:
            # It is learnt as it looks now.
            return None
        return replace(look, known=seen.odds < 0)

    def _forget(self, place: int) -> None:
        """Another plate lies there, or none, or it was turned."""
        if self.known[place].all() and self._looks[place] >= AGREED and not self._laid[place].any():
            self._turned[place, *self.prints[place].argmax(axis=1).tolist()] = self._look(place)
        self.known[place] = False
        self._looks[place] = 0
        self._tiles[place] = None

    def _look(self, place: int) -> BareLook:
        return BareLook(
            self.known[place].copy(), self.bare[place].copy(), self._exposures[place],
            self.prints[place].copy(), self._tiles.get(place), self._laid[place].copy(),
        )

    def _take(self, place: int, look: BareLook) -> None:
        """Remember a plate that was met again as it lies now."""
        self.known[place], self.bare[place] = look.known, look.faces
        self._exposures[place], self.prints[place] = look.exposure, look.prints
        self._tiles[place] = look.tiled
        self._looks[place] = AGREED
        self._lifted.pop(place, None)
        self._former.pop(place, None)
