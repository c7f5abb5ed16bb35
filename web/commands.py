"""What changes something: pairing, and the commands of a paired phone."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, request

from web.config import WebConfig
from web.contract import TablePort
from web.guard import answer, body, needs_pairing, refuse
from web.pairing import Pass, PinGate
from web.schema import COMMANDS, ShapeError


def command_routes(table: TablePort, config: WebConfig, keeper: Pass) -> Blueprint:
    routes = Blueprint("commands", __name__, url_prefix="/api")
    gate = PinGate(config)

    @routes.post("/pair")
    def pair() -> Response:
        data = body()
        pin = data.get("pin") if data is not None else None
        if not isinstance(pin, str) or len(pin) > 32 or not pin.isascii():
            return refuse(400, "error.malformed")
        right, wait_s = gate.check(request.remote_addr or "", pin.strip())
        if right:
            response = answer({"ok": True, "key": "ok"})
            keeper.give(response, secure=request.is_secure)
            return response
        if wait_s <= 0:
            return refuse(401, "error.pin")
        response = refuse(429, "error.pin-wait", seconds=math.ceil(wait_s))
        response.headers["Retry-After"] = str(math.ceil(wait_s))
        return response

    @routes.post("/unpair")
    def unpair() -> Response:
        response = answer({"ok": True, "key": "ok"})
        keeper.take_back(response)
        return response

    @routes.post("/commands/<name>")
    @needs_pairing(keeper)
    def command(name: str) -> Response:
        if name not in COMMANDS:
            return refuse(404, "error.not-found")
        data = body()
        if data is None:
            return refuse(400, "error.malformed")
        try:
            arguments: dict[str, Any] = COMMANDS[name][1].check(data, "body")
        except ShapeError as error:
            return refuse(400, "error.malformed", detail=str(error))
        reply = table.command(name, arguments)
        return answer(asdict(reply), 200 if reply.ok else 409)

    return routes
