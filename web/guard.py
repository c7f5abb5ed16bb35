"""What every request passes and every answer carries: origin, size, headers; and errors as one plain object."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from web.config import LOOPBACK, WebConfig, host_name
from web.pairing import Pass

log = logging.getLogger(__name__)

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer some browsers send our own POSTs with the Origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), screen-wake-lock=(self)",
}

OWN_ADDRESSES = ("127.0.0.1", "::1")


def answer(data: Any, status: int = 200) -> Response:
    """Plain JSON that no browser keeps."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    response = Response(text, status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def refuse(status: int, key: str, **params: Any) -> Response:
    """Why not, as a key of the page's strings."""
    return answer({"ok": False, "key": key, "params": params}, status)


def body() -> dict[str, Any] | None:
    """The JSON object of the request; None when it is anything else."""
    if request.mimetype != "application/json":
        return None
    try:
        data = json.loads(request.get_data(cache=False), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def is_foreign() -> bool:
    """Whether another site sent this: browsers say so in `Origin` and `Sec-Fetch-Site`; other programs send neither."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        return True
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return True
    return (parts.scheme, parts.netloc.lower()) != (request.scheme, request.host.lower())


def needs_pairing(keeper: Pass) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """For routes that change something."""

    def wrap(view: Callable[..., Response]) -> Callable[..., Response]:
        @wraps(view)
        def checked(*args: Any, **kwargs: Any) -> Response:
            if not keeper.holds(request):
                return refuse(401, "error.pair")
            return view(*args, **kwargs)

        return checked

    return wrap


def nonce() -> str:
    """The nonce of the page that is being made."""
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(16)
    return str(g.nonce)


def policy(page_nonce: str | None) -> str:
    """Everything from this host, scripts only with the page's nonce or from our own files, nothing inline."""
    script = "'self'" + (f" 'nonce-{page_nonce}'" if page_nonce else "")
    return (
        f"default-src 'none'; script-src {script}; style-src {script}; img-src 'self' blob:; connect-src 'self'; "
        "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def install(app: Flask, config: WebConfig) -> None:
    """Put the guards around every route of the app."""
    app.config.update(MAX_CONTENT_LENGTH=config.max_body_bytes)
    known_hosts = {host_name(name) for name in config.hosts}

    @app.before_request
    def host() -> Response | None:
        # Flask's own check knows no IPv6 numbers.
        return None if host_name(request.host) in known_hosts - {""} else refuse(400, "error.malformed")

    @app.before_request
    def origin() -> Response | None:
        if request.method not in ("GET", "HEAD", "OPTIONS") and is_foreign():
            return refuse(403, "error.origin")
        return None

    @app.after_request
    def headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", policy(g.get("nonce")))
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        known: Mapping[int, str] = {404: "error.not-found", 405: "error.method", 413: "error.too-large"}
        status = error.code or 500
        if status < 400:  # a redirect of the router's own
            return Response(status=status, headers=list(error.get_headers()))
        response = refuse(status, known.get(status, "error.malformed"))
        if status == 405:
            response.headers["Allow"] = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
        return response

    @app.errorhandler(LookupError)
    def missing(error: LookupError) -> Response:
        log.info("%s %s: %s", request.method, request.path, error)
        return refuse(404, "error.not-found")

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        # Nobody at the table is helped by a trace: it goes to the log, the phone gets a sentence.
        log.error("%s %s failed", request.method, request.path, exc_info=error)
        return refuse(500, "error.unexpected")


def on_this_machine() -> bool:
    """Whether a page is open on the companion's own machine: asked for from there, and under its own name for itself.

    The name tells a browser here from a proxy or tunnel that passes strangers on."""
    return (request.remote_addr or "") in OWN_ADDRESSES and host_name(request.host) in LOOPBACK
