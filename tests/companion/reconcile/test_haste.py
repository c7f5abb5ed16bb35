"""Moves that come faster than they can be told apart: if one of these fails, a move is made up or a game is lost."""

from __future__ import annotations

import math
from dataclasses import replace

from companion.catalogue import played_game
from companion.reconcile.belief import Asked, Confirmed, Event, SlipRaised
from companion.reconcile.evidence import Evidence
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS
from tests.companion.reconcile.azul_table import GAME, KINDS, PLAYED, Table, dealt, take
from tests.companion.reconcile.watching import Watching, moves_of


def test_what_a_sleeve_covers_does_not_decide_between_a_line_and_the_floor() -> None:
    """Three tiles for a line of one: two fall to the floor either way, and only the covered space tells the rest."""
    state = dealt()
    while True:
        moves = {GAME.format_move(move): move for move in GAME.legal_moves(state)}
        pairs = [
            (to_line, moves[name.replace("line1", "floor")]) for name, to_line in moves.items()
            if "line1" in name and name.replace("line1", "floor") in moves
        ]
        many = [pair for pair in pairs if getattr(pair[0], "number", 0) > 1]
        if many:
            break
        state = GAME.play(state, next(iter(moves.values())))
    to_line, to_floor = many[0]
    mover = GAME.to_move(state)[0]
    table = Table(state)
    table.show(state, 4)
    laid = GAME.play(state, to_line)
    rest = {
        place: content for place, content in GAME.visible(GAME.play(state, to_floor)).items() if ".floor." in place
    }
    missing = tuple(place for place in rest if rest[place] != GAME.visible(laid)[place])
    covered = (f"p{mover}.line1.1", *missing)
    assert not [event for event in table.show(laid, 10, covered) if isinstance(event, Confirmed)]
    assert moves_of(table.show(laid)) == [to_line]


def test_two_moves_between_two_looks_are_both_told() -> None:
    """A single other move would explain most of it; it is not taken for true while two explain all."""
    state = dealt()
    table = Table(state)
    table.show(state, 4)
    first = next(iter(GAME.legal_moves(state)))
    between = GAME.play(state, first)
    second = list(GAME.legal_moves(between))[-1]
    after = GAME.play(between, second)
    told = moves_of(table.show(after, 12))
    assert told == [first, second]


def test_a_refill_is_known_although_it_was_played_from_before_the_round_was_agreed_on() -> None:
    """One player's wall stays covered while the other refills and takes; without a memory of what lay on the factory,
    the game would be lost from there."""
    state = dealt()
    while GAME.deal_request(state) is None and GAME.round(state) == 1:
        moves = [move for move in GAME.legal_moves(state) if "line" in GAME.format_move(move)]
        if type(next(iter(GAME.legal_moves(state)))).__name__ == "Tile":
            break
        state = GAME.play(state, (moves or list(GAME.legal_moves(state)))[0])
    table = Table(state)
    table.show(state, 4)
    first, *_ = GAME.legal_moves(state)
    tiled = GAME.play(state, first)
    second, *_ = GAME.legal_moves(tiled)
    done = GAME.play(tiled, second)
    mover = GAME.player_of(first)
    covered = tuple(place for place in GAME.visible(state) if place.startswith(f"p{mover}."))
    deal = GAME.random_deal(done, 9)
    filled = GAME.play(done, deal)
    taken = next(iter(GAME.legal_moves(filled)))
    after = GAME.play(filled, taken)
    table.show(done, 6, covered)
    table.show(filled, 8, covered)
    table.show(after, 6, covered)
    table.show(after, 20)
    told = moves_of(table.events)
    assert set(told) == {first, second, deal, taken}
    assert not [event for event in table.events if isinstance(event, SlipRaised | Asked)]


def test_two_factories_that_nobody_saw_filled_are_known_from_where_their_tiles_went() -> None:
    """Two quick players take before the camera has had one look at the refill: every tile of it still lies on the
    table, so nobody need be asked."""
    empty = GAME.new(2, PLAYED.options, 1)
    table = Table(empty)
    table.show(empty, 4)
    state = dealt()
    for source in ("f1", "f2"):
        state = GAME.play(state, next(move for move in GAME.legal_moves(state) if source in GAME.format_move(move)))
    told = [event for event in table.show(state, 20) if isinstance(event, Confirmed)]
    assert len(told) == 3
    assert GAME.visible(told[-1].after) == GAME.visible(state)
    assert table.reconciler.question is None


def test_a_covered_factory_is_not_taken_for_one_that_was_emptied() -> None:
    """A sleeve lies over a factory while it is filled; what was misread there before is no part of the refill."""
    empty, state = GAME.new(2, PLAYED.options, 1), dealt()
    table = Table(empty)
    table.show(empty, 4)
    table.show(empty, 3, f5={"red": 1, "white": 3})
    table.show(empty, 2)
    assert not [event for event in table.show(state, 20, ("f5",)) if isinstance(event, Confirmed)]
    table.show(state, 8)
    assert [event.after for event in table.events if isinstance(event, Confirmed)] == [state]


def test_nobody_is_accused_of_a_piece_that_the_next_player_may_have_laid_where_nothing_can_be_seen() -> None:
    """One takes from a factory, the other at once takes one of the tiles pushed aside, and a glass stands on the place
    where it lies: a tile that is missing from the centre is no tile that was lost."""
    state = dealt(8)
    for source in ("f1", "centre"):
        state = GAME.play(state, take(state, f"{source} "))
    table = Table(state)
    table.show(state, 4)
    first = take(state, "f2 blue*2 line1")
    between = GAME.play(state, first)
    second = take(between, "centre yellow*1 floor")
    after = GAME.play(between, second)
    covered = tuple(
        place for place, content in GAME.visible(after).items()
        if ".floor." in place and GAME.visible(between)[place] != content
    )
    assert not [event for event in table.show(after, 20, covered) if isinstance(event, SlipRaised)]
    table.show(after, 8)
    assert moves_of(table.events) == [first, second]


def test_a_mistaken_look_does_not_make_a_piece_new() -> None:
    """A slip that must lie for some seconds would never be named if every misreading began that wait anew."""
    evidence = Evidence(KINDS)
    state = dealt()
    evidence.expect(GAME.visible(state))
    camera = NoisyCamera(PLAYED.layout, Noise(), 1)
    for frame, colour in enumerate(("red",) * 10 + ("blue",) * 2 + ("red",) * 3, 1):
        table = {**GAME.visible(state), "p1.line1.1": colour}
        evidence.look(evidence.sift(camera.clear_look(table, frame * FRAME_NS)))
    looks, seconds = evidence.age(("p1.line1.1", "value"), "red", 15 * FRAME_NS)
    assert looks > 10 and seconds > 2.5


def test_looking_for_long_at_something_faint_accuses_nobody() -> None:
    """A white tile on a white print may look a little more like no tile, in every frame of the evening."""
    state = dealt()
    taken = GAME.play(state, take(state, "line1"))
    laid = next(place for place, content in GAME.visible(taken).items() if ".line1.1" in place and content)
    table = Table(taken)
    for frame in range(1, 400):
        clear = table.camera.clear_look(GAME.visible(taken), frame * FRAME_NS // 2)
        parts = {"value": {GAME.visible(taken)[laid]: math.log(0.4), None: math.log(0.6)}}
        faint = {**clear.readings, laid: replace(clear.readings[laid], parts=parts)}
        table.events += table.reconciler.observe(replace(clear, readings=faint)).events
    assert table.events == []


def test_a_glass_beside_the_board_does_not_hold_the_game_up() -> None:
    """What covers a place for long is no hand: if it were, no refill would ever be agreed on."""
    empty = GAME.new(2, PLAYED.options, 1)
    table = Table(empty)
    table.watch({**GAME.visible(empty), "p2.score": "?"}, 60, hand=True)
    table.watch({**GAME.visible(dealt()), "p2.score": "?"}, 20, hand=True)
    assert [event.after for event in table.events if isinstance(event, Confirmed)] == [dealt()]


def test_a_move_is_counted_although_a_slip_followed_at_once() -> None:
    """The next player is quick and wrong; the first one's move counts all the same, and the slip is the next one's."""
    state = dealt()
    table = Table(state)
    table.show(state, 4)
    first = take(state, "line3")
    between = GAME.play(state, first)
    slip = next(
        each for each in GAME.plausible_moves(between)
        if [found.slug for found in each.slips] == ["gap-in-line"] and each.slips[0].player == GAME.to_move(between)[0]
    )
    events = table.show(between, 30, **slip.places)
    assert moves_of(events) == [first]
    assert [[found.slug for found in event.slips] for event in events if isinstance(event, SlipRaised)] == [
        ["gap-in-line"]
    ]


def test_what_stays_unexplained_is_asked_about_although_other_places_flicker() -> None:
    """A game that was lost sight of must not go on in silence while the camera misreads a place here and there."""
    state = dealt()
    table = Table(state)
    table.show(state, 4)
    odd = {"p1.wall.1.1": "black", "p2.wall.3.3": "yellow"}
    asked: list[Event] = []
    for number in range(90):
        flicker = {f"p1.line5.{1 + number % 5}": "red"} if number % 3 == 0 else {}
        asked += table.show(state, 1, **odd, **flicker)
    assert [event for event in asked if isinstance(event, Asked)]


def test_what_lay_there_with_a_slip_makes_no_second_move_when_it_is_put_right_under_a_sleeve() -> None:
    """The white tiles of the slip go back to the centre while a sleeve covers it. With a full floor, the next player's
    taking of them would show nothing else: it was made up, and the score was wrong from there on."""
    state = GAME.parse_position(
        "azul 2 | 3 offer 1 1 | - - - - - | BRRRRWW | 0 -,K2,-,-,- .Y..W ..... ..... ..... ..... M "
        "| 0 -,-,-,-,- ...KW ..... ..... ..... ..... BBBBYYY | 12.10.12.16.10 0.0.0.0.0"
    )
    table = Table(state)
    table.show(state, 4)
    slip = {"centre": {"blue": 1, "red": 4}, "p1.line2.1": "black", "p1.line2.2": "black", "p1.floor.2": "white",
            "p1.line3.1": "white"}
    raised = [event for event in table.show(state, 30, (), **slip) if isinstance(event, SlipRaised)]
    assert raised
    meant = take(state, "centre red*4 line1")
    right = GAME.play(state, meant)
    told = table.show(right, 12, ("centre",)) + table.show(right, 12)
    assert moves_of(told) == [meant]


def test_a_move_does_not_wait_for_a_covered_place_on_which_no_slip_would_show_the_same() -> None:
    """A sleeve lies over a line to which one of two tiles could have gone, but both were seen elsewhere: whoever looks
    at the screen would see the move seconds late, and the next one may come before."""
    state = dealt()
    mover = GAME.to_move(state)[0]
    table = Table(state)
    covered = (f"p{mover}.line5.1", f"p{mover}.line5.2")
    table.show(state, 4)
    table.show(GAME.play(state, take(state, "*2 line2")), 6, covered)
    assert [type(event) for event in table.events] == [Confirmed]


def test_a_tile_that_is_taken_up_again_to_put_a_slip_right_is_in_a_hand_before_it_lies_anywhere() -> None:
    """A red tile lay on the wrong line for long, was lifted, and went to another line under a sleeve. It was told to
    have fallen to the full floor, because it had left the centre so long ago."""
    state = GAME.parse_position(
        "azul 2 | 3 offer 1 1 | - - - - - | BRWW | 0 -,K1,-,-,- .Y..W ..... ..... ..... ..... BBBBYYM "
        "| 0 -,-,-,-,- ...KW ..... ..... ..... ..... BBBBYYY | 12.13.12.17.10 0.0.0.0.0"
    )
    table = Table(state)
    table.show(state, 4)
    taken = {"centre": {"blue": 1, "white": 2}}
    raised = table.show(state, 60, (), **taken, **{"p1.line2.2": "red"})
    assert [type(event) for event in raised] == [SlipRaised]
    table.show(state, 2, (), **taken)
    meant = take(state, "centre red*1 line3")
    right = GAME.play(state, meant)
    told = table.show(right, 2, ("p1.line3.1",)) + table.show(right, 12)
    assert moves_of(told) == [meant]


def test_a_factory_on_which_too_many_tiles_were_counted_is_looked_at_again() -> None:
    """Five tiles were counted in the only look before a sleeve came. It was taken for granted that four of them lay
    there, and the wrong four: the next player was accused of having left one behind."""
    start = GAME.new(2, PLAYED.options, 1)
    deal = next(
        deal for seed in range(99) for deal in (GAME.random_deal(start, seed),)
        if sorted(GAME.visible(GAME.play(start, deal))["f5"].values()) == [1, 1, 2]
    )
    dealt_state = GAME.play(start, deal)
    heap = GAME.visible(dealt_state)["f5"]
    counted = {**heap, next(colour for colour, number in heap.items() if number == 1): 2}
    table = Table(start)
    table.show(start, 4)
    table.show(dealt_state, 1, (), f5=counted)
    table.show(dealt_state, 6, ("f5",))
    table.show(dealt_state, 6)
    assert moves_of(table.events) == [deal]
    assert table.reconciler.state == dealt_state


def test_a_tile_that_was_not_counted_in_the_centre_has_not_been_taken_from_it() -> None:
    """Whoever has a full floor may take a tile without a trace. A yellow one that had just been pushed to the centre,
    and was not seen there yet, was told to be taken by them, and every score after that was wrong."""
    state = GAME.parse_position(
        "azul 2 | 7 offer 2 2 | - - - YRKK - | BBYYYK | 0 B1,Y1,W1,-,R3 .YRK. .B.R. ...Y. ..W.. ...W. WWW"
        " | 7 -,-,K1,Y3,K1 .YRKW .B..K .WB.. ...B. YR... YMRRR | 11.5.7.9.7 2.2.2.3.5"
    )
    table = Table(state)
    table.show(state, 6)
    first = take(state, "centre yellow*3 floor")
    between = GAME.play(state, first)
    second = take(between, "f4 red*1 line5")
    after = GAME.play(between, second)
    found = table.show(after, 6, centre={"blue": 2, "black": 3}) + table.show(after)
    assert moves_of(found) == [first, second]


def test_a_tile_that_is_carried_over_a_place_does_not_lie_there() -> None:
    """A hand holds a blue tile over the floor in one look, and the next is misread: the tile was told to lie on the
    floor, and the player accused when it lay on the line."""
    state = dealt()
    to_line = take(state, "line3")
    to_floor = take(state, GAME.format_move(to_line).replace("line3", "floor"))
    taken, laid = GAME.visible(GAME.play(state, to_line)), GAME.visible(GAME.play(state, to_floor))
    lines = {place: None for place in taken if ".line3." in place}
    floors = {place: laid[place] for place in laid if ".floor." in place}
    table = Table(state)
    table.show(state, 8)
    table.watch({**taken, **lines}, 4, hand=True)
    table.watch({**taken, **lines, **floors}, 1, hand=True)
    table.watch({**taken, **lines, **floors}, 1)
    table.watch(taken, 10)
    assert moves_of(table.events) == [to_line]


def test_the_last_tiles_of_a_round_are_told_though_one_was_tidied_away_at_once() -> None:
    """While nobody could look, one player laid the last but one of the tiles in a line and the other took the last, and
    tidied up: whose line it was shows only on the wall, and the game was lost."""
    state = dealt()
    while len({(told["from"], told["colour"]) for told in map(GAME.describe, GAME.legal_moves(state))}) > 2:
        state = GAME.play(state, take(state, "floor"))
    first = take(state, "line1")
    between = GAME.play(state, first)
    second = take(between, "floor")
    over = GAME.play(between, second)
    tiling = next(move for move in GAME.legal_moves(over) if GAME.player_of(move) == GAME.player_of(first))
    table = Table(state)
    table.show(state, 8)
    table.distrust(GAME.visible(state), 20)
    found = table.show(GAME.play(over, tiling), 30)
    assert moves_of(found) == [first, second, tiling]


def test_moves_that_lead_to_the_same_position_are_told_in_the_order_in_which_they_came() -> None:
    """A factory was emptied and its red tile fell off a full floor, which shows nothing: before anybody could be sure,
    four moves more were made out of sight. The factory was told to have been emptied by the player after the next."""
    played = played_game("azul", 3)
    start = played.game.parse_position(
        "azul 3 | 5 offer 1 1 | YYRW - - - RKKW - - | RRRKKWWW | 0 -,-,R2,K1,R2 B.R.W W..RK ..... ..... ..... BBMYYYY"
        " | 0 -,-,-,W1,B3 BY.KW ..Y.. K.B.. ....Y ..... WKK"
        " | 0 -,R1,Y2,B2,Y1 .Y..W ..Y.K ..B.. ..W.. ..... - | 2.4.4.4.2 7.2.4.5.6"
    )
    made = [played.game.parse_move(move) for move in (
        "p1 f1 red*1 floor", "p2 centre black*2 floor", "p3 centre yellow*2 line5", "p1 centre red*3 line5",
        "p2 f5 white*1 floor",
    )]
    states = [start]
    for move in made:
        states.append(played.game.play(states[-1], move))
    table = Watching(played, start)
    table.watch(played.game.visible(start), 10)
    table.watch(played.game.visible(states[1]), 10)
    table.distrust(played.game.visible(start), 20)
    table.watch(played.game.visible(states[5]), 20)
    assert moves_of(table.events) == made
