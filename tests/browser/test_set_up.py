"""A table is set up with a thumb, in a real browser, on the real companion: if this fails, nobody gets to play."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.config import Settings
from companion.runtime.port import RuntimePort
from companion.runtime.sources import LiveSource
from companion.runtime.table import Table
from companion.store.games import GameStore
from engine.registry import find_games
from tests.browser.conftest import PIN, OpenPhone
from tests.browser.still_camera import StillOpener
from tests.companion.runtime.tables import wait_for
from web import WebConfig, create_app, serve

pytestmark = pytest.mark.browser

DAY = Path(__file__).parents[1] / "fixtures" / "recordings" / "day"
TITLE = "title => { const now = document.querySelector('.wizard p b'); return !now || now.textContent !== title; }"


def drag(page: Page, dx: float, dy: float) -> None:
    """Take the first point of the piece that is chosen and move it."""
    box = page.locator(".handle").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=3)
    page.mouse.up()


def test_a_table_is_set_up_once_and_remembered(phone: OpenPhone, tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path), source="webcam", port=0)
    source = LiveSource("webcam", StillOpener(DAY / "setup" / "empty.jpg"))
    table = Table(settings, find_games(), GameStore(settings.data_folder), source)
    table.start()
    wait_for(table, lambda shown: shown.camera == "ok")
    server = serve(create_app(RuntimePort(table), WebConfig(pin=PIN, heartbeat_s=2.0)), port=0)
    try:
        guest = phone(server=server)
        page = guest.page
        set_up(page)
        expect(page.locator(".scores")).to_be_visible()
        kept = table.tables.find("Kitchen table")
        assert kept is not None
        tapped = json.loads((DAY / "recording.json").read_text())["setup"]["places"]
        for name in ("p1", "p2"):
            near = min(
                max(math.dist(one, other) for one, other in zip(kept["points"][name], tapped[board]["corners"],
                                                                strict=True))
                for board in ("p1", "p2"))
            assert near < 0.015 * 1536, f"{name} lies {near:.0f} px from where it is"
        assert table.calibration is not None and table.sitting is not None
        (correction,) = table.calibration.corrections
        assert correction.group == "wall"
        assert correction.offset == pytest.approx((0.002, 0.0), abs=0.001)
        again(guest.page)
        assert table.sitting is not None and table.sitting.number == 2
        page.close()
    finally:
        table.stop(20)


def set_up(page: Page) -> None:
    """Game, players, boards where they were found, no sample tiles, a last look, go."""
    page.click(".welcome .button.main")
    page.click(".card >> text=/^Azul$/")
    for index, name in enumerate(("Ann", "Bo")):
        page.locator(".seats input:not([type=radio])").nth(index).fill(name)
    page.click(".buttons.end .main")
    page.wait_for_selector(".corners .handle")
    drag(page, 8, -6)
    while page.locator(".corners .handle").count():
        title = page.locator(".wizard p b").inner_text()
        page.click(".buttons.end .main")
        page.wait_for_function(TITLE, arg=title)
    tap_enlarged(page)
    page.click(".buttons.end .main")
    page.wait_for_selector("img.camera")
    page.click("details.options summary")
    page.locator("details.options select").select_option("wall")
    page.get_by_role("button", name="Right").click()
    expect(page.locator("img.camera")).to_have_attribute("src", re.compile("n=2$"))
    drag_there_and_back(page)
    page.locator("label.block > input").fill("Kitchen table")
    page.click(".buttons.end .main")


def tap_enlarged(page: Page) -> None:
    """A tile is smaller on the phone than a fingertip: the picture is made larger and dragged, and a tap hits it."""
    area = page.locator(".corners.taps > svg")
    whole = [float(each) for each in (area.get_attribute("viewBox") or "").split()]
    for _ in range(2):
        page.get_by_role("button", name="Show the picture larger").click()
    box = area.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y, steps=3)
    page.mouse.up()
    expect(page.get_by_role("button", name="Take the last tap away")).to_have_count(0)
    page.mouse.click(x, y)
    page.get_by_role("button", name="Take the last tap away").wait_for()
    left, top, wide, high = (float(each) for each in (area.get_attribute("viewBox") or "").split())
    assert (wide, high) == pytest.approx((whole[2] / 4, whole[3] / 4))
    assert left == pytest.approx(whole[2] / 2 - wide / 2 + 40 * wide / box["width"], abs=2)
    assert top == pytest.approx(whole[3] / 2 - high / 2, abs=2)
    page.get_by_role("button", name="Take the last tap away").click()


def drag_there_and_back(page: Page) -> None:
    """Outlines follow the thumb, under a glass, and stay where they were let go."""
    area = page.locator(".corners.drag > svg")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    zoom = float((area.get_attribute("viewBox") or "").split()[2]) / box["width"]
    start = first_corner(page)
    for turn, way in enumerate((1, -1)):
        x, y = box["x"] + box["width"] / 2 - way * 10, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + way * 20, y, steps=3)
        expect(page.locator(".glass")).to_be_visible()
        page.mouse.up()
        expect(page.locator("img.camera")).to_have_attribute("src", re.compile(f"n={3 + turn}$"))
        expect(page.locator(".glass")).to_have_count(0)
        there = first_corner(page)
        wanted = start[0] + (20 * zoom if way > 0 else 0)
        assert math.dist(there, (wanted, start[1])) < 0.25 * 20 * zoom, f"dragged to {there}, not to {wanted}"


def first_corner(page: Page) -> tuple[float, float]:
    """The first corner of the first outline of the group, in pixels of the camera's picture."""
    points = page.locator(".corners.drag > svg polygon").first.get_attribute("points") or ""
    x, y = points.split()[0].split(",")
    return float(x), float(y)


def again(page: Page) -> None:
    """The next evening: one tap on the remembered table, a look, go."""
    page.evaluate("location.hash = 'setup'")
    page.get_by_role("button", name="Kitchen table").click()
    page.wait_for_selector("img.camera")
    page.click(".buttons.end .main")
    expect(page.locator(".scores")).to_be_visible()
