"""If one of these fails, a phone or a script is told something other than what the table said."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from tests.web.demo_table import DemoTable
from web.openapi import document
from web.schema import COMMANDS


def check(schema: dict[str, Any], value: Any, schemas: dict[str, Any], where: str = "$") -> None:
    """A small JSON schema checker for what our document uses."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        for option in schema["anyOf"]:
            try:
                return check(option, value, schemas, where)
            except AssertionError:
                continue
        raise AssertionError(f"{where}: {value!r} fits none")
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
    if "type" in schema:
        assert isinstance(value, kinds[schema["type"]]), f"{where}: {value!r} is no {schema['type']}"
    if schema.get("type") == "object" and "properties" in schema:
        assert set(value) == set(schema["required"]), where
        for name, part in schema["properties"].items():
            check(part, value[name], schemas, f"{where}.{name}")
    elif isinstance(schema.get("additionalProperties"), dict):
        for name, part in value.items():
            check(schema["additionalProperties"], part, schemas, f"{where}.{name}")
    for index, part in enumerate(value if isinstance(value, list) else []):
        inner = schema.get("items") or schema.get("prefixItems", [{}] * 99)[index]
        check(inner, part, schemas, f"{where}[{index}]")
    return None


def test_the_document_names_every_route_and_no_other(app: Flask) -> None:
    """A route nobody described cannot be used by others; a described one that is missing breaks them."""
    routes = set()
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/"):
            path = re.sub(r"<(?:[a-z]+:)?([a-z_]+)>", r"{\1}", rule.rule)
            routes |= {(path, method.lower()) for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}
    routes.remove(("/api/commands/{name}", "post"))
    routes |= {(f"/api/commands/{name}", "post") for name in COMMANDS}
    described = {(path, method) for path, item in document()["paths"].items() for method in item}
    assert described == routes


def test_a_snapshot_is_as_described(client: FlaskClient, table: DemoTable) -> None:
    table.slip()
    table.ask()
    schemas = document()["components"]["schemas"]
    check(schemas["Snapshot"], client.get("/api/snapshot").json, schemas)
    table.alerts, table.question = [], None
    table.play_until(lambda snapshot: snapshot.result is not None)
    check(schemas["Snapshot"], client.get("/api/snapshot").json, schemas)


def test_every_view_answers(client: FlaskClient, table: DemoTable) -> None:
    table.play_until(lambda snapshot: snapshot.result is not None)
    paths = ["/api/session", "/api/layout", "/api/catalogue", "/api/tables", "/api/games", "/api/games/1",
             "/api/health", "/api/games/1/export.json", "/api/games/1/export.txt", "/api/legal/2", "/api/rules/azul/nl",
             "/api/qr.svg", "/api/strings/fr", "/api/pictures/table.jpg", "/api/crops/a1", "/api/openapi.json",
             "/", "/tv", "/favicon.ico"]
    assert {path: client.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)
    for path in ("/api/games/99", "/api/legal/9999", "/api/rules/chess/en", "/api/strings/de", "/api/pictures/x.jpg",
                 "/api/games/99/export.txt", "/api/wifi.svg", "/api/games/99999999999999999999"):
        assert client.get(path).status_code == 404, path


def test_commands_reach_the_table_as_they_were_sent(paired: FlaskClient, table: DemoTable) -> None:
    table.slip()
    alert = table.alerts[0].id
    assert paired.post("/api/commands/accept", json={"alert": alert}).json["ok"]
    assert table.alerts == []
    gone = paired.post("/api/commands/accept", json={"alert": alert})
    assert gone.status_code == 409 and gone.json["key"] == "refused.alert-gone"


def test_undo_derives_what_follows_again(paired: FlaskClient, client: FlaskClient, table: DemoTable) -> None:
    before = client.get("/api/snapshot").json["moves"]
    assert paired.post("/api/commands/undo", json={"entry": len(before)}).status_code == 200
    after = client.get("/api/snapshot").json["moves"]
    assert [move["notation"] for move in after] == [move["notation"] for move in before[:-1]]


def test_the_snapshot_is_compressed_where_the_phone_takes_it(client: FlaskClient) -> None:
    plain = client.get("/api/snapshot")
    zipped = client.get("/api/snapshot", headers={"Accept-Encoding": "gzip"})
    assert zipped.headers["Content-Encoding"] == "gzip" and len(zipped.data) < len(plain.data) / 3


def test_strings_hold_all_of_the_game_in_play_and_little_of_the_others(client: FlaskClient) -> None:
    words = client.get("/api/strings/nl").json
    assert words["page"]["nav.table"] == "Tafel"
    assert any(key.startswith("slips.") for key in words["games"]["azul"])
    for name, texts in words["games"].items():
        assert "game.name" in texts
        if name != "azul":
            assert not any(key.startswith("slips.") for key in texts)
