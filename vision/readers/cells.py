"""Cells: a tile with a printed face, or none. The card tells the colour, the dark print upon it the face."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astray import Card, find_card
from vision.atlas import Wanted, locate
from vision.colours import Light, to_lab
from vision.face_teaching import TaughtFaces, teach
from vision.faces import FaceModel, cut_tiles, find_ink, load_faces, normalise, with_prior
from vision.frame import Image
from vision.layout import PieceSpec, PlaceSpec
from vision.occlusion import is_covered
from vision.reading import Kind, Reading
from vision.rectify import Matrix
from vision.shades import Shades
from vision.view import Reader, Table, View

KINDS = (Kind.CELL,)

CARD_INK = 0.25
"""What is darker than this belongs to the print of a tile or a cell."""
FACE_DOWN = "back"
"""The colour of a tile that lies face down."""
ASKEW = "askew"
"""The colour that cells are said to show across which a tile lies."""
ASKEW_SHARE = 0.98
"""How likely it is then that it does."""
DARKEST = 6
"""So many points of a cell may be darker than what counts as its darkest: specks and noise."""
SAMPLES = 14
"""Points along each side of a cell: enough to tell its colour and whether it changed."""
SPAN = 0.8
"""Width of that, in tiles: what surely lies on the tile."""
EMPTY_SIGMA_LAB = (9.0, 3.5, 4.5)
"""How much an empty cell's look strays: more in lightness, because of shadows."""
PRINTED_CONTRAST = 0.22
"""The print of a tile is darker than its card by at least this share; nothing else on a board is."""
PLAIN_CONTRAST = 0.13
"""A tile that lies face down shows no print: hardly anything on it is darker than the rest by this share."""
RIM_INK = 0.3
"""A print lies in the middle of its tile: with more dark things than this on the rim it is the edge of something."""
FINE_RIM_INK = 0.02
"""The same of a print so fine that it is hardly dark."""
MOST_BLURRED, MOST_BLURRED_FLAT = 0.72, 0.8
"""Print has edges: of all that is dark, at most this share is only half dark. Folds and knuckles have none. On a card
as flat as a back it may be a little more: a word in a picture of few pixels."""
LEAST_STEP = 0.14
"""The steepest step of a print, against the brightness of the card."""
FINE_STEP = 0.08
"""The same of a print too fine for the picture, which is grey in it."""
SHARP_STEP = 0.35
"""A step as steep as this is an edge, however thin the print."""
UNEVEN_SHARE, MOST_UNEVEN, PLAIN_UNEVEN = 0.7, 8.0, 2.2
"""A card is flat: this share of its points strays less than so much in lightness; a back strays even less."""
HAND_NEIGHBOURS = 2
"""With so many covered cells beside it a cell is taken to be covered too."""
HAND_CELLS = 4
"""A hand covers at least so many cells; one beside it that looks otherwise than before is then under it as well."""
UNSEEN = -1
UNLIKE_LOG_ODDS = -12.0
"""What does not look printed is no tile with a face, whatever its colour."""
SLEEVE_LOG_ODDS = 6.0
"""How much likelier than a sleeve of the same colour the next best content must be to be believed."""
PATTERN_LAB = 4.0
"""An empty cell shows its own print; where that differs more than this, something covers it."""
PATTERN_LIGHT = Light((0.5, 0.5, 0.5))
"""The light in which that is asked. Cells may be lighter than all else on a board, which is what the light is told by:
in the reference light their print is then lost in white."""
PATTERN_STRENGTH = 0.4
"""The same where less than this share of it is left."""
BARE_STRENGTH, BARE_SHARE, LEAST_PRINT_LAB = (0.5, 1.4), 0.9, 1.0
"""A cell is bare that shows its own print: between so much of it, and otherwise different by less than a share of it. A
print weaker than the last, on average, proves nothing. A tile with the same symbol shows two or three times as much."""
STRANGE_LOG_DENSITY = -14.5
"""What looks less than this like anything that can lie here is something else: a sleeve, a coaster."""
STRANGE_SHARE = 0.02
WEIGHT = 1.5
"""How much a cell's colour counts; below one pixel each, since a cell's pixels all say the same."""
TILE_LOG_PROB = math.log(0.02)
"""Cells less likely than this to hold a tile are not read."""
SAME_LEVELS = 4.0
"""A tile whose pixels differ less than this from the last frame's still shows the same face."""


def make(table: Table) -> Reader:
    """The reader of all cells of a table."""
    faces = load_faces()
    prints = table.calibration.prints
    if not prints:
        return CellReader(table, faces)
    return CellReader(table, teach(faces, normalise(np.stack(list(prints.values())).astype(np.float32)), list(prints)))


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A face that was read, and from what."""

    bright: NDArray[np.uint8]
    """(SAMPLES, SAMPLES) the brightest channel: a print differs most in it."""
    table: dict[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class _Texture:
    """What cells look like apart from their colour, (cells,) each."""

    is_printed: NDArray[np.bool_]
    """There is dark print in the middle."""
    is_plain: NDArray[np.bool_]
    """There is none at all."""
    is_card: NDArray[np.bool_]
    """It is as flat as a back, and something is drawn on it, however fine."""
    is_altered: NDArray[np.bool_]
    """It is not the print of the empty cell."""
    is_bare: NDArray[np.bool_]
    """It is the print of the empty cell, whatever the light."""


def spread_hand(
    strange: NDArray[np.bool_], changed: NDArray[np.bool_], beside: Matrix
) -> NDArray[np.bool_]:
    """(cells,) that something strange covers, that lie between such cells, or that a hand beside them changed; `beside`
    (cells, cells) is 1 for cells that share an edge."""
    under = strange | (beside @ strange >= HAND_NEIGHBOURS)
    while np.count_nonzero(under) >= HAND_CELLS:
        # A hand is one thing: its edge may look like a tile, but lies beside the rest of it.
        more = changed & ~under & (beside @ under > 0)
        if not more.any():
            break
        under = under | more
    return np.asarray(under)


class CellReader:
    """All cells of one table, board by board."""

    def __init__(self, table: Table, faces: FaceModel | TaughtFaces) -> None:
        self._table = table
        self._faces = faces
        self._places: dict[str, tuple[PlaceSpec, ...]] = {}
        self._beside: dict[str, Matrix] = {}
        for name, piece in table.pieces.items():
            cells = tuple(place for place in piece.places if place.kind is Kind.CELL)
            if cells and name in table.calibration.matrices:
                self._places[name] = cells
                self._beside[name] = _edge_neighbours(cells)
        self._empty: dict[str, Matrix] = {}
        self._pattern: dict[str, Matrix] = {}
        """For each board, how the print of each cell differs from its ground."""
        self._has_pattern: dict[str, NDArray[np.bool_]] = {}
        """Which cells were empty when that was learnt."""
        self._shades = {
            name: Shades(table.calibration.colours, [one for one in cells[0].holds if one != FACE_DOWN])
            for name, cells in self._places.items()
        }
        """For each board, which colour a tile on it has."""
        self._known: dict[str, _Known] = {}
        self._clear = {name: np.full(len(places), UNSEEN) for name, places in self._places.items()}
        """For each cell the number of the likeliest content when it was last seen without a hand over it."""

    def wanted(self) -> Mapping[str, tuple[str, Wanted]]:
        out = {}
        for name, places in self._places.items():
            piece = self._table.pieces[name]
            points = [_around(piece, place, self._table.layout.items[place.item].size_mm) for place in places]
            heights = [self._table.layout.items[place.item].height_mm for place in places]
            out[f"cells.{name}"] = (name, Wanted(np.concatenate(points), np.repeat(heights, SAMPLES * SAMPLES)))
        return out

    def learn(self, view: View) -> None:
        """Remember how empty cells look; without a picture of them, from those that are bare."""
        for name in self._places:
            looks = to_lab(self._grounds(view, name)).astype(np.float64)
            self._empty[name] = looks if view.is_reference else _bare_looks(looks)
            self._pattern[name] = _pattern(self._dimmed(view, name))
            self._has_pattern[name] = (self._empty[name] == looks).all(axis=1)

    def read(self, view: View) -> Iterator[Reading]:
        for name, places in self._places.items():
            colours = self._colours(view, name)
            strange = colours[:, -1] > math.log(0.5)
            # A hand covers cells that lie together: what peeps out between its fingers is not believed either.
            under = self._under_hands(name, colours, strange)
            likely = np.flatnonzero(colours[:, 1:-1].max(axis=1) > TILE_LOG_PROB)
            fresh = self._changed(view, name, likely)
            beside = self._beside_middle(view, name, {*fresh, *map(int, np.flatnonzero(strange))}, strange)
            faces = self._read_faces(view, name, likely, fresh, beside)
            askew = self._across(name, beside)
            covered, free = view.covered[name], view.free[name]
            for index, place in enumerate(places):
                if index in askew:
                    yield _askew(place)
                    continue
                row = colours[index]
                values: dict[Hashable, float] = {None: float(row[0])}
                values.update({colour: float(row[1 + order]) for order, colour in enumerate(place.holds)})
                parts: dict[str, dict[Hashable, float]] = {"colour": values}
                if index in faces and max(values, key=lambda value: values[value]) != FACE_DOWN:
                    parts["face"] = {face: value for face, value in with_prior(faces[index], place.faces).items()}
                hidden = bool(under[index]) or is_covered(covered, free, place)
                yield Reading(place.name, Kind.CELL, parts, occluded=hidden, unfamiliar=bool(strange[index]))

    def _under_hands(self, name: str, colours: Matrix, strange: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(cells,) that a hand covers, given what each looks like and which look like nothing known."""
        likeliest, clear = colours[:, :-1].argmax(axis=1), self._clear[name]
        under = spread_hand(strange, (clear != UNSEEN) & (likeliest != clear), self._beside[name])
        clear[~under] = likeliest[~under]
        return under

    def _samples(self, view: View, name: str) -> Image:
        """(cells, SAMPLES, SAMPLES, 3) as the camera saw them."""
        return view.pixels[f"cells.{name}"].reshape(-1, SAMPLES, SAMPLES, 3)

    def _dimmed(self, view: View, name: str) -> Image:
        """(cells, SAMPLES, SAMPLES, 3) under the reference light made darker."""
        lit = view.lights[name].then(PATTERN_LIGHT).apply(view.pixels[f"cells.{name}"][None])
        return lit.reshape(-1, SAMPLES, SAMPLES, 3)

    def _grounds(self, view: View, name: str) -> Image:
        """(cells, 3) uint8: each cell's ground under the reference light, whatever is printed on it."""
        samples = self._samples(view, name)
        ink = find_ink(samples.max(axis=3).astype(np.float32))
        grounds = np.array([_ground(cell, mask) for cell, mask in zip(samples, ink < CARD_INK, strict=True)], np.uint8)
        return np.asarray(view.lights[name].apply(grounds[None])[0], np.uint8)

    def _colours(self, view: View, name: str) -> Matrix:
        """(cells, 1 + colours + 1): log-probabilities of nothing, of each colour, and of something strange."""
        grounds, texture = self._grounds(view, name), self._texture(view, name)
        names = self._table.colours.names
        columns = [names.index(colour) for colour in self._places[name][0].holds]
        cards = self._table.colours.pixels(grounds)[:, columns].astype(np.float64)
        off = (to_lab(grounds) - self._empty[name]) / np.array(EMPTY_SIGMA_LAB)
        norm = sum(math.log(sigma) for sigma in EMPTY_SIGMA_LAB) + 1.5 * math.log(2 * math.pi)
        empty = -0.5 * np.square(off).sum(axis=1) - norm
        is_back = np.array([colour == FACE_DOWN for colour in self._places[name][0].holds])
        unlike = np.where(is_back[None, :], ~texture.is_plain[:, None], ~texture.is_printed[:, None])
        unlike = np.column_stack([texture.is_altered, unlike | texture.is_bare[:, None]])
        known = WEIGHT * np.column_stack([empty, cards])
        # A shadow may have any tint, and a white cell in it the colour of a tile.
        known[:, 0] = np.where(texture.is_bare, known.max(axis=1), known[:, 0])
        logs = _believed(known, unlike)
        strange = logs[:, -1] > math.log(0.5)
        # A print may be too fine for the picture. A sleeve of the same colour is larger than one cell.
        fits = known[:, 1:].max(axis=1) > WEIGHT * STRANGE_LOG_DENSITY
        lone = strange & fits & texture.is_card & (self._beside[name] @ strange == 0)
        if lone.any():
            logs = _believed(known, unlike & ~(lone[:, None] & np.concatenate([[False], ~is_back])))
        faces = np.flatnonzero(~is_back) + 1
        logs[:, faces] = self._shades[name].split(grounds, logs[:, faces], WEIGHT)
        return np.asarray(logs, dtype=np.float64)

    def _texture(self, view: View, name: str) -> _Texture:
        """What the print of each cell looks like, apart from its colour."""
        samples = self._samples(view, name)
        bright = samples.max(axis=3).astype(np.float32)
        ink = find_ink(bright)
        flat = bright.reshape(len(bright), -1)
        card = np.median(flat, axis=1)
        dark = np.partition(flat, DARKEST, axis=1)[:, DARKEST]
        contrast = (np.maximum(card, np.quantile(flat, 0.7, axis=1)) - dark) / np.maximum(card, 1.0)
        rim = np.concatenate([ink[:, 0], ink[:, -1], ink[:, 1:-1, 0], ink[:, 1:-1, -1]], axis=1)
        now, then = _pattern(self._dimmed(view, name)), self._pattern[name]
        strength = (now * then).sum(axis=(1, 2)) / np.maximum((then * then).sum(axis=(1, 2)), 1.0)
        apart, print_lab = np.abs(now - then).mean(axis=(1, 2)), np.abs(then).mean(axis=(1, 2))
        is_altered = (apart > PATTERN_LAB) | (strength < PATTERN_STRENGTH)
        is_altered &= self._has_pattern[name]
        least, most = BARE_STRENGTH
        is_bare = (strength > least) & (strength < most) & (apart < BARE_SHARE * print_lab)
        is_bare &= (print_lab > LEAST_PRINT_LAB) & self._has_pattern[name]
        dark_share = np.maximum((ink > 0.2).sum(axis=(1, 2)), 1)
        blurred = ((ink > 0.2) & (ink < 0.6)).sum(axis=(1, 2)) / dark_share
        steepest = np.maximum(
            np.abs(np.diff(bright, axis=1)).max(axis=(1, 2)), np.abs(np.diff(bright, axis=2)).max(axis=(1, 2))
        )
        lightness = _pattern(view.lit(f"cells.{name}", name).reshape(samples.shape))[:, :, 0]
        uneven = _unevenness(lightness, (ink < CARD_INK).reshape(len(ink), -1))
        is_printed = (contrast >= PRINTED_CONTRAST) & ((rim > 0.35).mean(axis=1) <= RIM_INK)
        most_blurred = np.where(uneven <= PLAIN_UNEVEN, MOST_BLURRED_FLAT, MOST_BLURRED)
        has_edges = (blurred <= most_blurred) & (steepest >= LEAST_STEP * card) | (steepest >= SHARP_STEP * card)
        is_printed &= has_edges & (uneven <= MOST_UNEVEN)
        # A word in small letters is grey from afar; but it stands alone on a card as flat as a back, and has edges.
        is_printed |= (
            (contrast >= PLAIN_CONTRAST) & (uneven <= PLAIN_UNEVEN) & (steepest >= LEAST_STEP * card)
            & ((rim > 0.35).mean(axis=1) <= FINE_RIM_INK)
        )
        is_flat = uneven <= PLAIN_UNEVEN
        is_card = is_flat & (steepest >= FINE_STEP * card)
        return _Texture(is_printed, (contrast < PLAIN_CONTRAST) & is_flat, is_card, is_altered, is_bare)

    def _changed(self, view: View, name: str, likely: NDArray[np.intp]) -> list[int]:
        """Those of some cells that do not look as they did when their face was read."""
        bright, changed = self._samples(view, name).max(axis=3), []
        for index in map(int, likely):
            known, now = self._known.get(self._places[name][index].name), bright[index]
            if known is None or cv2.norm(known.bright, now, cv2.NORM_L1) >= SAME_LEVELS * now.size:
                changed.append(index)
        return changed

    def _read_faces(
        self, view: View, name: str, likely: NDArray[np.intp], fresh: list[int], beside: Mapping[int, Card]
    ) -> dict[int, dict[str, float]]:
        """The faces of the cells that hold a tile, where it lies if that is `beside` the middle; only the `fresh` ones
        are read, the others are known."""
        if fresh:
            bright = self._samples(view, name).max(axis=3)
            cut = cut_tiles(view.image, self._corners(view, name, fresh, beside))
            for index, row in zip(fresh, self._faces.log_probs(normalise(cut)), strict=True):
                place = self._places[name][index].name
                self._known[place] = _Known(bright[index], self._faces.table(row))
        return {int(index): self._known[self._places[name][index].name].table for index in likely}

    def _beside_middle(
        self, view: View, name: str, doubtful: set[int], strange: NDArray[np.bool_]
    ) -> dict[int, Card]:
        """For some cells the card that lies near their middle and not in it. Under a hand nothing lies."""
        if not doubtful or np.count_nonzero(strange) >= HAND_CELLS:
            return {}
        places, names = self._places[name], self._table.colours.names
        cards = [names.index(colour) for colour in places[0].holds if colour != FACE_DOWN]
        height_mm = self._table.layout.items[places[0].item].height_mm
        found = {
            index: find_card(view, name, places[index], self._tile(name), height_mm, self._table.colours, cards)
            for index in sorted(doubtful)
        }
        return {index: card for index, card in found.items() if card is not None}

    def _across(self, name: str, beside: Mapping[int, Card]) -> set[int]:
        """The cells across which a tile lies."""
        places, tile = self._places[name], self._tile(name)
        covered = {index for card in beside.values() if card.is_astray for index in card.covers(places, tile)}
        for index in covered:
            # Looked at again in the next frame.
            self._known.pop(places[index].name, None)
        return covered

    def _tile(self, name: str) -> tuple[float, float]:
        """A tile's size in fractions of a board."""
        size_mm = self._table.layout.items[self._places[name][0].item].size_mm
        wide_mm, high_mm = self._table.pieces[name].size_mm
        return size_mm / wide_mm, size_mm / high_mm

    def _corners(
        self, view: View, name: str, indices: list[int], beside: Mapping[int, Card]
    ) -> NDArray[np.float64]:
        """(n, 4, 2) pixels: the corners of a tile's top on each of these cells, or `beside` their middle."""
        piece = self._table.pieces[name]
        corners, heights = [], []
        for index in indices:
            place = self._places[name][index]
            item = self._table.layout.items[place.item]
            half = np.array([item.size_mm / edge / 2 for edge in piece.size_mm])
            at = (beside[index].u, beside[index].v) if index in beside else place.at
            corners.append(np.array(at) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
            heights += [item.height_mm] * 4
        wanted = Wanted(np.concatenate(corners), np.array(heights))
        return locate(view.camera, view.poses[name], view.matrices[name], wanted).reshape(-1, 4, 2)


def _believed(known: Matrix, unlike: NDArray[np.bool_]) -> Matrix:
    """(cells, contents + 1) log-probabilities of contents and of something strange, given how well the colour of each
    content fits and where its print does not."""
    # The right colour without the right print is a sleeve, a hand, a coaster.
    strange = np.maximum(
        WEIGHT * STRANGE_LOG_DENSITY + math.log(STRANGE_SHARE),
        np.where(unlike, known - SLEEVE_LOG_ODDS, -np.inf).max(axis=1),
    )
    evidence = np.column_stack([known + UNLIKE_LOG_ODDS * unlike, strange])
    evidence -= evidence.max(axis=1, keepdims=True)
    return np.asarray(evidence - np.log(np.exp(evidence).sum(axis=1, keepdims=True)))


def _askew(place: PlaceSpec) -> Reading:
    """What is said of a cell that a tile covers which does not lie on it."""
    other = math.log((1 - ASKEW_SHARE) / (1 + len(place.holds)))
    values: dict[Hashable, float] = {None: other, **dict.fromkeys(place.holds, other), ASKEW: math.log(ASKEW_SHARE)}
    return Reading(place.name, Kind.CELL, {"colour": values})


def _around(piece: PieceSpec, place: PlaceSpec, size_mm: float) -> Matrix:
    """(SAMPLES², 2) fractions of the piece: points of a tile on this place, row by row."""
    steps = ((np.arange(SAMPLES) + 0.5) / SAMPLES - 0.5) * SPAN
    width, height = (size_mm / edge for edge in piece.size_mm)
    u, v = np.meshgrid(steps * width + place.at[0], steps * height + place.at[1])
    return np.stack([u.ravel(), v.ravel()], axis=1)


def _edge_neighbours(cells: tuple[PlaceSpec, ...]) -> Matrix:
    """(cells, cells): 1 where two cells share an edge."""
    at, size = np.array([cell.at for cell in cells]), np.array([cell.size for cell in cells])
    apart = np.abs(at[:, None] - at[None]) / size[:, None]
    return np.asarray((apart.sum(axis=2) < 1.3) & (apart.sum(axis=2) > 0.5), np.float64)


def _ground(pixels: Image, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(3,) the middling colour of a cell's ground."""
    chosen = pixels[mask] if mask.sum() > 20 else pixels.reshape(-1, 3)
    return np.asarray(np.median(chosen, axis=0), np.float64)


def _pattern(lit: Image) -> Matrix:
    """(cells, SAMPLES², 3): Lab of every point against the middling one of its cell, which a shadow does not change."""
    lab = to_lab(lit).reshape(len(lit), SAMPLES * SAMPLES, 3).astype(np.float64)
    return np.asarray(lab - np.median(lab, axis=1, keepdims=True))


def _unevenness(lightness: Matrix, on_card: NDArray[np.bool_]) -> Matrix:
    """(cells,) how far the points of a card (cells, points) stray from its middling one. Print that covers half of a
    card must not count: the middling point of all is then one at its edge."""
    ordered = np.sort(np.where(on_card, lightness, np.inf), axis=1)
    middle = ordered[np.arange(len(ordered)), np.maximum(on_card.sum(axis=1) - 1, 0) // 2]
    apart = np.abs(lightness - np.where(np.isfinite(middle), middle, 0.0)[:, None])
    return np.asarray(np.quantile(np.where(on_card, apart, 0.0), UNEVEN_SHARE, axis=1))


def _bare_looks(looks: Matrix) -> Matrix:
    """The look of empty cells when some hold tiles: the print is paler than any card, and much the same all over."""
    chroma = np.hypot(looks[:, 1], looks[:, 2])
    pale = looks[chroma <= np.quantile(chroma, 0.3) + 4.0]
    usual = np.median(pale, axis=0)
    near = np.linalg.norm((looks - usual) / np.array(EMPTY_SIGMA_LAB), axis=1) < 3.0
    return np.where(near[:, None], looks, usual)
