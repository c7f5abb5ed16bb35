"""Hands each new snapshot to every phone: one slot a phone, the latest wins, nobody waits for a slow one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from web.contract import Snapshot, TablePort


class Frame:
    """A snapshot on its way out: turned into text once, by the first phone that needs it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._lock = threading.Lock()
        self._json: bytes | None = None

    def json(self) -> bytes:
        with self._lock:
            if self._json is None:
                self._json = json.dumps(self.snapshot.to_json(), separators=(",", ":"), ensure_ascii=False).encode()
            return self._json

    def event(self) -> bytes:
        return b"id: %d\nevent: snapshot\ndata: %s\n\n" % (self.snapshot.version, self.json())


HEARTBEAT = b"event: beat\ndata: 1\n\n"
"""Lets a phone notice that the line is dead, and the server that the phone is gone."""


@dataclass(eq=False, slots=True)
class Mailbox:
    """One phone's slot."""

    address: str
    _ready: threading.Condition = field(default_factory=threading.Condition)
    _frame: Frame | None = None
    _closed: bool = False

    def put(self, frame: Frame) -> None:
        with self._ready:
            self._frame = frame
            self._ready.notify()

    def close(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify()

    def take(self, timeout_s: float) -> Frame | None:
        """The latest frame, or None after `timeout_s` without one; MailboxClosedError once closed."""
        with self._ready:
            if self._frame is None and not self._closed:
                self._ready.wait(timeout_s)
            if self._closed:
                raise MailboxClosedError
            frame, self._frame = self._frame, None
            return frame


class MailboxClosedError(Exception):
    """The stream must end: the companion stops, or the phone opened too many."""


class HubFullError(Exception):
    """No stream is free."""


class Hub:
    """All phones that listen."""

    def __init__(self, table: TablePort, max_streams: int, max_per_address: int) -> None:
        self._max_streams = max_streams
        self._max_per_address = max_per_address
        self._lock = threading.Lock()
        self._mailboxes: list[Mailbox] = []
        self._closed = False
        self._latest = Frame(table.snapshot())
        self._unsubscribe: Callable[[], None] = table.subscribe(self.publish)
        # A snapshot that was published between the two lines above is not missed.
        self.publish(table.snapshot())

    @property
    def latest(self) -> Frame:
        return self._latest

    @property
    def listening(self) -> int:
        return len(self._mailboxes)

    def publish(self, snapshot: Snapshot) -> None:
        """Called in the table's thread: takes a short lock, encodes nothing, waits for nobody."""
        with self._lock:
            if snapshot.version < self._latest.snapshot.version:
                return
            self._latest = frame = Frame(snapshot)
            for mailbox in self._mailboxes:
                mailbox.put(frame)

    def join(self, address: str) -> Mailbox:
        """A slot that already holds the present; HubFullError when there is none left."""
        with self._lock:
            own = [mailbox for mailbox in self._mailboxes if mailbox.address == address]
            if len(own) >= self._max_per_address:
                own[0].close()
                self._mailboxes.remove(own[0])
            if self._closed or len(self._mailboxes) >= self._max_streams:
                raise HubFullError
            mailbox = Mailbox(address)
            mailbox.put(self._latest)
            self._mailboxes.append(mailbox)
            return mailbox

    def leave(self, mailbox: Mailbox) -> None:
        with self._lock:
            if mailbox in self._mailboxes:
                self._mailboxes.remove(mailbox)

    def close(self) -> None:
        """End every stream, so that the server can stop at once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for mailbox in self._mailboxes:
                mailbox.close()
            self._mailboxes.clear()
        # Outside the lock: a table may hold its own while it publishes to us.
        self._unsubscribe()


def events(hub: Hub, mailbox: Mailbox, heartbeat_s: float) -> Iterator[bytes]:
    """What a phone hears: the whole present first, then each newer one, a heartbeat when there is none."""
    try:
        yield b"retry: 1500\n\n"
        while True:
            frame = mailbox.take(heartbeat_s)
            yield HEARTBEAT if frame is None else frame.event()
    except MailboxClosedError:
        return
    finally:
        hub.leave(mailbox)
