"""A position as plain JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import NotationError, SetupError
from engine.games.azul_duel.options import make_options, options_json
from engine.games.azul_duel.state import PHASES, PlayerState, State

FORMAT = "azul-duel-position/1"


def to_json(state: State) -> dict[str, Any]:
    """Dictionaries, lists, texts and numbers only; the meaning of each number is in `state.py`."""
    return {
        "format": FORMAT,
        "options": options_json(state.options),
        "phase": PHASES[state.phase],
        "round": state.round,
        "turn": state.turn,
        "starter": state.starter,
        "suns": [list(sun) for sun in state.suns],
        "large_moon": list(state.large_moon),
        "moons": [list(stack) for stack in state.moons],
        "chips": list(state.chips),
        "marker_on_large": state.marker_on_large,
        "offer": list(state.offer),
        "bag": list(state.bag),
        "tower": list(state.tower),
        "supply_is_split": state.supply_is_split,
        "players": [
            {key: list(value) if isinstance(value, tuple) else value for key, value in player._asdict().items()}
            for player in state.players
        ],
    }


def from_json(value: Any) -> State:
    """The position that `to_json` wrote; NotationError when it is none."""
    if not isinstance(value, Mapping) or value.get("format") != FORMAT:
        raise NotationError(f"This is no position of Azul Duel in the format {FORMAT}.")
    try:
        first, second = (_player(player) for player in value["players"])
        return State(
            players=(first, second),
            suns=tuple(tuple(sun) for sun in value["suns"]),
            large_moon=tuple(value["large_moon"]),
            moons=tuple(tuple(stack) for stack in value["moons"]),
            chips=tuple(value["chips"]),
            marker_on_large=bool(value["marker_on_large"]),
            offer=tuple(value["offer"]),
            bag=tuple(value["bag"]),
            tower=tuple(value["tower"]),
            supply_is_split=bool(value["supply_is_split"]),
            round=int(value["round"]),
            phase=PHASES.index(value["phase"]),
            turn=int(value["turn"]),
            starter=int(value["starter"]),
            options=make_options(value["options"]),
        )
    except (KeyError, TypeError, ValueError, SetupError) as error:
        raise NotationError(f"This position of Azul Duel cannot be read: {error}.") from error


def _player(value: Mapping[str, Any]) -> PlayerState:
    fields: dict[str, Any] = {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
    return PlayerState(**fields)
