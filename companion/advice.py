"""How good a set-up is, in sentences: what was measured, and what to do where it is poor."""

from __future__ import annotations

import math
from collections.abc import Iterator

from vision.calibration import Calibration, Quality

REMEDIES = {
    "board-unclear": "The print of {piece} is hard to make out: move the lamp so that the board does not shine, "
                     "check its corners, and set up again.",
    "board-small": "{piece} is small in the picture: hang the camera lower, or use a larger picture.",
    "board-too-bright": "{piece} is too bright for the camera: dim the lamp, turn it away, or let the camera expose "
                        "for a shorter time, and set up again.",
    "too-oblique": "The camera looks at the table from too far aside: hang it more above the middle.",
    "too-dark": "The picture is dark: switch on a lamp above the table.",
    "colours-close": "Two tile colours look much alike in this light: use a whiter lamp, or show sample tiles of each "
                     "colour.",
}
"""For each kind of advice of a calibration, what to do."""


def remedies(quality: Quality) -> list[str]:
    """What to do where the set-up is poor; empty where it is good."""
    found = []
    for key in quality.advice:
        kind, _, piece = key.partition(":")
        found.append(REMEDIES[kind].format(piece=piece))
    return found


def report(calibration: Calibration) -> Iterator[str]:
    """Lines for a person: figures first, then what to do."""
    quality = calibration.quality
    width, height = calibration.size_px
    yield f"picture {width} × {height}, camera tilted by {math.degrees(calibration.camera.tilt_rad):.0f}°"
    yield f"printed lines are met within {quality.error_px:.2f} pixels"
    for piece, share in quality.support.items():
        yield f"  {piece:<8} {share:4.0%} of its lines found"
    if quality.colour_separation is not None:
        yield f"the two closest tile colours are {quality.colour_separation:.1f} spreads apart"
    told = remedies(quality)
    yield from told or ["The set-up is good."]
