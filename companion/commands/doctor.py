"""`companion doctor`: what is wrong with this machine, what follows from it and what to do."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

import click

from companion.config import ConfigError, Settings, load_settings
from companion.health import Facts, check_all, check_names
from companion.runtime.loop import FrameWatch
from companion.runtime.sources import make_source
from companion.runtime.tables import Tables
from companion.store.games import GameStore
from vision.camera import CameraError
from web.contract import HealthView
from web.i18n import page_words

LOOK_S = 3.0
"""How long the camera is watched …"""
OPEN_S = 10.0
"""… once its first picture has come, for which it has this long."""


@click.command(name="doctor")
@click.option("--source", help="simulated, webcam, pi, or recording=FOLDER.")
@click.option("--data", type=str, help="The folder in which games are kept.")
@click.option("--language", type=click.Choice(["en", "nl", "fr"]), help="The language of the report.")
def command(**flags: Any) -> None:
    """Check camera, light, disk, temperature and clock, and say what to do."""
    try:
        settings = load_settings(flags=flags)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    findings = check_all(gather(settings))
    words = page_words(settings.language)
    if not findings:
        click.echo(words["health.well"])
    for finding in findings:
        click.echo(f"{words['health.level-' + finding.level]}: {sentence(words, finding)}")
    click.echo(f"({', '.join(check_names())})")
    if any(finding.level == "problem" for finding in findings):
        raise SystemExit(1)


def gather(settings: Settings) -> Facts:
    """Look at everything once; a live camera for a few seconds."""
    store = GameStore(settings.data_folder)
    tables = Tables(settings.data_folder / "tables").listed()
    facts = Facts(
        folder=settings.data_folder, source=settings.source_kind,
        calibrated_s=float(tables[0]["saved"]) if tables else None, troubles=tuple(store.troubles),
        lasting=store.lasting,
    )
    store.close()
    return watch_camera(settings, facts) if settings.source_kind in ("webcam", "pi") else facts


def watch_camera(settings: Settings, facts: Facts) -> Facts:
    """The facts with what a live camera delivers."""
    watch, vitals, first_s = FrameWatch(), None, None
    camera = make_source(settings).rig(None).camera
    until_s = time.monotonic() + OPEN_S
    detail = ""
    try:
        while time.monotonic() < (until_s if first_s is None else first_s + LOOK_S):
            try:
                frame = camera.read()
            except CameraError as error:
                detail = str(error)
                time.sleep(0.2)
                continue
            if frame is not None:
                first_s = first_s or time.monotonic()
                vitals = watch.note(frame, None)
    finally:
        camera.close()
    if vitals is None:
        return replace(facts, camera="lost", camera_detail=detail)
    return replace(facts, vitals=vitals)


def sentence(words: Any, finding: HealthView) -> str:
    """A finding in the words of the pages."""
    text = str(words[finding.key])
    return re.sub(r"\{([a-z_]+)\}", lambda match: str(finding.params.get(match[1], "")), text)
