"""What happened while nothing could be seen, and what is covered for a moment after it: if one of these fails, a plate
is made up, two moves are taken for one, or a game of Azul Duel is lost for the rest of the round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.reconcile.belief import SlipRaised
from companion.reconcile.choosing import read_choices
from companion.reconcile.dealing import read_deals
from companion.reconcile.patience import Patience
from companion.reconcile.reconciler import Reconciler
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS
from engine.types import DealRequest
from tests.companion.reconcile.duel_positions import GAME, PLAYED, acquiring, after, parsed, refills
from tests.companion.reconcile.test_order import START, watched
from tests.companion.reconcile.watching import Watching, doubtful, moves_of

SILENT = (
    'azul-duel {"bag":[0,1,0,1,0],"chips":[11,11,-1,-1],"format":"azul-duel-position/1","large_moon":[0,1,0,0'
    ',0],"marker_on_large":false,"moons":[[3,3],[3,1],[],[]],"offer":[-1,59,-1],"options":{"partial_voluntary'
    '_break":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at'
    '_zero":"free"},"phase":"acquire","players":[{"broken":[1,0,0,4],"cells":[-1,1,-1,-1,-1,-1,-1,-1,-1,0,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[24,3,23,20,0,-1,-1,'
    '-1,-1,-1],"colours":[0,3,2,4,0,2],"counts":[1,2,2,2,2,3],"has_marker":false,"has_passed":false,"has_tile'
    'd":false,"plates":[1,44,31,48,-1,16,70,27,-1],"score":0,"tokens_used":2},{"broken":[2,2,2,2],"cells":[-1'
    ',3,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],'
    '"chips":[5,17,17,24,9,-1,-1,-1,-1,-1],"colours":[4,1,4,1,2,4],"counts":[1,1,2,3,2,5],"has_marker":true,"'
    'has_passed":false,"has_tiled":false,"plates":[23,66,-1,52,-1,5,13,34,10],"score":0,"tokens_used":2}],"ro'
    'und":3,"starter":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split'
    '":true,"tower":[6,4,1,6,2],"turn":2}'
)
"""Player 2 is to move; the broken tiles of both are full, and two black tiles lie on factory 1."""
BOTH_TILE = (
    'azul-duel {"bag":[1,4,6,4,2],"chips":[-1,-1,-1,-1],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break":'
    'false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"f'
    'ree"},"phase":"tiling","players":[{"broken":[3],"cells":[1,5,-1,-1,-1,1,3,2,-1,-1,-1,-1,3,-1,-1,-1,3,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[5,5,3,0,1,2,7,7,-1,-1],"colours":[2,4,4,4,'
    '0,0],"counts":[1,2,3,2,5,4],"has_marker":false,"has_passed":true,"has_tiled":false,"plates":[40,11,29,21,'
    '62,14,65,3,34],"score":0,"tokens_used":2},{"broken":[2,1,1,1],"cells":[-1,3,3,4,-1,-1,-1,4,0,1,-1,-1,-1,-'
    '1,2,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,2,-1,-1,-1,-1,1,-1,-1,-1,-1,-1],"chips":[24,17,2,4,0,4,6,9,-1,-1],"colou'
    'rs":[4,2,3,0,-1,-1],"counts":[1,2,3,2,0,0],"has_marker":true,"has_passed":false,"has_tiled":false,"plates'
    '":[44,6,26,37,57,19,53,51,69],"score":27,"tokens_used":2}],"round":4,"starter":1,"suns":[[0,0,0,0,0],[0,0'
    ',0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[0,2,0,0,0],"turn":2}'
)
"""Both players tile; player 1 has eight chips and needs five of them."""
USED_UNSEEN = (
    'azul-duel {"bag":[0,1,0,1,0],"chips":[-1,-1,12,-1],"format":"azul-duel-position/1","large_moon":[0,0,0,0,'
    '0],"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break":'
    'false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero":"f'
    'ree"},"phase":"reveal","players":[{"broken":[3,4,2,1],"cells":[-1,-1,-1,-1,4,-1,1,-1,-1,-1,-1,1,-1,-1,-1,'
    '-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[3,1,4,5,2,4,-1,-1,-1,-1],"colour'
    's":[0,4,1,3,4,0],"counts":[1,2,3,2,5,2],"has_marker":true,"has_passed":false,"has_tiled":false,"plates":['
    '70,58,63,-1,14,64,54,-1,44],"score":0,"tokens_used":2},{"broken":[1,2,2,2],"cells":[5,0,-1,-1,-1,-1,2,4,-'
    '1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[3,6,7,2,9,-1,'
    '-1,-1,-1,-1],"colours":[3,3,0,2,3,0],"counts":[1,2,2,4,2,4],"has_marker":false,"has_passed":false,"has_ti'
    'led":false,"plates":[34,28,17,26,-1,2,-1,49,39],"score":13,"tokens_used":2}],"round":3,"starter":1,"suns"'
    ':[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower":[3,5,3,4,3]'
    ',"turn":1}'
)
"""The chip on factory 3 is to be turned up; player 1 passes, player 2 takes it, and both tile, player 2 with it."""
MANY_COLOURS = (
    'azul-duel {"bag":[3,5,2,6,3],"chips":[11,11,11,11],"format":"azul-duel-position/1","large_moon":[0,0,0,0'
    ',0],"marker_on_large":true,"moons":[[],[],[3,4],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_bre'
    'ak":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zer'
    'o":"free"},"phase":"acquire","players":[{"broken":[],"cells":[-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,2'
    ',-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,3],"chips":[24,5,18,25,0,22,22,7,-1,-1],"col'
    'ours":[-1,-1,-1,4,2,1],"counts":[0,0,0,3,3,2],"has_marker":false,"has_passed":false,"has_tiled":false,"p'
    'lates":[30,32,43,59,11,15,51,66,39],"score":0,"tokens_used":0},{"broken":[0,0],"cells":[-1,-1,-1,-1,4,-1'
    ',-1,-1,-1,-1,-1,3,-1,-1,4,-1,-1,-1,-1,-1,2,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[20,25,'
    '19,8,7,1,0,5,-1,-1],"colours":[-1,-1,0,-1,2,1],"counts":[0,0,1,0,3,5],"has_marker":false,"has_passed":fa'
    'lse,"has_tiled":false,"plates":[24,71,1,63,20,19,45,55,6],"score":0,"tokens_used":0}],"round":5,"starter'
    '":2,"suns":[[1,1,1,1,1],[1,0,0,2,1],[2,0,1,1,0],[0,0,0,0,0],[1,0,1,0,2]],"supply_is_split":true,"tower":'
    '[0,0,0,0,0],"turn":1}'
)
"""Player 1 is to move; five colours lie on the large sun, and a turquoise tile on a black one on factory 3."""


class Evening(Watching):
    """A table that has been seen to show a position, and then nothing."""

    def __init__(self, state: Any, looks: int = 6) -> None:
        super().__init__(PLAYED, state)
        self.watch(GAME.visible(state), looks)

    def darken(self, frames: int) -> None:
        """Frames that cannot be believed."""
        for _ in range(frames):
            self.reconciler.observe(replace(self.next_look({}), trusted=False))

    @property
    def told(self) -> list[Any]:
        return moves_of(self.events)


def covering(table: Any, *places: str) -> dict[str, Any]:
    return {**table, **dict.fromkeys(places, "?")}


def test_a_plate_is_not_made_up_because_nobody_can_see_it() -> None:
    """Any plate of the stack was taken for the one that lies under a sleeve, and its owner accused of having moved it
    when the other came to light."""
    state, move = next(
        (state, move) for state in acquiring(4) for move in reversed(GAME.legal_moves(state))
        if GAME.describe(move).get("from") == "stack" and GAME.scores(state)[GAME.player_of(move) - 1] == 0
    )
    table = Evening(state)
    table.darken(20)
    shown = GAME.visible(GAME.play(state, move))
    table.watch(covering(shown, f"p{GAME.player_of(move)}.{GAME.describe(move)['to']}"), 30)
    assert not table.told
    table.watch(shown, 10)
    assert table.told == [move]


def test_what_looks_like_one_move_after_the_dark_may_be_two() -> None:
    """The tile of the second player is covered for a moment when the lamp is on again: the stack was said to have been
    laid as it is after both, and the tile was a slip."""
    state, first, second = next(
        (state, first, second) for state in acquiring(6) for first in GAME.legal_moves(state)
        if getattr(first, "top", None) and GAME.deal_request(GAME.play(state, first)) is None
        for second in GAME.legal_moves(GAME.play(state, first))
        if getattr(second, "sources", ()) == (first.source,) and second.to == "line4"
        and replace(first, top=second.tops[0][1]) in GAME.legal_moves(state)
    )
    table = Evening(state)
    table.darken(20)
    shown = GAME.visible(after(state, first, second))
    laid = GAME.changes(GAME.play(state, first), after(state, first, second))
    goals = [place for place in laid if ".line4." in place]
    table.watch(covering(shown, *goals), 4)
    table.watch(shown, 12)
    assert table.told == [first, second]


def test_a_tile_from_a_stack_is_found_beside_heaps_of_many_colours() -> None:
    """Three moves were made in the dark. What left the large sun said so much, colour by colour, that every way to
    begin with it was followed, and none that begins with the stack."""
    state = GAME.parse_position(MANY_COLOURS)
    moves = parsed(
        "p1 moon turquoise*1 line3 f3=black", "p2 sun f2 red*1 line1 top=blue", "p1 sun big yellow*1 line6"
    )
    table = Evening(state)
    table.darken(20)
    table.watch(GAME.visible(after(state, *moves)), 14)
    assert table.told == moves


def test_a_move_that_cannot_be_seen_is_not_forgotten_when_the_next_is_agreed_on() -> None:
    """Both let tiles break of which nothing shows. Who took the last ones is told by how many were left: the next turn
    would be the wrong player's."""
    state = GAME.parse_position(SILENT)
    moves = parsed(
        "p2 moon black*1 broken f1=black", "p1 moon yellow*2 broken f2=black big", "p2 moon black*2 broken f1=- f2=-"
    )
    table = Evening(state, 50)
    table.watch(GAME.visible(after(state, *moves[:2])), 50)
    shown = GAME.visible(after(state, *moves))
    table.watch(covering(shown, "f1.moon"), 6)
    table.watch(shown, 50)
    assert table.reconciler.state == after(state, *moves)


def emptied(chips: int) -> tuple[Any, Any]:
    """A position, and a move of which nothing shows but that it empties so many stacks; the tiles could be laid."""
    return next(
        (state, move) for seed in range(40) for state in acquiring(seed) for move in GAME.legal_moves(state)
        if getattr(move, "to", "") == "broken" and len(GAME.changes(state, GAME.play(state, move))) == chips
        and [top for _, top in getattr(move, "tops", ())] == [None] * chips
        and any(replace(move, to=f"line{line}") in GAME.legal_moves(state) for line in range(1, 7))
    )


def test_nobody_holds_a_tile_any_more_when_the_chip_below_has_been_turned_up() -> None:
    """It was waited for eight seconds where the tile would be laid, and by then the chip had been taken, too."""
    state, move = emptied(1)
    table = Evening(state)
    table.watch(GAME.visible(GAME.play(state, move)), 6)
    reveal = GAME.random_deal(GAME.play(state, move), 3)
    table.watch(GAME.visible(after(state, move, reveal)), 15)
    assert table.told == [move, reveal]


def test_chips_that_were_taken_at_once_are_known_from_how_they_lay_there() -> None:
    """Two were turned up before the move was clear that uncovered them, and both were taken: which lay where could not
    be told, and the round was lost."""
    chips: dict[str, Any] = {"f1.chip": ["blue", "red"], "f4.chip": ["black"]}
    evidence = watched(*[chips] * 4, *[dict.fromkeys(chips)] * 3, f1="?", f4="?")
    options: tuple[list[str], ...] = (["black"], ["red"], ["blue", "red"])
    (reading,) = read_choices(evidence, DealRequest({}, {}, 0, choices=dict.fromkeys(chips, options)), dict)
    assert reading.contents == chips


def test_two_chips_that_were_turned_up_and_taken_in_the_dark_are_known_from_the_stores() -> None:
    """Each lies in front of somebody, and which lay where shows in the only look at them: without this the whole round
    was lost, and a question followed."""
    chips: dict[str, Any] = {"f1.chip": ["red"], "f2.chip": ["blue"]}
    taken: dict[str, Any] = {**dict.fromkeys(chips), "p1.chips.1": ["blue"], "p2.chips.1": ["red"]}
    options: tuple[list[str], ...] = (["blue"], ["red"], ["black"])
    request = DealRequest({}, {}, 0, choices=dict.fromkeys(chips, options))
    evidence = watched(chips, *[taken] * 4, f1="?", f2="?")
    (reading,) = read_choices(evidence, request, lambda: START)
    assert reading.contents == chips


def test_a_chip_that_was_only_taken_from_another_factory_is_not_the_one_under_a_sleeve() -> None:
    """Nobody could look at the chip that had been turned up; another was taken meanwhile, and was believed to be it:
    when the sleeve was gone, the players were told that a chip was wrong."""
    both = ["red", "turquoise"]
    shown: dict[str, Any] = {"f1.chip": None, "f2.chip": "?", "p2.chips.1": both}
    request = DealRequest({}, {}, 0, choices={"f2.chip": (["blue"], both)})
    evidence = watched(*[shown] * 4, f1=both, f2="?")
    (reading,) = read_choices(evidence, request, lambda: {**START, "f1.chip": both})
    assert reading.contents == {"f2.chip": "?"}


def test_of_four_chips_that_may_be_two_nobody_thinks_through_all_six_ways() -> None:
    """Each of them would be followed through every move that may have come since, and no look would be answered in
    time. Of three that may be one, all are."""
    pieces = [["red"], ["blue"], ["black"], ["yellow"]]
    stores = ("p1.chips.1", "p2.chips.1", "p1.chips.2", "p2.chips.2")
    for bare, count, ways in ((("f1.chip",), 3, 3), (("f1.chip", "f2.chip"), 4, 0)):
        taken = {**dict.fromkeys(bare), **dict(zip(stores[:count], pieces, strict=False))}
        request = DealRequest({}, {}, 0, choices=dict.fromkeys(bare, tuple(pieces)))
        assert len(read_choices(watched(*[taken] * 4, f1="?", f2="?"), request, lambda: START)) == ways


def test_a_chip_that_could_hardly_be_told_is_the_one_that_lies_in_a_store() -> None:
    """Its dark half hardly differed from the moon around it. Another was taken, too, and so the store, where it was
    plain to see, had no say: its owner was said to have misused a chip, and the game stood still."""
    dark, plain = ["black", "blue"], ["blue"]
    looked: dict[str, Any] = {"f1.chip": plain, "f4.chip": ["red"]}
    taken: dict[str, Any] = {**dict.fromkeys(looked), "p1.chips.1": ["red"], "p2.chips.1": dark}
    options: tuple[list[str], ...] = (["red"], plain, dark)
    request = DealRequest({}, {}, 0, choices=dict.fromkeys(looked, options))
    evidence = watched(*[looked] * 4, *[taken] * 6, f1="?", f4="?")
    (reading,) = read_choices(evidence, request, lambda: START)
    assert reading.contents == {"f1.chip": dark, "f4.chip": ["red"]}


def test_a_chip_that_was_turned_up_taken_and_used_in_the_dark_stays_unknown() -> None:
    """It lies face down in the store of whoever used it: the round waited for a front that nobody will ever see, and
    the game was lost. One that nobody has turned up yet is waited for."""
    options: tuple[list[str], ...] = (["blue"], ["red"], ["black"])
    used: dict[str, Any] = {"f1.chip": None, "p2.chips.1": "face-down"}
    for place in used:
        request = DealRequest({}, {}, 0, choices={place: options})
        (reading,) = read_choices(watched(*[used] * 4, f1="?"), request, lambda: START)
        assert reading.contents == {place: "?"}
    request = DealRequest({}, {}, 0, choices={"f1.chip": options})
    assert read_choices(watched(*[{"f1.chip": "face-down"}] * 4, f1="?"), request, lambda: START) == []


def test_tilings_that_used_such_a_chip_in_the_dark_are_followed() -> None:
    """All of it was thought of, and forgotten in every look, for the chip lay there to be seen."""
    state = GAME.parse_position(USED_UNSEEN)
    moves = parsed(
        "reveal f3.chip=?", "p1 pass", "p2 chip f3 chips.6", "reveal p2.chips.6=?",
        "p1 tile 443.5.", "p2 tile 631... chips=5,6",
    )
    table = Evening(state)
    table.watch(GAME.visible(after(state, *moves)), 20)
    assert table.told == moves


def test_a_misread_space_does_not_change_what_a_factory_was_plainly_seen_to_hold() -> None:
    """A tile that seemed to lie elsewhere was believed to have come from there, and the refill was told with it: a
    whole round went wrong."""
    supply = dict.fromkeys(("blue", "yellow", "red", "black", "turquoise"), 4)
    request, held = DealRequest({"f2.sun": 4}, supply, 4), dict.fromkeys(("blue", "yellow", "red", "black"), 1)
    taken: dict[str, Any] = {"f2.sun": {}, "f2.moon": {"top": "red"}, "p2.line1.1": "turquoise"}
    evidence = watched(*[{"f2.sun": held}] * 5, *[taken] * 4, awaited=request.places)
    (reading,) = read_deals(evidence, request, lambda: START)
    assert reading.contents == {"f2.sun": held}


def test_a_sleeve_that_passed_for_tiles_is_not_what_a_refill_brought() -> None:
    """It lay over a factory that was emptied under it: no move could follow from what seemed to have lain there, and
    the game was lost."""
    supply = dict.fromkeys(("blue", "yellow", "red", "black", "turquoise"), 4)
    request = DealRequest({"f2.sun": 4}, supply, 4)
    taken: dict[str, Any] = {"f2.sun": {}, "f2.moon": {"top": "red"}, "p2.line1.1": "turquoise"}
    evidence = watched(*[{"f2.sun": {"yellow": 4}}] * 3, *[taken] * 4, awaited=request.places)
    readings = read_deals(evidence, request, lambda: START)
    assert readings and all(
        {"red", "turquoise"} <= set(reading.contents["f2.sun"]) for reading in readings[:-1]
    ) and {"yellow": 1, "red": 1, "black": 1, "turquoise": 1} in [reading.contents["f2.sun"] for reading in readings]


def test_a_space_that_may_as_well_be_bare_holds_nothing_that_a_refill_brought() -> None:
    """A printed space that nobody could tell from a turquoise tile was counted among those that a player took: they
    seemed to be all that lay on the factory, and the tile that came to light below them was called a slip."""
    request = DealRequest({"f2.sun": 4}, dict.fromkeys(("blue", "yellow", "red", "black", "turquoise"), 4), 4)
    taken: dict[str, Any] = {"f2.moon": {"top": "red"}, "p2.line1.1": "turquoise", "p2.broken": {"top": "turquoise"}}
    evidence = watched(awaited=request.places)
    camera = NoisyCamera(PLAYED.layout, Noise(), 1)
    for number in range(2, 8):
        look = camera.clear_look({**START, **taken}, number * FRAME_NS)
        evidence.look(evidence.sift(doubtful(look, {"p1.dome.4.6": {None: -0.694, "turquoise": -0.692}})))
    found = [reading.contents["f2.sun"] for reading in read_deals(evidence, request, lambda: START)]
    assert {"blue": 1, "red": 1, "turquoise": 2} in found and {"red": 1, "turquoise": 3} in found


def test_a_chip_that_is_covered_for_a_moment_is_waited_for() -> None:
    """It would stay unknown until the end of the round, though everybody saw it."""
    state, move = emptied(2)
    turned = GAME.play(state, move)
    reveal = GAME.random_deal(turned, 3)
    table = Evening(state, 60)
    table.watch(GAME.visible(turned), 32)
    shown = GAME.visible(after(state, move, reveal))
    hidden = next(iter(reveal.places))
    table.watch(covering(shown, hidden), 12)
    table.watch(shown, 8)
    assert table.reconciler.state == after(state, move, reveal)


def test_a_chip_that_was_misread_in_one_look_is_not_the_one_that_is_covered() -> None:
    """One of two that were turned up lies under a sleeve, and a chip in a store is read wrongly once: the covered one
    was said to be that, and to have been changed when it came to light."""
    chips: dict[str, Any] = {"f1.chip": "?", "f2.chip": ["blue"]}
    options: tuple[list[str], ...] = (["blue"], ["red"], ["black"])
    request = DealRequest({}, {}, 0, choices=dict.fromkeys(chips, options))
    evidence = watched(*[chips] * 3, {**chips, "p1.chips.1": ["red"]}, f1="?", f2="?")
    (reading,) = read_choices(evidence, request, lambda: START)
    assert reading.contents == chips
    evidence = watched(chips, *[{**chips, "p1.chips.1": ["red"]}] * 3, f1="?", f2="?")
    (reading,) = read_choices(evidence, request, lambda: START)
    assert reading.contents == {**chips, "f1.chip": ["red"]}


def test_a_chip_that_nobody_turned_up_is_named_though_another_is_covered() -> None:
    """Two are to be turned up. One lies face down all the while: as the other could not be seen, people were thought
    to be still at it."""
    state, move = emptied(2)
    turned = GAME.play(state, move)
    down, covered = GAME.deal_request(turned).choices
    table = Evening(turned)
    table.watch({**covering(GAME.visible(turned), covered), down: "face-down"}, 60)
    raised = [event.slips[0] for event in table.events if isinstance(event, SlipRaised)]
    assert [(slip.slug, slip.places) for slip in raised] == [("chip-face-wrong", (down,))]


def test_who_moves_after_a_player_who_can_do_nothing_is_not_out_of_turn() -> None:
    """A pass shows nothing, and nobody says it aloud: the other player was accused of taking the next chip."""
    state = next(
        state for seed in range(20) for state in acquiring(seed)
        if [type(move).__name__ for move in GAME.legal_moves(state)] == ["Pass"]
    )
    slips = [slip.slug for each in GAME.plausible_moves(state) for slip in each.slips]
    assert slips and "out-of-turn" not in slips


def test_two_players_who_tile_at_once_with_many_chips_are_followed() -> None:
    """Chips may be turned over late, so those that nobody had used were no objection; they promised even more than none
    at all, what was really used was not looked at, and people were asked."""
    state = GAME.parse_position(BOTH_TILE)
    tiled = after(state, *parsed("p1 tile 332.62 chips=1,2,4,5,7", "p2 tile 1114.. chips=4,5,6,7,8"))
    come = GAME.changes(state, tiled)
    half = {place: come[place] for place in come if place.startswith(("p2.", "p1.dome.")) or place == "p1.chips.4"}
    watching = Watching(PLAYED, state, every_ns=10**8)
    watching.watch(GAME.visible(state), 10)
    watching.pass_over(30)
    watching.watch({**GAME.visible(state), **half}, 1, hand=True)
    watching.pass_over(5)
    watching.watch(GAME.visible(tiled), 20)
    assert watching.reconciler.state == tiled


def test_of_two_plates_that_were_laid_in_the_dark_the_price_tells_which_came_from_the_stack() -> None:
    """Nobody saw one of the plates that a refill laid out. Both that lie on boards may be it: the round waited for one
    more to be missing, and was lost."""
    state, moves = next(
        (state, [deal, first, second])
        for state in refills(28) if max(GAME.scores(state)) > 0
        for deal in [GAME.random_deal(state, 1)]
        for first in GAME.legal_moves(after(state, deal)) if GAME.describe(first).get("from") == "stack"
        for second in GAME.legal_moves(after(state, deal, first))
        if GAME.describe(second).get("from") in deal.places and GAME.describe(second)["action"] == "plate"
    )
    table = Evening(state)
    table.darken(20)
    table.watch(GAME.visible(after(state, *moves)), 12)
    assert table.told == moves


BEFORE_TILING = (
    'azul-duel {"bag":[7,7,2,4,5],"chips":[-1,-1,-1,-1],"format":"azul-duel-position/1","large_moon":[0,0,0,0'
    ',0],"marker_on_large":false,"moons":[[],[],[],[]],"offer":[-1,-1,-1],"options":{"partial_voluntary_break'
    '":false,"scoring":["rows","columns","multicolour"],"special_counts_as_colour":false,"stack_draw_at_zero"'
    ':"free"},"phase":"tiling","players":[{"broken":[1,4,4],"cells":[-1,-1,-1,-1,1,-1,-1,-1,-1,-1,-1,-1,-1,-1'
    ',-1,-1,-1,-1,-1,-1,-1,-1,0,-1,-1,-1,-1,0,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[23,1,16,24,19,25,4,2,-1,-1],"'
    'colours":[1,4,1,-1,0,2],"counts":[1,2,2,0,1,6],"has_marker":true,"has_passed":false,"has_tiled":false,"p'
    'lates":[43,8,28,1,69,64,45,5,17],"score":0,"tokens_used":2},{"broken":[4,4,3,3],"cells":[-1,-1,-1,3,-1,-'
    '1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,1,4,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1],"chips":[5,22'
    ',5,18,22,1,8,0,-1,-1],"colours":[-1,2,0,4,3,2],"counts":[0,1,3,1,5,4],"has_marker":false,"has_passed":fa'
    'lse,"has_tiled":false,"plates":[55,58,62,27,48,15,38,33,21],"score":0,"tokens_used":2}],"round":4,"start'
    'er":1,"suns":[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],"supply_is_split":true,"tower'
    '":[0,0,0,1,0],"turn":1}'
)
"""Both are to tile, and then the factories are filled."""


def test_a_round_that_ended_while_nobody_could_see_is_over_before_the_next_tile_is_taken() -> None:
    """What lay there told all of it, but a sleeve was taken away while it was thought over: it was thought over anew
    until the next moves had been made, and those came in one heap, in another order."""
    made = parsed(
        "p1 tile .42..5 chips=2,7,8", "p2 tile .13.5. chips=1,3,8",
        "deal big.sun=BYRKT f1.sun=BRKT f2.sun=YKTT f3.sun=BYYY f4.sun=BBYK",
    )
    state = GAME.parse_position(BEFORE_TILING)
    watching = Watching(PLAYED, state)
    watching.reconciler = Reconciler(GAME, watching.kinds, state, patience=Patience(at_once=100))
    watching.watch(GAME.visible(state), 20)
    watching.watch(GAME.visible(after(state, made[0])), 1)
    filled = GAME.visible(after(state, *made))
    watching.distrust(filled, 20)
    watching.watch({**filled, "f3.sun": "?", "f1.chip": "?"}, 4)
    found = watching.watch(filled, 7)
    assert moves_of(found) == list(made)
