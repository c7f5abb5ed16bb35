"""The pages: `create_app(table, config)` makes the app, `serve(app)` starts it."""

from __future__ import annotations

from flask import Flask

from web import guard
from web.api import view_routes
from web.assets import load_assets
from web.commands import command_routes
from web.config import WebConfig, host_names, in_address, new_pin, new_secret
from web.contract import TablePort
from web.hub import Hub
from web.pages import page_routes
from web.pairing import Pass
from web.qr import join_address, qr_terminal
from web.server import WebServer, serve

__all__ = [
    "WebConfig", "WebServer", "create_app", "host_names", "in_address", "join_address", "new_pin", "new_secret",
    "qr_terminal", "serve",
]


def create_app(table: TablePort, config: WebConfig) -> Flask:
    """The whole web side of one table."""
    app = Flask(__name__, static_folder=None)
    hub = Hub(table, config.max_streams, config.max_streams_per_address)
    keeper = Pass(config)
    guard.install(app, config)
    app.register_blueprint(page_routes(load_assets()))
    app.register_blueprint(view_routes(table, hub, config, keeper))
    app.register_blueprint(command_routes(table, config, keeper))
    app.extensions["companion-hub"] = hub
    app.extensions["companion-config"] = config
    return app
