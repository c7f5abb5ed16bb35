"""Slips. If one fails, the table accuses somebody who did nothing wrong, or keeps silent about a real mistake."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.azul.data import load
from engine.games.azul.rules import GAME
from engine.games.azul.state import State
from engine.games.azul.visible import visible
from engine.types import UNKNOWN, Severity
from tests.engine.azul.helpers import OPTION_SETS, board, counts, position, random_play

DATA = Path(__file__).parent / "data"
games = st.tuples(st.sampled_from([2, 3, 4]), st.sampled_from(OPTION_SETS), st.integers(0, 2**32))


@given(games)
@settings(max_examples=5)
def test_nobody_is_accused_of_a_legal_move(setup: tuple[int, dict[str, Any], int]) -> None:
    rng = random.Random(setup[2])
    for before, move, after in random_play(*setup):
        assert GAME.problems(before, before) == () and GAME.problems(before, {}) == ()
        assert GAME.problems(before, after) == (), GAME.format_move(move)
        hidden = {place: UNKNOWN for place in visible(before) if rng.random() < 0.2}
        assert GAME.problems(before, {**visible(after), **hidden}) == () or before.phase == "deal"


@given(games)
@settings(max_examples=8)
def test_every_likely_mistake_is_named(setup: tuple[int, dict[str, Any], int]) -> None:
    rng = random.Random(setup[2])
    for before, _, _ in random_play(*setup):
        if before.phase == "offer" and rng.random() < 0.88:
            continue
        likely = list(GAME.plausible_moves(before))
        legal = [each.move for each in likely if not each.slips]
        assert set(legal) == {move for move in GAME.legal_moves(before) if looks_different(before, move)}
        mistakes = [each for each in likely if each.slips]
        for each in rng.sample(mistakes, min(12, len(mistakes))):
            found = GAME.problems(before, {**visible(before), **each.places})
            assert found, each
            assert (found[0].slug, found[0].player) == (each.slips[0].slug, each.slips[0].player), (each, found)
            assert {slip.slug for slip in each.slips} <= {slip.slug for slip in found}


def looks_different(state: State, move: Any) -> bool:
    return visible(GAME.play(state, move)) != visible(state)


def test_the_mistakes_are_those_of_the_list() -> None:
    """Every slug of the data file can be raised: by a likely mistake, or by a deal that went wrong."""
    raised = {"factory-wrong-count", "round-after-the-end", "impossible-tiles", "colour-repeated-in-row"}
    for options in OPTION_SETS[:2]:
        for before, _, _ in random_play(2, options, 3):
            raised |= {slip.slug for each in GAME.plausible_moves(before) for slip in each.slips}
    assert raised == set(load().slips)


def slugs(before: State, **changes: Any) -> list[str]:
    table = {place.replace("_", "."): content for place, content in changes.items()}
    return [slip.slug for slip in GAME.problems(before, {**visible(before), **table})]


def test_several_slips_at_once_are_all_named() -> None:
    """A mixed line and a rest left on its disc, in one turn."""
    before = position([board("-,-,-,-,B2"), board()], ["RRKW"], "M")
    found = slugs(before, f1={"black": 1, "white": 1}, p1_line5_3="red", p1_line5_4="red")
    assert found == ["rest-not-moved", "colour-mixed-in-line"]


def test_leftovers_seen_after_the_next_deal() -> None:
    """A line not cleared and a floor not cleared are still named when the next round lies on the table."""
    tiled = board(wall="..... .B... ..... ..... .....")
    before = position([tiled, board()], phase="deal")
    deal = GAME.visible(GAME.play(before, GAME.random_deal(before, 1)))
    table = {**deal, "p1.line2.2": "blue", "p2.floor.1": "red"}
    found = GAME.problems(before, table)
    assert {(slip.slug, slip.player) for slip in found} >= {("line-not-cleared", 1), ("floor-not-cleared", 2)}


@pytest.mark.parametrize(("gone", "slug"), [((1, 2), "line-cleared-too-early"), ((2,), "settled-tile-moved")])
def test_a_line_cleared_after_tiling_is_called_what_it_is(gone: tuple[int, ...], slug: str) -> None:
    """A hand may hide the line while its player tiles: seen a moment later, it is the same slip as before."""
    before = position([board("-,-,-,B2,-"), board("B1,-,-,-,-")], phase="tiling", waiting=(2,))
    seen = {**visible(before), **{f"p1.line4.{cell}": None for cell in gone}}
    assert [(slip.slug, slip.player) for slip in GAME.problems(before, seen)] == [(slug, 1)]


def test_a_deal_before_everybody_has_tiled() -> None:
    before = position([board("B1,-,-,-,-"), board(floor="R")], phase="tiling")
    discs = {f"f{number}": {"white": 2, "yellow": 2} for number in range(1, 6)}
    found = GAME.problems(before, {**visible(before), **discs, "centre": {"marker": 1}})
    assert {(slip.slug, slip.player) for slip in found} >= {("complete-line-not-tiled", 1), ("floor-not-cleared", 2)}


def test_a_deal_with_a_disc_short_and_without_the_marker() -> None:
    before = GAME.new(2)
    dealt = GAME.visible(GAME.play(before, GAME.random_deal(before, 2)))
    short = dict(dealt["f3"])
    short[next(iter(short))] -= 1
    found = GAME.problems(before, {**dealt, "f3": short, "centre": {}})
    assert [slip.slug for slip in found] == ["marker-misplaced", "factory-wrong-count"]
    assert found[1].places == ("f3",) and found[1].params["count"] == 3


def test_a_round_after_the_end() -> None:
    over = position([board(wall="BYRKW ..... ..... ..... ....."), board()], phase="over")
    found = GAME.problems(over, {**visible(over), "f1": {"red": 4}})
    assert [slip.slug for slip in found] == ["round-after-the-end"]


def test_the_stone_may_show_the_bonuses_when_the_game_is_over() -> None:
    over = position([board(wall="BYRKW ..... ..... ..... .....", score=5), board()], phase="over")
    assert slugs(over, p1_score=7) == [] and slugs(over, p1_score=5) == []
    assert slugs(over, p1_score=6) == ["score-marker-wrong"]


def test_more_tiles_than_exist_is_a_question_not_an_accusation() -> None:
    before = position([board(), board()], ["RRRR"], "M")
    table = {**visible(before), **{f"f{number}": {"red": 5} for number in range(1, 6)}}
    found = GAME.problems(before, table)
    doubt = [slip for slip in found if slip.slug == "impossible-tiles"]
    assert doubt and all(slip.severity is Severity.QUESTION for slip in doubt)
    strange = GAME.problems(before, {**visible(before), "p1.line1.1": "green"})
    assert [slip.slug for slip in strange] == ["impossible-tiles"] and strange[0].places == ("p1.line1.1",)


def test_grey_side_repeats() -> None:
    wall = "..... ..B.. ..... ..... ....."
    before = position([board("-,-,-,B4,-", wall), board()], phase="tiling", options={"wall": "grey"}, waiting=(1,))
    emptied = {f"p1_line4_{cell}": None for cell in range(1, 5)}
    assert slugs(before, **emptied, p1_wall_4_3="blue", p1_score=1) == ["colour-repeated-in-column"]
    assert slugs(before, **emptied, p1_wall_4_2="blue", p1_score=1) == []
    row = position(
        [board("-,B2,-,-,-", wall), board()],
        phase="tiling", options={"wall": "grey"}, waiting=(1,),
    )
    assert "colour-repeated-in-row" in slugs(row, p1_line2_1=None, p1_line2_2=None, p1_wall_2_1="blue", p1_score=1)


def test_a_surplus_colour_cannot_come_out_of_the_bag() -> None:
    """A62: a lid poured too early shows as a colour that the bag did not have; that is asked, not told."""
    state = position([board(), board()], phase="deal")
    state = state._replace(supply=state.supply._replace(bag=(0, 20, 20, 20, 20), lid=counts("BBBB"), bag_total=80))
    contents = {f"f{number}": {"yellow": 4} for number in range(1, 5)} | {"f5": {"blue": 4}}
    found = GAME.problems(state, {**visible(state), **contents, "centre": {"marker": 1}})
    assert [(slip.slug, slip.rule) for slip in found] == [("impossible-tiles", "A62")]


@pytest.mark.parametrize("sitting", json.loads((DATA / "sittings.json").read_text()), ids=lambda each: each["name"])
def test_recorded_sittings(sitting: dict[str, Any]) -> None:
    """Three recorded sittings: every move is legal, every score right, every slip named with its player and place."""
    state = GAME.new(sitting["players"], sitting["options"], sitting["start_player"])
    for step in sitting["steps"]:
        if "deal" in step:
            state = GAME.apply(state, GAME.deal(state, step["deal"])).state
        elif "move" in step:
            (move,) = [each for each in GAME.legal_moves(state) if GAME.describe(each) == step["move"]]
            assert GAME.problems(state, GAME.play(state, move)) == ()
            state = GAME.apply(state, move).state
        elif "round" in step:
            while state.phase == "tiling":
                state = GAME.apply(state, GAME.legal_moves(state)[0]).state
            assert list(GAME.scores(state)) == step["round"]
        else:
            found = GAME.problems(state, {**visible(state), **step["table"]})
            told = [(slip.slug, slip.player, list(slip.places)) for slip in found]
            assert told == [(step["slip"]["kind"], step["slip"]["player"], step["slip"]["places"])]
