"""The factory offer: which takes are allowed, and what a take does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from engine.games.azul.data import EMPTY, LINES, MARKER
from engine.games.azul.moves import CENTRE, FLOOR, Take, source_name
from engine.games.azul.state import NONE, Board, Counts, Line, Rules, State, Supply, add_one
from engine.games.azul.tiling import begin_tiling
from engine.types import Content, Place


def sources(state: State) -> Iterator[tuple[int, Counts]]:
    """Every source with its tiles: the factories from 1, then the centre."""
    yield from enumerate(state.discs, 1)
    yield CENTRE, state.centre


def open_lines(board: Board, colour: int) -> list[int]:
    """The pattern lines, from 1, that may take this colour (A39, A40, A41)."""
    return [
        number
        for number, ((held, count), row) in enumerate(zip(board.lines, board.wall, strict=True), 1)
        if count < number and (held == colour or not count) and colour not in row
    ]


def touched_sources(state: State, seen: Mapping[Place, Content], covered: Collection[Place]) -> list[int]:
    """The sources from which a single hand may have taken what shows: those that look otherwise or are covered. Where a
    factory has been emptied it was that one, and the centre only if something has gone from there, too."""
    names = {source: source_name(source) for source, counts in sources(state) if any(counts)}
    emptied = [source for source, name in names.items() if source != CENTRE and seen.get(name) == {}]
    if not emptied:
        return [source for source, name in names.items() if name in seen or name in covered]
    centre = seen.get(names.get(CENTRE, ""))
    if not isinstance(centre, Mapping):
        return emptied
    before = zip(state.rules.data.colours, state.centre, strict=True)
    is_less = any(centre.get(colour, 0) < count for colour, count in before)
    return [*emptied, CENTRE] if is_less else emptied


def legal_takes(state: State, places: Collection[Place] | None = None) -> list[Take]:
    """Every take of the player to move; with `places` those from the centre, which others fill again, and from the
    factories among them."""
    player = state.player
    board = state.boards[player - 1]
    destinations = [[FLOOR, *open_lines(board, colour)] for colour in range(LINES)]
    is_partial = state.rules.partial_voluntary_floor
    moves = []
    for source, counts in sources(state):
        if places is not None and source != CENTRE and source_name(source) not in places:
            continue
        for colour, count in enumerate(counts):
            if count:
                moves += [Take(player, source, colour, to, count) for to in destinations[colour]]
                if is_partial:
                    moves += [
                        Take(player, source, colour, to, count, dropped)
                        for to in destinations[colour][1:]
                        for dropped in range(1, min(count, to - board.lines[to - 1][1]))
                    ]
    return moves


def play_take(state: State, move: Take) -> State:
    """The position after a take that is known to be legal."""
    rules, _, round_, player, starter, is_marker_in_centre, discs, centre, boards, _, supply = state
    _, source, colour, to, count, dropped = move
    board = boards[player - 1]
    lines, wall, floor, score = board
    if source:
        rest = discs[source - 1]
        discs = (*discs[: source - 1], NONE, *discs[source:])
        centre = tuple(map(int.__add__, centre, rest))
        centre = (*centre[:colour], centre[colour] - count, *centre[colour + 1 :])
    else:
        centre = (*centre[:colour], 0, *centre[colour + 1 :])
        if is_marker_in_centre:
            is_marker_in_centre = False
            starter = player
            floor, supply = lay_marker(floor, supply, rules)
    fallen = count
    if to:
        held = lines[to - 1][1]
        laid = min(count - dropped, to - held)
        fallen = count - laid
        line: Line = (colour, held + laid)
        lines = (*lines[: to - 1], line, *lines[to:])
    if fallen:
        floor, supply = drop(floor, colour, fallen, supply, rules)
    boards = (*boards[: player - 1], Board(lines, wall, floor, score), *boards[player:])
    player = player % rules.players + 1
    after = State(
        rules, "offer", round_, player, starter, is_marker_in_centre, discs, centre, boards, (), supply
    )
    if any(centre) or any(map(any, discs)):
        return after
    return begin_tiling(after)


def lay_marker(floor: tuple[int, ...], supply: Supply, rules: Rules) -> tuple[tuple[int, ...], Supply]:
    """The marker on the first free floor space (A35), or where the table wants it on a full floor (A47)."""
    if len(floor) < rules.data.floor_length:
        return (*floor, MARKER), supply
    if rules.marker_on_full_floor == "beside":
        return floor, supply
    index = 0 if rules.marker_on_full_floor == "replace_first" else len(floor) - 1
    lid = add_one(supply.lid, floor[index], 1)
    return (*floor[:index], MARKER, *floor[index + 1 :]), supply._replace(lid=lid)


def drop(
    floor: tuple[int, ...], colour: int, count: int, supply: Supply, rules: Rules
) -> tuple[tuple[int, ...], Supply]:
    """Tiles on the next floor spaces, and in the lid when it is full (A45, A46)."""
    room = min(count, rules.data.floor_length - len(floor))
    if room < count:
        supply = supply._replace(lid=add_one(supply.lid, colour, count - room))
    return floor + (colour,) * room, supply


def refusal(state: State, move: Take) -> tuple[str, str]:
    """The slug and the rule that forbid a take in the offer; two empty texts when nothing does."""
    rules = state.rules
    if move.player != state.player:
        return "out-of-turn", "A30"
    if not 0 <= move.source <= rules.discs or not 0 <= move.colour < LINES or not 0 <= move.to <= LINES:
        return "impossible-tiles", "A2"
    counts = state.discs[move.source - 1] if move.source else state.centre
    if not counts[move.colour] or move.number > counts[move.colour]:
        return "impossible-tiles", "A2"
    if move.number < counts[move.colour]:
        return "tiles-left-behind", "A32" if move.source else "A33"
    if move.to == FLOOR:
        return ("floor-instead-of-line", "A44") if move.dropped else ("", "")
    board = state.boards[move.player - 1]
    held, count = board.lines[move.to - 1]
    if count >= move.to:
        return "line-overfilled", "A40"
    if held not in (EMPTY, move.colour):
        return "colour-mixed-in-line", "A39"
    if move.colour in board.wall[move.to - 1]:
        return "colour-already-on-wall", "A41"
    room = min(move.number, move.to - count)
    if move.dropped and not (rules.partial_voluntary_floor and 0 < move.dropped < room):
        return "floor-instead-of-line", "A44"
    return "", ""
