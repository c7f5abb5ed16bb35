"""Where a game begins: an empty or freshly filled table, a position that people confirmed, or one that is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from itertools import combinations
from typing import Any

from companion.catalogue import PlayedGame
from engine.api import Recalling
from engine.errors import EngineError, SetupError
from engine.types import UNKNOWN
from vision.reading import UNREADABLE, Kind, Observation, Reading, join

HALF = math.log(0.5)
DOUBTFUL = 12
"""How many of the least sure readings may be wrong when a position that was read cannot be."""
STRANGE_PLACES = 2
"""A new game's table may show this many places otherwise than expected (misreadings) and still be new."""


def seen_table(observation: Observation) -> dict[str, Any]:
    """The likeliest content of every place; unknown where it is hidden."""
    return {
        place: UNKNOWN if reading.occluded or not reading.parts else reading.best()[0]
        for place, reading in observation.readings.items()
    }


def is_new_game(played: PlayedGame, state: Any, seen: Mapping[str, Any]) -> bool:
    """Whether the table looks like a game that has not begun, be it dealt or not."""
    game = played.game
    request = game.deal_request(state)
    open_places = set() if request is None else {*request.places, *request.fixed}
    expected = game.visible(state)
    strange = [
        place for place, content in seen.items()
        if place in expected and place not in open_places and UNKNOWN not in (content, expected[place])
        and content != expected[place]
    ]
    return len(strange) <= STRANGE_PLACES


def starting_state(
    played: PlayedGame,
    start_player: int,
    first: Observation | None,
    position: Mapping[str, Any] | None = None,
    turns: tuple[int, ...] | None = None,
) -> Any:
    """The position from which a game is followed. `position` is what people confirmed; without it and with a table
    that shows a game under way, the position is read from the first observation."""
    game, players, options = played.game, played.players, played.options
    hints: dict[str, Any] = {} if turns is None else {"turns": turns}
    if position is not None:
        told = _known(position)
        beside = {} if first is None else _known(seen_table(first))
        try:
            # What people were not asked, such as pieces kept aside, is read.
            return game.position_from({**beside, **told}, players, options, start_player, **hints)
        except SetupError:
            return game.position_from(told, players, options, start_player, **hints)
    state = game.new(players, options, start_player)
    if first is None:
        return state
    seen = seen_table(first)
    if is_new_game(played, state, seen):
        return state
    seen.update(_partly_hidden(first))
    return _likeliest_position(played, first, seen, start_player, hints)


def _partly_hidden(observation: Observation) -> dict[str, Any]:
    """The plates of which something hides a part, with an unknown for each space that cannot be told."""
    hidden: dict[str, Any] = {}
    for place, reading in observation.readings.items():
        if reading.kind is not Kind.PLATE or reading.occluded or reading.best()[0] is None:
            continue
        told = {part: max(values.values()) > HALF for part, values in reading.parts.items() if part != "present"}
        if not all(told.values()):
            hidden[place] = [
                space if told[part] else UNKNOWN for part, space in zip(told, reading.best()[0], strict=True)
            ]
    return hidden


def _likeliest_position(
    played: PlayedGame, first: Observation, seen: Mapping[str, Any], start_player: int, hints: Mapping[str, Any]
) -> Any:
    """The likeliest position that can be: what is read, or what is read with the least sure places read otherwise."""
    game = played.game
    doubtful = sorted(
        (
            reading for reading in first.readings.values()
            if not reading.occluded and reading.parts and UNKNOWN not in _as_list(seen.get(reading.place))
        ),
        key=lambda reading: reading.best()[1],
    )[:DOUBTFUL]
    refusal: SetupError | None = None
    for number in range(3):
        for readings in combinations(doubtful, number):
            table = {**seen, **{reading.place: second_best(reading) for reading in readings}}
            try:
                return game.position_from(_fill(table, played), played.players, played.options, start_player, **hints)
            except SetupError as error:
                refusal = refusal or error
    assert refusal is not None
    raise refusal


def _as_list(content: Any) -> Any:
    return content if isinstance(content, list) else ()


def second_best(reading: Reading) -> Any:
    """The content that comes next after the likeliest: its least sure part read otherwise."""
    ranked = {
        part: sorted(table.items(), key=lambda item: -item[1])[:2]
        for part, table in reading.parts.items() if len(table) > 1
    }
    if not ranked:
        return UNKNOWN
    picks = {part: values[0][0] for part, values in ranked.items()}
    weak = min(ranked, key=lambda part: ranked[part][0][1] - ranked[part][1][1])
    picks[weak] = ranked[weak][1][0]
    content = join(reading.kind, picks)
    return UNKNOWN if content is UNREADABLE else content


def position_like(played: PlayedGame, state: Any, table: Mapping[str, Any], turn: int) -> Any:
    """The position that shows a table, with what is known from another one to lie under others. Raises EngineError
    where there is none."""
    game, seen = played.game, _known(table)
    if isinstance(game, Recalling):
        with suppress(EngineError):
            return game.position_from(seen, played.players, played.options, turn, **game.recall(state, seen))
    return game.position_from(seen, played.players, played.options, turn)


def _known(position: Mapping[str, Any]) -> dict[str, Any]:
    return {place: content for place, content in position.items() if content != UNKNOWN}


def _fill(seen: Mapping[str, Any], played: PlayedGame) -> dict[str, Any]:
    """A read table without gaps: what cannot be seen is taken to be empty."""
    empty: dict[Kind, Any] = {Kind.HEAP: {}, Kind.COUNTER: 0}
    filled: dict[str, Any] = {}
    for place, spec in played.layout.places.items():
        content = seen.get(place, UNKNOWN)
        filled[place] = empty.get(spec.kind) if content in (UNKNOWN,) or content is None else content
    return filled
