"""`companion calibrate`: set a table up from a recording, say how good that is, and keep it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np

from calibration import store
from calibration.propose import Proposal, propose
from companion.advice import report
from companion.complaints import complain
from companion.replay import Start, calibrate_recording, first_picture, open_recording
from companion.runtime.pictures import mask_secret, secret_of, secret_outlines
from vision.draw import draw_overlay, draw_taps
from vision.frame import Frame, Image
from vision.observe import Observer
from vision.pictures import read_picture
from vision.recording import CornersTap, DiscTap, PolygonTap, Recording, Tap

SAME_SHARE = 0.02
"""What is found this near to a tap, as a share of the picture's width, is what was tapped."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--start", type=click.Choice([each.value for each in Start]), default=Start.SAMPLES.value,
              show_default=True, help="What of the set-up may be used: everything, the empty picture, only the taps.")
@click.option("--propose", "proposing", is_flag=True,
              help="Leave the taps aside: find boards and discs on the picture, and print them as taps.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep the calibration in this file.")
@click.option("--overlay", type=click.Path(path_type=Path), help="Save the picture with what was found drawn on it.")
def command(folder: Path, start: str, proposing: bool, out: Path | None, overlay: Path | None) -> None:
    """Set the table of the recording in FOLDER up, and say how good the set-up is and what would make it better."""
    with complain():
        recording, played = open_recording(folder)
        picture = _picture(recording, Start(start))
        if proposing:
            if out is not None:
                raise click.UsageError("--propose only finds places for people to confirm; it makes no calibration")
            found = propose(picture, played.layout)
            click.echo(json.dumps(_as_places(found), indent=1))
            missing = [piece.name for piece in played.layout.pieces if piece.name not in found.taps]
            if missing:
                click.echo(f"not found, to be tapped by hand: {', '.join(missing)}", err=True)
            click.echo(_held_against(found.taps, recording.setup.taps, picture.shape[1]), err=True)
            if overlay is not None:
                areas = {name: np.array(tap.points_px) for name, tap in recording.setup.taps.items()
                         if isinstance(tap, PolygonTap)}
                shown = mask_secret(picture, secret_outlines(played.layout, areas), picture.shape[1])
                cv2.imwrite(str(overlay), draw_taps(shown, found.taps))
            return
        calibration = calibrate_recording(recording, played, Start(start))
        for line in report(calibration):
            click.echo(line)
        if out is not None:
            store.save(calibration, out)
            click.echo(f"kept in {out}")
        if overlay is not None:
            observation = Observer(played.layout, calibration).observe(Frame(picture, 0))
            shown = mask_secret(picture, secret_of(played.layout, calibration), calibration.size_px[0])
            cv2.imwrite(str(overlay), draw_overlay(shown, played.layout, calibration, observation))


def _picture(recording: Recording, start: Start) -> Image:
    """The picture that the table is set up from."""
    if recording.setup.empty is not None and start is not Start.TAPS:
        return read_picture(recording.setup.empty)
    return first_picture(recording)


def _held_against(found: Mapping[str, Tap], tapped: Mapping[str, Tap], width_px: int) -> str:
    """How many of the boards and discs that people tapped were found. Who sits where is not asked: any board of the
    same place counts, but its corners must be named as its owner does."""
    parts = []
    for kind, called in ((CornersTap, "boards"), (DiscTap, "discs")):
        wanted = [tap for tap in tapped.values() if isinstance(tap, kind)]
        near = [any(_apart(one, tap) < SAME_SHARE * width_px for one in found.values() if isinstance(one, kind))
                for tap in wanted]
        parts += [f"{sum(near)} of {len(wanted)} {called}"] if wanted else []
    return f"found where people tapped: {', '.join(parts)}"


def _apart(one: Tap, other: Tap) -> float:
    return max(math.dist(first, second) for first, second in zip(_marks(one), _marks(other), strict=True))


def _marks(tap: Tap) -> tuple[tuple[float, float], ...]:
    """What two taps of the same thing have in common: a rim may be tapped anywhere."""
    return (tap.centre_px,) if isinstance(tap, DiscTap) else tap.points_px


def _as_places(found: Proposal) -> dict[str, dict[str, Any]]:
    """`setup.places` of a recording."""
    return {name: _as_place(tap) for name, tap in found.taps.items()}


def _as_place(tap: Tap) -> dict[str, Any]:
    if isinstance(tap, DiscTap):
        return {"centre": _rounded(tap.centre_px), "rim": _rounded(tap.rim_px)}
    return {"corners" if isinstance(tap, CornersTap) else "polygon": [_rounded(point) for point in tap.points_px]}


def _rounded(point: tuple[float, float]) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]
