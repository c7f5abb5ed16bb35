"""The README's pictures of the pages, from a real browser: `python -m tests.browser.make_pictures docs/pictures`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from companion.simulation.table import SimulatedTable
from tests.browser.conftest import ARGUMENTS, PIN, chromium_path
from tests.web.demo_table import DemoTable
from web import WebConfig, create_app, serve

GAP_PX = 16
QUALITY = 74


def shoot(browser: Browser, table: DemoTable, language: str, size: tuple[int, int], path: str = "/", dark: bool = False,
          then: Callable[[Page], None] = lambda page: None) -> np.ndarray:
    """What one screen shows."""
    server = serve(create_app(table, WebConfig(pin=PIN, join_url="http://table.local/")), port=0)
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, locale=language,
                                  color_scheme="dark" if dark else "light", reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}{path}#pin={PIN}")
    page.wait_for_selector(".piece")
    then(page)
    page.wait_for_timeout(600)
    data = page.screenshot()
    context.close()
    server.close()
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR))


class PhotographedTable(DemoTable):
    """Shows the simulated table's own picture while it is set up."""

    def _proposal(self) -> dict[str, Any]:
        layout = self._layout()
        assert layout is not None and self.sitting is not None
        found = SimulatedTable(self.sitting.game, layout, len(self.sitting.names), seed=4).setup()
        self.photograph = bytes(cv2.imencode(".jpg", found.empty, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])
        height, width = found.empty.shape[:2]
        pieces = []
        for name, taps in found.recording["setup"]["places"].items():
            points = taps.get("corners") or taps.get("polygon") or [taps["centre"], taps["rim"]]
            frame = next((frame for frame in ("corners", "polygon") if frame in taps), "disc")
            pieces.append({"piece": name, "frame": frame, "points": points, "sure": True})
        return {"width": width, "height": height, "pieces": pieces}

    def picture(self, name: str) -> bytes | None:
        return self.photograph if name == "setup" else super().picture(name)


def played(names: tuple[str, ...], moves: int, seed: int) -> DemoTable:
    table = PhotographedTable("azul", names, seed=seed, clever=True)
    table.play(moves)
    return table


def slipped(table: DemoTable, slug: str) -> DemoTable:
    alert = table.slip(slug)
    table.alerts = [replace(alert, crop=None)]
    return table


def corners(page: Page) -> None:
    page.evaluate("location.hash = 'setup'")
    page.click(".card >> nth=0")
    page.click(".buttons.end .main")
    page.wait_for_selector(".handle")


def side_by_side(pictures: list[np.ndarray]) -> np.ndarray:
    gap = np.full((pictures[0].shape[0], GAP_PX, 3), 255, np.uint8)
    return np.hstack([part for picture in pictures for part in (picture, gap)][:-1])


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    phone, tv = (360, 740), (1280, 720)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
        over = played(("Noor", "Jules"), 400, 11)
        erring = slipped(played(("Noor", "Jules", "Mia"), 60, 5), "colour-mixed-in-line")
        strip = side_by_side([
            shoot(browser, played(("Noor", "Jules"), 45, 7), "en", phone),
            shoot(browser, erring, "nl", phone, dark=True),
            shoot(browser, over, "fr", phone),
            shoot(browser, played(("Noor", "Jules"), 20, 7), "en", phone, then=corners),
        ])
        wide = shoot(browser, played(("Noor", "Jules", "Mia", "Sam"), 70, 5), "en", tv, "/tv")
        browser.close()
    for name, picture in (("phones", strip), ("tv", wide)):
        target = folder / f"{name}.jpg"
        cv2.imwrite(str(target), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        print(f"{target}: {picture.shape[1]} × {picture.shape[0]}, {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
