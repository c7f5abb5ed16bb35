"""If one of these fails, a slow phone slows the others, or a phone shows an old table."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time

import pytest

from tests.web.demo_table import DemoTable
from web import WebConfig, create_app, serve
from web.hub import Hub, HubFullError, MailboxClosedError, events
from web.server import WebServer


def test_a_phone_that_joins_gets_the_present_at_once() -> None:
    table = DemoTable("azul")
    hub = Hub(table, 4, 4)
    table.play(3)
    frame = hub.join("phone").take(0)
    assert frame is not None and frame.snapshot.version == table.version


def test_the_latest_wins_and_nothing_piles_up() -> None:
    table = DemoTable("azul")
    hub = Hub(table, 4, 4)
    mailbox = hub.join("phone")
    table.play(5)
    frame = mailbox.take(0)
    assert frame is not None and frame.snapshot.version == table.version
    assert mailbox.take(0) is None


def test_an_older_snapshot_never_replaces_a_newer_one() -> None:
    table = DemoTable("azul")
    old = table.snapshot()
    hub = Hub(table, 4, 4)
    table.play(2)
    hub.publish(old)
    assert hub.latest.snapshot.version == table.version


def test_one_address_keeps_few_streams_and_loses_its_oldest() -> None:
    hub = Hub(DemoTable(None), 10, 2)
    first, second = hub.join("phone"), hub.join("phone")
    hub.join("phone")
    with pytest.raises(MailboxClosedError):
        first.take(0)
    assert second.take(0) is not None and hub.listening == 2


def test_no_more_streams_than_there_is_room_for() -> None:
    hub = Hub(DemoTable(None), 3, 8)
    boxes = [hub.join(f"phone {n}") for n in range(3)]
    with pytest.raises(HubFullError):
        hub.join("one more")
    hub.leave(boxes[0])
    hub.join("one more")


def test_a_stream_that_ends_leaves_the_hub() -> None:
    hub = Hub(DemoTable(None), 3, 8)
    stream = events(hub, hub.join("phone"), 0.01)
    assert b"retry" in next(stream)
    assert b"event: snapshot" in next(stream)
    assert b"event: beat" in next(stream)
    stream.close()
    assert hub.listening == 0


@pytest.fixture
def server() -> object:
    table = DemoTable("azul")
    config = WebConfig(heartbeat_s=0.2, threads=8, max_streams=5, max_streams_per_address=5)
    started = serve(create_app(table, config), port=0)
    yield table, started
    started.close()


def read_snapshot(response: http.client.HTTPResponse) -> dict[str, object]:
    while line := response.readline():
        if line.startswith(b"data: {"):
            found: dict[str, object] = json.loads(line[6:])
            return found
    raise AssertionError("the stream ended")


def test_a_phone_hears_of_a_move_over_a_real_socket(server: tuple[DemoTable, WebServer]) -> None:
    table, started = server
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", started.port, timeout=10)) as connection:
        connection.request("GET", "/api/events")
        with connection.getresponse() as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            first = read_snapshot(response)
            table.step()
            assert read_snapshot(response)["version"] == first["version"] + 1  # type: ignore[operator]


def listen(port: int, address: str = "127.0.0.1") -> socket.socket:
    """A phone on an event stream, from an address of its own."""
    sock = socket.create_connection(("127.0.0.1", port), source_address=(address, 0), timeout=10)
    sock.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"200" in sock.recv(20)
    return sock


def test_too_many_streams_are_told_to_wait_and_pages_still_come(server: tuple[DemoTable, WebServer]) -> None:
    _, started = server
    with contextlib.ExitStack() as stack:
        for number in range(5):
            stack.enter_context(listen(started.port, f"127.0.0.{number + 2}"))
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", started.port, timeout=10)) as connection:
            connection.request("GET", "/api/events")
            response = connection.getresponse()
            assert response.status == 503 and response.headers["Retry-After"]
            response.read()
            connection.request("GET", "/api/snapshot")
            with connection.getresponse() as snapshot:
                assert snapshot.status == 200


def test_phones_that_left_are_noticed(server: tuple[DemoTable, WebServer]) -> None:
    _, started = server
    sock = listen(started.port)
    assert started.hub.listening == 1
    sock.close()
    until = time.monotonic() + 20
    while started.hub.listening and time.monotonic() < until:
        time.sleep(0.05)
    assert started.hub.listening == 0


def test_closing_ends_every_stream(server: tuple[DemoTable, WebServer]) -> None:
    _, started = server
    sock = listen(started.port)
    started.close()
    rest = b"x"
    while rest:
        rest = sock.recv(65536)
    assert started.hub.listening == 0
    sock.close()
