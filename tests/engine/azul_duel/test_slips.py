"""Each thing that hands do wrong at Azul Duel, once, as a table would show it. If one fails, somebody's mistake passes
unseen or gets a wrong name."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.azul_duel.rules import GAME
from engine.games.azul_duel.state import OVER, State
from tests.engine.azul_duel.build import acquiring, board, chip, tiling

PLATES = {(1, 1): (0, 0), (2, 1): (13, 0)}
MINE = board(lines={3: "TT", 4: "YY", 1: "B"}, plates=PLATES, broken="R")
SUNS = {"f1": "BRKK", "f2": "YTTT", "big": "BBBYT"}
TAKING = acquiring(
    MINE, board(plates={(2, 2): (15, 0)}), suns=SUNS, moons={"f3": "RK", "f4": "RRY"}, offer=(2 * 4, 4 * 4)
)
LARGE = acquiring(MINE, suns={"f1": "BRKK"}, moons={"big": "YT", "f3": "RKK", "f4": "Y"})
OPEN = acquiring(board(chips=("B", "Y")), suns=SUNS, chips={"f3": chip("RT")})
DOME = {(1, 1): (0, 0), (1, 2): (12, 0), (1, 3): (7, 0), (2, 1): (13, 0)}
TILING = tiling(
    board(lines={1: "R", 2: "KK", 3: "T", 6: "B"}, plates=DOME, cells={(1, 2): "K"}, broken="B", chips=("R",))
)

BLUE = {"f1.sun": {}, "f1.moon": {"top": "black"}, "f1.chip": "?"}
RED = {**BLUE, "f1.moon": {"top": "blue"}}
YELLOW = {"f4.moon": {"top": "red"}, "p1.line4.3": "yellow"}
FIRST = {"p1.line1.1": None}
KK = {"p1.line2.1": None, "p1.line2.2": None}
DONE = {**FIRST, **KK, "p1.dome.2.5": "black", "p1.broken": None, "p1.score": 3}

CASES: list[tuple[str, int | None, State, dict[str, Any]]] = [
    ("tiles-left-behind", 1, TAKING, {**RED, "f1.sun": {"black": 1}, "p1.line2.1": "black"}),
    ("tiles-left-behind", 1, LARGE, {"big.moon": {"turquoise": 1}, "p1.line4.3": "yellow", "p1.start": "marker"}),
    ("two-colours-taken", 1, TAKING, {**BLUE, "p1.line2.1": "blue", "p1.line5.1": "red"}),
    (
        "rest-not-moved",
        1,
        TAKING,
        {"big.sun": {"yellow": 1, "turquoise": 1}, **{f"p1.line5.{i}": "blue" for i in (1, 2, 3)}},
    ),
    ("rest-misplaced", 1, TAKING, {**BLUE, "f1.chip": "face-down", "p1.line2.1": "blue"}),
    ("stack-overtaken", 1, LARGE, {"f3.moon": {"top": "red"}, "p1.line2.1": "black", "p1.line2.2": "black"}),
    ("marker-not-taken", 1, LARGE, {"big.moon": {"yellow": 1, "marker": 1}, "p1.line3.3": "turquoise"}),
    ("marker-misplaced", 1, LARGE, {"big.moon": {"yellow": 1}, "p1.line3.3": "turquoise"}),
    ("out-of-turn", 2, TAKING, {**BLUE, "p2.line2.1": "blue"}),
    ("colour-mixed-in-line", 1, TAKING, {**BLUE, "p1.line4.3": "blue"}),
    ("split-over-lines", 1, TAKING, {**BLUE, "f1.moon": {"top": "red"}, "p1.line2.1": "black", "p1.line5.1": "black"}),
    ("line-overfilled", 1, TAKING, {**RED, "p1.line1.1": "red"}),
    ("gap-in-line", 1, TAKING, {**BLUE, "p1.line5.2": "blue"}),
    (
        "overflow-missing",
        1,
        TAKING,
        {"f2.sun": {}, "f2.moon": {"top": "yellow"}, "f2.chip": "?", "p1.line3.3": "turquoise"},
    ),
    ("tiled-too-early", 1, TAKING, {**BLUE, "p1.dome.4.2": "blue"}),
    ("token-plate-mismatch", 1, TAKING, {"offer.1": None, "p1.plate.3.3": ["turquoise", "red", "blue", "joker"]}),
    ("display-refilled-early", None, TAKING, {"offer.3": ["yellow", "blue", "black", "special"]}),
    (
        "plate-misplaced",
        1,
        TAKING,
        {"offer.1": None, "p1.plate.1.1": ["turquoise", "red", "blue", "joker"], "p1.token.1": "token"},
    ),
    ("plate-moved", 1, TAKING, {"p1.plate.1.1": ["turquoise", "yellow", "special", "black"]}),
    ("stack-draw-unpaid", 1, TAKING, {"p1.plate.3.3": ["yellow", "blue", "black", "special"], "p1.token.1": "token"}),
    (
        "stack-draw-misplayed",
        1,
        TAKING,
        {"p1.plate.3.3": ["yellow", "blue", "black", "special"], "p1.token.1": "token", "p1.score": 4, "offer.1": None},
    ),
    ("chip-taken-early", 1, TAKING, {"f1.chip": None}),
    ("chip-overdrawn", 1, OPEN, {"f3.chip": None, "p1.chips.3": ["red", "turquoise"]}),
    ("chip-face-wrong", None, TAKING, {"f1.chip": ["blue"]}),
    ("wrong-dome-space", 1, TILING, {**DONE, "p1.dome.2.5": None, "p1.dome.2.1": "black"}),
    ("special-tile-wrong", 1, TILING, {**DONE, "p1.dome.2.2": "special"}),
    ("incomplete-line-tiled", 1, TILING, {**DONE, "p1.line3.1": None, "p1.dome.3.2": "turquoise", "p1.score": 4}),
    ("chips-misused", 1, TILING, {**DONE, "p1.chips.1": "face-down"}),
    ("complete-line-not-tiled", 1, TILING, {**FIRST, "p1.broken": None, "p1.score": 2}),
    ("unplaceable-line-kept", 1, TILING, {**KK, "p1.dome.2.5": "black", "p1.broken": None, "p1.score": 5}),
    ("line-cleared-too-early", 1, TILING, {**DONE, "p1.line6.1": None}),
    ("line-not-cleared", 1, TILING, {place: content for place, content in DONE.items() if place != "p1.line2.2"}),
    ("broken-not-cleared", 1, TILING, {place: content for place, content in DONE.items() if place != "p1.broken"}),
    ("score-marker-wrong", 1, TILING, {**DONE, "p1.score": 6}),
    ("score-marker-wrong", 2, TAKING, {"p2.score": 15}),
    ("round-after-the-end", None, TILING._replace(phase=OVER), {"f1.sun": {"red": 4}}),
    ("impossible-tiles", None, TAKING, {"big.sun": {"blue": 13}}),
]


@pytest.mark.parametrize(
    ("slug", "player", "before", "seen"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)]
)
def test_a_slip_is_named(slug: str, player: int | None, before: State, seen: dict[str, Any]) -> None:
    found = GAME.problems(before, {**GAME.visible(before), **seen})
    assert found, "nothing was noticed"
    assert (found[0].slug, found[0].player) == (slug, player), found
    assert found[0].places


def dealt(**wrong: Any) -> tuple[State, dict[str, Any]]:
    """A refill after a round, with some places as they should not be."""
    done = board(tokens_used=2)._replace(has_tiled=True)
    state = tiling(done, done._replace(has_marker=True))._replace(phase=0, offer=(0, 4, 8))
    after = GAME.visible(GAME.play(state, GAME.random_deal(state, 5)))
    return state, {**after, **{place.replace("_", "."): content for place, content in wrong.items()}}


@pytest.mark.parametrize(
    ("slug", "wrong"),
    [
        ("factory-wrong-count", {"f1_sun": {"blue": 3}}),
        ("round-not-prepared", {"big_moon": {}, "p2_start": "marker"}),
        ("round-not-prepared", {"p1_token_1": "token"}),
        ("broken-not-cleared", {"p1_broken": {"top": "red"}}),
        ("line-not-cleared", {"p1_line2_1": "red"}),
        ("score-marker-wrong", {"p1_score": 9}),
    ],
)
def test_a_refill_that_is_not_ready_is_noticed(slug: str, wrong: dict[str, Any]) -> None:
    state, seen = dealt(**wrong)
    assert GAME.problems(state, dealt()[1]) == ()
    assert slug in {slip.slug for slip in GAME.problems(state, seen)}


def test_two_slips_at_once_are_both_named() -> None:
    seen = {**GAME.visible(TAKING), **BLUE, "p1.line4.3": "blue", "p2.score": 9}
    found = {(slip.slug, slip.player) for slip in GAME.problems(TAKING, seen)}
    assert found == {("colour-mixed-in-line", 1), ("score-marker-wrong", 2)}


def test_the_start_tile_may_stay_on_its_space_until_the_next_deal() -> None:
    state = tiling(board(marker=True))
    move = next(move for move in GAME.legal_moves(state) if GAME.player_of(move) == 1)
    after = GAME.visible(GAME.play(state, move))
    assert after["p1.start"] is None
    assert GAME.problems(state, {**after, "p1.start": "marker"}) == ()


def test_the_final_score_on_the_stones_is_no_slip() -> None:
    cells = {(1, column): "B" for column in range(1, 7)}
    over = tiling(board(cells=cells, score=20), options={"scoring": ["rows"]})._replace(phase=OVER)
    assert GAME.problems(over, {**GAME.visible(over), "p1.score": 23}) == ()
    assert GAME.problems(over, {**GAME.visible(over), "p1.score": 24})[0].slug == "score-marker-wrong"
