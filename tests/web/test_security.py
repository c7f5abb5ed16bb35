"""If one of these fails, a stranger can change a game, or a page can be turned against its reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import PIN
from tests.web.demo_table import DemoTable
from web import WebConfig, create_app, host_names
from web.pairing import COOKIE, PinGate
from web.schema import COMMANDS

EXAMPLES = {
    "answer": {"question": "q1", "answer": "none"}, "accept": {"alert": "a1"}, "misread": {"alert": "a1"},
    "undo": {"entry": 2}, "correct": {"entry": 2, "notation": "x"},
    "set-place": {"place": "p1.wall.1.1", "content": None},
    "new-game": {"game": "azul", "players": [{"name": "Ann"}, {"name": "Bo"}]}, "end-game": {},
    "delete-game": {"game_number": 1}, "record": {"on": True}, "relight": {}, "simulate": {"what": "lamp"},
    "setup-propose": {"game": "azul", "players": [{"name": "Ann"}, {"name": "Bo"}]},
    "setup-place": {"piece": "f1", "points": [[1, 2], [3, 4]]}, "setup-check": {},
    "setup-adjust": {"group": "wall", "across": 1, "down": -2},
    "setup-drag": {"group": "wall", "points": [[1, 2], [3, 4]]}, "setup-finish": {"name": "x"},
    "setup-colours": {"samples": [{"colour": "blue", "at": [[10, 20]]}]}, "setup-load": {"name": "x"},
}


def test_every_command_has_an_example_of_its_right_shape() -> None:
    assert set(EXAMPLES) == set(COMMANDS)
    for name, example in EXAMPLES.items():
        COMMANDS[name][1].check(example, name)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_nobody_without_the_pin_changes_anything(client: FlaskClient, table: DemoTable, name: str) -> None:
    before = table.snapshot()
    reply = client.post(f"/api/commands/{name}", json=EXAMPLES[name])
    assert reply.status_code == 401
    assert reply.json["key"] == "error.pair"
    assert table.commands == []
    assert table.snapshot() == before


def test_looking_changes_nothing(client: FlaskClient, table: DemoTable, app: Flask) -> None:
    """No GET may have an effect, whatever it is called with."""
    before = table.snapshot()
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and "<" not in rule.rule and rule.rule != "/api/events":
            client.get(rule.rule)
    assert table.snapshot() == before and table.commands == []


def test_a_forged_cookie_opens_nothing(client: FlaskClient, table: DemoTable) -> None:
    for value in ("1", "e30.x.y", "InBhaXJlZCI.aaaa.bbbb", "'; drop", "\u00ff"):
        client.set_cookie(COOKIE, value)
        assert client.post("/api/commands/end-game", json={}).status_code == 401
    assert table.commands == []


def test_a_new_pin_makes_old_cookies_worthless(paired: FlaskClient, table: DemoTable) -> None:
    cookie = paired.get_cookie(COOKIE)
    assert cookie is not None
    other = create_app(table, WebConfig(pin="999999", secret="only for tests")).test_client()
    other.set_cookie(COOKIE, cookie.value)
    assert other.post("/api/commands/end-game", json={}).status_code == 401


def test_cookie_flags(client: FlaskClient) -> None:
    """Without these a script or another site could use a phone's pairing."""
    reply = client.post("/api/pair", json={"pin": PIN})
    cookie = reply.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie and "Domain" not in cookie
    assert PIN not in cookie
    over_https = client.post("/api/pair", json={"pin": PIN}, base_url="https://localhost")
    assert "Secure" in over_https.headers["Set-Cookie"]


@pytest.mark.parametrize("host", [
    "evil.example", "192.168.1.21", "localhost.evil.example", "", "a b", "evil.test:80", "[fe80::bad]:8765",
    "[::1", "::1", "[::1].evil.example", "[localhost]", "[]:8765",
])
def test_a_wrong_host_is_refused(client: FlaskClient, host: str) -> None:
    """DNS rebinding: a page elsewhere whose name suddenly points here must get nothing."""
    for path in ("/", "/api/snapshot", "/static/x/app.js", "/api/session"):
        assert client.get(path, headers={"Host": host}).status_code == 400
    assert client.post("/api/pair", json={"pin": PIN}, headers={"Host": host}).status_code == 400


def test_the_names_of_the_table_are_answered(client: FlaskClient) -> None:
    assert client.get("/api/session", headers={"Host": "192.168.1.20:8765"}).status_code == 200


@pytest.mark.parametrize("host", ["[::1]:8765", "[::1]", "[fd00::20]:8765", "[FD00:0:0:0:0:0:0:20]:8765"])
def test_numbers_of_ipv6_are_answered(table: DemoTable, host: str) -> None:
    """In a house with IPv6 alone, nobody could join."""
    here = create_app(table, WebConfig(pin=PIN, hosts=host_names("fd00:0::20"))).test_client()
    assert here.get("/api/session", headers={"Host": host}).status_code == 200
    sent = {"Host": host, "Origin": f"http://{host.lower()}"}
    assert here.post("/api/pair", json={"pin": PIN}, headers=sent).status_code == 200
    assert here.post("/api/pair", json={"pin": PIN}, headers={**sent, "Origin": "http://[::2]"}).status_code == 403


@pytest.mark.parametrize("headers", [
    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "https://localhost"}, {"Origin": "http://localhost:1"},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"}, {"Origin": "http://[bad"},
])
def test_a_foreign_page_cannot_send_commands(paired: FlaskClient, table: DemoTable, headers: dict[str, str]) -> None:
    for path in ("/api/commands/end-game", "/api/pair", "/api/unpair"):
        assert paired.post(path, json={}, headers=headers).status_code == 403
    assert table.commands == []


def test_our_own_page_can(paired: FlaskClient, table: DemoTable) -> None:
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert paired.post("/api/commands/record", json={"on": True}, headers=headers).status_code == 200
    assert table.commands == [("record", {"on": True})]


def test_a_form_of_another_site_cannot_pass_as_json(paired: FlaskClient, table: DemoTable) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert paired.post("/api/commands/record", data='{"on": true}', content_type=kind).status_code == 400
    assert table.commands == []


def test_guessing_the_pin_is_slowed_down(app: Flask) -> None:
    client = app.test_client()
    replies = [client.post("/api/pair", json={"pin": f"{guess:06d}"}) for guess in range(8)]
    assert [reply.status_code for reply in replies[:4]] == [401] * 4
    assert all(reply.status_code == 429 for reply in replies[4:])
    assert int(replies[5].headers["Retry-After"]) > 0
    assert client.post("/api/pair", json={"pin": PIN}).status_code == 429, "in the wait no PIN counts"


def test_waits_double_and_end() -> None:
    now = [0.0]
    gate = PinGate(WebConfig(pin=PIN), clock_s=lambda: now[0])
    for _ in range(5):
        gate.check("phone", "000000")
    assert gate.wait_s("phone") == 30
    assert gate.wait_s("another phone") == 0, "one guesser must not lock others out at once"
    now[0] = 31
    assert gate.check("phone", "000000") == (False, 60)
    now[0] = 92
    assert gate.check("phone", PIN) == (True, 0.0)
    assert gate.wait_s("phone") == 0


def test_many_addresses_share_one_limit() -> None:
    """An attacker with many addresses gets no more guesses than one."""
    now = [0.0]
    gate = PinGate(WebConfig(pin=PIN), clock_s=lambda: now[0])
    looked_at = sum(gate.wait_s(f"a{n}") == 0 and not gate.check(f"a{n}", "000000")[0] for n in range(500))
    assert looked_at == 60
    now[0] = 3601
    assert gate.check("a1", PIN)[0]


def test_the_pin_is_not_told_to_those_who_only_look(client: FlaskClient, paired: FlaskClient) -> None:
    for path in ("/", "/tv", "/api/session", "/api/snapshot", "/api/strings/en", "/api/openapi.json"):
        assert PIN not in client.get(path).get_data(as_text=True)
    assert client.get("/api/qr.svg").data != paired.get("/api/qr.svg").data
    assert paired.get("/api/session").json["pin"] == PIN
    assert "#pin=" in paired.get("/api/session").json["join"]


@pytest.mark.parametrize(
    ("address", "host", "told"),
    [("127.0.0.1", "localhost:8765", True), ("192.168.1.7", "localhost", False), ("192.168.1.7", "192.168.1.20", False),
     ("127.0.0.1", "192.168.1.20", False), ("::1", "[::1]:8765", True), ("fd00::7", "[::1]:8765", False)],
)
def test_the_pin_is_shown_on_the_machines_own_screen_only(
    client: FlaskClient, address: str, host: str, told: bool
) -> None:
    """Any phone on the Wi-Fi could change the game, or the big screen would not help anybody to join."""
    reply = client.get("/api/screen", headers={"Host": host}, environ_base={"REMOTE_ADDR": address})
    assert (PIN in reply.get_data(as_text=True)) is told


def test_unpairing_forgets_the_phone(paired: FlaskClient, table: DemoTable) -> None:
    paired.post("/api/unpair", json={})
    assert paired.post("/api/commands/end-game", json={}).status_code == 401


TRAVERSALS = ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/pyproject.toml", "....//....//x",
              "/etc/passwd", "..\\..\\x", "a1%00.jpg", "crop/../table", "%c0%ae%c0%ae/", "~root", "."]


@pytest.mark.parametrize("name", TRAVERSALS)
def test_no_path_leads_out(client: FlaskClient, name: str) -> None:
    """Pictures, crops, exports and static files come from names, never from paths."""
    for prefix in ("/api/crops/", "/api/pictures/", "/static/x/", "/api/games/", "/api/rules/", "/api/strings/"):
        reply = client.get(prefix + name)
        assert reply.status_code in (308, 404), (prefix + name, reply.status_code)
        assert b"root:" not in reply.data and b"[project]" not in reply.data
    assert client.get(f"/api/games/1/export.{name}").status_code in (308, 404)


def test_a_crop_name_reaches_the_table_only_if_it_is_a_plain_name(client: FlaskClient, table: DemoTable) -> None:
    asked: list[str] = []
    table.picture = lambda name: asked.append(name)  # type: ignore[method-assign, assignment, return-value]
    for name in TRAVERSALS:
        client.get("/api/crops/" + name)
    client.get("/api/crops/a12-B.jpg")
    assert asked == ["crop/a12-B.jpg"]


@pytest.mark.parametrize("path", ["/", "/tv", "/api/snapshot", "/api/qr.svg", "/nowhere", "/api/pictures/table.jpg"])
def test_headers(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy and "*" not in policy
    assert "Server" not in headers or "waitress" not in headers["Server"].lower()


def test_each_page_has_its_own_nonce_and_nothing_inline(client: FlaskClient) -> None:
    pages = [client.get("/") for _ in range(2)]
    nonces = [re.findall(r"'nonce-([^']+)'", page.headers["Content-Security-Policy"])[0] for page in pages]
    assert nonces[0] != nonces[1] and len(nonces[0]) >= 20
    text = pages[0].get_data(as_text=True)
    assert f'nonce="{nonces[0]}"' in text
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", text) and " style=" not in text and " onload" not in text


def test_a_script_as_a_name_stays_a_name(paired: FlaskClient, table: DemoTable) -> None:
    name = "<img src=x onerror=a>"
    reply = paired.post("/api/commands/new-game", json={"game": "azul", "players": [{"name": name}, {"name": "Bo"}]})
    assert reply.status_code == 200
    found = paired.get("/api/snapshot")
    assert found.mimetype == "application/json"
    assert found.json["players"][0]["name"] == name
    assert name not in paired.get("/").get_data(as_text=True)


BAD_BODIES = [b"", b"{", b"[]", b"null", b"1", b'"x"', b"\xff\xfe", b"[" * 60_000, b'{"a":' * 9_000, b'{"on": NaN}',
              b'{"on": 1e999}', b'{"on": true, "x": 1}', b'{"on": "true"}', b'{"on": null}', rb'{"\ud800": 1}',
              b"9" * 5000]


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_malformed_bodies_are_refused_with_a_sentence(paired: FlaskClient, table: DemoTable, body: bytes) -> None:
    reply = paired.post("/api/commands/record", data=body, content_type="application/json")
    assert reply.status_code == 400 and reply.json["key"] == "error.malformed"
    assert paired.post("/api/pair", data=body, content_type="application/json").status_code == 400
    assert table.commands == []


def test_deep_or_large_contents_are_refused(paired: FlaskClient, table: DemoTable) -> None:
    deep: list[object] = []
    for _ in range(700):
        deep = [deep]
    for content in (deep, "x" * 3000, {"a": [1] * 2000}, "\ud800"):
        reply = paired.post("/api/commands/set-place", data=json.dumps({"place": "f1", "content": content}),
                            content_type="application/json")
        assert reply.status_code == 400
    assert table.commands == []


def test_a_name_may_not_hide_characters(paired: FlaskClient, table: DemoTable) -> None:
    for name in ("", "   ", "x" * 25, "a\nb", "a\x00b", "\x9b31m", "\ud83d"):
        body = json.dumps({"name": name})
        reply = paired.post("/api/commands/setup-finish", data=body, content_type="application/json")
        assert reply.status_code == 400, name
    assert table.commands == []


@pytest.fixture
def long_body() -> Iterator[bytes]:
    yield b'{"pin": "' + b"1" * 70_000 + b'"}'


def test_an_oversize_body_is_refused_unread(paired: FlaskClient, long_body: bytes) -> None:
    for path in ("/api/pair", "/api/commands/set-place"):
        assert paired.post(path, data=long_body, content_type="application/json").status_code == 413


def test_a_fault_inside_is_told_without_a_trace(paired: FlaskClient, table: DemoTable) -> None:
    def broken(name: str, arguments: object) -> object:
        raise RuntimeError("secret detail")

    table.command = broken  # type: ignore[method-assign, assignment]
    reply = paired.post("/api/commands/end-game", json={})
    assert reply.status_code == 500 and "secret" not in reply.get_data(as_text=True)
    assert reply.json["key"] == "error.unexpected"
