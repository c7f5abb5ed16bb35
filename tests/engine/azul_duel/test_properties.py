"""What must hold in every position of every game. If one fails, a tile is lost, a saved game changes, or a hand that
did nothing wrong is told off."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine.games.azul_duel.chance import random_action, random_tiling
from engine.games.azul_duel.moves import Pass
from engine.games.azul_duel.position import on_table
from engine.games.azul_duel.rules import GAME
from engine.games.azul_duel.scoring import place_name, plate_cells, space
from engine.games.azul_duel.state import CHIP_UNKNOWN, NOTHING, SPECIAL_TILE, State, add, unseen_chips, unseen_plates
from engine.playout import play_out, steps

OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"scoring": ["colourful-rows", "outer-spaces", "corner-plates", "empty-specials"]},
    {"stack_draw_at_zero": "forbidden", "partial_voluntary_break": True},
]
every_option_set = pytest.mark.parametrize("options", OPTION_SETS, ids=str)


def walk(seed: int, options: dict[str, Any]) -> Iterator[tuple[State, Any, State]]:
    return steps(GAME, GAME.new(2, options, 1 + seed % 2), Random(seed))


@every_option_set
def test_no_piece_is_ever_lost_or_doubled(options: dict[str, Any]) -> None:
    for seed in range(6):
        for _, _, state in walk(seed, options):
            assert add(add(state.bag, state.tower), on_table(state)) == (13,) * 5
            specials = sum(player.cells.count(SPECIAL_TILE) for player in state.players)
            assert GAME.supplies(state)["special"] == 9 - specials >= 0
            laid = [place >> 2 for player in state.players for place in player.plates if place != NOTHING]
            laid += [place >> 2 for place in state.offer if place != NOTHING]
            assert sorted([*laid, *unseen_plates(state)]) == list(range(18))
            assert min(unseen_chips(state)) >= 0
            taken = [sum(chip != NOTHING for chip in player.chips) for player in state.players]
            assert max(taken) <= 2 * max(state.round, 1)
            markers = state.marker_on_large + sum(player.has_marker for player in state.players)
            assert markers == 1


def test_tiles_lie_on_their_colour_and_special_tiles_where_their_plate_is_full() -> None:
    for seed in range(8):
        for _, _, state in walk(seed, {}):
            if GAME.phase(state) not in ("deal", "over"):
                continue
            for player in state.players:
                for cell, tile in enumerate(player.cells):
                    if tile not in (NOTHING, SPECIAL_TILE):
                        assert space(player.plates, *divmod(cell, 6)) in (tile, 5), place_name(1, cell)
                for slot, plate in enumerate(player.plates):
                    if plate == NOTHING:
                        continue
                    tiles = [player.cells[cell] for cell in plate_cells(slot)]
                    kinds = [space(player.plates, *divmod(cell, 6)) for cell in plate_cells(slot)]
                    if 6 in kinds:
                        special = tiles[kinds.index(6)]
                        others = [tile for tile, kind in zip(tiles, kinds, strict=True) if kind != 6]
                        assert (special == SPECIAL_TILE) == (NOTHING not in others)


@every_option_set
def test_random_games_end_after_five_rounds_with_full_domes(options: dict[str, Any]) -> None:
    for seed in range(10):
        state, moves = play_out(GAME, GAME.new(2, options), Random(seed))
        assert state.round == 5
        assert moves > 50
        if options.get("stack_draw_at_zero") != "forbidden":
            assert all(NOTHING not in player.plates for player in state.players)
        assert GAME.result(state).winners


@every_option_set
def test_moves_and_positions_survive_writing_and_reading(options: dict[str, Any]) -> None:
    for before, move, _ in walk(11, options):
        assert GAME.parse_move(GAME.format_move(move)) == move
        assert GAME.parse_position(GAME.format_position(before)) == before
        assert GAME.from_json(json.loads(json.dumps(GAME.to_json(before)))) == before


@every_option_set
def test_a_legal_move_is_never_a_slip(options: dict[str, Any]) -> None:
    for seed in (21, 22):
        for before, move, after in walk(seed, options):
            assert GAME.problems(before, after) == (), GAME.format_move(move)


def test_both_players_may_have_tiled_between_two_looks() -> None:
    for before, move, after in walk(5, {}):
        if GAME.phase(before) == "tiling" and len(GAME.to_move(before)) == 2:
            other = next(m for m in GAME.legal_moves(after) if GAME.player_of(m) != GAME.player_of(move))
            assert GAME.problems(before, GAME.play(after, other)) == ()


def test_every_legal_move_is_listed_once() -> None:
    """A good move would not be recognised."""
    rng = Random(7)
    for before, _, _ in walk(31, {}):
        if rng.random() > 0.1:
            continue
        legal = [GAME.format_move(move) for move in GAME.legal_moves(before)]
        listed = [GAME.format_move(option.move) for option in GAME.plausible_moves(before) if not option.slips]
        assert sorted(legal) == sorted(listed)


def test_a_plausible_slip_is_named_first_by_what_it_is() -> None:
    rng = Random(8)
    found: Counter[str] = Counter()
    for seed in (41, 42):
        for before, _, _ in walk(seed, {}):
            if rng.random() > 0.08:
                continue
            seen = dict(GAME.visible(before))
            wrong = [option for option in GAME.plausible_moves(before) if option.slips]
            kinds = {option.slips[0].slug: option for option in rng.sample(wrong, len(wrong))}
            for slug, option in kinds.items():
                named = GAME.problems(before, {**seen, **option.places})
                assert named and named[0].slug == slug, (slug, option.places, named)
                assert named[0].player == option.slips[0].player
                found[slug] += 1
    assert len(found) > 20, found


def test_nobody_plays_out_of_turn_while_the_other_may_only_pass() -> None:
    """A pass shows nothing: whoever lays a plate then is next, and would be told off for it."""
    passes = 0
    # In few games does the other still have a plate to lay.
    for seed in range(100, 110):
        for state, move, _ in walk(seed, {}):
            if not isinstance(move, Pass):
                continue
            passes += 1
            slugs = {slip.slug for each in GAME.plausible_moves(state) for slip in each.slips}
            assert "out-of-turn" not in slugs
    assert passes


def test_nobody_moves_a_plate_under_its_tiles() -> None:
    """Tiles that stay behind on the bare board are nothing that anybody could lay, and a plate that four of them cover
    looks the same however it lies: what lay there was called tiles that were laid too early."""
    moved = 0
    for state, _, _ in walk(41, {}):
        seen = GAME.visible(state)
        for option in GAME.plausible_moves(state):
            if [slip.slug for slip in option.slips] != ["plate-moved"]:
                continue
            number, slot = place_of_plate(option.slips[0].places[0])
            assert all(seen[place_name(number, cell)] is None for cell in plate_cells(slot))
            moved += 1
    assert moved


def place_of_plate(name: str) -> tuple[int, int]:
    """The player and the slot of a plate."""
    board, _, row, column = name.split(".")
    return int(board[1:]), (int(row) - 1) * 3 + int(column) - 1


def test_a_game_joined_in_the_middle_looks_the_same() -> None:
    rng = Random(9)
    for before, _, _ in walk(51, {}):
        movers = GAME.to_move(before)
        if movers and rng.random() < 0.3:
            joined = GAME.position_from(GAME.visible(before), 2, {}, movers[0])
            assert GAME.visible(joined) == GAME.visible(before)
            assert GAME.phase(joined) in ("setup", "acquire", "tiling")


def test_a_chip_that_nobody_read_blocks_nothing() -> None:
    """A hand over the chip at the wrong moment would stop the game."""
    for before, _, _ in walk(61, {}):
        if GAME.phase(before) == "reveal":
            blind = GAME.play(before, GAME.deal(before, {}))
            assert CHIP_UNKNOWN in blind.chips
            end, _ = play_out(GAME, blind, Random(1))
            assert GAME.is_over(end)
            break


@every_option_set
def test_the_fast_random_player_makes_only_legal_moves(options: dict[str, Any]) -> None:
    """The figure of the benchmark would be that of another game."""
    rng = Random(71)
    for before, _, _ in walk(71, options):
        if GAME.phase(before) == "acquire":
            assert random_action(before, rng) in GAME.legal_moves(before)
        elif GAME.phase(before) == "tiling":
            assert random_tiling(before, GAME.to_move(before)[0], rng) in GAME.legal_moves(before)
    assert GAME.random_playout(Random(1)) > 50


def test_every_legal_action_can_come_up() -> None:
    rng = Random(72)
    for before, _, _ in walk(72, {}):
        legal = GAME.legal_moves(before)
        if GAME.phase(before) == "acquire" and 10 < len(legal) < 40:
            drawn = {GAME.format_move(random_action(before, rng)) for _ in range(1500)}
            assert drawn == {GAME.format_move(move) for move in legal}
