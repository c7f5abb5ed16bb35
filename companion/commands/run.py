"""`companion run`: the companion all evening, behind a camera or on the simulated table."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import click

from companion.complaints import complain
from companion.config import ConfigError, load_settings
from companion.runtime.evening import Evening, PortError
from companion.runtime.memory import keep_pictures_apart
from companion.runtime.notify import Watchdog, page_answers


@click.command(name="run")
@click.option("--config", "file", type=click.Path(path_type=Path), help="A settings file instead of the usual one.")
@click.option("--source", help="simulated, webcam, pi, or recording=FOLDER.")
@click.option("--host", help="The address to listen on; 0.0.0.0 lets phones on the same network join.")
@click.option("--port", type=int, help="The port of the pages.")
@click.option("--data", type=str, help="The folder for games, tables and recordings.")
@click.option("--game", help="Simulated table: the game to begin with.")
@click.option("--players", type=int, help="Simulated table: how many play.")
@click.option("--seed", type=int, help="Simulated table: the same seed gives the same games.")
@click.option("--speed", type=float, help="Simulated table and recordings: how many times faster than real.")
@click.option("--slips", type=float, help="Simulated table: the share of moves that go wrong at first.")
@click.option("--haste", type=float, help="Simulated table: how much quicker than usual the people are.")
@click.option("--readings", help="Simulated table: camera, or told (do not read pictures).")
@click.option("--pause-s", type=float, help="Simulated table: how long a finished game stays on show.")
@click.option("--width-px", type=int, help="The width of the camera's picture.")
@click.option("--height-px", type=int, help="The height of the camera's picture.")
@click.option("--fps", type=float, help="Pictures a second while something moves.")
def command(file: Path | None, **flags: Any) -> None:
    """Watch the table and serve the pages until told to stop."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    try:
        settings = load_settings(file, flags=flags)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    keep_pictures_apart()
    problem: click.ClickException | None = None
    with complain():
        evening = Evening(settings)
        try:
            evening.start()
            for line in evening.greeting():
                click.echo(line)
            watchdog = watchdog_of(evening)
            watchdog.ready(evening.join_url)
            while not stopping.wait(0.5):
                evening.tend()
                watchdog.tend()
            watchdog.stopping()
        except PortError as error:
            problem = click.ClickException(str(error))
        finally:
            ended = evening.stop()
    if not ended:
        # A thread inside a library cannot be interrupted, and nothing of ours is left to be written.
        if problem is not None:
            problem.show()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1 if problem is not None else 0)
    if problem is not None:
        raise problem


def watchdog_of(evening: Evening) -> Watchdog:
    """Signs of life to systemd, given while pages, table and camera loop are well."""
    host, table = evening.settings.host, evening.table
    port = evening.server.port if evening.server is not None else 0
    return Watchdog((lambda: table.alive, lambda: table.loop.alive, lambda: page_answers(host, port)))
