"""`companion trials`: whole games without pictures, with readings that err at a known rate."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import click

from companion.catalogue import played_game
from companion.side_by_side import side_by_side
from companion.trials.noise import Noise
from companion.trials.run import Trial, run_trial
from companion.trials.sparse import run_sparse
from engine.registry import find_games

HEADS = (
    "game      ", "players", "noise", "games", "exact alone", "exact after answers", "questions", "silently wrong",
    "slips found", "false alarms",
)
Named = tuple[str, str]
"""A game and the slug of a slip in it."""
MOST_QUESTIONS = 2
"""A game that takes more questions than this is no pleasure, however exact."""


@click.command()
@click.option("--game", "games", multiple=True, help="A game; all of them when none is named.")
@click.option("--players", type=int, help="A number of players; each that the game allows when not given.")
@click.option("--games", "number", type=int, default=20, show_default=True, help="How many games of each.")
@click.option("--slips", is_flag=True, help="Let a tenth of the moves go wrong first.")
@click.option("--times", "factors", multiple=True, type=float, default=(1.0,), help="Multiply the noise by this.")
@click.option(
    "--unseen", type=click.IntRange(1), default=Noise().most_unseen, show_default=True,
    help="How many moves there may be between two frames.",
)
@click.option("--sparse", is_flag=True, help="A frame or two of each position, as in a recording, instead of noise.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="How many games at a time.")
@click.option("--verbose", is_flag=True, help="Say in which games something went wrong, and what.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write the figures as a page in Markdown.")
def command(
    games: tuple[str, ...], players: int | None, number: int, slips: bool, factors: tuple[float, ...],
    unseen: int, sparse: bool, seed: int, jobs: int, verbose: bool, out: Path | None,
) -> None:
    """Follow whole games from readings with a known error rate and count how many come out exact."""
    found, rows, made, missed = find_games(), list[Sequence[str]](), Counter[Named](), Counter[Named]()
    click.echo("  ".join(HEADS))
    for game_id in games or tuple(found):
        for count in found[game_id].players if players is None else (players,):
            for factor in (0.0,) if sparse else factors:
                noise = None if sparse else replace(Noise().times(factor), most_unseen=unseen)
                trials = _run(game_id, count, noise, number, seed, slips, jobs, verbose)
                rows.append(_cells(game_id, count, factor, trials))
                for trial in trials:
                    made.update({(game_id, slug): number for slug, number in trial.made.items()})
                    missed.update({(game_id, slug): number for slug, number in trial.missed.items()})
                click.echo("  ".join(cell.rjust(len(head)) for cell, head in zip(rows[-1], HEADS, strict=True)))
                if verbose:
                    _explain(trials)
                if out is not None:
                    # They take hours: what has been counted is kept, whatever becomes of the rest.
                    out.write_text(page(rows, sys.argv[1:], made, missed), encoding="utf-8")


def _run(
    game_id: str, players: int, noise: Noise | None, number: int, seed: int, slips: bool, jobs: int, verbose: bool
) -> list[Trial]:
    seeds = [seed * 100_000 + index for index in range(number)]
    fixed = (repeat(game_id), repeat(players), repeat(noise), seeds, repeat(0.1 if slips else 0.0))
    results = side_by_side(jobs, _trial, *fixed)
    trials: list[Trial] = []
    with click.progressbar(results, length=number, label=f"{game_id} {players}", file=sys.stderr) as bar:
        for each, trial in zip(seeds, bar, strict=True):
            if verbose and (told := trouble(trial)):
                click.echo(f"  seed {each}: {told}")
            trials.append(trial)
    return trials


def _trial(game_id: str, players: int, noise: Noise | None, seed: int, slip_rate: float) -> Trial:
    played = played_game(game_id, players)
    return run_sparse(played, seed, slip_rate) if noise is None else run_trial(played, noise, seed, slip_rate)


def trouble(trial: Trial) -> str:
    """What went wrong in a game; empty where nothing did."""
    counts = {
        "questions": trial.questions, "slips missed": trial.slips - trial.found, "false alarms": trial.false_alarms,
    }
    told = [f"{name}: {count}" for name, count in counts.items() if count]
    return ", ".join([trial.first_difference] * (not trial.exact) + told)


def _cells(game_id: str, players: int, factor: float, trials: list[Trial]) -> Sequence[str]:
    alone = sum(trial.exact and not trial.questions for trial in trials)
    answered = sum(trial.exact and 0 < trial.questions <= MOST_QUESTIONS for trial in trials)
    slips, found = sum(trial.slips for trial in trials), sum(trial.found for trial in trials)
    counts = (
        len(trials), alone, answered, sum(trial.questions for trial in trials),
        sum(trial.silently_wrong for trial in trials), f"{found}/{slips}", sum(trial.false_alarms for trial in trials),
    )
    return (game_id, str(players), f"{factor:g}", *map(str, counts))


def page(
    rows: Sequence[Sequence[str]], arguments: Sequence[str],
    made: Mapping[Named, int] | None = None, missed: Mapping[Named, int] | None = None,
) -> str:
    """The figures as a page, with the command that repeats them."""
    lines = [
        "# How whole games are followed from noisy readings", "",
        "Random games, told from readings alone: each line counts so many games, with the noise of the trials times so",
        "much. A game is exact when every position that was shown was told, in its order, and so was the end; silently",
        f"wrong when it ends otherwise, or went wrong without a question. More than {MOST_QUESTIONS} questions are too",
        "many to count as an answer. A slip that leaves the very table of legal play, since the last table that was",
        "shown, is not made: no camera could tell it. Where the table before a slip was never shown, and another slip",
        "leaves the same from an earlier one, either name is right. Written by:", "",
        "```", " ".join(("companion", *arguments)), "```", "",
        f"| {' | '.join(head.strip() for head in HEADS)} |", f"| --- |{' ---: |' * (len(HEADS) - 1)}",
    ]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    if made:
        lines += ["", "The slips by their names:", "", "| game | slip | found | of |", "| --- | --- | ---: | ---: |"]
        lines += [
            f"| {game_id} | {slug} | {number - (missed or {}).get((game_id, slug), 0)} | {number} |"
            for (game_id, slug), number in sorted(made.items())
        ]
    return "\n".join((*lines, ""))


def _explain(trials: list[Trial]) -> None:
    missed: Counter[str] = Counter()
    named: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        missed.update(trial.missed)
        named.update(trial.named)
    for slug, count in missed.most_common():
        others = ", ".join(f"{other} {n}" for (true, other), n in named.most_common() if true == slug)
        click.echo(f"  missed {slug} {count}" + (f"; taken for {others}" if others else ""))
