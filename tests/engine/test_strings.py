"""If these fail, a phone shows a raw key, a Dutch sentence with an English colour, or nothing at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SetupError
from engine.strings import differences, load_catalogue, load_catalogues


def test_parameters_are_put_in_and_translated(extra_folder: Path) -> None:
    words = load_catalogues(extra_folder / "pebbles")
    take = {"player": 2, "colour": "blue", "count": 2}
    names = ("Ann", "Bo")
    assert words["en"].say("moves.take", take, names) == "Bo takes 2 blue pebbles"
    assert words["nl"].say("moves.take", take, names) == "Bo neemt 2 blauwe steentjes"
    assert words["fr"].say("moves.take", take, names) == "Bo prend 2 cailloux bleus"


def test_one_and_many_differ_and_french_counts_nothing_as_one(extra_folder: Path) -> None:
    words = load_catalogues(extra_folder / "pebbles")
    assert words["nl"].say("moves.take", {"player": 1, "colour": "red", "count": 1}) == "1 neemt 1 rood steentje"
    assert words["fr"].say("reasons.red", {"count": 0}) == "0 caillou rouge"
    assert words["en"].say("reasons.red", {"count": 0}) == "0 red pebbles"


def test_a_place_is_named_by_its_pattern(extra_folder: Path) -> None:
    words = load_catalogue(extra_folder / "pebbles", "fr")
    assert words.place("p2.kept", ("Ann", "Bo")) == "les cailloux de Bo"
    assert words.place("bowl") == "le bol"
    with pytest.raises(SetupError, match=r"no pattern in \[places\] fits 'p2.floor'"):
        words.place("p2.floor")


def test_a_sentence_that_lacks_a_parameter_says_which(extra_folder: Path) -> None:
    words = load_catalogue(extra_folder / "pebbles", "en")
    with pytest.raises(SetupError, match=r"'moves.take' needs the parameter 'player'"):
        words.say("moves.take", {"count": 2})
    with pytest.raises(SetupError, match=r"there is no text 'moves.jump'"):
        words.say("moves.jump")


def rewrite(folder: Path, old: str, new: str) -> None:
    path = folder / "pebbles" / "strings" / "nl.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('over = "Het spel is afgelopen"\n', "", "'phases.over' stands in en only, not in nl"),
        ('over = "Het', 'extra = "x"\nover = "Het', "'phases.extra' stands in nl only, not in en"),
        ("{player} nam", "Iemand nam", "'slips.too-many-taken' has other parameters in nl than in en"),
        ('id = "turn"', 'id = "beurt"', "[[rules]] has other ids in nl than in en"),
        ('"Het spel is afgelopen"', '""', "'phases.over' is empty in nl"),
    ],
)
def test_languages_that_differ_are_told(extra_folder: Path, old: str, new: str, told: str) -> None:
    assert differences(load_catalogues(extra_folder / "pebbles")) == []
    rewrite(extra_folder, old, new)
    assert differences(load_catalogues(extra_folder / "pebbles")) == [told]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[phases]", "[stages]", r"nl\.toml: the section \[phases\] is missing"),
        ('"Vul de kom"', "3", r"nl\.toml: 'phases\.deal' must be a text, but is 3"),
        ('title = "Je beurt"', 'kop = "Je beurt"', r"nl\.toml: each \[\[rules\]\] needs id, title and text"),
        ('"Vul de kom"', '{ one = "x" }', r"nl\.toml: the plural 'phases\.deal' needs"),
        ("[phases]", "[phases", r"nl\.toml: "),
    ],
)
def test_a_bad_file_is_named_with_its_fault(extra_folder: Path, old: str, new: str, told: str) -> None:
    rewrite(extra_folder, old, new)
    with pytest.raises(SetupError, match=told):
        load_catalogues(extra_folder / "pebbles")
