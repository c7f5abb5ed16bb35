"""The surface of a board that no tile ever covers: a grey card for the light, a ruler for where the board lies, and the
first to show that a hand is over it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.atlas import Wanted
from vision.colours import Light, half_sample_modes, match_light, to_lab, to_linear, white_light
from vision.frame import Image
from vision.layout import Layout, PieceSpec
from vision.reading import Kind
from vision.rectify import Matrix

DARK_GROUND = 1.3
"""A board whose spaces are this much brighter than what surrounds them has a dark ground."""
CARD = 48
"""Points along each side of a board."""
LIGHT_SPOTS = 300
"""So many spots are enough to tell the light."""
FEWEST_BOARDS, OTHER_TINT = 3, 0.4
"""From so many boards on most of them tell which tint a frame has; the log of gains by which one may differ from it."""
DAZZLED_LEVEL = 250
"""From this level on a camera cannot tell how bright something is."""
DAZZLED_SHARE = 0.1
"""More than this share of a board's white at that level, and its tint cannot be told."""
PALE_SHARE = 0.4
"""Paper is no duller than this: the share by which its weakest channel stays behind the strongest."""
COVERED_LAB = 11.0
"""A spot of print that looks this different from its reference, however shaded, has something upon it."""
SAME_LEVELS = 6
"""A spot whose levels (of 255) all differ by no more than this is not looked at any closer."""
SHADOWS = (0.22, 1.35)
"""How much a shadow or a lamp's reflection changes the brightness of print, at the most."""
SMALLEST_HAND_SPOTS = 14
DENSE_SHARE = 0.34
"""Under a hand most bare spots look strange; a camera's noise makes some strange everywhere."""
NEIGHBOURHOOD = (5, 5)
QUIET_SHARE, NOISE_REACH, MOST_NOISE = 0.3, 2.6, 2.4
"""A hand leaves this share of a board's bare spots in sight; noise goes about so far beyond what these show, and it is
allowed for up to so many times the usual difference."""
_LINEAR = np.asarray(to_linear(np.arange(256) / 255.0) + 0.002, dtype=np.float32)


def card_points() -> Matrix:
    """(CARD², 2) fractions of a board, row by row."""
    steps = (np.arange(CARD) + 0.5) / CARD
    return np.array([[u, v] for v in steps for u in steps])


def card_wanted() -> Wanted:
    """The points as the atlas wants them."""
    return Wanted(card_points(), np.zeros(CARD * CARD))


def never_covered(piece: PieceSpec, layout: Layout, lean: Matrix) -> NDArray[np.bool_]:
    """(CARD²,) which points no piece on any place can hide. `lean` is how far (in fractions) a tile's top appears
    shifted from its foot in the picture, as (2,)."""
    points = card_points()
    free = np.ones(len(points), dtype=bool)
    for place in piece.places:
        if place.kind is Kind.COUNTER:
            continue
        item = layout.items[place.item]
        half = np.maximum(np.array(place.size) / 2, np.array([item.size_mm / edge for edge in piece.size_mm]) * 0.62)
        low = np.minimum(np.array(place.at) - half, np.array(place.at) - half + lean)
        high = np.maximum(np.array(place.at) + half, np.array(place.at) + half + lean)
        free &= ~((points >= low) & (points <= high)).all(axis=1)
    return free


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """The card of one board as its reference picture shows it."""

    free: NDArray[np.bool_]
    """(CARD²,) never covered by a tile."""
    reference: Image
    """(CARD², 3) under the light of the picture it was learnt from."""
    reference_light: Light
    """What brings that picture to the reference light."""


def learn_card(pixels: Image, free: NDArray[np.bool_]) -> Card:
    """The card from the first picture of a table."""
    return Card(free, pixels, white_light(paper(pixels, free)))


def paper(pixels: Image, free: NDArray[np.bool_]) -> Image:
    """The pixels (N, 3) of a board by which its white is judged: its bare surface, or where that is dark and the spaces
    upon it are not, the palest of all that is bright."""
    bare = pixels[free]
    if len(bare) and np.quantile(pixels.max(axis=1), 0.9) < DARK_GROUND * np.quantile(bare.max(axis=1), 0.9):
        return bare
    brightest = pixels.max(axis=1).astype(np.float64)
    bright = brightest >= 0.75 * np.quantile(brightest, 0.97)
    dullness = (brightest - pixels.min(axis=1)) / np.maximum(brightest, 1.0)
    return np.asarray(pixels[bright & (dullness <= np.median(dullness[bright]))], dtype=np.uint8)


def share_white(cards: Mapping[str, Card], coloured: Collection[str]) -> dict[str, Card]:
    """The cards, those of coloured boards under the light that the white boards of the same table tell."""
    white = [np.log(card.reference_light.gains) for name, card in cards.items() if name not in coloured]
    if not white:
        return dict(cards)
    blue, green, red = map(float, np.exp(np.median(white, axis=0)))
    usual = Light((blue, green, red))
    return {
        name: replace(card, reference_light=usual) if name in coloured else card for name, card in cards.items()
    }


def printed_alike(pieces: Mapping[str, PieceSpec], names: Collection[str]) -> list[list[str]]:
    """Those boards that have the same places at the same spots: their print is the same."""
    groups: dict[Hashable, list[str]] = {}
    for name in names:
        spots = tuple((place.at, place.size, place.prints) for place in pieces[name].places)
        groups.setdefault((pieces[name].size_mm, spots), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def share_tint(cards: Mapping[str, Card], alike: Collection[Collection[str]]) -> dict[str, Card]:
    """The cards, those of boards that dazzle the camera under lights that give them the tint of those printed alike:
    which of its print is the brightest each board tells for itself, and where the camera is dazzled it tells wrong.
    Where it is not, a board is believed: the same print may be on paper of another tint."""
    told = dict(cards)
    for names in alike:
        own = {name: np.log(cards[name].reference_light.gains) for name in names}
        for name in filter(lambda each: _is_dazzling(cards[each]), names):
            seen = np.mean([own[other] + _towards(cards[name], cards[other]) for other in names], axis=0)
            # How bright a board is depends on the gloss upon it, and stays its own.
            blue, green, red = map(float, np.exp(seen - seen.mean() + own[name].mean()))
            told[name] = replace(cards[name], reference_light=Light((blue, green, red)))
    return told


def _is_dazzling(card: Card) -> bool:
    """Whether much of what tells a board's white is brighter than the camera can tell."""
    white = paper(card.reference, card.free)
    return bool(len(white)) and float(np.mean(white.max(axis=1) >= DAZZLED_LEVEL)) > DAZZLED_SHARE


def _is_pale(pixels: Image) -> NDArray[np.bool_]:
    """(N,) which pixels (N, 3) may show paper, in whatever light."""
    return np.asarray(pixels.min(axis=1) >= (1.0 - PALE_SHARE) * pixels.max(axis=1))


def _towards(card: Card, other: Card) -> Matrix:
    """(3,) logs of the gains, their mean being 1, that give one board the tint of another printed alike but for its
    player's colour: as most of the spots of their paper have it, not as their sum does."""
    both = np.flatnonzero(card.free & other.free)
    seen, wanted = card.reference[both], other.reference[both]
    # Where the paper dazzles the camera, the rims in the players' colours may be most of what it can tell.
    told = (np.maximum(seen, wanted) < DAZZLED_LEVEL).all(axis=1) & _is_pale(seen) & _is_pale(wanted)
    if card is other or np.count_nonzero(told) < LIGHT_SPOTS / 4:
        return np.zeros(3)
    ratios = np.log(_LINEAR[wanted[told]]) - np.log(_LINEAR[seen[told]])
    return half_sample_modes(np.sort((ratios - ratios.mean(axis=1, keepdims=True)).T.astype(np.float64), axis=1))


def light_of(card: Card, pixels: Image) -> Light:
    """What brings this frame's board to the reference light."""
    spots, reference = _light_spots(card)
    return match_light(pixels.take(spots, axis=0), reference).then(card.reference_light)


def one_tint(lights: Mapping[str, Light], cards: Mapping[str, Card]) -> dict[str, Light]:
    """The lights of boards in one frame; one whose tint has changed unlike that of the others is that of a hand or a
    sleeve over most of its board, and is taken to have changed as they have."""
    if len(lights) < FEWEST_BOARDS:
        return dict(lights)
    usual = np.log([cards[name].reference_light.gains for name in lights])
    changes = np.log([light.gains for light in lights.values()]) - usual
    middle = middle_of(changes)
    told = dict(lights)
    for name, was, tint in zip(lights, usual, np.ptp(changes - middle, axis=1), strict=True):
        if tint > OTHER_TINT:
            blue, green, red = map(float, np.exp(was + middle))
            told[name] = Light((blue, green, red))
    return told


def middle_of(rows: Matrix) -> Matrix:
    """The median of each column; numpy's own takes longer over a few rows than everything around it."""
    ordered = np.sort(rows, axis=0)
    return np.asarray((ordered[(len(rows) - 1) // 2] + ordered[len(rows) // 2]) / 2)


def covered_spots(card: Card, pixels: Image, light: Light) -> NDArray[np.bool_]:
    """(CARD, CARD): bare spots that something unknown covers. A shadow darkens print but leaves it what it is, and a
    hand is never small."""
    bare, reference = _lit_reference(card)
    lit = light.apply(pixels.take(bare, axis=0)[None])[0]
    blue, green, red = cv2.split(cv2.absdiff(lit, reference).reshape(1, -1, 3))
    some = np.flatnonzero(cv2.max(cv2.max(blue, green), red) > SAME_LEVELS)
    if len(some) < SMALLEST_HAND_SPOTS:
        return np.zeros((CARD, CARD), dtype=bool)
    now, then = _LINEAR.take(lit[some]), _LINEAR.take(reference[some])
    shade = np.einsum("ni,ni->n", now, then) / np.einsum("ni,ni->n", then, then)
    shade = np.minimum(np.maximum(shade, np.float32(SHADOWS[0])), np.float32(SHADOWS[1]))
    both = np.concatenate([now, then * shade[:, None]])
    # The straight end of the curve, below ten levels, makes no difference here.
    levels = np.float32(255 * 1.055) * np.asarray(cv2.pow(both, 1 / 2.4), dtype=np.float32) - np.float32(255 * 0.055)
    lab = to_lab(np.minimum(np.maximum(levels, np.float32(0.0)), np.float32(255.0)))
    away = lab[: len(some)] - lab[len(some) :]
    apart = np.zeros(len(lit), dtype=np.float32)
    apart[some] = np.sqrt(np.einsum("ni,ni->n", away, away))
    # Where even the quieter spots look strange, it is a camera's noise that makes them so.
    quiet = int(QUIET_SHARE * (len(apart) - 1))
    noisy = min(NOISE_REACH * float(np.partition(apart, quiet)[quiet]), MOST_NOISE * COVERED_LAB)
    unlike = apart > max(COVERED_LAB, noisy)
    if np.count_nonzero(unlike) < SMALLEST_HAND_SPOTS:
        return np.zeros((CARD, CARD), dtype=bool)
    spots = np.zeros(CARD * CARD, dtype=np.uint8)
    spots[bare] = unlike
    spots = _dense(spots.reshape(CARD, CARD), card.free.reshape(CARD, CARD))
    if not spots.any():
        return spots.astype(bool)
    # Places between bare spots belong to whatever surrounds them.
    joined = cv2.dilate(spots, np.ones((5, 5), np.uint8))
    count, labels = cv2.connectedComponents(joined)
    sizes = np.bincount(labels.ravel(), weights=spots.ravel(), minlength=count)
    return np.asarray((sizes[labels] >= SMALLEST_HAND_SPOTS) & (spots > 0))


@lru_cache(maxsize=32)
def _lit_reference(card: Card) -> tuple[NDArray[np.intp], Image]:
    """The numbers of a card's bare spots, and (spots, 3) how they look under the reference light."""
    bare = np.flatnonzero(card.free)
    return bare, np.asarray(card.reference_light.apply(card.reference[bare][None])[0], dtype=np.uint8)


@lru_cache(maxsize=32)
def _light_spots(card: Card) -> tuple[NDArray[np.intp], Image]:
    """The numbers of the spots by which a card's light is told, and (spots, 3) their reference."""
    bare = np.flatnonzero(card.free)
    some = bare[:: max(1, len(bare) // LIGHT_SPOTS)]
    return some, card.reference[some]


def _dense(unlike: NDArray[np.uint8], bare: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """(CARD, CARD): the strange spots around which most bare spots are strange."""
    strange = cv2.boxFilter(unlike, cv2.CV_32F, NEIGHBOURHOOD, normalize=False)
    seen = cv2.boxFilter(bare.astype(np.uint8), cv2.CV_32F, NEIGHBOURHOOD, normalize=False)
    return np.asarray(unlike * (strange >= DENSE_SHARE * seen), dtype=np.uint8)
