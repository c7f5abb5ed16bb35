"""What people say about the game: answers, corrections, undoing. Each is an entry in the journal that outranks the
camera; what follows it is derived again from what was seen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from companion.reconcile.start import seen_table
from companion.runtime.heights import HeightQuestion, count_id, settle, told_position
from companion.runtime.sitting import Alert, Sitting, visible_changes
from engine.errors import EngineError
from engine.journal import Kind, Source
from engine.replay import Line
from engine.types import UNKNOWN
from web.contract import Reply

GONE_QUESTION = Reply(False, "refused.question-gone")
GONE_ALERT = Reply(False, "refused.alert-gone")
GONE_MOVE = Reply(False, "refused.no-such-move")


def answer(sitting: Sitting, question: str, choice: str) -> Reply:
    """Somebody answered the open question."""
    height = next((each for each in sitting.heights if each.id == question), None)
    if height is not None:
        return _tell_height(sitting, height, choice)
    if sitting.question is None or sitting.question.id != question:
        return GONE_QUESTION
    asked = sitting.question.asked
    chosen = next((each for each in asked.answers if each.id == choice), None)
    if chosen is None:
        return GONE_QUESTION
    if chosen.turn is not None:
        return _go_on(sitting, chosen.turn)
    if chosen.slips and sitting.reconciler is not None:
        sitting.take(sitting.reconciler.raise_told(chosen))
        return Reply(True)
    if not chosen.steps:
        _overrule_seen(sitting, asked.places)
        sitting.restart()
        return Reply(True)
    game = sitting.play.game
    for move in chosen.steps:
        try:
            game.apply(sitting.state, move)
        except EngineError:
            return GONE_QUESTION
        kind = Kind.DEAL if game.player_of(move) is None else Kind.MOVE
        sitting.write(kind, game.format_move(move), source=Source.PERSON)
        sitting.slot_ns[len(sitting.journal.entries)] = asked.t_ns
    sitting.restart()
    return Reply(True)


def _go_on(sitting: Sitting, turn: int) -> Reply:
    """Nobody can say what happened: play goes on from what lies on the table, whoever moves next."""
    table = {} if sitting.reconciler is None else sitting.reconciler.shown_table()
    if not _lay_down(sitting, table, turn, {"turn": turn}):
        return GONE_QUESTION
    sitting.restart()
    return Reply(True)


def _tell_height(sitting: Sitting, asked: HeightQuestion, choice: str) -> Reply:
    """Somebody counted what nobody can see: it counts from the position on that was read."""
    number = next((number for number in asked.numbers if count_id(number) == choice), None)
    line = _line(sitting, asked.slot)
    if number is None or line is None:
        return GONE_QUESTION
    game, before = sitting.play.game, sitting.state
    position, data = told_position(game, line, asked, number)
    sitting.write(Kind.CORRECTION, game.format_position(position), source=Source.PERSON, supersedes=asked.slot,
                  data=data)
    if sitting.state != before:
        _derive_again(sitting, asked.slot)
    return Reply(True)


def accept(sitting: Sitting, alert_id: str) -> Reply:
    """It is allowed here: play goes on from what lies there."""
    alert = _alert(sitting, alert_id)
    if alert is None:
        return GONE_ALERT
    game = sitting.play.game
    state = sitting.state
    if alert.meant is not None:
        try:
            state = game.play(state, alert.meant)
        except EngineError:
            state = sitting.state
    # The table is what was agreed with what lies differently; whose turn it is follows from what was meant.
    slip = {"slug": alert.slip.slug, "player": alert.slip.player, "places": list(alert.slip.places)}
    if not _lay_down(sitting, alert.table, _next(sitting, state), {"accepts": slip}, alert.table):
        return _play_over(sitting, alert)
    sitting.restart()
    return Reply(True)


def _play_over(sitting: Sitting, alert: Alert) -> Reply:
    """A table that is no position of the game: the move that was meant counts, and the camera keeps quiet about what
    lies wrong until it changes."""
    game = sitting.play.game
    if alert.meant is not None:
        try:
            game.apply(sitting.state, alert.meant)
        except EngineError:
            return Reply(False, "refused.rules")
        sitting.write(Kind.MOVE, game.format_move(alert.meant), source=Source.PERSON)
    sitting.overruled.add(alert.table)
    sitting.restart()
    return Reply(True)


def misread(sitting: Sitting, alert_id: str) -> Reply:
    """The camera saw wrongly."""
    alert = _alert(sitting, alert_id)
    if alert is None:
        return GONE_ALERT
    sitting.overruled.add(alert.table)
    sitting.restart()
    return Reply(True)


def undo(sitting: Sitting, slot: int) -> Reply:
    """A step did not happen."""
    line = _line(sitting, slot)
    if line is None:
        return GONE_MOVE
    sitting.write(Kind.UNDO, source=Source.PERSON, supersedes=slot)
    sitting.overruled.add({place: after for place, (_, after) in
                           visible_changes(sitting, line.before, line.after).items()})
    _derive_again(sitting, slot)
    return Reply(True)


def correct(sitting: Sitting, slot: int, notation: str) -> Reply:
    """A step was really another."""
    line = _line(sitting, slot)
    if line is None:
        return GONE_MOVE
    game = sitting.play.game
    try:
        after = game.apply(line.before, game.parse_move(notation)).state
    except EngineError:
        return Reply(False, "refused.illegal")
    sitting.write(Kind.CORRECTION, notation, source=Source.PERSON, supersedes=slot)
    sitting.overruled.add({place: old for place, (old, _) in visible_changes(sitting, line.after, after).items()})
    _derive_again(sitting, slot)
    return Reply(True)


def set_place(sitting: Sitting, place: str, content: Any) -> Reply:
    """A person says what lies on a place."""
    visible = sitting.play.game.visible(sitting.state)
    if place not in visible:
        return Reply(False, "refused.unknown-place")
    _overrule_seen(sitting, (place,), unless=content)
    if visible[place] != content:
        said = {"place": place, "content": content}
        if not _lay_down(sitting, {place: content}, _next(sitting, sitting.state), said, {place}):
            return Reply(False, "refused.rules")
    sitting.restart()
    return Reply(True)


# -- parts ------------------------------------------------------------------------------------------------------


def _alert(sitting: Sitting, alert_id: str) -> Alert | None:
    return next((alert for alert in sitting.alerts if alert.id == alert_id), None)


def _line(sitting: Sitting, slot: int) -> Line | None:
    return next((line for line in sitting.played.lines if line.slot == slot), None)


def _next(sitting: Sitting, state: Any) -> int:
    """Who moves next in a position; the first player where nobody may."""
    return (*sitting.play.game.to_move(state), 1)[0]


def _lay_down(
    sitting: Sitting, table: Mapping[str, Any], turn: int, data: Mapping[str, Any],
    touched: Collection[str] | None = None,
) -> bool:
    """Agree on the position with some places otherwise and somebody to move next; False when it cannot be one. How high
    piles are that nobody could watch is asked for; without `touched` that may be any pile."""
    position = sitting.position_with(table, turn)
    if position is None:
        return False
    game, pending = sitting.play.game, {each.place for each in sitting.heights}
    position, heights = settle(game, sitting.state, position, pending, touched)
    sitting.write(Kind.POSITION, game.format_position(position), source=Source.PERSON, data={**data, **heights})
    return True


def _overrule_seen(sitting: Sitting, places: tuple[str, ...], unless: Any = UNKNOWN) -> None:
    """What the camera shows at these places now is not believed, unless it shows what the person said."""
    last = sitting.kept.last()
    if last is None:
        return
    seen = seen_table(last)
    sitting.overruled.add({
        place: seen[place] for place in places if seen.get(place, UNKNOWN) not in (UNKNOWN, unless)
    })


def _derive_again(sitting: Sitting, slot: int) -> None:
    """Steps that no longer fit are taken back, and what was seen since is read anew from the corrected position."""
    held = sitting.played.held
    since_ns = sitting.slot_ns.get(held[0]) if held else None
    for number in held:
        sitting.write(Kind.UNDO, source=Source.PERSON, supersedes=number, data={"because": slot})
    sitting.restart(since_ns)
