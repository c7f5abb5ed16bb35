"""Somebody at the simulated table who answers the companion's questions, truthfully, after a moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from companion.reconcile.belief import Answer
from companion.runtime.heights import HeightQuestion, count_id
from companion.runtime.port import RuntimePort
from companion.runtime.table import Table
from companion.simulation.table import SimulatedTable
from engine.api import HidesHeights
from engine.errors import EngineError
from engine.types import UNKNOWN

THINKS_S = 3.0
"""How long it takes to look at the phone and tap, in simulated seconds."""
AT_REST_S = 1.5
"""Nobody answers while something happens on the table."""


@dataclass(slots=True)
class Guest:
    """Looks at the table, and says what happened when asked."""

    table: Table
    answered: int = 0
    _question: str = ""
    _since_s: float = 0.0
    _contents: dict[str, Any] = field(default_factory=dict)
    _rest_s: float = 0.0

    def attend(self, truth: SimulatedTable) -> None:
        """Answer the open question, if there is one, it has been read, and nobody is in the middle of a move."""
        sitting = self.table.sitting
        question = None if sitting is None else sitting.asking
        if sitting is None or question is None:
            return
        if question.id != self._question:
            self._question, self._since_s = question.id, truth.t_s
        contents = truth.contents()
        if contents != self._contents or not truth.settled:
            self._contents, self._rest_s = contents, truth.t_s
        if truth.t_s - self._since_s < THINKS_S or truth.t_s - self._rest_s < AT_REST_S:
            return
        if isinstance(question, HeightQuestion):
            chosen = counted(question, sitting.state, truth)
        else:
            chosen = next((each.id for each in question.asked.answers if is_so(each, sitting.state, truth)), None)
        if chosen is not None:
            reply = RuntimePort(self.table).command("answer", {"question": question.id, "answer": chosen})
            self.answered += reply.ok
            self._question = ""


def counted(question: HeightQuestion, agreed: Any, truth: SimulatedTable) -> str | None:
    """The answer how many pieces lie there, once the companion has seen what was done last."""
    game, state = truth.game, truth.sitting.state
    if not isinstance(game, HidesHeights) or _known(game.visible(agreed)) != _known(game.visible(state)):
        return None
    number = game.heights(state)[question.place]
    return count_id(number) if number in question.numbers else None


def is_so(answer: Answer, agreed: Any, truth: SimulatedTable) -> bool:
    """Whether an answer says what has happened on the table since the agreed position."""
    slipping = truth.sitting.slipping
    if answer.slips:
        return slipping is not None and answer.slips[0] in slipping.slips
    if slipping is not None:
        return False
    if answer.steps:
        return _leads_to(agreed, answer.steps, truth)
    return answer.turn in truth.game.to_move(truth.sitting.state)


def _leads_to(state: Any, steps: tuple[Any, ...], truth: SimulatedTable) -> bool:
    game = truth.game
    try:
        for move in steps:
            state = game.play(state, move)
    except EngineError:
        return False
    return _known(game.visible(state)) == _known(game.visible(truth.sitting.state))


def _known(table: Any) -> dict[str, Any]:
    return {place: content for place, content in table.items() if content != UNKNOWN}
