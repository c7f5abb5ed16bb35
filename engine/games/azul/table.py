"""A whole table as it was seen, in the numbers the rules use, beside the position it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.games.azul.data import EMPTY, LINES, MARKER
from engine.games.azul.state import NONE, Board, Counts, State, add
from engine.games.azul.visible import MARKER_NAME, visible
from engine.types import UNKNOWN, Content, Place

STRANGE = -2
"""A piece that is no tile of this game."""


@dataclass(frozen=True, slots=True)
class SeenBoard:
    """One board as seen: every cell by itself, whether the rules allow it or not."""

    lines: tuple[tuple[int, ...], ...]
    """The cells of each pattern line, from the right."""
    wall: tuple[tuple[int, ...], ...]
    floor: tuple[int, ...]
    """All floor spaces, EMPTY where nothing lies."""
    score: int


@dataclass(frozen=True, slots=True)
class Table:
    """All that was seen; hidden places are as the position has them."""

    discs: tuple[Counts, ...]
    centre: Counts
    has_marker_in_centre: bool
    boards: tuple[SeenBoard, ...]
    known: Mapping[Place, Content]
    """The places that were really seen."""
    strange: tuple[Place, ...]
    """Places with pieces that are no tiles of this game."""


def read_table(before: State, after: Mapping[Place, Content]) -> Table:
    """What `after` shows, completed from the position where it shows nothing."""
    data = before.rules.data
    expected = visible(before)
    known = {
        # An empty heap may be written as nothing, and counts of 0 may stand in it.
        place: tidy_heap(content) if isinstance(expected[place], dict) else content
        for place, content in after.items()
        if content != UNKNOWN and place in expected
    }
    contents = {**expected, **known}
    kinds: dict[Content, int] = {name: colour for colour, name in enumerate(data.colours)}
    kinds |= {None: EMPTY, MARKER_NAME: MARKER}
    strange: list[Place] = []

    def cell(place: Place) -> int:
        content = contents[place]
        kind = kinds.get(content, STRANGE) if isinstance(content, str | None) else STRANGE
        if kind == STRANGE:
            strange.append(place)
            return EMPTY
        return kind

    def counts(place: Place) -> Counts:
        seen = contents[place] or {}
        if not isinstance(seen, Mapping) or set(seen) - {*data.colours, MARKER_NAME}:
            strange.append(place)
            return NONE
        return tuple(int(seen.get(colour, 0)) for colour in data.colours)

    boards = []
    for player in range(1, before.rules.players + 1):
        score = contents[f"p{player}.score"]
        boards.append(
            SeenBoard(
                lines=tuple(
                    tuple(cell(f"p{player}.line{line}.{each}") for each in range(1, line + 1))
                    for line in range(1, LINES + 1)
                ),
                wall=tuple(
                    tuple(cell(f"p{player}.wall.{row}.{column}") for column in range(1, LINES + 1))
                    for row in range(1, LINES + 1)
                ),
                floor=tuple(cell(f"p{player}.floor.{space}") for space in range(1, data.floor_length + 1)),
                score=score if isinstance(score, int) else EMPTY,
            )
        )
    discs = tuple(counts(f"f{number}") for number in range(1, before.rules.discs + 1))
    centre = counts("centre")
    marker = bool((contents["centre"] or {}).get(MARKER_NAME)) if isinstance(contents["centre"], Mapping) else False
    return Table(discs, centre, marker, tuple(boards), known, tuple(strange))


def tidy_heap(content: Content) -> Content:
    """A heap as `visible` writes it: without zeros."""
    if content is None:
        return {}
    return {kind: count for kind, count in content.items() if count} if isinstance(content, Mapping) else content


def agrees(table: Table, state: State) -> bool:
    """Whether everything that was seen is as this position has it."""
    expected = visible(state)
    return all(expected[place] == content for place, content in table.known.items())


def tiles_on_table(table: Table) -> Counts:
    """All tiles in view, by colour."""
    total = table.centre
    for disc in table.discs:
        total = add(total, disc)
    numbers = list(total)
    for board in table.boards:
        for item in (
            *(cell for line in board.lines for cell in line),
            *(cell for row in board.wall for cell in row),
            *board.floor,
        ):
            if 0 <= item < MARKER:
                numbers[item] += 1
    return tuple(numbers)


def line_cells(board: Board, row: int) -> tuple[int, ...]:
    """The cells of a pattern line as the rules have them: filled from the right."""
    colour, count = board.lines[row]
    return (colour,) * count + (EMPTY,) * (row + 1 - count)


def floor_cells(board: Board, length: int) -> tuple[int, ...]:
    """All floor spaces as the rules have them: filled from the left."""
    return board.floor + (EMPTY,) * (length - len(board.floor))
