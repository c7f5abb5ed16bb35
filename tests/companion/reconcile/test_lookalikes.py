"""Positions that look alike because of what a pile hides: if one of these fails, a player is accused of having moved
out of turn, or a whole game goes wrong without a word, because one of them was taken for true for good."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion.catalogue import played_game
from companion.outcome import OutcomeBook
from companion.reconcile.belief import Asked, Belief, Confirmed, Event, SlipRaised, TakenBack, Update, Verdict
from companion.reconcile.candidates import Ground, silent_moves
from companion.reconcile.dealing import ranked_contents
from companion.reconcile.evidence import Evidence
from companion.runtime.sitting import Sitting
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS
from engine.journal import Header, Journal
from tests.companion.reconcile.duel_positions import acquiring, parsed
from tests.companion.reconcile.watching import Watching, moves_of

PLAYED = played_game("azul-duel", 2)
GAME = PLAYED.game
KINDS = {name: place.kind for name, place in PLAYED.layout.places.items()}

STACKS_ALIKE = (
    'azul-duel {"bag":[7,5,1,4,4],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[1,0,1,2,'
    '0],"marker_on_large":true,"moons":[[4,4,3],[1,2],[3,3,0],[0,0,2]],"offer":[40,-1,-1],"options":{"partial_'
    'voluntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack'
    '_draw_at_zero":"free"},"phase":"acquire","players":[{"broken":[3],"cells":[-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,2,-1,-1,0,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[20,16,4,22,22,17,-1,-'
    '1,-1,-1],"colours":[2,3,2,-1,4,1],"counts":[1,2,1,0,1,3],"has_marker":false,"has_passed":false,"has_tiled'
    '":false,"plates":[22,0,31,34,45,63,49,-1,25],"score":0,"tokens_used":1},{"broken":[],"cells":[-1,-1,-1,-1'
    ',1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[1'
    '9,21,24,2,9,5,-1,-1,-1,-1],"colours":[3,1,2,4,4,2],"counts":[1,2,2,2,3,3],"has_marker":false,"has_passed"'
    ':false,"has_tiled":false,"plates":[70,-1,15,59,5,53,16,9,39],"score":0,"tokens_used":1}],"round":4,"start'
    'er":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower"'
    ':[0,0,0,0,0],"turn":1}'
)
"""Player 1 is to move; later two turquoise tiles come to lie on factory 1, and two blue ones on factory 4."""


def troubles(events: list[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, Asked | SlipRaised)]


def after_silent(seed: int) -> tuple[Any, Any, Any]:
    """A position, a move in it that nobody can see, and one that follows."""
    for state in acquiring(seed):
        silent = silent_moves(Ground(GAME, KINDS, state), GAME.visible(state))
        if len(silent) == 1 and len(GAME.legal_moves(state)) > 1:
            between = GAME.play(state, silent[0])
            for move in GAME.legal_moves(between):
                if len(GAME.changes(between, GAME.play(between, move))) > 2:
                    return state, silent[0], move
    raise AssertionError("no such position")


@pytest.mark.parametrize("seed", [0, 6, 19])
def test_who_moved_after_a_move_that_nobody_could_see_was_not_out_of_turn(seed: int) -> None:
    """The tile below the one that was taken is of the same colour, and the pile it was laid on is full or shows the
    same: the next player's move tells that it was made."""
    state, silent, move = after_silent(seed)
    between = GAME.play(state, silent)
    after = GAME.play(between, move)
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 20)
    table.watch(GAME.visible(after), 12)
    assert not troubles(table.events)
    assert moves_of(table.events) == [silent, move]


def test_two_moves_that_nobody_could_see_are_made_up_for_once_a_third_tells() -> None:
    """Each let the top tile of a stack break onto its like, and it was the same player's turn as before. What they took
    was taken again, the next who moved was accused, and the scores were wrong without a word."""
    moves = parsed(
        "p1 plate stack 16@180 plate.3.2 drawn=1", "p2 plate offer.1 10@270 plate.1.2",
        "p1 moon black*3 line4 f1=turquoise big", "p2 moon blue*2 broken f3=black big",
        "p1 moon red*3 broken f2=yellow f4=blue big", "p2 moon blue*1 broken f4=blue",
        "p1 moon turquoise*1 broken f1=turquoise", "p2 moon yellow*1 broken f2=-", "reveal f2.chip=TY",
        "p1 moon turquoise*1 line5 f1=-",
    )
    state = GAME.parse_position(STACKS_ALIKE)
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 20)
    for move in moves:
        state = GAME.play(state, move)
        table.watch(GAME.visible(state), 18)
    assert table.reconciler.state == state
    assert not troubles(table.events)


def lookalikes() -> tuple[Any, list[tuple[Any, Any, Any]]]:
    """A position, and two pairs of moves from it after which the table looks the same, each with a third move that is
    possible, and tells it, only after that pair."""
    for seed in range(40):
        for state in acquiring(seed):
            if len(GAME.legal_moves(state)) > 40:
                continue
            pairs: dict[str, list[tuple[Any, Any, Any]]] = {}
            for first in GAME.legal_moves(state):
                between = GAME.play(state, first)
                if GAME.deal_request(between) is not None or not GAME.changes(state, between):
                    continue
                for second in GAME.legal_moves(between):
                    after = GAME.play(between, second)
                    if GAME.deal_request(after) is None and GAME.changes(between, after):
                        pairs.setdefault(repr(GAME.visible(after)), []).append((first, second, after))
            for group in pairs.values():
                told = [(*pair, move) for pair in group if (move := telling(pair[2], [each[2] for each in group]))]
                if len(told) == 2 == len(group) and told[0][2] != told[1][2]:
                    return state, [(first, second, move) for first, second, _, move in told]
    raise AssertionError("no such position")


def telling(state: Any, others: list[Any]) -> Any:
    """A move after which the table looks as it can after no single move from the other positions."""
    possible = [
        GAME.visible(GAME.play(other, move)) for other in others if other != state for move in GAME.legal_moves(other)
    ]
    for move in GAME.legal_moves(state):
        after = GAME.play(state, move)
        shows = GAME.deal_request(after) is None and len(GAME.changes(state, after)) > 1
        if shows and GAME.visible(after) not in possible:
            return move
    return None


def test_two_moves_between_frames_that_look_like_two_others_are_told_by_what_comes_to_light() -> None:
    state, ways = lookalikes()
    taken_back = 0
    for first, second, third in ways:
        after = GAME.play(GAME.play(state, first), second)
        table = Watching(PLAYED, state)
        table.watch(GAME.visible(state), 6)
        table.watch(GAME.visible(after), 14)
        assert GAME.visible(table.reconciler.state) == GAME.visible(after)
        end = GAME.play(after, third)
        table.watch(GAME.visible(end), 14)
        assert not troubles(table.events)
        assert table.reconciler.state == end
        taken_back += any(isinstance(event, TakenBack) for event in table.events)
        told = state
        for move in moves_left(table.events):
            told = GAME.play(told, move)
        assert told == end
    assert taken_back


def moves_left(events: list[Event]) -> list[Any]:
    """The moves that stand in the end."""
    moves: list[Any] = []
    for event in events:
        if isinstance(event, Confirmed):
            moves.append(event.move)
        elif isinstance(event, TakenBack):
            assert moves[-len(event.moves):] == list(event.moves)
            del moves[-len(event.moves):]
    return moves


def story() -> tuple[Any, list[Event], list[Any]]:
    """A move that was agreed on, taken back and told anew as another; the first position and the moves that stand."""
    state = next(acquiring(3))
    wrong, right = GAME.legal_moves(state)[0], GAME.legal_moves(state)[1]
    events: list[Event] = []
    for move in (wrong, right):
        step = GAME.apply(state, move)
        if events:
            events.append(TakenBack((wrong,), 1))
        events.append(Confirmed(move, state, step.state, step.reasons, 1, 20.0, GAME.round(state)))
    return state, events, [right]


def test_a_game_that_is_kept_holds_what_was_told_anew_and_not_what_was_taken_back() -> None:
    """Otherwise the scores on the page would be those of a move that nobody made."""
    state, events, moves = story()
    header = Header("azul-duel", ("one", "two"), position=GAME.format_position(state))
    sitting = Sitting(1, PLAYED, (), Journal(header))
    sitting.take(events)
    assert [line.move for line in sitting.played.lines] == moves
    assert sitting.state == GAME.play(state, moves[0])


def test_an_outcome_lists_what_was_told_anew_and_not_what_was_taken_back() -> None:
    _, events, moves = story()
    book = OutcomeBook(GAME)
    book.note(Update(Belief(Verdict.CONFIRMED), tuple(events)), 1)
    told = [{key: value for key, value in move.items() if key not in ("n", "round", "t")} for move in book.moves]
    assert told == [dict(GAME.describe(move)) for move in moves]


def refilled(seed: int, number: int = 1) -> tuple[Any, Any]:
    """A position before the factories are filled for a later round, and the deal that fills them."""
    chance, state = Random(seed), GAME.new(2, PLAYED.options, 1)
    while True:
        request = GAME.deal_request(state)
        if request is None:
            state = GAME.play(state, chance.choice(list(GAME.legal_moves(state))))
            continue
        deal = GAME.random_deal(state, chance.randrange(1 << 30))
        if request.places and GAME.round(state) >= number and GAME.phase(GAME.play(state, deal)) == "acquire":
            return state, deal
        state = GAME.play(state, deal)


def taken_from(state: Any, source: str) -> Any:
    """A move that takes from a small factory, leaves others there and lays what it took in a line."""
    return next(
        move for move in GAME.legal_moves(state)
        if getattr(move, "top", None) and move.source == source and move.to.startswith("line")
    )


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_a_factory_that_was_emptied_before_anybody_saw_it_filled_does_not_stop_the_game(looks: int) -> None:
    """A sleeve lay over it during the refill; the tiles that were left are under each other on the moon. What they are
    is told when they come to light, and until then play is followed."""
    state, deal = refilled(4)
    dealt = GAME.play(state, deal)
    move = taken_from(dealt, "f2")
    after = GAME.play(dealt, move)
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 4)
    table.watch({**GAME.visible(dealt), "f2.sun": "?", "f2.chip": "?"}, 4, hand=True)
    table.watch(GAME.visible(dealt), looks, hand=True)
    table.watch(GAME.visible(after), 20)
    assert not troubles(table.events)
    assert GAME.visible(table.reconciler.state) == GAME.visible(after)


def emptied_by_two() -> tuple[Any, Any]:
    """A position, and the one after two players have taken the last two tiles of a stack, of whom only the first shows
    what he did with his."""
    for seed in range(60):
        for state in acquiring(seed):
            if len(GAME.legal_moves(state)) > 40:
                continue
            for first in GAME.legal_moves(state):
                between = GAME.play(state, first)
                if getattr(first, "tops", ()) and GAME.deal_request(between) is None:
                    for second in GAME.legal_moves(between):
                        after = GAME.play(between, second)
                        shown = GAME.changes(state, after)
                        if getattr(second, "tops", ()) and len(shown) == 2 and f"p{first.player}.broken" in shown:
                            return state, after
    raise AssertionError("no such position")


def test_two_who_emptied_a_stack_between_two_looks_are_not_accused() -> None:
    """It looks like one move on its way, whose second half never comes: two moves explain it, and no slip is needed."""
    state, after = emptied_by_two()
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 6)
    table.watch(GAME.visible(after), 14)
    assert not troubles(table.events)
    assert GAME.visible(table.reconciler.state) == GAME.visible(after)


def test_what_was_misread_at_one_moment_is_not_put_together_with_what_was_seen_at_another() -> None:
    """Otherwise a factory that was filled and emptied within a second would have held a colour that nobody laid there,
    and the whole round could not be followed."""
    camera = NoisyCamera(PLAYED.layout, Noise(), 1)
    evidence = Evidence(KINDS)
    empty = {**GAME.visible(next(acquiring(1))), "f1.sun": {}}
    evidence.expect(empty)
    evidence.watch(("f1.sun",))
    shown: list[dict[str, int]] = [{}, {"red": 1}, {"blue": 1}, {}, {"blue": 3, "black": 1}, {"blue": 3, "black": 1}]
    for number, heap in enumerate([*shown, {}, {"turquoise": 1}, {}]):
        look = camera.clear_look({**empty, "f1.sun": heap}, (number + 1) * FRAME_NS)
        evidence.look(evidence.sift(look))
    best = ranked_contents(evidence.peak, "f1.sun", 4, ("blue", "yellow", "red", "black", "turquoise"))[0][1]
    assert best == {"blue": 3, "black": 1}


def test_a_tile_that_is_overlooked_after_a_first_look_at_its_factory_lies_there_still() -> None:
    """One look counted two black tiles and all others one, with a doubt whether another lies there, of any colour: no
    refill could be told any more, and the round was lost."""
    state, deal = refilled(4)
    table = GAME.visible(GAME.play(state, deal))
    place, name = next(
        (place, name) for place, heap in table.items() if place.endswith(".sun") for name, count in heap.items()
        if count == 2
    )
    watched = Watching(PLAYED, state)
    watched.watch(GAME.visible(state), 6)
    watched.watch({**GAME.visible(state), place: table[place]}, 1)
    for seen in range(30):
        look = watched.next_look({**(GAME.visible(state) if seen < 8 else table), place: {**table[place], name: 1}})
        counts = {part: max(odds, key=odds.__getitem__) for part, odds in look.readings[place].parts.items()}
        parts = {
            part: {number: -0.1 if number == counts[part] else -2.4 if number == counts[part] + 1 else -14.0
                   for number in odds}
            for part, odds in look.readings[place].parts.items()
        }
        readings = {**look.readings, place: replace(look.readings[place], parts=parts)}
        watched.events += watched.reconciler.observe(replace(look, readings=readings)).events
    assert not troubles(watched.events)
    assert watched.reconciler.state == GAME.play(state, deal)


def test_a_slip_is_not_taken_for_a_move_because_a_place_was_hidden_for_a_moment() -> None:
    """A tile too many lies in a line under a sleeve: once the rest has been agreed on as a legal move, the slip would
    be called by another's name, and the table would not be understood for the rest of the round."""
    state, deal = refilled(4)
    dealt = GAME.play(state, deal)
    slip = next(
        each for each in GAME.plausible_moves(dealt)
        if [found.slug for found in each.slips] == ["split-over-lines"] and "p1.broken" in each.places
    )
    wrong = {**GAME.visible(dealt), **slip.places}
    line = next(place for place in slip.places if ".line" in place)
    table = Watching(PLAYED, dealt)
    table.watch(GAME.visible(dealt), 4)
    table.watch({**wrong, line: "?"}, 8)
    table.watch(wrong, 14)
    assert not [event for event in table.events if isinstance(event, Confirmed)]
    raised = [event.slips[0].slug for event in table.events if isinstance(event, SlipRaised)]
    assert raised == ["split-over-lines"]
