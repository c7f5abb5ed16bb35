"""What can be looked up: the snapshot, words, layouts, past games, pictures. Open to everyone on the network."""

from __future__ import annotations

import json
import re
from typing import Any

from flask import Blueprint, Response, abort, request

from web.assets import squeeze
from web.config import WebConfig
from web.contract import TablePort
from web.guard import answer, on_this_machine, refuse
from web.hub import Hub, HubFullError, events
from web.i18n import LANGUAGES, game_words, page_words
from web.openapi import document
from web.pairing import Pass
from web.qr import join_address, qr_svg

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""What a game, a picture or a crop can be called: no path can be made of it."""
PICTURES = ("table", "setup", "overlay")
MAX_NUMBER = 10**9


def view_routes(table: TablePort, hub: Hub, config: WebConfig, keeper: Pass) -> Blueprint:
    routes = Blueprint("api", __name__, url_prefix="/api")

    def looked_up(name: str, **arguments: Any) -> Response:
        found = table.query(name, arguments)
        if found is None:
            return refuse(404, "error.not-found")
        return squeeze(request, answer(found))

    def jpeg(name: str) -> Response:
        data = table.picture(name)
        if data is None:
            return refuse(404, "error.no-picture")
        return Response(data, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})

    @routes.get("/snapshot")
    def snapshot() -> Response:
        response = Response(hub.latest.json(), mimetype="application/json", headers={"Cache-Control": "no-store"})
        return squeeze(request, response)

    @routes.get("/events")
    def stream() -> Response:
        try:
            mailbox = hub.join(request.remote_addr or "")
        except HubFullError:
            response = refuse(503, "error.full")
            response.headers["Retry-After"] = "5"
            return response
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        response = Response(events(hub, mailbox, config.heartbeat_s), mimetype="text/event-stream", headers=headers)
        # A stream that was never read (a HEAD request) ends without its own clean-up.
        response.call_on_close(lambda: hub.leave(mailbox))
        return response

    @routes.get("/session")
    def session() -> Response:
        paired = keeper.holds(request)
        return answer({"paired": paired, "join": join_address(config.join_url, config.pin if paired else None),
                       "pin": config.pin if paired else None, "wifi": bool(config.wifi) and paired,
                       "languages": list(LANGUAGES)})

    @routes.get("/screen")
    def screen() -> Response:
        # Whoever sees the screen that hangs on the machine sits at the table.
        if not on_this_machine():
            return refuse(404, "error.not-found")
        return answer({"pin": config.pin})

    @routes.get("/qr.svg")
    def qr() -> Response:
        # Only a phone that knows the PIN can hand it on; others get the bare address, to look on.
        text = join_address(config.join_url, config.pin if keeper.holds(request) else None)
        return Response(qr_svg(text), mimetype="image/svg+xml")

    @routes.get("/wifi.svg")
    def wifi() -> Response:
        if not config.wifi or not keeper.holds(request):
            return refuse(404, "error.not-found")
        return Response(qr_svg(config.wifi), mimetype="image/svg+xml")

    @routes.get("/strings/<language>")
    def strings(language: str) -> Response:
        if language not in LANGUAGES:
            return refuse(404, "error.not-found")
        game = request.args.get("game", hub.latest.snapshot.game or "")
        games = game_words(table.query("strings", {"language": language}) or {}, game)
        return squeeze(request, answer({"language": language, "page": page_words(language), "games": games}))

    @routes.get("/rules/<game>/<language>")
    def rules(game: str, language: str) -> Response:
        if language not in LANGUAGES or not NAME.fullmatch(game):
            return refuse(404, "error.not-found")
        return looked_up("rules", game=game, language=language)

    @routes.get("/layout")
    def layout() -> Response:
        return looked_up("layout")

    @routes.get("/catalogue")
    def catalogue() -> Response:
        return looked_up("catalogue")

    @routes.get("/tables")
    def tables() -> Response:
        return looked_up("tables")

    @routes.get("/games")
    def games() -> Response:
        return looked_up("games")

    @routes.get("/games/<int:game_number>")
    def game(game_number: int) -> Response:
        return looked_up("game", game_number=_number(game_number))

    @routes.get("/games/<int:game_number>/export.<form>")
    def export(game_number: int, form: str) -> Response:
        kinds = {"json": "application/json", "txt": "text/plain"}
        if form not in kinds:
            return refuse(404, "error.not-found")
        form_name = "json" if form == "json" else "text"
        found = table.query("export", {"game_number": _number(game_number), "form": form_name})
        if found is None:
            return refuse(404, "error.not-found")
        text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, indent=1)
        headers = {"Content-Disposition": f'attachment; filename="game-{game_number}.{form}"'}
        return Response(text, content_type=f"{kinds[form]}; charset=utf-8", headers=headers)

    @routes.get("/legal/<int:entry>")
    def legal(entry: int) -> Response:
        return looked_up("legal", entry=_number(entry))

    @routes.get("/health")
    def health() -> Response:
        return looked_up("health")

    @routes.get("/pictures/<name>.jpg")
    def picture(name: str) -> Response:
        return jpeg(name) if name in PICTURES else refuse(404, "error.not-found")

    @routes.get("/crops/<name>")
    def crop(name: str) -> Response:
        return jpeg(f"crop/{name}") if NAME.fullmatch(name) else refuse(404, "error.not-found")

    @routes.get("/openapi.json")
    def openapi() -> Response:
        return squeeze(request, answer(document()))

    return routes


def _number(value: int) -> int:
    """A number from a path; one that no table can have counts as not found."""
    return value if value <= MAX_NUMBER else abort(404)
