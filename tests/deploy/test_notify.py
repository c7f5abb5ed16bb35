"""Signs of life to systemd. If one of these fails, a Pi that hangs stays hung, or one that is well is restarted."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from companion.runtime.notify import Watchdog, page_answers


class Heard:
    """Notes what is said to systemd."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def notify(self, state: str) -> None:
        self.words.append(state)


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_signs_of_life_stop_when_something_is_wrong() -> None:
    """A companion whose pages hang would never be restarted."""
    heard, clock, well = Heard(), Clock(), [True]
    watchdog = Watchdog([lambda: well[0]], {"WATCHDOG_USEC": "40000000"}, heard, clock)
    watchdog.ready("http://table:8765/")
    for _ in range(3):
        watchdog.tend()
        clock.now_s += 10.0
    assert heard.words == ["READY=1\nSTATUS=http://table:8765/", *["WATCHDOG=1"] * 3]
    well[0] = False
    watchdog.tend()
    clock.now_s += 10.0
    watchdog.tend()
    assert heard.words.count("WATCHDOG=1") == 3


def test_without_systemd_nobody_is_asked() -> None:
    """On a laptop every half second a page would be fetched for nothing."""
    heard = Heard()
    asked: list[bool] = []
    watchdog = Watchdog([lambda: bool(asked.append(True))], {}, heard)
    watchdog.tend()
    assert not asked
    assert not heard.words


def test_a_port_without_pages_is_no_answer() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert not page_answers("0.0.0.0", port)


def test_the_program_itself_says_ready_well_and_stopping(tmp_path: Path) -> None:
    """The service would be called failed although it runs, and be killed after two minutes."""
    place = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(place))
        systemd.settimeout(120.0)
        environment = {**os.environ, "NOTIFY_SOCKET": str(place), "WATCHDOG_USEC": "2000000"}
        process = subprocess.Popen(
            [sys.executable, "-m", "companion", "run", "--port", "0", "--readings", "told", "--data", str(tmp_path)],
            env=environment, stdout=subprocess.DEVNULL,
        )
        try:
            heard = [systemd.recv(4096).decode()]
            while "WATCHDOG=1" not in heard[-1]:
                heard.append(systemd.recv(4096).decode())
            process.send_signal(signal.SIGTERM)
            until_s = time.monotonic() + 60
            while "STOPPING=1" not in heard[-1] and time.monotonic() < until_s:
                heard.append(systemd.recv(4096).decode())
            assert heard[0].startswith("READY=1\nSTATUS=http://")
            assert heard[-1] == "STOPPING=1"
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
