"""The HTTP interface as an OpenAPI document, made from the same shapes that check requests and carry snapshots."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from web import contract
from web.schema import COMMANDS

ANY: dict[str, Any] = {}
JSON_TYPES: Mapping[Any, dict[str, Any]] = {
    int: {"type": "integer"}, str: {"type": "string"}, bool: {"type": "boolean"}, float: {"type": "number"},
    Any: ANY, type(None): {"type": "null"},
}

VIEWS: Mapping[str, tuple[str, str]] = {
    "/api/snapshot": ("The whole table now.", "Snapshot"),
    "/api/events": ("The same as server-sent events named `snapshot`: the present, then each newer one.", "stream"),
    "/api/session": ("Whether this phone is paired, and the address to join.", ""),
    "/api/screen": ("The PIN, for a screen that hangs on the companion's own machine; nobody else finds anything.", ""),
    "/api/qr.svg": ("The address as a QR code; with the PIN for a paired phone only.", "svg"),
    "/api/wifi.svg": ("A QR code that joins the Wi-Fi, for a paired phone.", "svg"),
    "/api/strings/{language}": ("All words, by language (`en`, `nl`, `fr`).", ""),
    "/api/rules/{game}/{language}": ("The rules at hand of a game.", ""),
    "/api/layout": ("Pieces and places of the table in play, for drawing.", ""),
    "/api/catalogue": ("The games that can be played, with their options.", ""),
    "/api/tables": ("Remembered tables.", ""),
    "/api/games": ("Past games.", ""),
    "/api/games/{game_number}": ("One past game.", ""),
    "/api/games/{game_number}/export.{form}": ("One past game as a file (`json` or `txt`).", "file"),
    "/api/legal/{entry}": ("What else a move could have been.", ""),
    "/api/health": ("All health checks.", ""),
    "/api/pictures/{name}.jpg": ("A camera picture: `table`, `setup` or `overlay`; secret areas are black.", "jpeg"),
    "/api/crops/{name}": ("The part of a camera picture that belongs to a slip or a question.", "jpeg"),
    "/api/openapi.json": ("This document.", ""),
}
"""Everything that can be looked up, with what comes back."""

WHOLE = {"game_number", "entry"}
CONTENT = {"stream": "text/event-stream", "svg": "image/svg+xml", "jpeg": "image/jpeg", "file": "text/plain"}


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    paths = {path: {"get": _view(path, summary, kind)} for path, (summary, kind) in VIEWS.items()}
    paths["/api/pair"] = {"post": _post("Pair this phone: sets a signed cookie.", _pin(), paired=False)}
    paths["/api/unpair"] = {"post": _post("Forget this phone.", {"type": "object"}, paired=False)}
    for name, (summary, shape) in COMMANDS.items():
        paths[f"/api/commands/{name}"] = {"post": _post(summary, shape.describe(), paired=True)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Table companion", "version": "1", "description": "Viewing is open; changing needs the PIN."},
        "paths": paths,
        "components": {
            "schemas": {cls.__name__: schema_of(cls) for cls in _views()},
            "securitySchemes": {"paired": {"type": "apiKey", "in": "cookie", "name": "companion"}},
        },
    }


def _views() -> list[type]:
    found = [item for item in vars(contract).values() if isinstance(item, type) and dataclasses.is_dataclass(item)]
    return sorted(found, key=lambda cls: cls.__name__)


def schema_of(cls: type) -> dict[str, Any]:
    """The JSON schema of one of the contract's dataclasses."""
    hints = typing.get_type_hints(cls)
    fields = dataclasses.fields(cls)
    return {
        "type": "object",
        "properties": {field.name: _type(hints[field.name]) for field in fields},
        "required": [field.name for field in fields],
        "additionalProperties": False,
    }


def _type(hint: Any) -> dict[str, Any]:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_type(part) for part in parts]}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_type(part) for part in parts]}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type(parts[1])}
    if origin is not None and issubclass(origin, Sequence):
        return {"type": "array", "items": _type(parts[0])}
    if dataclasses.is_dataclass(hint):
        return {"$ref": f"#/components/schemas/{hint.__name__}"}  # type: ignore[union-attr]
    return JSON_TYPES[hint]


def _view(path: str, summary: str, kind: str) -> dict[str, Any]:
    names = [part.split("}")[0] for part in path.split("{")[1:]]
    schema = {"$ref": f"#/components/schemas/{kind}"} if kind and kind not in CONTENT else ANY
    content = {CONTENT.get(kind, "application/json"): {"schema": schema}}
    found: dict[str, Any] = {
        "summary": summary,
        "responses": {"200": {"description": "ok", "content": content}, "404": {"description": "there is none"}},
    }
    if names:
        found["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "integer" if name in WHOLE else "string"}}
            for name in names
        ]
    return found


def _pin() -> dict[str, Any]:
    return {"type": "object", "properties": {"pin": {"type": "string", "maxLength": 32}}, "required": ["pin"]}


def _post(summary: str, schema: dict[str, Any], paired: bool) -> dict[str, Any]:
    reply = {"application/json": {"schema": {"$ref": "#/components/schemas/Reply"}}}
    found: dict[str, Any] = {
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {
            "200": {"description": "done", "content": reply},
            "400": {"description": "malformed"},
            "401": {"description": "not paired, or a wrong PIN"},
            "403": {"description": "sent by another site"},
            "409": {"description": "the table refuses, with a reason", "content": reply},
        },
    }
    if paired:
        found["security"] = [{"paired": []}]
    else:
        found["responses"]["429"] = {"description": "too many wrong PINs: wait"}
    return found
