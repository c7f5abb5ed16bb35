"""A real Chromium on the demo table. Every page opened here must keep its console silent and stay on its host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.web.demo_table import DemoTable
from web import WebConfig, WebServer, create_app, serve

PIN = "135790"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run", "--disable-dev-shm-usage"]
WAIT_MS = 60_000


def chromium_path() -> str | None:
    """Debian's Chromium, or whatever the environment names."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium was found: install the package chromium, or name one in the variable CHROMIUM")
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Phone:
    """A page on the table, and all that it complained about."""

    page: Page
    table: DemoTable
    server: WebServer
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    """Complaints that a test expects (a lost connection is told by the browser itself)."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def go(self, route: str) -> None:
        self.page.evaluate("route => { location.hash = route; }", route)

    def open(self, path: str = "/") -> None:
        self.page.goto(self.address + path)
        self.page.wait_for_selector("#app > main:not(.opening)", timeout=WAIT_MS)

    def said(self, key: str, **params: Any) -> str:
        """A sentence of the page in this phone's language, as the tests expect to read it."""
        from web.i18n import page_words

        text = page_words(self.page.evaluate("document.documentElement.lang"))[key]
        text = text if isinstance(text, str) else text["other"]
        return text.format(**params)

    careful: bool = True
    """False where another size already has each step looked at: axe takes most of the time."""

    def axe(self, always: bool = False) -> None:
        """No barrier that axe can find."""
        if not (self.careful or always):
            return
        # The drawing inside a tile has no meaning of its own, and looking through all of it takes most of the time.
        found = Axe().run(self.page, {"exclude": [[".tile"], [".tint"], [".print"]]}, {"resultTypes": ["violations"]})
        told = [f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes'][:3]]}"
                for rule in found["violations"]]
        assert not told, "\n".join(told)

    def check(self) -> None:
        """What must hold after any visit."""
        told = [text for text in self.complaints if not any(part in text for part in self.allowed)]
        assert not told, told
        assert not self.elsewhere, f"asked another host: {self.elsewhere}"


OpenPhone = Callable[..., Phone]


@pytest.fixture
def phone(browser: Browser) -> Iterator[OpenPhone]:
    """Opens phones on a table of their own; checks all of them at the end of the test."""
    opened: list[Phone] = []

    def open_phone(table: DemoTable | None = None, size: tuple[int, int] = (360, 740), language: str = "en",
                   path: str = "/", paired: bool = True, server: WebServer | None = None, **context: Any) -> Phone:
        table = table or DemoTable("azul", ("Ann", "Bo"), seed=3)
        server = server or serve(create_app(table, WebConfig(pin=PIN, heartbeat_s=2.0)), port=0)
        room = {"width": size[0], "height": size[1]}
        page = browser.new_context(viewport=room, locale=language, **context).new_page()  # type: ignore[arg-type]
        page.set_default_timeout(WAIT_MS)
        found = Phone(page, table, server)
        page.on("console", lambda message: found.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: found.complaints.append(f"error: {error}"))
        page.on("request", lambda request: note(found, request.url))
        opened.append(found)
        found.open(path + (f"#pin={PIN}" if paired else ""))
        return found

    yield open_phone
    for each in opened:
        each.page.context.close()
    for each in opened:
        each.server.close()
    for each in opened:
        each.check()


def note(phone: Phone, url: str) -> None:
    if not url.startswith((phone.address + "/", "blob:" + phone.address, "data:")):
        phone.elsewhere.append(url)
