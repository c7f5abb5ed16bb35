"""Starts a freshly installed companion on its simulated table and asks for a page; exit status 0 when it answers.

Usage: python health_check.py COMPANION FOLDER
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

WITHIN_S = 90.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    """Whether the page is there and the table shows a game."""
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return isinstance(json.load(reply), dict)
    except (OSError, urllib.error.URLError, ValueError):
        return False


def main(companion: str, folder: str) -> int:
    port = free_port()
    arguments = ["run", "--source", "simulated", "--readings", "told", "--port", str(port), "--data", folder]
    process = subprocess.Popen([companion, *arguments], stdout=subprocess.DEVNULL)
    try:
        until_s = time.monotonic() + WITHIN_S
        while time.monotonic() < until_s:
            if process.poll() is not None:
                print(f"The companion ended by itself with status {process.returncode}.", file=sys.stderr)
                return 1
            if answers(f"http://127.0.0.1:{port}/api/snapshot"):
                return 0
            time.sleep(0.3)
        print(f"The companion showed no page within {WITHIN_S:.0f} s.", file=sys.stderr)
        return 1
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
