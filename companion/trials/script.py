"""A whole game as the tables a camera would be shown: hands at work, tables at rest, slips and their correction."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.catalogue import PlayedGame
from engine.api import Game
from engine.errors import EngineError
from engine.types import UNKNOWN, Plausible, Slip

REST_FRAMES = (10, 20)
"""For how many frames a table is at rest between two moves."""
END_FRAMES = 60
"""For how many frames the last table lies there: people who end a game look at who has won. That is longer than what
has been taken up last is waited for to be laid down."""
SLIP_FRAMES = 70
"""For how many frames a slip lies on the table before it is put right."""
MOST_ALIKE = 2
"""A slip that leaves the very table of no more than so many legal moves cannot be told from them; nor, of so many
more, from those that were made before it and that nobody could see."""
MOST_MOVES = 1200
"""No game lasts this long; a script that does is broken."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A table that is shown for some frames."""

    table: Mapping[str, Any]
    frames: int
    hidden: tuple[str, ...] = ()
    """Places under a hand."""
    at_rest: bool = False
    """Whether the table shows the position after the last move, with no hand over it."""
    slip: Slip | None = None
    """The slip that lies on the table while it is shown."""
    is_end: bool = False
    """Whether the game is over: the table then lies there until it can be seen."""


@dataclass(frozen=True, slots=True)
class Played:
    """A move of the script, noted when it is made."""

    move: Any
    state: Any
    """The position after it."""


def scenes(
    played: PlayedGame, seed: int, double: float = 0.0, slip_rate: float = 0.0, wanted: set[str] | None = None,
    most_unseen: int = 2, unseen: Callable[[], Sequence[Any]] = tuple,
) -> Iterator[Scene | Played]:
    """A random game, scene by scene. A `double` share of the moves is followed by the next before anything is shown,
    until there are `most_unseen`. With a `slip_rate`, that share of the moves goes wrong first; `wanted` names the
    slugs that are preferred. `unseen` gives the positions from the last that could be seen to the one before the
    present."""
    game, chance = played.game, random.Random(seed)
    state = game.new(played.players, played.options, chance.randint(1, played.players))
    table = dict(game.visible(state))
    yield Scene(table, 4)
    skipped = 0
    for _ in range(MOST_MOVES):
        if game.is_over(state):
            break
        meant = None
        if slip_rate and not skipped and chance.random() < slip_rate:
            plausible = pick_slip(played, state, chance, wanted, unseen())
            if plausible is not None:
                wrong = {**table, **plausible.places}
                yield Scene(table, 1, hidden=tuple(plausible.places))
                yield Scene(wrong, SLIP_FRAMES, slip=plausible.slips[0])
                meant = plausible.move
        # A slip is put right by doing what was meant, where that can be told.
        move = _next_move(played, state, chance) if meant is None else meant
        after = game.play(state, move)
        shown = dict(game.visible(after))
        changed = [place for place in shown if shown[place] != table.get(place)]
        request = game.deal_request(state)
        # Nobody fills a whole table with tiles between two frames.
        is_refill = request is not None and bool(request.places)
        is_seen = chance.random() >= double or is_refill or skipped + 1 >= most_unseen
        if is_seen:
            yield from _hands(table, shown, changed, chance)
        state, table = after, shown
        yield Played(move, state)
        skipped = 0 if is_seen else skipped + 1
        if is_seen or game.is_over(state):
            yield Scene(table, chance.randint(*REST_FRAMES), at_rest=True)
    yield Scene(table, END_FRAMES, at_rest=True, is_end=True)


def _next_move(played: PlayedGame, state: Any, chance: random.Random) -> Any:
    game = played.game
    if game.deal_request(state) is not None:
        return game.random_deal(state, chance.randrange(1 << 30))
    return chance.choice(list(game.legal_moves(state)))


def _hands(
    before: Mapping[str, Any], after: Mapping[str, Any], changed: list[str], chance: random.Random
) -> Iterator[Scene]:
    """A move under way: some places are done, the others hidden under the hand or still to come."""
    for _ in range(chance.randint(0, 2)):
        done = {place for place in changed if chance.random() < 0.5}
        hidden = tuple(place for place in changed if chance.random() < 0.5)
        table = {place: after[place] if place in done else before.get(place, after[place]) for place in after}
        yield Scene(table, chance.randint(1, 3), hidden=hidden or tuple(changed[:1]))


def pick_slip(
    played: PlayedGame, state: Any, chance: random.Random, wanted: set[str] | None, earlier: Sequence[Any] = (),
) -> Plausible | None:
    """A slip that can be told from the camera's side: its table is not that of legal moves, neither from the present
    position nor from the `earlier` ones, the last of which is the one before it, that may be the last that was seen."""
    options = [
        each for each in played.game.plausible_moves(state)
        if each.slips and each.slips[0].severity != "question" and not _may_follow(played, state, each)
    ]
    preferred = [each for each in options if wanted and each.slips[0].slug in wanted]
    if not options:
        return None
    slugs = sorted({each.slips[0].slug for each in (preferred or options)})
    slug = chance.choice(slugs)
    picked = chance.choice([each for each in (preferred or options) if each.slips[0].slug == slug])
    wrong = {**played.game.visible(state), **picked.places}
    known = enumerate((state, *reversed(earlier)))
    return None if any(_looks_legal(played.game, each, wrong, MOST_ALIKE + since) for since, each in known) else picked


def _looks_legal(game: Game, state: Any, wrong: Mapping[str, Any], moves: int) -> bool:
    """Whether legal play leaves the very same table: a move, such as one that differs only in what a pile hides, or
    several of which one hardly shows."""
    before = game.visible(state)
    return _leads_to(game, state, wrong, {place for place in wrong if wrong[place] != before.get(place)}, moves)


def _leads_to(game: Game, state: Any, shown: Mapping[str, Any], changed: set[str], moves: int) -> bool:
    """Whether so many legal moves leave a table, that change nothing else; what comes to light meanwhile may be
    anything."""
    request = game.deal_request(state)
    if request is not None:
        try:
            state = game.play(state, game.deal(state, dict.fromkeys(request.choices, UNKNOWN)))
        except EngineError:
            # Everybody would see what has come.
            return False
    before = game.visible(state)
    after = [game.play(state, move) for move in game.legal_moves(state)]
    tables = [(each, game.visible(each)) for each in after]
    kept = [
        (each, table) for each, table in tables
        if all(table[place] == before[place] for place in table.keys() - changed)
    ]
    return any(table == shown for _, table in kept) or (
        moves > 1 and any(_leads_to(game, each, shown, changed, moves - 1) for each, _ in kept)
    )


def _may_follow(played: PlayedGame, state: Any, plausible: Plausible) -> bool:
    """Whether all that is wrong is something that a player may still bring up to date: a stone that has not moved yet
    cannot be told from one that will."""
    game = played.game
    if plausible.move is None:
        return False
    before, after = game.visible(state), game.visible(game.play(state, plausible.move))
    shown = {**before, **plausible.places}
    late = game.late_places(state, plausible.move)
    wrong = [place for place in after if shown[place] != after[place]]
    return all(place in late and shown[place] == before[place] for place in wrong)
