"""`companion endure kills`: the plug is pulled at random moments; nothing that was shown may be missing afterwards.

A process of its own runs the companion on the simulated table and prints every snapshot it published. It is killed
without warning, started again on the same folder, and so on; in the end the game is played out.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import click

from companion.store.games import GameStore
from engine.registry import find_games
from engine.replay import replay

READY_S = 180.0
END_S = 600.0


@dataclass(slots=True)
class KillFigures:
    """What came of it."""

    kills: int = 0
    acknowledged: int = 0
    """Entries that a phone had been shown before a kill."""
    lost: list[str] = field(default_factory=list)
    """Those that were not there afterwards."""
    games: int = 0
    """Games that were played to their end …"""
    exact: int = 0
    """… with the score of the true table."""
    damaged: int = 0
    """Starts at which the store had something to complain about."""
    is_stuck: bool = False
    """Whether the game that went on after the last kill did not come to its end …"""
    last_told: str = ""
    """… and what the phone showed last."""


class Victim:
    """The companion in a process of its own, telling what it shows."""

    def __init__(self, folder: Path, seed: int) -> None:
        command = [sys.executable, "-m", "companion.endurance.victim", str(folder), str(seed)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            for line in stdout:
                # The last line of a killed process may be torn: nobody has read it.
                if line.endswith("\n"):
                    self.lines.put(json.loads(line))
        self.lines.put(None)

    def kill(self) -> None:
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def next(self, timeout_s: float) -> dict[str, Any] | None:
        """The next thing it tells; None when it has ended or says nothing for so long."""
        try:
            return self.lines.get(timeout=timeout_s)
        except queue.Empty:
            return None


def stored(folder: Path, number: int) -> list[str]:
    """The notations of all entries of a game, as the disk has them."""
    store = GameStore(folder)
    try:
        row = store.game(number)
        return [] if row is None else [entry.notation for entry in store.journal(row).entries]
    finally:
        store.close()


def run(folder: Path, kills: int, seed: int) -> KillFigures:
    """Kill again and again, then let the last game end."""
    figures, chance = KillFigures(), Random(seed)
    shown: dict[int, list[str]] = {}
    while True:
        victim = Victim(folder, seed)
        last = figures.kills >= kills
        first = victim.next(READY_S)
        due_s = time.monotonic() + (END_S if last else chance.uniform(0.0, 4.0))
        ended = False
        while first is not None and time.monotonic() < due_s:
            told = victim.next(max(0.01, due_s - time.monotonic()))
            if told is None:
                break
            shown[told["game"]] = told["entries"]
            figures.last_told = (f"{len(told['entries'])} entries, phase {told['phase']}, {told['verdict']}, "
                                 f"question {told['question']}")
            figures.damaged += bool(told["troubles"])
            if told["over"]:
                figures.games += 1
                figures.exact += told["scores"] == told["truth"]
                ended = True
                if last:
                    break
        victim.kill()
        while (rest := victim.next(5.0)) is not None:
            shown[rest["game"]] = rest["entries"]
        for number, entries in shown.items():
            kept = stored(folder, number)
            figures.acknowledged = max(figures.acknowledged, sum(map(len, shown.values())))
            if kept[: len(entries)] != entries:
                figures.lost.append(f"game {number}: shown {len(entries)} entries, kept {len(kept)}")
        if last:
            figures.is_stuck = not ended
            return figures
        figures.kills += 1


def check_replays(folder: Path) -> int:
    """How many of the kept games can be replayed without a step that does not fit."""
    store, games = GameStore(folder), find_games()
    try:
        return sum(replay(games[row.header.game], store.journal(row)).refusal is None for row in store.games())
    finally:
        store.close()


@click.command()
@click.option("--kills", default=200, show_default=True, help="How often the plug is pulled.")
@click.option("--seed", default=1, show_default=True)
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="A folder in which the games stay.")
def command(kills: int, seed: int, keep: Path | None) -> None:
    """Pull the plug at random moments: nothing that was shown may be lost."""
    with nullcontext(keep) if keep is not None else tempfile.TemporaryDirectory(prefix="companion-kills-") as folder:
        figures = run(Path(folder), kills, seed)
        replayed = check_replays(Path(folder))
    click.echo(f"kills {figures.kills}   entries shown {figures.acknowledged}   lost {len(figures.lost)}   "
               f"games ended {figures.games}   with the exact score {figures.exact}   replayed {replayed}   "
               f"starts with a damaged store {figures.damaged}")
    for line in figures.lost:
        click.echo(line)
    if figures.is_stuck:
        click.echo(f"the game that went on after the last kill did not end: {figures.last_told}")
    if figures.lost or figures.is_stuck or figures.exact < figures.games:
        raise SystemExit(1)
