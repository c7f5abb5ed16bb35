"""Complete games at random, without listing the moves that are not made."""

from __future__ import annotations

from random import Random

from engine.games.azul_duel import acquire, dealing, tiling
from engine.games.azul_duel.acquire import OFFERS, SLOTS, STACK, TURNS
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.moves import Moon, Move, Pass, Plate, Sun, Tile
from engine.games.azul_duel.state import (
    ACQUIRE,
    DEAL,
    FACTORIES,
    LARGE,
    NO_TILES,
    NOTHING,
    OVER,
    REVEAL,
    SETUP,
    TILING,
    PlayerState,
    State,
    unseen_plates,
)


def play_randomly(state: State, rng: Random) -> int:
    """Play to the end; how many moves the players made."""
    moves = 0
    while state.phase != OVER:
        if state.phase in (DEAL, REVEAL):
            state = dealing.play_deal(state, dealing.random_deal(state, rng))
            continue
        moves += 1
        if state.phase == SETUP:
            choices = acquire.start_plates(state, state.turn)
            state = acquire.play(state, choices[int(rng.random() * len(choices))])
        elif state.phase == TILING:
            state = tiling.play_tile(state, random_tiling(state, 2 if state.players[0].has_tiled else 1, rng))
        else:
            state = acquire.play(state, random_action(state, rng))
    return moves


def random_action(state: State, rng: Random) -> Move:
    """One of the legal actions, each as likely as any other."""
    assert state.phase == ACQUIRE
    player = state.turn
    mover = state.players[player - 1]
    if state.options.partial_voluntary_break:
        listed = acquire.actions(state, player)
        return listed[int(rng.random() * len(listed))]
    names = rules_data().colours
    targets: dict[int, list[str]] = {}

    def ways_to_lay(colour: int) -> int:
        if colour not in targets:
            targets[colour] = [to for to, _ in acquire.destinations(mover, colour, 1, False)]
        return len(targets[colour])

    segments: list[tuple[int, int, int]] = []  # how many moves, the factory (or -1 for the moons), the colour
    for factory, sun in enumerate(state.suns):
        if sun == NO_TILES:
            continue
        kinds = 5 - sun.count(0)
        for colour in range(5):
            if sun[colour]:
                tops = 1 if factory == LARGE or kinds == 1 else kinds - 1
                segments.append((tops * ways_to_lay(colour), factory, colour))
    for colour in range(5):
        ways = 0
        for factory, stack in enumerate(state.moons, start=1):
            if stack and stack[-1] == colour:
                ways = max(ways, 1) * len(acquire.come_to_light(state, factory))
        if ways or state.large_moon[colour]:
            segments.append((max(ways, 1) * ways_to_lay(colour), -1, colour))
    picks = sum(segment[0] for segment in segments)
    takes = list(acquire.chips(state, player))
    slots = [slot for slot, plate in enumerate(mover.plates) if plate == NOTHING]
    open_plates = draws = 0
    if acquire.may_lay_plate(state, player):
        open_plates = sum(place != NOTHING for place in state.offer) * len(slots) * 4
        draws = len(unseen_plates(state)) * len(slots) * 4 * acquire.draw_prices(state, player)
    total = picks + len(takes) + open_plates + draws
    if not total:
        return Pass(player)
    index = int(rng.random() * total)
    for size, factory, colour in segments:
        if index < size:
            to = targets[colour][index % len(targets[colour])]
            way = index // len(targets[colour])
            if factory < 0:
                return _moon(state, player, colour, to, way)
            sun = state.suns[factory]
            rest = [] if factory == LARGE else [names[c] for c in range(5) if sun[c] and c != colour]
            return Sun(player, FACTORIES[factory], names[colour], sun[colour], to, rest[way] if rest else None)
        index -= size
    if index < len(takes):
        return takes[index]
    index -= len(takes)
    if index < open_plates:
        index, turn = divmod(index, 4)
        which, slot = divmod(index, len(slots))
        offer = [i for i, place in enumerate(state.offer) if place != NOTHING][which]
        return Plate(player, OFFERS[offer], state.offer[offer] >> 2, TURNS[turn], SLOTS[slots[slot]])
    index, price = divmod(index - open_plates, acquire.draw_prices(state, player))
    index, turn = divmod(index, 4)
    plate, slot = divmod(index, len(slots))
    return Plate(player, STACK, unseen_plates(state)[plate], TURNS[turn], SLOTS[slots[slot]], price + 1)


def _moon(state: State, player: int, colour: int, to: str, way: int) -> Moon:
    """The moon pick of a colour in which the tops that come to light are the `way`-th combination."""
    names = rules_data().colours
    sources = acquire.moon_sources(state, colour)
    tops: list[tuple[str, str | None]] = []
    count = state.large_moon[colour]
    for factory in sources:
        if factory == LARGE:
            continue
        count += 1
        shown = acquire.come_to_light(state, factory)
        way, which = divmod(way, len(shown))
        top = shown[which]
        tops.append((FACTORIES[factory], None if top is None else names[top]))
    return Moon(player, names[colour], count, tuple(FACTORIES[f] for f in sources), to, tuple(tops))


def random_tiling(state: State, number: int, rng: Random) -> Tile:
    """One of the legal tilings; chips are used when it comes out so."""
    mover: PlayerState = state.players[number - 1]
    store = tiling.face_up(mover)
    columns = []
    for row in range(6):
        choices = tiling.line_choices(mover, row, len(store))
        columns.append(choices[int(rng.random() * len(choices))])
    demands = tiling.demanded(mover, tuple(columns))
    if not demands:
        return Tile(number, tuple(columns))
    paid = tiling.payments(tuple(mover.chips[place - 1] for place in store), demands)
    if paid:
        chosen = paid[int(rng.random() * len(paid))]
        return Tile(number, tuple(columns), tuple(store[index] for index in chosen))
    complete = [column if mover.counts[row] > row else 0 for row, column in enumerate(columns)]
    return Tile(number, tuple(complete))
