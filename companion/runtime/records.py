"""Games as people keep them: a line in a list, a JSON file, a text to read."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from companion.runtime.snapshot import say
from companion.store.games import GameRow
from engine.errors import EngineError
from engine.journal import Journal, format_entry, format_header
from engine.registry import Games
from engine.replay import replay, rounds
from engine.strings import load_catalogue

FORMAT = "table-game/1"


def listed(row: GameRow) -> dict[str, Any]:
    """One game of the list of past games."""
    summary: Mapping[str, Any] = row.summary or {}
    result = summary.get("result") or {}
    players = summary.get("players") or []
    return {
        "game_number": row.number, "game": row.header.game, "started": row.started_s, "ended": row.ended_s,
        "players": [{"name": seat.name, "colour": seat.colour} for seat in row.seats],
        "scores": [player["score"] for player in players], "winners": list(result.get("winners") or ()),
        "rounds": len(summary.get("rounds") or ()),
    }


def export_json(row: GameRow, journal: Journal) -> dict[str, Any]:
    """Everything that is known of a game: enough to replay it elsewhere."""
    lines = [format_header(journal.header), *map(format_entry, journal.entries)]
    return {"format": FORMAT, **listed(row), "journal": lines, "snapshot": row.summary}


def export_text(row: GameRow, journal: Journal, games: Games, language: str) -> str:
    """A game to read: every move in words, the scores after each round, the end."""
    game = games[row.header.game]
    words = load_catalogue(games.folders[game.id], language)
    names = [seat.name for seat in row.seats]
    played = replay(game, journal)
    ends = {summary.last_slot: summary for summary in rounds(game, played)} if game.has_rounds else {}
    text = [f"{words.say('game.name')}: {', '.join(names)}",
            time.strftime("%Y-%m-%d %H:%M", time.localtime(row.started_s)), ""]
    for number, line in enumerate(played.lines, start=1):
        told = line.entry.notation
        if line.move is not None:
            try:
                told = words.say(*say(game, line.move), names)
            except EngineError:
                told = line.entry.notation
        text.append(f"{number:>4}. {told}  [{line.entry.notation}]")
        if line.slot in ends:
            scores = ", ".join(f"{name} {score}" for name, score in zip(names, ends[line.slot].scores, strict=True))
            text += ["", f"      {ends[line.slot].round}: {scores}", ""]
    if game.is_over(played.state):
        result = game.result(played.state)
        for standing in sorted(result.standings, key=lambda each: -each.score):
            crown = " *" if standing.player in result.winners else ""
            text.append(f"{names[standing.player - 1]}: {standing.score}{crown}")
    return "\n".join(text) + "\n"
