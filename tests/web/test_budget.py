"""If this fails, the first look at the table takes long on a phone at the edge of the Wi-Fi, or needs the internet."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from flask.testing import FlaskClient

from web.assets import load_assets
from web.pages import PRELOAD

STATIC = Path(__file__).resolve().parents[2] / "web" / "static"
IMPORT = re.compile(r"""(?:^|\s)(?:import|export)[^"'()]*?from\s*["']\./([^"']+)["']""", re.M)


def needed(name: str, found: dict[str, None] | None = None) -> dict[str, None]:
    """Every module that a module imports at once, itself first."""
    found = {} if found is None else found
    if name not in found:
        found[name] = None
        folder = f"{name.rpartition('/')[0]}/" if "/" in name else ""
        for part in IMPORT.findall((STATIC / name).read_text(encoding="utf-8")):
            needed(folder + part, found)
    return found


def test_the_first_load_is_small_and_asked_for_in_one_go(client: FlaskClient) -> None:
    modules = list(needed("app.js"))
    assert set(modules) - {"app.js"} == set(PRELOAD), "a module that is not preloaded costs another round trip"
    version = load_assets().version
    paths = ["/", *(f"/static/{version}/{name}" for name in [*modules, "app.css", "parts.css", "icon.svg"]),
             "/api/session", "/api/snapshot", "/api/strings/nl?game=azul", "/api/layout"]
    sizes = {path: len(client.get(path, headers={"Accept-Encoding": "gzip"}).data) for path in paths}
    print(f"first load: {sum(sizes.values()) / 1000:.1f} kB in {len(paths)} requests, of which modules "
          f"{sum(size for path, size in sizes.items() if path.endswith('.js')) / 1000:.1f} kB")
    assert sum(sizes.values()) < 120_000
    assert len(paths) < 30


def test_files_are_kept_by_the_browser_until_they_change(client: FlaskClient) -> None:
    assets = load_assets()
    kept = client.get(f"/static/{assets.version}/app.js", headers={"Accept-Encoding": "gzip"})
    assert "immutable" in kept.headers["Cache-Control"]
    assert gzip.decompress(kept.data) == (STATIC / "app.js").read_bytes()
    assert client.get("/static/old/app.js").headers["Cache-Control"] == "no-cache"


def test_no_file_names_another_host() -> None:
    """A table without internet must lack nothing, and nothing must tell others about it."""
    for path in STATIC.rglob("*"):
        if path.suffix in (".js", ".css", ".svg", ".webmanifest"):
            text = path.read_text(encoding="utf-8")
            outside = set(re.findall(r"https?://[\w.-]+", text)) - {"http://www.w3.org", "https://www.w3.org"}
            assert not outside, f"{path.name} names {outside}"
