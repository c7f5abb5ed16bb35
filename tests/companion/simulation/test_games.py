"""Every game plays itself at the simulated table. If one of these fails, the demo or a test of the reader lies."""

from __future__ import annotations

from typing import Any

import pytest

from companion.simulation.things import UNKNOWN
from tests.companion.simulation.tables import make_table
from tests.contract.setups import GAMES

SIZES = [(game, players) for game in GAMES for players in sorted({GAMES[game].players[0], GAMES[game].players[-1]})]


def disagreement(shown: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """The places that can be known and differ."""
    return {
        place: (shown[place], content)
        for place, content in wanted.items()
        if UNKNOWN not in (content, shown[place]) and shown[place] != content
    }


@pytest.mark.parametrize(("game", "players"), SIZES)
def test_a_whole_game_shows_what_the_engine_says(game: str, players: int) -> None:
    """The reader would be blamed for what the simulated table drew wrongly."""
    table = make_table(game, players, slips=0.15)
    settled = pictures = 0
    while not table.sitting.over:
        table.advance(table.t_s + 0.5)
        assert table.t_s < 3600, "the game does not end"
        if table.settled:
            settled += 1
            assert not disagreement(table.contents(), table.sitting.expected())
            if settled % 40 == 1:
                pictures += table.picture().any()
    outcome = table.outcome()
    assert pictures and outcome["moves"]
    result = table.game.result(table.sitting.state)
    assert outcome["final"]["scores"] == [s.score for s in sorted(result.standings, key=lambda s: s.player)]
    assert [move["n"] for move in outcome["moves"]] == list(range(1, len(outcome["moves"]) + 1))
    times = [move["t"] for move in outcome["moves"]]
    assert times == sorted(times)


def test_the_moves_told_lead_to_the_position_shown() -> None:
    """A recording's outcome would not be the game that its frames show."""
    table = make_table("azul", 2, seed=8)
    while not table.sitting.over:
        table.advance(table.t_s + 0.5)
    game = table.game
    taken = sum(move["count"] for move in table.outcome()["moves"])
    assert taken > 0
    assert table.outcome()["slips"] == []
    assert all(entry["scores"] for entry in table.outcome()["rounds"])
    assert table.outcome()["rounds"][-1]["scores"] == list(game.scores(table.sitting.state))


def test_players_who_act_independently_do_so_at_once() -> None:
    """Two hands in the picture would never be tried before a real table shows them."""
    table = make_table("azul", 2, haste=1.0)
    most = 0
    while len(table.outcome()["rounds"]) < 1 and table.t_s < 1200:
        table.advance(table.t_s + 0.2)
        most = max(most, table.hands_in_view())
    assert most == 2


def test_an_endless_table_begins_a_new_game() -> None:
    """The demo would stop after its first game."""
    table = make_table("pebbles", endless=True, haste=30.0)
    first = table.sitting
    for _ in range(4000):
        table.advance(table.t_s + 0.5)
        if table.sitting is not first:
            break
    assert table.sitting is not first
    before = table.t_s
    frame = table.read()
    assert frame is not None and frame.captured_ns > before * 1e9
