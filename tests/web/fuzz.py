"""Nonsense for every route, seeded: `python -m tests.web.fuzz --requests 20000` says what came back.

Half of it is shaped like the real thing with something wrong in it, since pure noise never gets past the first check.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from tests.web.demo_table import DemoTable
from tests.web.test_security import EXAMPLES
from web import WebConfig, create_app
from web.pairing import COOKIE

PIN = "864209"
NASTY_TEXT = [
    "", " ", "a", "azul", "blockers", "f1", "p1.wall.1.1", "centre", "../..", "..%2f..%2f", "%00", "\x00", "é", "😀",
    "\u202e", "\ud800", "x" * 300, "x" * 3000, "{{7*7}}", "<script>", "' OR 1=1", "-1", "0", "1", "2", "999999999999",
    "1e9", "NaN", "nl", "en", "table", "overlay", "a1", "json", "txt", "null", "true", "\r\nSet-Cookie: x=1", "%c0%ae",
    "..\\", "~", ".",
]
NASTY: list[Any] = [
    None, True, False, 0, 1, -1, 2, 10**9, 10**30, -(10**30), 0.5, 1e308, [], {}, [[]], [None], {"": ""}, [1, 2],
    [[1, 2]], [[1, 2], [3, 4]], [[1e308, 2]], {"colour": "blue", "face": "7"}, {"blue": 3}, {"blue": -3},
    {"top": "red"}, {"name": "Ann"}, [{"name": "Ann"}, {"name": "Bo"}], [{"name": 1}], *NASTY_TEXT,
]
METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]
TYPES = ["application/json"] * 6 + ["text/plain", "", "application/json; charset=utf-16", "multipart/form-data"]
HEADERS = ("Origin", "Sec-Fetch-Site", "Accept-Encoding", "Accept-Language", "Range", "If-None-Match", "Cookie")
VALUES = ("", "null", "gzip", "gzip;q=x", "nl-BE", "bytes=9-1", "http://localhost", "http://[", "x" * 2000)


def spoil(value: Any, rng: random.Random) -> Any:
    """A value of the right shape with something wrong somewhere in it."""
    if rng.random() < 0.25:
        return rng.choice(NASTY)
    if isinstance(value, dict):
        found = {name: spoil(part, rng) if rng.random() < 0.6 else part for name, part in value.items()}
        if found and rng.random() < 0.1:
            found.pop(rng.choice(list(found)))
        if rng.random() < 0.1:
            found[rng.choice(NASTY_TEXT)] = rng.choice(NASTY)
        return found
    if isinstance(value, list):
        return [spoil(part, rng) for part in value] * rng.choice([1, 1, 1, 2, 30])
    return value if rng.random() < 0.5 else rng.choice(NASTY)


def body(name: str, rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.1:
        return rng.randbytes(rng.choice([0, 1, 40, 3000]))
    if kind < 0.15:
        return rng.choice([b"[", b"{", b'{"a":']) * rng.choice([1, 50, 900, 20_000])
    if kind < 0.17:
        return b" " * 70_000
    text = json.dumps(spoil(EXAMPLES.get(name, {"pin": "000000"}), rng))
    if rng.random() < 0.1:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(NASTY_TEXT[:15]) + text[at + 1 :]
    return text.encode("utf-8", "surrogatepass")


def address(rule: str, rng: random.Random) -> tuple[str, str]:
    """A path for a route, and the name of the command it ends in."""
    name = rng.choice(list(EXAMPLES))
    if "<" not in rule:
        path = rule
    elif rule.startswith("/api/commands") and rng.random() < 0.9:
        path = f"/api/commands/{name}"
    else:
        path = re.sub(r"<[^>]*>", lambda _: rng.choice(NASTY_TEXT), rule)
    if rng.random() < 0.05:
        path += rng.choice(["/", "//", "?", "#", "/../..", *NASTY_TEXT])
    if rng.random() < 0.1:
        path += f"?{rng.choice(NASTY_TEXT)}={rng.choice(NASTY_TEXT)}"
    return "/" + path.lstrip("/").encode("utf-8", "replace").decode(), name


def headers(rng: random.Random) -> dict[str, str]:
    found = {"Content-Type": rng.choice(TYPES)}
    if rng.random() < 0.05:
        found["Host"] = rng.choice(["localhost", "evil", "", "[", "a:b:c", "localhost:99999", "127.0.0.1:x"])
    for name in HEADERS:
        if rng.random() < 0.06:
            found[name] = rng.choice(VALUES)
    return found


def fuzz(app: Flask, count: int, seed: int) -> Counter[int]:
    """How often each status came back; AssertionError names the request when something failed inside."""
    rng = random.Random(seed)
    rules = sorted({rule.rule for rule in app.url_map.iter_rules()})
    paired, stranger = app.test_client(), app.test_client()
    assert paired.post("/api/pair", json={"pin": PIN}).status_code == 200
    seen: Counter[int] = Counter()
    for _ in range(count):
        path, name = address(rng.choice(rules if rng.random() < 0.6 else ["/api/commands/<name>"]), rng)
        usual = "POST" if "commands" in path or "pair" in path else "GET"
        method = rng.choice(METHODS) if rng.random() < 0.3 else usual
        client = stranger if rng.random() < 0.2 else paired
        data = body(name, rng) if method not in ("GET", "HEAD") else b""
        seen[ask(client, method, path, headers(rng), data)] += 1
        if path.startswith("/api/unpair"):
            paired.set_cookie(COOKIE, keep(app))
    return seen


def keep(app: Flask) -> str:
    """The cookie of a paired phone, got again."""
    client = app.test_client()
    client.post("/api/pair", json={"pin": PIN})
    cookie = client.get_cookie(COOKIE)
    return cookie.value if cookie else ""


def ask(client: FlaskClient, method: str, path: str, sent: dict[str, str], data: bytes) -> int:
    response = client.open(path, method=method, headers=sent, data=data)
    try:
        inside = response.status_code >= 500 and response.status_code != 503
        assert not inside, f"{method} {path!r} {sent} {data[:300]!r} gave {response.status_code}"
        return response.status_code
    finally:
        response.close()


def fuzzed_app(seed: int) -> tuple[Flask, DemoTable]:
    table = DemoTable("azul", seed=seed)
    table.play(3)
    return create_app(table, WebConfig(pin=PIN, heartbeat_s=0.01, pin_tries=10**9, pin_tries_per_hour=10**9)), table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    app, table = fuzzed_app(chosen.seed)
    seen = fuzz(app, chosen.requests, chosen.seed)
    routes = len(list(app.url_map.iter_rules()))
    print(f"{chosen.requests} requests on {routes} routes; {len(table.commands)} reached the table; none failed inside")
    for status, count in sorted(seen.items()):
        print(f"  {status}: {count}")


if __name__ == "__main__":
    main()
