"""`companion oracle FILE.jsonl`: is every game in the file what this engine would have made of it?"""

from __future__ import annotations

from pathlib import Path

import click

from companion.oracle import game_that_replays, replay_lines
from engine.errors import EngineError
from engine.registry import find_games


@click.command(name="oracle")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--game", "game_id", default=None, help="Which game the file holds; not needed while only one can.")
def command(file: Path, game_id: str | None) -> None:
    """Replay the complete games of FILE, one JSON object a line, and compare every position, gain, penalty, bonus and
    winner with the engine's. Games that differ are printed with the first difference; then the exit code is 1."""
    try:
        game = game_that_replays(find_games(), game_id)
        with file.open(encoding="utf-8") as lines:
            outcomes = list(replay_lines(lines, game))
    except (EngineError, UnicodeDecodeError) as error:
        raise click.ClickException(str(error)) from error
    differing = [outcome for outcome in outcomes if outcome.problem is not None]
    for outcome in differing:
        click.echo(f"line {outcome.line_number}, game {outcome.name}: {outcome.problem}")
    click.echo(f"{len(outcomes) - len(differing)} of {len(outcomes)} games are the same.")
    if differing or not outcomes:
        raise SystemExit(1)
