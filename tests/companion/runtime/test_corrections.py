"""If one of these fails, people say what happened and the companion does not listen."""

from __future__ import annotations

from companion.runtime import corrections
from engine.journal import Source
from tests.companion.runtime.tables import Shown


def played(steps: int = 5) -> Shown:
    shown = Shown()
    for _ in range(steps):
        shown.step()
    assert shown.sitting.state == shown.state
    return shown


def notations(shown: Shown) -> list[str]:
    return [line.entry.notation for line in shown.sitting.played.lines]


def test_moves_are_followed_and_written_down() -> None:
    shown = played()
    assert len(notations(shown)) == 5
    assert all(entry.source is Source.CAMERA for entry in shown.sitting.journal.entries)


def test_an_undone_move_stays_undone_although_the_camera_still_shows_it() -> None:
    shown = played()
    slot = shown.sitting.played.lines[-1].slot
    before = shown.sitting.played.lines[-1].before
    assert corrections.undo(shown.sitting, slot).ok
    shown.show(shown.now(), looks=8)
    assert shown.sitting.state == before
    assert not shown.sitting.alerts


def test_after_an_undo_play_goes_on_when_the_table_is_put_back() -> None:
    shown = played()
    line = shown.sitting.played.lines[-1]
    corrections.undo(shown.sitting, line.slot)
    shown.state = line.before
    shown.show(shown.now(), looks=4)
    move = shown.step()
    assert shown.sitting.state == shown.state
    assert notations(shown)[-1] == shown.play.game.format_move(move)


def test_a_corrected_move_counts_as_the_person_said() -> None:
    shown = played()
    game, line = shown.play.game, shown.sitting.played.lines[-1]
    other = next(move for move in game.legal_moves(line.before) if move != line.move)
    assert corrections.correct(shown.sitting, line.slot, game.format_move(other)).ok
    assert shown.sitting.state == game.play(line.before, other)
    shown.show(shown.now(), looks=8)
    assert shown.sitting.state == game.play(line.before, other), "the camera overruled a person"
    assert shown.sitting.played.lines[-1].entry.source is Source.PERSON


def test_what_no_longer_fits_after_a_correction_is_derived_again_from_what_was_seen() -> None:
    shown = played(7)
    game, lines = shown.play.game, shown.sitting.played.lines
    line = lines[3]
    later = [each.entry.notation for each in lines[4:]]
    # A move that takes what the next one took: the next cannot stand as it was.
    other = next(
        move for move in game.legal_moves(line.before)
        if move != line.move and game.describe(move)["from"] == game.describe(lines[4].move)["from"]
        and game.describe(move)["colour"] == game.describe(lines[4].move)["colour"]
    )
    assert corrections.correct(shown.sitting, line.slot, game.format_move(other)).ok
    standing = notations(shown)
    assert standing[3] == game.format_move(other)
    assert later[0] not in standing[4:5]
    assert shown.sitting.played.refusal is None, "a move that does not fit was left standing"


def test_a_move_that_cannot_have_been_is_refused() -> None:
    shown = played()
    slot = shown.sitting.played.lines[-1].slot
    assert corrections.correct(shown.sitting, slot, "p1 f9 blue*4 line1").key == "refused.illegal"
    assert corrections.correct(shown.sitting, slot, "nonsense").key == "refused.illegal"
    assert corrections.undo(shown.sitting, 999).key == "refused.no-such-move"


def wrong_table(shown: Shown) -> dict[str, object]:
    """A slip that the rules can name."""
    plausible = next(each for each in shown.play.game.plausible_moves(shown.state)
                     if each.slips and each.move is not None and each.slips[0].severity == "error")
    return {**shown.now(), **plausible.places}


def test_a_misread_slip_goes_away_and_does_not_come_back() -> None:
    shown = played()
    table = wrong_table(shown)
    shown.show(table, looks=8)
    assert shown.sitting.alerts
    assert corrections.misread(shown.sitting, shown.sitting.alerts[0].id).ok
    shown.show(table, looks=8)
    assert not shown.sitting.alerts


def test_a_slip_that_is_allowed_here_is_played_on_from() -> None:
    shown = played()
    table = wrong_table(shown)
    shown.show(table, looks=8)
    alert = shown.sitting.alerts[0]
    assert corrections.accept(shown.sitting, alert.id).ok
    assert shown.sitting.journal.entries[-1].source is Source.PERSON
    shown.show(table, looks=8)
    assert not shown.sitting.alerts
    assert corrections.accept(shown.sitting, alert.id).key == "refused.alert-gone"


def test_a_slip_clears_itself_when_the_table_is_put_right() -> None:
    shown = played()
    shown.show(wrong_table(shown), looks=8)
    assert shown.sitting.alerts
    shown.show(shown.now(), looks=4)
    assert not shown.sitting.alerts


def test_a_person_can_say_what_lies_on_a_place() -> None:
    shown = played()
    place = next(name for name, content in shown.now().items() if name.startswith("p1.floor") and content is None)
    assert corrections.set_place(shown.sitting, place, "red").ok
    assert shown.play.game.visible(shown.sitting.state)[place] == "red"
    assert corrections.set_place(shown.sitting, "p9.nowhere", "red").key == "refused.unknown-place"


def test_the_journal_gives_the_same_game_again_after_all_corrections() -> None:
    from companion.runtime.sitting import Sitting

    shown = played()
    corrections.undo(shown.sitting, shown.sitting.played.lines[-1].slot)
    shown.show(wrong_table(shown), looks=8)
    again = Sitting(1, shown.play, shown.sitting.seats, shown.sitting.journal)
    assert again.state == shown.sitting.state


def test_what_lies_below_others_is_not_forgotten_when_a_slip_is_allowed() -> None:
    """In Azul Duel the broken tiles count, and only the top one shows: those below it were gone from the score."""
    shown = Shown("azul-duel", seed=3)
    while max(len(player.broken) for player in shown.state.players) < 2:
        shown.step()
    before = shown.sitting.state
    assert before == shown.state
    table = {**shown.now(), "p1.score": shown.now()["p1.score"] + 2}
    shown.show(table, looks=24)
    assert corrections.accept(shown.sitting, shown.sitting.alerts[0].id).ok
    after = shown.sitting.state
    assert [player.broken for player in after.players] == [player.broken for player in before.players]
    assert after.moons == before.moons
