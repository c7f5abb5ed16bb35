"""What hides what on a board: tall tiles hide the print behind them, hands and sleeves hide anything."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.card import CARD
from vision.layout import Item, PieceSpec, PlaceSpec
from vision.pose import Camera, PiecePose
from vision.rectify import Matrix

ASKEW = 1.12
"""A tile lies askew or off its space: it may hide this many times its own width."""
COVERED_SHARE = 0.45


def shadow_on_board(
    camera: Camera, pose: PiecePose, piece: PieceSpec, at: tuple[float, float], item: Item, askew: float = ASKEW
) -> NDArray[np.float32]:
    """The outline, in fractions of the board, of all print that a tile on a place hides from the camera."""
    half = np.array([item.size_mm / edge / 2 * askew for edge in piece.size_mm])
    foot = np.array(at) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    seen = camera.project(pose.points_mm(foot, item.height_mm))
    top = pose.fractions(camera.to_plane(seen, pose.thickness_mm))
    hull = cv2.convexHull(np.concatenate([foot, top]).astype(np.float32))
    return np.asarray(hull, dtype=np.float32).reshape(-1, 2)


def neighbour_masks(
    camera: Camera, pose: PiecePose, piece: PieceSpec, places: Sequence[PlaceSpec], items: Sequence[Item],
    points: Matrix,
) -> dict[tuple[int, int], NDArray[np.bool_]]:
    """For each pair (place, neighbour): which of the place's points (places, n, 2) a tile on the neighbour hides."""
    masks: dict[tuple[int, int], NDArray[np.bool_]] = {}
    outlines = [
        shadow_on_board(camera, pose, piece, place.at, item) for place, item in zip(places, items, strict=True)
    ]
    low = points.min(axis=1)
    high = points.max(axis=1)
    for neighbour, outline in enumerate(outlines):
        touching = (low <= outline.max(axis=0)).all(axis=1) & (high >= outline.min(axis=0)).all(axis=1)
        for index in np.flatnonzero(touching):
            if index == neighbour:
                continue
            hidden = inside(outline, points[index])
            if hidden.any():
                masks[int(index), neighbour] = hidden
    return masks


def inside(outline: NDArray[np.float32], points: Matrix) -> NDArray[np.bool_]:
    """Which points lie inside a convex outline."""
    (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
    across, down = points[:, 0], points[:, 1]
    within: NDArray[np.bool_] = (across >= left) & (across <= right) & (down >= top) & (down <= bottom)
    # Most points lie far from most outlines: only the few beside one are held against its edges.
    near = np.flatnonzero(within)
    edge = np.roll(outline, -1, axis=0) - outline
    apart = points[near, None, :] - outline[None]
    turn = edge[None, :, 0] * apart[..., 1] - edge[None, :, 1] * apart[..., 0]
    within[near] = (turn >= 0).all(axis=1) | (turn <= 0).all(axis=1)
    return within


def is_covered(covered: NDArray[np.bool_], free: NDArray[np.bool_], place: PlaceSpec) -> bool:
    """True when most of the bare board around a place is hidden by something that is no tile."""
    return is_covered_at(covered, free, place.at, place.size)


def is_covered_at(
    covered: NDArray[np.bool_], free: NDArray[np.bool_], at: tuple[float, float],
    size: tuple[float, float] = (0.1, 0.1), share: float = COVERED_SHARE,
) -> bool:
    """The same for any point of a board, and any share of what is bare."""
    half_u, half_v = (max(3, round(edge * CARD * 0.9)) for edge in size)
    column, row = (int(where * CARD) for where in at)
    window = slice(max(0, row - half_v), row + half_v + 1), slice(max(0, column - half_u), column + half_u + 1)
    bare = free.reshape(CARD, CARD)[window]
    return bool(bare.any() and covered[window].sum() > share * bare.sum())
