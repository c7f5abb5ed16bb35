"""How the cards of a table are printed: each table has an edition of its own, as tables in the world do.

None of these styles is one that the reader of faces learnt from: what is read here is read for the first time.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from companion.simulation.glyphs import Colour
from vision.frame import Image
from vision.glyphs import FACES, SIDE_PX, Style, draw_glyph

FIRST_SEED = 40_000
"""Far from the seeds of every style that is learnt from."""
EDITIONS = 4
"""Every so many tables the print is of the same kind: the table's own strokes, a font, plain letters, serifs."""


def edition(seed: int) -> Style | None:
    """The print of the table with this seed; None for the strokes in which the simulated table draws by itself."""
    kind = (seed - 1) % EDITIONS
    if kind == 0:
        return None
    if kind == 1:
        return Style(f"font-{seed}", FIRST_SEED + seed, font="uni")
    return Style(f"strokes-{seed}", FIRST_SEED + seed, is_serif=kind == 3, is_contrasted=seed % 8 == 0)


def knows(face: str) -> bool:
    """Whether editions differ in how they print this."""
    return face in FACES


@cache
def _ink(face: str, style: Style) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return draw_glyph(face, style)


def print_face(image: Image, face: str, style: Style, x: float, y: float, radius: float, colour: Colour) -> None:
    """The face as an edition prints it, about as large as a circle of this radius. The rim of the picture is left out
    where the glyph would reach beyond it."""
    scale = 2.0 * radius * 1.75 / SIDE_PX
    matrix = np.array([[scale, 0.0, x - scale * (SIDE_PX - 1) / 2], [0.0, scale, y - scale * (SIDE_PX - 1) / 2]])
    small = cv2.GaussianBlur(_ink(face, style), (0, 0), max(0.3, 0.35 / scale))
    ink = cv2.warpAffine(small, matrix, image.shape[1::-1], flags=cv2.INTER_LINEAR)
    image[:] = (image + (np.array(colour) - image) * ink[:, :, None] + 0.5).astype(np.uint8)
