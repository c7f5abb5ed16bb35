"""Simulated tables for the tests: small pictures and hasty people, so that whole games take seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.simulation.habits import Pace
from companion.simulation.lens import View
from companion.simulation.play import Manners
from companion.simulation.table import Scenery, SimulatedTable
from tests.contract.setups import GAMES
from vision.layout import load_layout

SMALL = View(width_px=640, height_px=360)


def make_table(
    game: str = "azul", players: int | None = None, seed: int = 3, options: Mapping[str, Any] | None = None,
    haste: float = 6.0, slips: float = 0.0, scenery: Scenery | None = None, **more: Any,
) -> SimulatedTable:
    """A table of one of the games that the contract suite knows."""
    count = GAMES[game].players.start if players is None else players
    layout = load_layout(GAMES.folders[game] / "layout.toml", count, options)
    manners = Manners(pace=Pace().hurried(haste), slip_share=slips)
    return SimulatedTable(
        GAMES[game], layout, count, options, seed, manners=manners, scenery=scenery or Scenery(view=SMALL), **more
    )
