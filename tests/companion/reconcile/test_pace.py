"""How long a slip is waited for depends on how quickly people play: quick ones have put it right before it is named,
and slow ones are accused of what they are still doing."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.catalogue import played_game
from companion.reconcile.belief import Confirmed, SlipRaised
from engine.types import Plausible
from tests.companion.reconcile.watching import Watching

PLAYED = played_game("azul-duel", 2)
GAME = PLAYED.game
FRAMES_A_SECOND = 10


def played_until_a_draw_may_go_unpaid() -> tuple[list[Any], Plausible]:
    """Positions that follow each other by clear moves, and the slip that can be made in the last."""
    chance, state, run = Random(11), GAME.new(2, PLAYED.options, 1), list[Any]()
    while not GAME.is_over(state):
        if GAME.deal_request(state) is not None:
            state, run = GAME.play(state, GAME.random_deal(state, chance.randrange(1 << 30))), []
            continue
        run.append(state)
        if len(run) > 4:
            unpaid = [each for each in GAME.plausible_moves(state)
                      if any(slip.slug == "stack-draw-unpaid" for slip in each.slips)]
            if unpaid:
                return run, unpaid[0]
        told = [(move, GAME.describe(move)) for move in GAME.legal_moves(state)]
        moves = [move for move, words in told if words.get("action") in ("sun", "plate")
                 and words["from"] != "stack" and words["to"] != "broken"]
        state = GAME.play(state, chance.choice(moves or list(GAME.legal_moves(state))))
    raise AssertionError("no such run of moves")


@pytest.mark.parametrize(("pause_s", "is_named"), [(3, True), (12, False)])
def test_a_slip_is_named_after_half_of_the_usual_time_between_two_moves(pause_s: int, is_named: bool) -> None:
    run, slip = played_until_a_draw_may_go_unpaid()
    watching = Watching(PLAYED, run[0], every_ns=10**9 // FRAMES_A_SECOND)
    for state in run:
        watching.pass_over(pause_s * FRAMES_A_SECOND)
        watching.watch(GAME.visible(state), FRAMES_A_SECOND)
    assert len([event for event in watching.events if isinstance(event, Confirmed)]) == len(run) - 1
    found = watching.watch({**GAME.visible(run[-1]), **slip.places}, 3 * FRAMES_A_SECOND)
    assert any(isinstance(event, SlipRaised) for event in found) == is_named
