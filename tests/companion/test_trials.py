"""What trials report: if one of these fails, a wrong game passes for one that was asked about."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import groupby
from typing import Any
from unittest.mock import Mock

import pytest

from companion.catalogue import played_game
from companion.commands.trials import page, trouble
from companion.trials import script
from companion.trials.noise import Noise
from companion.trials.person import Person
from companion.trials.run import Trial, compare, run_trial
from companion.trials.script import Played, Scene, pick_slip, scenes
from engine.api import Game, HidesHeights

PLAYED = played_game("blockers", 2)
PILES = played_game("azul-duel", 2)


def test_a_game_that_ends_wrong_is_counted_though_a_question_was_asked_long_before() -> None:
    """One answered question in the first round would hide that somebody else has won."""
    states = [item.state for item in scenes(PLAYED, 1) if isinstance(item, Played)]
    wrong, right = Trial(questions=1), Trial(questions=1)
    compare(wrong, PLAYED, states, states[:-2], 0)
    compare(right, PLAYED, states, states, 0)
    assert wrong.silently_wrong and not wrong.exact
    assert right.exact and not right.silently_wrong


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_moves_come_between_two_frames_than_were_asked_for(most: int) -> None:
    """The figures would be those of another table than the page says."""
    shown = [isinstance(item, Scene) for item in scenes(PLAYED, 1, double=1.0, most_unseen=most)]
    hidden = [len(list(run)) for is_shown, run in groupby(shown) if not is_shown]
    assert max(hidden) == most


def test_a_game_that_never_ends_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is told of its moves, nobody was told who won; only one that is left off on purpose need not end."""
    monkeypatch.setattr(script, "MOST_MOVES", 4)
    assert not run_trial(PLAYED, Noise(), 1).exact
    assert run_trial(PLAYED, Noise(), 1, most_frames=60).exact


def test_a_person_who_says_to_go_on_from_the_table_counts_what_lies_under_others() -> None:
    """Games would be told to end with a wrong score for something that people are asked and can count."""
    game = PILES.game
    truth = next(
        item.state for item in scenes(PILES, 3)
        if isinstance(item, Played) and game.to_move(item.state) and max(heights(game, item.state).values()) > 2
    )
    table = game.visible(truth)
    lost = Mock(state=game.new(2, PILES.options, 1), shown_table=lambda: table)
    person = Person(PILES, {})
    followed = person._go_on(lost, truth)
    assert followed is not None and heights(game, followed.state) == heights(game, truth)
    assert person.counted, "and each time is a question"


FULL_ROW = (
    'azul-duel {"bag":[4,3,6,3,7],"chips":[11,11,5,11],"format":"azul-duel-position/1","large_moon":[1,0,0,0,0],'
    '"marker_on_large":false,"moons":[[2,1],[],[],[0]],"offer":[-1,32,-1],"options":{"partial_voluntary_break":false,'
    '"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"free"},'
    '"phase":"acquire","players":[{"broken":[1,2,2,2],"cells":[-1,-1,3,-1,-1,-1,-1,-1,1' + 27 * ",-1" + '],'
    '"chips":[6,8,-1,-1,-1,-1,-1,-1,-1,-1],"colours":[1,-1,0,4,4,2],"counts":[1,0,3,2,1,1],"has_marker":false,'
    '"has_passed":false,"has_tiled":false,"plates":[-1,57,-1,44,42,-1,65,11,-1],"score":0,"tokens_used":2},'
    '{"broken":[1],"cells":[-1' + 35 * ",-1" + '],"chips":[9,1,-1,-1,-1,-1,-1,-1,-1,-1],"colours":[3,2,0,1,3,0],'
    '"counts":[1,2,1,4,5,2],"has_marker":true,"has_passed":false,"has_tiled":false,'
    '"plates":[63,0,-1,53,-1,-1,-1,26,21],"score":0,"tokens_used":2}],"round":2,"starter":2,'
    '"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,1,3],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,'
    '"tower":[1,1,0,2,0],"turn":2}'
)
"""Whoever moves next has a full row of broken tiles with a red one on top: another tile on it shows nowhere."""


def test_no_slip_is_made_that_two_legal_moves_look_like() -> None:
    """One player takes two colours, or one takes the first, and the other the second onto a full row: no camera can
    tell, and whoever is not accused would count against the companion."""
    state = PILES.game.parse_position(FULL_ROW)
    both = {"big.moon": {}, "f4.moon": None, "f1.moon": {"top": "red"}, "p2.line6.3": "blue", "p2.line6.4": "blue"}
    assert any(each.places == both for each in PILES.game.plausible_moves(state))
    kinds = ({"two-colours-taken"}, None)
    picked = [pick_slip(PILES, state, random.Random(seed), wanted) for seed in range(40) for wanted in kinds]
    made = [each for each in picked if each is not None]
    assert len({each.slips[0].slug for each in made}) > 5, "others are still made"
    assert both not in [each.places for each in made]


def test_no_slip_is_made_that_looks_like_legal_play_since_the_last_table_that_was_seen() -> None:
    """A tile is laid and moved to another line before anybody could see it: that is the other move, and whoever put it
    "right" would be accused of moving a settled tile."""
    four = played_game("azul", 4)
    game, state = four.game, four.game.new(4, four.options, 1)
    seen = game.play(state, game.random_deal(state, 5))
    lines = {game.describe(move)["to"]: move for move in game.legal_moves(seen) if game.describe(move)["from"] == "f1"}
    laid, other = game.play(seen, lines["line1"]), game.visible(game.play(seen, lines["line2"]))

    def tables(earlier: list[Any]) -> list[Any]:
        slugs = {"settled-tile-moved"}
        made = [pick_slip(four, laid, random.Random(seed), slugs, earlier) for seed in range(40)]
        return [{**game.visible(laid), **each.places} for each in made if each is not None]

    assert other in tables([])
    assert other not in tables([seen]) and tables([seen]), "others are still made"


def test_the_page_of_figures_names_the_command_that_repeats_them() -> None:
    """Figures that nobody can repeat are no better than none."""
    row = ("azul", "2", "1", "300", "299", "1", "1", "0", "0/0", "0")
    written = page([row], ["trials", "--game", "azul", "--games", "300"])
    assert "companion trials --game azul --games 300\n" in written
    assert "| azul | 2 | 1 | 300 | 299 | 1 | 1 | 0 | 0/0 | 0 |" in written


def test_the_page_of_figures_tells_how_often_each_slip_was_found() -> None:
    """A slip that is never found would hide among many that always are."""
    made, missed = {("azul", "out-of-turn"): 9, ("blockers", "out-of-turn"): 4}, {("azul", "out-of-turn"): 2}
    written = page([], ["trials"], made, missed)
    assert "| azul | out-of-turn | 7 | 9 |" in written and "| blockers | out-of-turn | 4 | 4 |" in written


def test_a_game_in_which_a_slip_was_missed_is_named_though_its_moves_are_exact() -> None:
    """Nobody would find out which of a hundred games to look at."""
    assert trouble(Trial(exact=True, slips=9, found=9)) == ""
    assert trouble(Trial(exact=True, slips=9, found=8, questions=2)) == "questions: 2, slips missed: 1"
    wrong = Trial(exact=False, first_difference="p1 takes red", false_alarms=1)
    assert trouble(wrong) == "p1 takes red, false alarms: 1"


def heights(game: Game, state: Any) -> Mapping[str, int]:
    assert isinstance(game, HidesHeights)
    return game.heights(state)
