"""Somebody who answers at the simulated table: if this fails, the figures of the endurance games say nothing."""

from __future__ import annotations

from companion.catalogue import played_game
from companion.reconcile.belief import Answer
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from companion.trials.guest import is_so


def test_only_what_has_happened_is_said_to_have_happened() -> None:
    """A guest who confirmed anything would make every game exact, and one who confirmed nothing would lose them."""
    played = played_game("azul", 2)
    game = played.game
    empty = game.new(2, played.options, 1)
    agreed = game.play(empty, game.random_deal(empty, 3))
    made, other = list(game.legal_moves(agreed))[:2]
    truth = SimulatedTable(game, played.layout, 2, played.options, state=game.play(agreed, made),
                           scenery=Scenery(view=View(width_px=320, height_px=180)))
    assert is_so(Answer("a", "answer.move", (made,)), agreed, truth)
    assert not is_so(Answer("b", "answer.move", (other,)), agreed, truth)
    assert is_so(Answer("c", "answer.table", turn=2), agreed, truth)
    assert not is_so(Answer("d", "answer.table", turn=1), agreed, truth)
