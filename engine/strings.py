"""The words of a game in each language: `strings/en.toml`, `nl.toml` and `fr.toml` beside its rules.

Schema. Every file has the same sections with the same keys; a test compares them with each other and with what
the game can say.

    [game]      name, short (a few letters for small screens), about (one sentence), tie_break (what decides a tie)
    [options.X] for each option X of `Game.options`: `label`, `help`, and one key for each allowed value, written as
                `str(value).lower()` (`coloured`, `true`, `2`)
    [phases]    one key for each phase the game can be in
    [slips]     one sentence for each slug, friendly and never accusing
    [reasons]   one key for each Reason.key
    [moves]     one sentence for each key that `Game.say(move)` can give (deals too)
    [places]    patterns of place names (quoted keys) with the words for them, the most special first:
                "p{player}.line{line}.{cell}" = "pattern line {line}"; a {name} in a pattern stands for a number or a
                letter with a number. Every place of `Game.places` and every place in a move's or slip's parameters
                must match one. Short forms such as "line{line}" or "floor" may stand there too.
    [colours]   one key for each colour (and marker, joker …) that can lie on the table
    [heights]   where a game hides heights: one question for each key of `HidesHeights.ask_height`
    [[rules]]   id, title, text: the rules at hand, in own words; the same ids in the same order in every language

A game may have sections of its own ([faces], [plates] …). What the game can say is listed in its `game.toml`:

    [slips]                      # a table whose keys are the slugs
    tiles-left-behind = { rule = "A30", severity = "error" }

    [words]
    phases = ["deal", "offer", "tiling", "over"]
    reasons = ["lone", "across"]
    moves = ["take", "tile", "deal"]
    heights = ["broken"]         # only where a game hides heights

Placeholders. `{count}` puts in a parameter as it is. These names are translated: `colour`, `colours` through
[colours]; `place`, `places`, `from`, `to`, `source`, `sources` through [places]; `player`, `other` become the player's
name. Any other parameter can be sent through a section by naming it: `{face:faces}`, `{took:colours}`,
`{second:players}`. A list is joined by commas. A parameter may be missing only if no sentence uses it.

Plurals. Instead of a text, a value may be a table { one = "…", other = "…" }; the parameter `count` chooses (English
and Dutch: one for 1; French: one for 0 and 1). This also lets an adjective agree, as in [colours]
blue = { one = "bleue", other = "bleues" }. Without `count`, `one` is used in [colours] and `other` elsewhere.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import SetupError

LANGUAGES = ("en", "nl", "fr")
SECTIONS = ("game", "options", "phases", "slips", "reasons", "moves", "places", "colours")
GAME_KEYS = ("name", "short", "about", "tie_break")
PLURAL_KEYS = frozenset({"one", "other"})

TRANSLATED = {
    "colour": "colours",
    "colours": "colours",
    "place": "places",
    "places": "places",
    "from": "places",
    "to": "places",
    "source": "places",
    "sources": "places",
    "player": "players",
    "other": "players",
}
"""Parameters that are sent through a section without being asked to."""

PLACEHOLDER = re.compile(r"\{(?P<name>[a-z_]+)(?::(?P<section>[a-z_]+))?\}")

Text = str | Mapping[str, str]
"""A sentence, or its plural forms."""


@dataclass(frozen=True, slots=True)
class RuleText:
    """One part of the rules at hand."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All words of one game in one language."""

    language: str
    texts: Mapping[str, Text]
    """Every text under its whole key, such as `slips.out-of-turn` or `options.wall.grey`."""
    rules: tuple[RuleText, ...]

    def say(self, key: str, params: Mapping[str, Any] | None = None, players: Sequence[str] = ()) -> str:
        """The sentence under a whole key with its parameters put in; `players` are the names in player order."""
        if key not in self.texts:
            raise SetupError(f"there is no text '{key}' in the language '{self.language}'")
        return self._fill(self.texts[key], params or {}, players, key)

    def place(self, name: str, players: Sequence[str] = ()) -> str:
        """The words for a place."""
        for key, text in self.texts.items():
            if key.startswith("places.") and (match := place_pattern(key.removeprefix("places.")).fullmatch(name)):
                return self._fill(text, match.groupdict(), players, key)
        raise SetupError(f"no pattern in [places] fits '{name}' in the language '{self.language}'")

    def to_json(self) -> dict[str, Any]:
        """For the phones, which put the parameters in themselves."""
        rules = [{"id": rule.id, "title": rule.title, "text": rule.text} for rule in self.rules]
        return {"language": self.language, "texts": dict(self.texts), "rules": rules}

    def _fill(self, text: Text, params: Mapping[str, Any], players: Sequence[str], key: str) -> str:
        def word(match: re.Match[str]) -> str:
            name = match["name"]
            if name not in params:
                raise SetupError(f"the text '{key}' needs the parameter '{name}', which it was not given")
            section = match["section"] or TRANSLATED.get(name)
            value = params[name]
            values = value if isinstance(value, list | tuple) else [value]
            return ", ".join(self._word(section, item, params, players) for item in values)

        return PLACEHOLDER.sub(word, self._form(text, params, key))

    def _word(self, section: str | None, value: Any, params: Mapping[str, Any], players: Sequence[str]) -> str:
        if section is None or value is None:
            return "" if value is None else str(value)
        if section == "players":
            return players[int(value) - 1] if 0 < int(value) <= len(players) else str(value)
        if section == "places":
            return self.place(str(value), players)
        key = f"{section}.{value}"
        return self._form(self.texts[key], params, key) if key in self.texts else str(value)

    def _form(self, text: Text, params: Mapping[str, Any], key: str) -> str:
        if isinstance(text, str):
            return text
        count = params.get("count")
        if not isinstance(count, int):
            return text["one" if key.startswith("colours.") else "other"]
        return text["one" if count == 1 or (count == 0 and self.language == "fr") else "other"]


def place_pattern(pattern: str) -> re.Pattern[str]:
    """What a key of [places] matches: each `{name}` stands for a number or a letter with a number."""
    parts = PLACEHOLDER.split(pattern)
    # split gives text, name, section, text, name, section, …, text
    expression = re.escape(parts[0])
    for name, rest in zip(parts[1::3], parts[3::3], strict=True):
        expression += f"(?P<{name}>[A-Z]?[0-9]+){re.escape(rest)}"
    return re.compile(expression)


def load_catalogue(folder: Path, language: str) -> Catalogue:
    """Read `folder/strings/<language>.toml`; SetupError names the file and what is wrong with it."""
    path = folder / "strings" / f"{language}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SetupError(f"{path} is missing: every game has its words in {', '.join(LANGUAGES)}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"{path}: {error}") from error
    absent = [section for section in SECTIONS if section not in data]
    if absent:
        raise SetupError(f"{path}: the section [{absent[0]}] is missing")
    rules = data.pop("rules", [])
    try:
        parts = tuple(RuleText(str(rule["id"]), str(rule["title"]), str(rule["text"])) for rule in rules)
    except (KeyError, TypeError) as error:
        raise SetupError(f"{path}: each [[rules]] needs id, title and text, but {error} is missing") from error
    return Catalogue(language, dict(_flatten(data, "", path)), parts)


def load_catalogues(folder: Path) -> dict[str, Catalogue]:
    """All languages of one game."""
    return {language: load_catalogue(folder, language) for language in LANGUAGES}


def _flatten(data: Mapping[str, Any], prefix: str, path: Path) -> Iterator[tuple[str, Text]]:
    for key, value in data.items():
        whole = f"{prefix}{key}"
        if isinstance(value, str):
            yield whole, value
        elif isinstance(value, dict) and value and set(value) <= PLURAL_KEYS:
            if set(value) != PLURAL_KEYS or not all(isinstance(form, str) for form in value.values()):
                raise SetupError(f"{path}: the plural '{whole}' needs the two texts 'one' and 'other'")
            yield whole, value
        elif isinstance(value, dict):
            yield from _flatten(value, f"{whole}.", path)
        else:
            raise SetupError(f"{path}: '{whole}' must be a text, but is {value!r}")


def placeholders(text: Text) -> frozenset[tuple[str, str | None]]:
    """The parameters of a sentence, each with the section it is sent through."""
    forms: Iterable[str] = [text] if isinstance(text, str) else text.values()
    return frozenset(
        (match["name"], match["section"] or TRANSLATED.get(match["name"]))
        for form in forms
        for match in PLACEHOLDER.finditer(form)
    )


def differences(catalogues: Mapping[str, Catalogue]) -> list[str]:
    """Every way in which the languages do not agree, one sentence each; empty when all is well."""
    found: list[str] = []
    first, *others = catalogues.values()
    for other in others:
        found += [f"'{key}' stands in {first.language} only, not in {other.language}"
                  for key in first.texts if key not in other.texts]
        found += [f"'{key}' stands in {other.language} only, not in {first.language}"
                  for key in other.texts if key not in first.texts]
        found += [f"'{key}' has other parameters in {other.language} than in {first.language}"
                  for key, text in first.texts.items()
                  if key in other.texts and placeholders(text) != placeholders(other.texts[key])]
        if [rule.id for rule in first.rules] != [rule.id for rule in other.rules]:
            found.append(f"[[rules]] has other ids in {other.language} than in {first.language}")
    for catalogue in catalogues.values():
        empty = [key for key, text in catalogue.texts.items() if text == ""]
        found += [f"'{key}' is empty in {catalogue.language}" for key in empty]
    return found


def expected_keys(declared: Mapping[str, Any], options: Mapping[str, Sequence[Any]]) -> dict[str, frozenset[str]]:
    """For each section whose keys are fixed, the keys it must have: no more and no fewer.

    `declared` is the game's `game.toml`, `options` its `Game.options`.
    """
    words = declared.get("words", {})
    option_keys = {f"{name}.{part}" for name in options for part in ("label", "help")}
    option_keys |= {f"{name}.{str(value).lower()}" for name, values in options.items() for value in values}
    return {
        "game": frozenset(GAME_KEYS),
        "options": frozenset(option_keys),
        "slips": frozenset(declared.get("slips", {})),
        "phases": frozenset(words.get("phases", ())),
        "reasons": frozenset(words.get("reasons", ())),
        "moves": frozenset(words.get("moves", ())),
        "heights": frozenset(words.get("heights", ())),
    }


def section_keys(catalogue: Catalogue, section: str) -> frozenset[str]:
    """The keys of one section."""
    return frozenset(key.removeprefix(f"{section}.") for key in catalogue.texts if key.startswith(f"{section}."))
