"""What people say about the game: answers, corrections, undoing. Each is an entry in the journal that outranks the
camera; what follows it is derived again from what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.reconcile.start import seen_table
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
    position = sitting.position_with(table, turn)
    if position is None:
        return GONE_QUESTION
    sitting.write(Kind.POSITION, position, source=Source.PERSON, data={"turn": turn})
    sitting.restart()
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
    position = _position(sitting, alert.table, state)
    if position is None:
        return _play_over(sitting, alert)
    slip = {"slug": alert.slip.slug, "player": alert.slip.player, "places": list(alert.slip.places)}
    sitting.write(Kind.POSITION, position, source=Source.PERSON, data={"accepts": slip})
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
        position = _position(sitting, {place: content}, sitting.state)
        if position is None:
            return Reply(False, "refused.rules")
        sitting.write(Kind.POSITION, position, source=Source.PERSON, data={"place": place, "content": content})
    sitting.restart()
    return Reply(True)


# -- parts ------------------------------------------------------------------------------------------------------


def _alert(sitting: Sitting, alert_id: str) -> Alert | None:
    return next((alert for alert in sitting.alerts if alert.id == alert_id), None)


def _line(sitting: Sitting, slot: int) -> Line | None:
    return next((line for line in sitting.played.lines if line.slot == slot), None)


def _position(sitting: Sitting, table: Mapping[str, Any], turn_of: Any) -> str | None:
    """The agreed position with some places otherwise, in notation, whoever moves in another position moving next;
    None when it cannot be one."""
    movers = sitting.play.game.to_move(turn_of) or (1,)
    return sitting.position_with(table, movers[0])


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
