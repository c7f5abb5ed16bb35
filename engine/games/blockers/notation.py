"""Moves and positions as one line of text, and as plain JSON. Parse and format are inverses.

A move: `p3:red-heart@H4xyellow` (player 3 puts the red heart on H4 and captures a yellow tile), `p2:pass`.
A position: `blue,yellow,red two_colours,true,skip,shared to=2 turns=1,0,0 captured=-/-/y1 lost=- board=…`, rows of the
board from A on, parted by slashes, a dot for an empty cell, otherwise the letter of a colour and that of a face.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.errors import NotationError, SetupError
from engine.games.blockers.data import CELLS, EMPTY, SIDE, GameData, members
from engine.games.blockers.moves import Move, Pass, Place
from engine.games.blockers.state import Hands, State, make_rules, new_state

MOVE = re.compile(r"p(?P<player>[1-9]):(?:(?P<colour>\w+)-(?P<face>\w+)@(?P<cell>\w+?)(?:x(?P<captured>\w+))?|pass)")


def format_move(move: Move) -> str:
    if isinstance(move, Pass):
        return f"p{move.player}:pass"
    capture = f"x{move.captured}" if move.captured else ""
    return f"p{move.player}:{move.colour}-{move.face}@{move.cell}{capture}"


def parse_move(data: GameData, text: str) -> Move:
    """The move in a text; NotationError quotes it when it is none."""
    match = MOVE.fullmatch(text)
    if match is None:
        raise NotationError(f"'{text}' is no move of Blockers!; one looks like p3:red-heart@H4xyellow or p2:pass.")
    if match["colour"] is None:
        return Pass(int(match["player"]))
    move = Place(int(match["player"]), match["colour"], match["face"], match["cell"], match["captured"])
    for name, known, what in (
        (move.colour, data.colour_index, "colour"),
        (move.captured or move.colour, data.colour_index, "colour"),
        (move.face, data.face_index, "face"),
        (move.cell, data.cell_index, "cell"),
    ):
        if name not in known:
            raise NotationError(f"'{text}' is no move of Blockers!: there is no {what} '{name}'.")
    return move


def format_position(state: State) -> str:
    rules, data = state.rules, state.rules.data
    colours = ",".join("+".join(data.colours[colour] for colour in own) for own in rules.colours)
    options = (
        rules.two_player_mode,
        str(rules.two_player_capture_own_second_colour).lower(),
        rules.no_move_policy,
        rules.tie_policy,
    )
    tiles = {
        cell: data.colour_letters[colour] + data.face_letters[state.board[cell]]
        for colour, cells in enumerate(state.stones)
        for cell in members(cells)
    }
    rows = ("".join(tiles.get(row * SIDE + column, ".") for column in range(SIDE)) for row in range(SIDE))
    heaps = (
        "".join(f"{data.colour_letters[colour]}{count}" for colour, count in enumerate(heap) if count) or "-"
        for heap in state.captured
    )
    text = (
        f"{colours} {','.join(options)} to={state.player} turns={','.join(map(str, state.turns))} "
        f"captured={'/'.join(heaps)} lost={_faces(data, lost(state))} board={'/'.join(rows)}"
    )
    if state.hands:
        piles = "/".join("".join(data.face_letters[face] for face in pile) or "-" for pile in state.hands.piles)
        text += f" racks={_faces(data, state.hands.racks)} piles={piles}"
    return text


def parse_position(data: GameData, text: str) -> State:
    """The position in a text; NotationError quotes it when it is none."""
    try:
        colours, options, *fields = text.split(" ")
        values = dict(entry.split("=", 1) for entry in fields)
        mode, own_second, no_move, tie = options.split(",")
        rules = make_rules(
            data,
            len(colours.split(",")),
            {
                "two_player_mode": mode,
                "two_player_capture_own_second_colour": {"true": True, "false": False}[own_second],
                "no_move_policy": no_move,
                "tie_policy": tie,
                "colours": [own.split("+") for own in colours.split(",")],
            },
        )
        board, stones = _parse_board(data, values["board"])
        state = new_state(rules, int(values["to"]))._replace(
            board=board,
            stones=stones,
            captured=tuple(_parse_counts(data, heap) for heap in values["captured"].split("/")),
            turns=tuple(int(number) for number in values["turns"].split(",")),
        )
        state = with_lost(state, _parse_faces(data, values["lost"]))
        if "racks" in values:
            piles = tuple(
                tuple(data.face_letters.index(letter) for letter in pile.replace("-", ""))
                for pile in values["piles"].split("/")
            )
            state = state._replace(hands=Hands(_parse_faces(data, values["racks"]), piles))
    except (ValueError, KeyError, IndexError, SetupError) as error:
        raise NotationError(f"'{text}' is no position of Blockers!: {error}.") from error
    if len(state.turns) != rules.players or len(state.captured) != rules.players:
        raise NotationError(f"'{text}' is no position of Blockers!: it should have {rules.players} players throughout.")
    return state


def lost(state: State) -> tuple[int, ...]:
    """For each colour, the faces known to have been captured: neither unseen nor on the board."""
    known = []
    for colour, unseen in enumerate(state.unseen):
        on_board = 0
        for cell in members(state.stones[colour]):
            on_board |= 1 << state.board[cell]
        everything = state.rules.data.all_faces if state.rules.owners[colour] else 0
        known.append(everything & ~unseen & ~on_board)
    return tuple(known)


def with_lost(state: State, captured_faces: tuple[int, ...]) -> State:
    """The state whose unseen faces are all but those on the board and those captured."""
    unseen = list(new_state(state.rules, state.player).unseen)
    for colour, faces in enumerate(captured_faces):
        for cell in members(state.stones[colour]):
            unseen[colour] &= ~(1 << state.board[cell])
        unseen[colour] &= ~faces
    return state._replace(unseen=tuple(unseen))


def _faces(data: GameData, sets: tuple[int, ...]) -> str:
    """Sets of faces by colour: `y4A/b7`, or a dash when all are empty."""
    texts = (
        data.colour_letters[colour] + "".join(data.face_letters[face] for face in members(faces))
        for colour, faces in enumerate(sets)
        if faces
    )
    return "/".join(texts) or "-"


def _parse_faces(data: GameData, text: str) -> tuple[int, ...]:
    sets = [0] * len(data.colours)
    for part in () if text == "-" else text.split("/"):
        sets[data.colour_letters.index(part[0])] = sum(1 << data.face_letters.index(letter) for letter in part[1:])
    return tuple(sets)


def _parse_counts(data: GameData, text: str) -> tuple[int, ...]:
    counts = [0] * len(data.colours)
    if text != "-":
        parts = re.findall(r"([a-z])([0-9]+)", text)
        if "".join(letter + number for letter, number in parts) != text:
            raise ValueError(f"'{text}' should be letters of colours with counts")
        for letter, number in parts:
            counts[data.colour_letters.index(letter)] = int(number)
    return tuple(counts)


def _parse_board(data: GameData, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    rows = [re.findall(r"\.|[a-z].", row) for row in text.split("/")]
    if "/".join("".join(row) for row in rows) != text or [len(row) for row in rows] != [SIDE] * SIDE:
        raise ValueError("'board' should be nine rows of nine cells")
    board, stones = [EMPTY] * CELLS, [0] * len(data.colours)
    for cell, code in enumerate(code for row in rows for code in row):
        if code != ".":
            board[cell] = data.face_letters.index(code[1])
            stones[data.colour_letters.index(code[0])] |= 1 << cell
    return tuple(board), tuple(stones)


def to_json(state: State) -> dict[str, Any]:
    data = state.rules.data
    value: dict[str, Any] = {
        "players": state.rules.players,
        "options": state.rules.options,
        "board": {
            data.cells[cell]: {"colour": data.colours[colour], "face": data.faces[state.board[cell]]}
            for colour, cells in enumerate(state.stones)
            for cell in members(cells)
        },
        "captured": [
            {data.colours[colour]: count for colour, count in enumerate(heap) if count} for heap in state.captured
        ],
        "lost": {
            data.colours[colour]: [data.faces[face] for face in members(faces)]
            for colour, faces in enumerate(lost(state))
            if faces
        },
        "turns": list(state.turns),
        "player": state.player,
    }
    if state.hands:
        value["hands"] = {
            "racks": [[data.faces[face] for face in members(rack)] for rack in state.hands.racks],
            "piles": [[data.faces[face] for face in pile] for pile in state.hands.piles],
        }
    return value


def from_json(data: GameData, value: Any) -> State:
    """The position in a JSON value; SetupError names the part that is missing or wrong."""
    if not isinstance(value, Mapping):
        raise SetupError(f"A position of Blockers! should be an object, but it is {value!r}.")
    try:
        rules = make_rules(data, value["players"], value["options"])
        board, stones = [EMPTY] * CELLS, [0] * len(data.colours)
        for name, tile in value["board"].items():
            cell = data.cell_index[name]
            board[cell] = data.face_index[tile["face"]]
            stones[data.colour_index[tile["colour"]]] |= 1 << cell
        state = new_state(rules, value["player"])._replace(
            board=tuple(board),
            stones=tuple(stones),
            captured=tuple(tuple(heap.get(colour, 0) for colour in data.colours) for heap in value["captured"]),
            turns=tuple(value["turns"]),
        )
        gone = tuple(_face_set(data, value["lost"].get(colour, ())) for colour in data.colours)
        state = with_lost(state, gone)
        if "hands" in value:
            piles = tuple(tuple(data.face_index[face] for face in pile) for pile in value["hands"]["piles"])
            racks = tuple(_face_set(data, rack) for rack in value["hands"]["racks"])
            state = state._replace(hands=Hands(racks, piles))
    except (KeyError, TypeError, AttributeError) as error:
        raise SetupError(f"This is no position of Blockers!: {error!r} is missing or wrong.") from error
    return state


def _face_set(data: GameData, faces: Any) -> int:
    return sum(1 << data.face_index[face] for face in faces)
