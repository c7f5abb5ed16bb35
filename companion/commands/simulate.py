"""`companion simulate`: a whole simulated sitting as a recording with its truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from companion.simulation.habits import Pace
from companion.simulation.lens import View
from companion.simulation.play import Manners
from companion.simulation.record import RecordingFolderError, record
from companion.simulation.table import Scenery, SimulatedTable
from engine.errors import SetupError
from engine.registry import find_games
from vision.layout import load_layout


@click.command(name="simulate")
@click.option("--game", "game_id", default="azul", show_default=True, help="Which game is played.")
@click.option("--players", default=None, type=int, help="How many play; the fewest that can when left out.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="A game option, such as wall=grey.")
@click.option("--seed", default=1, show_default=True, help="The same seed gives the same sitting.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A new folder for the recording.")
@click.option("--sparse/--all-frames", default=True, help="A few frames for each position, or ten a second.")
@click.option("--seconds", default=7200.0, show_default=True, help="Stop after so much simulated time.")
@click.option("--slips", default=0.04, show_default=True, help="The share of moves that go wrong at first.")
@click.option("--haste", default=1.0, show_default=True, help="How much quicker than usual the people are.")
@click.option("--tilt", default=8.0, show_default=True, help="How far from straight down the camera looks, in degrees.")
@click.option("--disturbed/--calm", default=False, help="Boards pushed, other light, a lens out of focus now and then.")
@click.option("--width", default=1536, show_default=True, help="Pixels across; the height is nine sixteenths of it.")
def command(
    game_id: str, players: int | None, options: tuple[str, ...], seed: int, out: Path, sparse: bool, seconds: float,
    slips: float, haste: float, tilt: float, disturbed: bool, width: int,
) -> None:
    """Play a game at the simulated table and write it as a recording, truth and outcome beside it."""
    games = find_games()
    try:
        game = games[game_id]
        count = players if players is not None else game.players.start
        chosen = dict(parse_option(text) for text in options)
        if count not in game.players:
            few, many = game.players[0], game.players[-1]
            raise click.ClickException(f"{count} players cannot play {game.id}; it takes {few} to {many}")
        layout = load_layout(games.folders[game_id] / "layout.toml", count, chosen)
        view = View(width_px=width, height_px=width * 9 // 16, tilt_deg=tilt)
        manners = Manners(pace=Pace().hurried(haste), slip_share=slips)
        table = SimulatedTable(game, layout, count, chosen, seed, manners=manners, scenery=Scenery(view=view))
        frames = record(table, out, sparse, seconds, disturbed)
    except (SetupError, RecordingFolderError) as error:
        raise click.ClickException(str(error)) from error
    outcome = table.outcome()
    end = f"final score {outcome['final']['scores']}" if "final" in outcome else "not played to its end"
    click.echo(
        f"{out}: {frames} frames of {table.t_s:.0f} simulated seconds, {len(outcome['moves'])} moves, "
        f"{len(outcome['slips'])} slips, {end}"
    )


def parse_option(text: str) -> tuple[str, Any]:
    """`wall=grey` as a key and a value; values that are JSON (lists, numbers) are read as such."""
    key, equals, value = text.partition("=")
    if not equals:
        raise click.ClickException(f"'{text}' is no option; write it as KEY=VALUE, such as wall=grey")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value
