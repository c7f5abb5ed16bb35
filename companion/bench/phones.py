"""`companion bench phones`: many phones on event streams, some of which stopped reading, while the companion goes on.

The server runs in a process of its own, as at a table, with a whole companion beside it that watches its simulated
table: its memory and the rate of its camera are what is measured. What the phones are told is another game, of random
moves at a steady rate, each published as a whole snapshot. The phones are sockets here, each with an own address.
Both processes read the same clock, so the time from a snapshot to a phone is measured directly.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import selectors
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from random import Random
from typing import Any

import click

from companion.config import Settings
from companion.runtime.memory import keep_pictures_apart, memory_mb
from companion.runtime.sources import make_source
from companion.runtime.table import Table
from companion.store.games import GameStore
from engine.playout import random_move
from engine.registry import find_games
from web import WebConfig, create_app, serve
from web.contract import MoveView, PlayerView, Reply, Snapshot

FRAMES_A_SECOND = 10.0
READY_S = 300.0
"""Setting the simulated table up takes seconds, and minutes on a machine that is busy with other things."""
WARM_UP_S = 1.0
PUBLISHED = "published_ns"
"""The option under which a snapshot carries the moment it was published."""


@dataclass(frozen=True, slots=True)
class PhoneFigures:
    """What the phones and the server went through."""

    phones: int
    asleep: int
    snapshots: int
    heard: int
    """Snapshots received by all phones that read."""
    median_ms: float
    p95_ms: float
    worst_ms: float
    kilobytes: float
    """The size of the last snapshot as it was sent."""
    memory_mb: float
    """Of the whole companion, with all phones connected."""
    frames_a_second_before: float
    frames_a_second_with_phones: float
    stop_s: float


class PlayingTable:
    """A table that plays by itself and tells of every move; it obeys nothing."""

    def __init__(self, seed: int) -> None:
        games = find_games()
        self._game = games[next(iter(games))]
        self._random = Random(seed)
        self._listeners: list[Callable[[Snapshot], None]] = []
        self._version = 0
        self._restart()

    def _restart(self) -> None:
        self._state = self._game.new(max(self._game.players))
        self._moves: list[MoveView] = []

    def step(self) -> None:
        """One move or deal, published."""
        if self._game.is_over(self._state):
            self._restart()
        before = self._game.visible(self._state)
        move = random_move(self._game, self._state, self._random)
        self._state = self._game.play(self._state, move)
        after = self._game.visible(self._state)
        changes = {place: (before[place], after[place]) for place in after if before[place] != after[place]}
        number = len(self._moves) + 1
        self._moves.append(MoveView(number, number, self._game.round(self._state), self._game.player_of(move), "move",
                                    {}, self._game.format_move(move), "camera", changes))
        self._version += 1
        snapshot = self.snapshot()
        for listener in self._listeners:
            listener(snapshot)

    def snapshot(self) -> Snapshot:
        acting = self._game.to_move(self._state)
        players = tuple(PlayerView(number, f"Player {number}", "blue", score, number in acting)
                        for number, score in enumerate(self._game.scores(self._state), start=1))
        game, state, now = self._game, self._state, {PUBLISHED: time.monotonic_ns()}
        return Snapshot(self._version, game.id, 1, now, game.phase(state), game.round(state), "unchanged", "ok",
                        "simulated", players, game.visible(state), tuple(self._moves), (), (), None, None, (), False)

    def subscribe(self, on_snapshot: Callable[[Snapshot], None]) -> Callable[[], None]:
        self._listeners.append(on_snapshot)
        return lambda: self._listeners.remove(on_snapshot)

    def command(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        return Reply(False, "refused.busy")

    def picture(self, name: str) -> bytes | None:
        return None

    def query(self, name: str, arguments: Mapping[str, Any]) -> Any:
        return None


def watching(readings: str, seed: int, folder: str) -> Table:
    """A companion at work on its simulated table, at the same rate whether hands move or not."""
    settings = Settings(data=folder, readings=readings, seed=seed, fps=FRAMES_A_SECOND, still_fps=FRAMES_A_SECOND,
                        port=0)
    table = Table(settings, find_games(), GameStore(settings.data_folder), make_source(settings))
    table.start()
    until_s = time.monotonic() + READY_S
    while table.loop.latest is None:
        if time.monotonic() > until_s:
            raise TimeoutError(f"the simulated table was not set up within {READY_S:.0f} s; is the machine very busy?")
        time.sleep(0.05)
    return table


def server_process(pipe: Connection, seconds: float, rate: float, seed: int, readings: str) -> None:
    """The companion's side: tells its port, plays when asked to, tells its figures, stops when told."""
    keep_pictures_apart()
    with tempfile.TemporaryDirectory(prefix="companion-phones-") as folder:
        companion, table = watching(readings, seed, folder), PlayingTable(seed)
        server = serve(create_app(table, WebConfig()), port=0)
        time.sleep(WARM_UP_S)
        pipe.send(server.port)
        for _ in range(2):  # once without phones, once with
            pipe.recv()
            frames, steps, began_s = companion.loop.vitals.frames, 0, time.monotonic()
            while time.monotonic() < began_s + seconds:
                table.step()
                steps += 1
                time.sleep(max(0.0, began_s + steps / rate - time.monotonic()))
            taken = companion.loop.vitals.frames - frames
            pipe.send((steps, taken / (time.monotonic() - began_s), memory_mb()))
        pipe.recv()
        companion.stop()
        server.close()


class Phones:
    """Sockets on event streams: some read all they get, some stop after the first bytes."""

    def __init__(self, port: int, awake: int, asleep: int) -> None:
        self.delays_ms: list[float] = []
        self.last_bytes = 0
        self._selector = selectors.DefaultSelector()
        self._rest: dict[socket.socket, bytes] = {}
        self._asleep = [self._connect(port, f"127.0.1.{number + 1}", 4096) for number in range(asleep)]
        for number in range(awake):
            sock = self._connect(port, f"127.0.2.{number + 1}", None)
            sock.setblocking(False)
            self._rest[sock] = b""
            self._selector.register(sock, selectors.EVENT_READ)

    @staticmethod
    def _connect(port: int, address: str, receive_bytes: int | None) -> socket.socket:
        sock = socket.socket()
        if receive_bytes is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        sock.bind((address, 0))
        sock.connect(("127.0.0.1", port))
        sock.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return sock

    def read(self, until: Callable[[], bool]) -> None:
        while not until():
            for key, _ in self._selector.select(0.05):
                assert isinstance(key.fileobj, socket.socket)
                self._take(key.fileobj)

    def _take(self, sock: socket.socket) -> None:
        data = sock.recv(1 << 18)
        arrived_ns = time.monotonic_ns()
        if not data:
            self._selector.unregister(sock)
            return
        *events, self._rest[sock] = (self._rest[sock] + data).split(b"\n\n")
        for event in events:
            _, found, text = event.partition(b"data: {")
            if found:
                self.last_bytes = len(text)
                published_ns = json.loads(b"{" + text)["options"][PUBLISHED]
                self.delays_ms.append((arrived_ns - published_ns) / 1e6)

    def close(self) -> None:
        for sock in [*self._rest, *self._asleep]:
            sock.close()
        self._selector.close()


def measure(
    phones: int, asleep: int, seconds: float, rate: float, seed: int, readings: str = "camera"
) -> PhoneFigures:
    """Run the server with and without phones."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=server_process, args=(theirs, seconds, rate, seed, readings), daemon=True)
    process.start()
    while not ours.poll(1.0):
        if not process.is_alive():
            raise click.ClickException("the companion's process ended before it was ready; its message is above")
    port = ours.recv()
    ours.send("alone")
    _, alone, _ = ours.recv()
    crowd = Phones(port, phones, asleep)
    settled_s = time.monotonic() + 1.0
    crowd.read(lambda: time.monotonic() > settled_s)
    crowd.delays_ms.clear()
    ours.send("with phones")
    crowd.read(ours.poll)
    steps, crowded, memory = ours.recv()
    began_s = time.monotonic()
    ours.send("stop")
    process.join(10)
    stop_s = time.monotonic() - began_s
    if process.is_alive():
        os.kill(process.pid or 0, 9)
    crowd.close()
    delays = sorted(crowd.delays_ms) or [float("inf")]
    return PhoneFigures(
        phones, asleep, steps, len(crowd.delays_ms), round(statistics.median(delays), 1),
        round(delays[min(len(delays) - 1, int(len(delays) * 0.95))], 1), round(delays[-1], 1),
        round(crowd.last_bytes / 1000, 1), round(memory, 1), round(alone, 2), round(crowded, 2), round(stop_s, 2))


@click.command()
@click.option("--phones", default=50, show_default=True, help="Phones that read.")
@click.option("--asleep", default=20, show_default=True, help="Phones that stopped reading.")
@click.option("--seconds", default=10.0, show_default=True, help="How long each half lasts.")
@click.option("--rate", default=3.0, show_default=True, help="Snapshots a second.")
@click.option("--seed", default=1, show_default=True)
@click.option("--readings", default="camera", show_default=True, help="camera, or told (do not read pictures).")
@click.option("--json", "as_json", is_flag=True, help="Print one object.")
def command(
    phones: int, asleep: int, seconds: float, rate: float, seed: int, readings: str, as_json: bool
) -> None:
    """Measures how fast snapshots reach many phones, and what that costs the rest."""
    figures = measure(phones, asleep, seconds, rate, seed, readings)
    if as_json:
        click.echo(json.dumps(asdict(figures)))
        return
    for name, value in asdict(figures).items():
        click.echo(f"{name.replace('_', ' '):28} {value}")
