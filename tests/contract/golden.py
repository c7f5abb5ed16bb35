"""Writes the golden games: `python -m tests.contract.golden`. Look at the difference before committing it.

A golden game is a text: how it was set up, then each move with the points it gave and the position after it, then the
result. The test replays the moves, so that it does not matter in which order a game lists them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from engine.api import Game, State
from engine.players import GreedyPlayer, moves_of
from engine.playout import random_move
from engine.registry import find_games
from engine.types import Reason, Result

FOLDER = Path(__file__).parent / "golden"
SEED = 2024


def reasons_text(reasons: tuple[Reason, ...]) -> str:
    return " ".join(f"p{reason.player}:{reason.key}{reason.points:+d}" for reason in reasons)


def result_text(result: Result) -> str:
    lines = [
        f"result p{standing.player} {standing.score} {reasons_text(standing.reasons)}".rstrip()
        for standing in result.standings
    ]
    winners = " ".join(f"p{winner}" for winner in result.winners)
    return "\n".join([*lines, f"winners {winners} by {result.decided_by}"])


def step_text(game: Game, state: State, notation: str) -> tuple[State, str]:
    """The position after a move, and the lines that tell of it."""
    step = game.apply(state, game.parse_move(notation))
    scores = " ".join(map(str, game.scores(step.state)))
    points = f"  points {reasons_text(step.reasons)}\n" if step.reasons else ""
    return step.state, f"{notation}\n{points}  {game.format_position(step.state)} | {scores}"


def golden_game(game: Game, players: int) -> Iterator[str]:
    """A game of greedy players, who sometimes do something odd, so that the rarer rules come up too."""
    rng = Random(SEED)
    player = GreedyPlayer(SEED)
    setup = {"game": game.id, "players": players, "options": {}, "start_player": 1}
    yield json.dumps(setup)
    state = game.new(players)
    yield f"  {game.format_position(state)}"
    while not game.is_over(state):
        thinking = game.to_move(state) and rng.random() < 0.7
        move = player.choose(game, state, moves_of(game, state)) if thinking else random_move(game, state, rng)
        state, text = step_text(game, state, game.format_move(move))
        yield text
    yield result_text(game.result(state))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for game in find_games().values():
        for players in sorted({min(game.players), max(game.players)}):
            path = FOLDER / f"{game.id}-{players}.txt"
            path.write_text("".join(f"{line}\n" for line in golden_game(game, players)), encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
