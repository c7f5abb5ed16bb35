"""If one of these fails, somebody reads a key instead of a sentence, or a sentence with a hole in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from web.i18n import LANGUAGES, page_words

WEB = Path(__file__).resolve().parents[2] / "web"
PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::[a-z_]+)?\}")
CALL = re.compile(r"""(?:words\.|\.)(?:say|sentence|has)\(\s*"([a-z0-9_.-]+)\"""")
KEY_IN_CODE = re.compile(r"""["'`]((?:error|refused|setup|slip|pair|join)\.[a-z-]+)["'`]""")


def placeholders(text: Any) -> set[str]:
    forms = text.values() if isinstance(text, dict) else [text]
    return {name for form in forms for name in PLACEHOLDER.findall(form)}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_has_the_same_keys_and_parameters(language: str) -> None:
    first, other = page_words("en"), page_words(language)
    assert set(first) == set(other)
    for key, text in first.items():
        assert placeholders(text) == placeholders(other[key]), key
        assert isinstance(text, dict) == isinstance(other[key], dict), key


def test_no_text_is_empty() -> None:
    for language in LANGUAGES:
        assert not [key for key, text in page_words(language).items() if not text]


def test_every_key_the_pages_use_exists() -> None:
    """Keys put together at run time are covered by the browser tests."""
    known = set(page_words("en"))
    games = ("game.", "colours.", "slips.", "moves.", "phases.", "options.", "reasons.", "faces.")
    missing = set()
    for path in [*WEB.glob("static/*.js"), *WEB.glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        used = set(CALL.findall(text)) | set(KEY_IN_CODE.findall(text))
        unknown = {key for key in used - known if not key.startswith(games) and not key.endswith("-")}
        missing |= {f"{path.name}: {key}" for key in unknown}
    assert not missing


def test_the_page_speaks_the_language_of_the_browser() -> None:
    from tests.web.demo_table import DemoTable
    from web import WebConfig, create_app

    client = create_app(DemoTable(None), WebConfig()).test_client()
    for asked, language in (("nl-BE,fr;q=0.5", "nl"), ("fr-FR", "fr"), ("de", "en")):
        page = client.get("/", headers={"Accept-Language": asked}).get_data(as_text=True)
        assert f'<html lang="{language}"' in page and page_words(language)["app.title"] in page
