"""`companion games`: past games listed, exported and deleted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from companion.config import ConfigError, load_settings
from companion.runtime.records import export_json, export_text, listed
from companion.store.games import GameRow, GameStore
from engine.registry import find_games

data_option: Callable[[Any], Any] = click.option("--data", type=str, help="The folder in which games are kept.")


def open_store(data: str | None) -> tuple[GameStore, str]:
    """The store of the settings, and the language of the terminal."""
    try:
        settings = load_settings(flags={"data": data})
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    return GameStore(settings.data_folder), settings.language


def found(store: GameStore, number: int) -> GameRow:
    row = store.game(number)
    if row is None:
        numbers = ", ".join(str(game.number) for game in store.games()) or "none"
        raise click.ClickException(f"there is no game {number}; those kept are: {numbers}")
    return row


@click.group(name="games")
def command() -> None:
    """Past games: list, export, delete."""


@command.command(name="list")
@data_option
def list_games(data: str | None) -> None:
    """All games, the newest first."""
    store, _ = open_store(data)
    for trouble in store.troubles:
        click.echo(f"{trouble.key}: {trouble.detail}", err=True)
    for row in store.games():
        told = listed(row)
        names = ", ".join(f"{seat.name} {score}" for seat, score in zip(row.seats, told["scores"], strict=False))
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.started_s))
        under_way = "" if row.ended_s is not None else "  (under way)"
        click.echo(f"{row.number:>4}  {when}  {row.header.game:<10}  "
                   f"{names or ', '.join(seat.name for seat in row.seats)}{under_way}")


@command.command()
@click.argument("number", type=int)
@click.option("--form", type=click.Choice(["json", "text"]), default="text", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="A file instead of the terminal.")
@data_option
def export(number: int, form: str, out: Path | None, data: str | None) -> None:
    """One game as JSON, or as a text to read."""
    store, language = open_store(data)
    row = found(store, number)
    journal = store.journal(row)
    text = (json.dumps(export_json(row, journal), ensure_ascii=False, indent=1) + "\n" if form == "json"
            else export_text(row, journal, find_games(), language))
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@command.command()
@click.argument("number", type=int)
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
def delete(number: int, yes: bool, data: str | None) -> None:
    """Delete one game for good."""
    store, _ = open_store(data)
    found(store, number)
    if not yes:
        click.confirm(f"Delete game {number} for good?", abort=True)
    store.delete(number)
