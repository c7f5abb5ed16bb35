"""What the pages want to know about games before one is played: names, options, words, rules."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from engine.api import Game
from engine.errors import EngineError
from engine.registry import Games
from engine.strings import LANGUAGES, load_catalogue
from vision.layout import LayoutError, load_layout


class GameShelf:
    """Read once, then only handed out: safe from any thread."""

    def __init__(self, games: Games) -> None:
        self._games = games

    @cached_property
    def _words(self) -> dict[str, dict[str, Any]]:
        return {
            language: {name: load_catalogue(self._games.folders[name], language).to_json() for name in self._games}
            for language in LANGUAGES
        }

    def strings(self, language: str) -> Any:
        """All words of all games in one language."""
        return self._words.get(language)

    def rules(self, game: str, language: str) -> Any:
        """The rules at hand."""
        found = self._words.get(language, {}).get(game)
        return None if found is None else found["rules"]

    def catalogue(self) -> Any:
        """The games that can be chosen."""
        return self._catalogue

    @cached_property
    def _catalogue(self) -> list[dict[str, Any]]:
        found = []
        for name, game in self._games.items():
            try:
                layout = load_layout(self._games.folders[name] / "layout.toml", game.players[0], {})
            except LayoutError:
                continue
            taken = Counter(face for place in layout.places.values() for face in place.faces)
            faces: list[str] = sorted(taken, key=lambda face: _rank(face, taken[face]))
            found.append({
                "game": name, "players": list(game.players), "colours": list(layout.colours),
                "faces": faces,
                "options": {key: list(values) for key, values in game.options.items()},
                "lists": [key for key in game.options if takes_list(game, key)],
            })
        return found


def takes_list(game: Game, option: str) -> bool:
    """Whether an option is a list of its values: of one of them, or of one a player."""
    players, values = game.players[-1], list(game.options[option])
    for chosen in (values[:1], values[:players]):
        try:
            game.new(players, {option: chosen})
        except EngineError:
            continue
        return True
    return False


def _rank(face: str, places: int) -> tuple[bool, int, str]:
    """Numbers first, then letters, then figures; among these, what may lie on the most places last."""
    return len(face) > 1, places if len(face) > 1 else 0, face
