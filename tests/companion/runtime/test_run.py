"""If one of these fails, the first thing a newcomer starts does not answer, or cannot be stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


def test_the_companion_answers_and_stops_when_told(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "companion", "run", "--data", str(tmp_path), "--port", "0", "--readings", "told",
         "--width-px", "480", "--height-px", "270"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        said = ""
        while "PIN: " not in said:
            line = process.stdout.readline()
            assert line, f"it ended at once: {said}"
            said += line
        address = re.search(r"http://[^\s]+/", said)
        assert address is not None and "█" in said, "there is no address or no QR code"
        url = re.sub(r"//[^:]+:", "//localhost:", address[0])
        with urllib.request.urlopen(f"{url}api/snapshot", timeout=30) as answer:
            snapshot = json.load(answer)
        assert snapshot["game"] and snapshot["source"] == "simulated"
        process.send_signal(signal.SIGTERM)
        began_s = time.monotonic()
        assert process.wait(30) == 0
        # A second on an idle machine; tests share theirs with others.
        assert time.monotonic() - began_s < 20
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def test_a_port_that_is_taken_is_told_in_one_sentence(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "companion", "run", "--data", str(tmp_path), "--port", port, "--readings", "told"],
            capture_output=True, text=True, timeout=120, check=False,
        )
    assert done.returncode == 1
    assert f"port {port}" in done.stderr and "Traceback" not in done.stderr


def test_a_camera_that_is_missing_is_told_and_the_pages_still_answer(tmp_path: Path) -> None:
    from companion.config import Settings
    from companion.runtime.sources import make_source
    from companion.runtime.table import Table
    from companion.store.games import GameStore
    from engine.registry import find_games
    from tests.companion.runtime.tables import wait_for

    settings = Settings(data=str(tmp_path), source="webcam", webcam=97, port=0)
    table = Table(settings, find_games(), GameStore(settings.data_folder), make_source(settings))
    table.start()
    try:
        snapshot = wait_for(table, lambda shown: shown.camera == "lost", 60)
        assert snapshot.game is None and snapshot.phase == "idle"
    finally:
        table.stop(20)
