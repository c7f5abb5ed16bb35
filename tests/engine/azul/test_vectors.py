"""The rules sheet's own examples. If one fails, families are told a wrong score or a wrong rule."""

from __future__ import annotations

import pytest

from engine.games.azul import dealing
from engine.games.azul.data import load
from engine.games.azul.moves import CENTRE, DROPPED, FLOOR, Deal, Take, Tile
from engine.games.azul.rules import GAME
from engine.games.azul.scoring import tile_points
from engine.games.azul.state import Board
from engine.types import Reason
from tests.engine.azul.helpers import LETTERS, board, counts, position

B, Y, R, K, W = range(5)
EMPTY_WALL = "..... ..... ..... ..... ....."


def wall_with(*cells: tuple[int, int]) -> Board:
    """A board whose wall has the printed tiles on these spaces (row and column from 1)."""
    rows = [["."] * 5 for _ in range(5)]
    for row, column in cells:
        rows[row - 1][column - 1] = LETTERS[load().wall_pattern[row - 1][column - 1]]
    return board(wall=" ".join("".join(row) for row in rows))


def reasons_of(state: object, move: Tile) -> tuple[Reason, ...]:
    return GAME.apply(state, move).reasons


def placed(row: int, column: int, *cells: tuple[int, int]) -> int:
    """What a tile on (row, column) scores beside these."""
    return tile_points(wall_with(*cells, (row, column)).wall, row - 1, column - 1)


def test_three_first_turns_a_v1() -> None:
    """A-V1a, A-V1b, A-V1c: two discs, then the first take from the centre with the marker."""
    state = position([board()] * 3, ["KKBW", "YRRR"], "M")
    state = GAME.apply(state, Take(1, 1, K, 2, 2)).state
    assert (state.discs[0], state.centre, state.is_marker_in_centre) == (counts(""), counts("BW"), True)
    state = GAME.apply(state, Take(2, 2, Y, 1, 1)).state
    assert state.centre == counts("BWRRR")
    state = GAME.apply(state, Take(3, CENTRE, R, 3, 3)).state
    assert state.centre == counts("BW") and not state.is_marker_in_centre
    assert GAME.visible(state)["p3.floor.1"] == "marker" and state.starter == 3


def test_where_andrea_may_lay_two_yellow_tiles_a_v2() -> None:
    """A-V2: lines whose wall row has the colour, or that hold another one, are closed."""
    andrea = board("-,-,-,B1,-", "..... ..Y.. ...Y. ..... .....")
    state = position([andrea, board()], ["YYRK"], "M")
    takes = [move for move in GAME.legal_moves(state) if move.colour == Y]
    assert {move.to for move in takes} == {1, 5, FLOOR}
    seen = {move.to: GAME.visible(GAME.play(state, move)) for move in takes}
    assert seen[1]["p1.line1.1"] == seen[1]["p1.floor.1"] == "yellow" and seen[1]["p1.floor.2"] is None
    assert seen[5]["p1.line5.2"] == "yellow" and seen[5]["p1.floor.1"] is None
    assert seen[FLOOR]["p1.floor.2"] == "yellow"


def test_peter_tiles_two_lines_a_v3() -> None:
    """A-V3: complete lines score one each, their other tiles go to the lid, incomplete lines stay."""
    state = position([board("-,R2,K1,B4,W2"), board()], phase="tiling", waiting=(1,))
    step = GAME.apply(state, Tile(1, (0, 4, 0, 4, 0)))
    after = step.state
    assert after.boards[0].wall[1][3] == R and after.boards[0].wall[3][3] == B
    assert [reason.points for reason in step.reasons] == [1, 1]
    assert after.supply.lid == counts("RBBB")
    assert after.boards[0].lines[2] == (K, 1) and after.boards[0].lines[4] == (W, 2)


@pytest.mark.parametrize(
    ("points", "row", "column", "cells"),
    [
        pytest.param(1, 3, 3, ((1, 1), (2, 2), (5, 5)), id="A-V4 lone"),
        pytest.param(3, 1, 2, ((1, 1), (1, 3)), id="A-V5 across"),
        pytest.param(3, 3, 3, ((1, 3), (2, 3)), id="A-V6 down"),
        pytest.param(7, 3, 4, ((3, 1), (3, 2), (3, 3), (2, 4), (4, 4)), id="A-V7 both"),
        pytest.param(
            10, 3, 3, ((3, 1), (3, 2), (3, 4), (3, 5), (1, 3), (2, 3), (4, 3), (5, 3)), id="A-V14 cross"
        ),
    ],
)
def test_points_of_one_tile(points: int, row: int, column: int, cells: tuple[tuple[int, int], ...]) -> None:
    assert placed(row, column, *cells) == points


def test_floor_line_with_the_marker_costs_eight_a_v8() -> None:
    """A-V8: five used spaces cost eight; four tiles go to the lid and the marker to its holder."""
    state = position([board(floor="MRRKW", score=20), board()], phase="tiling", waiting=(1,))
    step = GAME.apply(state, Tile(1, (0,) * 5))
    assert step.state.boards[0].score == 12 and step.state.supply.lid == counts("RRKW")
    assert [reason.points for reason in step.reasons] == [-1, -1, -2, -2, -2]
    assert step.state.boards[0].floor == () and not step.state.is_marker_in_centre


@pytest.mark.parametrize(("players", "discs", "bag"), [(2, 5, 80), (3, 7, 72), (4, 9, 64)], ids="A-V9 {}".format)
def test_discs_by_players_a_v9(players: int, discs: int, bag: int) -> None:
    state = GAME.new(players)
    state = GAME.play(state, GAME.random_deal(state, 1))
    assert len(state.discs) == discs and sum(map(sum, state.discs)) == 4 * discs
    assert sum(state.supply.bag) == bag and sum(state.supply.lid) == 0


def test_end_bonuses_a_v10() -> None:
    """A-V10: 2 for a row, 7 for a column, 10 for a colour."""
    row = [(1, column) for column in range(1, 6)]
    column = [(row, 1) for row in range(1, 6)]
    blue = [(row, row) for row in range(1, 6)]
    state = position([wall_with(*row, *column, *blue), board()], phase="over")
    result = GAME.result(state)
    keys = {reason.key: reason.points for reason in result.standings[0].reasons}
    assert keys == {"bonus-row": 2, "bonus-column": 7, "bonus-colour": 10}
    assert result.standings[0].score == 19 and result.winners == (1,) and result.decided_by == "score"


def test_score_stops_at_zero_a_v11() -> None:
    """A-V11: a floor of five with three points leaves 0, and the reasons still add up."""
    state = position([board(floor="RRKWW", score=3), board()], phase="tiling", waiting=(1,))
    step = GAME.apply(state, Tile(1, (0,) * 5))
    assert step.state.boards[0].score == 0 and sum(reason.points for reason in step.reasons) == -3
    assert step.reasons[-1].key == "floor-clamp"


def test_eighth_floor_tile_goes_to_the_lid_a_v12() -> None:
    """A-V12: six on the floor, three more: one lies, two go to the lid, the penalty is 14."""
    state = position([board(floor="BBYYRR", score=30), board()], ["KKKW"], "")
    state = GAME.apply(state, Take(1, 1, K, FLOOR, 3)).state
    assert state.boards[0].floor[-1] == K and state.supply.lid == counts("KK")
    state = GAME.apply(state, Take(2, CENTRE, W, 1, 1)).state
    move = next(move for move in GAME.legal_moves(state) if move.player == 1)
    assert sum(reason.points for reason in reasons_of(state, move)) == -14


def test_a_column_tiled_at_once_a_v13() -> None:
    """A-V13: tiles laid higher up in the same phase count as neighbours."""
    state = position([board("B1,W2,K3,R4,Y5"), board()], phase="tiling", waiting=(1,))
    step = GAME.apply(state, Tile(1, (1, 1, 1, 1, 1)))
    assert [reason.points for reason in step.reasons] == [1, 2, 3, 4, 5] and step.state.boards[0].score == 15


def test_unplaceable_grey_line_falls_to_the_floor_a_v15() -> None:
    """A-V15: two of three red tiles find room on the floor line, one goes to the lid, 14 points are lost."""
    wall = ".R... ..... B.KY. ....R ....."
    grey = board("-,-,R3,-,-", wall, "BBYYW", 20)
    state = position([grey, board()], phase="tiling", options={"wall": "grey"}, waiting=(1,))
    (move,) = GAME.legal_moves(state)
    assert move == Tile(1, (0, 0, DROPPED, 0, 0))
    step = GAME.apply(state, move)
    assert step.state.boards[0].score == 6 and step.state.boards[0].wall == grey.wall
    assert step.state.supply.lid == counts("BBYYWRRR")


def test_grey_columns_without_the_colour_a_v16() -> None:
    """A-V16: a blue tile may go on any space of row 2 but below blue."""
    state = position(
        [board("-,B2,-,-,-", "..... ..... ..... B.... ....."), board()],
        phase="tiling", options={"wall": "grey"}, waiting=(1,),
    )
    assert {move.columns[1] for move in GAME.legal_moves(state)} == {2, 3, 4, 5}


@pytest.mark.parametrize(("rows", "winners", "decided"), [(1, (1,), "tie-break"), (2, (1, 2), "shared")])
def test_ties_a_v17(rows: int, winners: tuple[int, ...], decided: str) -> None:
    """A-V17: equal scores are decided by complete rows, and shared when those are equal too."""
    def full(number: int, score: int) -> Board:
        cells = [(row, column) for row in range(1, number + 1) for column in range(1, 6)]
        return wall_with(*cells)._replace(score=score)

    state = position([full(2, 60 - 4), full(rows, 60 - 2 * rows)], phase="over")
    result = GAME.result(state)
    assert [standing.score for standing in result.standings] == [60, 60]
    assert result.winners == winners and result.decided_by == decided
    assert [standing.tie_break for standing in result.standings] == [2, rows]


def test_count_of_legal_takes_a_v18() -> None:
    """A-V18: eleven pairs of source and colour, six destinations each."""
    state = position([board(), board()], ["BBRY", "KKKW", "", "BYYY", "RRKK"], "WWR")
    assert len(GAME.legal_moves(state)) == 66


def test_lid_is_poured_when_the_bag_runs_out_a_v19() -> None:
    """A-V19: three tiles from the bag, seventeen out of forty from the lid: 23 stay in the bag."""
    state = position([board(), board()], phase="deal")
    supply = state.supply._replace(bag=counts("BYR"), lid=(8, 8, 8, 8, 8), bag_total=3)
    state = state._replace(supply=supply)
    request = GAME.deal_request(state)
    assert request is not None and request.total == 20 and request.least == {
        "blue": 1, "yellow": 1, "red": 1, "black": 0, "white": 0
    }
    after = GAME.apply(state, GAME.random_deal(state, 5)).state
    assert sum(after.supply.bag) == 23 and sum(after.supply.lid) == 0 and after.supply.is_exact


def test_short_supply_fills_discs_one_after_another() -> None:
    """A63, A64: with nine tiles left two discs are full, one has a tile, two are empty; any order of discs will do."""
    state = position([board(), board()], phase="deal")
    state = state._replace(supply=state.supply._replace(bag=counts("BBBBYYYYR"), bag_total=9))
    assert dealing.disc_counts(state) == [4, 4, 1, 0, 0]
    assert dealing.deal_slips(state, Deal((counts("R"), counts(""), counts("BBBB"), counts(""), counts("YYYY")))) == []
    wrong = Deal((counts("R"), counts("Y"), counts("BBBB"), counts(""), counts("YYY")))
    assert dealing.deal_slips(state, wrong)[0].slug == "factory-wrong-count"


@pytest.mark.parametrize(("choice", "starter"), [("same_starter", 1), ("next_player", 2)])
def test_nobody_took_from_the_centre(choice: str, starter: int) -> None:
    """A66: the marker stays in the centre, and the option says who starts."""
    state = position([board(), board()], ["BBBB"], "M", options={"no_center_taker": choice})
    after = GAME.apply(state, Take(1, 1, B, 5, 4)).state
    assert GAME.phase(after) == "deal" and GAME.visible(after)["centre"] == {"marker": 1}
    assert after.starter == starter


@pytest.mark.parametrize(
    ("choice", "floor", "lid"),
    [("beside", "BBYYRRK", ""), ("replace_first", "MBYYRRK", "B"), ("replace_last", "BBYYRRM", "K")],
)
def test_marker_with_a_full_floor_line(choice: str, floor: str, lid: str) -> None:
    """A47: the marker costs nothing beside the board, or takes the place that the option names; its holder starts."""
    state = position([board(floor="BBYYRRK"), board()], [], "WWM", options={"marker_on_full_floor": choice})
    after = GAME.apply(state, Take(1, CENTRE, W, 2, 2)).state
    letters = LETTERS + "M"
    assert "".join(letters[item] for item in after.boards[0].floor) == floor
    assert after.supply.lid == counts(lid) and after.starter == 1


def test_a_line_may_be_left_short_only_where_the_table_allows_it() -> None:
    """A44: two of three tiles in the line and one dropped is a move with the option and a slip without."""
    boards = [board(), board()]
    house = position(boards, ["RRRK"], "M", options={"partial_voluntary_floor": True})
    move = Take(1, 1, R, 3, 3, 1)
    assert move in GAME.legal_moves(house)
    strict = position(boards, ["RRRK"], "M")
    seen = GAME.visible(GAME.play(house, move))
    assert [slip.slug for slip in GAME.problems(strict, seen)] == ["floor-instead-of-line"]
    assert GAME.problems(house, seen) == ()


@pytest.mark.parametrize(("score", "shown"), [(0, 0), (100, 100), (101, 1), (137, 37), (200, 100), (201, 1)])
def test_stone_goes_round_the_track(score: int, shown: int) -> None:
    """A74: the stone starts a second lap, the score does not."""
    state = position([board(score=score), board()])
    assert GAME.visible(state)["p1.score"] == shown and GAME.scores(state)[0] == score


def test_a_complete_row_ends_the_game_after_the_whole_phase() -> None:
    """A70: the other player still tiles and pays."""
    first = board("W1,-,-,-,-", "BYRK. ..... ..... ..... .....")
    second = board(floor="RR", score=9)
    state = position([first, second], phase="tiling")
    state = GAME.apply(state, Tile(1, (5, 0, 0, 0, 0))).state
    assert GAME.phase(state) == "tiling" and GAME.to_move(state) == (2,)
    state = GAME.apply(state, Tile(2, (0,) * 5)).state
    assert GAME.is_over(state) and GAME.scores(state) == (5, 7) and GAME.to_move(state) == ()


@pytest.mark.parametrize(("choice", "phase"), [("ask", "deal"), ("end", "over")])
def test_not_one_tile_left_to_deal(choice: str, phase: str) -> None:
    """A65: the table is asked, or the game ends, as the option says."""
    state = position([board(floor="M"), board()], phase="tiling", options={"empty_supply": choice}, waiting=(1,))
    state = state._replace(supply=state.supply._replace(bag=counts(""), bag_total=0))
    after = GAME.apply(state, Tile(1, (0,) * 5)).state
    assert GAME.phase(after) == phase
    if choice == "ask":
        request = GAME.deal_request(after)
        assert request is not None and request.total == 0
