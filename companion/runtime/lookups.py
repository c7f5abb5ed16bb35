"""What pages can look up in the table's thread: past games, the layout in play, what a move could have been."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from companion.runtime.records import export_json, export_text, listed
from companion.runtime.snapshot import say
from companion.store.games import GameRow
from engine.types import UNKNOWN

if TYPE_CHECKING:
    from companion.runtime.table import Table


def look_up(table: Table, name: str, given: Mapping[str, Any]) -> Any:
    """One query; None when there is no such thing."""
    queries: Mapping[str, Callable[[Table, Mapping[str, Any]], Any]] = {
        "games": games, "game": game, "export": export, "layout": layout, "legal": legal,
        "tables": lambda at, _: at.tables.listed(),
        "health": lambda at, _: [asdict(view) for view in at.snapshot().health],
    }
    return queries[name](table, given) if name in queries else None


def games(table: Table, given: Mapping[str, Any]) -> Any:
    """Past games, newest first; the one under way last of all is left out."""
    under_way = table.sitting.number if table.sitting is not None and not table.sitting.is_over else None
    return [listed(row) for row in table.store.games() if row.number != under_way]


def game(table: Table, given: Mapping[str, Any]) -> Any:
    """One game with its last snapshot."""
    row = table.store.game(int(given["game_number"]))
    if row is None:
        return None
    return {**listed(row), "snapshot": _snapshot(table, row)}


def _snapshot(table: Table, row: GameRow) -> Any:
    if table.sitting is not None and table.sitting.number == row.number:
        return table.snapshot().to_json()
    return row.summary


def export(table: Table, given: Mapping[str, Any]) -> Any:
    """One game as JSON, or as a text to read."""
    row = table.store.game(int(given["game_number"]))
    if row is None:
        return None
    journal = table.store.journal(row)
    if given["form"] == "json":
        return export_json(row, journal)
    return export_text(row, journal, table.games, table.settings.language)


def layout(table: Table, given: Mapping[str, Any]) -> Any:
    """The layout to draw: of the table that is being set up, or of the game in play."""
    found = table.wizard.layout or (None if table.sitting is None else table.sitting.play.layout)
    return None if found is None else asdict(found)


def legal(table: Table, given: Mapping[str, Any]) -> Any:
    """What else a step could have been, what fits the table best first."""
    sitting = table.sitting
    line = None if sitting is None else next(
        (each for each in sitting.played.lines if each.slot == given["entry"]), None)
    if sitting is None or line is None:
        return None
    rules = sitting.play.game
    now = rules.visible(line.after)
    ranked = []
    for move in rules.legal_moves(line.before):
        if move == line.move:
            continue
        looks = rules.visible(rules.play(line.before, move))
        apart = sum(1 for place, content in looks.items() if now.get(place) != content and content != UNKNOWN)
        ranked.append((apart, move))
    ranked.sort(key=lambda pair: pair[0])
    told = [(say(rules, move), rules.format_move(move)) for _, move in ranked]
    return [{"key": key, "params": params, "notation": notation} for (key, params), notation in told]
