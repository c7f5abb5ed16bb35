"""What hands are likely to do with plates and tokens, right and wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.games.azul_duel import acquire, effects
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.acquire import OFFERS, SLOTS, TURNS
from engine.games.azul_duel.effects import Delta, wrong
from engine.games.azul_duel.moves import Plate, StartPlate
from engine.games.azul_duel.scoring import plate_cells
from engine.games.azul_duel.state import NOTHING, State, unseen_plates
from engine.types import UNKNOWN, Content, Place, Plausible


def open_plate_delta(number: int, offer: int, slot: int, place: int) -> Delta:
    return {OFFERS[offer]: None, **effects.plate_delta(number, SLOTS[slot], place)}


Wanted = Mapping[Place, Content] | None
"""The places that changed, with what they show or UNKNOWN: explanations that have nothing to do with them need not be
made. None: make them all."""


def stack_plates(state: State, number: int, wanted: Wanted = None) -> Iterator[tuple[int, int, Delta]]:
    """Every plate of the stack on every free slot: the slot, the plate as it lies, and how that looks."""
    unseen = unseen_plates(state)
    for slot in effects.free_slots(state.players[number - 1]):
        for place in _possible(unseen, f"p{number}.{SLOTS[slot]}", wanted):
            yield slot, place, effects.plate_delta(number, SLOTS[slot], place)


def _possible(plates: tuple[int, ...], name: Place, wanted: Wanted) -> list[int]:
    """The plates that can lie on a place, each turned each way; only the one that was seen, if something was, and one
    for all where nobody can tell."""
    if wanted is None:
        return [plate * 4 + turn for plate in plates for turn in range(4)]
    if wanted.get(name) == UNKNOWN:
        return [plate * 4 for plate in plates[:1]]
    code = see.plate_code(wanted.get(name))
    return [code] if code is not None and code >> 2 in plates else []


def offered(state: State) -> Iterator[tuple[int, int]]:
    """Each open plate turned each way, with its place in the display."""
    for index, place in enumerate(state.offer):
        if place != NOTHING:
            for turn in range(4):
                yield index, (place & ~3) + turn


def plates(state: State, number: int, wanted: Wanted) -> Iterator[Plausible]:
    """The plates that may be laid."""
    if not acquire.may_lay_plate(state, number):
        return
    mover = state.players[number - 1]
    token = effects.token_delta(number, mover)
    for move in acquire.open_plates(state, number):
        place = move.plate * 4 + move.rotation // 90
        delta = open_plate_delta(number, OFFERS.index(move.source), SLOTS.index(move.to), place)
        yield Plausible(move, {**delta, **token})
    prices = acquire.draw_prices(state, number)
    for slot, place, delta in stack_plates(state, number, wanted):
        for price in range(1, prices + 1):
            draw = Plate(number, acquire.STACK, place >> 2, TURNS[place % 4], SLOTS[slot], price)
            score = see.shown_score(max(0, mover.score - price))
            yield Plausible(draw, {**delta, **token, f"p{number}.score": score})


def start_plates(state: State) -> Iterator[Plausible]:
    """The plates before round 1, by the right player and by the wrong one."""
    for move in acquire.start_plates(state, state.turn):
        if isinstance(move, StartPlate):
            place = move.plate * 4 + move.rotation // 90
            offer, slot = OFFERS.index(move.source), SLOTS.index(move.to)
            yield Plausible(move, open_plate_delta(state.turn, offer, slot, place))
    other = 3 - state.turn
    for slot in effects.free_slots(state.players[other - 1]):
        for offer, place in offered(state):
            name = f"p{other}.{SLOTS[slot]}"
            yield wrong("setup-wrong", other, open_plate_delta(other, offer, slot, place), [name])
    yield from _moved(state)


def plate_slips(state: State, number: int, wanted: Wanted) -> Iterator[Plausible]:
    """Plates and tokens that do not go together, or do not lie where they may."""
    other = 3 - number
    mover = state.players[number - 1]
    token = effects.token_delta(number, mover)
    may_lay = acquire.may_lay_plate(state, number)
    theirs = _token_out_of_turn(state)
    for offer, place in offered(state):
        for slot in range(9):
            name = f"p{number}.{SLOTS[slot]}"
            delta = open_plate_delta(number, offer, slot, place)
            if mover.plates[slot] != NOTHING:
                yield wrong("plate-misplaced", number, {**delta, **token}, [name], place=name)
            else:
                meant = Plate(number, OFFERS[offer], place >> 2, TURNS[place % 4], SLOTS[slot]) if may_lay else None
                yield wrong("token-plate-mismatch", number, delta, [name], meant, place=name)
            if state.players[other - 1].plates[slot] == NOTHING:
                name = f"p{other}.{SLOTS[slot]}"
                delta = open_plate_delta(other, offer, slot, place)
                if theirs:
                    yield wrong("out-of-turn", other, {**delta, **theirs}, [name])
                if token:
                    yield wrong("plate-misplaced", number, {**delta, **token}, [name], place=name)
    if token:
        yield wrong("token-plate-mismatch", number, token, list(token), place=next(iter(token)))
    yield from _moved(state)
    yield from _refilled(state, wanted)
    yield from _stack_slips(state, number, token, may_lay, wanted)


def _token_out_of_turn(state: State) -> Delta:
    """The token that the other player lays with a plate out of turn; none when all the one whose turn it is can do is
    pass, which nobody sees: then it is the turn of the other."""
    other = 3 - state.turn
    return {} if acquire.may_only_pass(state) else effects.token_delta(other, state.players[other - 1])


def _moved(state: State) -> Iterator[Plausible]:
    """A plate that lay already was turned or pushed to another slot. Nobody does that under the tiles of one."""
    for number, player in enumerate(state.players, start=1):
        free = effects.free_slots(player)
        for slot, place in enumerate(player.plates):
            if place == NOTHING or any(player.cells[cell] != NOTHING for cell in plate_cells(slot)):
                continue
            name = f"p{number}.{SLOTS[slot]}"
            for turn in range(4):
                if turn != place % 4:
                    delta = effects.plate_delta(number, SLOTS[slot], (place & ~3) + turn)
                    yield wrong("plate-moved", number, delta, [name], place=name)
            for to in free:
                delta = {name: None, **effects.plate_delta(number, SLOTS[to], place)}
                yield wrong("plate-moved", number, delta, [name, f"p{number}.{SLOTS[to]}"], place=name)


def _refilled(state: State, wanted: Wanted) -> Iterator[Plausible]:
    """A plate that was laid into the display during the round."""
    for index, place in enumerate(state.offer):
        if place == NOTHING:
            for plate in _possible(unseen_plates(state), OFFERS[index], wanted):
                delta = {OFFERS[index]: see.plate_content(plate)}
                yield wrong("display-refilled-early", None, delta, [OFFERS[index]], place=OFFERS[index])


def _stack_slips(
    state: State, number: int, token: Delta, may_lay: bool, wanted: Wanted
) -> Iterator[Plausible]:
    mover = state.players[number - 1]
    score = f"p{number}.score"
    paid = {score: see.shown_score(max(0, mover.score - 1))}
    for slot, place, delta in stack_plates(state, number, wanted):
        name = f"p{number}.{SLOTS[slot]}"
        may_draw = may_lay and acquire.draw_prices(state, number)
        meant = Plate(number, acquire.STACK, place >> 2, TURNS[place % 4], SLOTS[slot], 1) if may_draw else None
        if may_lay and mover.score:
            yield wrong("stack-draw-unpaid", number, {**delta, **token}, [score], meant, place=name)
            yield wrong("token-plate-mismatch", number, {**delta, **paid}, [name], meant, place=name)
        elif not may_lay:
            yield wrong("token-plate-mismatch", number, {**delta, **paid}, [name], None, "D46", place=name)
        for offer, shown in enumerate(state.offer):
            if shown != NOTHING and may_lay:
                both = {**delta, **token, **paid, OFFERS[offer]: None}
                yield wrong("stack-draw-misplayed", number, both, [OFFERS[offer]], meant, place=OFFERS[offer])
    other = 3 - number
    theirs = _token_out_of_turn(state)
    if theirs:
        price = {f"p{other}.score": see.shown_score(max(0, state.players[other - 1].score - 1))}
        for slot, _, delta in stack_plates(state, other, wanted):
            name = f"p{other}.{SLOTS[slot]}"
            yield wrong("out-of-turn", other, {**delta, **theirs, **price}, [name])
