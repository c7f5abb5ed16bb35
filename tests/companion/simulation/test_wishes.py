"""Mistakes that are wished for: without them a trial makes the usual ones only, and nobody learns of the rest."""

from __future__ import annotations

from collections import Counter

from companion.catalogue import played_game
from companion.endurance.games import rarest
from companion.simulation.habits import Pace
from companion.simulation.play import UNNOTICED_S, Manners
from companion.simulation.table import SimulatedTable

WISHES = ["marker-not-taken", "score-marker-wrong", "factory-wrong-count", "round-not-prepared"]


def test_what_is_wished_for_is_made_once_at_the_first_occasion() -> None:
    play = played_game("azul-duel", 2)
    table = SimulatedTable(play.game, play.layout, 2, play.options, 7, manners=Manners(slip_share=0.0))
    table.sitting.wishes = list(WISHES)
    while table.sitting.wishes and not table.sitting.over:
        table.advance(table.t_s + 1.0)
    table.advance(table.t_s + 60.0)
    assert sorted(slip["kind"] for slip in table.outcome()["slips"]) == sorted(WISHES)


def test_every_kind_gets_its_turn_though_some_have_no_occasion() -> None:
    tried: Counter[str] = Counter()
    for seed in range(20):
        tried.update(rarest("azul-duel", tried, 3, seed))
    assert min(tried.values()) >= 1 and max(tried.values()) <= 2
    assert "impossible-tiles" not in tried, "nobody does that on purpose"


def test_what_is_left_undone_is_noticed_later_than_what_lies_wrong() -> None:
    """A stone that is moved three seconds late is no slip, but how people play."""
    play = played_game("azul-duel", 2)
    hurried = Manners(slip_share=0.0, pace=Pace().hurried(2.0))
    table = SimulatedTable(play.game, play.layout, 2, play.options, 7, manners=hurried)
    table.sitting.wishes = ["stack-draw-unpaid", "score-marker-wrong"]
    while table.sitting.wishes and not table.sitting.over:
        table.advance(table.t_s + 1.0)
    table.advance(table.t_s + 60.0)
    lain_s = {slip["kind"]: slip["t_end"] - slip["t_start"] for slip in table.outcome()["slips"]}
    assert lain_s["stack-draw-unpaid"] >= UNNOTICED_S[0] > lain_s["score-marker-wrong"]
