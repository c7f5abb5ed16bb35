"""`companion endure games`: whole simulated games through the running companion, with slips and disturbances."""

from __future__ import annotations

import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import click

from companion.config import Settings
from companion.endurance.victim import WatchedSource
from companion.runtime.table import Table
from companion.store.games import GameStore
from companion.trials.guest import Guest
from engine.journal import Kind
from engine.registry import find_games
from engine.types import Severity

DISTURBANCES = ("nudge", "lamp", "blur", "freeze", "drop", "camera")
SWITCHED = ("lamp", "blur", "freeze", "camera")
"""Those that are switched back after a while."""
BLINDING = ("lamp", "blur", "freeze", "drop", "camera")
"""Those during which the pictures do not show the table: without its lamp it is too dark to tell colours."""
EVERY_S = 60.0
"""Simulated seconds between two disturbances."""
LASTS_S = 6.0
BLIND_MARGIN_S = 1.0
"""How much longer that may be: a request takes a moment to be granted."""
LATE_S = 4.0
"""A slip may be named so long after it was put right; what is named at any other time was none."""
LAST_LOOKS_S = 2.0
"""How long the companion may take to see the end after the players have seen it."""


@dataclass(frozen=True, slots=True)
class GameFigures:
    """One game."""

    seed: int
    ended: bool
    exact: bool
    moves_seen: int
    moves_made: int
    slips_made: Counter[str]
    """By slug."""
    slips_named: Counter[str]
    """Those that were made and named in time with the right player, by slug."""
    in_sight_made: Counter[str]
    """Those that lay there only while the pictures showed the table, by slug …"""
    in_sight_named: Counter[str]
    """… and which of these were named."""
    false_alarms: int
    questions: int
    answers: int
    """How many of them somebody could answer."""
    disturbances: int
    seconds: float


def play(settings: Settings, disturbed: bool, most_s: float, wishes: Sequence[str] = ()) -> GameFigures:
    """One game from its first deal to its end, in which some kinds of slips are made if there is an occasion."""
    began_s = time.monotonic()
    source = WatchedSource(settings)
    source.wishes = wishes
    table = Table(settings, find_games(), GameStore(settings.data_folder), source)
    questions: set[str] = set()
    table.subscribe(lambda shown: questions.add(shown.question.id) if shown.question else None)
    guest = Guest(table)
    chance, count = Random(settings.seed), 0
    due_s = EVERY_S
    back: tuple[float, str] | None = None
    blind: list[tuple[float, float]] = []
    table.start()
    try:
        while time.monotonic() - began_s < most_s and table.alive:
            time.sleep(0.02)
            truth, latest = source.truth, table.loop.latest
            if truth is None or latest is None or latest[0].reality is None:
                continue
            if truth.sitting.over:
                # The players are done; the companion may need another look or two.
                wait_s = time.monotonic() + LAST_LOOKS_S
                while table.snapshot().result is None and time.monotonic() < wait_s:
                    time.sleep(0.02)
                break
            guest.attend(truth)
            if back is not None and truth.t_s >= back[0]:
                latest[0].reality.request(back[1])
                back = None
            if disturbed and back is None and truth.t_s >= due_s:
                what = chance.choice(DISTURBANCES)
                latest[0].reality.request(what)
                back = (truth.t_s + LASTS_S, what) if what in SWITCHED else None
                if what in BLINDING:
                    blind.append((truth.t_s - BLIND_MARGIN_S, truth.t_s + LASTS_S + BLIND_MARGIN_S))
                due_s, count = truth.t_s + EVERY_S, count + 1
    finally:
        table.stop(20)
    return _figures(settings, table, source, (len(questions), guest.answered), count, blind,
                    time.monotonic() - began_s)


def _figures(
    settings: Settings, table: Table, source: WatchedSource, asked: tuple[int, int], count: int,
    blind: Sequence[tuple[float, float]], seconds: float,
) -> GameFigures:
    assert source.truth is not None and table.sitting is not None
    outcome, sitting, result = source.truth.outcome(), table.sitting, table.snapshot().result
    game = sitting.play.game
    made, found, in_sight, found_in_sight = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    left = [entry for entry in sitting.journal.entries if entry.kind is Kind.SLIP]
    for slip in outcome["slips"]:
        slug, from_s, until_s = slip["kind"], slip["t_start"], slip["t_end"]
        is_seen = not any(from_s < blind_until_s and until_s > blind_s for blind_s, blind_until_s in blind)
        naming = [
            entry for entry in left
            if (entry.notation, entry.data["player"]) == (slug, slip["player"])
            and from_s <= entry.t_seconds <= until_s + LATE_S
        ]
        left = [entry for entry in left if entry not in naming]
        made[slug] += 1
        in_sight[slug] += is_seen
        found[slug] += bool(naming)
        found_in_sight[slug] += is_seen and bool(naming)
    final = outcome.get("final")
    told = [game.describe(line.move) for line in sitting.played.lines if line.move is not None]
    seen = sum(1 for move in told if move and not move.get("setup"))
    exact = result is not None and final is not None and list(result.scores) == final["scores"]
    return GameFigures(settings.seed, result is not None, exact, seen, len(outcome["moves"]),
                       made, found, in_sight, found_in_sight, len(left), *asked, count, round(seconds, 1))


def rarest(game: str, tried: Counter[str], count: int, seed: int) -> list[str]:
    """The kinds of slips that were made, or wished for in vain, least often so far; of those alike some at random."""
    with (find_games().folders[game] / "game.toml").open("rb") as file:
        declared = tomllib.load(file)["slips"]
    kinds = [slug for slug, told in declared.items() if told["severity"] != Severity.QUESTION]
    Random(seed).shuffle(kinds)
    return sorted(kinds, key=lambda slug: tried[slug])[:count]


@click.command()
@click.option("--games", default=20, show_default=True, help="How many games.")
@click.option("--game", default="azul", show_default=True)
@click.option("--players", default=2, show_default=True)
@click.option("--slips", default=0.05, show_default=True, help="The share of moves that go wrong at first.")
@click.option("--rare", default=3, show_default=True, help="How many of the kinds of slips that were made least so far "
              "are to be made in each game.")
@click.option("--disturbed/--calm", default=True, help="Nudges, lamp, blur, frozen and lost pictures now and then.")
@click.option("--readings", default="camera", show_default=True, help="camera, or told (do not read pictures).")
@click.option("--haste", default=2.0, show_default=True, help="How much quicker than usual the people are.")
@click.option("--seed", default=1, show_default=True)
@click.option("--most-s", default=1800.0, show_default=True, help="Give up on a game after so many seconds.")
def command(
    games: int, game: str, players: int, slips: float, rare: int, disturbed: bool, readings: str, haste: float,
    seed: int, most_s: float,
) -> None:
    """Play whole games through the running companion and count what came out right."""
    click.echo("seed  ended  exact  moves seen/made  slips named/made  false  questions  answered  disturbances  "
               "seconds")
    total: list[GameFigures] = []
    tried: Counter[str] = Counter()
    for number in range(games):
        with tempfile.TemporaryDirectory(prefix="companion-games-") as folder:
            settings = Settings(data=str(Path(folder)), game=game, players=players, slips=slips, readings=readings,
                                haste=haste, seed=seed + number, speed=0.0, pause_s=0.0, port=0)
            wishes = rarest(game, tried, rare, seed + number) if slips else []
            one = play(settings, disturbed, most_s, wishes)
        total.append(one)
        tried.update(one.slips_made | Counter(wishes))
        click.echo(f"{one.seed:>4}  {one.ended!s:>5}  {one.exact!s:>5}  {f'{one.moves_seen}/{one.moves_made}':>15}  "
                   f"{f'{one.slips_named.total()}/{one.slips_made.total()}':>16}  {one.false_alarms:>5}  "
                   f"{one.questions:>9}  {one.answers:>8}  {one.disturbances:>12}  {one.seconds:>7}")
    made, named, in_sight, seen = (
        sum(each, Counter[str]()) for each in
        ([one.slips_made for one in total], [one.slips_named for one in total],
         [one.in_sight_made for one in total], [one.in_sight_named for one in total])
    )
    click.echo(f"exact {sum(one.exact for one in total)} of {len(total)}, without a question "
               f"{sum(one.exact and not one.questions for one in total)}   slips named {named.total()} of "
               f"{made.total()}, in sight {seen.total()} of {in_sight.total()}   false alarms "
               f"{sum(one.false_alarms for one in total)}   questions {sum(one.questions for one in total)}")
    for slug in sorted(made):
        click.echo(f"  {slug:<26} named {named[slug]} of {made[slug]}, in sight {seen[slug]} of {in_sight[slug]}")
