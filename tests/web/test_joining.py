"""If one of these fails, a phone cannot join, or joins without being let in."""

from __future__ import annotations

import pytest

from web import WebConfig, host_names, join_address, new_pin, new_secret, qr_terminal
from web.qr import qr_svg


def test_the_pin_stands_where_no_server_sees_it() -> None:
    assert join_address("http://192.168.1.5:8765/", "123456") == "http://192.168.1.5:8765/#pin=123456"
    assert join_address("http://192.168.1.5:8765/", None) == "http://192.168.1.5:8765/"


def test_the_terminal_shows_a_code() -> None:
    code = qr_terminal("http://192.168.1.5:8765/#pin=123456")
    lines = code.splitlines()
    assert len(lines) > 10 and len({len(line) for line in lines if "\x1b" not in line}) <= 2


def test_the_code_can_be_read_back() -> None:
    import cv2
    import numpy as np
    import segno

    text = "http://192.168.1.5:8765/#pin=123456"
    assert qr_svg(text).startswith(b"<svg")
    matrix = np.array([list(row) for row in segno.make(text, error="m", micro=False).matrix], np.uint8)
    picture = np.kron(np.pad(1 - matrix, 4, constant_values=1), np.ones((8, 8), np.uint8)) * 255
    found, _, _ = cv2.QRCodeDetector().detectAndDecode(picture.astype(np.uint8))
    assert found == text


def test_host_names_are_written_as_browsers_send_them() -> None:
    assert host_names("192.168.1.5", "FE80::1", "Table.local", " ") == (
        "192.168.1.5", "fe80::1", "table.local", "localhost", "127.0.0.1", "::1")


def test_every_pin_and_key_is_fresh() -> None:
    assert len(new_pin()) == 6 and new_pin().isdigit()
    assert new_secret() != new_secret() and len(new_secret()) >= 32
    assert new_secret() not in repr(WebConfig())


@pytest.mark.parametrize("wrong", [{"pin": "12"}, {"pin": "abcdef"}, {"pin": "١٢٣٤٥٦"}, {"max_streams": 80}])
def test_a_configuration_that_cannot_work_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must"):
        WebConfig(**wrong)  # type: ignore[arg-type]
