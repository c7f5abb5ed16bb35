"""One-line texts for moves and positions; parsing and formatting are inverses.

Moves:      p1 f3 red*2 line2        two red tiles from factory 3 to pattern line 2
            p1 centre red*3 line2-1  the same with one tile dropped on purpose
            p2 tile 3..x1            lines 1 and 5 to columns 3 and 1, line 4 unplaceable, lines 2 and 3 not complete
            deal BBYR KWWW - …       one word for each factory

Positions:  azul 2 wall=grey | 3 offer 1 2 | BBYR - RRKK WWYY BKRY | BBM | 12 B1,-,K2,-,- ..... .B… R,M | … | 20.20 …
            players and options | round, phase, player to move, starter[, waiting] | factories | centre | one part a
            board: score, lines, wall rows, floor | bag and lid, with ~ and the bag's size when only their sum is known
"""

from __future__ import annotations

import re
from typing import Any

from engine.errors import NotationError
from engine.games.azul.data import EMPTY, LINES, GameData
from engine.games.azul.moves import DROPPED, SKIPPED, Deal, Move, Take, Tile, destination_name, source_name
from engine.games.azul.state import EMPTY_LINE, NONE, Board, Counts, Line, Rules, State, Supply, make_rules

TAKE = re.compile(r"p([1-9]) (centre|f([1-9])) (\w+)\*(\d+) (floor|line([1-5]))(?:-(\d+))?")
TILE = re.compile(r"p([1-9]) tile ([.x1-5]{5})")
LINE = re.compile(r"([A-Z])([1-5])")


def format_move(move: Move, data: GameData) -> str:
    """The one-line text of a move."""
    if isinstance(move, Take):
        dropped = f"-{move.dropped}" if move.dropped else ""
        tiles = f"{data.colours[move.colour]}*{move.number}"
        return f"p{move.player} {source_name(move.source)} {tiles} {destination_name(move.to)}{dropped}"
    if isinstance(move, Tile):
        signs = {SKIPPED: ".", DROPPED: "x"}
        return f"p{move.player} tile {''.join(signs.get(column, str(column)) for column in move.columns)}"
    return " ".join(["deal", *(format_heap(disc, data) for disc in move.discs)])


def parse_move(text: str, data: GameData) -> Move:
    """The move a text names; NotationError when it names none."""
    if match := TAKE.fullmatch(text):
        if match[4] not in data.colours:
            raise NotationError(f"'{text}' is no move of Azul: there is no colour '{match[4]}'.")
        to, dropped = int(match[7] or 0), int(match[8] or 0)
        return Take(int(match[1]), int(match[3] or 0), data.colours.index(match[4]), to, int(match[5]), dropped)
    if match := TILE.fullmatch(text):
        signs = {".": SKIPPED, "x": DROPPED}
        return Tile(int(match[1]), tuple(signs[sign] if sign in signs else int(sign) for sign in match[2]))
    if text.startswith("deal "):
        return Deal(tuple(parse_heap(word, data, text) for word in text.split(" ")[1:]))
    raise NotationError(f"'{text}' is no move of Azul; one looks like 'p1 f3 red*2 line2'.")


def format_heap(counts: Counts, data: GameData, has_marker: bool = False) -> str:
    """Loose tiles as letters, `-` when there are none."""
    letters = "".join(letter * count for letter, count in zip(data.letters, counts, strict=False))
    return (letters + data.letters[-1] * has_marker) or "-"


def parse_heap(word: str, data: GameData, text: str) -> Counts:
    """Loose tiles out of letters."""
    wrong = set(word) - set(data.letters[:LINES]) if word != "-" else set()
    if wrong or not word:
        raise NotationError(f"'{word}' in '{text}' is no heap of tiles; the colours are {data.letters[:LINES]}.")
    return tuple(word.count(letter) for letter in data.letters[:LINES])


def format_position(state: State) -> str:
    """The one-line text of a position."""
    rules, data = state.rules, state.rules.data
    options = [
        f"{name}={str(value).lower()}"
        for name, value in rules.options.items()
        if value != data.options[name][0]
    ]
    waiting = ["".join(str(player) for player in state.waiting)] if state.waiting else []
    return " | ".join(
        [
            " ".join(["azul", str(rules.players), *options]),
            " ".join([str(state.round), state.phase, str(state.player), str(state.starter), *waiting]),
            " ".join(format_heap(disc, data) for disc in state.discs),
            format_heap(state.centre, data, state.is_marker_in_centre),
            *(format_board(board, data) for board in state.boards),
            format_supply(state.supply),
        ]
    )


def format_board(board: Board, data: GameData) -> str:
    lines = ",".join(f"{data.letters[colour]}{count}" if count else "-" for colour, count in board.lines)
    wall = ["".join("." if colour == EMPTY else data.letters[colour] for colour in row) for row in board.wall]
    floor = "".join(data.letters[item] for item in board.floor) or "-"
    return " ".join([str(board.score), lines, *wall, floor])


def format_supply(supply: Supply) -> str:
    bag = ".".join(str(count) for count in supply.bag)
    lid = ".".join(str(count) for count in supply.lid)
    if supply.is_exact:
        return f"{bag} {lid}"
    return f"{bag} {lid} ~{'?' if supply.bag_total is None else supply.bag_total}"


def parse_position(text: str, data: GameData) -> State:
    """The position a text gives; NotationError when it gives none."""
    parts = text.split(" | ")
    try:
        name, players, *settings = parts[0].split(" ")
        if name != "azul":
            raise ValueError(f"it starts with '{name}'")
        rules = make_rules(data, int(players), dict(parse_option(each, data) for each in settings))
        if len(parts) != rules.players + 5:
            raise ValueError(f"it has {len(parts)} parts, not {rules.players + 5}")
        round_, phase, player, starter, *waiting = parts[1].split(" ")
        if phase not in data.phases:
            raise ValueError(f"'{phase}' is no phase")
        discs = tuple(parse_heap(word, data, text) for word in parts[2].split(" "))
        if len(discs) != rules.discs:
            raise ValueError(f"it has {len(discs)} factories, not {rules.discs}")
        has_marker = parts[3].endswith(data.letters[-1])
        centre = parts[3].removesuffix(data.letters[-1]) or "-"
        return State(
            rules=rules,
            phase=phase,
            round=int(round_),
            player=parse_player(player, rules),
            starter=parse_player(starter, rules),
            is_marker_in_centre=has_marker,
            discs=discs,
            centre=parse_heap(centre, data, text),
            boards=tuple(parse_board(part, data) for part in parts[4:-1]),
            waiting=tuple(parse_player(each, rules) for each in "".join(waiting)),
            supply=parse_supply(parts[-1]),
        )
    except (ValueError, IndexError) as error:
        raise NotationError(f"'{text}' is no position of Azul: {error}.") from error


def parse_option(setting: str, data: GameData) -> tuple[str, Any]:
    name, _, value = setting.partition("=")
    for allowed in data.options.get(name, ()):
        if str(allowed).lower() == value:
            return name, allowed
    return name, value


def parse_player(text: str, rules: Rules) -> int:
    if not 1 <= int(text) <= rules.players:
        raise ValueError(f"there is no player {text}")
    return int(text)


def parse_board(part: str, data: GameData) -> Board:
    score, lines, *wall, floor = part.split(" ")
    if len(wall) != LINES or any(len(row) != LINES for row in wall):
        raise ValueError(f"'{part}' has no wall of five rows of five")
    cells = "." + data.letters[:LINES]
    return Board(
        lines=parse_lines(lines, data),
        wall=tuple(tuple(cells.index(sign) - 1 for sign in row) for row in wall),
        floor=() if floor == "-" else tuple(data.letters.index(sign) for sign in floor),
        score=int(score),
    )


def parse_lines(text: str, data: GameData) -> tuple[Line, ...]:
    words = text.split(",")
    if len(words) != LINES:
        raise ValueError(f"'{text}' should name five pattern lines")
    lines: list[Line] = []
    for number, word in enumerate(words, 1):
        match = LINE.fullmatch(word)
        if word != "-" and (not match or match[1] not in data.letters[:LINES] or int(match[2]) > number):
            raise ValueError(f"'{word}' cannot lie in pattern line {number}")
        lines.append((data.letters.index(match[1]), int(match[2])) if match else EMPTY_LINE)
    return tuple(lines)


def parse_supply(part: str) -> Supply:
    bag, lid, *size = part.split(" ")
    heaps = [tuple(int(count) for count in word.split(".")) for word in (bag, lid)]
    if any(len(counts) != len(NONE) for counts in heaps):
        raise ValueError(f"'{part}' should give five counts for the bag and five for the lid")
    if not size:
        return Supply(heaps[0], heaps[1], True, sum(heaps[0]))
    return Supply(heaps[0], heaps[1], False, None if size[0] == "~?" else int(size[0].removeprefix("~")))
