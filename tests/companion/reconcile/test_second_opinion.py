"""Moves that nobody saw and that were others: if one of these fails, a game goes astray without anybody's fault."""

from __future__ import annotations

from companion.reconcile.belief import Answer, Asked, Confirmed, SlipRaised, TakenBack
from tests.companion.reconcile.duel_positions import GAME, PLAYED, after, parsed
from tests.companion.reconcile.watching import Watching, moves_of

FRAMES_A_SECOND = 10
BEFORE = (
    'azul-duel {"bag":[0,0,1,1,0],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":true,"moons":[[],[1,2,1],[2,4],[4,4]],"offer":[-1,-1,-1],"options":{"partial_volunta'
    'ry_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_a'
    't_zero":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,1,3,-1,-1,-1,-1,0,4,-1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[6,8,6,2,-1,-1,-1,-1,-1,-1],"c'
    'olours":[-1,2,2,0,0,2],"counts":[0,2,2,3,1,2],"has_marker":false,"has_passed":false,"has_tiled":false,"pl'
    'ates":[25,58,34,15,40,-1,47,-1,67],"score":1,"tokens_used":2},{"broken":[],"cells":[-1,-1,1,2,-1,-1,-1,-1'
    ',2,4,-1,-1,-1,-1,-1,0,-1,-1,-1,1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[3,16,21,1,-1,-'
    '1,-1,-1,-1,-1],"colours":[3,-1,3,-1,4,1],"counts":[1,0,2,0,3,1],"has_marker":false,"has_passed":false,"ha'
    's_tiled":false,"plates":[-1,53,18,69,4,-1,-1,49,21],"score":10,"tokens_used":1}],"round":3,"starter":1,"s'
    'uns":[[2,2,0,1,0],[2,0,1,0,1],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[3,5,1,'
    '7,4],"turn":1}'
)
"""Player 1 is to move; three blue tiles lie on line 4, and two more on factory 1 with a red one and a turquoise one."""
MADE = ("p1 sun f1 red*1 line1 top=blue", "p2 plate stack 2@270 plate.1.1 drawn=1", "p1 moon blue*1 line4 f1=blue")
LIKEWISE = (
    "p1 sun f1 blue*2 line4 top=red", "p2 plate stack 2@270 plate.1.1 drawn=1", "p1 moon red*1 line1 f1=turquoise"
)
"""What leaves the same behind as those, if in the last of them a tile too many is taken and breaks."""

TWO_BELOW = (
    'azul-duel {"bag":[1,0,0,1,0],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[1,1,0,0,'
    '1],"marker_on_large":true,"moons":[[1,4,4],[1,4,4],[4],[2,1]],"offer":[14,-1,-1],"options":{"partial_volu'
    'ntary_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_dra'
    'w_at_zero":"free"},"phase":"acquire","players":[{"broken":[3],"cells":[2,-1,-1,-1,2,-1,-1,-1,-1,0,4,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[8,1,4,6,-1,-1,-1,-1,-1,-1'
    '],"colours":[3,0,1,4,0,2],"counts":[1,2,3,3,2,6],"has_marker":false,"has_passed":false,"has_tiled":false,'
    '"plates":[42,44,11,-1,-1,37,67,61,1],"score":0,"tokens_used":2},{"broken":[0],"cells":[-1,-1,-1,-1,3,1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[0,4,2,1,'
    '-1,-1,-1,-1,-1,-1],"colours":[0,3,1,2,0,4],"counts":[1,2,3,3,3,2],"has_marker":false,"has_passed":false,"'
    'has_tiled":false,"plates":[-1,56,22,25,7,16,28,-1,32],"score":5,"tokens_used":2}],"round":3,"starter":2,"'
    'suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[1,2,1'
    ',6,1],"turn":2}'
)
"""Player 2 is to move; of the two tiles below the turquoise one on factory 1, one is turquoise as well."""

QUICK = (
    'azul-duel {"bag":[6,7,3,4,3],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0'
    '],"marker_on_large":true,"moons":[[1,2],[0,3,4],[4,1],[]],"offer":[62,34,28],"options":{"partial_voluntary'
    '_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_z'
    'ero":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[0,6,-1,-1,-1,-1,-1,-1,-1,-1],"c'
    'olours":[-1,4,0,3,-1,0],"counts":[0,2,2,2,0,2],"has_marker":false,"has_passed":false,"has_tiled":false,"pl'
    'ates":[-1,71,43,-1,12,50,-1,65,-1],"score":0,"tokens_used":2},{"broken":[4,4],"cells":[-1,-1,-1,-1,-1,2,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[8,1,-1,-'
    '1,-1,-1,-1,-1,-1,-1],"colours":[-1,0,4,1,3,2],"counts":[0,1,2,1,2,3],"has_marker":false,"has_passed":false'
    ',"has_tiled":false,"plates":[24,-1,53,45,11,-1,3,-1,-1],"score":0,"tokens_used":2}],"round":2,"starter":2,'
    '"suns":[[0,2,0,2,1],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[1,0,0,2,1]],"supply_is_split":true,"tower":[0,1,4'
    ',0,0],"turn":1}'
)
"""Player 1 is to move; one turquoise tile lies on factory 4, and another on top of the stack of factory 2."""

MISSING = (
    'azul-duel {"bag":[2,3,5,2,3],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0'
    '],"marker_on_large":true,"moons":[[],[],[],[]],"offer":[43,-1,49],"options":{"partial_voluntary_break":fal'
    'se,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"free"'
    '},"phase":"acquire","players":[{"broken":[],"cells":[-1,4,-1,-1,2,-1,3,1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[24,21,20,6,2,3,-1,-1,-1,-1],"colours":[-1,-1,0'
    ',0,3,4],"counts":[0,0,1,2,2,2],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[21,0,37,2'
    '4,-1,30,19,45,64],"score":0,"tokens_used":1},{"broken":[],"cells":[-1,3,-1,-1,-1,1,2,-1,-1,-1,-1,1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[0,3,23,23,17,9,-1,-1,-1,-1],"col'
    'ours":[-1,-1,1,3,3,0],"counts":[0,0,2,3,2,5],"has_marker":false,"has_passed":false,"has_tiled":false,"plat'
    'es":[55,70,59,35,63,-1,-1,13,6],"score":0,"tokens_used":0}],"round":4,"starter":1,"suns":[[1,1,1,1,1],[0,2'
    ',1,0,1],[0,1,2,0,1],[0,1,1,0,2],[2,0,0,1,1]],"supply_is_split":true,"tower":[0,0,0,0,0],"turn":2}'
)
"""Player 2 is to move; nothing lies on the first two lines of either."""

TILING = (
    'azul-duel {"bag":[1,5,7,5,6],"chips":[-1,-1,6,-1],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0]'
    ',"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break":fal'
    'se,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"free"'
    '},"phase":"acquire","players":[{"broken":[4,3],"cells":[-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,1,-1,-1],"chips":[7,0,4,8,9,3,3,5,-1,-1],"colours":[0,3,1,0'
    ',0,4],"counts":[1,1,2,2,2,2],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":[11,3,19,27,'
    '69,45,53,12,39],"score":0,"tokens_used":2},{"broken":[0,0,0,2],"cells":[-1,-1,-1,-1,-1,1,-1,-1,-1,-1,4,3,-'
    '1,-1,-1,-1,-1,-1,-1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[4,18,16,23,9,1,8,-1,-1,-1]'
    ',"colours":[3,1,4,1,3,0],"counts":[1,2,1,1,2,4],"has_marker":true,"has_passed":false,"has_tiled":false,"pl'
    'ates":[65,42,20,58,63,50,30,34,6],"score":0,"tokens_used":2}],"round":4,"starter":1,"suns":[[0,0,0,0,0],[0'
    ',0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,1,5,1,0],"turn":1}'
)
"""Player 1 has to pass, and player 2 takes the last chip: then both tile."""

TOP_SEEN = (
    'azul-duel {"bag":[2,3,3,4,6],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[2,0,1,0,'
    '1],"marker_on_large":true,"moons":[[4,4,1],[],[],[]],"offer":[27,-1,-1],"options":{"partial_voluntary_bre'
    'ak":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero'
    '":"free"},"phase":"acquire","players":[{"broken":[3],"cells":[0,2,4,-1,-1,-1,2,1,-1,-1,-1,-1,-1,-1,4,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[2,6,1,21,24,25,-1,-1,-1,-1],"colours'
    '":[0,1,-1,3,0,2],"counts":[1,1,0,2,5,1],"has_marker":false,"has_passed":false,"has_tiled":false,"plates":'
    '[38,32,31,66,20,43,51,-1,-1],"score":0,"tokens_used":0},{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,-1,-1,-1,'
    '2,-1,-1,-1,-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[22,25,19,7,4,2,-'
    '1,-1,-1,-1],"colours":[2,3,4,3,2,1],"counts":[1,1,1,1,1,4],"has_marker":false,"has_passed":false,"has_til'
    'ed":false,"plates":[3,59,52,46,13,63,9,71,4],"score":0,"tokens_used":2}],"round":4,"starter":2,"suns":[[0'
    ',0,0,0,0],[0,0,0,0,0],[0,0,2,1,1],[2,1,0,1,0],[0,2,1,1,0]],"supply_is_split":true,"tower":[0,0,0,0,0],"tu'
    'rn":2}'
)
"""Player 2 is to move; a red tile lies on line 5, and a red one among those in the middle."""


def overtaken() -> Watching:
    """A table at which two moves were made out of sight, and a third with a tile too many, which was put right."""
    state = GAME.parse_position(BEFORE)
    watching = Watching(PLAYED, state, every_ns=10**9 // FRAMES_A_SECOND)
    watching.watch(GAME.visible(state), 4 * FRAMES_A_SECOND)
    watching.pass_over(8 * FRAMES_A_SECOND)
    watching.watch(GAME.visible(after(state, *parsed(*LIKEWISE))), 3 * FRAMES_A_SECOND)
    assert watching.reconciler.state == after(state, *parsed(*LIKEWISE)), "nothing tells them apart yet"
    watching.pass_over(2 * FRAMES_A_SECOND)
    return watching

PUT_RIGHT = (
    'azul-duel {"bag":[6,3,4,4,5],"chips":[11,1,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0,0'
    '],"marker_on_large":false,"moons":[[4],[],[4,4],[1,1]],"offer":[-1,-1,-1],"options":{"partial_voluntary_b'
    'reak":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_ze'
    'ro":"free"},"phase":"acquire","players":[{"broken":[3,4,2,1],"cells":[-1,3,-1,-1,-1,-1,-1,1,-1,-1,1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,3,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[24,25,21,24,18,2,-1,-1,-1,'
    '-1],"colours":[2,0,4,2,-1,4],"counts":[1,1,1,2,0,3],"has_marker":true,"has_passed":false,"has_tiled":fals'
    'e,"plates":[42,24,70,2,37,48,58,6,15],"score":0,"tokens_used":2},{"broken":[3,2,0,0],"cells":[0,-1,-1,2,-'
    '1,-1,-1,3,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1],"chips":[7,5'
    ',0,6,3,6,-1,-1,-1,-1],"colours":[1,0,3,3,-1,2],"counts":[1,2,1,3,0,2],"has_marker":false,"has_passed":fal'
    'se,"has_tiled":false,"plates":[31,19,11,55,35,22,44,62,67],"score":0,"tokens_used":2}],"round":4,"starter'
    '":2,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":['
    '0,4,0,0,0],"turn":2}'
)
"""Player 2 is to move and has room for no more broken tiles: a single tile that breaks would show nowhere."""


def test_moves_that_nobody_saw_are_thought_over_once_they_cannot_have_been_made() -> None:
    """Who put a slip right that nobody could know of had, by what was written down, laid a tile back that was never
    taken: nothing was agreed on for a minute, and then people were asked."""
    watching = overtaken()
    right = after(GAME.parse_position(BEFORE), *parsed(*MADE))
    found = watching.watch(GAME.visible(right), 3 * FRAMES_A_SECOND)
    assert watching.reconciler.state == right
    taken_back = next(event for event in found if isinstance(event, TakenBack))
    assert [GAME.format_move(move) for move in taken_back.moves] == list(LIKEWISE)
    told = [GAME.format_move(event.move) for event in found if isinstance(event, Confirmed)]
    assert told == list(MADE)
    assert not [event for event in found if isinstance(event, SlipRaised | Asked)]


def test_one_place_that_is_misread_takes_no_move_back() -> None:
    watching = overtaken()
    state = watching.reconciler.state
    found = watching.watch({**GAME.visible(state), "f1.moon": {"top": "blue"}}, 8 * FRAMES_A_SECOND)
    assert not [event for event in found if isinstance(event, TakenBack)]
    assert watching.reconciler.state == state


def test_what_a_person_has_built_on_is_not_taken_back() -> None:
    """Whoever said which slip it was has said with that what was played before it."""
    watching = overtaken()
    watching.reconciler.raise_told(Answer("a1", "answer.slip"))
    right = after(GAME.parse_position(BEFORE), *parsed(*MADE))
    found = watching.watch(GAME.visible(right), 3 * FRAMES_A_SECOND)
    assert not [event for event in found if isinstance(event, TakenBack)]


def test_a_move_that_nobody_saw_is_thought_over_though_it_was_one_alone() -> None:
    """A tile was lifted off a stack as the picture came back: what was below it was taken to lie there ever since, and
    where the tile was laid nobody could tell it had come from. People were asked, and the scores were wrong."""
    made = (
        "p2 moon turquoise*4 line6 f1=turquoise f2=yellow f3=- big", "reveal f3.chip=BR",
        "p1 moon turquoise*1 broken f1=yellow", "p2 chip f3 chips.5", "p1 moon blue*1 line5 big",
        "p2 moon yellow*4 broken f1=- f2=turquoise f4=red big",
    )
    start = GAME.parse_position(TWO_BELOW)
    seemed = after(start, *parsed("p2 moon turquoise*4 line6 f1=yellow f2=yellow f3=- big", "reveal f3.chip=BR"))
    watching = Watching(PLAYED, start, every_ns=10**9 // FRAMES_A_SECOND)
    watching.watch(GAME.visible(start), 4 * FRAMES_A_SECOND)
    watching.distrust(GAME.visible(start), 4 * FRAMES_A_SECOND)
    watching.watch(GAME.visible(seemed), FRAMES_A_SECOND)
    assert watching.reconciler.state == seemed, "nothing tells them apart yet"
    for number in range(3, len(made) + 1):
        watching.pass_over(FRAMES_A_SECOND)
        watching.watch(GAME.visible(after(start, *parsed(*made[:number]))), 2 * FRAMES_A_SECOND)
    assert watching.reconciler.state == after(start, *parsed(*made))
    assert not [event for event in watching.events if isinstance(event, SlipRaised | Asked)]


def test_a_slip_is_named_though_somebody_had_begun_to_think_over_the_moves_before_it() -> None:
    """Two places were misread for a while after moves that nobody saw. By the next move that was settled, but nobody
    was told of any slip that followed, because what was no longer thought over never came to its end."""
    watching = overtaken()
    state = watching.reconciler.state
    misread = {"p1.dome.6.6": "blue"}
    found = watching.watch({**GAME.visible(state), **misread, "p2.dome.6.6": "red"}, 3 * FRAMES_A_SECOND // 2)
    move = GAME.legal_moves(state)[0]
    state = after(state, move)
    found += watching.watch({**GAME.visible(state), **misread}, FRAMES_A_SECOND // 2)
    slip = next(
        each for each in GAME.plausible_moves(state)
        if [slip.slug for slip in each.slips] == ["display-refilled-early"]
    )
    for number in range(4 * FRAMES_A_SECOND):
        # A camera misreads something in every look, each time elsewhere.
        flicker = {f"p{1 + number % 2}.dome.5.{1 + number % 6}": "black"} if number > 4 else misread
        found += watching.watch({**GAME.visible(state), **slip.places, **flicker}, 1)
    assert moves_of(found) == [move]
    raised = [event for event in found if isinstance(event, SlipRaised)]
    assert [slip.slug for event in raised for slip in event.slips] == ["display-refilled-early"]


def test_moves_that_are_thought_over_are_told_in_the_order_in_which_they_came() -> None:
    """What lay there first was known, but not to whoever thought it over: of two turquoise tiles, the one that broke at
    first and the one that was laid on a line later were told the other way round, and the scores between were wrong."""
    made = (
        "p1 sun f4 turquoise*1 broken top=blue", "p2 moon blue*1 line1 f4=black", "p1 moon turquoise*1 line1 f2=black"
    )
    start = GAME.parse_position(QUICK)
    watching = Watching(PLAYED, start, every_ns=10**9 // FRAMES_A_SECOND)
    watching.watch(GAME.visible(start), 3 * FRAMES_A_SECOND)
    two = GAME.visible(after(start, *parsed(*made[:2])))
    watching.watch({**two, "p2.line1.1": "?"}, FRAMES_A_SECOND * 3 // 5)
    assert watching.reconciler.state == after(start, *parsed("p1 sun f4 turquoise*1 broken top=black")), "as it seems"
    watching.watch({**two, "f2.moon": "?"}, FRAMES_A_SECOND)
    found = watching.watch(GAME.visible(after(start, *parsed(*made))), 2 * FRAMES_A_SECOND)
    assert [GAME.format_move(event.move) for event in found if isinstance(event, Confirmed)] == list(made)


def test_what_was_agreed_on_long_before_is_no_part_of_a_move_that_comes_now() -> None:
    """A tile is missing from a line. It was not asked for: moves that had been agreed on for many looks were taken back
    for others, of which one half would have come long before the other."""
    made = parsed(
        "p2 sun f2 turquoise*1 line2 top=red", "p1 sun f4 turquoise*1 line1 top=black", "p2 moon red*1 line1 f2=red"
    )
    start = GAME.parse_position(MISSING)
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    watching.distrust(GAME.visible(start), 20)
    watching.watch(GAME.visible(after(start, *made[:2])), 20)
    state = after(start, *made)
    watching.watch(GAME.visible(state), 20)
    slip = next(
        each for each in GAME.plausible_moves(state)
        if [(slip.slug, slip.places) for slip in each.slips] == [("overflow-missing", ("p1.line2.2",))]
    )
    watching.watch({**GAME.visible(state), **slip.places}, 30)
    assert moves_of(watching.events) == list(made)
    raised = [event for event in watching.events if isinstance(event, SlipRaised)]
    assert [slip.slug for event in raised for slip in event.slips] == ["overflow-missing"]


def test_whoever_explains_a_table_by_a_slip_has_not_explained_it_by_moves() -> None:
    """A tile that was laid from a line that is not complete was called a move, once somebody thought over what had been
    played before it: the slip was told under another name."""
    passed = after(GAME.parse_position(TILING), *parsed("p1 pass", "p2 chip f3 chips.8"))
    slip = next(
        each for each in GAME.plausible_moves(passed)
        if [(slip.slug, slip.places) for slip in each.slips] == [("incomplete-line-tiled", ("p2.dome.5.2",))]
    )
    wrong = {**GAME.visible(passed), **slip.places}
    tiled = GAME.changes(passed, after(passed, *parsed("p1 tile ...5.. chips=3,4,5,6,7,8")))
    watching = Watching(PLAYED, passed)
    watching.watch(GAME.visible(passed), 10)
    watching.watch(wrong, 40)
    found = watching.watch({**wrong, **tiled}, 20)
    assert [event for event in found if isinstance(event, Confirmed)], "play went on over it"
    assert not watching.reconciler.is_content()


def test_what_was_seen_to_lie_on_a_stack_between_two_moves_lay_there() -> None:
    """A player took two red tiles from one stack while nobody could see the table. That the stack beside it had shown
    black, and been taken from in between, was taken for true instead of the slip: its blue top had been in sight for
    seconds."""
    start = GAME.parse_position(TOP_SEEN)
    first, second = parsed("p2 sun f3 yellow*1 line6 top=blue", "p1 sun f2 turquoise*1 line3 top=red")
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    watching.distrust(GAME.visible(start), 20)
    for position in (after(start, first), after(start, first, second)):
        watching.watch(GAME.visible(position), 12)
    assert watching.reconciler.state == after(start, first, second)
    watching.distrust(GAME.visible(watching.reconciler.state), 20)
    laid = {f"p2.line5.{number}": "red" for number in (2, 3, 4)}
    found = watching.watch({
        **GAME.visible(watching.reconciler.state), **laid, "p2.start": "marker", "f2.moon": {"top": "black"},
        "big.moon": {"blue": 2, "turquoise": 1},
    }, 60)
    assert not moves_of(found)
    assert [event.slips[0].slug for event in found if isinstance(event, SlipRaised)] == ["stack-overtaken"]


def test_what_lay_wrong_for_a_while_does_not_make_of_two_moves_what_was_one() -> None:
    """A player moved out of turn: as if the other, who had no room for one more broken tile, had made a move that shows
    nowhere. It was put right, and the other took the same tiles. Because they had plainly lain in the wrong line, that
    was not believed, and the next to move was told to be out of turn."""
    start = GAME.parse_position(PUT_RIGHT)
    right = after(start, *parsed("p2 moon turquoise*2 broken f1=- f3=turquoise"))
    told = after(right, *parsed("reveal f1.chip=KB"))
    watching = Watching(PLAYED, start)
    watching.watch(GAME.visible(start), 20)
    wrong = {**GAME.visible(start), "p1.line6.4": "turquoise", "p1.line6.5": "turquoise", "f1.moon": None}
    watching.watch({**wrong, "f1.moon": "?"}, 1)
    watching.watch(wrong, 12)
    watching.watch({**GAME.visible(right), "f1.chip": "?"}, 14)
    watching.watch(GAME.visible(told), 14)
    assert watching.reconciler.state == told
    assert not [event for event in watching.events if isinstance(event, SlipRaised | Asked)]
