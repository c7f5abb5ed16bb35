"""Tells systemd that the companion is ready, and from then on that it is well; without systemd it says nothing.

Well means that the pages answer and that the threads of the table and of the camera run. A camera that is unplugged is
no reason to be started again: its own process is, and the pages say that it is lost.
"""

from __future__ import annotations

import os
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import sdnotify

from web import in_address

SHARE = 4
"""Signs of life are given so many times in the span after which systemd loses patience."""
ANSWER_WITHIN_S = 5.0
LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where to knock when the pages listen on every address."""

Check = Callable[[], bool]


class Notifier(Protocol):
    """Who passes a word on to systemd."""

    def notify(self, state: str) -> None: ...


class Watchdog:
    """Ready once, alive again and again."""

    def __init__(
        self,
        checks: Sequence[Check],
        environment: Mapping[str, str] | None = None,
        notifier: Notifier | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        variables = os.environ if environment is None else environment
        self._checks = checks
        self._notifier: Notifier = sdnotify.SystemdNotifier() if notifier is None else notifier
        self._clock = clock
        self._every_s = int(variables.get("WATCHDOG_USEC", "0")) / 1_000_000 / SHARE
        """0 when systemd does not watch."""
        self._due_s = clock()

    def ready(self, status: str) -> None:
        """The pages answer; the status is what `systemctl status` shows."""
        self._notifier.notify(f"READY=1\nSTATUS={status}")

    def tend(self) -> None:
        """Give a sign of life when one is due and all is well."""
        if not self._every_s or self._clock() < self._due_s:
            return
        self._due_s = self._clock() + self._every_s
        if all(check() for check in self._checks):
            self._notifier.notify("WATCHDOG=1")

    def stopping(self) -> None:
        """The end was asked for."""
        self._notifier.notify("STOPPING=1")


def page_answers(host: str, port: int) -> bool:
    """Whether the companion's own page comes in time."""
    near = in_address(LOOPBACK_OF.get(host, host))
    try:
        with urllib.request.urlopen(f"http://{near}:{port}/api/snapshot", timeout=ANSWER_WITHIN_S) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False
