"""The page's own words, one file a language with the same keys; the games bring theirs through the table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

STRINGS = Path(__file__).parent / "strings"
LANGUAGES = ("en", "nl", "fr")

Words = Mapping[str, Any]
"""Whole keys such as `slip.accept`; a value is a text, or its plural forms `one` and `other`."""


@cache
def page_words(language: str) -> Words:
    """All words of the pages in one language."""
    return _flat(tomllib.loads((STRINGS / f"{language}.toml").read_text(encoding="utf-8")), "")


def _flat(data: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and not set(value) <= {"one", "other"}:
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found


def game_words(catalogues: Mapping[str, Any], game: str | None) -> dict[str, Any]:
    """Of the game in play every text; of the others only what choosing and setting up a game needs."""
    chosen = ("game.", "options.", "colours.", "places.")
    return {
        name: {
            key: text for key, text in catalogue["texts"].items() if name == game or key.startswith(chosen)
        }
        for name, catalogue in catalogues.items()
    }
