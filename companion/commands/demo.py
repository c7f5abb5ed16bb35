"""`companion demo`: a game that plays itself in the terminal."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import click

from companion.terminal import draw_table
from engine.api import Game, Move, Says, State
from engine.players import PLAYERS, moves_of
from engine.registry import find_games
from engine.strings import LANGUAGES, Catalogue, load_catalogue, placeholders
from engine.types import Reason, Result
from vision.layout import load_layout

NAMES = ("Ann", "Bo", "Cem", "Dee", "Eli", "Fay")


@dataclass(frozen=True, slots=True)
class Showing:
    """What a demonstration needs to put a game into words."""

    game: Game
    folder: Path
    words: Catalogue
    names: Sequence[str]
    width: int

    def say_move(self, move: Move) -> str:
        """Who does what."""
        speaker: Says = self.game  # type: ignore[assignment]  # the contract suite asks every game to speak
        key, params = speaker.say(move)
        whole = f"moves.{key}"
        player = self.game.player_of(move)
        sentence = self.words.say(whole, {"player": player, **params}, self.names)
        named = any(name == "player" for name, _ in placeholders(self.words.texts[whole]))
        return sentence if named or player is None else f"{self.names[player - 1]}: {sentence}"

    def say_reason(self, reason: Reason) -> str:
        """What counted, with its points."""
        params: dict[str, Any] = {"player": reason.player, "points": reason.points, **reason.params}
        sentence = self.words.say(f"reasons.{reason.key}", params, self.names)
        return f"  {reason.points:+d}  {self.names[reason.player - 1]}: {sentence}"

    def draw(self, state: State) -> str:
        """The table now."""
        layout = load_layout(self.folder / "layout.toml", len(self.names))
        return draw_table(layout, self.game.visible(state), self.words, self.names, self.width)

    def say_scores(self, scores: Sequence[int]) -> str:
        return "   ".join(f"{name} {score}" for name, score in zip(self.names, scores, strict=True))

    def say_result(self, result: Result) -> Iterator[str]:
        """Bonuses, final scores and who won."""
        for standing in result.standings:
            yield from (self.say_reason(reason) for reason in standing.reasons)
        yield self.say_scores([standing.score for standing in result.standings])
        winners = " & ".join(self.names[player - 1] for player in result.winners)
        by = f" ({self.words.say('game.tie_break')})" if result.decided_by == "tie-break" else ""
        yield click.style(f"★ {winners}{by}", bold=True)


def lines(showing: Showing, level: str, seed: int) -> Iterator[str]:
    """The whole game, line by line."""
    game = showing.game
    rng = Random(seed)
    player = PLAYERS[level](seed)
    state = game.new(len(showing.names))
    shown = ""
    while not game.is_over(state):
        movers = game.to_move(state)
        if movers:
            move = player.choose(game, state, moves_of(game, state))
        else:
            move = game.random_deal(state, rng.getrandbits(32))
        heading = f"{game.round(state)} · {showing.words.say(f'phases.{game.phase(state)}')}"
        if heading != shown:
            yield ""
            yield click.style(heading, bold=True)
            shown = heading
        step = game.apply(state, move)
        yield showing.say_move(move)
        yield from (showing.say_reason(reason) for reason in step.reasons)
        # After a deal everything is on the table; a game without deals is drawn once a round.
        round_ended = game.round(step.state) != game.round(state) and game.deal_request(step.state) is None
        if not movers or round_ended or game.is_over(step.state):
            yield ""
            yield showing.draw(step.state)
        state = step.state
    yield ""
    yield click.style(showing.words.say(f"phases.{game.phase(state)}"), bold=True)
    yield from showing.say_result(game.result(state))


@click.command()
@click.option("--game", "game_id", help="Which game; the first one found if none is named.")
@click.option("--players", type=int, help="How many play; as few as the game allows if not given.")
@click.option("--level", type=click.Choice(list(PLAYERS)), default="greedy", show_default=True, help="How they play.")
@click.option("--seed", default=7, show_default=True, help="Another number, another game.")
@click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True)
@click.option("--pause", type=click.FloatRange(min=0.0), help="Seconds between lines; none when not shown on a screen.")
@click.option("--folder", type=click.Path(path_type=Path), help="Look for games in this folder too.")
def command(
    game_id: str | None, players: int | None, level: str, seed: int, language: str, pause: float | None,
    folder: Path | None,
) -> None:
    """Plays a demonstration game in the terminal: every move in words, every point with its reason."""
    games = find_games(*([folder] if folder else []))
    for problem in games.problems:
        click.echo(problem, err=True)
    game = games[game_id or next(iter(games), "")]
    where = games.folders[game.id]
    words = load_catalogue(where, language)
    names = [NAMES[index % len(NAMES)] for index in range(players or min(game.players))]
    showing = Showing(game, where, words, names, shutil.get_terminal_size().columns)
    seconds = pause if pause is not None else 0.25 if sys.stdout.isatty() else 0.0
    click.echo(click.style(words.say("game.name"), bold=True) + " · " + ", ".join(names))
    for line in lines(showing, level, seed):
        click.echo(line)
        time.sleep(seconds)
