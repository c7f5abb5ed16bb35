"""If these fail, a game is lost: a torn line, an undo or a correction must never cost what was agreed before."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.api import Game
from engine.errors import EngineError, JournalError
from engine.journal import (
    Header,
    Journal,
    Kind,
    Source,
    add,
    format_entry,
    format_journal,
    last_standing,
    parse_entry,
    parse_journal,
    standing,
)
from engine.registry import find_games
from engine.replay import advance, correct, prefix, replay, rounds, undo, what_if
from tests.conftest import FIXTURES

GAME = find_games(FIXTURES)["pebbles"]
HEADER = Header("pebbles", ("Ann", "Bo"), {"most": 2})


def journal_of(*notations: str) -> Journal:
    """A journal whose entries are these moves and deals."""
    journal = Journal(HEADER)
    for index, notation in enumerate(notations):
        kind = Kind.DEAL if notation.startswith("deal") else Kind.MOVE
        journal = add(journal, kind, notation, t_seconds=index * 1.5, confidence=0.9)
    return journal


PLAYED = ("deal 4 4", "1 blue 2", "2 blue 2", "1 red 2", "2 red 2")


def test_a_journal_resumes_where_it_stopped(pebbles: Game) -> None:
    text = format_journal(journal_of(*PLAYED[:3]))
    journal, problem = parse_journal(text)
    assert problem is None
    played = replay(pebbles, journal)
    assert pebbles.scores(played.state) == (4, 4)
    assert pebbles.to_move(played.state) == (1,)
    assert [line.reasons[0].points for line in played.lines[1:]] == [4, 4]


def test_a_game_joined_in_the_middle_starts_there(pebbles: Game) -> None:
    position = pebbles.format_position(replay(pebbles, journal_of(*PLAYED[:3])).state)
    journal = Journal(Header("pebbles", ("Ann", "Bo"), {}, 1, position))
    assert pebbles.format_position(replay(pebbles, journal).state) == position


def test_undo_takes_back_and_undoing_that_brings_it_back(pebbles: Game) -> None:
    journal = journal_of(*PLAYED[:3])
    assert last_standing(journal) == 3
    back = undo(journal, 3)
    assert pebbles.scores(replay(pebbles, back).state) == (4, 0)
    assert last_standing(back) == 2
    again = undo(back, 4)
    assert replay(pebbles, again).state == replay(pebbles, journal).state


def test_what_if_replays_what_still_fits(pebbles: Game) -> None:
    journal = journal_of(*PLAYED)
    after = what_if(pebbles, journal, 2, "1 blue 1")
    assert after.refusal is None
    assert pebbles.scores(after.state) == (4, 6)
    assert [line.slot for line in after.lines] == [1, 2, 3, 4, 5]
    assert after.lines[1].entry.source is Source.PERSON


def test_what_if_names_the_first_entry_that_no_longer_fits(pebbles: Game) -> None:
    journal = journal_of("deal 4 4", "1 blue 1", "2 blue 2", "1 blue 1", "2 red 2")
    after = what_if(pebbles, journal, 2, "1 blue 2")
    assert after.refusal is not None
    assert after.refusal.slot == 4
    assert after.refusal.notation == "1 blue 1"
    assert after.refusal.sentence.startswith("entry 4 ('1 blue 1') does not fit any more: ")
    assert after.refusal.slip is not None
    assert after.held == (4, 5)
    assert pebbles.scores(after.state) == (4, 4)


def test_an_agreed_position_is_firm_ground_after_a_gap(pebbles: Game) -> None:
    journal = journal_of("deal 4 4", "1 blue 1", "2 blue 2", "1 blue 1")
    agreed = pebbles.format_position(replay(pebbles, journal).state)
    journal = add(journal, Kind.POSITION, agreed, source=Source.PERSON)
    journal = add(journal, Kind.MOVE, "2 red 1")
    after = what_if(pebbles, journal, 2, "1 blue 2")
    assert after.refusal is not None
    assert after.held == (4,)
    assert after.lines[-1].entry.notation == "2 red 1"
    assert pebbles.scores(after.state) == (4, 5)


def test_an_accepted_slip_becomes_the_agreed_position(pebbles: Game) -> None:
    journal = journal_of("deal 4 4")
    as_it_lies = pebbles.position_from({"bowl": {"red": 4, "blue": 1}, "p1.kept": {"blue": 3}, "p2.kept": {}}, 2, {}, 2)
    journal = add(
        journal, Kind.POSITION, pebbles.format_position(as_it_lies), source=Source.PERSON,
        data={"slips": ["too-many-taken"]},
    )
    journal = add(journal, Kind.MOVE, "2 red 1")
    read, problem = parse_journal(format_journal(journal))
    assert problem is None
    assert read == journal
    assert pebbles.scores(replay(pebbles, read).state) == (6, 1)


def test_a_correction_can_be_corrected_and_taken_back(pebbles: Game) -> None:
    journal = correct(journal_of(*PLAYED[:2]), 2, "1 blue 1")
    twice = correct(journal, 3, "1 red 1")
    assert pebbles.scores(replay(pebbles, twice).state) == (1, 0)
    assert pebbles.scores(replay(pebbles, undo(twice, 4)).state) == (2, 0)
    assert pebbles.scores(replay(pebbles, undo(twice, 2)).state) == (0, 0)
    assert pebbles.scores(replay(pebbles, correct(undo(twice, 2), 2, "1 red 2")).state) == (2, 0)


def test_a_slip_that_was_seen_changes_no_position(pebbles: Game) -> None:
    journal = journal_of(*PLAYED[:2])
    noted = add(journal, Kind.SLIP, "too-many-taken", data={"player": 1, "places": ["p1.kept"]})
    assert replay(pebbles, noted) == replay(pebbles, journal)


def test_the_camera_never_overrules_a_person() -> None:
    journal = correct(journal_of(*PLAYED[:2]), 2, "1 blue 1")
    with pytest.raises(EngineError, match="entry 2 was settled by a person, so the camera cannot supersede it"):
        add(journal, Kind.UNDO, supersedes=2)
    with pytest.raises(EngineError, match="entry 3 was settled by a person"):
        add(journal, Kind.CORRECTION, "1 blue 2", supersedes=3)


@pytest.mark.parametrize(
    ("kind", "supersedes", "told"),
    [
        (Kind.MOVE, 1, "a 'move' entry may not name an entry that it supersedes"),
        (Kind.UNDO, None, "a 'undo' entry must name an entry that it supersedes"),
        (Kind.UNDO, 9, "entry 3 supersedes entry 9, but only an earlier entry can be superseded"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused(kind: Kind, supersedes: int | None, told: str) -> None:
    with pytest.raises(EngineError, match=told):
        add(journal_of(*PLAYED[:2]), kind, "1 red 1", supersedes=supersedes)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"n":3,"kind":"mo', "line 4: torn or not JSON"),
        ("[1, 2]", "line 4: expected an object"),
        ('{"n":7,"kind":"move","notation":"1 red 1","source":"camera","confidence":1,"t":0}', "numbered 7, but 3"),
        ('{"n":3,"kind":"jump","notation":"","source":"camera","confidence":1,"t":0}', "line 4: 'jump' is not a valid"),
        ('{"n":3,"kind":"move","source":"camera","confidence":1,"t":0}', "line 4: the key 'notation' is missing"),
        ('{"n":3,"kind":"undo","notation":"","source":"camera","confidence":1,"t":0,"supersedes":3}', "only an earl"),
        ('{"n":1e999,"kind":"move","notation":"","source":"camera","confidence":1,"t":0}', "line 4: "),
        ("\x00\x00\x00\x00", "line 4: torn or not JSON"),
    ],
)
def test_a_bad_line_is_named_and_what_stands_before_it_is_kept(pebbles: Game, line: str, told: str) -> None:
    good = journal_of(*PLAYED[:2])
    journal, problem = parse_journal(format_journal(good) + line + "\n" + format_entry(good.entries[0]) + "\n")
    assert problem is not None
    assert problem.line_number == 4
    assert told in str(problem)
    assert "\n" not in str(problem)
    assert journal == good


@pytest.mark.parametrize("line", ["", "not json", '{"format":"other/1"}', '{"format":"table-journal/1","game":"x"}'])
def test_a_file_that_is_no_journal_says_so(line: str) -> None:
    with pytest.raises(JournalError, match="line 1: "):
        parse_journal(line)


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(min_value=0))
def test_a_journal_torn_anywhere_keeps_every_whole_line(cut: int) -> None:
    journal = undo(correct(journal_of(*PLAYED), 3, "2 blue 1"), 5)
    text = format_journal(journal)
    first = text.index("\n") + 1
    torn = text[: first + cut % (len(text) - first + 1)]
    read, problem = parse_journal(torn)
    whole = torn.count("\n") - 1
    assert read.entries[:whole] == journal.entries[:whole]
    # A last line that lacks only its newline is whole all the same.
    assert (problem is not None) == (len(read.entries) == whole and not torn.endswith("\n"))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_undoing_step_by_step_visits_every_position_again(seed: int) -> None:
    game = GAME
    rng = Random(seed)
    journal = Journal(HEADER)
    states = [replay(game, journal).state]
    while not game.is_over(states[-1]):
        state = states[-1]
        deal = not game.to_move(state)
        move = game.random_deal(state, seed) if deal else rng.choice(game.legal_moves(state))
        journal = add(journal, Kind.DEAL if deal else Kind.MOVE, game.format_move(move))
        states.append(replay(game, journal).state)
    assert [replay(game, prefix(journal, n)).state for n in range(len(states))] == states
    for expected in reversed(states[:-1]):
        slot = last_standing(journal)
        assert slot is not None
        journal = undo(journal, slot)
        assert replay(game, journal).state == expected
    assert standing(journal.entries) == ()


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_advancing_is_the_same_as_replaying(seed: int) -> None:
    """Whatever is said in whatever order, the quick way and the long way agree, and the text form keeps it all."""
    game = GAME
    rng = Random(seed)
    journal = Journal(HEADER)
    played = replay(game, journal)
    for _ in range(12):
        kind = rng.choice([*Kind, Kind.MOVE, Kind.MOVE])
        steps = [entry.n for entry in journal.entries if entry.kind not in (Kind.SLIP, Kind.UNDO)]
        if kind in (Kind.UNDO, Kind.CORRECTION):
            if not steps:
                continue
            slot = rng.choice(steps)
            journal = undo(journal, slot) if kind is Kind.UNDO else correct(journal, slot, "1 red 1")
        elif kind is Kind.POSITION:
            journal = add(journal, kind, "2 1 1 4,4 0,0/0,0", source=Source.PERSON)
        else:
            notation = {Kind.DEAL: "deal 4 4", Kind.SLIP: "too-many-taken"}.get(kind, f"{rng.randint(1, 2)} red 1")
            journal = add(journal, kind, notation)
        played = advance(game, played, journal)
        assert played == replay(game, journal)
    assert parse_journal(format_journal(journal)) == (journal, None)


def test_every_entry_reads_back_as_it_was_written() -> None:
    for entry in undo(correct(journal_of(*PLAYED), 3, "2 blue 1"), 5).entries:
        earlier = undo(correct(journal_of(*PLAYED), 3, "2 blue 1"), 5).entries[: entry.n - 1]
        assert parse_entry(format_entry(entry), earlier) == entry


def test_round_summaries_hold_every_point(pebbles: Game) -> None:
    played = replay(pebbles, journal_of(*PLAYED))
    (summary,) = rounds(pebbles, played)
    assert summary.scores == pebbles.scores(played.state)
    assert sum(reason.points for reason in summary.reasons) == sum(summary.scores)
