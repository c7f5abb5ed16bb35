"""Moves that came as nobody could look at all of them: if one of these fails, a game goes astray without a word."""

from __future__ import annotations

from companion.reconcile.belief import Asked, SlipRaised, TakenBack
from engine.types import UNKNOWN
from tests.companion.reconcile.duel_positions import GAME, PLAYED, acquiring, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

FULL = (
    'azul-duel {"bag":[3,2,6,6,4],"chips":[11,5,11,11],"format":"azul-duel-position/1","large_moon":[0,0,1,0,0]'
    ',"marker_on_large":false,"moons":[[3,0],[],[2,1],[]],"offer":[-1,49,-1],"options":{"partial_voluntary_brea'
    'k":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":'
    '"free"},"phase":"acquire","players":[{"broken":[3,3],"cells":[-1,-1,-1,-1,-1,4,-1,-1,-1,-1,3,-1,-1,-1,2,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[18,17,7,16,3,5,-1,-1,-1,-1],"colour'
    's":[3,4,3,1,4,1],"counts":[1,1,1,1,4,3],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":['
    '47,58,2,12,10,31,66,52,70],"score":0,"tokens_used":2},{"broken":[2,0,0,4],"cells":[-1,-1,0,-1,-1,3,-1,-1,-'
    '1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[8,23,22,3,9,18,'
    '-1,-1,-1,-1],"colours":[2,0,0,4,1,1],"counts":[1,2,1,1,2,4],"has_marker":true,"has_passed":false,"has_tile'
    'd":false,"plates":[40,33,17,21,37,6,61,25,-1],"score":0,"tokens_used":1}],"round":4,"starter":2,"suns":[[0'
    ',0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[2,0,1,0,1]],"supply_is_split":true,"tower":[0,0,0,0,0],"tur'
    'n":1}'
)
"""Player 1 is to move; the broken tiles of player 2 are as many as there can be."""

THREE = (
    'azul-duel {"bag":[4,4,5,5,5],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,1,1,1'
    '],"marker_on_large":true,"moons":[[],[0,0,4],[3,3,0],[]],"offer":[8,-1,-1],"options":{"partial_voluntary_b'
    'reak":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zer'
    'o":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[8,7,-1,-1,-1,-1,-1,-1,-1,-1],"co'
    'lours":[2,-1,2,3,1,4],"counts":[1,0,2,1,1,3],"has_marker":false,"has_passed":false,"has_tiled":false,"plat'
    'es":[-1,29,17,7,-1,-1,-1,58,43],"score":0,"tokens_used":2},{"broken":[1],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[1,8,-1,-1,-1'
    ',-1,-1,-1,-1,-1],"colours":[4,1,2,-1,1,1],"counts":[1,1,2,0,3,2],"has_marker":false,"has_passed":false,"ha'
    's_tiled":false,"plates":[25,-1,-1,0,32,-1,-1,52,64],"score":0,"tokens_used":2}],"round":2,"starter":2,"sun'
    's":[[0,0,0,0,0],[1,0,1,0,2],[0,0,0,0,0],[0,0,0,0,0],[1,1,0,2,0]],"supply_is_split":true,"tower":[4,0,1,2,0'
    '],"turn":1}'
)
"""Player 1 is to move; three turquoise tiles can come to lie on top of the stacks."""

QUICK = (
    'azul-duel {"bag":[0,2,0,0,0],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,2,0'
    '],"marker_on_large":false,"moons":[[0],[2,4],[2,4,1],[1,1]],"offer":[-1,43,14],"options":{"partial_volunta'
    'ry_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at'
    '_zero":"free"},"phase":"acquire","players":[{"broken":[0,4],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,3'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1],"chips":[22,22,8,9,-1,-1,-1,-1,-1,-1'
    '],"colours":[3,0,2,3,1,1],"counts":[1,2,1,2,4,2],"has_marker":false,"has_passed":false,"has_tiled":false,"'
    'plates":[-1,-1,28,51,45,6,59,24,36],"score":0,"tokens_used":2},{"broken":[0,4,4,0],"cells":[-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[2,'
    '1,4,8,-1,-1,-1,-1,-1,-1],"colours":[4,3,4,0,4,2],"counts":[1,2,3,4,1,4],"has_marker":true,"has_passed":fal'
    'se,"has_tiled":false,"plates":[71,-1,53,34,65,0,17,-1,61],"score":0,"tokens_used":2}],"round":3,"starter":'
    '2,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[3,2'
    ',5,5,3],"turn":1}'
)
"""Player 1 is to move; two yellow tiles lie one on the other on factory 4."""

EMPTIED = (
    'azul-duel {"bag":[1,0,0,0,1],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[1,0,1,0,0'
    '],"marker_on_large":true,"moons":[[0,4,0],[0,4],[3,1],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary'
    '_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_z'
    'ero":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,0,-1,0,-1,3,-1,-1,-1,-1,-1,-1,-1,1,0'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,-1,-1],"chips":[21,21,24,24,19,23,3,9,-1,-1],"colour'
    's":[3,2,2,3,2,2],"counts":[1,1,1,2,2,2],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":['
    '50,9,65,18,4,68,26,59,33],"score":0,"tokens_used":0},{"broken":[0,3,3,3],"cells":[-1,3,-1,-1,-1,-1,-1,-1,-'
    '1,-1,1,-1,-1,-1,4,1,-1,-1,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[20,23,18,16,25,17'
    ',1,22,-1,-1],"colours":[0,-1,-1,-1,1,2],"counts":[1,0,0,0,1,5],"has_marker":false,"has_passed":false,"has_'
    'tiled":false,"plates":[15,40,45,39,20,29,1,54,62],"score":0,"tokens_used":0}],"round":5,"starter":1,"suns"'
    ':[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,2,0,1,1]],"supply_is_split":true,"tower":[3,6,1,3,6],'
    '"turn":1}'
)
"""Player 1 is to move; a blue tile is the last but one on factory 2."""

LAID = (
    'azul-duel {"bag":[5,4,4,5,5],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,1,1,0,2'
    '],"marker_on_large":true,"moons":[[1,1,1],[0,0],[3,4,2],[2,2,2]],"offer":[55,-1,70],"options":{"partial_vo'
    'luntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_dr'
    'aw_at_zero":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[4,4,-1,-1,-1,-1,-1,-1,-1'
    ',-1],"colours":[4,3,4,0,3,0],"counts":[1,2,1,2,1,1],"has_marker":false,"has_passed":false,"has_tiled":fals'
    'e,"plates":[-1,-1,-1,6,34,12,-1,24,48],"score":0,"tokens_used":2},{"broken":[1],"cells":[-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[6,0,-1'
    ',-1,-1,-1,-1,-1,-1,-1],"colours":[2,1,0,-1,1,3],"counts":[1,2,1,0,2,1],"has_marker":false,"has_passed":fal'
    'se,"has_tiled":false,"plates":[-1,1,67,-1,-1,10,17,-1,-1],"score":0,"tokens_used":1}],"round":2,"starter":'
    '1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[2,0'
    ',2,2,3],"turn":1}'
)
"""Player 1 is to move, and player 2 can lay the first open plate."""

ALIKE = (
    'azul-duel {"bag":[6,5,3,5,5],"chips":[8,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0]'
    ',"marker_on_large":true,"moons":[[],[3,4,4],[0,3,3],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_b'
    'reak":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zer'
    'o":"free"},"phase":"acquire","players":[{"broken":[2,3],"cells":[-1,-1,-1,2,3,3,-1,-1,-1,1,-1,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,4,-1,2,-1,-1,-1,-1,-1,-1,4,-1,-1,-1,-1,-1],"chips":[22,16,18,21,25,22,23,19,-1,-1],"colo'
    'urs":[-1,3,-1,-1,2,-1],"counts":[0,2,0,0,2,0],"has_marker":false,"has_passed":false,"has_tiled":false,"pla'
    'tes":[33,38,22,51,3,16,4,64,14],"score":0,"tokens_used":0},{"broken":[1],"cells":[-1,1,-1,0,-1,-1,-1,-1,4,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,1,-1,-1,1,-1,-1,-1],"chips":[17,20,19,25,20,21,'
    '23,17,-1,-1],"colours":[-1,-1,0,2,1,-1],"counts":[0,0,2,2,2,0],"has_marker":false,"has_passed":false,"has_'
    'tiled":false,"plates":[62,56,25,31,46,9,68,53,41],"score":0,"tokens_used":0}],"round":5,"starter":1,"suns"'
    ':[[1,1,1,0,2],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[2,0,1,0,1]],"supply_is_split":true,"tower":[0,0,0,0,0],'
    '"turn":1}'
)
"""Player 1 is to move; two black tiles lie one on the other on factory 3."""

FULL_ROWS = (
    'azul-duel {"bag":[0,1,0,0,1],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,2,'
    '0],"marker_on_large":false,"moons":[[0,3,3],[1],[0,2],[0,0,0]],"offer":[-1,5,-1],"options":{"partial_volu'
    'ntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_dra'
    'w_at_zero":"free"},"phase":"acquire","players":[{"broken":[4,1,4,4],"cells":[-1,-1,-1,-1,-1,0,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[18,20,6,23,-1,-1,'
    '-1,-1,-1,-1],"colours":[0,1,2,-1,4,1],"counts":[1,2,1,0,5,1],"has_marker":true,"has_passed":false,"has_ti'
    'led":false,"plates":[-1,-1,47,17,55,21,39,1,71],"score":0,"tokens_used":2},{"broken":[4,4,2,2],"cells":[-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1],"chips":[4,7,8,9,-1,-1,-1,-1,-1,-1],"colours":[1,2,2,0,3,3],"counts":[1,2,3,3,2,2],"has_marker":false,'
    '"has_passed":false,"has_tiled":false,"plates":[-1,43,-1,33,62,10,58,51,25],"score":0,"tokens_used":2}],"r'
    'ound":3,"starter":2,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split'
    '":true,"tower":[3,6,4,4,2],"turn":2}'
)
"""Player 2 is to move; neither has room for one more broken tile."""


def test_a_tile_may_have_come_from_a_place_under_a_sleeve() -> None:
    """A red tile came to be broken as a factory was emptied. It was taken to come from there, because the middle, where
    it had lain, was under a sleeve for a second: who had taken what came out wrong, and the stack with it."""
    moves = parsed(
        "p1 moon red*1 broken big", "p2 sun f4 blue*2 broken top=turquoise", "p1 moon yellow*1 line6 f3=red",
        "p2 plate offer.2 12@270 plate.3.3", "p1 moon turquoise*1 line2 f4=red",
    )
    start = GAME.parse_position(FULL)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.watch({**GAME.visible(after(start, *moves[:2])), "big.moon": UNKNOWN}, 4)
    for number in range(2, len(moves) + 1):
        watching.watch(GAME.visible(after(start, *moves[:number])), 10)
    assert watching.reconciler.state == after(start, *moves)
    assert not [event for event in watching.events if isinstance(event, SlipRaised | Asked)]


def test_what_lay_on_top_of_a_stack_before_the_next_move_took_it_is_found() -> None:
    """While nobody could look, a tile came to lie on a stack and was taken from there by the next player. With another
    tile on top much is explained as well, but not all: after the next burst five moves were told, some wrongly."""
    moves = parsed(
        "p1 sun f4 yellow*1 broken top=blue", "p2 sun f1 red*1 broken top=turquoise",
        "p1 moon turquoise*3 line2 f1=blue f2=blue big",
    )
    start = GAME.parse_position(THREE)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.distrust(GAME.visible(start), 20)
    found = watching.watch(GAME.visible(after(start, *moves)), 12)
    assert moves_of(found) == moves


def test_who_plays_at_once_after_another_lets_nobody_be_accused_of_taking_too_much() -> None:
    """A player laid two tiles, a hand came back, and one more was gone from a stack: that was the other player, whose
    tile shows nowhere. The first one was told to have taken it, too."""
    moves = parsed("p1 moon yellow*2 line5 f3=red f4=yellow", "p2 moon yellow*1 broken f4=-")
    start = GAME.parse_position(QUICK)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 30)
    first = {**GAME.visible(after(start, *moves[:1])), "f4.moon": UNKNOWN}
    watching.watch(first, 1)
    watching.watch(first, 2, hand=True)
    watching.watch(GAME.visible(after(start, *moves)), 25)
    assert moves_of(watching.events) == moves
    assert not [event for event in watching.events if isinstance(event, SlipRaised | Asked)]


def test_who_plays_within_a_second_of_another_is_not_accused_before_play_goes_on() -> None:
    """Two players moved almost at once, and what the second took shows nowhere on that player's board: the first one
    was told to have taken it, too, until the next move told otherwise."""
    moves = parsed("p1 moon yellow*2 line5 f3=red f4=yellow", "p2 moon yellow*1 broken f4=-", "reveal f4.chip=TY")
    start = GAME.parse_position(QUICK)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 30)
    watching.watch({**GAME.visible(after(start, *moves[:1])), "f4.moon": UNKNOWN}, 3)
    watching.watch(GAME.visible(after(start, *moves[:2])), 12)
    assert not watching.events, "one hand may have done that, or two"
    watching.watch(GAME.visible(after(start, *moves)), 4)
    next_move = GAME.legal_moves(after(start, *moves))[0]
    watching.watch(GAME.visible(after(start, *moves, next_move)), 20)
    assert moves_of(watching.events) == [*moves, next_move]
    assert not [event for event in watching.events if isinstance(event, SlipRaised | Asked)]


def test_a_stack_that_is_hidden_for_a_moment_is_waited_for_before_moves_are_told_that_nobody_saw() -> None:
    """Five moves came out of sight. All that could be seen of them could have been four others, which left a stack that
    was under a sleeve as it was: they were told at once, and the stacks came out wrong."""
    moves = parsed(
        "p1 moon turquoise*1 broken f2=blue", "p2 sun f4 black*1 broken top=yellow", "p1 moon red*1 line6 big",
        "p2 moon blue*3 line4 f1=turquoise f2=- big",
    )
    start = GAME.parse_position(EMPTIED)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.distrust(GAME.visible(start), 20)
    state = after(start, *moves)
    watching.watch({**GAME.visible(state), "f2.moon": UNKNOWN}, 7)
    watching.watch(GAME.visible(state), 10)
    assert watching.reconciler.state == state


def test_a_plate_that_everybody_saw_lie_was_not_laid_elsewhere() -> None:
    """A plate was moved while nobody could look. A move made in the dark long before was thought over for that, and the
    plate was told to have been laid in its new place: nobody heard of it, and the game was lost."""
    moves = parsed(
        "p1 moon turquoise*2 line3 big", "p2 plate offer.1 13@0 plate.2.2",
        "p1 moon red*3 broken f3=black f4=red big", "p2 moon black*1 line4 f3=turquoise",
    )
    start = GAME.parse_position(LAID)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.distrust(GAME.visible(start), 20)
    for number in (1, 2, 3):
        watching.watch(GAME.visible(after(start, *moves[:number])), 15)
    watching.distrust(GAME.visible(start), 20)
    state = after(start, *moves)
    plate = GAME.visible(state)["p2.plate.2.2"]
    found = watching.watch({**GAME.visible(state), "p2.plate.2.2": None, "p2.plate.2.1": plate}, 60)
    assert not [event for event in found if isinstance(event, TakenBack)]
    assert [slip.slug for event in found if isinstance(event, SlipRaised) for slip in event.slips] == ["plate-moved"]


def test_what_came_long_after_the_rest_of_a_move_may_be_the_next_one() -> None:
    """A player took a tile off a stack that had another of its colour, which the next player took. Part of the first
    move was under a sleeve until then: the first was told to have left what the second did, and the game was lost."""
    moves = parsed("p1 moon black*1 line1 f3=black", "p2 moon black*1 broken f3=blue")
    start = GAME.parse_position(ALIKE)
    first, both = (GAME.visible(after(start, *moves[:number])) for number in (1, 2))
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    watching.watch(first, 1)
    watching.watch({**first, "p1.line1.1": UNKNOWN}, 10)
    watching.watch({**both, "p1.line1.1": UNKNOWN, "p2.broken": UNKNOWN}, 2)
    watching.watch({**both, "p2.broken": UNKNOWN}, 1)
    watching.watch(both, 10)
    assert moves_of(watching.events) == moves


def test_a_plate_from_the_stack_is_told_though_a_sleeve_hides_something_else() -> None:
    """What is drawn from the stack leaves no other trace, so a sleeve anywhere made it seem that it might have come
    from elsewhere: it was told only after the next moves, three at a time, and in the wrong order."""
    start = next(acquiring(1))
    drawn = next(move for move in GAME.legal_moves(start) if GAME.describe(move)["from"] == "stack")
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 10)
    found = watching.watch({**GAME.visible(after(start, drawn)), "f1.sun": UNKNOWN}, 6)
    assert moves_of(found) == [drawn]


def test_what_shows_nothing_was_done_where_there_was_time_for_it() -> None:
    """A player took tiles in plain view, and for five seconds nobody could look. In between the other had made a move
    that shows nowhere: it was told to have come first, and each of the two to have played what the other did."""
    moves = parsed(
        "p2 moon black*3 broken f1=black big", "p1 moon blue*1 broken f4=blue", "p2 moon black*1 line5 f1=blue"
    )
    start = GAME.parse_position(FULL_ROWS)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    first, last = GAME.visible(after(start, moves[0])), GAME.visible(after(start, *moves))
    watching.watch(first, 10)
    watching.distrust(first, 20)
    watching.watch({**last, "f1.moon": {"top": "black"}}, 2, hand=True)
    watching.watch(last, 20)
    assert moves_of(watching.events) == moves


def test_a_place_that_was_seen_once_after_a_sleeve_does_not_speak_a_player_free() -> None:
    """Who laid a plate from the stack took one from the display with it. A sleeve lay over that, and it was misread in
    the first look after: the move was told as a good one, and the other player accused of what was missing."""
    start = next(acquiring(1))
    before = GAME.visible(start)
    slip = next(each for each in GAME.plausible_moves(start) if "stack-draw-misplayed" in (s.slug for s in each.slips))
    taken = next(place for place in slip.places if place.startswith("offer."))
    wrong = {**before, **slip.places}
    watching = Watching(PLAYED, start)
    watching.watch(before, 10)
    watching.watch({**wrong, taken: UNKNOWN}, 6)
    watching.watch({**wrong, taken: before[taken]}, 1)
    watching.watch(wrong, 30)
    raised = [slip.slug for event in watching.events if isinstance(event, SlipRaised) for slip in event.slips]
    assert raised == ["stack-draw-misplayed"]
    assert not moves_of(watching.events)
