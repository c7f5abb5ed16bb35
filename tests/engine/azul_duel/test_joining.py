"""A game joined in the middle: what nobody saw must not stop it, and must not be made up."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.errors import SetupError
from engine.games.azul_duel.state import UNSEEN_TILE
from engine.registry import find_games
from engine.types import UNKNOWN
from tests.engine.azul_duel.build import acquiring, board

GAME = find_games()["azul-duel"]


def stacked() -> dict[str, Any]:
    """A table on which a stack of unknown height shows red."""
    state = acquiring(board(plates={(1, 1): (0, 0)}), board(plates={(1, 1): (1, 0)}), moons={"f1": "R"})
    return dict(GAME.visible(state))


def test_anything_may_come_to_light_below_a_top_that_was_not_seen_being_laid() -> None:
    state = GAME.position_from(stacked(), 2, {}, 1)
    shown = {move.tops[0][1] for move in GAME.legal_moves(state) if type(move).__name__ == "Moon"}
    assert shown == {None, "blue", "yellow", "red", "black", "turquoise"}
    lower = next(
        move for move in GAME.legal_moves(state)
        if type(move).__name__ == "Moon" and move.tops == (("f1", "blue"),) and move.to == "line6"
    )
    after = GAME.play(state, lower)
    assert GAME.visible(after)["f1.moon"] == {"top": "blue"}
    assert sum(after.bag) == sum(state.bag) - 1
    assert after.moons[0].count(UNSEEN_TILE) == 1


def test_a_stack_that_was_told_is_taken_at_its_word() -> None:
    state = GAME.position_from(stacked(), 2, {}, 1, below={"f1": ["yellow"]})
    shown = {move.tops[0][1] for move in GAME.legal_moves(state) if type(move).__name__ == "Moon"}
    assert shown == {"yellow"}


def test_a_game_with_unseen_stacks_can_be_played_to_its_end() -> None:
    state = GAME.position_from(stacked(), 2, {}, 1)
    rng = Random(4)
    while not GAME.is_over(state):
        if GAME.deal_request(state) is not None:
            move = GAME.random_deal(state, rng.getrandbits(32))
        else:
            moves = GAME.legal_moves(state)
            move = moves[rng.randrange(len(moves))]
        state = GAME.play(state, move)


def test_a_plate_under_tiles_is_the_one_that_fits() -> None:
    cells = {(1, 1): "Y", (1, 2): "K"}
    state = acquiring(board(plates={(1, 1): (0, 0)}, cells=cells), board(plates={(1, 1): (1, 0)}), suns={"f1": "B"})
    seen = {**GAME.visible(state), "p1.plate.1.1": [UNKNOWN, UNKNOWN, "turquoise", "special"]}
    joined = GAME.position_from(seen, 2, {}, 1)
    assert GAME.visible(joined)["p1.plate.1.1"] == ["yellow", "black", "turquoise", "special"]


def test_a_plate_that_fits_no_tile_upon_it_is_refused() -> None:
    wrong = board(plates={(1, 1): (0, 0)}, cells={(1, 1): "B"})
    state = acquiring(wrong, board(plates={(1, 1): (1, 0)}), suns={"f1": "B"})
    seen = {**GAME.visible(state), "p1.plate.1.1": [UNKNOWN, "black", "turquoise", "special"]}
    with pytest.raises(SetupError, match=r"p1\.plate\.1\.1"):
        GAME.position_from(seen, 2, {}, 1)


def test_what_lies_under_others_is_not_forgotten_when_the_table_comes_to_look_otherwise() -> None:
    """Whoever says that a slip may stay must not find the broken tiles below the top gone from the score, nor every
    stack unknown."""
    known = acquiring(
        board(plates={(1, 1): (0, 0)}, broken="BYR"), board(plates={(1, 1): (1, 0)}, broken="KT"),
        moons={"f1": "BR", "f2": "YKT", "f3": "KB", "f4": "TY"},
    )
    table = {
        **GAME.visible(known), "p2.broken": {"top": "yellow"}, "f2.moon": {"top": "black"}, "f3.moon": {"top": "red"},
        "f4.moon": None, "p1.line2.1": "blue",
    }
    joined = GAME.position_from(table, 2, {}, 1, **GAME.recall(known, table))
    assert [player.broken for player in joined.players] == [known.players[0].broken, (3, 4, 1)]
    assert joined.moons[:2] == (known.moons[0], (1, 3))
    assert UNSEEN_TILE in joined.moons[2] and joined.moons[3] == ()


def test_broken_tiles_that_were_cleared_away_are_gone_and_a_full_track_takes_no_more() -> None:
    full = acquiring(
        board(plates={(1, 1): (0, 0)}, broken="BYRK"), board(plates={(1, 1): (1, 0)}, broken="KT"), moons={"f1": "BR"},
    )
    table = {**GAME.visible(full), "p1.broken": {"top": "blue"}, "p2.broken": None}
    joined = GAME.position_from(table, 2, {}, 1, **GAME.recall(full, table))
    assert [len(player.broken) for player in joined.players] == [4, 0]
