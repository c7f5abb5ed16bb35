"""What `companion train` runs in processes of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.registry import find_games
from vision.faces import FaceModel
from vision.layout import load_layout
from vision.training.faces import Lesson, learn
from vision.training.fit import Plan

PARTS = 2
"""Processes that draw side by side."""


def fit_faces(lessons: Sequence[Lesson]) -> FaceModel:
    """The face reader, with a line for each epoch on the error stream."""

    def tell(epoch: int, loss: float) -> None:
        print(f"epoch {epoch}: loss {loss:.3f}", file=sys.stderr, flush=True)

    return learn(lessons, Plan(), tell)


def known_cells() -> list[tuple[str, ...]]:
    """The faces that each cell of any game accepts."""
    games = find_games()
    cells = []
    for game_id, game in games.items():
        layout = load_layout(games.folders[game_id] / "layout.toml", game.players[0], {})
        cells += [place.faces for place in layout.places.values() if place.faces]
    return cells
