"""How a place looks empty when nobody took a picture of the empty table: its sisters know.

Places that are printed alike look alike while they are empty; tiles on them differ in colour, or lie askew. So the
look that most sisters share is the empty one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import to_gamma, to_lab, to_linear
from vision.frame import Image
from vision.layout import PlaceSpec

SUIT_STEPS = 6
SUIT_SHARE = 0.55
"""At least so many of a board's places are taken to be empty when its light is matched."""
DARK_SHARE = 0.1
"""So much of a board's places is taken for their dark parts."""
_LINEAR = np.asarray(to_linear(np.arange(256) / 255.0), dtype=np.float64)

Bare = tuple[NDArray[np.float64], Image]
"""Points of a board that no tile covers, (N, 2) fractions, and their pixels (N, 3) under the reference light."""
BESIDE = 1.3
"""Bare board up to so many widths of a place away lies beside it."""
SMALL = 8
"""Places are compared at 8 × 8: fine print differs in sharpness between a near board and a far one."""
PALER = 0.006
"""Share of sisters that one step of chroma outweighs when the empty look is chosen."""
LESS_TILE_LIKE = 0.15
UNLIKE_AROUND = 0.008
MOST_DOUBT = 0.6
LOCAL_CROWD = 3
NOT_PURER = 4.0
QUITE_ANOTHER_LAB = 14.0
TO_A_HAIR_LAB = 3.0
ALIKE_LAB = 7.0
"""Places whose typical spot differs by no more than about this look the same."""


def borrow_all(
    places: Mapping[str, Sequence[PlaceSpec]], faces: Mapping[str, Image], bare: Mapping[str, Bare],
    tile_like: Mapping[str, NDArray[np.float64]],
) -> dict[str, Image]:
    """For each board, how its places look empty, from all places of the table that are printed alike.

    `bare` is the surface of each board that no tile covers; `tile_like` (0 to 1) says how much each place looks like a
    tile of some colour.
    """
    clear = _cleared(places, faces)
    empty = {name: looks.copy() for name, looks in faces.items()}
    groups: dict[tuple[Hashable, ...], list[tuple[str, int]]] = {}
    for name, specs in places.items():
        for index, place in enumerate(specs):
            groups.setdefault(sisterhood(place), []).append((name, index))
    for (printed, *_), members in groups.items():
        looks = np.stack([clear[name][index] for name, index in members])
        if printed is None:
            beside = [_beside(bare[name], [places[name][index] for one, index in members if one == name])
                      for name in {name for name, _ in members}]
            doubts = _unprinted_doubts(looks, np.concatenate(beside))
        else:
            doubts = _printed_doubts(looks, np.array([tile_like[name][index] for name, index in members]))
        look = borrow_empty(looks, doubts)
        for name, index in members:
            empty[name][index] = look
    return {name: _local(places[name], faces[name], suit(looks, faces[name])) for name, looks in empty.items()}


def _local(places: Sequence[PlaceSpec], faces: Image, empty: Image) -> Image:
    """Gloss or shade may lie on one board only: places of one board that agree among themselves are believed rather
    than those of other boards, unless they look like quite another thing, or purer or darker than print, as tiles do.
    Tiles never lie quite alike, though: plain places that agree to a hair are print."""
    better = empty.copy()
    for (printed, *_), members in _groups(places).items():
        looks = np.concatenate([faces[members], empty[members[:1]]])
        apart = distances(looks)
        crowd = apart[:-1, :-1] < ALIKE_LAB
        centre = int((crowd.sum(axis=1) - apart[-1, :-1] / QUITE_ANOTHER_LAB).argmax())
        alike = crowd[centre]
        if alike.sum() < max(LOCAL_CROWD, len(members) / 2) or apart[-1, centre] > QUITE_ANOTHER_LAB:
            continue
        look = np.median(faces[members][alike], axis=0)
        (here, there) = (to_lab(np.median(one.reshape(-1, 3), axis=0)[None])[0] for one in (look, empty[members[0]]))
        paler = np.hypot(*here[1:]) <= np.hypot(*there[1:]) + NOT_PURER and here[0] >= there[0] - NOT_PURER
        agreed = printed is None and float(np.median(apart[centre, :-1][alike])) < TO_A_HAIR_LAB
        if paler or agreed:
            better[members] = look
    return better


def _groups(places: Sequence[PlaceSpec]) -> dict[tuple[Hashable, ...], list[int]]:
    groups: dict[tuple[Hashable, ...], list[int]] = {}
    for index, place in enumerate(places):
        groups.setdefault(sisterhood(place), []).append(index)
    return groups


def borrow_on_board(
    places: Sequence[PlaceSpec], faces: Image, empty: Image, bare: NDArray[np.bool_]
) -> Image:
    """The looks of one board again, now that some of its places are known to be bare: these are the best sisters."""
    better = empty.copy()
    for members in _groups(places).values():
        known = [index for index in members if bare[index]]
        for index in members:
            others = [other for other in known if other != index]
            if others:
                better[index] = np.median(faces[others], axis=0)
    return better


def sisterhood(place: PlaceSpec) -> tuple[Hashable, ...]:
    """What places that are printed alike have in common. On a board that all players share, each has places in a colour
    of their own."""
    owner = place.name.split(".")[0]
    return place.prints, place.size, place.item, None if owner == place.piece else owner


def _printed_doubts(faces: Image, tile_like: NDArray[np.float64]) -> NDArray[np.float64]:
    """(places,) why a place in its tile's colour may be no print: print is paler than tiles are."""
    middle = to_lab(np.median(faces.reshape(len(faces), -1, 3), axis=1))
    chroma = np.hypot(middle[:, 1], middle[:, 2])
    return np.asarray(PALER * (chroma - chroma.min()) + LESS_TILE_LIKE * tile_like, dtype=np.float64)


def _beside(bare: Bare, places: Sequence[PlaceSpec]) -> Image:
    """(N, 3) pixels of the bare board right beside some places."""
    points, pixels = bare
    near = np.zeros(len(points), dtype=bool)
    for place in places:
        near |= (np.abs(points - np.array(place.at)) < np.array(place.size) * BESIDE).all(axis=1)
    return pixels[near]


def _unprinted_doubts(faces: Image, beside: Image) -> NDArray[np.float64]:
    """(places,) why a place without a picture may hold a tile: an empty one is plain, and like the board beside it."""
    if len(beside) == 0:
        return np.zeros(len(faces))
    cut = faces.shape[1] // 4
    # The darker half of a board's artwork is ornament; the brighter half is its paper.
    bright = beside[np.argsort(beside.sum(axis=1))[len(beside) // 2 :]]
    around = to_lab(np.median(bright, axis=0)[None])[0]
    inner = to_lab(np.ascontiguousarray(faces[:, cut:-cut, cut:-cut])).reshape(len(faces), -1, 3)
    unlike = np.linalg.norm(np.median(inner, axis=1) - around, axis=1)
    return np.asarray(np.minimum(MOST_DOUBT, UNLIKE_AROUND * (unlike + inner[..., 0].std(axis=1))), dtype=np.float64)


def borrow_empty(faces: Image, doubts: NDArray[np.float64]) -> Image:
    """(n, n, 3): how places printed alike look empty, from faces (places, n, n, 3) under one light.

    Most sisters are empty as a rule. Late in a round tiles of one colour may outnumber them: then `doubts`, in shares
    of sisters, tell which crowd is which.
    """
    apart = distances(faces)
    near = np.exp(-np.square(apart / ALIKE_LAB))
    centre = int((near.mean(axis=1) - doubts).argmax())
    alike = apart[centre] < 1.6 * ALIKE_LAB
    return np.asarray(np.median(faces[alike], axis=0), dtype=np.uint8)


def suit(empty: Image, faces: Image) -> Image:
    """Borrowed looks (places, n, n, 3) under the light of the board they are borrowed for.

    A board may lie in another shade, or in the gloss of a lamp that washes its print out: one gain and one haze for
    each channel explain that. Tiles on some of its places do not, so the places that fit worst are left out.
    """
    gain, haze = _washing(empty, faces)
    suited = np.clip(_LINEAR[empty] * gain + haze, 0.0, 1.0)
    return np.asarray(np.round(to_gamma(suited) * 255.0), dtype=np.uint8)


def _cleared(places: Mapping[str, Sequence[PlaceSpec]], faces: Mapping[str, Image]) -> dict[str, Image]:
    """The faces of boards that are printed alike, as the one shows them that is least in a lamp's gloss: otherwise the
    print of a clear board is purer than that of a washed-out one, as tiles are."""
    kinds: dict[Hashable, list[str]] = {}
    for name, specs in places.items():
        kinds.setdefault(tuple((place.at, *sisterhood(place)) for place in specs), []).append(name)
    clear = dict(faces)
    for names in kinds.values():
        # Gloss makes the dark parts of a print bright.
        clearest = min(names, key=lambda name: float(np.quantile(faces[name].max(axis=3), DARK_SHARE)))
        for name in names:
            if name != clearest:
                gain, haze = _washing(faces[clearest], faces[name])
                levels = np.clip((_LINEAR[faces[name]] - haze) / gain, 0.0, 1.0)
                clear[name] = np.asarray(np.round(to_gamma(levels) * 255.0), dtype=np.uint8)
    return clear


def _washing(then_faces: Image, now_faces: Image) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gain and the haze (3,) in linear light that turn the first faces (places, n, n, 3) into the second ones, as
    most places have it."""
    now = _LINEAR[now_faces].reshape(len(now_faces), -1, 3)
    then = _LINEAR[then_faces].reshape(len(now_faces), -1, 3)
    gain, haze = np.ones(3), np.zeros(3)
    for _ in range(SUIT_STEPS):
        miss = np.abs(np.sqrt(now) - np.sqrt(np.clip(then * gain + haze, 0.0, 1.0))).mean(axis=2)
        typical = np.median(miss, axis=1)
        fitting = typical <= np.quantile(typical, SUIT_SHARE)
        close = miss[fitting] <= np.quantile(miss[fitting], 0.8)
        for channel in range(3):
            x, y = then[fitting][close][:, channel], now[fitting][close][:, channel]
            # Relative errors: a dark print says as much about haze as a bright one about gain.
            weight = 1.0 / np.square(0.03 + x)
            mean_x, mean_y = np.average(x, weights=weight), np.average(y, weights=weight)
            spread = np.average(np.square(x - mean_x), weights=weight) + 1e-6
            slope = np.average((x - mean_x) * (y - mean_y), weights=weight) / spread
            gain[channel] = np.clip(slope, 0.6, 1.5)
            haze[channel] = np.clip(mean_y - gain[channel] * mean_x, -0.02, 0.2)
    return gain, haze


def distances(faces: Image) -> NDArray[np.float64]:
    """(places, places): the median difference of spots, in Lab, when both are brought to the same lightness."""
    small = np.stack([cv2.resize(face, (SMALL, SMALL), interpolation=cv2.INTER_AREA) for face in faces])
    lab = to_lab(small).reshape(len(faces), -1, 3)
    lightness = lab[..., 0] - 0.6 * (np.median(lab[..., 0], axis=1, keepdims=True) - np.median(lab[..., 0]))
    flat = np.concatenate([lightness[..., None], lab[..., 1:]], axis=2)
    rows = [np.median(np.linalg.norm(flat - one, axis=2), axis=1) for one in flat]
    return np.asarray(rows, dtype=np.float64)
