"""What went wrong in a turn of the factory offer, read from how the table changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.games.azul.data import EMPTY, LINES, MARKER
from engine.games.azul.hands import name_of
from engine.games.azul.moves import source_name
from engine.games.azul.state import NONE, Board, Counts, State, add
from engine.games.azul.table import SeenBoard, Table, floor_cells, line_cells
from engine.types import Place, Severity, Slip


@dataclass(frozen=True, slots=True)
class Change:
    """How one player's board changed, tile by tile."""

    player: int
    laid: tuple[tuple[int, int, int], ...]
    """Tiles that appeared in pattern lines: line, cell, colour, the first two from 1."""
    lifted: tuple[tuple[int, int, int], ...]
    """Tiles that left pattern lines, or made room for another colour."""
    fallen: tuple[tuple[int, int], ...]
    """Things that appeared on the floor line: space, colour or marker."""
    picked_up: tuple[tuple[int, int], ...]
    """Things that left the floor line."""
    tiled: tuple[tuple[int, int, int], ...]
    """Tiles that appeared on the wall: row, column, colour."""
    torn_off: tuple[tuple[int, int, int], ...]
    """Tiles that left the wall."""

    def gained(self, colour: int) -> int:
        """How many more tiles of a colour lie on the board than before."""
        came = sum(each[-1] == colour for each in (*self.laid, *self.fallen, *self.tiled))
        return came - sum(each[-1] == colour for each in (*self.lifted, *self.picked_up, *self.torn_off))

    @property
    def early_rows(self) -> frozenset[int]:
        """Rows whose wall grew though tiling has not begun."""
        return frozenset(row for row, _, _ in self.tiled)


@dataclass(frozen=True, slots=True)
class Turn:
    """What moved between the sources and the boards."""

    lost: dict[int, Counts]
    """For each source that lost tiles, how many of each colour."""
    came: dict[int, Counts]
    """For each source that gained tiles, how many of each colour."""
    changes: tuple[Change, ...]

    def gained(self, colour: int) -> int:
        """How many tiles of a colour reached the boards."""
        return sum(change.gained(colour) for change in self.changes)

    def net_loss(self, colour: int) -> int:
        """How many tiles of a colour left factories and centre altogether."""
        out = sum(counts[colour] for counts in self.lost.values())
        return out - sum(counts[colour] for counts in self.came.values())


def offer_slips(before: State, table: Table) -> list[Slip]:
    """Every slip of one turn; the table is known not to show a legal take."""
    turn = read_turn(before, table)
    actor = who_acted(before, turn)
    found = source_slips(before, table, turn, actor)
    found += marker_slips(before, table, turn, actor)
    for change in turn.changes:
        found += board_slips(before, table, turn, change)
    found += amount_slips(before, table, turn, actor)
    return found


def board_change(board: Board, seen: SeenBoard, player: int, floor_length: int) -> Change:
    """The difference between a board of the position and the board that was seen."""
    laid, lifted, tiled, torn_off = [], [], [], []
    for row in range(LINES):
        for cell, (old, new) in enumerate(zip(line_cells(board, row), seen.lines[row], strict=True), 1):
            if old != new:
                laid += [(row + 1, cell, new)] if new != EMPTY else []
                lifted += [(row + 1, cell, old)] if old != EMPTY else []
        for column, (old, new) in enumerate(zip(board.wall[row], seen.wall[row], strict=True), 1):
            if old != new:
                tiled += [(row + 1, column, new)] if new != EMPTY else []
                torn_off += [(row + 1, column, old)] if old != EMPTY else []
    pairs = list(enumerate(zip(floor_cells(board, floor_length), seen.floor, strict=True), 1))
    fallen = tuple((space, new) for space, (old, new) in pairs if old != new and new != EMPTY)
    picked_up = tuple((space, old) for space, (old, new) in pairs if old != new and old != EMPTY)
    return Change(player, tuple(laid), tuple(lifted), fallen, picked_up, tuple(tiled), tuple(torn_off))


def read_turn(before: State, table: Table) -> Turn:
    """The differences between position and table."""
    lost: dict[int, Counts] = {}
    came: dict[int, Counts] = {}
    old = (before.centre, *before.discs)
    new = (table.centre, *table.discs)
    for source in range(len(old)):
        less = tuple(max(0, a - b) for a, b in zip(old[source], new[source], strict=True))
        more = tuple(max(0, b - a) for a, b in zip(old[source], new[source], strict=True))
        if any(less):
            lost[source] = less
        if any(more):
            came[source] = more
    length = before.rules.data.floor_length
    boards = zip(before.boards, table.boards, strict=True)
    changes = tuple(board_change(board, seen, player, length) for player, (board, seen) in enumerate(boards, 1))
    return Turn(lost, came, changes)


def who_acted(before: State, turn: Turn) -> int:
    """The player whose board took tiles; the player to move when nobody's or everybody's did."""
    gainers = [
        change.player for change in turn.changes if any(change.gained(colour) > 0 for colour in range(LINES))
    ]
    return gainers[0] if len(gainers) == 1 else before.player


def taken_colours(before: State, table: Table, turn: Turn, source: int) -> list[int]:
    """The colours that went from a source to a board, or else the one that vanished from it."""
    lost = turn.lost[source]
    taken = [colour for colour in range(LINES) if lost[colour] and turn.gained(colour) > 0]
    if taken:
        return taken
    tiled = {colour for change in turn.changes for _, _, colour in change.tiled}
    tiled &= {colour for colour in range(LINES) if lost[colour]}
    if tiled:
        return sorted(tiled)
    vanished = [colour for colour in range(LINES) if lost[colour] and turn.net_loss(colour) > 0]
    return vanished if len(vanished) == 1 else []


def source_slips(before: State, table: Table, turn: Turn, actor: int) -> list[Slip]:
    """Tiles left behind, a rest that did not go to the centre, two colours, two sources."""
    data = before.rules.data
    found: list[Slip] = []
    takes = {source: taken_colours(before, table, turn, source) for source in turn.lost}
    used = sorted((source for source in turn.lost if source or takes[source]), key=lambda source: (not source, source))
    # A centre that only lost what a factory took as well is no second source.
    if len(used) > 1:
        names = [source_name(source) for source in used]
        found.append(data.slip("two-sources-used", actor, tuple(names), sources=names))
    for source in turn.lost:
        place = source_name(source)
        taken = takes[source]
        if len(taken) > 1:
            names = [name_of(colour, data) for colour in taken]
            found.append(data.slip("two-colours-taken", actor, (place,), colours=names))
        now = table.discs[source - 1] if source else table.centre
        for colour in taken:
            name = name_of(colour, data)
            if now[colour]:
                rule = "A32" if source else "A33"
                found.append(data.slip("tiles-left-behind", actor, (place,), rule, colour=name, place=place))
            if source and turn.came.get(0, NONE)[colour] and 0 not in turn.lost:
                found.append(data.slip("tiles-left-behind", actor, ("centre",), colour=name, place="centre"))
        if source and any(now[colour] for colour in range(LINES) if colour not in taken):
            found.append(data.slip("rest-not-moved", actor, (place,), place=place))
    return found + rest_slips(before, turn, actor, takes)


def rest_slips(before: State, turn: Turn, actor: int, takes: dict[int, list[int]]) -> list[Slip]:
    """Tiles that left a source and reached neither the centre nor a board, or that reached another factory."""
    data = before.rules.data
    taken = {colour for colours in takes.values() for colour in colours}
    found = []
    for source, lost in turn.lost.items():
        place = source_name(source)
        gone = [colour for colour in range(LINES) if lost[colour] and colour not in taken and turn.net_loss(colour) > 0]
        if gone or (source and not takes[source] and not any(turn.gained(colour) > 0 for colour in range(LINES))):
            found.append(data.slip("rest-misplaced", actor, (place,), place=place))
    for source in turn.came:
        if source and turn.lost:
            where = [source_name(other) for other in turn.lost if other != source]
            place = where[0] if where else source_name(source)
            found.append(data.slip("rest-misplaced", actor, (place, source_name(source)), place=place))
    return found


def marker_slips(before: State, table: Table, turn: Turn, actor: int) -> list[Slip]:
    """The start marker: not taken, taken wrongly, or not on the first free floor space."""
    data = before.rules.data
    was = [(player, board.floor.index(MARKER) + 1) for player, board in enumerate(before.boards, 1)
           if MARKER in board.floor]
    now = [(player, space) for player, board in enumerate(table.boards, 1)
           for space, item in enumerate(board.floor, 1) if item == MARKER]
    places = tuple(f"p{player}.floor.{space}" for player, space in now)
    if len(now) + table.has_marker_in_centre > 1:
        return [data.slip("marker-misplaced", now[0][0], places, "A59")]
    if not before.is_marker_in_centre:
        if now == was and not table.has_marker_in_centre:
            return []
        owner = now[0][0] if now else was[0][0] if was else None
        old = tuple(f"p{player}.floor.{space}" for player, space in was)
        return [data.slip("marker-misplaced", owner, places or old or ("centre",))]
    if 0 not in turn.lost:
        if table.has_marker_in_centre:
            return []
        return [data.slip("marker-misplaced", now[0][0] if now else None, places or ("centre",))]
    if table.has_marker_in_centre:
        return [data.slip("marker-not-taken", actor, ("centre",))]
    board = before.boards[actor - 1]
    is_full = len(board.floor) == data.floor_length
    first_free = len(board.floor) + 1
    if not now:
        if is_full and before.rules.marker_on_full_floor == "beside":
            return []
        place = f"p{actor}.floor.{min(first_free, data.floor_length)}"
        return [data.slip("marker-not-taken", actor, (place,), "A35")]
    player, space = now[0]
    if player != actor:
        return [data.slip("marker-misplaced", player, places)]
    if is_full or space == first_free or has_gap(table.boards[actor - 1].floor):
        return []
    return [replace(data.slip("marker-misplaced", actor, places, "A36"), severity=Severity.WARNING)]


def has_gap(cells: tuple[int, ...]) -> bool:
    """Whether something lies behind an empty space."""
    filled = [cell != EMPTY for cell in cells]
    return filled != sorted(filled, reverse=True)


def board_slips(before: State, table: Table, turn: Turn, change: Change) -> list[Slip]:
    """What is wrong on one board."""
    data, player = before.rules.data, change.player
    board, seen = before.boards[player - 1], table.boards[player - 1]
    found: list[Slip] = []
    is_gainer = any(change.gained(colour) > 0 for colour in range(LINES))
    if player != before.player and turn.lost and is_gainer:
        places = tuple(f"p{player}.line{line}.{cell}" for line, cell, _ in change.laid)
        places += tuple(f"p{player}.floor.{space}" for space, _ in change.fallen)
        found.append(data.slip("out-of-turn", player, places, other=before.player))
    if change.tiled:
        cells = tuple(f"p{player}.wall.{row}.{column}" for row, column, _ in change.tiled)
        found.append(data.slip("tiled-too-early", player, cells))
    for line in range(1, LINES + 1):
        found += line_slips(before, turn, change, line, seen.lines[line - 1])
    moved = [f"p{player}.wall.{row}.{column}" for row, column, _ in change.torn_off]
    moved += [f"p{player}.floor.{space}" for space, item in change.picked_up if item != MARKER
              and (space, MARKER) not in change.fallen]
    if moved:
        found.append(data.slip("settled-tile-moved", player, tuple(moved), place=moved[0]))
    if has_gap(seen.floor) and (change.fallen or not moved):
        places = tuple(f"p{player}.floor.{space}" for space, _ in change.fallen) or (f"p{player}.floor.1",)
        if not has_gap(floor_cells(board, data.floor_length)):
            found.append(data.slip("gap-in-floor", player, places))
    for colour in range(LINES):
        found += spread_slips(before, turn, change, colour, seen)
    return found


def line_slips(before: State, turn: Turn, change: Change, line: int, cells: tuple[int, ...]) -> list[Slip]:
    """What is wrong in one pattern line."""
    data, player = before.rules.data, change.player
    board = before.boards[player - 1]
    held, count = board.lines[line - 1]
    new = [(cell, colour) for number, cell, colour in change.laid if number == line]
    old = [(cell, colour) for number, cell, colour in change.lifted if number == line]
    if not new and not old:
        return []

    def place(cell: int) -> Place:
        return f"p{player}.line{line}.{cell}"

    found = []
    if count == line and new:
        found.append(data.slip("line-overfilled", player, tuple(place(cell) for cell, _ in new), line=line))
    filled = [colour for colour in cells if colour != EMPTY]
    main = held if held != EMPTY and held in filled else filled[0] if filled else EMPTY
    other = tuple(place(cell) for cell, colour in enumerate(cells, 1) if colour not in (EMPTY, main))
    if other:
        found.append(data.slip("colour-mixed-in-line", player, other, line=line))
    settled = [place(cell) for cell, _ in old]
    is_moved = len(filled) <= count < line if new else line not in change.early_rows
    if settled and is_moved:
        found.append(data.slip("settled-tile-moved", player, tuple(settled), place=settled[0]))
    for colour in sorted({colour for _, colour in new if colour in board.wall[line - 1]}):
        places = tuple(place(cell) for cell, each in new if each == colour)
        if not count and not turn.net_loss(colour) and not any(each.lifted for each in turn.changes):
            found.append(data.slip("line-not-cleared", player, places, line=line))
            continue
        name = name_of(colour, data)
        found.append(data.slip("colour-already-on-wall", player, places, colour=name, line=line))
    if has_gap(cells) and new:
        found.append(data.slip("gap-in-line", player, tuple(place(cell) for cell, _ in new), line=line))
    return found


def spread_slips(before: State, turn: Turn, change: Change, colour: int, seen: SeenBoard) -> list[Slip]:
    """One colour laid in several lines, or dropped though its line had room."""
    data, player = before.rules.data, change.player
    if not turn.lost or change.gained(colour) <= 0:
        return []
    cells = [(line, f"p{player}.line{line}.{cell}") for line, cell, each in change.laid if each == colour]
    lines = sorted({line for line, _ in cells})
    if len(lines) > 1:
        places = tuple(place for _, place in cells)
        return [data.slip("split-over-lines", player, places, colour=name_of(colour, data))]
    dropped = tuple(f"p{player}.floor.{space}" for space, item in change.fallen if item == colour)
    if lines and dropped and EMPTY in seen.lines[lines[0] - 1] and not before.rules.partial_voluntary_floor:
        return [data.slip("floor-instead-of-line", player, dropped, line=lines[0])]
    return []


def amount_slips(before: State, table: Table, turn: Turn, actor: int) -> list[Slip]:
    """Fewer tiles laid down than taken, or more."""
    data = before.rules.data
    found = []
    is_floor_full = EMPTY not in table.boards[actor - 1].floor
    tiled = {colour for change in turn.changes for _, _, colour in change.tiled}
    taken: set[int] = set()
    for source in turn.lost:
        taken |= set(taken_colours(before, table, turn, source))
    for colour in range(LINES):
        missing = turn.net_loss(colour) - turn.gained(colour)
        name = name_of(colour, data)
        grown = {line for line, _, each in turn.changes[actor - 1].laid if each == colour}
        has_room = any(EMPTY in table.boards[actor - 1].lines[line - 1] for line in grown)
        has_dropped = any(item == colour for _, item in turn.changes[actor - 1].fallen)
        # What a full line and a full floor line cannot take goes to the lid; tiles dropped too soon are told as such.
        is_lid_right = is_floor_full and (has_dropped or not has_room)
        if missing > 0 and colour in taken and not is_lid_right and colour not in tiled:
            space = len(before.boards[actor - 1].floor) + 1
            place = f"p{actor}.floor.{min(space, data.floor_length)}"
            found.append(data.slip("overflow-missing", actor, (place,), colour=name, count=missing))
        elif missing < 0 and not (tiled or any(change.lifted for change in turn.changes)):
            found += surplus_slips(before, turn, colour, -missing)
    return found


def surplus_slips(before: State, turn: Turn, colour: int, count: int) -> list[Slip]:
    """Tiles that came from nowhere: left over from the round before, or misread."""
    data = before.rules.data
    is_fresh = add(before.centre, NONE) == NONE and before.is_marker_in_centre
    found = []
    for change in turn.changes:
        spaces = tuple(f"p{change.player}.floor.{space}" for space, item in change.fallen if item == colour)
        if spaces and is_fresh and not turn.net_loss(colour):
            found.append(data.slip("floor-not-cleared", change.player, spaces))
        leftover = [line for line, _, each in change.laid
                    if each == colour and colour in before.boards[change.player - 1].wall[line - 1]]
        if leftover and not turn.net_loss(colour):
            return []  # told as a line that was not cleared
    if found:
        return found
    places = tuple(
        f"p{change.player}.line{line}.{cell}"
        for change in turn.changes for line, cell, each in change.laid if each == colour
    )
    places += tuple(source_name(source) for source, counts in turn.came.items() if counts[colour])
    return [data.slip("impossible-tiles", None, places or ("centre",), colour=name_of(colour, data), count=count)]
