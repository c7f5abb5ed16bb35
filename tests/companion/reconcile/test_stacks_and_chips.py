"""Plates, stacks and chips, which come to light one by one: if one of these fails, a move is guessed, a game is lost,
or people are asked about what they are still doing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.reconcile.belief import Answer, Asked, Event, SlipRaised, TakenBack
from companion.reconcile.candidates import Ground, legal_explanation
from companion.reconcile.explanation import weigh
from companion.trials.run import FRAME_NS
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, PLAYED, acquiring, after, parsed, walk
from tests.companion.reconcile.duel_table import Table, uncovering
from tests.companion.reconcile.watching import Watching, moves_of

FAINT = -3.3
"""The log probability of what is not there, where little can be seen."""
PAUSE_LOOKS = 25 * 1_000_000_000 // FRAME_NS
"""As many as there are in twenty-five seconds."""
KINDS = {name: place.kind for name, place in PLAYED.layout.places.items()}


def troubles(events: list[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, Asked | SlipRaised)]


def misread_chip() -> tuple[Table, Any]:
    """A table at which a chip was turned up that looked like another, with a move after it, and the position once it
    has been taken."""
    _, turning, place = uncovering(4)
    request = GAME.deal_request(turning)
    assert request is not None
    right, wrong = (next(each for each in request.choices[place] if len(each) == colours) for colours in (2, 1))
    seemed, was = (GAME.play(turning, GAME.deal(turning, {place: face})) for face in (wrong, right))
    waiting = next(move for move in GAME.legal_moves(seemed) if GAME.describe(move)["action"] == "sun")
    chip = next(
        move for move in GAME.legal_moves(GAME.play(seemed, waiting))
        if (told := GAME.describe(move))["action"] == "chip" and f"{told['from']}.chip" == place
    )
    table = Table(turning)
    events = table.show(GAME.visible(seemed)) + table.show(GAME.visible(GAME.play(seemed, waiting)))
    assert moves_of(events)[1:] == [waiting]
    return table, GAME.play(GAME.play(was, waiting), chip)


def test_a_chip_that_shows_to_be_another_once_it_was_taken_is_that_one() -> None:
    """Its black half had looked like the moon around it. Whoever took it seemed to have taken a chip that lay nowhere,
    and from then on nothing was agreed on."""
    table, after = misread_chip()
    events = table.show(GAME.visible(after))
    assert [event.moves for event in events if isinstance(event, TakenBack)] == [tuple(moves_of(table.events)[:2])]
    assert table.reconciler.state == after
    assert not troubles(table.events)


def test_a_chip_on_which_a_person_has_built_stays_what_it_is() -> None:
    """Whoever said which slip it was has said with that what lay there before."""
    table, after = misread_chip()
    table.reconciler.raise_told(Answer("a1", "answer.slip"))
    assert not [event for event in table.show(GAME.visible(after)) if isinstance(event, TakenBack)]


def test_a_chip_that_stays_face_up_was_not_used() -> None:
    """Two tilings that are alike but for one more chip: the one that lies there counts, and nobody is asked."""
    for state in walk(2):
        if GAME.phase(state) != "tiling":
            continue
        options = [(move, GAME.changes(state, GAME.play(state, move))) for move in GAME.legal_moves(state)]
        pairs = [
            (fewer, more) for fewer, one in options for more, other in options
            if one.items() <= other.items() and len(one) < len(other)
            and all(".chips." in place for place in other.keys() - one.keys())
        ]
        if pairs:
            break
    fewer, _ = pairs[0]
    events = Table(state).show(GAME.visible(GAME.play(state, fewer)), 20)
    assert moves_of(events)[:1] == [fewer]
    assert not troubles(events)


def test_a_plate_that_was_taken_at_once_is_known_from_where_it_lies() -> None:
    """The display is filled and the new plate taken between two looks; without this the whole round would be lost."""
    waiting = next(state for state in walk(3) if GAME.phase(state) == "deal" and GAME.round(state) == 2)
    deal = GAME.random_deal(waiting, 4)
    filled = GAME.play(waiting, deal)
    new = next(iter(GAME.deal_request(waiting).choices))
    taken = next(move for move in GAME.legal_moves(filled) if GAME.describe(move).get("from") == new)
    events = Table(waiting).show(GAME.visible(GAME.play(filled, taken)), 20)
    told = moves_of(events)
    assert len(told) == 2 and told[1] == taken
    assert not troubles(events)


def test_a_plate_that_was_turned_up_and_taken_in_the_dark_is_no_misplaced_one() -> None:
    """Nobody saw it in the display, and it lies on a board now: its owner would be accused, and nothing could be
    followed any more."""
    requests = [(each, GAME.deal_request(each)) for _, each in zip(range(5), walk(3), strict=False)]
    state, place = next(
        (each, next(iter(request.choices))) for each, request in requests
        if request is not None and len(request.choices) == 1 and not request.places
    )
    dealt = GAME.play(state, GAME.random_deal(state, 5))
    move = next(each for each in GAME.legal_moves(dealt) if GAME.describe(each)["from"] == place)
    events = Table(state).show(GAME.visible(GAME.play(dealt, move)), 16)
    assert not troubles(events)
    assert moves_of(events)[1:] == [move]


def test_the_top_of_a_stack_is_not_known_before_the_hand_has_left() -> None:
    """A player stacks the rest one by one: what lies on top meanwhile is not what the next player will find."""
    state, low, high = next(
        (state, low, high) for state in walk(5) if GAME.phase(state) == "acquire"
        for low in GAME.legal_moves(state) for high in GAME.legal_moves(state)
        if getattr(low, "top", None) and low != high and replace(low, top=getattr(high, "top", None)) == high
    )
    table = Table(state)
    assert not moves_of(table.show(GAME.visible(GAME.play(state, low)), 15, hand=True))
    assert moves_of(table.show(GAME.visible(GAME.play(state, high)), 6)) == [high]


def test_nobody_is_asked_about_a_refill_that_takes_its_time() -> None:
    """Factory after factory is filled over half a minute, somebody fetches a drink half-way, and when the last tile
    lies there the deal is agreed on."""
    state = next(state for state in walk(7) if GAME.phase(state) == "deal" and GAME.round(state) == 2)
    deal = GAME.random_deal(state, 6)
    changes = GAME.changes(state, GAME.play(state, deal))
    table, shown = Table(state), dict(GAME.visible(state))
    events: list[Event] = []
    for number, (place, content) in enumerate(changes.items()):
        shown[place] = content
        events += table.show(shown, 8, hand=True)
        if number == len(changes) // 2:
            events += table.show(shown, PAUSE_LOOKS)
    events += table.show(shown, 8)
    assert moves_of(events) == [deal]
    assert not troubles(events)


def test_a_chip_that_was_taken_before_it_was_seen_is_known_from_the_store() -> None:
    """Turned up and taken in one go: the chip lies in front of its owner, and the game goes on, in whatever order the
    rules name its colours."""
    for waiting in walk(11):
        if GAME.phase(waiting) != "reveal" or len(GAME.deal_request(waiting).choices) != 1:
            continue
        place, fronts = next(iter(GAME.deal_request(waiting).choices.items()))
        fronts = [front for front in fronts if front != sorted(front)]
        if not fronts:
            continue
        deal = GAME.deal(waiting, {place: fronts[0]})
        turned = GAME.play(waiting, deal)
        chips = [
            move for move in GAME.legal_moves(turned) if GAME.describe(move).get("action") == "chip"
            and f"{GAME.describe(move)['from']}.chip" == place
        ]
        if chips:
            break
    events = Table(waiting).show(GAME.visible(GAME.play(turned, chips[0])), 25)
    assert moves_of(events)[:2] == [deal, chips[0]]
    assert not troubles(events)


def test_of_two_chips_alike_the_one_that_was_turned_up_is_known() -> None:
    """One lay open, its like was turned up, and both were taken before anybody looked: without this the game stops."""
    for waiting in walk(11):
        if GAME.phase(waiting) != "reveal" or len(GAME.deal_request(waiting).choices) != 1:
            continue
        place, fronts = next(iter(GAME.deal_request(waiting).choices.items()))
        alike = [other for other in ("f1", "f2", "f3", "f4") if GAME.visible(waiting)[f"{other}.chip"] in fronts]
        if alike:
            break
    deal = GAME.deal(waiting, {place: GAME.visible(waiting)[f"{alike[0]}.chip"]})
    state = GAME.play(waiting, deal)
    for source in (place.split(".")[0], alike[0]):
        chip = next(
            move for move in GAME.legal_moves(state)
            if GAME.describe(move).get("action") == "chip" and GAME.describe(move)["from"] == source
        )
        state = GAME.play(state, chip)
    table = Table(waiting)
    events = table.show(GAME.visible(state), 25)
    assert moves_of(events)[:1] == [deal]
    assert GAME.visible(table.reconciler.state) == GAME.visible(state)
    assert not troubles(events)


def test_a_chip_that_is_covered_for_a_moment_is_waited_for() -> None:
    """Two chips are turned up and a sleeve lies over one: without this its colours would be lost for the round."""
    waiting = next(
        state for state in walk(41)
        if GAME.phase(state) == "reveal" and len(GAME.deal_request(state).choices) == 2
    )
    deal = GAME.random_deal(waiting, 8)
    seen = GAME.visible(GAME.play(waiting, deal))
    covered, _ = GAME.deal_request(waiting).choices
    table = Table(waiting)
    assert not moves_of(table.show({**seen, covered: "?"}, 8))
    assert moves_of(table.show(seen, 6)) == [deal]


def test_a_chip_that_peeps_out_from_under_its_stack_holds_nothing_up() -> None:
    """Nobody knows the chip under a stack, so whatever shows there, moves are agreed on and nobody is asked."""
    state = next(
        state for state in walk(41) if GAME.phase(state) == "acquire" and state.moons[0] and any(state.suns[0])
    )
    table, peeping = Table(state), {"f1.chip": ["black"]}
    events = table.show({**GAME.visible(state), **peeping}, 70)
    move = next(move for move in GAME.legal_moves(state) if GAME.describe(move).get("from") == "big")
    events += table.show({**GAME.visible(GAME.play(state, move)), **peeping})
    assert moves_of(events) == [move]
    assert not troubles(events)


def test_nobody_is_accused_while_the_plate_may_lie_under_a_sleeve() -> None:
    """The token lies there already, and what was laid for it is covered: a wrong accusation, without this."""
    state = next(
        state for seed in range(5) for state in walk(seed)
        if GAME.phase(state) == "acquire" and not state.players[state.turn - 1].score
        and len(GAME.legal_moves(state)) > 300
    )
    plates = [move for move in GAME.legal_moves(state) if GAME.describe(move).get("from") == "stack"]
    seen = GAME.visible(GAME.play(state, plates[0]))
    table = Table(state)
    covered = {f"p{plates[0].player}.{plates[0].to}": "?"}
    assert not table.show({**seen, **covered}, 14)
    assert moves_of(table.show(seen, 8)) == [plates[0]]


def test_two_tiles_that_go_one_after_the_other_are_two_moves() -> None:
    """A stack of two of one colour: one player breaks the upper, the other the lower. Had one taken both it would be a
    slip, but then both would have gone at once; a game came to a halt over that doubt."""

    def broken(state: Any) -> list[Any]:
        return [
            move for move in GAME.legal_moves(state)
            if GAME.describe(move)["action"] == "moon" and GAME.describe(move)["to"] == "broken"
        ] if GAME.phase(state) == "acquire" else []

    state, first, second = next(
        (state, first, second) for seed in range(40) for state in walk(seed)
        for first in broken(state) if len(GAME.changes(state, between := GAME.play(state, first))) == 1
        for second in broken(between) if len(GAME.changes(between, GAME.play(between, second))) == 1
        and len(GAME.changes(state, GAME.play(between, second))) == 2
        and GAME.player_of(first) != GAME.player_of(second)
        and any(
            each.slips and each.places == GAME.changes(state, GAME.play(between, second))
            for each in GAME.plausible_moves(state)
        )
    )
    between = GAME.play(state, first)
    table = Table(state, every_ns=100_000_000)
    (place,) = GAME.changes(state, between)
    events: list[Event] = []
    for shown, looks in ((between, 10), (GAME.play(between, second), 30)):
        for _ in range(looks):
            look = table.next_look(GAME.visible(shown))
            # What was broken lies on others and is not seen well.
            faint = {part: {value: max(chance, FAINT) for value, chance in table_.items()}
                     for part, table_ in look.readings[place].parts.items()}
            faded = replace(look.readings[place], parts=faint)
            events += table.reconciler.observe(replace(look, readings={**look.readings, place: faded})).events
    assert moves_of(events) == [first, second]
    assert not troubles(events)


def test_three_plates_that_were_laid_in_the_dark_are_three_moves() -> None:
    """A slip with two moves after it shows the same; as nobody looked for a third move, the game was not followed any
    more."""

    def plates(state: Any, source: str) -> list[Any]:
        return [
            move for move in GAME.legal_moves(state)
            if GAME.describe(move)["action"] == "plate" and GAME.describe(move)["from"] == source
            and GAME.describe(move).get("drawn", 1) == 1
        ] if GAME.phase(state) == "acquire" else []

    def laid_in_a_row() -> Iterator[tuple[Any, list[Any], Any]]:
        for state in walk(11):
            moves, after = list[Any](), state
            for source in ("offer.1", "offer.3", "stack"):
                possible = plates(after, source)[:1]
                moves += possible
                after = GAME.play(after, possible[0]) if possible else after
            if len(moves) == 3:
                yield state, moves, after

    before, laid, after = next(laid_in_a_row())
    table = Table(before, every_ns=100_000_000)
    # There is light again just before the third is laid.
    table.show(GAME.visible(GAME.play(GAME.play(before, laid[0]), laid[1])), 1)
    table.pass_over(20)
    assert moves_of(table.show(GAME.visible(after), 20)) == laid
    assert not troubles(table.events)


def test_what_lies_beside_a_move_that_is_still_waited_for_is_not_judged_yet() -> None:
    """A tile is broken onto one of its colour, which nobody can see; then the other player takes a chip too many.
    Judged together with the tile that has gone it was called by a wrong name."""
    state, first = next(
        (state, move) for seed in range(40) for state in walk(seed) if GAME.phase(state) == "acquire"
        for move in GAME.legal_moves(state)
        if GAME.describe(move)["action"] == "moon"
        and list(GAME.changes(state, GAME.play(state, move)).values()) == [None]
    )
    other = 3 - GAME.player_of(first)
    shown = GAME.visible(GAME.play(state, first))
    free = next(place for place, content in shown.items() if place.startswith(f"p{other}.chips.") and content is None)
    table = Table(state, every_ns=100_000_000)
    table.show(shown, 20)
    assert not troubles(table.show({**shown, free: ["black"]}, 40))


def test_a_tile_that_went_to_the_tower_and_the_chip_it_uncovered_are_followed() -> None:
    """A full stack of broken tiles takes no more: nothing shows but that the last tile of a moon is gone. Its chip is
    turned up and taken, over a pass that could not be otherwise; the whole round was lost after that."""
    for state in walk(0):
        for pick in GAME.legal_moves(state) if GAME.phase(state) == "acquire" else ():
            picked = GAME.play(state, pick)
            request, gone = GAME.deal_request(picked), list(GAME.changes(state, picked))
            if len(gone) != 1 or not gone[0].endswith(".moon") or request is None or request.places:
                continue
            reveal = GAME.random_deal(picked, 1)
            turned = GAME.play(picked, reveal)
            passed = GAME.legal_moves(turned)
            if len(passed) == 1 and not GAME.changes(turned, GAME.play(turned, passed[0])):
                break
        else:
            continue
        break
    chip = gone[0].removesuffix(".moon")
    waiting = GAME.play(turned, passed[0])
    taken = next(move for move in GAME.legal_moves(waiting) if GAME.describe(move).get("from") == chip)
    table = Table(state)
    events = table.show(GAME.visible(picked), 6) + table.show(GAME.visible(turned), 10)
    events += table.show(GAME.visible(GAME.play(waiting, taken)), 12)
    assert moves_of(events) == [pick, reveal, passed[0], taken]
    assert not troubles(events)


def test_a_chip_that_nobody_can_see_is_not_taken_to_lie_where_nothing_does() -> None:
    """A sleeve lay over the chip while somebody pushed their stone: that was told as the chip taken, whichever it was,
    to a space that was plain to see and bare, and what followed was called a slip."""
    before, after, chip = uncovering(5)
    table = Table(before)
    table.show({**GAME.visible(after), chip: "?"}, 10)
    turned = GAME.deal(after, {chip: UNKNOWN})
    take = next(
        move for move in GAME.legal_moves(GAME.play(after, turned))
        if GAME.describe(move).get("from") == chip.removesuffix(".chip")
    )
    kinds = {name: place.kind for name, place in PLAYED.layout.places.items()}
    ground = Ground(GAME, kinds, GAME.play(after, turned), {})
    taken = legal_explanation(ground, GAME.visible(after), take, (turned,))
    space = f"p{GAME.player_of(take)}.{GAME.describe(take)['to']}"
    assert taken.table[space] == UNKNOWN
    assert weigh(taken, table.reconciler.evidence, {}, 0).against == {space}


def test_a_chip_that_was_seen_under_a_lifted_stack_is_not_wrong_when_the_stack_is_taken_later() -> None:
    """Somebody lifted the stack and put it back: without this the next player is told of the chip before having had the
    time to turn it up."""
    before, after, chip = uncovering(5)
    moon = chip.replace("chip", "moon")
    assert GAME.visible(before)[chip] == "?" and GAME.visible(before)[moon]
    table = Table(before)
    table.show({**GAME.visible(before), chip: "face-down", moon: None}, 12)
    table.show(GAME.visible(before), 30)
    events = table.show({**GAME.visible(after), chip: "face-down"}, 20)
    assert len(moves_of(events)) == 1
    assert not troubles(events)


def test_a_top_that_was_taken_before_it_was_seen_is_told_by_what_was_done_with_it() -> None:
    """A sleeve lies over a factory until two blue tiles have left, one of them from the top of its new stack, and lie
    on two lines: which top was pushed there first is told by them, and a game was lost over the one that shows now."""
    first, meant = parsed("p1 sun f2 red*1 line1 top=blue", "p2 moon blue*2 line3 f2=turquoise big")
    start, slip = next(
        (state, slip) for state in acquiring(0) if first in GAME.legal_moves(state)
        for slip in GAME.plausible_moves(GAME.play(state, first))
        if slip.move == meant and slip.slips and "p2.line5.1" in slip.places
    )
    between = GAME.play(start, first)
    table = Table(start, every_ns=100_000_000)
    table.pass_over(35)
    wrong = table.show({**GAME.visible(between), **slip.places}, 32)
    table.pass_over(15)
    right = table.show(GAME.visible(GAME.play(between, meant)), 10)
    assert moves_of(wrong) + moves_of(right) == [first, meant]
    assert {each.slug for event in troubles(wrong + right) for each in event.slips} <= {"split-over-lines"}


def test_a_plate_that_was_taken_as_soon_as_it_was_laid_out_came_from_there() -> None:
    """Before anybody could look, the display was filled up, the plate taken and replaced: whoever took it was accused
    of a plate that came from nowhere."""
    state = GAME.new(2, PLAYED.options, 1)
    while GAME.deal_request(state) is not None:
        state = GAME.play(state, GAME.random_deal(state, 4))
    start_plate = GAME.legal_moves(state)[0]
    place = GAME.describe(start_plate)["from"]
    state = GAME.play(state, start_plate)
    first = GAME.random_deal(state, 5)
    filled = GAME.play(state, first)
    taken = next(move for move in GAME.legal_moves(filled) if GAME.describe(move)["from"] == place)
    second = GAME.random_deal(GAME.play(filled, taken), 6)
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 10)
    table.distrust(GAME.visible(state), 20)
    table.watch(GAME.visible(after(state, first, taken, second)), 20)
    assert not [event for event in table.events if isinstance(event, SlipRaised)]
    assert moves_of(table.events)[1:] == [taken, second]


def test_a_plate_of_the_first_display_that_was_only_glimpsed_there_came_from_there() -> None:
    """The table could hardly be believed from the first refill until a plate had been taken and replaced. The new one
    was told as one of the first display, the first player was accused, and the game was lost at once."""
    moves, states = [], [GAME.new(2, PLAYED.options, 1)]
    for seed in range(4):
        request = GAME.deal_request(states[-1])
        moves.append(GAME.legal_moves(states[-1])[0] if request is None else GAME.random_deal(states[-1], seed))
        states.append(GAME.play(states[-1], moves[-1]))
    empty, _, filled, _, replaced = states
    table = Watching(PLAYED, empty)
    table.watch(GAME.visible(empty), 2)
    table.distrust(GAME.visible(filled), 20)
    table.watch(GAME.visible(filled), 3)
    table.distrust(GAME.visible(filled), 20)
    table.watch(GAME.visible(replaced), 20)
    assert not troubles(table.events)
    assert moves_of(table.events) == moves
