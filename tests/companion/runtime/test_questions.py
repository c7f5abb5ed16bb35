"""If this fails, people answer the companion's question and the game goes wrong all the same."""

from __future__ import annotations

from companion.runtime import corrections
from engine.journal import Source
from tests.companion.runtime.tables import Shown


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
