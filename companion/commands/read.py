"""`companion read`: what lies on the table in one picture."""

from __future__ import annotations

import json
from pathlib import Path

import click
import cv2

from calibration.calibrate import calibrate
from companion.complaints import complain
from companion.reconcile.start import seen_table, starting_state
from companion.replay import Start, calibrate_recording, open_recording
from companion.runtime.pictures import mask_secret, secret_of
from vision.draw import draw_overlay
from vision.frame import Frame
from vision.observe import Observer
from vision.pictures import read_picture


@click.command()
@click.argument("picture", type=click.Path(path_type=Path))
@click.option("--recording", "folder", required=True, type=click.Path(path_type=Path),
              help="A recording folder; its recording.json says what is on the table and where people tapped.")
@click.option("--start", type=click.Choice([each.value for each in Start]), default=Start.SAMPLES.value,
              show_default=True, help="What of the set-up may be used; with 'taps', PICTURE itself is all there is.")
@click.option("--as", "form", type=click.Choice(["notation", "json"]), default="notation", show_default=True)
@click.option("--overlay", type=click.Path(path_type=Path), help="Save the picture with what was read drawn on it.")
def command(picture: Path, folder: Path, start: str, form: str, overlay: Path | None) -> None:
    """Read one PICTURE of a table and print its position."""
    with complain():
        recording, played = open_recording(folder)
        image = read_picture(picture)
        if Start(start) is Start.TAPS:
            calibration = calibrate(played.layout, recording.setup.taps, first=image)
        else:
            calibration = calibrate_recording(recording, played, Start(start))
        observation = Observer(played.layout, calibration).observe(Frame(image, 0))
        if not observation.trusted:
            raise click.ClickException(f"{picture}: the picture cannot be used ({observation.why}); take it again")
        if overlay is not None:
            shown = mask_secret(image, secret_of(played.layout, calibration), calibration.size_px[0])
            cv2.imwrite(str(overlay), draw_overlay(shown, played.layout, calibration, observation))
        if form == "json":
            click.echo(json.dumps(seen_table(observation), ensure_ascii=False))
        else:
            state = starting_state(played, recording.start_player, observation)
            click.echo(played.game.format_position(state))
