"""What a camera should see of a position, under the names of the recording format."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import zip_longest

from engine.games.azul.data import EMPTY, LINES, GameData
from engine.games.azul.scoring import shown_score
from engine.games.azul.state import Board, Counts, Rules, State
from engine.types import Content, Place

MARKER_NAME = "marker"


@cache
def board_places(player: int, floor_length: int) -> tuple[Place, ...]:
    """The places of one board: lines, wall, floor line, score stone."""
    return (
        *(f"p{player}.line{line}.{cell}" for line in range(1, LINES + 1) for cell in range(1, line + 1)),
        *(f"p{player}.wall.{row}.{column}" for row in range(1, LINES + 1) for column in range(1, LINES + 1)),
        *(f"p{player}.floor.{space}" for space in range(1, floor_length + 1)),
        f"p{player}.score",
    )


@cache
def disc_places(discs: int) -> tuple[Place, ...]:
    """The places of the offer: the discs, then the centre."""
    return (*(f"f{number}" for number in range(1, discs + 1)), "centre")


def all_places(players: int, discs: int, floor_length: int) -> tuple[Place, ...]:
    """Every place of the table in a fixed order."""
    boards = [place for player in range(1, players + 1) for place in board_places(player, floor_length)]
    return (*boards, *disc_places(discs))


def heap(counts: Counts, data: GameData, has_marker: bool = False) -> dict[str, int]:
    """Loose tiles as the recording format writes them, zeros left out."""
    seen = {colour: count for colour, count in zip(data.colours, counts, strict=True) if count}
    if has_marker:
        seen[MARKER_NAME] = 1
    return seen


def _names(data: GameData) -> list[Content]:
    """What lies on a space, by its number: the colours, MARKER, and EMPTY at -1."""
    return [*data.colours, MARKER_NAME, None]


def board_contents(board: Board, data: GameData) -> list[Content]:
    """The contents of one board in the order of `board_places`."""
    names = _names(data)
    contents: list[Content] = []
    for number, (colour, count) in enumerate(board.lines, 1):
        contents += [names[colour]] * count
        contents += [None] * (number - count)
    for row in board.wall:
        contents += [names[colour] for colour in row]
    contents += [names[item] for item in board.floor]
    contents += [None] * (data.floor_length - len(board.floor))
    contents.append(shown_score(board.score, data))
    return contents


@lru_cache(maxsize=512)
def seen_board(board: Board, player: int, rules: Rules) -> dict[Place, Content]:
    """The places of one board with their contents. The result is shared: copy it before changing it."""
    data = rules.data
    return dict(zip(board_places(player, data.floor_length), board_contents(board, data), strict=True))


def visible(state: State) -> dict[Place, Content]:
    """Every place with its contents. Nothing on an Azul table is hidden but bag and lid."""
    data = state.rules.data
    seen: dict[Place, Content] = {}
    for player, board in enumerate(state.boards, 1):
        seen.update(seen_board(board, player, state.rules))
    for number, disc in enumerate(state.discs, 1):
        seen[f"f{number}"] = heap(disc, data)
    seen["centre"] = heap(state.centre, data, state.is_marker_in_centre)
    return seen


def board_changes(old: Board, new: Board, player: int, data: GameData) -> dict[Place, Content]:
    """The places of one board that show something else, in the order of `board_places`. A search asks for them for
    every move it weighs: only the lines and rows that are not the same are looked at cell by cell."""
    names = _names(data)
    seen: dict[Place, Content] = {}
    for number, (was, now) in enumerate(zip(old.lines, new.lines, strict=True), 1):
        if was != now:
            for cell in range(1, max(was[1], now[1]) + 1):
                colour = now[0] if cell <= now[1] else EMPTY
                if colour != (was[0] if cell <= was[1] else EMPTY):
                    seen[f"p{player}.line{number}.{cell}"] = names[colour]
    for row, (stood, stands) in enumerate(zip(old.wall, new.wall, strict=True), 1):
        if stood != stands:
            for column, (had, has) in enumerate(zip(stood, stands, strict=True), 1):
                if had != has:
                    seen[f"p{player}.wall.{row}.{column}"] = names[has]
    if old.floor != new.floor:
        for space, (had, has) in enumerate(zip_longest(old.floor, new.floor, fillvalue=EMPTY), 1):
            if had != has:
                seen[f"p{player}.floor.{space}"] = names[has]
    score = shown_score(new.score, data)
    if score != shown_score(old.score, data):
        seen[f"p{player}.score"] = score
    return seen


def changes(before: State, after: State) -> dict[Place, Content]:
    """The places that show something else after than before."""
    data = after.rules.data
    seen: dict[Place, Content] = {}
    for player, (old, new) in enumerate(zip(before.boards, after.boards, strict=True), 1):
        if old is not new:
            seen.update(board_changes(old, new, player, data))
    for number, (had, has) in enumerate(zip(before.discs, after.discs, strict=True), 1):
        if had != has:
            seen[f"f{number}"] = heap(has, data)
    if (before.centre, before.is_marker_in_centre) != (after.centre, after.is_marker_in_centre):
        seen["centre"] = heap(after.centre, data, after.is_marker_in_centre)
    return seen
