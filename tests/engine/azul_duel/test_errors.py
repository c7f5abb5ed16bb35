"""Bad input gets one clear sentence. If one of these fails, somebody sees a traceback, or a broken file is played."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.errors import EngineError, IllegalMoveError, NotationError, SetupError
from engine.games.azul_duel.data import FOLDER, load_data
from engine.games.azul_duel.rules import GAME
from tests.engine.azul_duel.build import acquiring, board, tiling


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (4, {}, "2 players"),
        (2, {"wall": "grey"}, "no option 'wall'"),
        (2, {"stack_draw_at_zero": "sometimes"}, "'sometimes'"),
        (2, {"scoring": ["rows", "pillars"]}, "'pillars'"),
        (2, {"scoring": ["rows", "colourful-rows"]}, "two sides of one scoring tile"),
        (2, {"scoring": []}, "At least one"),
    ],
)
def test_a_game_that_cannot_be_set_up_is_refused(players: int, options: dict[str, Any], words: str) -> None:
    with pytest.raises(SetupError, match=words):
        GAME.new(players, options)


@pytest.mark.parametrize("name", ["outer_spaces", "Outer spaces", "outer", "corner plates", "specials"])
def test_scoring_faces_are_understood_in_other_spellings(name: str) -> None:
    """A recording made elsewhere would not open."""
    assert GAME.new(2, {"scoring": [name]}).options.scoring


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("plates.toml", '"YKTS"', '"YKT"', "plate 0"),
        ("plates.toml", '"YKTS"', '"YYTS"', "three different colours"),
        ("plates.toml", '"YKTS"', '"JTBK"', "expected one for each|same plate"),
        ("plates.toml", '    "YKTS", # 0\n', "", "17 plates"),
        ("chips.toml", "B = 2", "B = 3", "21 chips"),
        ("chips.toml", "BR = 2", "BX = 2", "'BX'"),
        ("game.toml", "special_row_points = [1, 2, 3, 4, 5, 6]", "special_row_points = [1]", "six numbers"),
        ("game.toml", "rounds = 5", "", "rounds"),
        ("game.toml", '["rows", "columns", "multicolour"]', '["rows", "stars"]', "stars"),
        ("chips.toml", "[chips]", "[chips", "cannot be read"),
    ],
)
def test_a_data_file_with_a_mistake_is_refused(tmp_path: Path, file: str, old: str, new: str, words: str) -> None:
    for name in ("game.toml", "plates.toml", "chips.toml"):
        shutil.copy(FOLDER / name, tmp_path / name)
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SetupError, match=words):
        load_data(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p3 pass",
        "p1 sun f9 red*1 line1",
        "p1 sun f1 pink*1 line1",
        "p1 tile 12",
        "p1 plate stack 9 plate.1.1",
        "deal f1",
    ],
)
def test_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="no move"):
        GAME.parse_move(text)


def test_text_that_is_no_position_is_refused() -> None:
    for text in ("", "azul 2", "azul-duel {", 'azul-duel {"format": "other"}'):
        with pytest.raises(NotationError):
            GAME.parse_position(text)


STATE = acquiring(board(lines={2: "K"}), suns={"f1": "RRKK", "big": "BBYYR"}, moons={"f2": "BR"}, offer=(0, 4, 8))


@pytest.mark.parametrize(
    ("move", "slug"),
    [
        ("p2 sun f1 red*2 line3 top=black", "out-of-turn"),
        ("p1 sun f1 red*1 line3 top=black", "tiles-left-behind"),
        ("p1 sun f1 red*2 line2 top=black", "colour-mixed-in-line"),
        ("p1 sun f1 red*2 line3 top=blue", "rest-misplaced"),
        ("p1 sun f3 red*2 line3 top=blue", "impossible-tiles"),
        ("p1 moon red*1 line3 f2=-", "stack-overtaken"),
        ("p1 plate offer.1 5@0 plate.1.1", "impossible-tiles"),
        ("p1 plate stack 5@0 plate.1.1 drawn=9", "stack-draw-unpaid"),
        ("p1 chip f1 chips.1", "chip-taken-early"),
        ("p1 pass", "out-of-turn"),
        ("p1 tile ......", "tiled-too-early"),
        ("deal offer.1=5@0", "display-refilled-early"),
    ],
)
def test_an_illegal_move_says_what_is_wrong_with_it(move: str, slug: str) -> None:
    with pytest.raises(IllegalMoveError) as refused:
        GAME.apply(STATE, GAME.parse_move(move))
    assert refused.value.slug == slug
    assert refused.value.move == move
    assert GAME.parse_position(refused.value.position) == STATE


@pytest.mark.parametrize(
    ("move", "slug"),
    [
        ("p1 tile ......", "complete-line-not-tiled"),
        ("p1 tile .1....", "wrong-dome-space"),
        ("p1 tile .21...", "incomplete-line-tiled"),
        ("p1 tile .2.... chips=1", "chips-misused"),
    ],
)
def test_an_illegal_tiling_says_what_is_wrong_with_it(move: str, slug: str) -> None:
    plates = {(1, 1): (12, 180), (2, 1): (13, 0)}
    state = tiling(board(lines={2: "BB", 3: "RR"}, plates=plates, chips=("Y",)))
    with pytest.raises(IllegalMoveError) as refused:
        GAME.apply(state, GAME.parse_move(move))
    assert refused.value.slug == slug


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ({"p1.plate.1.1": ["blue", "blue", "blue", "blue"]}, "No plate"),
        ({"p1.line2.1": "red", "p1.line2.2": "blue"}, "two colours"),
        ({"f1.sun": {"red": 14}}, "14 red tiles"),
        ({"f1.sun": {"white": 1}}, "'white'"),
        (
            {
                "offer.1": ["yellow", "black", "turquoise", "special"],
                "offer.2": ["turquoise", "yellow", "special", "black"],
            },
            "twice",
        ),
    ],
)
def test_a_table_that_cannot_be_is_not_joined(seen: dict[str, Any], words: str) -> None:
    with pytest.raises(SetupError, match=words):
        GAME.position_from(seen, 2)


def test_what_nobody_can_see_can_be_told() -> None:
    seen = {**GAME.visible(STATE), "p1.broken": {"top": "red"}}
    joined = GAME.position_from(
        seen, 2, {}, 2, below={"f2": ["blue"]}, broken={1: ["blue", "red"]}, round=1, start_player=1
    )
    assert joined.moons[1] == (0, 2)
    assert joined.players[0].broken == (0, 2)
    assert (joined.turn, joined.starter) == (2, 1)
    with pytest.raises(SetupError, match="'weather'"):
        GAME.position_from(seen, 2, {}, 1, weather="fine")


def test_a_deal_that_cannot_be_seen_is_not_invented() -> None:
    with pytest.raises(EngineError, match="hidden"):
        GAME.deal(GAME.new(2), {})
    with pytest.raises(EngineError, match="No deal"):
        GAME.random_deal(STATE, 1)
