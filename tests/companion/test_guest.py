"""Somebody who answers at the simulated table: if this fails, the figures of the endurance games say nothing."""

from __future__ import annotations

from companion.catalogue import played_game
from companion.reconcile.belief import Answer
from companion.runtime.heights import HeightQuestion
from companion.simulation.lens import View
from companion.simulation.table import Scenery, SimulatedTable
from companion.trials.guest import counted, is_so
from tests.engine.azul_duel.build import acquiring, board


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


def test_tiles_are_counted_as_they_lie_once_the_companion_has_seen_the_last_move() -> None:
    """A guest who guessed would spoil the score, and one who counted a tile that nobody knows of yet as well."""
    played = played_game("azul-duel", 2)
    first, second = (board(plates={(1, 1): (number, 0)}, broken=tiles) for number, tiles in enumerate(("KBR", "")))
    state = acquiring(first, second, suns={"f1": "RRKB"})
    truth = SimulatedTable(played.game, played.layout, 2, played.options, state=state,
                           scenery=Scenery(view=View(width_px=320, height_px=180)))
    question = HeightQuestion("h", 1, "p1.broken", "heights.broken", {"player": 1}, 1, {n: n for n in (1, 2, 3, 4)})
    assert counted(question, state, truth) == "n3"
    unseen = state._replace(players=(first._replace(broken=(0,)), second))
    assert counted(question, unseen, truth) is None
