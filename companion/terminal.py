"""Draws a table as text from its layout: any game, the same routine. Slots lie where they lie on their board."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.strings import Catalogue
from engine.types import UNKNOWN
from vision.layout import Layout, PieceSpec, PlaceSpec
from vision.reading import Kind

CELL_CHARS = 3
"""The width of a cell: a letter and the air around it."""
WIDEST_CHARS = 72
SAME_ROW_FRACTION = 0.02
"""Places whose heights differ by less than this share a line of text."""
SINGLE = frozenset({Kind.SLOT, Kind.CELL})

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def letters(colours: Iterable[str]) -> dict[str, str]:
    """A letter for each colour, all different: its first, else its last, else any other of its name."""
    found: dict[str, str] = {}
    for colour in colours:
        candidates = [colour[0], colour[-1], *colour[1:-1]]
        free = [letter.upper() for letter in candidates if letter.upper() not in found.values()]
        found[colour] = free[0] if free else "*"
    return found


class Pen:
    """Draws contents with the colours of one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.letters = letters(layout.colours)

    def tile(self, colour: str, text: str | None = None) -> str:
        """A coloured block with a letter on it, three characters wide; the letter alone tells the colours apart."""
        face = (self.letters.get(colour, colour[:1].upper()) if text is None else text)[:CELL_CHARS].center(CELL_CHARS)
        if colour not in self.layout.colours:
            return face
        red, green, blue = self.layout.colours[colour]
        ink = "30" if red * 3 + green * 6 + blue > 1300 else "97"
        return f"\x1b[48;2;{red};{green};{blue};{ink}m{face}\x1b[0m"

    def printed(self, colour: str) -> str:
        """An empty space on which a colour is printed."""
        return self.letters.get(colour, colour[:1]).lower().center(CELL_CHARS)

    def content(self, content: Any) -> str:
        """Whatever lies on a place."""
        if content is None or content in ({}, []):
            return " · "
        if content == UNKNOWN:
            return " ? "
        if isinstance(content, str):
            return self.tile(content) if content in self.layout.colours else content
        if isinstance(content, list | tuple):
            return "".join(self.content(part) for part in content)
        if isinstance(content, Mapping):
            return self._mapping(content)
        return str(content)

    def _mapping(self, content: Mapping[str, Any]) -> str:
        if "face" in content:
            return self.tile(str(content.get("colour")), str(content["face"]))
        if "top" in content:
            return self.content(content["top"])
        return "".join(self.tile(colour) * count for colour, count in content.items() if isinstance(count, int))


def draw_table(layout: Layout, places: Mapping[str, Any], words: Catalogue, names: Sequence[str], width: int) -> str:
    """The whole table: boards side by side as far as they fit, then what lies loose."""
    pen = Pen(layout)
    boards = [_board(piece, places, words, names, pen) for piece in layout.pieces if len(_grid(piece)) > 1]
    loose = [
        f"{words.place(place.name, names)}: {pen.content(places.get(place.name))}"
        for piece in layout.pieces if len(_grid(piece)) <= 1 and not piece.secret
        for place in piece.places if places.get(place.name) not in (None, {}, [])
    ]
    return "\n".join([*_side_by_side(boards, width), *_wrapped(loose, width)])


def _grid(piece: PieceSpec) -> list[PlaceSpec]:
    return [place for place in piece.places if place.kind in SINGLE]


def _board(
    piece: PieceSpec, places: Mapping[str, Any], words: Catalogue, names: Sequence[str], pen: Pen,
) -> list[str]:
    """A board: its name, a line of text for each row of cells, and its other places below."""
    rows: list[list[PlaceSpec]] = []
    for place in sorted(_grid(piece), key=lambda place: place.at[1]):
        if rows and place.at[1] - rows[-1][0].at[1] < SAME_ROW_FRACTION:
            rows[-1].append(place)
        else:
            rows.append([place])
    columns = [sorted(place.at[0] for place in row) for row in rows]
    gaps = [right - left for row in columns for left, right in itertools.pairwise(row) if right > left]
    chars = min(WIDEST_CHARS, math.ceil(CELL_CHARS / min(gaps, default=1.0)))
    lines = [_row(row, places, pen, chars) for row in rows]
    others = [
        f"{words.place(place.name, names)}: {pen.content(places.get(place.name))}"
        for place in piece.places if place.kind not in SINGLE and places.get(place.name) is not None
    ]
    owner = names[piece.player - 1] if piece.player and piece.player <= len(names) else piece.name
    return [owner, *lines, *_wrapped(others, max(chars, 34))]


def _row(row: Sequence[PlaceSpec], places: Mapping[str, Any], pen: Pen, chars: int) -> str:
    line, used = "", 0
    for place in sorted(row, key=lambda place: place.at[0]):
        column = max(used, round(place.at[0] * chars) - CELL_CHARS // 2)
        content = places.get(place.name)
        cell = pen.printed(place.prints) if content is None and place.prints else pen.content(content)
        line += " " * (column - used) + cell
        used = column + CELL_CHARS
    return line


def _visible_length(text: str) -> int:
    return len(_ANSI.sub("", text))


def _side_by_side(blocks: Sequence[Sequence[str]], width: int) -> list[str]:
    lines: list[str] = []
    rest = list(blocks)
    while rest:
        shelf = [rest.pop(0)]
        while rest and sum(_block_width(block) + 4 for block in [*shelf, rest[0]]) <= width:
            shelf.append(rest.pop(0))
        for index in range(max(map(len, shelf))):
            parts = [block[index] if index < len(block) else "" for block in shelf]
            padded = [
                part + " " * (_block_width(block) + 4 - _visible_length(part))
                for part, block in zip(parts, shelf, strict=True)
            ]
            lines.append("".join(padded).rstrip())
        lines.append("")
    return lines


def _block_width(block: Sequence[str]) -> int:
    return max((_visible_length(line) for line in block), default=0)


def _wrapped(parts: Sequence[str], width: int) -> list[str]:
    """Parts joined by space into lines no wider than the width."""
    lines: list[str] = []
    for part in parts:
        if lines and _visible_length(lines[-1]) + 3 + _visible_length(part) <= width:
            lines[-1] += "   " + part
        else:
            lines.append(part)
    return lines
