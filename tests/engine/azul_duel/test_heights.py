"""How many broken tiles lie under the one that shows. If one of these fails, a player loses points for tiles that never
broke, or none for those that did."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from engine.errors import SetupError
from engine.games.azul_duel.position import on_table
from engine.games.azul_duel.rules import GAME
from engine.games.azul_duel.state import ACQUIRE, TILING, UNSEEN_TILE, State
from tests.engine.azul_duel.build import acquiring, board

PLATES = {(1, 1): (0, 0)}, {(1, 1): (1, 0)}


def table(broken: tuple[str, str], **more: Any) -> State:
    first, second = (board(plates=plates, broken=tiles) for plates, tiles in zip(PLATES, broken, strict=True))
    return acquiring(first, second, **more)


def read(state: State, before: State | None = None) -> State:
    """The position as a camera and whatever is remembered give it."""
    seen = GAME.visible(state)
    joined = GAME.position_from(seen, 2, {}, state.turn)
    if before is not None:
        # What lay there in another round may be more than there can be now.
        with suppress(SetupError):
            joined = GAME.position_from(seen, 2, {}, state.turn, **GAME.recall(before, seen))
    return joined


@pytest.mark.parametrize(("height", "lost"), [(1, 1), (2, 3), (3, 6), (4, 10)])
def test_the_round_costs_what_the_told_height_costs(height: int, lost: int) -> None:
    state = GAME.with_heights(read(table(("R", "")))._replace(phase=TILING), {"p1.broken": height})
    rich = state._replace(players=(state.players[0]._replace(score=50), state.players[1]))
    move = next(move for move in GAME.legal_moves(rich) if GAME.player_of(move) == 1)
    step = GAME.apply(rich, move)
    assert GAME.scores(step.state)[0] == 50 - lost
    assert sum(reason.points for reason in step.reasons) == -lost
    assert GAME.visible(step.state)["p1.broken"] is None


def test_a_told_pile_looks_as_before_and_survives_being_saved() -> None:
    state = read(table(("R", "KB"), moons={"f1": "BR"}))
    told = GAME.with_heights(state, {"p1.broken": 3, "p2.broken": 1})
    assert GAME.heights(told) == {"p1.broken": 3, "p2.broken": 1}
    assert told.players[0].broken == (UNSEEN_TILE, UNSEEN_TILE, 2)
    assert GAME.visible(told) == GAME.visible(state)
    assert GAME.parse_position(GAME.format_position(told)) == told
    assert GAME.from_json(json.loads(json.dumps(GAME.to_json(told)))) == told
    assert GAME.supplies(told)["broken"] == {"p1": 3, "p2": 1}
    again = read(told, told)
    assert GAME.heights(again) == GAME.heights(told), "what was told is forgotten at the next correction"


@pytest.mark.parametrize("height", [1, 2, 3, 4])
def test_every_tile_is_somewhere_whatever_is_told(height: int) -> None:
    """A colour would run out that is still in the bag."""
    state = GAME.with_heights(table(("KRB", ""), moons={"f1": "BR"}), {"p1.broken": height})
    everywhere = zip(state.bag, state.tower, on_table(state), strict=True)
    assert [sum(counts) for counts in everywhere] == [13] * 5


@pytest.mark.parametrize("told", [{"p1.broken": 0}, {"p1.broken": 5}, {"p2.broken": 1}, {"f1.moon": 2}])
def test_a_height_that_cannot_be_is_refused(told: dict[str, int]) -> None:
    with pytest.raises(SetupError):
        GAME.with_heights(read(table(("R", ""))), told)


@pytest.mark.parametrize("seed", range(12))
def test_a_game_taken_up_anywhere_goes_on_as_it_was_played(seed: int) -> None:
    """The tiles of unknown colour would be missing from the bag, and the refill that came be refused; or the score
    would differ."""
    rng = Random(seed)
    truth: State = GAME.new(2)
    joined: State | None = None
    rejoin_in = rng.randrange(20, 80)
    while not GAME.is_over(truth):
        rejoin_in -= 1
        # That somebody has passed cannot be seen either, and is not what this is about.
        is_open = truth.phase == ACQUIRE and not any(player.has_passed for player in truth.players)
        if rejoin_in < 0 and is_open and (joined is None or rng.random() < 0.1):
            joined = GAME.with_heights(read(truth, joined), GAME.heights(truth))._replace(starter=truth.starter)
        if GAME.deal_request(truth) is not None:
            move = GAME.random_deal(truth, rng.getrandbits(32))
        else:
            moves = GAME.legal_moves(truth)
            move = moves[rng.randrange(len(moves))]
        truth = GAME.play(truth, move)
        if joined is not None:
            joined = GAME.apply(joined, move).state
            assert (GAME.visible(joined), GAME.heights(joined)) == (GAME.visible(truth), GAME.heights(truth))
            assert GAME.parse_position(GAME.format_position(joined)) == joined
    assert joined is not None
    assert GAME.result(joined).standings == GAME.result(truth).standings


# -- what is asked ---------------------------------------------------------------------------------------------


def test_nobody_is_asked_for_what_follows_from_the_rest() -> None:
    """People would count tiles that the companion can count itself."""
    before = table(("KR", "B"), suns={"f1": "RRKK", "f2": "BBYY"})
    assert possible(before, before) == {"p1.broken": (2,), "p2.broken": (1,)}
    later = table(("KRY", "B"), suns={"f1": "RRKK", "f2": "BB"}, moons={"big": "Y"})
    assert possible(before, later) == {"p1.broken": (3,), "p2.broken": (1,)}


def test_a_pile_that_may_have_grown_is_asked_for_and_an_empty_one_is_not() -> None:
    before = table(("R", ""), moons={"big": "RRRK"})
    after = table(("RRR", ""), moons={"big": "RK"})
    assert possible(before, after) == {"p1.broken": (3,)}, "only one player has broken tiles"
    both = table(("RRR", "R"), moons={"big": "RK"})
    asked = GAME.unseen_heights(table(("R", "R"), moons={"big": "RRRK"}), read(both))
    assert {place: each.possible for place, each in asked.items()} == {
        "p1.broken": (1, 2, 3, 4), "p2.broken": (1, 2, 3, 4),
    }


def test_what_lay_there_in_another_round_is_nothing_to_go_by() -> None:
    before = table(("KRYB", ""))
    after = table(("R", ""), suns={"f1": "RRKK"}, number=1)
    later = read(after)._replace(round=2)
    assert GAME.unseen_heights(before, later)["p1.broken"].likeliest == 1
    assert GAME.unseen_heights(None, later)["p1.broken"].possible == (1, 2, 3, 4)


@pytest.mark.parametrize("seed", range(8))
def test_nobody_is_sure_of_a_height_that_is_another(seed: int) -> None:
    """The players would not be asked, and the score be wrong for certain."""
    rng = Random(seed)
    states: list[State] = [GAME.new(2)]
    sure = doubtful = 0
    while not GAME.is_over(states[-1]):
        state = states[-1]
        for before in (None, *states[-1 - rng.randrange(12):]):
            for place, each in GAME.unseen_heights(before, read(state, before)).items():
                assert GAME.heights(state)[place] in each.possible
                assert each.likeliest in each.possible
                sure, doubtful = sure + (len(each.possible) == 1), doubtful + (len(each.possible) > 1)
        if GAME.deal_request(state) is not None:
            move = GAME.random_deal(state, rng.getrandbits(32))
        else:
            move = rng.choice(list(GAME.legal_moves(state)))
        states.append(GAME.play(state, move))
    assert sure > doubtful / 2, "people are asked for what can be known"


def possible(before: State, after: State) -> dict[str, tuple[int, ...]]:
    return {place: each.possible for place, each in GAME.unseen_heights(before, read(after, before)).items()}
