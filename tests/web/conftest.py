"""A demo table behind the real app, and clients that know or do not know the PIN."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.demo_table import DemoTable
from web import WebConfig, create_app

PIN = "246810"


@pytest.fixture
def table() -> DemoTable:
    table = DemoTable("azul", ("Ann", "Bo"), seed=5)
    table.play(12)
    return table


@pytest.fixture
def app(table: DemoTable) -> Flask:
    return create_app(table, WebConfig(pin=PIN, secret="only for tests", hosts=("localhost", "::1", "192.168.1.20")))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A phone that only looks."""
    return app.test_client()


@pytest.fixture
def paired(app: Flask) -> FlaskClient:
    """A phone that said the PIN."""
    client = app.test_client()
    assert client.post("/api/pair", json={"pin": PIN}).status_code == 200
    return client
