"""Which games there are, and the layout of a table on which one is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.api import Game
from engine.registry import find_games
from vision.layout import Layout, load_layout


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as it is played at one table."""

    game: Game
    players: int
    options: Mapping[str, Any]
    layout: Layout


def played_game(game_id: str, players: int, options: Mapping[str, Any] | None = None) -> PlayedGame:
    """The game with its layout for that many players and those options; a SetupError names the games there are."""
    games = find_games()
    game = games[game_id]
    layout = load_layout(games.folders[game_id] / "layout.toml", players, options)
    return PlayedGame(game, players, dict(options or {}), layout)
