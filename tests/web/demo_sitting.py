"""One game at the demo table: who plays, every move so far, and what each of them did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.api import Game
from engine.types import Reason
from web.contract import MoveView


@dataclass(frozen=True)
class Passed:
    """A move that was made: what it did and what to say of it."""

    move: Any
    state: Any
    reasons: tuple[Reason, ...]
    round: int
    view: MoveView


@dataclass
class Sitting:
    """One game: who plays and every move so far."""

    game: Game
    names: list[str]
    colours: list[str]
    options: dict[str, Any]
    start_player: int
    moves: list[Any] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    overrides: dict[str, Any] = field(default_factory=dict)
    """Places that a person set by hand."""
    trail: list[Passed] = field(default_factory=list)
    """What was already worked out of the moves, as far as they have not changed."""

    def state(self, count: int | None = None) -> Any:
        """The position after so many moves; after all of them without a number."""
        trail = self.passed()[: len(self.moves) if count is None else count]
        return trail[-1].state if trail else self.first()

    def first(self) -> Any:
        return self.game.new(len(self.names), self.options, self.start_player)

    def passed(self) -> list[Passed]:
        """Every move with its outcome; moves that were worked out before are not worked out again."""
        game, trail = self.game, self.trail
        same = 0
        while same < min(len(trail), len(self.moves)) and trail[same].move is self.moves[same]:
            same += 1
        del trail[same:]
        state = trail[-1].state if trail else self.first()
        for entry, move in enumerate(self.moves[same:], start=same + 1):
            step = game.apply(state, move)
            key, params = self.say(move)
            view = MoveView(entry, entry, game.round(state), game.player_of(move), key, params, game.format_move(move),
                            "camera", self.changes(state, step.state))
            trail.append(Passed(move, step.state, step.reasons, game.round(state), view))
            state = step.state
        return trail

    def say(self, move: Any) -> tuple[str, dict[str, Any]]:
        key, params = self.game.say(move)  # type: ignore[attr-defined]
        return f"moves.{key}", dict(params)

    def said(self, move: Any) -> dict[str, Any]:
        """A move as an answer holds it."""
        key, params = self.say(move)
        return {"player": self.game.player_of(move), "key": key, "params": params}

    def changes(self, before: Any, after: Any) -> dict[str, tuple[Any, Any]]:
        was, now = self.game.visible(before), self.game.visible(after)
        return {place: (was[place], now[place]) for place in now if was[place] != now[place]}
