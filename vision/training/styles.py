"""The styles that the face reader learns from, and those kept aside to see whether it can read what it never saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from vision.glyphs import FACES, Style, draw_glyph
from vision.glyphs.strokes import Mask

FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path("/Library/Fonts"))
WEIGHTS = (250, 400, 550, 700, 850)
HANDS = 1000
"""Styles of own strokes: many rather than many pictures of each, since a print on a table is in yet another style."""


def training_styles(seed: int = 1) -> list[Style]:
    """Own strokes of every kind, and one family of fonts that comes with OpenCV."""
    rng = np.random.default_rng(seed)
    styles = [
        Style(
            f"strokes-{number}",
            seed=1000 + number,
            is_serif=bool(rng.random() < 0.42),
            is_contrasted=bool(rng.random() < 0.4),
            is_outline=bool(rng.random() < 0.06),
        )
        for number in range(HANDS)
    ]
    return styles + [
        Style(
            f"{font}-{weight}-{number}", seed=20_000 + 10 * weight + number + (font == "italic") * 5, font=font,
            weight=weight,
        )
        for font in ("sans", "italic")
        for weight in WEIGHTS
        for number in range(5)
    ]


def tuning_styles() -> list[Style]:
    """Neither learnt from nor reported on: they only tell how far the network's probabilities can be trusted."""
    return [
        Style(f"tuning-{number}", seed=9000 + number, is_serif=number % 3 == 0, is_contrasted=number % 2 == 0)
        for number in range(12)
    ]


def held_out_styles() -> list[Style]:
    """A font of another family, and strokes with other seeds and therefore other pens and hands."""
    styles = [Style(f"uni-{number}", seed=5000 + number, font="uni") for number in range(4)]
    styles += [Style(f"held-sans-{number}", seed=6000 + number) for number in range(8)]
    styles += [Style(f"held-thin-{number}", seed=6500 + number, is_contrasted=True) for number in range(4)]
    return styles + [
        Style(f"held-serif-{number}", seed=7000 + number, is_serif=True, is_contrasted=number % 2 == 0)
        for number in range(8)
    ]


def found_styles() -> list[Style]:
    """The fonts of this machine, none of which was used in training; which ones there are differs between machines."""
    files = sorted(path for folder in FONT_FOLDERS if folder.is_dir() for path in folder.rglob("*.ttf"))
    styles = [Style(path.stem, seed=8000 + number, font=str(path)) for number, path in enumerate(files)]
    return [style for style in styles if _has_all_faces(style)]


def _has_all_faces(style: Style) -> bool:
    """Whether a font draws a different picture for each number and letter (a font of pictograms does not)."""
    try:
        pictures = {draw_glyph(face, style).tobytes() for face in FACES[:18]}
    except ValueError:
        return False
    return len(pictures) == 18


def draw_styles(styles: Sequence[Style]) -> Iterator[list[Mask]]:
    """Every face in each style, one style after another: all of them at once would fill a small machine's memory."""
    for style in styles:
        yield [draw_glyph(face, style) for face in FACES]
