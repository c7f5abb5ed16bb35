"""Whole random games in every setting: nothing may break, get lost or be called wrong on the way."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from engine.api import total
from engine.errors import IllegalMoveError
from engine.games.blockers.moves import Place
from engine.games.blockers.rules import GAME, random_move
from engine.games.blockers.slips import fault
from engine.games.blockers.state import State

SETTINGS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (2, {"two_player_capture_own_second_colour": False}),
    (2, {"two_player_mode": "one_colour"}),
    (3, {}),
    (3, {"no_move_policy": "ask", "tie_policy": "fewer_groups"}),
    (4, {"colours": ["purple", "red", "yellow", "green"]}),
    (5, {}),
]
IDS = [f"{players}-{'-'.join(map(str, options)) or 'default'}" for players, options in SETTINGS]


def check_position(state: State) -> None:
    """Every tile exists once, and every rule that a single position can break holds."""
    data = state.rules.data
    for colour, owner in enumerate(state.rules.owners):
        if owner is None:
            assert not state.stones[colour] and not any(heap[colour] for heap in state.captured)
            continue
        captured = sum(heap[colour] for heap in state.captured)
        assert state.stones[colour].bit_count() + captured + state.unseen[colour].bit_count() == len(data.faces)
        assert state.captured[owner - 1][colour] == 0 or state.rules.has_two_colours
        if state.hands:
            hidden = state.hands.racks[colour] | sum(1 << face for face in state.hands.piles[colour])
            assert hidden == state.unseen[colour]
    for cell, face in enumerate(state.board):
        assert face < 0 or data.accepted[cell] >> face & 1


@pytest.mark.parametrize(("players", "options"), SETTINGS, ids=IDS)
@pytest.mark.parametrize("hidden", [True, False], ids=["racks-known", "racks-secret"])
def test_random_games_keep_every_tile(players: int, options: dict[str, Any], hidden: bool) -> None:
    for seed in range(6):
        rng = random.Random(seed)
        state = GAME.new(players, options, start_player=rng.randint(1, players))
        if hidden:
            state = GAME.with_hidden(state, seed)
        while not GAME.is_over(state):
            move = random_move(GAME.data, state, rng)
            scores = GAME.scores(state)
            step = GAME.apply(state, move)
            for player in range(1, players + 1):
                gained = total(reason for reason in step.reasons if reason.player == player)
                assert scores[player - 1] + gained == GAME.scores(step.state)[player - 1]
            assert step.state == GAME.play(state, move)
            state = step.state
            check_position(state)
        result = GAME.result(state)
        for standing in result.standings:
            assert total(standing.reasons) == standing.score
        assert all(result.standings[winner - 1].score == min(GAME.scores(state)) for winner in result.winners)


@pytest.mark.parametrize(("players", "options"), SETTINGS, ids=IDS)
def test_text_and_json_give_the_same_position(players: int, options: dict[str, Any]) -> None:
    rng = random.Random(players)
    state = GAME.with_hidden(GAME.new(players, options), 1)
    while not GAME.is_over(state):
        move = random_move(GAME.data, state, rng)
        assert GAME.parse_move(GAME.format_move(move)) == move
        assert eval(repr(move)) == move
        for each in (state, GAME.without_hidden(state)):
            assert GAME.parse_position(GAME.format_position(each)) == each
            assert GAME.from_json(json.loads(json.dumps(GAME.to_json(each)))) == each
        state = GAME.play(state, move)


@pytest.mark.parametrize(("players", "options"), SETTINGS, ids=IDS)
def test_plausible_mistakes_are_named_and_legal_moves_are_not(players: int, options: dict[str, Any]) -> None:
    """A camera offers what hands may have done: legal moves must stay unblamed, mistakes must get their own name."""
    rng = random.Random(7)
    state = GAME.new(players, options)
    turn = 0
    while True:
        if turn % 17 == 5 or GAME.is_over(state):
            legal = GAME.legal_moves(state)
            offered = list(GAME.plausible_moves(state))
            assert {each.move for each in offered if not each.slips} == set(legal)
            for each in rng.sample(offered, min(len(offered), 150)):
                assert GAME.problems(state, each.places) == each.slips
                if each.slips:
                    assert {slip.slug for slip in each.slips} <= set(GAME.data.slips)
                elif each.move is not None:
                    after = GAME.visible(GAME.play(state, each.move))
                    assert {**GAME.visible(state), **each.places} == after
                    assert GAME.problems(state, GAME.play(state, each.move)) == ()
        if GAME.is_over(state):
            return
        state = GAME.play(state, random_move(GAME.data, state, rng))
        turn += 1


def test_the_quick_check_agrees_with_the_list_of_moves() -> None:
    """`apply` trusts a quick check; if it drifted from the rules, an illegal move would slip into a game."""
    rng = random.Random(3)
    state = GAME.new(2, {})
    for _ in range(60):
        state = GAME.play(state, random_move(GAME.data, state, rng))
    legal = set(GAME.legal_moves(state))
    data = GAME.data
    for player in (1, 2):
        for colour in data.colours[:4]:
            for face in data.faces:
                for cell in data.cells:
                    taken = state.colour_at(data.cell_index[cell])
                    move = Place(player, colour, face, cell, data.colours[taken] if taken >= 0 else None)
                    assert (fault(state, move) is None) == (move in legal)
                    if move not in legal and rng.random() < 0.01:
                        with pytest.raises(IllegalMoveError) as caught:
                            GAME.apply(state, move)
                        assert GAME.format_move(move) in str(caught.value) and caught.value.slug in data.slips


def test_a_camera_never_needs_the_racks() -> None:
    """The position that is stored and sent knows nothing of racks unless a simulated table put them there."""
    state = GAME.new(3)
    assert "hands" not in GAME.to_json(state)
    hidden = GAME.with_hidden(state, 5)
    assert GAME.visible(hidden) == GAME.visible(state)
    assert GAME.without_hidden(hidden) == state
    supplies = GAME.supplies(hidden)
    assert supplies["p1.pile"] == {"red": 23} and supplies["p1.rack"] == {"red": 5}
    assert supplies["unseen.red"]["count"] == 28


def test_a_random_game_is_the_same_again() -> None:
    assert GAME.random_playout(random.Random(11)) == GAME.random_playout(random.Random(11)) == 72
    assert GAME.with_hidden(GAME.new(4), 9) == GAME.with_hidden(GAME.new(4), 9)
