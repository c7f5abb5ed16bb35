"""What trials report: if one of these fails, a wrong game passes for one that was asked about."""

from __future__ import annotations

from companion.catalogue import played_game
from companion.trials.run import Trial, compare
from companion.trials.script import Played, scenes

PLAYED = played_game("blockers", 2)


def test_a_game_that_ends_wrong_is_counted_though_a_question_was_asked_long_before() -> None:
    """One answered question in the first round would hide that somebody else has won."""
    states = [item.state for item in scenes(PLAYED, 1) if isinstance(item, Played)]
    wrong, right = Trial(questions=1), Trial(questions=1)
    compare(wrong, PLAYED, states, states[:-2], 0)
    compare(right, PLAYED, states, states, 0)
    assert wrong.silently_wrong and not wrong.exact
    assert right.exact and not right.silently_wrong
