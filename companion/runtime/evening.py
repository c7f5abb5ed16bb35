"""Everything that runs during an evening, put together: the table, its store and camera, and the pages."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress

from companion.config import Settings
from companion.runtime.port import RuntimePort
from companion.runtime.sources import make_source
from companion.runtime.table import Table
from companion.store.games import GameStore
from engine.registry import find_games
from web import (
    WebConfig,
    WebServer,
    create_app,
    host_names,
    in_address,
    join_address,
    new_pin,
    new_secret,
    qr_terminal,
    serve,
)
from web.i18n import page_words

log = logging.getLogger(__name__)

ANYWHERE = ("0.0.0.0", "::")


class PortError(Exception):
    """The pages cannot be served; the message says what to do."""


class Evening:
    """From start to stop. Nothing is opened before `start`, except the store."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        source = make_source(settings)
        self.store = GameStore(settings.data_folder)
        self.table = Table(settings, find_games(), self.store, source)
        self.pin = settings.pin or self._kept("pin", new_pin)
        self._secret = self._kept("secret", new_secret)
        self.server: WebServer | None = None

    def _kept(self, name: str, make: Callable[[], str]) -> str:
        value = self.store.fact(name)
        if not isinstance(value, str):
            value = make()
            self.store.set_fact(name, value)
        return str(value)

    def start(self) -> None:
        """Begin: the pages answer at once, the camera follows when it is ready. OSError when the port is taken."""
        settings = self.settings
        addresses = own_addresses() if settings.host in ANYWHERE else [settings.host]
        name = settings.name or next((each for each in addresses if not each.startswith("127.")), "localhost")
        config = WebConfig(
            pin=self.pin, secret=self._secret, hosts=host_names(*addresses, socket.gethostname(),
                                                                f"{socket.gethostname()}.local", settings.name),
            join_url=f"http://{in_address(name)}:{settings.port}/", wifi=settings.wifi,
        )
        self.table.start()
        try:
            self.server = serve(create_app(RuntimePort(self.table), config), settings.host, settings.port)
        except OSError as error:
            raise PortError(
                f"the pages cannot listen on {settings.host}, port {settings.port} ({error.strerror}); is "
                "the companion running already? If not, choose another with --port"
            ) from error
        self.join_url = f"http://{in_address(name)}:{self.server.port}/"

    def greeting(self) -> Iterator[str]:
        """What the terminal shows: the address, the code to scan, the PIN."""
        words = page_words(self.settings.language)
        yield qr_terminal(join_address(self.join_url, self.pin))
        yield f"{words['app.title']}: {self.join_url}"
        yield f"{words['pair.pin']}: {self.pin}"
        yield f"{words['source.' + self.settings.source_kind]}"
        yield from self.table.games.problems

    def tend(self) -> None:
        """Notice when the table's thread has died: better to end and be started again than to show an old game."""
        if not self.table.alive:
            raise RuntimeError("the table's thread has ended; start the companion again, the game is kept")

    def stop(self) -> bool:
        """End within a second; False when a thread is still busy and only the end of the process ends it."""
        ended = self.table.stop()
        if self.server is not None:
            self.server.close()
        return ended


def own_addresses() -> list[str]:
    """The addresses under which this machine can be reached on its network, the likeliest first."""
    found: list[str] = []
    for family, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        # Without a network there is no such address, and loopback has to do.
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            # Nothing is sent: this only asks which way the network lies.
            probe.connect((elsewhere, 9))
            found.append(probe.getsockname()[0])
        with suppress(OSError):
            found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, family)]
    return list(dict.fromkeys(found))
