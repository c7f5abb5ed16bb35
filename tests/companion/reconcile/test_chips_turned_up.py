"""Chips that are to be turned up, or lie under a stack: if one of these fails, nobody is told that a chip lies wrong,
or only when play has long gone on."""

from __future__ import annotations

from companion.reconcile.belief import SlipRaised, TakenBack
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, acquiring, after, parsed, walk
from tests.companion.reconcile.duel_table import Table, uncovering
from tests.companion.reconcile.watching import moves_of

LIKE_THE_OTHER = (
    'azul-duel {"bag":[5,2,0,5,2],"chips":[7,8,12,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0]'
    ',"marker_on_large":false,"moons":[[],[],[],[4]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break":f'
    'alse,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"fr'
    'ee"},"phase":"reveal","players":[{"broken":[2,2,2,2],"cells":[-1,-1,4,2,-1,2,-1,-1,0,5,-1,1,-1,-1,-1,-1,3'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[20,9,19,5,20,3,-1,-1,-1,-1],"colours"'
    ':[4,0,0,3,1,1],"counts":[1,1,1,4,4,6],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[4'
    '1,32,55,47,69,51,64,30,2],"score":0,"tokens_used":2},{"broken":[4,0,0,4],"cells":[-1,4,-1,2,-1,-1,-1,-1,-'
    '1,4,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[17,22,6,18,21,1'
    '8,-1,-1,-1,-1],"colours":[2,0,4,0,3,2],"counts":[1,1,3,1,3,4],"has_marker":true,"has_passed":false,"has_t'
    'iled":false,"plates":[60,19,56,8,27,37,4,13,23],"score":0,"tokens_used":2}],"round":4,"starter":2,"suns":'
    '[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,0,0,0,1],'
    '"turn":2}'
)
"""The chip of factory 3 is to be turned up; that of factory 1 lies open, turquoise and yellow."""


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


def test_a_chip_whose_like_lies_under_a_sleeve_was_read_right() -> None:
    """A blue chip was taken, and another player's hand lay down the turquoise and yellow one of the factory beside it,
    over which there was a sleeve. The blue one, seen for seconds, was said to have been turquoise and yellow, and its
    player to have another than was taken."""
    turned_up, first, second = parsed("reveal f3.chip=B", "p2 chip f1 chips.7", "p1 chip f3 chips.7")
    start = GAME.parse_position(LIKE_THE_OTHER)
    open_one, after_one, after_both = (
        after(start, turned_up), after(start, turned_up, first), after(start, turned_up, first, second)
    )
    table = Table(start)
    events = table.show(GAME.visible(open_one), 12)
    events += table.show({**GAME.visible(open_one), "f1.chip": UNKNOWN}, 3)
    taken = {**GAME.visible(after_one), "f1.chip": UNKNOWN, "f3.chip": None, "p1.chips.7": UNKNOWN}
    events += table.show(taken, 4, hand=True) + table.show({**taken, "f3.chip": UNKNOWN}, 2, hand=True)
    events += table.show(GAME.visible(after_both), 20)
    assert moves_of(events) == [turned_up, first, second]
    assert not [event for event in events if isinstance(event, SlipRaised | TakenBack)]
