"""What hands are likely to do: every legal move, and the mistakes with their slips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.games.azul.goals import EVERYWHERE, Goals, lines_among
from engine.games.azul.hands import laid, right_pick, take_delta, tiles_at
from engine.games.azul.offer import legal_takes, open_lines, sources
from engine.games.azul.slips_in_offer import idle_slips, loose_things, wrong_lays, wrong_picks
from engine.games.azul.slips_in_tiling import late_clearings, wrong_tilings
from engine.games.azul.state import State
from engine.games.azul.tiling import legal_tilings, play_tile
from engine.games.azul.visible import visible
from engine.types import Content, Place, Plausible


def plausible_moves(state: State) -> Iterator[Plausible]:
    """Everything for the phase at hand. A deal cannot be foreseen: `deal` names what is wrong with one."""
    before = visible(state)
    if state.phase == "offer":
        yield from changed(before, plausible_takes(state))
        yield from changed(before, idle_slips(state))
    elif state.phase == "tiling":
        for move in legal_tilings(state):
            yield from changed(before, [Plausible(move, visible(play_tile(state, move)))])
        yield from changed(before, wrong_tilings(state))
        done = [player for player in range(1, state.rules.players + 1) if player not in state.waiting]
        yield from changed(before, late_clearings(state, done))
        yield from changed(before, loose_things(state, done))
    else:
        everybody = range(1, state.rules.players + 1)
        yield from changed(before, late_clearings(state, everybody))
        yield from changed(before, loose_things(state, everybody))


def changed(before: Mapping[Place, Content], found: Iterable[Plausible]) -> Iterator[Plausible]:
    """The same with only those places that look different; what cannot be seen is left out."""
    for each in found:
        places = {place: content for place, content in each.places.items() if before[place] != content}
        if places:
            yield each if len(places) == len(each.places) else Plausible(each.move, places, each.slips)


def plausible_takes(state: State) -> Iterator[Plausible]:
    """Every legal take, then what can go wrong with each pick and with each way to lay it down."""
    for move in legal_takes(state):
        yield Plausible(move, take_delta(state, move))
    for source, _ in sources(state):
        yield from wrong_takes(state, source)


def wrong_takes(state: State, source: int, goals: Goals = EVERYWHERE) -> Iterator[Plausible]:
    """What can go wrong with the tiles of one source, as far as something may have come to these lines."""
    for colour, number in enumerate(tiles_at(state, source)):
        if number:
            yield from wrong_picks(state, source, colour, goals)
            yield from wrong_lays(state, source, colour, goals)
            yield from others_turn(state, source, colour, state.player, goals)


def slips_with(state: State, source: int | None, goals: Goals = EVERYWHERE) -> tuple[Plausible, ...]:
    """The mistakes of the offer that begin with tiles of one source, or with none."""
    found = idle_slips(state) if source is None else wrong_takes(state, source, goals)
    return tuple(changed(visible(state), found))


def others_turn(
    state: State, source: int, colour: int, player: int, goals: Goals = EVERYWHERE
) -> Iterator[Plausible]:
    """The same pick by somebody whose turn it is not, laid as the rules want it."""
    pick = right_pick(state, source, colour)
    data = state.rules.data
    for other, board in enumerate(state.boards, 1):
        if other == player:
            continue
        for to in (0, *lines_among(goals, other, open_lines(board, colour))):
            delta = laid(state, other, to, colour, pick.number, pick.has_marker)
            if delta:
                slip = data.slip("out-of-turn", other, tuple(delta), other=player)
                yield Plausible(None, {**pick.places, **delta}, (slip,))
