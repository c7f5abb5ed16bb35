"""`companion record`: a sitting as a recording that can be replayed at once."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import click

from companion.complaints import complain
from companion.config import ConfigError, load_settings
from companion.runtime.sources import make_source
from companion.runtime.table import Table
from companion.store.games import GameStore
from engine.registry import find_games


@click.command(name="record")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--seconds", type=float, help="Stop after so long; without it, at Ctrl+C.")
@click.option("--source", help="simulated, webcam or pi.")
@click.option("--data", type=str, help="The folder in which games and tables are kept.")
@click.option("--record-mb", type=int, help="The most that the recording may take, in megabytes.")
@click.option("--speed", type=float, help="Simulated table: how many times faster than real; 0: as fast as can be.")
@click.option("--readings", help="Simulated table: camera, or told (do not read pictures).")
@click.option("--width-px", type=int, help="The width of the camera's picture.")
@click.option("--height-px", type=int, help="The height of the camera's picture.")
def command(folder: Path, seconds: float | None, **flags: Any) -> None:
    """Follow the game under way and keep its pictures in a new FOLDER: only those in which something changed."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    try:
        settings = load_settings(flags=flags)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    if folder.exists() and any(folder.iterdir()):
        raise click.ClickException(f"{folder} is not empty; name a new folder for the recording")
    with complain():
        table = Table(settings, find_games(), GameStore(settings.data_folder), make_source(settings))
        table.recorder.wanted = folder
        table.start()
        until_s = None if seconds is None else time.monotonic() + seconds
        try:
            while not stopping.wait(0.2) and (until_s is None or time.monotonic() < until_s):
                if not table.alive or table.recorder.full:
                    break
        finally:
            table.stop(20)
    if table.recorder.folder is None:
        raise click.ClickException("there is no game to record: set one up first, with companion run")
    click.echo(f"{table.recorder.folder}: {table.recorder.count} frames, {table.recorder.megabytes:.1f} MB")
