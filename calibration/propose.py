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
from calibration.discs import refine_disc
from calibration.finding import Found, find_boards, find_sized
from calibration.geometry import GRID, SIGMA_BOARD_PX
from vision.frame import Image
from vision.layout import Layout, PieceSpec
from vision.pose import Camera, Sighting, solve_camera
from vision.recording import CornersTap, DiscTap, PolygonTap, Tap
from vision.rectify import Matrix, apply, homography_from

WIDTH_PX = 2000
"""A larger picture is shrunk to this before it is looked at."""
FEW_PLACES = 4
"""A board with fewer places shows too little print to be recognised before the camera is known."""
RIM_SUPPORT = 0.55
FAR_AWAY = 2.2
"""A disc farther from the middle of them all than so many times the usual is none."""
AROUND_MM = 300.0
"""Discs are looked for so far around the boards."""


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
    kinds = sorted(_kinds(layout), key=lambda kind: -len(kind[0].places))
    for kind in kinds:
        here: list[Found] = []
        if len(kind[0].places) >= FEW_PLACES:
            here = find_boards(picture, kind[0], len(kind))
        known = {**found, **{piece.name: one for piece, one in zip(kind, here, strict=False)}}
        if known and len(here) < len(kind):
            camera = _camera(picture, layout, known)
            taken = [one.corners for one in known.values()]
            here += find_sized(picture, kind[0], len(kind) - len(here), camera, taken)
        found.update(zip((piece.name for piece in kind), _clockwise(here, picture.shape[0]), strict=False))
    return found


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
    found: list[tuple[DiscTap, float]] = []
    outlines = [board.astype(np.float32) for board in boards]
    for x_mm, y_mm in _circles_mm(picture, camera, piece, boards)[: 4 * most]:
        at_px = camera.project([[x_mm, y_mm, piece.thickness_mm]])[0]
        point = (float(at_px[0]), float(at_px[1]))
        if any(cv2.pointPolygonTest(outline, point, False) >= 0 for outline in outlines):
            continue
        disc = refine_disc(picture, camera, point, piece)
        middle, rim = camera.project(disc.pose.points_mm([[0.5, 0.5], [1.0, 0.5]]))
        apart = all(math.dist(tap.centre_px, middle) > math.dist(middle, rim) for tap, _ in found)
        if disc.support >= RIM_SUPPORT and apart:
            tap = DiscTap((float(middle[0]), float(middle[1])), (float(rim[0]), float(rim[1])))
            found.append((tap, disc.support))
    best = _together(sorted(found, key=lambda one: -one[1])[:most])
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


def _circles_mm(picture: Image, camera: Camera, piece: PieceSpec, boards: Sequence[Matrix]) -> list[Matrix]:
    """Middles of circles of a disc's size, in a view from straight above of a pixel a millimetre."""
    height, width = picture.shape[:2]
    corners = camera.to_plane([[0, 0], [width, 0], [width, height], [0, height]])
    reach = np.concatenate([camera.to_plane(board) for board in boards])
    low = np.maximum(corners.min(axis=0), reach.min(axis=0) - AROUND_MM)
    high = np.minimum(corners.max(axis=0), reach.max(axis=0) + AROUND_MM)
    grid_x, grid_y = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
    points = np.column_stack([grid_x.ravel(), grid_y.ravel(), np.full(grid_x.size, piece.thickness_mm)])
    pixels = (camera.project(points) - 0.5).astype(np.float32).reshape(*grid_x.shape, 2)
    flat = cv2.remap(picture, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    grey = cv2.GaussianBlur(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), (0, 0), 1.0)
    radius = piece.size_mm[0] / 2
    circles = cv2.HoughCircles(
        grey, cv2.HOUGH_GRADIENT, 2, radius * 1.7, param1=80, param2=18, minRadius=round(radius * 0.93),
        maxRadius=round(radius * 1.07),
    )
    if circles is None:
        return []
    return list(low + np.asarray(circles, dtype=np.float64).reshape(-1, np.shape(circles)[-1])[:, :2])


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
