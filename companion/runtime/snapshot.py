"""The table as the pages see it, built whole each time; what cannot have changed is taken from the last one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from companion.reconcile.belief import Answer
from companion.runtime.heights import HeightQuestion, count_id
from companion.runtime.sitting import Alert, Question, Sitting, visible_changes
from engine.api import Game, Says
from engine.replay import Line, rounds
from engine.types import Reason, Result
from web.contract import (
    AlertView,
    AnswerView,
    HealthView,
    MoveView,
    PlayerView,
    QuestionView,
    ReasonView,
    ResultView,
    RoundView,
    Snapshot,
)

POSITION_KEY = "moves.position"
"""What is said of an agreed position, in the page's own words."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a snapshot shows beside the game."""

    source: str
    camera: str = "starting"
    health: tuple[HealthView, ...] = ()
    recording: bool = False


@dataclass(slots=True)
class SnapshotBuilder:
    """Builds snapshots and remembers the moves it has put into words."""

    has_crop: Callable[[str], bool]
    """Whether there is a picture for an alert or a question."""
    _lines: list[Line] = field(default_factory=list)
    _views: list[MoveView] = field(default_factory=list)
    _rounds: tuple[tuple[Line, ...], tuple[RoundView, ...]] = ((), ())

    def idle(self, version: int, around: Surroundings) -> Snapshot:
        """No game is set up."""
        return Snapshot(version, None, None, {}, "idle", 0, "unchanged", around.camera, around.source, (), {}, (), (),
                        (), None, None, around.health, around.recording)

    def build(self, version: int, sitting: Sitting, around: Surroundings) -> Snapshot:
        """The whole table now."""
        game, state = sitting.play.game, sitting.state
        result = result_view(game.result(state)) if sitting.is_over else None
        scores = game.scores(state) if result is None else result.scores
        acting = game.to_move(state)
        players = tuple(
            PlayerView(number, seat.name, seat.colour, scores[number - 1], number in acting)
            for number, seat in enumerate(sitting.seats, start=1)
        )
        told = self._told_rounds(sitting)
        return Snapshot(
            version, game.id, sitting.number, dict(sitting.journal.header.options), game.phase(state),
            game.round(state), str(sitting.verdict), around.camera, around.source, players, dict(game.visible(state)),
            self._moves(sitting), told, tuple(self._alert(alert) for alert in sitting.alerts),
            self._question(game, sitting.asking), result, around.health, around.recording,
            tuple(tuple(view.scores) for view in told),
        )

    def _moves(self, sitting: Sitting) -> tuple[MoveView, ...]:
        lines = sitting.played.lines
        same = 0
        while same < min(len(lines), len(self._lines)) and lines[same] is self._lines[same]:
            same += 1
        del self._lines[same:], self._views[same:]
        for line in lines[same:]:
            self._lines.append(line)
            self._views.append(move_view(sitting, len(self._views) + 1, line))
        return tuple(self._views)

    def _told_rounds(self, sitting: Sitting) -> tuple[RoundView, ...]:
        game, lines = sitting.play.game, sitting.played.lines
        if not game.has_rounds:
            return ()
        if self._rounds[0] is not lines:
            views = tuple(
                RoundView(each.round, each.scores, tuple(map(reason_view, each.reasons)))
                for each in rounds(game, sitting.played)
            )
            self._rounds = (lines, views)
        return self._rounds[1]

    def _alert(self, alert: Alert) -> AlertView:
        slip = alert.slip
        return AlertView(alert.id, slip.slug, slip.player, slip.places, slip.rule, slip.severity.value,
                         dict(slip.params), self._crop(alert.id))

    def _question(self, game: Game, question: Question | HeightQuestion | None) -> QuestionView | None:
        if question is None:
            return None
        if isinstance(question, HeightQuestion):
            counts = [AnswerView(count_id(number), "answer.count", {"count": number}) for number in question.numbers]
            params = {**question.params, "count": question.counted}
            return QuestionView(question.id, question.key, params, counts, question.places, self._crop(question.id))
        asked = question.asked
        answers = [answer_view(game, each) for each in asked.answers]
        return QuestionView(question.id, asked.key, {}, answers, asked.places, self._crop(question.id))

    def _crop(self, name: str) -> str | None:
        return f"/api/crops/{name}" if self.has_crop(name) else None


def say(game: Game, move: Any) -> tuple[str, dict[str, Any]]:
    """A move as a whole key of the game's strings with its parameters."""
    key, params = cast(Says, game).say(move)
    return f"moves.{key}", dict(params)


def move_view(sitting: Sitting, number: int, line: Line) -> MoveView:
    """One step in words, with what it changed."""
    game = sitting.play.game
    key, params = (POSITION_KEY, {}) if line.move is None else say(game, line.move)
    player = None if line.move is None else game.player_of(line.move)
    return MoveView(number, line.slot, game.round(line.before), player, key, params, line.entry.notation,
                    line.entry.source.value, visible_changes(sitting, line.before, line.after))


def answer_view(game: Game, answer: Answer) -> AnswerView:
    """An answer says which move or slip it stands for."""
    if answer.slips:
        slip = answer.slips[0]
        return AnswerView(answer.id, f"slips.{slip.slug}", {"player": slip.player, **slip.params})
    if answer.turn is not None:
        return AnswerView(answer.id, "answer.table", {"player": answer.turn})
    if not answer.steps:
        return AnswerView(answer.id, "answer.nothing", {})
    told = [(game.player_of(move), *say(game, move)) for move in answer.steps]
    if len(told) == 1:
        return AnswerView(answer.id, told[0][1], told[0][2])
    steps = [{"player": player, "key": key, "params": params} for player, key, params in told]
    return AnswerView(answer.id, "answer.move", {"steps": steps})


def reason_view(reason: Reason) -> ReasonView:
    return ReasonView(reason.player, reason.key, reason.points, reason.places, dict(reason.params))


def result_view(result: Result) -> ResultView:
    """The end of a game, players in their order."""
    standings: Sequence[Any] = sorted(result.standings, key=lambda standing: standing.player)
    return ResultView(
        tuple(each.score for each in standings), result.winners, result.decided_by,
        tuple(reason_view(reason) for each in standings for reason in each.reasons),
        tuple(each.tie_break for each in standings),
    )


