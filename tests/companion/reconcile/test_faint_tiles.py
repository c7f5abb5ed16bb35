"""Tiles that hardly show, as on a print of their own colour: if one of these fails, a round is waited for in vain, a
slip is not named, or somebody is accused of a misreading."""

from __future__ import annotations

from typing import Any

import pytest

from companion.reconcile.belief import Event, SlipRaised
from companion.trials.run import FRAME_NS
from tests.companion.reconcile.duel_positions import GAME, parsed, walk
from tests.companion.reconcile.test_stacks_and_chips import PAUSE_LOOKS, Table, troubles
from tests.companion.reconcile.watching import doubtful, moves_of

LAST_CHIP = (
    'azul-duel {"bag":[4,0,3,1,1],"chips":[-1,-1,-1,3],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break"'
    ':false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":'
    '"free"},"phase":"acquire","players":[{"broken":[4,4],"cells":[3,-1,-1,-1,5,4,-1,-1,-1,-1,3,1,-1,-1,1,-1,'
    '4,5,1,-1,-1,-1,3,0,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[16,24,4,18,5,25,25,19,5,-1],"colours":[3'
    ',4,2,1,2,3],"counts":[1,2,2,4,2,5],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[67,'
    '58,2,13,46,50,25,16,42],"score":4,"tokens_used":0},{"broken":[4],"cells":[-1,-1,1,2,0,1,-1,-1,2,4,4,5,-1'
    ',-1,-1,3,0,3,-1,-1,-1,-1,2,4,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1],"chips":[23,23,22,17,16,17,6,4,2,8],"co'
    'lours":[4,2,3,4,1,0],"counts":[1,2,1,1,4,5],"has_marker":true,"has_passed":false,"has_tiled":false,"plat'
    'es":[9,53,62,70,30,7,36,32,22],"score":37,"tokens_used":0}],"round":5,"starter":2,"suns":[[0,0,0,0,0],[0'
    ',0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,0,0,0,0],"turn":2}'
)
"""Player 2 can only pass, and player 1 takes the last chip: then both tile."""


@pytest.mark.parametrize("shown", [(-0.2, -1.8), (-0.03, -3.6), (-0.01, -5.2)])
def test_a_tile_that_hardly_shows_on_its_print_does_not_stop_the_round(shown: tuple[float, float]) -> None:
    """Twenty places showed how a player had tiled, and one turquoise tile on a turquoise print was read as none by a
    hair: nothing was agreed on any more, and the game was lost."""
    state, tiled = next(
        (state, move) for state in walk(5) if GAME.phase(state) == "tiling" for move in GAME.legal_moves(state)
        if sum(".dome." in place for place in GAME.changes(state, GAME.play(state, move))) > 1
        and len(GAME.changes(state, GAME.play(state, move))) > 11
    )
    changes = GAME.changes(state, GAME.play(state, tiled))
    place = next(place for place in changes if ".dome." in place)
    table, events = Table(state), list[Event]()
    none, tile = shown
    for _ in range(PAUSE_LOOKS):
        look = table.next_look(GAME.visible(GAME.play(state, tiled)))
        odds = {**look.readings[place].parts["value"], None: none, changes[place]: tile}
        events += table.reconciler.observe(doubtful(look, {place: odds})).events
    assert tiled in moves_of(events)
    assert not troubles(events)


def test_two_players_who_tile_at_once_are_told_though_one_tile_may_be_none() -> None:
    """Each had shown a dozen places, and one tile on a print of its own colour was as likely as not: one player's
    tiling alone left too much open, both together were waited for in vain, and in the end people were asked."""
    moves = parsed("p2 pass", "p1 chip f4 chips.10", "p2 tile 21..6. chips=7,9,10", "p1 tile 4442.. chips=5,9")
    states = [GAME.parse_position(LAST_CHIP)]
    for move in moves:
        states.append(GAME.play(states[-1], move))
    doubts = {"p1.dome.2.4": (-0.71, -0.68), "p1.dome.3.5": (-0.12, -2.2), "p1.dome.4.5": (-0.2, -1.7)}
    table, events = Table(states[0]), list[Event]()
    for state, looks in ((states[0], PAUSE_LOOKS), (states[2], 12), (states[4], PAUSE_LOOKS)):
        for _ in range(looks):
            look = table.next_look(GAME.visible(state))
            odds = {
                place: {None: none, content: tile}
                for place, (none, tile) in doubts.items() if (content := GAME.visible(state)[place])
            }
            events += table.reconciler.observe(doubtful(look, odds)).events
    assert moves_of(events) == moves
    assert not troubles(events)


def tiled_and_taken() -> tuple[Any, Any, Any, str]:
    """A position, the one after its last player has tiled a lot, the one after the refill and a move that lays tiles on
    a line which that cleared, and a space that was tiled."""
    for state in walk(5):
        if GAME.phase(state) != "tiling" or len(GAME.to_move(state)) > 1:
            continue
        for move in GAME.legal_moves(state):
            after = GAME.play(state, move)
            changed = GAME.changes(state, after)
            tiles = [place for place in changed if ".dome." in place]
            if len(tiles) < 2 or len(changed) < 12 or GAME.deal_request(after) is None:
                continue
            dealt = GAME.play(after, GAME.random_deal(after, 3))
            for taken in GAME.legal_moves(dealt):
                how = GAME.describe(taken)
                if how["action"] == "sun" and f"p{GAME.player_of(taken)}.{how['to']}.1" in changed:
                    return state, after, GAME.play(dealt, taken), tiles[0]
    raise AssertionError("nobody ever tiles so much")


@pytest.mark.parametrize(
    ("shown", "looks"),
    [
        pytest.param((-0.03, -3.6), (40, 30), id="it is read as none"),
        pytest.param((-0.4, -1.2), (10, 16), id="it may be none, and somebody plays on at once"),
    ],
)
def test_a_tile_that_hardly_shows_is_no_objection_to_what_follows(
    shown: tuple[float, float], looks: tuple[int, int]
) -> None:
    """The tiling was agreed on all the same; then a refill from which somebody took at once was not, for the tile still
    seemed to be missing. Where nothing had been agreed on yet, all of it was waited for in vain, and the game was
    lost."""
    state, after, taken, place = tiled_and_taken()
    table, events = Table(state), list[Event]()
    none, tile = shown
    for position, number in zip((after, taken), looks, strict=True):
        for _ in range(number):
            odds = {None: none, GAME.visible(after)[place]: tile}
            events += table.reconciler.observe(doubtful(table.next_look(GAME.visible(position)), {place: odds})).events
    assert table.reconciler.state == taken
    assert not troubles(events)


def test_a_slip_is_named_though_a_tile_that_was_laid_with_it_hardly_shows() -> None:
    """All else had shown for ten seconds that a line was not cleared: nothing was said, and then people were asked."""
    state, slip, place = next(
        (state, each, place) for state in walk(5) if GAME.phase(state) == "tiling"
        for each in GAME.plausible_moves(state) if [found.slug for found in each.slips] == ["line-not-cleared"]
        for place, content in each.places.items() if ".dome." in place and content != "special" and len(each.places) > 8
    )
    table, events = Table(state), list[Event]()
    for _ in range(PAUSE_LOOKS // 3):
        look = table.next_look({**GAME.visible(state), **slip.places})
        odds = {None: -0.4, slip.places[place]: -1.2}
        events += table.reconciler.observe(doubtful(look, {place: odds})).events
    assert [event.slips[0].slug for event in troubles(events) if isinstance(event, SlipRaised)] == ["line-not-cleared"]
    assert len(troubles(events)) == 1


def test_nobody_is_accused_because_a_tile_beside_those_just_laid_fades() -> None:
    """A tile was laid on a plate on which another hardly showed: that one seemed to be gone, and the player was said to
    have tiled the wrong space. The game never ended."""
    state, tiled, laid, faded = next(
        (state, move, laid, faded) for seed in range(20) for state in walk(seed)
        if GAME.phase(state) == "tiling" for move in GAME.legal_moves(state)
        for changes in (GAME.changes(state, GAME.play(state, move)),) if len(changes) > 13
        for laid in changes if ".dome." in laid
        for faded, content in GAME.visible(state).items()
        if ".dome." in faded and content and faded[:2] == laid[:2] and faded not in changes
    )
    table, events = Table(state), list[Event]()
    table.show(GAME.visible(state), 12)
    shown = GAME.visible(GAME.play(state, tiled))
    chances = {laid: (-0.14, -2.02), faded: (-0.21, -1.67)}
    for _ in range(PAUSE_LOOKS):
        odds = {place: {None: none, shown[place]: tile} for place, (none, tile) in chances.items()}
        events += table.reconciler.observe(doubtful(table.next_look(shown), odds)).events
    assert tiled in moves_of(events)
    assert not troubles(events)


def test_nobody_is_asked_because_of_a_faint_tile_in_the_middle_of_a_refill() -> None:
    """A tile on a print of its own colour had been read as none for minutes, mostly by a hair: while a slow refill was
    laid out, people were asked what it meant."""
    state, after, *_ = tiled_and_taken()
    dealt = GAME.play(after, GAME.random_deal(after, 3))
    tables = [GAME.visible(each) for each in (state, after, dealt)]
    place, tile = next((place, tile) for place, tile in tables[0].items() if tile and ".dome." in place)
    last = {place: tables[1][place] for place in GAME.changes(after, dealt) if place.startswith(("big.", "offer."))}
    table, events = Table(state), list[Event]()
    for shown, seconds in ((tables[0], 60), (tables[1], 30), ({**tables[2], **last}, 12), (tables[2], 4)):
        for number in range(seconds * 10**9 // FRAME_NS):
            odds = {None: -0.03, tile: -12.0 if shown is not tables[1] and number < 4 else -3.6}
            events += table.reconciler.observe(doubtful(table.next_look(shown), {place: odds})).events
    assert table.reconciler.state == dealt
    assert not troubles(events)


def test_a_space_that_looks_like_a_tile_by_a_hair_does_not_hold_up_two_moves_at_once() -> None:
    """A plate had lain on it for a moment, and its print seemed to be a black tile since then. Two moves came to be
    seen together: they explained all but that, nothing was agreed on, and a minute later people were asked."""
    first, second = parsed("p1 sun f2 red*1 line1 top=blue", "p2 moon blue*2 line3 f2=turquoise big")
    start = next(
        state for state in walk(0) if GAME.phase(state) == "acquire" and first in GAME.legal_moves(state)
        and second in GAME.legal_moves(GAME.play(state, first))
    )
    both = GAME.play(GAME.play(start, first), second)
    table, events = Table(start, every_ns=100_000_000), list[Event]()
    odds = {"p1.dome.4.2": {None: -2.3, "black": -0.1}}
    for position, looks in ((start, 12), (both, 50)):
        table.pass_over(20)
        for _ in range(looks):
            events += table.reconciler.observe(doubtful(table.next_look(GAME.visible(position)), odds)).events
    assert moves_of(events) == [first, second]
    assert not troubles(events)
