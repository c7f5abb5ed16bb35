"""The worked examples of the rules. If one fails, a family is told a wrong score or refused a right move."""

from __future__ import annotations

import pytest

from engine.api import total
from engine.errors import IllegalMoveError
from engine.games.azul_duel.moves import Deal, Moon, Plate, Sun, Tile
from engine.games.azul_duel.rules import GAME
from engine.games.azul_duel.state import CHIP_TURNED, NOTHING, OVER, State
from engine.types import Step
from tests.engine.azul_duel.build import acquiring, board, chip, heap, tiling

FULL_ROW = {(2, column): "B" for column in range(1, 7)}


def only_tiling(state: State, player: int = 1, **wanted: object) -> Step:
    """The tiling of a player who has no choice, or the one that was asked for."""
    moves = [move for move in GAME.legal_moves(state) if isinstance(move, Tile) and move.player == player]
    chosen = [move for move in moves if all(getattr(move, name) == value for name, value in wanted.items())]
    assert len(chosen) == 1, moves
    return GAME.apply(state, chosen[0])


def ended(state: State, player: int = 1, **options: object) -> int:
    """What the scoring faces bring a player at the end."""
    over = state._replace(phase=OVER)
    return total(GAME.result(over).standings[player - 1].reasons)


def test_d_v1_two_draws_cost_two_points() -> None:
    """D-V1"""
    state = acquiring(board(score=7), suns={"f1": "BBBB"}, offer=(0, 4, 8))
    move = Plate(1, "stack", 9, 180, "plate.1.2", drawn=2)
    assert move in GAME.legal_moves(state)
    step = GAME.apply(state, move)
    player = step.state.players[0]
    assert (player.score, player.tokens_used) == (5, 1)
    assert player.plates[1] == 9 * 4 + 2
    assert step.state.offer == state.offer
    assert len(GAME.supplies(step.state)["plates"]) == len(GAME.supplies(state)["plates"]) - 1
    assert total(step.reasons) == -2


def test_d_v2_the_rest_is_stacked_as_the_player_likes() -> None:
    """D-V2"""
    state = acquiring(board(), suns={"f1": "TTKY"})
    after = GAME.apply(state, Sun(1, "f1", "turquoise", 2, "line2", top="yellow")).state
    assert after.moons[0] == (3, 1)
    assert GAME.visible(after)["f1.moon"] == {"top": "yellow"}
    assert GAME.visible(after)["f1.chip"] == "?"
    assert after.players[0].counts[1] == 2


def test_d_v3_the_large_factory_lays_its_rest_singly() -> None:
    """D-V3"""
    state = acquiring(board(), suns={"big": "TTBYR"})
    after = GAME.apply(state, Sun(1, "big", "turquoise", 2, "line5")).state
    assert GAME.visible(after)["big.moon"] == {"blue": 1, "yellow": 1, "red": 1, "marker": 1}
    assert not after.players[0].has_marker


def test_d_v4_the_marker_goes_with_the_large_moon_only() -> None:
    """D-V4"""
    state = acquiring(board(), moons={"f1": "RY", "f2": "Y", "f3": "K", "big": "KR"}, chips={"f4": NOTHING})
    options = {
        (move.colour, move.count, "big" in move.sources) for move in GAME.legal_moves(state) if isinstance(move, Moon)
    }
    assert options == {("red", 1, True), ("black", 2, True), ("yellow", 2, False)}
    for move in GAME.legal_moves(state):
        if isinstance(move, Moon):
            assert GAME.apply(state, move).state.players[0].has_marker == ("big" in move.sources)


def test_d_v5_two_tiles_have_four_places_to_go() -> None:
    """D-V5"""
    mover = board(lines={2: "K", 3: "T", 4: "B", 6: "Y"})
    state = acquiring(mover, suns={"f1": "TTKK"})
    targets = {m.to for m in GAME.legal_moves(state) if isinstance(m, Sun) and m.colour == "turquoise"}
    assert targets == {"line1", "line3", "line5", "broken"}
    after = GAME.apply(state, Sun(1, "f1", "turquoise", 2, "line1", top="black")).state
    assert (after.players[0].counts[0], len(after.players[0].broken)) == (1, 1)


def test_d_v6_the_last_moon_tile_turns_up_the_chip() -> None:
    """D-V6"""
    state = acquiring(board(), suns={"big": "BBYYR"}, moons={"f2": "R"})
    after = GAME.apply(state, Moon(1, "red", 1, ("f2",), "line1", (("f2", None),))).state
    request = GAME.deal_request(after)
    assert GAME.phase(after) == "reveal"
    assert request is not None
    assert set(request.choices) == {"f2.chip"}
    shown = GAME.play(after, GAME.deal(after, {"f2.chip": ["turquoise", "red"]}))
    assert GAME.visible(shown)["f2.chip"] == ["red", "turquoise"]
    taken = GAME.play(shown, GAME.parse_move("p2 chip f2 chips.1"))
    assert GAME.visible(taken)["f2.chip"] is None
    assert GAME.visible(taken)["p2.chips.1"] == ["red", "turquoise"]


def test_d_v7_unplaceable_tiles_break_and_jokers_take_any_colour() -> None:
    """D-V7"""
    # Row 1 has three plates and no red or joker space; row 2 has a black space; row 4 only a joker for blue.
    plates = {(1, 1): (0, 0), (1, 2): (12, 0), (1, 3): (7, 0), (2, 1): (13, 0)}
    state = tiling(board(lines={1: "R", 2: "KK", 3: "YY", 4: "BBBB", 5: "R"}, plates=plates, score=10))
    step = only_tiling(state)
    player = step.state.players[0]
    assert [(reason.key, reason.points) for reason in step.reasons] == [("lone", 1), ("lone", 1), ("broken", -1)]
    assert player.score == 11
    assert step.state.tower == heap("RKBBB")
    assert player.counts == (0, 0, 2, 0, 1, 0)
    assert GAME.visible(step.state)["p1.dome.4.2"] == "blue"


def test_d_v8_two_half_turquoise_chips_complete_a_line() -> None:
    """D-V8"""
    state = tiling(board(lines={3: "TT"}, plates={(2, 1): (1, 90)}, chips=("RT", "TY")))
    step = only_tiling(state, chips=(1, 2), columns=(0, 0, 1, 0, 0, 0))
    assert step.state.players[0].counts[2] == 0
    assert step.state.tower == heap("T")
    assert [GAME.visible(step.state)[f"p1.chips.{place}"] for place in (1, 2)] == ["face-down", "face-down"]


def test_d_v9_any_three_chips_stand_for_a_tile() -> None:
    """D-V9"""
    state = tiling(board(lines={4: "BBB"}, plates={(2, 1): (9, 0)}, chips=("R", "KB", "T")))
    used = {move.chips for move in GAME.legal_moves(state) if isinstance(move, Tile) and move.player == 1}
    assert used == {(), (1, 2, 3)}


def test_d_v10_a_special_tile_is_laid_at_once_and_counts() -> None:
    """D-V10"""
    plates = {(1, 1): (0, 0), (2, 1): (1, 0)}
    state = tiling(board(lines={1: "Y", 3: "BBB"}, plates=plates, cells={(1, 2): "K", (2, 1): "T"}, score=0))
    step = only_tiling(state, columns=(1, 0, 2, 0, 0, 0))
    told = [(reason.key, reason.points) for reason in step.reasons]
    assert told == [("across", 2), ("down", 2), ("special", 2), ("down", 3)]
    assert step.state.players[0].score == 9


@pytest.mark.parametrize(
    ("broken", "marker", "score", "expected"),
    [
        pytest.param("BBB", True, 20, 12, id="D-V11"),
        pytest.param("BB", False, 20, 17, id="D-V12"),
        pytest.param("BBBB", True, 20, 8, id="D-V13"),
        pytest.param("BBB", True, 5, 0, id="D-V14"),
    ],
)
def test_broken_tiles_and_the_start_tile_cost_points(broken: str, marker: bool, score: int, expected: int) -> None:
    step = only_tiling(tiling(board(broken=broken, marker=marker, score=score)))
    assert step.state.players[0].score == expected
    assert score + total(step.reasons) == expected


def test_d_v13_a_fifth_broken_tile_goes_to_the_tower() -> None:
    """D-V13"""
    state = acquiring(board(broken="BBBB"), suns={"f1": "RRKK"})
    after = GAME.apply(state, Sun(1, "f1", "red", 2, "broken", top="black")).state
    assert len(after.players[0].broken) == 4
    assert after.tower == heap("RR")
    assert GAME.visible(after)["p1.broken"] == {"top": "blue"}


def test_d_v15_a_complete_line_without_a_space_stays_and_blocks() -> None:
    """D-V15"""
    plates = {(3, 1): (0, 0), (3, 2): (7, 0)}
    step = only_tiling(tiling(board(lines={5: "RRRRR"}, plates=plates)))
    player = step.state.players[0]
    assert player.counts[4] == 5
    later = acquiring(player._replace(has_tiled=False), suns={"f1": "RRKK"})
    assert all(m.to != "line5" for m in GAME.legal_moves(later) if isinstance(m, Sun))


def test_d_v16_four_of_a_colour_turn_up_the_chip_at_once() -> None:
    """D-V16"""
    state = acquiring(board(), suns={"f1": "RRRR", "f2": "BYKT"})
    after = GAME.apply(state, Sun(1, "f1", "red", 4, "line4")).state
    assert after.moons[0] == ()
    assert after.chips[0] == CHIP_TURNED
    assert after.players[0].counts[3] == 4


def test_d_v17_five_of_one_colour_on_the_large_factory_are_drawn_again() -> None:
    """D-V17"""
    start = GAME.new(2)
    start = GAME.play(start, GAME.random_deal(start, 1))
    suns = {"big.sun": {"red": 5}, "f1.sun": {"blue": 4}, "f2.sun": {"black": 4}, "f3.sun": {"yellow": 4}}
    with pytest.raises(IllegalMoveError) as refused:
        GAME.deal(start, {**suns, "f4.sun": {"turquoise": 4}})
    assert refused.value.slug == "factory-wrong-count"
    assert refused.value.slip.rule == "D29"


@pytest.mark.parametrize(
    ("face", "cells", "expected"),
    [
        pytest.param("rows", FULL_ROW, 3, id="D-V18-row"),
        pytest.param("columns", {(row, 3): "B" for row in range(1, 7)}, 7, id="D-V18-column"),
        pytest.param("diagonals", {(i, i): "B" for i in range(1, 7)}, 10, id="D-V18-diagonal"),
        pytest.param("diagonals", {(i, 7 - i): "B" for i in range(1, 7)}, 10, id="D-V18-other-diagonal"),
        pytest.param("colourful-rows", {(1, i + 1): c for i, c in enumerate("BYRKTS")}, 4, id="D-V21-five-colours"),
        pytest.param("colourful-rows", {(1, i + 1): c for i, c in enumerate("BYRKS")}, 0, id="D-V21-four-colours"),
        pytest.param(
            "corner-plates",
            {(r, c): "B" for r, c in [(1, 1), (1, 2), (2, 1), (2, 2), (5, 5), (5, 6), (6, 5), (6, 6)]},
            11,
            id="D-V24",
        ),
        pytest.param(
            "outer-spaces", {(r, c): "B" for r in (1, 6) for c in range(1, 7)} | {(3, 3): "R"}, 12, id="D-V25"
        ),
    ],
)
def test_scoring_faces(face: str, cells: dict[tuple[int, int], str], expected: int) -> None:
    assert ended(tiling(board(cells=cells), options={"scoring": [face]})) == expected


def test_d_v19_all_multicoloured_spaces_or_none() -> None:
    """D-V19"""
    plates = {(1, 1): (1, 0), (1, 2): (5, 0), (2, 1): (2, 0), (3, 3): (3, 0)}
    jokers = {(1, 1): "B", (2, 3): "R", (4, 2): "K", (6, 6): "T"}
    options = {"scoring": ["multicolour"]}
    assert ended(tiling(board(plates=plates, cells=jokers), options=options)) == 8
    del jokers[(4, 2)]
    assert ended(tiling(board(plates=plates, cells=jokers), options=options)) == 0


def test_d_v20_empty_special_spaces_cost_three_each() -> None:
    """D-V20"""
    state = tiling(
        board(plates={(1, 1): (0, 0), (2, 2): (4, 0), (3, 3): (1, 0)}), options={"scoring": ["empty-specials"]}
    )
    assert ended(state._replace(players=(state.players[0]._replace(score=20), state.players[1]))) == -6


def test_d_v21_a_special_tile_may_count_as_a_colour() -> None:
    """D-V21, with the option"""
    cells = {(1, i + 1): c for i, c in enumerate("BYRKS")}
    options = {"scoring": ["colourful-rows"], "special_counts_as_colour": True}
    assert ended(tiling(board(cells=cells), options=options)) == 4


def test_d_v22_the_holder_of_the_start_tile_wins_a_tie() -> None:
    """D-V22"""
    state = tiling(board(score=30), board(score=30, marker=True))._replace(phase=OVER)
    result = GAME.result(state)
    assert result.winners == (2,)
    assert result.decided_by == "tie-break"


def test_d_v23_a_special_tile_in_row_six_is_worth_six() -> None:
    """D-V23"""
    state = tiling(board(lines={5: "YYYYY"}, plates={(3, 1): (0, 0)}, cells={(5, 2): "K", (6, 1): "T"}, score=0))
    step = only_tiling(state)
    assert [(r.key, r.points) for r in step.reasons] == [("across", 2), ("down", 2), ("special", 6)]


# -- rules without a worked example --------------------------------------------------------------------------


def test_players_without_points_draw_for_nothing_unless_the_house_forbids_it() -> None:
    """D44"""
    state = acquiring(board(score=0), suns={"f1": "BBBB"}, offer=())
    draws = [move for move in GAME.legal_moves(state) if isinstance(move, Plate)]
    assert {move.drawn for move in draws} == {1}
    assert GAME.apply(state, draws[0]).state.players[0].score == 0
    strict = acquiring(board(score=0), suns={"f1": "BBBB"}, options={"stack_draw_at_zero": "forbidden"})
    assert not any(isinstance(move, Plate) for move in GAME.legal_moves(strict))


def test_part_of_the_tiles_may_be_broken_only_where_the_house_allows_it() -> None:
    """D61"""
    move = Sun(1, "f1", "red", 2, "line3", top="black", laid=1)
    with pytest.raises(IllegalMoveError):
        GAME.apply(acquiring(board(), suns={"f1": "RRKK"}), move)
    state = acquiring(board(), suns={"f1": "RRKK"}, options={"partial_voluntary_break": True})
    after = GAME.apply(state, move).state.players[0]
    assert (after.counts[2], after.broken) == (1, (2,))


def test_a_player_passes_only_when_nothing_is_left_to_do() -> None:
    """D65, D66"""
    mine = board(chips=("B", "Y"), tokens_used=2)
    state = acquiring(mine, board(tokens_used=2), chips={"f1": chip("R"), "f2": chip("K")}, marker_on_large=False)
    assert [GAME.format_move(move) for move in GAME.legal_moves(state)] == ["p1 pass"]
    after = GAME.play(state, GAME.parse_move("p1 pass"))
    assert GAME.to_move(after) == (2,)
    after = GAME.play(after, GAME.parse_move("p2 chip f1 chips.1"))
    assert GAME.to_move(after) == (2,)
    assert GAME.phase(GAME.play(after, GAME.parse_move("p2 chip f2 chips.2"))) == "tiling"


def test_the_marker_goes_with_a_large_sun_of_one_colour() -> None:
    """D55, second sentence"""
    state = acquiring(board(), suns={"big": "RR"})
    assert GAME.apply(state, Sun(1, "big", "red", 2, "line2")).state.players[0].has_marker


def test_a_chip_on_a_factory_without_tiles_is_turned_up_by_the_deal() -> None:
    """D94"""
    done = board()._replace(has_tiled=True)
    state = tiling(done, done)._replace(bag=heap("BYRKTBYRK"), tower=heap(""), phase=0)
    after = GAME.play(state, GAME.random_deal(state, 3))
    assert GAME.phase(after) == "reveal"
    assert CHIP_TURNED in after.chips


def test_an_empty_bag_comes_out_whole_before_the_tower_is_poured() -> None:
    """D93"""
    done = board()._replace(has_tiled=True)
    state = tiling(done, done)._replace(bag=heap("TT"), tower=heap("B" * 10 + "Y" * 10 + "R" * 10), phase=0)
    request = GAME.deal_request(state)
    assert request is not None
    assert request.least["turquoise"] == 2
    after = GAME.play(state, GAME.random_deal(state, 4))
    assert sum(after.tower) == 0
    assert sum(after.bag) == 32 - 21


def test_the_set_up_has_the_other_player_choose_first() -> None:
    """D31, D32"""
    state = GAME.new(2, start_player=1)
    for seed in (1, 2):
        state = GAME.play(state, GAME.random_deal(state, seed))
    assert GAME.phase(state) == "setup"
    for player in (2, 1):
        assert GAME.to_move(state) == (player,)
        state = GAME.play(state, GAME.legal_moves(state)[0])
        assert isinstance(GAME.random_deal(state, 5), Deal)
        state = GAME.play(state, GAME.random_deal(state, 5))
    assert GAME.to_move(state) == (1,)
    assert len(GAME.supplies(state)["plates"]) == 13
    assert GAME.scores(state) == (5, 5)
