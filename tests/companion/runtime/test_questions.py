"""If this fails, people answer the companion's question and the game goes wrong all the same."""

from __future__ import annotations

from companion.reconcile.belief import Answer
from companion.runtime import corrections
from companion.runtime.snapshot import answer_view
from engine.journal import Source
from tests.companion.runtime.tables import Shown
from web.i18n import LANGUAGES, page_words


def test_an_answer_leads_to_the_right_game() -> None:
    """Tiles leave a factory, and something lies on the board they went to: who knows where? The players do."""
    shown = Shown()
    for _ in range(3):
        shown.step()
    game, sitting = shown.play.game, shown.sitting
    mover = game.to_move(shown.state)[0]
    truth = next(move for move in game.legal_moves(shown.state) if "line5" in game.format_move(move))
    shown.state = game.play(shown.state, truth)
    lines = (f"p{mover}.line4", f"p{mover}.line5")
    shown.show({place: "?" if place.startswith(lines) else content for place, content in shown.now().items()}, looks=40)
    assert sitting.question is not None, "nothing was asked"
    assert sitting.state != shown.state, "it was guessed"
    answer = next(each for each in sitting.question.asked.answers if each.steps == (truth,))
    assert corrections.answer(sitting, sitting.question.id, answer.id).ok
    assert sitting.state == shown.state and sitting.question is None
    assert sitting.journal.entries[-1].source is Source.PERSON
    for _ in range(4):
        shown.step()
    assert sitting.state == shown.state


def test_a_game_whose_thread_was_lost_goes_on_from_what_lies_there() -> None:
    """The table is played on while nobody looks, further than any run of moves can explain. One tap, and the score is
    kept again from there; without it the evening would have to be typed in."""
    shown = Shown()
    for _ in range(3):
        shown.step()
    game, sitting = shown.play.game, shown.sitting
    for _ in range(9):
        move = next(iter(game.legal_moves(shown.state)), None)
        if move is None:
            break
        shown.state = game.play(shown.state, move)
    shown.show(shown.now(), looks=60)
    assert sitting.question is not None, "nothing was asked"
    asked = sitting.question.asked
    turn = game.to_move(shown.state)[0]
    answer = next(each for each in asked.answers if each.turn == turn)
    assert corrections.answer(sitting, sitting.question.id, answer.id).ok
    assert game.visible(sitting.state) == shown.now()
    assert game.to_move(sitting.state) == game.to_move(shown.state)
    for _ in range(4):
        shown.step()
    assert game.visible(sitting.state) == shown.now() and not sitting.alerts


def test_every_question_and_answer_has_words_in_all_languages() -> None:
    """A key without words would be shown to the players as it stands in the code."""
    game = Shown().play.game
    keys = {"question.ambiguous", "question.unexplained", "answer.move", "answer.slip"}
    keys |= {answer_view(game, each).key for each in (Answer("a0", "answer.nothing"), Answer("t1", "", turn=1))}
    for language in LANGUAGES:
        assert keys <= set(page_words(language))


def test_a_slip_that_a_person_confirms_lies_on_the_table() -> None:
    """Somebody says which slip it is; if it were forgotten, the board would be scored with the slip on it."""
    shown = Shown()
    for _ in range(3):
        shown.step()
    sitting = shown.sitting
    assert sitting.reconciler is not None
    slips = [each for each in shown.play.game.plausible_moves(shown.state) if each.slips]
    wrong = next(each for each in slips if each.slips[0].slug == "gap-in-line")
    lines = tuple(place for place in wrong.places if "line" in place)
    shown.show({**shown.now(), **wrong.places, **{lines[0]: "?"}}, looks=60)
    assert sitting.question is not None, "nothing was asked"
    answer = next(each for each in sitting.question.asked.answers if each.slips)
    assert corrections.answer(sitting, sitting.question.id, answer.id).ok
    assert [alert.slip.slug for alert in sitting.alerts] == [slip.slug for slip in answer.slips]
