"""Where frames come rarely, each of them counts: if one of these fails, a glimpse under a hand becomes a move, or
somebody is accused of what they are still doing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.catalogue import PlayedGame, played_game
from companion.reconcile.belief import Event, SlipCleared, SlipRaised
from tests.companion.reconcile.duel_positions import walk
from tests.companion.reconcile.watching import Watching, moves_of

HALF_A_SECOND_NS = 500_000_000
AZUL, DUEL = played_game("azul", 2), played_game("azul-duel", 2)


class Table(Watching):
    """A table of which a picture is taken every half a second."""

    def __init__(self, played: PlayedGame, state: Any) -> None:
        super().__init__(played, state, HALF_A_SECOND_NS)
        self.agreed = dict(played.game.visible(state))
        self.watch(self.agreed, 3)

    def show(self, changed: dict[str, Any], frames: int = 2, hand: bool = False) -> list[Event]:
        return self.watch({**self.agreed, **changed}, frames, hand)


def slugs_of(events: list[Event]) -> list[str]:
    return [slip.slug for event in events if isinstance(event, SlipRaised) for slip in event.slips]


def difference(played: PlayedGame, before: Any, after: Any) -> dict[str, Any]:
    old = played.game.visible(before)
    return {place: content for place, content in played.game.visible(after).items() if old[place] != content}


def dealt() -> Any:
    state = AZUL.game.new(2, AZUL.options, 1)
    return AZUL.game.play(state, AZUL.game.random_deal(state, 5))


def move_to(state: Any, line: str, count: int = 1) -> Any:
    return next(
        move for move in AZUL.game.legal_moves(state)
        if AZUL.game.describe(move)["to"] == line and AZUL.game.describe(move)["count"] == count
    )


def test_a_tile_that_was_glimpsed_before_a_hand_covered_it_is_no_move() -> None:
    """A sleeve over the floor looked like a tile there; the tile went to a line."""
    state = dealt()
    to_line = move_to(state, "line4")
    told = AZUL.game.describe(to_line)
    to_floor = next(
        move for move in AZUL.game.legal_moves(state) if AZUL.game.describe(move) == {**told, "to": "floor"}
    )
    table = Table(AZUL, state)
    laid = difference(AZUL, state, AZUL.game.play(state, to_line))
    fallen = difference(AZUL, state, AZUL.game.play(state, to_floor))
    glimpse = {place: content for place, content in fallen.items() if place.startswith("p1.floor")}
    table.show(glimpse, 1, hand=True)
    left = {place: content for place, content in laid.items() if not place.startswith("p1.")}
    covered = dict.fromkeys([*glimpse, "p1.line4.1"], "?")
    assert not moves_of(table.show({**left, **covered}, 1, hand=True))
    assert moves_of(table.show(laid)) == [to_line]


def test_the_top_of_a_stack_is_not_known_before_the_hand_has_left() -> None:
    """One picture shows the first tile of the stack; the next one, without a hand, what came to lie upon it."""
    state, low, high = next(
        (state, low, high) for state in walk(5) if DUEL.game.phase(state) == "acquire"
        for low in DUEL.game.legal_moves(state) for high in DUEL.game.legal_moves(state)
        if getattr(low, "top", None) and low != high and replace(low, top=getattr(high, "top", None)) == high
    )
    table = Table(DUEL, state)
    assert not moves_of(table.show(difference(DUEL, state, DUEL.game.play(state, low)), 1, hand=True))
    assert moves_of(table.show(difference(DUEL, state, DUEL.game.play(state, high)))) == [high]


def test_nobody_is_accused_before_there_was_time_to_turn_a_chip() -> None:
    """The last tile of a stack has just been taken: the chip under it is still face down for a moment."""
    before, move, waiting = next(
        (state, move, after) for state in walk(11) if DUEL.game.phase(state) == "acquire"
        for move in DUEL.game.legal_moves(state) for after in [DUEL.game.play(state, move)]
        if DUEL.game.phase(after) == "reveal"
    )
    chips = dict.fromkeys(DUEL.game.deal_request(waiting).choices, "face-down")
    table = Table(DUEL, before)
    taken = {**difference(DUEL, before, waiting), **chips}
    events = table.show(taken, 4)
    assert moves_of(events) == [move]
    assert not slugs_of(events)
    assert slugs_of(table.show(taken, 12)) == ["chip-face-wrong"]


def test_a_slip_on_its_way_back_is_no_other_slip() -> None:
    """The rest was pushed to the centre and a tile laid on a full line; as they go back, the rest lies on its factory
    before the tile does, which is nobody's mistake."""
    state = dealt()
    state = AZUL.game.play(state, move_to(state, "line1"))
    state = AZUL.game.play(state, move_to(state, "line1"))
    slip = next(
        each for each in AZUL.game.plausible_moves(state)
        if [slip.slug for slip in each.slips] == ["line-overfilled"] and "p1.line1.1" in each.places
    )
    factory = next(place for place in slip.places if place.startswith("f"))
    table = Table(AZUL, state)
    assert "line-overfilled" in slugs_of(table.show(dict(slip.places)))
    taken = slip.places["p1.line1.1"]
    rest = {colour: count for colour, count in table.agreed[factory].items() if colour != taken}
    events = table.show({**slip.places, factory: rest, "centre": table.agreed["centre"]}, 3)
    events += table.show({factory: rest}, 2)
    assert not slugs_of(events)
    assert any(isinstance(event, SlipCleared) for event in [*events, *table.show({}, 2)])
