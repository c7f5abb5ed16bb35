"""Geometry of a whole table from taps and one picture: every board on its print, one camera, every disc by its rim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.discs import refine_disc
from calibration.outlines import cut_of, outlines_of
from calibration.refine import (
    CLEARLY_BETTER,
    BoardFit,
    RefineError,
    likely_slides,
    line_score,
    pull,
    refine_board,
    settle,
)
from vision.frame import Image
from vision.layout import Layout, PieceSpec
from vision.pose import Camera, PiecePose, PoseError, Sighting, disc_sighting, homography, place_piece, solve_camera
from vision.recording import CornersTap, DiscTap, PolygonTap, Tap
from vision.rectify import Matrix, apply, homography_from

GRID = np.array([[u, v] for v in np.linspace(0.02, 0.98, 5) for u in np.linspace(0.02, 0.98, 5)])
SIGMA_BOARD_PX = 6.0
"""Large on purpose: the errors of one board's lines go together, so many lines prove little against a usual lens."""
SIGMA_TAP_PX = 8.0
ENOUGH_SPACES = 16
FEW_OUTLINES = 6
"""A board with fewer printed spaces than this is fitted by its edges."""
CUT_REACHES_FRACTION = (0.06, 0.045, 0.03, 0.022, 0.016, 0.011, 0.011)
"""How far an edge of such a board may be from where it is expected, step by step."""
AGREED_PX = 4.0
"""A board this close to where the whole table says it lies needs no second look."""


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """Where everything lies."""

    camera: Camera
    poses: Mapping[str, PiecePose]
    matrices: Mapping[str, Matrix]
    polygons_px: Mapping[str, Matrix]
    error_px: float
    support: Mapping[str, float]


def solve_geometry(image: Image, taps: Mapping[str, Tap], layout: Layout) -> Geometry:
    """Refine every tapped piece; RefineError or PoseError when the table cannot be made out."""
    height, width = image.shape[:2]
    pieces = {piece.name: piece for piece in layout.pieces}
    check_inside(taps, width, height)
    boards = {
        name: refine_board(image, tap.points_px, pieces[name])
        for name, tap in taps.items() if isinstance(tap, CornersTap)
    }
    if not boards:
        raise PoseError("no board was tapped: tap the four corners of at least one board")
    sightings = {name: _sighting(fit, pieces[name]) for name, fit in boards.items()}
    for name, tap in taps.items():
        if isinstance(tap, DiscTap):
            piece = pieces[name]
            sightings[name] = disc_sighting(
                tap.centre_px, tap.rim_px, piece.size_mm[0], piece.thickness_mm, SIGMA_TAP_PX * width / 1000
            )
    solution = solve_camera(sightings, width, height)
    boards = {
        name: _second_look(image, fit, homography(solution.camera, solution.poses[name]), pieces[name])
        for name, fit in boards.items()
    }
    solution = solve_camera({name: _sighting(fit, pieces[name]) for name, fit in boards.items()}, width, height)
    poses = dict(solution.poses)
    matrices = {name: fit.matrix for name, fit in boards.items()}
    support = {name: fit.support for name, fit in boards.items()}
    for name, tap in taps.items():
        if isinstance(tap, CornersTap) and outlines_of(pieces[name]).number < FEW_OUTLINES:
            poses[name] = _by_its_cut(image, solution.camera, homography_from(tap.points_px), pieces[name])
            matrices[name] = homography(solution.camera, poses[name])
    for name, tap in taps.items():
        if isinstance(tap, DiscTap):
            disc = refine_disc(image, solution.camera, tap.centre_px, pieces[name])
            poses[name], support[name] = disc.pose, disc.support
            matrices[name] = homography(solution.camera, disc.pose)
    polygons = {
        name: np.array(tap.points_px, dtype=np.float64) for name, tap in taps.items() if isinstance(tap, PolygonTap)
    }
    error = float(np.median([fit.error_px for fit in boards.values()]))
    return Geometry(solution.camera, poses, matrices, polygons, error, support)


def check_inside(taps: Mapping[str, Tap], width: int, height: int) -> None:
    """RefineError when a board lies largely outside the picture."""
    for name, tap in taps.items():
        if not isinstance(tap, CornersTap):
            continue
        points = np.array(tap.points_px)
        outside = ((points < -0.02 * width) | (points > np.array([width, height]) + 0.02 * width)).any(axis=1)
        if outside.any():
            raise RefineError(f"board {name} reaches outside the picture: move the camera or tap its corners again")


def pose_of(camera: Camera, matrix: Matrix, piece: PieceSpec) -> PiecePose:
    """The in-plane pose of a board whose print lies at `matrix`."""
    return place_piece(camera, Sighting(piece.size_mm, piece.thickness_mm, GRID, apply(matrix, GRID), SIGMA_BOARD_PX))


def _sighting(fit: BoardFit, piece: PieceSpec) -> Sighting:
    if len(fit.spaces) < ENOUGH_SPACES:
        return Sighting(piece.size_mm, piece.thickness_mm, GRID, apply(fit.matrix, GRID), SIGMA_BOARD_PX)
    return Sighting(piece.size_mm, piece.thickness_mm, fit.spaces, fit.spaces_px, SIGMA_BOARD_PX)


def _by_its_cut(image: Image, camera: Camera, tapped: Matrix, piece: PieceSpec) -> PiecePose:
    """Where a board lies on which little is printed, by its edges. It keeps its shape and size: a line that is printed
    along its edges pulls on all sides alike, and a tap that is off by itself counts for little. Where all taps are off
    to one side, a line on the board passes for its edge: then what is printed does not fall into place."""
    both, cut = outlines_of(piece, cut_weight=1.0), cut_of(piece)

    def pulled(start: Matrix) -> tuple[float, PiecePose]:
        pose = pose_of(camera, start, piece)
        for reach in CUT_REACHES_FRACTION:
            pose = pose_of(camera, pull(image, homography(camera, pose), cut, reach), piece)
        return line_score(image, homography(camera, pose), both), pose

    as_tapped, best = pulled(tapped), max(map(pulled, likely_slides(image, tapped, both)), key=lambda found: found[0])
    return (best if best[0] > as_tapped[0] + CLEARLY_BETTER else as_tapped)[1]


def _second_look(image: Image, fit: BoardFit, expected: Matrix, piece: PieceSpec) -> BoardFit:
    """A board that came out badly alone may settle from where the other boards say that it lies."""
    if float(np.linalg.norm(apply(fit.matrix, GRID) - apply(expected, GRID), axis=1).max()) < AGREED_PX:
        return fit
    lines = outlines_of(piece)
    again = settle(image, expected, lines)
    return again if line_score(image, again.matrix, lines) > line_score(image, fit.matrix, lines) + 1e-4 else fit
