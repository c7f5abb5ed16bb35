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


def own_colours(play: PlayedGame) -> tuple[str | None, ...]:
    """The colour of each player's own pieces; None for each where a game has no such thing."""
    options = play.game.to_json(play.game.new(play.players, play.options, 1)).get("options", {})
    chosen = options.get("colours")
    if chosen is None:
        return (None,) * play.players
    return tuple(entry if isinstance(entry, str) else entry[0] for entry in chosen)


def played_game(game_id: str, players: int, options: Mapping[str, Any] | None = None) -> PlayedGame:
    """The game with its layout for that many players and those options; a SetupError names the games there are."""
    games = find_games()
    game = games[game_id]
    layout = load_layout(games.folders[game_id] / "layout.toml", players, options)
    return PlayedGame(game, players, dict(options or {}), layout)
