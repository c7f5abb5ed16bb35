"""A game of which the companion has lost the thread: if one of these fails, the phones stand still while it searches,
or the players tell it to go on from what lies there and it takes something else for granted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.reconcile import agreeing
from companion.reconcile.agreeing import LONG_RUNS
from companion.reconcile.belief import Verdict
from companion.reconcile.reconciler import Reconciler
from companion.reconcile.second_opinion import SecondOpinion, Unseen
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, acquiring
from tests.companion.reconcile.test_after_the_dark import Evening

LOOKS_PER_S = 5
LATER = 24
"""Moves that nobody could tell."""


def lost(seed: int) -> tuple[Any, Any]:
    """A position and one of much later in the same game."""
    states = list(acquiring(seed))
    return states[3], states[3 + LATER]


def test_a_game_that_was_lost_sight_of_is_not_searched_for_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look took seconds on a fast machine, for the rest of the evening: nobody could even answer the question."""
    weighed: list[int] = []
    search = agreeing.chains

    def counted(*given: Any, **more: Any) -> Any:
        found = yield from search(*given, **more)
        weighed.append(len(found))
        return found

    monkeypatch.setattr(agreeing, "chains", counted)
    state, later = lost(2)
    move = next(move for move in GAME.legal_moves(state) if str(GAME.describe(move)["to"]).startswith("line"))
    table = Evening(state)
    # At first nothing is spared; that is cut short here.
    table.reconciler.patience = replace(table.reconciler.patience, lost_s=1.0)
    table.watch(GAME.visible(GAME.play(state, move)), LOOKS_PER_S * 2)
    assert table.told == [move]
    seconds = 8
    table.watch(GAME.visible(later), seconds * LOOKS_PER_S)
    assert weighed
    # The first one may be as long as it takes.
    assert sum(weighed[1:]) <= seconds * LONG_RUNS, weighed


def test_no_look_waits_for_a_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some looks took ten seconds: a phone that asked for an undo got no answer, and the hands that moved meanwhile
    were not seen. What is not thought through yet is no reason to ask anybody, or to accuse."""
    looks, search = [0], agreeing.chains

    def counted(*given: Any, **more: Any) -> Any:
        weighing = search(*given, **more)
        while True:
            try:
                number = next(weighing)
            except StopIteration as end:
                return end.value
            looks[-1] += number
            yield number

    monkeypatch.setattr(agreeing, "chains", counted)
    state, later = lost(2)
    table = Evening(state)
    at_once = 60
    table.reconciler.patience = replace(table.reconciler.patience, at_once=at_once, depth=2, ask_s=1.0, doubt_s=1.0)
    spread = 0
    for _ in range(30 * LOOKS_PER_S):
        update = table.reconciler.observe(table.next_look(GAME.visible(later)))
        if table.reconciler.is_searching:
            spread += 1
            assert update.belief.verdict is Verdict.IN_PROGRESS and not update.events
        elif table.reconciler.question is not None:
            break
        looks.append(0)
    assert spread, "no search was so long that it took several looks"
    # What follows one beginning is weighed at once.
    assert max(looks) < at_once + len(GAME.legal_moves(state)), looks
    assert table.reconciler.question is not None, "nobody was ever asked"


def test_a_second_opinion_that_searches_all_the_while_is_not_waited_for_without_end() -> None:
    """A tile was left behind for a quarter of a minute, and nobody was told: earlier moves might have been others."""
    state, later = lost(2)
    table = Evening(state)
    patience = replace(table.reconciler.patience, at_once=1)
    second = SecondOpinion(Unseen(state), Reconciler(GAME, table.kinds, state, patience))
    heard = 0
    while second.is_waited_for(patience.fair_looks):
        second.observe(table.next_look(GAME.visible(later)))
        heard += 1
        assert heard <= 4 * patience.fair_looks, "it was waited for without end"
    assert second.looks < patience.fair_looks, "it was heard before it had searched for long"


@pytest.mark.parametrize("seed", range(3))
def test_whoever_says_to_go_on_from_what_lies_there_is_taken_at_their_word(seed: int) -> None:
    """A chip lay in the open on which the companion believed a stack of tiles to lie: it went on without the chip, and
    took the next player's taking of it for a slip."""
    state, later = next(
        (state, later) for state in acquiring(seed) for later in acquiring(seed + 50)
        if any(GAME.visible(state)[place] == UNKNOWN != content for place, content in chips(later).items())
    )
    table = Evening(state)
    table.watch(GAME.visible(later), LOOKS_PER_S * 4)
    shown = table.reconciler.shown_table()
    assert {place: shown[place] for place in chips(later)} == chips(later)


def chips(state: Any) -> dict[str, Any]:
    """What shows of the chips beside the factories."""
    return {
        place: content for place, content in GAME.visible(state).items()
        if place.startswith("f") and place.endswith(".chip") and content not in (None, UNKNOWN)
    }
