"""One-line texts for moves and positions; parsing and formatting are inverses.

Moves:  p1 sun f4 yellow*2 line4 top=black        p2 sun big blue*3 line3
        p2 moon black*3 line2 f1=black f3=red f4=- big      (what is on top of each small moon afterwards)
        p1 plate offer.1 13@0 plate.2.2            p1 plate stack 9@180 plate.1.2 drawn=2
        p2 start offer.1 15@180 plate.2.2          p2 chip f2 chips.1        p1 pass
        p1 tile 3.44.. chips=1,2                   (columns of the six lines)
        deal f1.sun=BRKK offer.2=2@180 …           reveal f2.chip=RT

A position is its JSON on one line, behind the name of the game.
"""

from __future__ import annotations

import json
import re

from engine.errors import NotationError
from engine.games.azul_duel import jsonform
from engine.games.azul_duel.acquire import OFFERS, SLOTS, STACK
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.moves import Chip, Deal, Moon, Move, Pass, Plate, StartPlate, Sun, Tile
from engine.games.azul_duel.state import BROKEN, FACTORIES, LINES, State

NAME = "azul-duel"
TILES = re.compile(r"([a-z]+)\*(\d+)")
PLATE = re.compile(r"(\d+)@(0|90|180|270)")
CHIP_CHANGES = re.compile(r"f\d\.chip|p\d\.chips\.\d+")
SOURCE = re.compile(r"(f[1-4])=([a-z]+|-)")
CHIP_PLACE = re.compile(r"chips\.([1-9]|10)")


def format_move(move: Move) -> str:
    """The one-line text of a move."""
    if isinstance(move, Deal):
        kind = "reveal" if move.contents and CHIP_CHANGES.fullmatch(move.contents[0][0]) else "deal"
        return " ".join([kind, *(f"{place}={content}" for place, content in move.contents)])
    player = f"p{move.player}"
    if isinstance(move, Sun):
        words = [player, "sun", move.source, f"{move.colour}*{move.count}", _line_text(move.to, move.laid)]
        return " ".join([*words, f"top={move.top}"] if move.top else words)
    if isinstance(move, Moon):
        tops = dict(move.tops)
        sources = [f"{source}={tops[source] or '-'}" if source in tops else source for source in move.sources]
        return " ".join([player, "moon", f"{move.colour}*{move.count}", _line_text(move.to, move.laid), *sources])
    if isinstance(move, StartPlate):
        return f"{player} start {move.source} {move.plate}@{move.rotation} {move.to}"
    if isinstance(move, Plate):
        drawn = f" drawn={move.drawn}" if move.source == STACK else ""
        return f"{player} plate {move.source} {move.plate}@{move.rotation} {move.to}{drawn}"
    if isinstance(move, Chip):
        return f"{player} chip {move.source} {move.to}"
    if isinstance(move, Pass):
        return f"{player} pass"
    chips = " chips=" + ",".join(map(str, move.chips)) if move.chips else ""
    return f"{player} tile {''.join(str(column) if column else '.' for column in move.columns)}{chips}"


def _line_text(to: str, laid: int | None) -> str:
    return to if laid is None else f"{to}({laid})"


def parse_move(text: str) -> Move:
    """The move a text names; NotationError when it names none."""
    words = text.split(" ")
    try:
        if words[0] in ("deal", "reveal"):
            return Deal(tuple(_pair(word, "=") for word in words[1:]))
        if words[0] not in ("p1", "p2"):
            raise ValueError(f"'{words[0]}' is no player")
        return _parse_action(int(words[0][1]), words[1], words[2:])
    except (ValueError, IndexError) as error:
        raise NotationError(
            f"'{text}' is no move of Azul Duel ({error}); one looks like 'p1 sun f4 yellow*2 line4 top=black'."
        ) from None


def _parse_action(player: int, action: str, words: list[str]) -> Move:
    if action == "sun":
        source, tiles, line, *top = words
        colour, count = _tiles(tiles)
        to, laid = _line(line)
        return Sun(player, _one_of(source, FACTORIES), colour, count, to, _top(top), laid)
    if action == "moon":
        tiles, line, *sources = words
        colour, count = _tiles(tiles)
        to, laid = _line(line)
        matches = [(word, SOURCE.fullmatch(word)) for word in sources]
        names = tuple(match[1] if match else _one_of(word, FACTORIES) for word, match in matches)
        tops = tuple((match[1], None if match[2] == "-" else _colour(match[2])) for _, match in matches if match)
        return Moon(player, colour, count, names, to, tops, laid)
    if action == "start":
        source, plate, slot = words
        return StartPlate(player, _one_of(source, OFFERS), *_plate(plate), _one_of(slot, SLOTS))
    if action == "plate":
        source, plate, slot, *drawn = words
        price = _number(drawn[0], "drawn=") if drawn else 0
        return Plate(player, _one_of(source, (*OFFERS, STACK)), *_plate(plate), _one_of(slot, SLOTS), price)
    if action == "chip":
        source, to = words
        if not CHIP_PLACE.fullmatch(to):
            raise ValueError(f"'{to}' is no place for a chip")
        return Chip(player, _one_of(source, FACTORIES[1:]), to)
    if action == "pass" and not words:
        return Pass(player)
    if action == "tile":
        columns, *used = words
        if not re.fullmatch(r"[.1-6]{6}", columns):
            raise ValueError(f"'{columns}' does not give six columns")
        places = tuple(int(place) for place in used[0].removeprefix("chips=").split(",")) if used else ()
        return Tile(player, tuple(0 if column == "." else int(column) for column in columns), places)
    raise ValueError(f"'{action}' is no action")


def _pair(word: str, sign: str) -> tuple[str, str]:
    left, found, right = word.partition(sign)
    if not found:
        raise ValueError(f"'{word}' has no '{sign}'")
    return left, right


def _one_of(word: str, words: tuple[str, ...]) -> str:
    if word not in words:
        raise ValueError(f"'{word}' is none of {', '.join(words)}")
    return word


def _colour(word: str) -> str:
    return _one_of(word, rules_data().colours)


def _tiles(word: str) -> tuple[str, int]:
    match = TILES.fullmatch(word)
    if not match:
        raise ValueError(f"'{word}' does not say how many tiles of which colour")
    return _colour(match[1]), int(match[2])


def _line(word: str) -> tuple[str, int | None]:
    name, found, laid = word.removesuffix(")").partition("(")
    return _one_of(name, (*LINES, BROKEN)), int(laid) if found else None


def _top(words: list[str]) -> str | None:
    return _colour(words[0].removeprefix("top=")) if words else None


def _plate(word: str) -> tuple[int, int]:
    match = PLATE.fullmatch(word)
    if not match:
        raise ValueError(f"'{word}' is no plate")
    return int(match[1]), int(match[2])


def _number(word: str, prefix: str) -> int:
    return int(word.removeprefix(prefix))


def format_position(state: State) -> str:
    """The one-line text of a position."""
    return f"{NAME} {json.dumps(jsonform.to_json(state), separators=(',', ':'), sort_keys=True)}"


def parse_position(text: str) -> State:
    """The position a text names; NotationError when it names none."""
    name, _, rest = text.partition(" ")
    if name != NAME:
        raise NotationError(f"'{text[:40]}' is no position of Azul Duel; one begins with '{NAME}'.")
    try:
        return jsonform.from_json(json.loads(rest))
    except json.JSONDecodeError as error:
        raise NotationError(f"'{text[:40]}…' is no position of Azul Duel: {error}.") from None
