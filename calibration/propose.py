"""Finds boards and discs in one picture without a single tap, for people to confirm or drag into place.

Boards are found by their print. Once one is known, so is the camera, and everything else has a known size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.calibrate import scale_tap, shrink
from calibration.finding import LOOKS_A_BOARD, Found, find_boards, find_sized
from calibration.geometry import GRID, SIGMA_BOARD_PX
from calibration.rims import Round, find_rims
from vision.frame import Image
from vision.layout import Layout, PieceSpec
from vision.pose import Camera, Sighting, solve_camera
from vision.recording import CornersTap, DiscTap, PolygonTap, Tap
from vision.rectify import Matrix, apply, homography_from

WIDTH_PX = 2000
"""A larger picture is shrunk to this before it is looked at."""
FEW_PLACES = 4
"""A board with fewer places shows too little print to be recognised before the camera is known."""
FAR_AWAY = 2.2
"""A disc farther from the middle of them all than so many times the usual is none."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was found."""

    taps: Mapping[str, Tap]
    """Pieces as if people had tapped them."""
    confidence: Mapping[str, float]
    """For each, 0 to 1."""


def propose(image: Image, layout: Layout) -> Proposal:
    """Boards first, then discs, then the area between the discs. Players are numbered clockwise from the board nearest
    to the lower edge of the picture; what is not found is simply missing."""
    scale = min(1.0, WIDTH_PX / image.shape[1])
    picture = shrink(image, scale)
    boards = _all_boards(picture, layout)
    taps: dict[str, Tap] = {}
    confidence: dict[str, float] = {}
    for name, board in boards.items():
        first, second, third, fourth = ((float(x), float(y)) for x, y in board.corners)
        taps[name], confidence[name] = CornersTap((first, second, third, fourth)), board.score
    discs = [piece for piece in layout.pieces if piece.frame == "disc"]
    if boards and discs:
        camera = _camera(picture, layout, boards)
        rims = _find_discs(picture, camera, discs[0], [board.corners for board in boards.values()], len(discs))
        for piece, (tap, support) in zip(discs, rims, strict=False):
            taps[piece.name], confidence[piece.name] = tap, support
        area = next((piece for piece in layout.pieces if piece.frame == "polygon" and piece.player is None), None)
        between = _between([tap for tap, _ in rims])
        if area is not None and between is not None:
            taps[area.name], confidence[area.name] = between, 0.5
    return Proposal({name: scale_tap(tap, 1.0 / scale) for name, tap in taps.items()}, confidence)


def _all_boards(picture: Image, layout: Layout) -> dict[str, Found]:
    """Every board that is found, under its name: those with much print first, for they tell where the camera is."""
    found: dict[str, Found] = {}
    for kind in sorted(_kinds(layout), key=lambda kind: -len(kind[0].places)):
        here = _of_one_kind(picture, layout, kind, found)
        found.update(zip((piece.name for piece in kind), _clockwise(here, picture.shape[0]), strict=False))
    return found


def _of_one_kind(
    picture: Image, layout: Layout, kind: Sequence[PieceSpec], others: Mapping[str, Found]
) -> list[Found]:
    """Boards that look alike. One is enough to know the camera, and then the rest are known by their size as well,
    which takes a tenth of the time."""
    piece, looks = kind[0], LOOKS_A_BOARD * len(kind)
    if others or len(piece.places) < FEW_PLACES:
        return _sized(picture, layout, kind, [], others)
    here = find_boards(picture, piece, 1, looks)
    here += _sized(picture, layout, kind, here, others)
    if 0 < len(here) < len(kind):
        here = max(here, find_boards(picture, piece, len(kind), looks), key=len)
        here += _sized(picture, layout, kind, here, others)
    return here


def _sized(
    picture: Image, layout: Layout, kind: Sequence[PieceSpec], here: Sequence[Found], others: Mapping[str, Found]
) -> list[Found]:
    """The boards of one kind that are still missing, if a camera is known."""
    known = {**others, **{piece.name: one for piece, one in zip(kind, here, strict=False)}}
    if not known or len(here) == len(kind):
        return []
    camera = _camera(picture, layout, known)
    return find_sized(picture, kind[0], len(kind) - len(here), camera, [one.corners for one in known.values()])


def _kinds(layout: Layout) -> list[list[PieceSpec]]:
    """Boards that look alike belong together."""
    kinds: dict[tuple[object, ...], list[PieceSpec]] = {}
    for piece in layout.pieces:
        if piece.frame == "corners":
            look = tuple((place.at, place.size, place.kind) for place in piece.places)
            kinds.setdefault((piece.size_mm, look), []).append(piece)
    return list(kinds.values())


def _clockwise(boards: Sequence[Found], height_px: int) -> list[Found]:
    """As seen from above, beginning with the one nearest to the lower edge."""
    if not boards:
        return []
    middles = np.array([board.corners.mean(axis=0) for board in boards])
    centre = middles.mean(axis=0) if len(boards) > 1 else np.array([middles[0][0], height_px / 2])
    angles = np.arctan2(middles[:, 1] - centre[1], middles[:, 0] - centre[0])
    start = float(angles[int(middles[:, 1].argmax())])
    return [boards[index] for index in np.argsort((angles - start) % (2 * math.pi))]


def _camera(picture: Image, layout: Layout, boards: Mapping[str, Found]) -> Camera:
    pieces = {piece.name: piece for piece in layout.pieces}
    sightings = {
        name: Sighting(pieces[name].size_mm, pieces[name].thickness_mm, GRID,
                       apply(homography_from(board.corners), GRID), SIGMA_BOARD_PX)
        for name, board in boards.items()
    }
    return solve_camera(sightings, picture.shape[1], picture.shape[0]).camera


def _find_discs(
    picture: Image, camera: Camera, piece: PieceSpec, boards: Sequence[Matrix], most: int
) -> list[tuple[DiscTap, float]]:
    """Circles of the known size on the table, clockwise from the top of the picture."""
    found = []
    for rim in find_rims(picture, camera, Round(piece.size_mm[0], piece.thickness_mm), boards, most):
        x_mm, y_mm = rim.middle_mm
        points = [[x_mm, y_mm, piece.thickness_mm], [x_mm + piece.size_mm[0] / 2, y_mm, piece.thickness_mm]]
        middle, edge = ((float(x), float(y)) for x, y in camera.project(points))
        found.append((DiscTap(middle, edge), rim.support))
    best = _together(found)
    if not best:
        return []
    middle_x, middle_y = np.mean([tap.centre_px for tap, _ in best], axis=0)

    def around(one: tuple[DiscTap, float]) -> float:
        x, y = one[0].centre_px
        return math.atan2(x - middle_x, middle_y - y) % (2 * math.pi)

    return sorted(best, key=around)


def _together(discs: list[tuple[DiscTap, float]]) -> list[tuple[DiscTap, float]]:
    """Without round things that lie far from where the others are: cups and bowls."""
    if len(discs) < 3:
        return discs
    middles = np.array([tap.centre_px for tap, _ in discs])
    away = np.linalg.norm(middles - np.median(middles, axis=0), axis=1)
    return [disc for disc, distance in zip(discs, away, strict=True) if distance < FAR_AWAY * np.median(away)]


def _between(discs: Sequence[DiscTap]) -> PolygonTap | None:
    """The area between the discs: through their middles, drawn in to their inner rims."""
    if len(discs) < 3:
        return None
    centre = np.mean([tap.centre_px for tap in discs], axis=0)
    inner = []
    for tap in discs:
        out = np.array(tap.centre_px) - centre
        radius = math.dist(tap.centre_px, tap.rim_px)
        inner.append(centre + out * max(0.4, 1.0 - 0.85 * radius / max(float(np.linalg.norm(out)), 1.0)))
    hull = cv2.convexHull(np.array(inner, dtype=np.float32)).reshape(-1, 2)
    return PolygonTap(tuple((float(x), float(y)) for x, y in hull))
