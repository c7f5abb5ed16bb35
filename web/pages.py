"""The two pages, `/` and `/tv`, and the files they are made of."""

from __future__ import annotations

from flask import Blueprint, Request, Response, abort, render_template, request

from web.assets import Assets
from web.guard import nonce
from web.i18n import LANGUAGES, page_words

PRELOAD = (
    "vendor/preact.js", "vendor/hooks.js", "vendor/htm.js", "base.js", "words.js", "store.js", "tiles.js", "heaps.js",
    "piece.js", "table.js", "flight.js", "panels.js", "summary.js", "chart.js", "frame.js", "feedback.js",
)
"""What the live page needs at once: named here so that a phone asks for all of it in one go."""


def preferred_language(asked: Request) -> str:
    """The first language of the browser that we speak, its country left out: `nl-BE` is Dutch."""
    spoken = (name.partition("-")[0].lower() for name in asked.accept_languages.values())
    return next((name for name in spoken if name in LANGUAGES), LANGUAGES[0])


def page_routes(assets: Assets) -> Blueprint:
    routes = Blueprint("pages", __name__, template_folder="templates")

    def page(view: str) -> Response:
        language = preferred_language(request)
        text = render_template(
            "page.html", view=view, version=assets.version, nonce=nonce(), language=language,
            words=page_words(language), preload=PRELOAD,
        )
        return Response(text, mimetype="text/html", headers={"Cache-Control": "no-cache", "Vary": "Accept-Language"})

    @routes.get("/")
    def live() -> Response:
        return page("phone")

    @routes.get("/tv")
    def tv() -> Response:
        return page("tv")

    @routes.get("/static/<version>/<path:name>")
    def static_file(version: str, name: str) -> Response:
        response = assets.respond(request, version, name)
        return response if response is not None else abort(404)

    @routes.get("/favicon.ico")
    def favicon() -> Response:
        response = assets.respond(request, "", "icon.svg")
        return response if response is not None else abort(404)

    return routes
