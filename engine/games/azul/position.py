"""A position in mid-game, built from what lies on the table, and what is hidden from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.errors import SetupError
from engine.games.azul.data import EMPTY, LINES, MARKER, GameData
from engine.games.azul.scoring import complete_rows
from engine.games.azul.state import EMPTY_LINE, NONE, Board, Counts, Line, Rules, State, Supply, add, add_one
from engine.games.azul.tiling import begin_tiling, is_untouched
from engine.games.azul.visible import MARKER_NAME, all_places
from engine.types import UNKNOWN, Content, Place

HINTS = frozenset({"round", "starter", "scores", "phase"})


def position_from(seen: Mapping[Place, Content], rules: Rules, to_move: int, **hints: Any) -> State:
    """The position that this table shows; SetupError with a sentence when it shows none.

    Hints, all optional: `round`; `starter` (who holds the marker, or started while it is in the centre); `scores`
    (where a stone has gone round the track, or cannot be read); `phase`, to say what the table is thought to show.
    """
    unknown = set(hints) - HINTS
    if unknown:
        raise SetupError(f"Azul has no hint '{sorted(unknown)[0]}'; it has {', '.join(sorted(HINTS))}.")
    if not 1 <= to_move <= rules.players:
        raise SetupError(f"The player to move should be a number from 1 to {rules.players}, not {to_move}.")
    contents = whole_table(seen, rules, hints)
    data = rules.data
    discs = tuple(read_heap(contents, f"f{number}", data)[0] for number in range(1, rules.discs + 1))
    centre, is_marker_in_centre = read_heap(contents, "centre", data)
    scores = hints.get("scores")
    boards = tuple(
        read_board(contents, player, rules, None if scores is None else scores[player - 1])
        for player in range(1, rules.players + 1)
    )
    holders = [player for player, board in enumerate(boards, 1) if MARKER in board.floor]
    if len(holders) + is_marker_in_centre > 1:
        raise SetupError("The start marker lies in more than one place; it should lie in one.")
    starter = holders[0] if holders else int(hints.get("starter", to_move))
    if not 1 <= starter <= rules.players:
        raise SetupError(f"The starter should be a number from 1 to {rules.players}, not {starter}.")
    supply = hidden(discs, centre, boards, rules)
    is_offer = any(centre) or any(map(any, discs))
    round_ = int(hints.get("round", 0)) or least_round(boards, supply, rules)
    state = State(
        rules, "offer", round_, to_move, starter, is_marker_in_centre, discs, centre, boards, (), supply
    )
    state = state._replace(supply=count_bag(state, is_offer))
    return with_phase(state, is_offer, hints.get("phase"))


def with_phase(state: State, is_offer: bool, phase: str | None) -> State:
    """The position with the phase that fits it; a hint decides only between those that do."""
    fitting = ["offer"] if is_offer else []
    if not is_offer:
        if not all(is_untouched(board) for board in state.boards):
            fitting = ["tiling"]
        elif any(complete_rows(board) for board in state.boards):
            fitting = ["over"]
        else:
            fitting = ["deal"]
    if phase is not None and phase not in fitting:
        raise SetupError(f"The phase cannot be '{phase}' on this table: it shows '{fitting[0]}'.")
    if fitting == ["tiling"]:
        return begin_tiling(state)
    if fitting == ["deal"]:
        return state._replace(phase="deal", player=state.starter)
    return state._replace(phase=fitting[0])


def whole_table(seen: Mapping[Place, Content], rules: Rules, hints: Mapping[str, Any]) -> dict[Place, Content]:
    """What is seen, checked to be complete and to know no other place."""
    places = all_places(rules.players, rules.discs, rules.data.floor_length)
    strange = sorted(set(seen) - set(places))
    if strange:
        raise SetupError(f"There is no place '{strange[0]}' at an Azul table for {rules.players} players.")
    for place in places:
        is_given = place.endswith(".score") and hints.get("scores") is not None
        if not is_given and (place not in seen or seen[place] == UNKNOWN):
            raise SetupError(f"The position cannot be set up while '{place}' is hidden: say what lies there.")
    return dict(seen)


def read_heap(contents: Mapping[Place, Content], place: Place, data: GameData) -> tuple[Counts, bool]:
    """Loose tiles as counts, and whether the marker lies among them."""
    heap = contents[place] or {}
    if not isinstance(heap, Mapping) or set(heap) - {*data.colours, MARKER_NAME}:
        raise SetupError(f"'{place}' cannot hold {heap!r}: it should be a count for each colour.")
    if heap.get(MARKER_NAME, 0) > (place == "centre"):
        raise SetupError(f"The start marker cannot lie on '{place}' {heap.get(MARKER_NAME)} times.")
    return tuple(int(heap.get(colour, 0)) for colour in data.colours), bool(heap.get(MARKER_NAME))


def read_board(contents: Mapping[Place, Content], player: int, rules: Rules, score: int | None) -> Board:
    """One board; SetupError for what the rules never let lie there."""
    data = rules.data
    kinds: dict[Content, int] = {name: colour for colour, name in enumerate(data.colours)}
    kinds |= {None: EMPTY, MARKER_NAME: MARKER}

    def read(place: Place) -> int:
        content = contents[place]
        if content not in kinds or (kinds[content] == MARKER and not re.search(r"\.floor\.", place)):
            raise SetupError(f"'{place}' cannot hold {content!r}.")
        return kinds[content]

    lines: list[Line] = []
    for number in range(1, LINES + 1):
        cells = [read(f"p{player}.line{number}.{cell}") for cell in range(1, number + 1)]
        tiles = [colour for colour in cells if colour != EMPTY]
        if len(set(tiles)) > 1:
            raise SetupError(f"Pattern line {number} of player {player} holds two colours; it can hold one.")
        lines.append((tiles[0], len(tiles)) if tiles else EMPTY_LINE)
    wall = tuple(
        tuple(read(f"p{player}.wall.{row}.{column}") for column in range(1, LINES + 1)) for row in range(1, LINES + 1)
    )
    check_wall(wall, player, rules)
    for number, (colour, count) in enumerate(lines, 1):
        if count and colour in wall[number - 1]:
            name = data.colours[colour]
            raise SetupError(f"Pattern line {number} of player {player} is {name}, which lies on its wall row already.")
    floor = [read(f"p{player}.floor.{space}") for space in range(1, data.floor_length + 1)]
    seen_score = contents.get(f"p{player}.score") if score is None else score
    if type(seen_score) is not int or seen_score < 0:
        raise SetupError(f"The score of player {player} should be a number from 0, not {seen_score!r}.")
    return Board(tuple(lines), wall, tuple(item for item in floor if item != EMPTY), seen_score)


def check_wall(wall: tuple[tuple[int, ...], ...], player: int, rules: Rules) -> None:
    """SetupError when a wall breaks its pattern, or repeats a colour on the grey side."""
    for row in range(LINES):
        for column in range(LINES):
            colour = wall[row][column]
            if colour == EMPTY:
                continue
            name = rules.data.colours[colour]
            if rules.is_coloured and rules.data.wall_pattern[row][column] != colour:
                raise SetupError(f"'p{player}.wall.{row + 1}.{column + 1}' is no space for {name}.")
            others = [wall[each][column] for each in range(LINES)]
            if wall[row].count(colour) > 1 or others.count(colour) > 1:
                where = f"row {row + 1} or column {column + 1}"
                raise SetupError(f"The wall of player {player} has {name} twice in {where}.")


def hidden(discs: tuple[Counts, ...], centre: Counts, boards: tuple[Board, ...], rules: Rules) -> Supply:
    """What is in bag and lid together: all that does not lie on the table."""
    seen = centre
    for disc in discs:
        seen = add(seen, disc)
    for board in boards:
        for colour, count in board.lines:
            if count:
                seen = add_one(seen, colour, count)
        for item in (*(colour for row in board.wall for colour in row), *board.floor):
            if item not in (EMPTY, MARKER):
                seen = add_one(seen, item, 1)
    for colour, count in enumerate(seen):
        if count > rules.data.tiles_per_colour:
            name, most = rules.data.colours[colour], rules.data.tiles_per_colour
            raise SetupError(f"{count} {name} tiles lie on the table, but there are only {most}.")
    rest = tuple(rules.data.tiles_per_colour - count for count in seen)
    return Supply(rest, NONE, False, None)


def least_round(boards: tuple[Board, ...], supply: Supply, rules: Rules) -> int:
    """The earliest round this can be: a wall row gets at most one tile a round."""
    return max((sum(colour != EMPTY for colour in row) for board in boards for row in board.wall), default=0) + 1


def count_bag(state: State, is_dealt: bool) -> Supply:
    """The supply with the size of the bag, where it follows: until the first lid is poured every deal takes as many."""
    data, rules = state.rules.data, state.rules
    deals = state.round if is_dealt else state.round - 1
    size = LINES * data.tiles_per_colour - deals * rules.discs * data.tiles_per_disc
    pool = state.supply.bag
    if size < 0 or size > sum(pool):
        return state.supply
    if size == sum(pool):
        return Supply(pool, NONE, True, size)
    if size == 0:
        return Supply(NONE, pool, True, 0)
    return Supply(pool, NONE, False, size)


def supplies(state: State) -> dict[str, Any]:
    """Bag and lid: a count for each colour where it follows, `{min, max}` where it does not."""
    names, supply = state.rules.data.colours, state.supply
    if supply.is_exact:
        return {
            "bag": dict(zip(names, supply.bag, strict=True)),
            "lid": dict(zip(names, supply.lid, strict=True)),
        }
    together = supply.together
    size = supply.bag_total
    bag: dict[str, Any] = {}
    lid: dict[str, Any] = {}
    for colour, name in enumerate(names):
        least, most = 0, supply.bag[colour]
        if size is not None:
            least = max(0, size - (sum(supply.bag) - most))
            most = min(most, size)
        bag[name] = least if least == most else {"min": least, "max": most}
        rest = together[colour] - most, together[colour] - least
        lid[name] = rest[0] if rest[0] == rest[1] else {"min": rest[0], "max": rest[1]}
    return {"bag": bag, "lid": lid, "together": dict(zip(names, together, strict=True))}
