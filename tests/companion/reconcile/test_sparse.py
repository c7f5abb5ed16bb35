"""Recordings of a frame or two for each position: if one of these fails, a game that was recorded is scored wrongly."""

from __future__ import annotations

import pytest

from companion.catalogue import played_game
from companion.trials.sparse import run_sparse


@pytest.mark.parametrize(
    ("game", "players", "seed"), [("azul", 2, 500000), ("azul-duel", 2, 500000), ("blockers", 3, 2)]
)
def test_a_game_with_slips_is_told_from_few_frames(game: str, players: int, seed: int) -> None:
    """Every slip lies there for half a second, and no reading is surer than a camera makes it."""
    trial = run_sparse(played_game(game, players), seed, 0.1)
    assert trial.exact, trial.first_difference
    assert trial.slips > 3
    assert (trial.found, trial.false_alarms, trial.questions) == (trial.slips, 0, 0), trial.missed
