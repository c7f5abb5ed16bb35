"""If one of these fails, a page for people names a button, a file or a command that is not there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click
import pytest

from companion.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "deploy" / "README.md"]
LANGUAGES = ("en", "nl", "fr")


def words(value: object) -> set[str]:
    """Every text of a catalogue."""
    if isinstance(value, dict):
        return set().union(*(words(each) for each in value.values()))
    return {value} if isinstance(value, str) else set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_buttons_are_called_as_they_are_on_the_pages(language: str) -> None:
    page = (ROOT / "docs" / f"players.{language}.md").read_text(encoding="utf-8")
    known = words(tomllib.loads((ROOT / "web" / "strings" / f"{language}.toml").read_text(encoding="utf-8")))
    named = {" ".join(label.split()) for label in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", page)}
    assert len(named) == 5
    assert named <= known


def test_the_page_for_players_says_as_much_in_every_language() -> None:
    counts = {
        len(re.findall(r"^\*\*", (ROOT / "docs" / f"players.{language}.md").read_text(encoding="utf-8"), re.MULTILINE))
        for language in LANGUAGES
    }
    assert len(counts) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_commands_and_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    known = set(main.list_commands(click.Context(main)))
    for name in re.findall(r"^companion ([a-z-]+)|`companion ([a-z-]+)", text, re.MULTILINE):
        assert "".join(name) in known, name
    for path in re.findall(r"`((?:engine|vision|companion|web|tests|deploy)/[\w./-]*\w)`", text):
        assert (ROOT / path).exists(), path


def test_no_table_is_left_to_be_filled_in() -> None:
    for page in PAGES:
        assert not re.search(r"^[A-Z]+_TABLE$", page.read_text(encoding="utf-8"), re.MULTILINE), page.name
