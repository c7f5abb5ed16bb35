"""How high a pile is of which only the top shows: asked of the players where nobody could see it, and put right in the
journal once they have said so. The game goes on meanwhile with the likeliest number.

What is still to be asked stands in the journal, beside the position that was read: so it outlives the companion.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.api import Game, HidesHeights, State
from engine.errors import EngineError
from engine.journal import Kind
from engine.replay import Line, Replay
from engine.types import Place

ASKED = "heights"
"""Under this name the entry of a position says which piles are to be asked for, each with the numbers it may hold."""


@dataclass(frozen=True, slots=True)
class HeightQuestion:
    """How many pieces lie on a pile."""

    id: str
    slot: int
    """The entry of the position that was read."""
    place: Place
    key: str
    """A whole key of the game's strings."""
    params: Mapping[str, Any]
    counted: int
    """With how many pieces the game goes on until somebody answers."""
    numbers: Mapping[int, int]
    """Each number that may be told now, in order, with the number of pieces that then lay there in the position."""

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.place,)


def count_id(number: int) -> str:
    """The name of the answer that there are so many."""
    return f"n{number}"


def settle(
    game: Game, before: State | None, after: State, pending: Collection[Place] = (),
    touched: Collection[Place] | None = None,
) -> tuple[State, dict[str, Any]]:
    """A position that was read with the likeliest heights, and what its entry says of those to be asked for. What was
    asked for and not told yet (`pending`) is asked for again; where only some places were `touched`, all others are as
    they were."""
    if not isinstance(game, HidesHeights):
        return after, {}
    asked: dict[Place, list[int]] = {}
    for place, height in game.unseen_heights(before, after).items():
        if place not in pending and (touched is None or place in touched):
            after = game.with_heights(after, {place: height.likeliest})
            asked[place] = list(height.possible)
    for place, height in game.unseen_heights(None, after).items():
        if place in pending:
            asked[place] = list(height.possible)
    asked = {place: possible for place, possible in asked.items() if len(possible) > 1}
    return after, {ASKED: asked} if asked else {}


def open_questions(game: Game, played: Replay, prefix: str) -> tuple[HeightQuestion, ...]:
    """What is to be asked now. Once a pile has been cleared away nobody can count it any more, and nobody is asked."""
    positions = [index for index, line in enumerate(played.lines) if line.move is None]
    if not positions or not isinstance(game, HidesHeights):
        return ()
    line, later = played.lines[positions[-1]], played.lines[positions[-1] + 1 :]
    found = []
    for place, possible in line.entry.data.get(ASKED, {}).items():
        now = _heights_now(game, game, place, possible, line, later)
        if len(set(now.values())) < 2:
            continue
        counted, was = game.heights(played.state)[place], game.heights(line.after)[place]
        # A pile that takes no more pieces comes to the same number from several: what was thought stands.
        numbers = {now[number]: number for number in sorted(now, key=lambda number: (now[number], number == was))}
        key, params = game.ask_height(place)
        name = f"{prefix}.{line.slot}.{place}.{counted}"
        found.append(HeightQuestion(name, line.slot, place, f"heights.{key}", params, counted, numbers))
    return tuple(found)


def _heights_now(
    game: Game, hiding: HidesHeights, place: Place, possible: Collection[int], line: Line, later: Sequence[Line]
) -> dict[int, int]:
    """For each number of pieces that a pile may have held in a position how many it holds after what followed."""
    states = {number: hiding.with_heights(line.after, {place: number}) for number in possible}
    for step in later:
        for number, state in list(states.items()):
            try:
                states[number] = game.apply(state, step.move).state
            except EngineError:
                # What was agreed on since could not have been done with so many.
                del states[number]
        if len({hiding.heights(state)[place] for state in states.values()}) < 2:
            break
    return {number: hiding.heights(state)[place] for number, state in states.items()}


def told_position(game: Game, line: Line, question: HeightQuestion, number: int) -> tuple[State, dict[str, Any]]:
    """A position with a pile as high as somebody says, and what the entry that corrects it says beside."""
    assert isinstance(game, HidesHeights)
    state = game.with_heights(line.after, {question.place: question.numbers[number]})
    data = {**line.entry.data, "kind": Kind.POSITION.value, "told": {question.place: number}}
    left = {place: possible for place, possible in data.pop(ASKED).items() if place != question.place}
    return state, {**data, ASKED: left} if left else data
