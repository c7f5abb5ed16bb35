"""The web server: waitress, tuned so that a phone that stopped reading is dropped and a stop takes no second."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from waitress import create_server, wasyncore  # type: ignore[import-untyped]
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]

from web.config import WebConfig
from web.hub import Hub

USER_TIMEOUT_MS = 8000
"""A peer that acknowledges nothing for so long is gone."""
SEND_BUFFER_BYTES = 65_536
CONNECTION_LIMIT = 300
LOOP_S = 0.2
GRACE_S = 0.3
"""How long open answers have to get out while stopping."""


def socket_options() -> list[tuple[int, int, int]]:
    """Waitress sets these on every connection."""
    options = [
        (socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES),
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    ]
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        options.append((socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS))
    return options


@dataclass
class WebServer:
    """A server that runs in its own thread until it is closed."""

    hub: Hub
    server: Any
    sockets: dict[int, Any]
    """Waitress's table of open sockets: the loop lives from it."""
    port: int
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._loop, name="web", daemon=True)
        self._thread.start()

    def _loop(self) -> None:
        while self.sockets and not self._stopping.is_set():
            wasyncore.loop(timeout=LOOP_S, use_poll=True, map=self.sockets, count=1)

    def close(self) -> None:
        """End the streams, then the server; returns within a second."""
        self.hub.close()
        until_s = time.monotonic() + GRACE_S
        while time.monotonic() < until_s and any(channel.requests for channel in self._channels()):
            time.sleep(0.02)
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(GRACE_S)
        # A thread that waits for a phone that stopped reading wakes only when its channel is closed.
        for channel in self._channels():
            channel.handle_close()
        self.server.task_dispatcher.shutdown(timeout=GRACE_S)
        wasyncore.close_all(self.sockets, ignore_all=True)

    def _channels(self) -> list[Any]:
        return [item for item in list(self.sockets.values()) if isinstance(item, HTTPChannel)]


def serve(app: Flask, host: str = "127.0.0.1", port: int = 8765) -> WebServer:
    """Start serving and return at once; port 0 takes a free one. OSError when the port is taken."""
    config: WebConfig = app.extensions["companion-config"]
    sockets: dict[int, Any] = {}
    server = create_server(
        app, map=sockets, host=host, port=port, threads=config.threads, connection_limit=CONNECTION_LIMIT,
        outbuf_high_watermark=SEND_BUFFER_BYTES, channel_timeout=30,
        cleanup_interval=5, max_request_body_size=config.max_body_bytes * 2, max_request_header_size=16_384,
        ident=None, log_socket_errors=False, clear_untrusted_proxy_headers=True, expose_tracebacks=False,
    )
    for listener in sockets.values():
        if hasattr(listener, "adj"):  # these cannot be given to create_server
            listener.adj.socket_options = socket_options()
    # A name that stands for several addresses gives several listening sockets under one roof.
    listening = getattr(server, "effective_listen", None)
    taken = int(listening[0][1] if listening else server.effective_port)
    web_server = WebServer(app.extensions["companion-hub"], server, sockets, taken)
    web_server.start()
    return web_server
