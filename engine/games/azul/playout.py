"""Complete random games as fast as plain Python goes: two players, coloured side, counts instead of positions.

The same rules as everywhere else, kept in lists that change in place; a test replays its games move by move
against the engine proper.
"""

from __future__ import annotations

from random import Random

from engine.games.azul.data import EMPTY, LINES, MARKER, GameData
from engine.games.azul.moves import CENTRE, SKIPPED, Deal, Move, Take, Tile
from engine.games.azul.scoring import tile_points

PLAYERS = 2
ALL_OPEN = 2 * ((1 << LINES) - 1) + 1
"""Destinations as bits: bit 0 the floor line, bits 1 to 5 the pattern lines."""
DESTINATIONS = tuple(
    tuple(to for to in range(LINES + 1) if mask >> to & 1) for mask in range(1 << (LINES + 1))
)


class FastBoard:
    """One board: what a take or a tiling needs, and nothing else."""

    __slots__ = ("colours", "counts", "floor", "open", "score", "wall")

    def __init__(self) -> None:
        self.counts = [0] * (LINES + 1)
        self.colours = [EMPTY] * (LINES + 1)
        self.open = [ALL_OPEN] * LINES
        """For each colour, where it may go."""
        self.wall = [[EMPTY] * LINES for _ in range(LINES)]
        self.floor: list[int] = []
        self.score = 0


def random_game(rng: Random, data: GameData, record: list[Move] | None = None) -> tuple[int, tuple[int, int]]:
    """Play one game; gives the number of takes and the scores before the end bonuses. Records the moves if asked."""
    random = rng.random
    discs, per_disc, floor_length = data.discs_by_players[PLAYERS], data.tiles_per_disc, data.floor_length
    boards = (FastBoard(), FastBoard())
    bag = [colour for colour in range(LINES) for _ in range(data.tiles_per_colour)]
    rng.shuffle(bag)
    lid: list[int] = []
    starter = takes = 0
    while True:
        offers = deal(bag, lid, discs, per_disc, rng, record)
        if not offers:  # not one tile left to deal
            return takes, (boards[0].score, boards[1].score)
        centre = [0] * LINES
        is_marker_in_centre = True
        player = starter
        while True:
            board = boards[player]
            opened = board.open
            # Every legal take is equally likely: draw one number and walk to its source, colour and destination.
            weights = [len(DESTINATIONS[mask]) for mask in opened]
            total = 0
            for _, colour, _ in offers:
                total += weights[colour]
            for colour in range(LINES):
                if centre[colour]:
                    total += weights[colour]
            if not total:
                break
            index = int(random() * total)
            source = CENTRE
            number = colour = 0
            for source, colour, number in offers:  # noqa: B007
                if index < weights[colour]:
                    break
                index -= weights[colour]
            else:
                source = CENTRE
                for colour in range(LINES):
                    if centre[colour]:
                        if index < weights[colour]:
                            break
                        index -= weights[colour]
                number = centre[colour]
            to = DESTINATIONS[opened[colour]][index]
            takes += 1
            if record is not None:
                record.append(Take(player + 1, source, colour, to, number))
            floor = board.floor
            if source:
                rest = []
                for offer in offers:
                    if offer[0] != source:
                        rest.append(offer)
                    elif offer[1] != colour:
                        centre[offer[1]] += offer[2]
                offers = rest
            else:
                centre[colour] = 0
                if is_marker_in_centre:
                    is_marker_in_centre = False
                    starter = player
                    if len(floor) < floor_length:
                        floor.append(MARKER)
            if to:
                count = board.counts[to] + number
                bit = 1 << to
                if count >= to:
                    number, count = count - to, to
                    for each in range(LINES):
                        opened[each] &= ~bit
                else:
                    number = 0
                    for each in range(LINES):
                        if each != colour:
                            opened[each] &= ~bit
                board.counts[to] = count
                board.colours[to] = colour
            if number:
                room = floor_length - len(floor)
                if number > room:
                    lid += [colour] * (number - room)
                    number = room
                floor += [colour] * number
            player = 1 - player
        is_over = False
        for player, board in enumerate(boards):
            is_over |= tile(board, player, lid, data, record)
        if is_over:
            return takes, (boards[0].score, boards[1].score)


def deal(
    bag: list[int], lid: list[int], discs: int, per_disc: int, rng: Random, record: list[Move] | None
) -> list[tuple[int, int, int]]:
    """Draw a round; gives an offer for each disc and colour on it: source, colour, number."""
    offers = []
    dealt = []
    for source in range(1, discs + 1):
        counts = [0] * LINES
        for _ in range(per_disc):
            if not bag:
                bag += lid
                lid.clear()
                rng.shuffle(bag)
                if not bag:
                    break
            counts[bag.pop()] += 1
        for colour in range(LINES):
            if counts[colour]:
                offers.append((source, colour, counts[colour]))
        if record is not None:
            dealt.append(tuple(counts))
    if record is not None:
        record.append(Deal(tuple(dealt)))
    return offers


def tile(board: FastBoard, player: int, lid: list[int], data: GameData, record: list[Move] | None) -> bool:
    """One player's tiling in place; whether a wall row is complete now."""
    columns = [SKIPPED] * LINES
    is_row_complete = False
    has_work = bool(board.floor)
    for line in range(1, LINES + 1):
        if board.counts[line] < line:
            continue
        has_work = True
        colour = board.colours[line]
        column = data.columns[line - 1][colour]
        row = board.wall[line - 1]
        row[column] = colour
        columns[line - 1] = column + 1
        board.score += tile_points(board.wall, line - 1, column)
        lid += [colour] * (line - 1)
        board.counts[line] = 0
        for each in range(LINES):
            if each not in row:
                board.open[each] |= 1 << line
        is_row_complete |= EMPTY not in row
    if board.floor:
        cost = sum(data.floor_values[: len(board.floor)])
        board.score = max(0, board.score - cost)
        lid += [item for item in board.floor if item != MARKER]
        board.floor.clear()
    if record is not None and has_work:
        record.append(Tile(player + 1, tuple(columns)))
    return is_row_complete
