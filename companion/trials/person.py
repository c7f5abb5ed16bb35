"""Somebody at the table who answers the companion's questions, truthfully, after a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.catalogue import PlayedGame
from companion.reconcile.belief import Asked
from companion.reconcile.reconciler import Reconciler
from companion.reconcile.start import position_like
from engine.api import HidesHeights
from engine.errors import EngineError
from engine.types import Slip
from vision.reading import Kind

ANSWER_FRAMES = 15
"""How long it takes to look at the phone and tap."""


@dataclass(slots=True)
class Person:
    """Knows what was played, and says so when asked."""

    played: PlayedGame
    kinds: dict[str, Kind]
    counted: int = 0
    """How many times they were asked for a height beside."""
    _asked: Asked | None = None
    _due: int = 0

    def hear(self, asked: Asked, frame: int) -> None:
        """A question has been put."""
        self._asked, self._due = asked, frame + ANSWER_FRAMES

    def answer(self, reconciler: Reconciler, truth: Any, slip: Slip | None, frame: int) -> Reconciler | None:
        """The game as it is followed after the answer; None while there is nothing to say."""
        asked = self._asked
        if asked is None or reconciler.question is not asked or frame < self._due:
            return None
        game = self.played.game
        for each in asked.answers:
            if slip is not None and slip in each.slips:
                self._asked = None
                reconciler.raise_told(each)
                return None
            if slip is None and each.steps and self._leads_to(reconciler.state, each.steps, truth):
                return Reconciler(game, self.kinds, truth)
        # Nobody says to go on from a table on which something lies wrong.
        return None if slip is not None else self._go_on(reconciler, truth)

    def _leads_to(self, state: Any, steps: tuple[Any, ...], truth: Any) -> bool:
        game = self.played.game
        try:
            for move in steps:
                state = game.play(state, move)
        except EngineError:
            return False
        return bool(state == truth)

    def _go_on(self, reconciler: Reconciler, truth: Any) -> Reconciler | None:
        """Go on from what lies on the table, if that is what the companion has seen."""
        game = self.played.game
        movers = game.to_move(truth)
        if not movers:
            return None
        try:
            position = position_like(self.played, reconciler.state, reconciler.shown_table(), movers[0])
        except EngineError:
            return None
        if game.visible(position) != game.visible(truth):
            return None
        if isinstance(game, HidesHeights):
            # Asked how many lie there, people count. What else lies under others nobody can see.
            unseen = game.unseen_heights(reconciler.state, position).values()
            self.counted += sum(len(each.possible) > 1 for each in unseen)
            position = game.with_heights(position, game.heights(truth))
        return Reconciler(game, self.kinds, position)
