"""Glyphs that the project draws itself: numbers, letters, symbols and the joker, in as many styles as are asked for.

A glyph is ink from 0 to 1 in a square picture, upright, its height half of the picture's side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vision.glyphs.strokes import SKELETONS, Hand, Mask, Pen, draw_letter
from vision.glyphs.symbols import SYMBOLS, draw_symbol

FACES = (*SKELETONS, *SYMBOLS)
"""Every face there is: 1-9, A-I, nine symbols, the joker."""

SIDE_PX = 96
"""The side of a drawn glyph's picture."""
GLYPH_PX = SIDE_PX // 2


@dataclass(frozen=True, slots=True)
class Style:
    """One way to draw all faces alike."""

    name: str
    seed: int
    """Decides everything that the style leaves open."""
    font: str | None = None
    """A font built into OpenCV, or a font file; None for own strokes."""
    weight: int = 400
    is_serif: bool = False
    is_outline: bool = False
    is_contrasted: bool = False
    """Level strokes thinner than upright ones."""


def draw_glyph(face: str, style: Style) -> Mask:
    """The face in this style: the same picture every time."""
    rng = np.random.default_rng([style.seed, FACES.index(face)])
    if face in SYMBOLS:
        ink = draw_symbol(face, SIDE_PX, rng)
    elif style.font is not None:
        ink = _draw_font(face, style)
    else:
        habits = np.random.default_rng(style.seed)
        pen, hand = _habits(style, habits)
        ink = draw_letter(face, pen, hand, GLYPH_PX, rng)
    if style.is_outline and face != "joker":
        ink = _outline(ink, max(2, round(SIDE_PX * rng.uniform(0.02, 0.05))))
    return ink


def _habits(style: Style, rng: np.random.Generator) -> tuple[Pen, Hand]:
    """The pen and hand of a style of own strokes."""
    width = rng.uniform(0.42, 0.8)
    # A stroke much wider than a third of the glyph closes the holes of 8 and B.
    across = rng.uniform(0.055, 0.34 * width)
    level = across * rng.uniform(0.35, 0.7) if style.is_contrasted else across * rng.uniform(0.85, 1.0)
    pen = Pen(
        across=across,
        level=max(0.045, level),
        is_round=bool(rng.random() < 0.4) and not style.is_serif,
        serif=rng.uniform(0.05, 0.12) if style.is_serif else 0.0,
    )
    has_foot = bool(style.is_serif or rng.random() < 0.45)
    hand = Hand(
        width=width,
        squareness=rng.choice([2.0, 2.0, rng.uniform(2.0, 3.6)]),
        waist=rng.uniform(0.44, 0.56),
        opening=rng.uniform(32, 58),
        # It stands out from the stem, or it would be none.
        flag=across / 2 + rng.uniform(0.07, 0.2 if style.is_serif else 0.32),
        foot=rng.uniform(0.28, 0.5),
        # A level flag without a foot would make it a 7.
        flag_slope=rng.uniform(0.15 if has_foot else 0.5, 1.0),
        has_barred_i=bool(not style.is_serif and rng.random() < 0.25),
        has_foot=has_foot,
        has_open_four=bool(rng.random() < 0.12),
        bowl=rng.uniform(0.28, 0.35),
        tail_deg=rng.uniform(15, 65),
        has_straight_six=bool(rng.random() < 0.25),
        has_flat_three=bool(rng.random() < 0.12),
        has_curved_seven=bool(rng.random() < 0.3),
        has_crossed_seven=bool(rng.random() < 0.12),
        has_flat_apex=bool(rng.random() < 0.25),
        has_spur=bool(rng.random() < 0.4),
        has_crossed_g=bool(rng.random() < (0.7 if style.is_serif else 0.1)),
        wobble=rng.choice([0.0, 0.01, 0.025]),
        # As narrow as a serif or as wide as a typewriter's.
        bar=across / 2 + rng.uniform(0.06, 0.26),
    )
    return pen, hand


@cache
def _font(name: str) -> cv2.FontFace:
    return cv2.FontFace(name)


def _draw_font(face: str, style: Style) -> Mask:
    """A character of a font, scaled to the height of a glyph."""
    assert style.font is not None
    font, size = _font(style.font), GLYPH_PX * 3 // 2
    side = 3 * size
    canvas = np.zeros((side, side, 3), np.uint8)
    cv2.putText(canvas, face, (side // 3, side * 2 // 3), (255, 255, 255), font, size, style.weight)
    grey = canvas[..., 0]
    rows, columns = np.flatnonzero(grey.any(axis=1)), np.flatnonzero(grey.any(axis=0))
    if not len(rows):
        raise ValueError(f"the font {Path(style.font).name} has no '{face}'")
    cut = grey[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = GLYPH_PX / cut.shape[0]
    small = cv2.resize(cut, (max(1, round(cut.shape[1] * scale)), GLYPH_PX), interpolation=cv2.INTER_AREA)
    ink = np.zeros((SIDE_PX, SIDE_PX), np.float32)
    wide = min(small.shape[1], SIDE_PX)
    left, top = (SIDE_PX - wide) // 2, (SIDE_PX - GLYPH_PX) // 2
    ink[top : top + GLYPH_PX, left : left + wide] = small[:, :wide] / 255.0
    return ink


def _outline(ink: Mask, width_px: int) -> Mask:
    """Only the rim of a shape."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * width_px + 1, 2 * width_px + 1))
    return np.asarray(np.clip(ink - cv2.erode(ink, kernel), 0.0, 1.0), np.float32)
