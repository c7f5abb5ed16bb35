"""Mistakes of the factory offer: wrong picks, tiles laid where they may not lie, things that move by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from engine.games.azul.data import EMPTY, LINES, MARKER
from engine.games.azul.goals import EVERYWHERE, Goals, lines_among
from engine.games.azul.hands import (
    Delta,
    Pick,
    in_line,
    laid,
    lifted,
    on_floor,
    rest_of,
    right_pick,
    room_in,
    tiles_at,
)
from engine.games.azul.moves import FLOOR, Take, source_name
from engine.games.azul.offer import open_lines, sources
from engine.games.azul.scoring import final_scores, shown_score
from engine.games.azul.state import NONE, Board, Counts, State, add, add_one
from engine.games.azul.visible import heap
from engine.types import Place, Plausible, Severity, Slip

MOST_LEFT = 3
"""How many forgotten tiles are still likely."""
STONE_RANGE = 3
"""How far a stone that somebody brushed against is likely to go."""


def wrong_picks(state: State, source: int, colour: int, goals: Goals = EVERYWHERE) -> Iterator[Plausible]:
    """Picks that took too little, too much or the wrong things, laid down as if they were right."""
    player, board = state.player, state.boards[state.player - 1]
    number = tiles_at(state, source)[colour]
    picks = [*short_picks(state, source, colour), *rest_picks(state, source, colour)]
    picks += [*marker_picks(state, source, colour), *double_picks(state, source, colour)]
    for to in (FLOOR, *lines_among(goals, player, open_lines(board, colour))):
        move = Take(player, source, colour, to, number)
        for pick in picks:
            delta = laid(state, player, to, colour, pick.number, pick.has_marker)
            yield Plausible(move, {**pick.places, **delta}, pick.slips)
        yield from two_colours(state, move)


def short_picks(state: State, source: int, colour: int) -> Iterator[Pick]:
    """Tiles of the colour left at the source, or gone to the centre with the rest."""
    data, player = state.rules.data, state.player
    number, rest = tiles_at(state, source)[colour], rest_of(state, source, colour)
    right = right_pick(state, source, colour)
    for left in range(1, min(number - 1, MOST_LEFT) + 1):
        behind = add_one(NONE, colour, left)
        ways = [(add(rest, behind), NONE, "centre")] if not source else []
        if source:
            ways = [(behind, rest, source_name(source)), (NONE, add(rest, behind), "centre")]
        for kept, to_centre, place in ways:
            marker = None if source else False
            rule = "A32" if source else "A33"
            slip = data.slip("tiles-left-behind", player, (place,), rule, colour=data.colours[colour], place=place)
            places = lifted(state, source, kept, to_centre, marker)
            yield Pick(places, number - left, right.has_marker, (slip,))


def rest_picks(state: State, source: int, colour: int) -> Iterator[Pick]:
    """The other tiles of a factory left on it, or gone somewhere else than the centre."""
    if not source:
        return
    data, player, place = state.rules.data, state.player, source_name(source)
    number, rest = tiles_at(state, source)[colour], rest_of(state, source, colour)
    total = sum(rest)
    if not total:
        return
    parts = [rest] + [add_one(NONE, each, 1) for each in range(LINES) if rest[each] and total > 1]
    stays = data.slip("rest-not-moved", player, (place,), place=place)
    gone = data.slip("rest-misplaced", player, (place,), place=place)
    for part in parts:
        others = minus(rest, part)
        yield Pick(lifted(state, source, part, others), number, False, (stays,))
        yield Pick(lifted(state, source, NONE, others), number, False, (gone,))
    for neighbour in {source - 1 or state.rules.discs, source % state.rules.discs + 1}:
        places = lifted(state, source, NONE, NONE)
        places[source_name(neighbour)] = heap(add(tiles_at(state, neighbour), rest), data)
        slip = data.slip("rest-misplaced", player, (place, source_name(neighbour)), place=place)
        yield Pick(places, number, False, (slip,))


def marker_picks(state: State, source: int, colour: int) -> Iterator[Pick]:
    """The marker forgotten in the centre or beside the board, or taken with a factory."""
    if not state.is_marker_in_centre:
        return
    data, player = state.rules.data, state.player
    board, rest = state.boards[player - 1], rest_of(state, source, colour)
    number = tiles_at(state, source)[colour]
    is_full = len(board.floor) == data.floor_length
    if source:
        if not is_full:
            slip = data.slip("marker-misplaced", player, (f"p{player}.floor.{len(board.floor) + 1}",))
            yield Pick(lifted(state, source, NONE, rest, False), number, True, (slip,))
        return
    slip = data.slip("marker-not-taken", player, ("centre",))
    yield Pick(lifted(state, source, rest, NONE, True), number, False, (slip,))
    if not is_full:
        slip = data.slip("marker-not-taken", player, (f"p{player}.floor.{len(board.floor) + 1}",), "A35")
        yield Pick(lifted(state, source, rest, NONE, False), number, False, (slip,))


def double_picks(state: State, source: int, colour: int) -> Iterator[Pick]:
    """The same colour from a second source as well."""
    data, player = state.rules.data, state.player
    if not source:
        return  # each pair once: from its lower factory
    first = right_pick(state, source, colour)
    for other, counts in sources(state):
        if not counts[colour] or 0 < other <= source:
            continue
        names = [source_name(source), source_name(other)]
        slip = data.slip("two-sources-used", player, tuple(names), sources=names)
        if other:
            second = right_pick(state, other, colour)
            both = add(add(state.centre, rest_of(state, source, colour)), rest_of(state, other, colour))
            places: Delta = {**first.places, **second.places}
            if "centre" in places:
                places["centre"] = heap(both, data, state.is_marker_in_centre)
            yield Pick(places, first.number + second.number, False, (slip,))
        else:
            second = right_pick(state, other, colour)
            left = add(rest_of(state, other, colour), rest_of(state, source, colour))
            places = {names[0]: {}, "centre": heap(left, data)}
            yield Pick(places, first.number + second.number, second.has_marker, (slip,))


def two_colours(state: State, move: Take) -> Iterator[Plausible]:
    """A second colour from the same source, laid behind the first, in a line of its own or on the floor."""
    data, player, board = state.rules.data, state.player, state.boards[state.player - 1]
    counts = tiles_at(state, move.source)
    right = right_pick(state, move.source, move.colour)
    rest = rest_of(state, move.source, move.colour)
    base = laid(state, player, move.to, move.colour, move.number, right.has_marker)
    after = board_with(board, player, base, state)
    if data.colours[move.colour] not in base.values():
        return  # on a full floor line nobody sees the first colour
    for second in range(LINES):
        number = counts[second]
        if second == move.colour or not number:
            continue
        others = add_one(rest, second, -number)
        if move.source:
            places = lifted(state, move.source, NONE, others)
        else:
            places = lifted(state, move.source, others, NONE, False)
        both = [data.colours[move.colour], data.colours[second]]
        source = source_name(move.source)
        slip = data.slip("two-colours-taken", player, (source,), colours=both)
        if move.colour < second:
            for to in (FLOOR, *(line for line in open_lines(after, second) if line > move.to)):
                extra = laid_on(after, player, to, second, number, state)
                if not extra:
                    continue  # a full floor line: nobody can see that they were taken
                yield Plausible(move, {**places, **base, **extra}, (slip,))
        if move.to and room_in(after, move.to):
            room = min(number, room_in(after, move.to))
            cells = in_line(after, player, move.to, second, room, data)
            mixed = data.slip("colour-mixed-in-line", player, tuple(cells), line=move.to)
            fallen = on_floor(after, player, [second] * (number - room), data)
            slips: tuple[Slip, ...] = (slip, mixed)
            if second in board.wall[move.to - 1]:
                slips += (already_on_wall(state, player, tuple(cells), second, move.to),)
            yield Plausible(move, {**places, **base, **cells, **fallen}, slips)


def wrong_lays(state: State, source: int, colour: int, goals: Goals = EVERYWHERE) -> Iterator[Plausible]:
    """A right pick laid where it may not lie."""
    pick = right_pick(state, source, colour)
    player, board = state.player, state.boards[state.player - 1]
    for number in lines_among(goals, player, range(1, LINES + 1)):
        if number not in open_lines(board, colour):
            yield from forbidden_line(state, pick, colour, number)
    for to in (FLOOR, *open_lines(board, colour)):
        move = Take(player, source, colour, to, pick.number)
        for delta, slip in untidy_lays(state, pick, colour, to):
            yield Plausible(move, {**pick.places, **delta}, (slip,))
    yield from split_lays(state, pick, source, colour, goals)
    yield from early_tiles(state, pick, source, colour)


def forbidden_line(state: State, pick: Pick, colour: int, line: int) -> Iterator[Plausible]:
    """The tiles in a line of another colour, in a complete line, or in one whose wall row has the colour."""
    data, player, board = state.rules.data, state.player, state.boards[state.player - 1]
    held, count = board.lines[line - 1]
    name = data.colours[colour]
    marker = [MARKER] * pick.has_marker
    if count == line:
        if held == colour:
            return
        number = min(pick.number, line)
        cells: Delta = {f"p{player}.line{line}.{cell}": name for cell in range(line - number + 1, line + 1)}
        slips = [data.slip("line-overfilled", player, tuple(cells), line=line)]
        if number < line:
            slips.append(data.slip("colour-mixed-in-line", player, tuple(cells), line=line))
        if colour in board.wall[line - 1]:
            slips.append(already_on_wall(state, player, tuple(cells), colour, line))
        fallen = on_floor(board, player, marker + [colour] * (pick.number - number), data)
        yield Plausible(None, {**pick.places, **cells, **fallen}, tuple(slips))
        return
    room = min(pick.number, line - count)
    cells = in_line(board, player, line, colour, room, data)
    fallen = on_floor(board, player, marker + [colour] * (pick.number - room), data)
    slips = []
    if held not in (EMPTY, colour):
        slips.append(data.slip("colour-mixed-in-line", player, tuple(cells), line=line))
    if colour in board.wall[line - 1]:
        slips.append(already_on_wall(state, player, tuple(cells), colour, line))
    yield Plausible(None, {**pick.places, **cells, **fallen}, tuple(slips))


def already_on_wall(state: State, player: int, places: tuple[Place, ...], colour: int, line: int) -> Slip:
    data = state.rules.data
    return data.slip("colour-already-on-wall", player, places, colour=data.colours[colour], line=line)


def untidy_lays(state: State, pick: Pick, colour: int, to: int) -> Iterator[tuple[Delta, Slip]]:
    """The right destination, but with gaps, with tiles missing, or with room left in the line."""
    data, player, board = state.rules.data, state.player, state.boards[state.player - 1]
    room = min(pick.number, room_in(board, to)) if to else 0
    fallen = pick.number - room
    cells = in_line(board, player, to, colour, room, data) if room else {}
    marker = [MARKER] * pick.has_marker
    space = data.floor_length - len(board.floor) - len(marker)
    if to:
        for gap in {1, room_in(board, to) - room} - {0}:
            if gap + room <= room_in(board, to):
                shifted = in_line(board, player, to, colour, room, data, gap)
                floor = on_floor(board, player, marker, data)
                yield {**shifted, **floor}, data.slip("gap-in-line", player, tuple(shifted), line=to)
        if not state.rules.partial_voluntary_floor and space > 0:
            for dropped in range(1, room):
                floor = on_floor(board, player, marker + [colour] * (fallen + dropped), data)
                kept = in_line(board, player, to, colour, room - dropped, data)
                slip = data.slip("floor-instead-of-line", player, tuple(floor)[len(marker) :], line=to)
                yield {**kept, **floor}, slip
    # Tiles that should lie on the floor line and lie nowhere; from a line without overflow, one tile may be lost.
    expected = min(fallen, max(space, 0))
    for missing in range(1, min(expected, MOST_LEFT) + 1):
        floor = on_floor(board, player, marker + [colour] * (expected - missing), data)
        yield {**cells, **floor}, missing_slip(state, player, colour, missing)
    # On a full floor line a lost tile looks like one dropped on purpose, or like a take to the floor.
    is_full_floor_right = room == 1 or state.rules.partial_voluntary_floor
    if to and not fallen and (space > 0 or not is_full_floor_right):
        floor = on_floor(board, player, marker, data)
        short = in_line(board, player, to, colour, room - 1, data) if room > 1 else {}
        yield {**short, **floor}, missing_slip(state, player, colour, 1)
    things = marker + [colour] * fallen
    if things and len(board.floor) + len(things) < data.floor_length:
        far = data.floor_length - len(board.floor) - len(things)
        for gap in {1, far}:
            floor = on_floor(board, player, things, data, gap)
            yield {**cells, **floor}, data.slip("gap-in-floor", player, tuple(floor))
    if marker and fallen and len(board.floor) + len(things) <= data.floor_length:
        floor = on_floor(board, player, [colour] * fallen + marker, data)
        slip = data.slip("marker-misplaced", player, (list(floor)[-1],), "A36")
        yield {**cells, **floor}, replace(slip, severity=Severity.WARNING)


def missing_slip(state: State, player: int, colour: int, count: int) -> Slip:
    data = state.rules.data
    board = state.boards[player - 1]
    place = f"p{player}.floor.{min(len(board.floor) + 1, data.floor_length)}"
    return data.slip("overflow-missing", player, (place,), colour=data.colours[colour], count=count)


def split_lays(
    state: State, pick: Pick, source: int, colour: int, goals: Goals = EVERYWHERE
) -> Iterator[Plausible]:
    """One pick in two lines."""
    data, player, board = state.rules.data, state.player, state.boards[state.player - 1]
    lines = lines_among(goals, player, open_lines(board, colour))
    marker = [MARKER] * pick.has_marker
    for index, first in enumerate(lines):
        for second in lines[index + 1 :]:
            for number in range(1, min(pick.number - 1, room_in(board, first)) + 1):
                others = min(pick.number - number, room_in(board, second))
                fallen = pick.number - number - others
                a = in_line(board, player, first, colour, number, data)
                b = in_line(board, player, second, colour, others, data)
                floor = on_floor(board, player, marker + [colour] * fallen, data)
                slip = data.slip("split-over-lines", player, (*a, *b), colour=data.colours[colour])
                move = Take(player, source, colour, first if number > others else second, pick.number)
                yield Plausible(move, {**pick.places, **a, **b, **floor}, (slip,))


def early_tiles(state: State, pick: Pick, source: int, colour: int) -> Iterator[Plausible]:
    """A line that the take completes goes to the wall at once, or a single tile straight to it."""
    data, player, board = state.rules.data, state.player, state.boards[state.player - 1]
    marker = [MARKER] * pick.has_marker
    for to in open_lines(board, colour):
        if pick.number < room_in(board, to):
            continue
        fallen = pick.number - room_in(board, to)
        floor = on_floor(board, player, marker + [colour] * fallen, data)
        held = board.lines[to - 1][1]
        emptied: Delta = {f"p{player}.line{to}.{cell}": None for cell in range(1, held + 1)}
        for column in early_columns(state, board, to, colour):
            cell = f"p{player}.wall.{to}.{column + 1}"
            slip = data.slip("tiled-too-early", player, (cell,))
            move = Take(player, source, colour, to, pick.number)
            yield Plausible(move, {**pick.places, **emptied, cell: data.colours[colour], **floor}, (slip,))


def early_columns(state: State, board: Board, line: int, colour: int) -> list[int]:
    """Where somebody would put the tile of this line."""
    if state.rules.is_coloured:
        return [state.rules.data.columns[line - 1][colour]]
    return [column for column in range(LINES) if board.wall[line - 1][column] == EMPTY]


def idle_slips(state: State) -> Iterator[Plausible]:
    """Things that change without a take: complete lines tiled, settled tiles moved, the marker gone."""
    data = state.rules.data
    yield from loose_things(state, range(1, state.rules.players + 1))
    for player, board in enumerate(state.boards, 1):
        for line, (colour, count) in enumerate(board.lines, 1):
            cells = [f"p{player}.line{line}.{cell}" for cell in range(1, count + 1)]
            if count == line:
                for column in early_columns(state, board, line, colour):
                    cell = f"p{player}.wall.{line}.{column + 1}"
                    slip = data.slip("tiled-too-early", player, (cell,))
                    emptied: Delta = dict.fromkeys(cells)
                    yield Plausible(None, {**emptied, cell: data.colours[colour]}, (slip,))
            for gone in {1, count} - {0} if count else ():
                places = tuple(cells[count - gone :])
                slip = data.slip("settled-tile-moved", player, places, place=places[0])
                yield Plausible(None, dict.fromkeys(places), (slip,))
            for other, (_, held) in enumerate(board.lines, 1):
                if count and not held and count <= other:
                    moved = in_line(board, player, other, colour, count, data)
                    slip = data.slip("settled-tile-moved", player, (*cells, *moved), place=cells[0])
                    slips: tuple[Slip, ...] = (slip,)
                    if colour in board.wall[other - 1]:
                        slips = (slip, already_on_wall(state, player, tuple(moved), colour, other))
                    yield Plausible(None, {**dict.fromkeys(cells), **moved}, slips)
        if board.floor:
            place = f"p{player}.floor.{len(board.floor)}"
            slug = "marker-misplaced" if board.floor[-1] == MARKER else "settled-tile-moved"
            yield Plausible(None, {place: None}, (data.slip(slug, player, (place,), place=place),))
    if state.is_marker_in_centre:
        slip = data.slip("marker-misplaced", None, ("centre",))
        yield Plausible(None, {"centre": heap(state.centre, data)}, (slip,))
        for player, board in enumerate(state.boards, 1):
            floor = on_floor(board, player, [MARKER], data)
            if floor:
                slip = data.slip("marker-misplaced", player, tuple(floor))
                yield Plausible(None, {"centre": heap(state.centre, data), **floor}, (slip,))


def loose_things(state: State, players: Iterable[int]) -> Iterator[Plausible]:
    """Single tiles gone from a wall, and stones that moved by themselves, on boards that nobody should touch."""
    data = state.rules.data
    for player in players:
        board = state.boards[player - 1]
        for row in range(LINES):
            for column in range(LINES):
                if board.wall[row][column] != EMPTY:
                    place = f"p{player}.wall.{row + 1}.{column + 1}"
                    slip = data.slip("settled-tile-moved", player, (place,), place=place)
                    yield Plausible(None, {place: None}, (slip,))
        place, score = f"p{player}.score", shown_score(board.score, data)
        right = {score}
        if state.phase == "over":
            right.add(shown_score(final_scores(state)[player - 1], data))
        near = range(max(0, score - STONE_RANGE), min(data.score_track_max, score + STONE_RANGE) + 1)
        for seen in near:
            if seen not in right:
                slip = data.slip("score-marker-wrong", player, (place,), seen=seen, score=max(right))
                yield Plausible(None, {place: seen}, (slip,))


def board_with(board: Board, player: int, delta: Delta, state: State) -> Board:
    """A board after a right laying, for what is laid on it next."""
    data = state.rules.data
    kinds: dict[Any, int] = {**{name: colour for colour, name in enumerate(data.colours)}, "marker": MARKER}
    lines, floor = list(board.lines), list(board.floor)
    for place, content in delta.items():
        part = place.split(".")
        if part[1] == "floor" and int(part[2]) > len(floor):
            floor.append(kinds[content])
        elif part[1].startswith("line"):
            index = int(part[1][4:]) - 1
            lines[index] = (kinds[content], lines[index][1] + 1)
    return board._replace(lines=tuple(lines), floor=tuple(floor))


def laid_on(board: Board, player: int, to: int, colour: int, number: int, state: State) -> Delta:
    """More tiles laid on a board that was changed already."""
    data = state.rules.data
    room = min(number, room_in(board, to)) if to else 0
    cells = in_line(board, player, to, colour, room, data) if room else {}
    return {**cells, **on_floor(board, player, [colour] * (number - room), data)}


def minus(a: Counts, b: Counts) -> Counts:
    return tuple(map(int.__sub__, a, b))
