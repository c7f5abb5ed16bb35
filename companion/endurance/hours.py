"""`companion endure hours`: simulated hours at high speed; memory must stay flat and no queue may grow."""

from __future__ import annotations

import tempfile
import time

import click

from companion.config import Settings
from companion.endurance.victim import WatchedSource
from companion.runtime.memory import keep_pictures_apart, memory_mb
from companion.runtime.table import Table
from companion.store.games import GameStore
from engine.registry import find_games

EVERY_S = 300.0
"""Simulated seconds between two lines of the table."""


@click.command()
@click.option("--hours", default=2.0, show_default=True, help="Simulated hours.")
@click.option("--readings", default="told", show_default=True, help="camera, or told (do not read pictures).")
@click.option("--game", default="azul", show_default=True)
@click.option("--seed", default=1, show_default=True)
def command(hours: float, readings: str, game: str, seed: int) -> None:
    """Let games follow one another for hours and watch memory and queues."""
    keep_pictures_apart()
    with tempfile.TemporaryDirectory(prefix="companion-hours-") as folder:
        settings = Settings(data=folder, readings=readings, game=game, seed=seed, speed=0.0, slips=0.0, pause_s=0.001,
                            haste=2.0, port=0)
        source = WatchedSource(settings)
        table = Table(settings, find_games(), GameStore(settings.data_folder), source)
        table.start()
        passed_s, last_t_s, due_s, truth = 0.0, 0.0, 0.0, None
        lines: list[tuple[float, float, int]] = []
        click.echo("simulated s  memory MB  waiting  game  moves")
        try:
            while passed_s < hours * 3600 and table.alive:
                time.sleep(0.05)
                if source.truth is None:
                    continue
                if source.truth is not truth:
                    truth, last_t_s = source.truth, 0.0
                now_s = truth.t_s
                passed_s, last_t_s = passed_s + max(0.0, now_s - last_t_s), now_s
                if passed_s >= due_s:
                    due_s = passed_s + EVERY_S
                    shown = table.snapshot()
                    lines.append((passed_s, memory_mb(), len(table.inbox)))
                    click.echo(f"{passed_s:>11.0f}  {lines[-1][1]:>9.1f}  {lines[-1][2]:>7}  "
                               f"{shown.game_number or 0:>4}  {len(shown.moves):>5}")
        finally:
            games = table.store.games()
            finished = [row for row in games if row.ended_s is not None]
            table.stop(20)
    settled = [memory for at_s, memory, _ in lines if at_s > min(1200.0, hours * 1200)]
    if settled:
        middle = sorted(settled)[len(settled) // 2]
        spread = max(abs(memory - middle) for memory in settled) / middle
        click.echo(f"games ended {len(finished)} of {len(games)}   memory {middle:.1f} MB ± {spread:.1%}   "
                   f"most waiting {max(waiting for _, _, waiting in lines)}")
