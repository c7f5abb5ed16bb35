"""Points: every group of one's own and the captured tiles of the colour captured most. The fewest points win."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.blockers.data import members
from engine.games.blockers.groups import groups
from engine.games.blockers.moves import Move, Place, play
from engine.games.blockers.state import State
from engine.types import Place as PlaceName
from engine.types import Reason, Result, Standing


def group_count(state: State, player: int) -> int:
    """The player's groups on the board, over all their colours."""
    return sum(len(groups(state.stones[colour])) for colour in state.rules.colours[player - 1])


def score(state: State, player: int) -> int:
    """The player's points if the game ended now (B42, B56)."""
    return group_count(state, player) + max(state.captured[player - 1])


def scores(state: State) -> tuple[int, ...]:
    """Everybody's points if the game ended now."""
    return tuple(score(state, player) for player in range(1, state.rules.players + 1))


def cell_places(state: State, cells: int) -> tuple[PlaceName, ...]:
    """The names of the places in a set of cells."""
    return tuple(f"board.{state.rules.data.cells[cell]}" for cell in members(cells))


def move_reasons(before: State, move: Move) -> tuple[State, tuple[Reason, ...]]:
    """The position after a legal move, and why anybody's points changed by it."""
    after = play(before, move)
    if not isinstance(move, Place):
        return after, ()
    found: list[Reason] = []
    place, data = f"board.{move.cell}", before.rules.data
    for colour, owner in enumerate(before.rules.owners):
        change = len(groups(after.stones[colour])) - len(groups(before.stones[colour]))
        if owner is None or change == 0:
            continue
        params = {"colour": data.colours[colour], "count": abs(change)}
        if data.colours[colour] != move.colour:
            found.append(Reason("group-captured", owner, change, (place,), params))
        elif change > 0:
            found.append(Reason("group-new", owner, change, (place,), params))
        else:
            cell = 1 << data.cell_index[move.cell]
            whole = next(group for group in groups(after.stones[colour]) if group & cell)
            found.append(Reason("group-joined", owner, change, cell_places(after, whole), params))
    if move.captured is not None:
        seat = move.player - 1
        more = max(after.captured[seat]) - max(before.captured[seat])
        if more:
            count = after.captured[seat][data.colour_index[move.captured]]
            params = {"captured": move.captured, "count": count}
            found.append(Reason("capture", move.player, more, (place, f"p{move.player}.captured"), params))
    return after, tuple(found)


def final_reasons(state: State, player: int) -> tuple[Reason, ...]:
    """The player's points at the end, one reason for each group and one for the captured tiles."""
    data, seat = state.rules.data, player - 1
    found = [
        Reason(
            "group",
            player,
            1,
            cell_places(state, group),
            {"colour": data.colours[colour], "count": group.bit_count()},
        )
        for colour in state.rules.colours[seat]
        for group in groups(state.stones[colour])
    ]
    most = max(state.captured[seat])
    if most:
        colours = [name for name, count in zip(data.colours, state.captured[seat], strict=True) if count == most]
        params = {"colour": colours[0], "count": most}
        found.append(Reason("most-captured", player, most, (f"p{player}.captured",), params))
    return tuple(found)


def result(state: State) -> Result:
    """Who has won: the fewest points, then the fewest captures (B44), then as the tie policy says (B45)."""
    everyone = range(1, state.rules.players + 1)
    points = scores(state)
    captures = [sum(heap) for heap in state.captured]
    best = [player for player in everyone if points[player - 1] == min(points)]
    winners = _fewest(best, captures)
    decided_by = "score" if len(best) == 1 else "tie-break" if len(winners) == 1 else "shared"
    if len(winners) > 1 and state.rules.tie_policy == "fewer_groups":
        winners = _fewest(winners, [group_count(state, player) for player in everyone])
        decided_by = "shared" if len(winners) > 1 else "tie-break"
    tied = {player for player in everyone if points.count(points[player - 1]) > 1}
    return Result(
        tuple(
            Standing(
                player,
                points[player - 1],
                final_reasons(state, player),
                captures[player - 1] if player in tied else None,
            )
            for player in everyone
        ),
        tuple(winners),
        decided_by,
    )


def _fewest(players: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """Those of the players with the smallest number."""
    least = min(numbers[player - 1] for player in players)
    return [player for player in players if numbers[player - 1] == least]


def evaluate(state: State, player: int) -> float:
    """What the position is worth to the player, in points: high is good, although a low score wins.

    A group that cannot be captured whole is safer than lone tiles; every capture counts a little even when it does
    not raise the score, because it decides ties and soon becomes the colour captured most.
    """
    worth = [_worth(state, each) for each in range(1, state.rules.players + 1)]
    others = [value for each, value in enumerate(worth, 1) if each != player]
    return max(others) * -1.0 + worth[player - 1]


def _worth(state: State, player: int) -> float:
    heap = state.captured[player - 1]
    return -(group_count(state, player) + max(heap) + 0.1 * sum(heap))
