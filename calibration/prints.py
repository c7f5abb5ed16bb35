"""The prints of sample tiles: one picture of each face teaches the face reader an edition's own look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.geometry import Geometry
from vision.faces import cut_tiles
from vision.frame import Image
from vision.layout import Layout
from vision.recording import SampleTile


def sample_prints(
    picture: Image, tiles: Sequence[SampleTile], scale: float, geometry: Geometry, layout: Layout
) -> dict[str, NDArray[np.uint8]]:
    """Brightness (CUT_PX, CUT_PX) of each sample tile with a named face. `scale` fits people's taps to the picture."""
    named = [tile for tile in tiles if tile.face is not None]
    boards = [geometry.poses[name] for name in geometry.matrices]
    if not named or not boards:
        return {}
    # Samples lie on the board, or beside it the same way round.
    angle = max(boards, key=lambda pose: pose.size_mm[0]).angle_rad
    item = max(layout.items.values(), key=lambda item: item.size_mm)
    across = np.array([np.cos(angle), np.sin(angle)]) * item.size_mm / 2
    down = np.array([-np.sin(angle), np.cos(angle)]) * item.size_mm / 2
    outlines = []
    for tile in named:
        at_px = (tile.at_px[0] * scale, tile.at_px[1] * scale)
        middle = geometry.camera.to_plane([at_px], item.height_mm)[0]
        corners = [middle - across - down, middle + across - down, middle + across + down, middle - across + down]
        outlines.append(geometry.camera.project([[x, y, item.height_mm] for x, y in corners]))
    cuts = cut_tiles(picture, np.array(outlines, np.float64))
    return {str(tile.face): np.asarray(np.round(cut), np.uint8) for tile, cut in zip(named, cuts, strict=True)}
