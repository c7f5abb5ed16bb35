"""If one of these fails, broken tiles that nobody could see are guessed at, and a round is scored wrong."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from unittest.mock import Mock

import numpy as np

from companion.catalogue import played_game
from companion.runtime import corrections
from companion.runtime.heights import HeightQuestion, count_id, settle
from companion.runtime.messages import Seen
from companion.runtime.orders import obey
from companion.runtime.rig import Rig
from companion.runtime.sitting import Sitting
from companion.runtime.snapshot import SnapshotBuilder, Surroundings
from companion.runtime.sources import LiveSource
from companion.runtime.table import Table
from companion.runtime.told import CLEAR
from companion.store.games import GameStore
from companion.trials.noise import NoisyCamera
from engine.games.azul_duel.rules import GAME
from engine.games.azul_duel.state import TILING
from engine.journal import Header, Journal, Kind, Source, add, format_journal, parse_journal
from engine.registry import find_games
from tests.companion.runtime.tables import SEATS, STEP_NS, Shown, quick_settings
from tests.engine.azul_duel.build import acquiring, board
from vision.camera import CameraError
from vision.frame import Frame
from web.contract import QuestionView
from web.i18n import LANGUAGES, page_words

P1, P2 = "p1.broken", "p2.broken"


def gone_on() -> Shown:
    """Tiles break one after another while nobody looks, and people say to go on from what lies there."""
    shown = Shown("azul-duel", 5)
    for _ in range(6):
        shown.step()
    for _ in range(8):
        break_tiles(shown)
    shown.show(shown.now(), looks=60)
    sitting, (turn,) = shown.sitting, GAME.to_move(shown.state)
    assert sitting.question is not None, "nothing was asked"
    answer = next(each for each in sitting.question.asked.answers if each.turn == turn)
    assert corrections.answer(sitting, sitting.question.id, answer.id).ok
    return shown


def break_tiles(shown: Shown) -> None:
    """Whoever is to move breaks tiles, where there are any."""
    moves = GAME.legal_moves(shown.state)
    breaking = [move for move in moves if " broken" in GAME.format_move(move)]
    shown.state = GAME.play(shown.state, [*breaking, *moves][0])


def taken_up(*moves: str) -> Sitting:
    """A game that was taken up half-way, with broken tiles before each player, and what was agreed on since."""
    first, second = (board(plates={(1, 1): (number, 0)}, broken=top, score=50) for number, top in enumerate("RY"))
    state, asked = settle(GAME, None, acquiring(first, second, suns={"f1": "RRKB"}, number=2))
    journal = Journal(Header("azul-duel", ("Ann", "Bo")))
    journal = add(journal, Kind.POSITION, GAME.format_position(state), confidence=0.5, data=asked)
    for move in moves:
        journal = add(journal, Kind.MOVE, move)
    sitting = Sitting(1, played_game("azul-duel", 2), SEATS, journal)
    assert sitting.played.refusal is None
    return sitting


def view(sitting: Sitting) -> QuestionView | None:
    """What the phones show."""
    return SnapshotBuilder(lambda name: False).build(1, sitting, Surroundings("webcam")).question


def ask(sitting: Sitting) -> HeightQuestion:
    question = sitting.asking
    assert isinstance(question, HeightQuestion), "nobody is asked how many there are"
    return question


def tell(sitting: Sitting, number: int) -> None:
    """Somebody counts the tiles, and taps."""
    assert corrections.answer(sitting, ask(sitting).id, count_id(number)).ok


def test_people_are_asked_what_nobody_can_see_and_the_game_goes_on() -> None:
    """The score of the round would be wrong, and nobody would know why."""
    shown = gone_on()
    sitting = shown.sitting
    assert GAME.heights(sitting.state) != GAME.heights(shown.state), "it was known: this tests nothing"
    asked = view(sitting)
    assert asked is not None and (asked.key, asked.places) == ("heights.broken", (P1,))
    assert asked.params == {"player": 1, "count": 1}
    assert [(each.key, each.params) for each in asked.answers] == [("answer.count", {"count": n}) for n in (1, 2, 3, 4)]
    tell(sitting, GAME.heights(shown.state)[P1])
    assert ask(sitting).place == P2, "the other pile is forgotten"
    tell(sitting, GAME.heights(shown.state)[P2])
    assert sitting.asking is None and view(sitting) is None
    assert GAME.heights(sitting.state) == GAME.heights(shown.state)
    assert sitting.journal.entries[-1].source is Source.PERSON
    while shown.state.round == 1:
        shown.step()
    assert GAME.scores(sitting.state) == GAME.scores(shown.state)


def test_an_answer_that_comes_late_counts_from_then_on() -> None:
    """Whoever answers after another tile broke counts that one as well."""
    before, sitting = taken_up(), taken_up("p1 sun f1 black*1 broken top=red")
    assert ask(sitting).id != ask(before).id and ask(sitting).params == {"player": 1}
    assert (ask(sitting).counted, list(ask(sitting).numbers)) == (2, [2, 3, 4])
    assert not corrections.answer(sitting, ask(before).id, count_id(1)).ok, "a tap for what lay there before"
    tell(sitting, 3)
    assert GAME.heights(sitting.state) == {P1: 3, P2: 1}
    assert [line.entry.kind for line in sitting.played.lines] == [Kind.CORRECTION, Kind.MOVE]
    assert sitting.journal.entries[-1].source is Source.PERSON


def test_what_is_asked_and_what_was_told_outlive_the_companion() -> None:
    """The power fails, and the question is gone with it; or the answer is, and the score wrong all the same."""
    sitting = taken_up()
    again = resumed(sitting)
    assert view(again) == view(sitting) is not None
    tell(again, 3)
    told = resumed(again)
    assert GAME.heights(told.state) == {P1: 3, P2: 1}
    assert ask(told).place == P2


def test_a_pile_that_is_cleared_away_is_asked_for_no_more() -> None:
    """Nobody could count it any more."""
    sitting = taken_up()
    assert [each.place for each in sitting.heights] == [P1, P2]
    state = sitting.state._replace(phase=TILING)
    sitting.write(Kind.POSITION, GAME.format_position(state), data=sitting.journal.entries[0].data)
    sitting.write(Kind.MOVE, "p1 tile ......")
    assert GAME.heights(sitting.state)[P1] == 0
    assert [each.place for each in sitting.heights] == [P2]


def test_a_correction_elsewhere_asks_for_nothing_and_forgets_no_question() -> None:
    """People would be asked for what is known; or what they were asked for would be taken as known."""
    sitting = taken_up()
    tell(sitting, 2)
    assert corrections.set_place(sitting, "p1.score", 7).ok
    assert [each.place for each in sitting.heights] == [P2]
    tell(sitting, 4)
    assert corrections.set_place(sitting, "f1.sun", {"red": 2, "blue": 1}).ok
    assert sitting.asking is None and GAME.heights(sitting.state) == {P1: 2, P2: 4}
    assert corrections.set_place(sitting, P2, {"top": "black"}).ok
    assert [each.place for each in sitting.heights] == [P2]


def test_a_game_that_the_camera_joins_half_way_begins_with_the_question(tmp_path: Path) -> None:
    """Nobody would count the tiles that broke before the companion was switched on."""
    settings = quick_settings(tmp_path)
    source = LiveSource("webcam", no_camera)
    table = Table(settings, find_games(), GameStore(settings.data_folder), source)
    try:
        table.begin(played_game("azul-duel", 2), list(SEATS), 1)
        assert table.sitting is not None
        layout = table.sitting.play.layout
        looks = NoisyCamera(layout, CLEAR, 1).look(GAME.visible(taken_up().state), STEP_NS)
        table._see(Seen(Rig(camera=Mock(), layout=layout), Frame(np.zeros((8, 8, 3), np.uint8), 0), looks))
        asked = table.snapshot().question
        assert asked is not None and (asked.key, asked.places) == ("heights.broken", (P1,))
        assert obey(table, "answer", {"question": asked.id, "answer": count_id(3)}).ok
        assert GAME.heights(table.sitting.state)[P1] == 3
    finally:
        table.stop()


def test_a_position_that_is_taken_back_takes_its_question_with_it() -> None:
    """People would be asked about a table that never was."""
    sitting = taken_up()
    assert corrections.undo(sitting, ask(sitting).slot).ok
    assert not sitting.heights


def test_the_question_has_words_in_all_languages() -> None:
    for language in LANGUAGES:
        assert {"answer.count", "question.counting"} <= set(page_words(language))


def no_camera(*given: object, **more: object) -> NoReturn:
    raise CameraError("the test shows the table")


def resumed(sitting: Sitting) -> Sitting:
    """The same game after the companion was started again."""
    journal, problem = parse_journal(format_journal(sitting.journal))
    assert problem is None
    return Sitting(sitting.number, sitting.play, SEATS, journal)

