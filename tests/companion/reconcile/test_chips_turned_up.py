"""Chips that are to be turned up, or lie under a stack: if one of these fails, nobody is told that a chip lies wrong,
or only when play has long gone on."""

from __future__ import annotations

from companion.reconcile.belief import SlipRaised
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, acquiring, after, walk
from tests.companion.reconcile.duel_table import Table, uncovering
from tests.companion.reconcile.watching import moves_of


def test_a_chip_that_nobody_turns_up_is_named_however_late_its_move_was_agreed_on() -> None:
    """The lamp went out after the move: whoever counts the time to turn the chip up only from when the move was agreed
    on names it when play has long gone on."""
    before, after, chip = uncovering(5)
    lying, table = {**GAME.visible(after), chip: "face-down"}, Table(before)
    assert not table.show(lying, 1)
    table.distrust(lying, 45)
    events = table.show(lying, 16)
    assert len(moves_of(events)) == 1
    assert [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips] == [
        "chip-face-wrong"
    ]


def test_a_chip_that_lay_in_sight_all_the_time_is_named_however_late_its_move_was_agreed_on() -> None:
    """The last tiles of a factory were taken beside it, and a sleeve lay where they went: whoever counts the time to
    turn the chip up from when it was to show another face names it when play has long gone on."""
    start, taken, chip = next(
        (state, done, place)
        for state in walk(8) if GAME.deal_request(state) is None
        for move in GAME.legal_moves(state) if str(GAME.describe(move).get("to")).startswith("line")
        for done in (GAME.play(state, move),) for request in (GAME.deal_request(done),)
        if request is not None and not request.places
        for place in request.choices if GAME.visible(state)[place] == "face-down"
    )
    lying, table = {**GAME.visible(taken), chip: "face-down"}, Table(start)
    went = {place: UNKNOWN for place, content in GAME.changes(start, taken).items() if content and place[0] == "p"}
    assert not moves_of(table.show({**lying, **went}, 45))
    events = table.show(lying, 16)
    assert len(moves_of(events)) == 1
    assert [event.slips[0].slug for event in events if isinstance(event, SlipRaised)] == ["chip-face-wrong"]


def test_a_chip_that_nobody_turns_up_is_named_though_a_sleeve_comes_and_goes() -> None:
    """It was taken for a chip in a hand, of which every sleeve and every misreading began the wait anew: play went on
    with nobody told."""
    before, after, chip = uncovering(5)
    lying, table = {**GAME.visible(after), chip: "face-down"}, Table(before)
    events = table.show(lying, 26)
    assert len(moves_of(events)) == 1
    for _ in range(3):
        events += table.show({**lying, chip: ["red"]}, 1) + table.show({**lying, chip: "?"}, 7) + table.show(lying, 7)
    assert [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips] == [
        "chip-face-wrong"
    ]


def test_a_rest_laid_beside_the_chip_is_named_and_stays_so_under_a_sleeve() -> None:
    """The rest of a factory goes onto its chip: laid beside it the chip stays to be seen, and whoever looks at the pile
    alone takes it for a move. A sleeve that comes over the chip later does not put it right."""
    start, slip, chip = next(
        (state, each, f"{place.removesuffix('.moon')}.chip")
        for state in acquiring(3) for each in GAME.plausible_moves(state)
        if [found.slug for found in each.slips] == ["rest-misplaced"]
        for place in each.slips[0].places if place.endswith(".moon") and not GAME.visible(state)[place]
    )
    table = Table(start)
    wrong = {**GAME.visible(start), **slip.places}
    raised = [event.slips[0].slug for event in table.show(wrong, 20) if isinstance(event, SlipRaised)]
    assert raised == ["rest-misplaced"]
    assert not table.show({**wrong, chip: UNKNOWN}, 8)
    assert not table.show(wrong, 10)
    assert slip.move is not None
    assert moves_of(table.show(GAME.visible(after(start, slip.move)), 20)) == [slip.move]
