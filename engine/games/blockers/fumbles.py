"""Mistakes with two tiles, and with tiles that nobody plays: too many to list, so a few are drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from engine.games.blockers.data import CELLS, members
from engine.games.blockers.moves import Place, placements, play
from engine.games.blockers.plausible import changes
from engine.games.blockers.slips import problems
from engine.games.blockers.state import State
from engine.games.blockers.visible import cell_place, tiles
from engine.types import Content, Plausible
from engine.types import Place as PlaceName


def fumbles(state: State, chance: Random) -> Iterator[Plausible]:
    """One mistake of each kind, as far as there is one now."""
    if state.is_over:
        return
    for found in (_two_tiles(state, chance), _strange_colour(state, chance), *_carried_away(state, chance)):
        if found is not None:
            yield found


def _named(state: State, seen: dict[PlaceName, Content], move: object = None) -> Plausible | None:
    """The mistake that a table shows; None when legal play explains it."""
    slips = problems(state, seen)[:1]
    return Plausible(move, seen, slips) if slips else None


def _two_tiles(state: State, chance: Random) -> Plausible | None:
    """A tile, and another of the same player in the same turn."""
    player = state.player
    first = _any([move for move in placements(state, player) if move.captured is None], chance)
    if first is None:
        return None
    then = play(state, first)._replace(player=player)
    second = _any([move for move in placements(then, player) if move.captured is None], chance)
    if second is None:
        return None
    return _named(state, {**changes(state, first), **changes(state, second)}, first)


def _strange_colour(state: State, chance: Random) -> Plausible | None:
    """A tile of a colour that nobody at this table plays."""
    data = state.rules.data
    colours = [name for name, owner in zip(data.colours, state.rules.owners, strict=True) if owner is None]
    free = _free(state)
    if not colours or not free:
        return None
    cell = chance.choice(free)
    face = chance.choice(list(members(data.accepted[cell])))
    return _named(state, {cell_place(data, cell): {"colour": chance.choice(colours), "face": data.faces[face]}})


def _carried_away(state: State, chance: Random) -> Iterator[Plausible | None]:
    """A tile that was laid in an earlier turn carried anywhere, and two such tiles exchanged."""
    data, lying, free = state.rules.data, tiles(state), _free(state)
    content = {cell: {"colour": tile.colour, "face": tile.face} for cell, tile in lying.items()}
    if lying and free:
        source, goal = chance.choice(sorted(lying)), chance.choice(free)
        yield _named(state, {cell_place(data, source): None, cell_place(data, goal): content[source]})
    if len(lying) > 2:
        one, other = chance.sample(sorted(lying), 2)
        yield _named(state, {cell_place(data, one): content[other], cell_place(data, other): content[one]})


def _free(state: State) -> list[int]:
    """The empty cells."""
    lying = tiles(state)
    return [cell for cell in range(CELLS) if cell not in lying]


def _any(options: list[Place], chance: Random) -> Place | None:
    return chance.choice(options) if options else None
