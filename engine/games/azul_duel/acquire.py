"""The first phase of a round: plates, sun tiles, moon tiles, bonus chips. Also the two plates before round 1."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, overload

from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.moves import Chip, Moon, Move, Pass, Plate, StartPlate, Sun
from engine.games.azul_duel.state import (
    ACQUIRE,
    BROKEN,
    CHIP_TURNED,
    CHIP_UNKNOWN,
    DEAL,
    FACTORIES,
    LARGE,
    LINES,
    NO_TILES,
    NOTHING,
    REVEAL,
    TILING,
    UNSEEN_TILE,
    Counts,
    PlayerState,
    State,
    put,
    store_places,
    unseen_plates,
)
from engine.games.azul_duel.visible import plate_code
from engine.types import UNKNOWN, Content, Place

SLOTS = tuple(f"plate.{row}.{column}" for row in (1, 2, 3) for column in (1, 2, 3))
OFFERS = ("offer.1", "offer.2", "offer.3")
STACK = "stack"
TURNS = (0, 90, 180, 270)


class StackDraws(Sequence[Move]):
    """Every plate that can come from the stack, on every slot, turned each way, for every price.

    There can be thousands, so a move is made only when it is asked for.
    """

    def __init__(self, player: int, plates: Sequence[int], slots: Sequence[int], prices: int) -> None:
        self._player = player
        self._plates = plates
        self._slots = slots
        self._prices = prices

    def __len__(self) -> int:
        return len(self._plates) * len(self._slots) * len(TURNS) * self._prices

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index, price = divmod(index % len(self), self._prices)
        index, turn = divmod(index, len(TURNS))
        plate, slot = divmod(index, len(self._slots))
        return Plate(self._player, STACK, self._plates[plate], TURNS[turn], SLOTS[self._slots[slot]], price + 1)

    def __iter__(self) -> Iterator[Move]:
        for plate, slot, turn, price in product(self._plates, self._slots, TURNS, range(1, self._prices + 1)):
            yield Plate(self._player, STACK, plate, turn, SLOTS[slot], price)


Made = tuple[type[Move], tuple[object, ...]]
"""A move that has not been made yet: its kind and what it is made of."""


class Moves(Sequence[Move]):
    """Moves that are made when they are asked for, followed by the draws from the stack."""

    def __init__(self, listed: list[Made], draws: StackDraws | None) -> None:
        self._listed = listed
        self._draws: Sequence[Move] = draws if draws is not None else ()

    def __len__(self) -> int:
        return len(self._listed) + len(self._draws)

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if index < len(self._listed):
            kind, parts = self._listed[index]
            return kind(*parts)  # type: ignore[arg-type]
        return self._draws[index - len(self._listed)]

    def __iter__(self) -> Iterator[Move]:
        for kind, parts in self._listed:
            yield kind(*parts)  # type: ignore[arg-type]
        yield from self._draws


def start_plates(state: State, player: int) -> list[Move]:
    """The plates that can be laid before round 1 (D31)."""
    slots = [slot for slot, plate in enumerate(state.players[player - 1].plates) if plate == NOTHING]
    return [
        StartPlate(player, OFFERS[index], place >> 2, turn, SLOTS[slot])
        for index, place in enumerate(state.offer)
        if place != NOTHING
        for slot in slots
        for turn in TURNS
    ]


def actions(state: State, player: int) -> Sequence[Move]:
    """Every action of a player in the first phase; a pass when there is none (D65)."""
    listed: list[Made] = [*_suns(state, player), *_moons(state, player), *_chips(state, player)]
    listed.extend(_open_plates(state, player))
    return Moves(listed, stack_draws(state, player)) or [Pass(player)]


def may_only_pass(state: State) -> bool:
    """Whether the player whose turn it is has nothing else to do."""
    return isinstance(actions(state, state.turn)[0], Pass)


def actions_towards(
    state: State, player: int, seen: Mapping[Place, Content], covered: Collection[Place]
) -> Sequence[Move]:
    """The same, but only sun tiles and plates that can have to do with places that show something new or cannot be
    seen. Of plates from the stack that cannot be told one stands for all."""
    shown = {*seen, *covered}
    suns_gone = {name for name in FACTORIES if f"{name}.sun" in shown}
    listed = [(kind, parts) for kind, parts in _suns(state, player) if parts[1] in suns_gone]
    listed += [*_moons(state, player), *_chips(state, player)]
    listed += [
        (kind, parts) for kind, parts in _open_plates(state, player)
        if parts[1] in seen or f"p{player}.{parts[4]}" in shown
    ]
    found = [*Moves(listed, None), *_drawn(state, player, {**dict.fromkeys(covered, UNKNOWN), **seen})]
    return found or [move for move in actions(state, player)[:1] if isinstance(move, Pass)]


def _drawn(state: State, player: int, shown: Mapping[Place, Content]) -> Iterator[Move]:
    """The plates from the stack that show, and any one where that cannot be told."""
    unseen = unseen_plates(state)
    if not may_lay_plate(state, player) or not unseen:
        return
    for slot, plate in enumerate(state.players[player - 1].plates):
        content = shown.get(f"p{player}.{SLOTS[slot]}")
        if plate != NOTHING or content is None:
            continue
        place = unseen[0] * 4 if content == UNKNOWN else plate_code(content)
        if place is not None and place >> 2 in unseen:
            for price in range(1, draw_prices(state, player) + 1):
                yield Plate(player, STACK, place >> 2, TURNS[place % 4], SLOTS[slot], price)


def may_lay_plate(state: State, player: int) -> bool:
    """True while a token is left, in every round but the last (D46)."""
    return state.round < rules_data().rounds and state.players[player - 1].tokens_used < rules_data().tokens


def open_plates(state: State, player: int) -> Iterator[Plate]:
    """Plates of the display (D42), on every free slot, turned each way."""
    return (Plate(*parts) for _, parts in _open_plates(state, player))  # type: ignore[arg-type]


def suns(state: State, player: int) -> Iterator[Sun]:
    """Sun picks (D50–D53), one for each tile that can come to lie on top of the small moon."""
    return (Sun(*parts) for _, parts in _suns(state, player))  # type: ignore[arg-type]


def moons(state: State, player: int) -> Iterator[Moon]:
    """Moon picks (D54, D55), one for each combination of tops that can come to light."""
    return (Moon(*parts) for _, parts in _moons(state, player))  # type: ignore[arg-type]


def chips(state: State, player: int) -> Iterator[Chip]:
    """Bonus chips that lie face up (D62, D63)."""
    return (Chip(*parts) for _, parts in _chips(state, player))  # type: ignore[arg-type]


def _open_plates(state: State, player: int) -> Iterator[Made]:
    if not may_lay_plate(state, player):
        return
    slots = [slot for slot, plate in enumerate(state.players[player - 1].plates) if plate == NOTHING]
    for index, place in enumerate(state.offer):
        if place != NOTHING:
            for slot in slots:
                for turn in TURNS:
                    yield Plate, (player, OFFERS[index], place >> 2, turn, SLOTS[slot])


def stack_draws(state: State, player: int) -> StackDraws | None:
    """Draws from the stack: each costs a point; free draws of a player without points look alike and count as one."""
    if not may_lay_plate(state, player):
        return None
    slots = [slot for slot, plate in enumerate(state.players[player - 1].plates) if plate == NOTHING]
    return StackDraws(player, unseen_plates(state), slots, draw_prices(state, player))


def draw_prices(state: State, player: int) -> int:
    """How many draws from the stack can show on the score stones; one where the first is free (D44)."""
    stack, score = len(unseen_plates(state)), state.players[player - 1].score
    if stack and not score and state.options.stack_draw_at_zero == "free":
        return 1
    return min(stack, score)


def destinations(mover: PlayerState, colour: int, count: int, partial: bool) -> list[tuple[str, int | None]]:
    """Where picked tiles may go (D57–D61): each line with room for the colour, and the broken tiles."""
    found: list[tuple[str, int | None]] = []
    for index in range(6):
        room = index + 1 - mover.counts[index]
        if room and mover.colours[index] in (NOTHING, colour):
            found.append((LINES[index], None))
            if partial:
                found.extend((LINES[index], laid) for laid in range(1, min(room, count)))
    found.append((BROKEN, None))
    return found


def _suns(state: State, player: int) -> Iterator[Made]:
    names = rules_data().colours
    mover = state.players[player - 1]
    partial = state.options.partial_voluntary_break
    targets: dict[tuple[int, int], list[tuple[str, int | None]]] = {}
    for factory, sun in enumerate(state.suns):
        if sun == NO_TILES:
            continue
        for colour in range(5):
            count = sun[colour]
            if not count:
                continue
            key = (colour, count if partial else 0)
            if key not in targets:
                targets[key] = destinations(mover, colour, count, partial)
            tops: list[str | None] = [None]
            if factory != LARGE:
                tops = [names[c] for c in range(5) if sun[c] and c != colour] or [None]
            for to, laid in targets[key]:
                for top in tops:
                    yield Sun, (player, FACTORIES[factory], names[colour], count, to, top, laid)


def moon_sources(state: State, colour: int) -> list[int]:
    """The factories whose moon shows a colour on top."""
    found = [index + 1 for index, stack in enumerate(state.moons) if stack and stack[-1] == colour]
    return [*found, LARGE] if state.large_moon[colour] else found


def come_to_light(state: State, factory: int) -> list[int | None]:
    """What can show on a small moon once its top has been taken: a colour, or None for the chip."""
    below = state.moons[factory - 1][:-1]
    shown: list[int | None] = [colour for colour in dict.fromkeys(below) if colour != UNSEEN_TILE]
    if not shown:
        shown.append(None)
    if UNSEEN_TILE in below:
        shown += [colour for colour in range(5) if colour not in shown and state.bag[colour] + state.tower[colour]]
    return shown


def _moons(state: State, player: int) -> Iterator[Made]:
    names = rules_data().colours
    mover = state.players[player - 1]
    for colour in range(5):
        sources = moon_sources(state, colour)
        if not sources:
            continue
        small = [factory for factory in sources if factory != LARGE]
        count = len(small) + state.large_moon[colour]
        revealed = []
        for factory in small:
            options = come_to_light(state, factory)
            revealed.append([(FACTORIES[factory], None if c is None else names[c]) for c in options])
        from_names = tuple(FACTORIES[factory] for factory in sources)
        for to, laid in destinations(mover, colour, count, state.options.partial_voluntary_break):
            for tops in product(*revealed):
                yield Moon, (player, names[colour], count, from_names, to, tops, laid)


def _chips(state: State, player: int) -> Iterator[Made]:
    first, after = store_places(state)
    store = state.players[player - 1].chips
    for place in range(first, after):
        if store[place] == NOTHING:
            for index, chip in enumerate(state.chips):
                if 0 <= chip <= CHIP_UNKNOWN:
                    yield Chip, (player, FACTORIES[index + 1], f"chips.{place + 1}")
            return


# -- making a move that is known to be legal ------------------------------------------------------------------


def play_start_plate(state: State, move: StartPlate) -> State:
    index = OFFERS.index(move.source)
    mover = state.players[move.player - 1]
    mover = mover._replace(plates=put(mover.plates, SLOTS.index(move.to), move.plate * 4 + move.rotation // 90))
    return state._replace(
        players=with_player(state, move.player, mover), offer=put(state.offer, index, NOTHING), phase=DEAL
    )


def play_plate(state: State, move: Plate) -> State:
    mover = state.players[move.player - 1]
    mover = mover._replace(
        plates=put(mover.plates, SLOTS.index(move.to), move.plate * 4 + move.rotation // 90),
        tokens_used=mover.tokens_used + 1,
        score=max(0, mover.score - move.drawn * rules_data().stack_draw_price),
    )
    offer = state.offer
    if move.source != STACK:
        offer = put(offer, OFFERS.index(move.source), NOTHING)
    return next_turn(state._replace(players=with_player(state, move.player, mover), offer=offer))


def play_sun(state: State, move: Sun) -> State:
    colour = rules_data().colours.index(move.colour)
    factory = FACTORIES.index(move.source)
    sun = state.suns[factory]
    rest = put(sun, colour, 0)
    suns_after = (*state.suns[:factory], NO_TILES, *state.suns[factory + 1 :])
    large_moon, stacks, chips_after = state.large_moon, state.moons, state.chips
    takes_marker = False
    if factory == LARGE:
        large_moon = tuple([a + b for a, b in zip(large_moon, rest, strict=True)])
        takes_marker = state.marker_on_large and not any(rest)
    elif move.top is None:
        chips_after = put(chips_after, factory - 1, CHIP_TURNED)
    else:
        stacks = (*stacks[: factory - 1], stack_with_top(rest, rules_data().colours.index(move.top)), *stacks[factory:])
    mover, tower = lay(state, move.player, colour, move.count, move.to, move.laid, takes_marker)
    return next_turn(
        state._replace(
            players=with_player(state, move.player, mover), suns=suns_after, large_moon=large_moon, moons=stacks,
            chips=chips_after, tower=tower, marker_on_large=state.marker_on_large and not takes_marker,
        )
    )


def stack_with_top(tiles: Counts, top: int) -> tuple[int, ...]:
    """A stack of these tiles with this top; the rest, whose order nobody saw, is sorted."""
    below = [c for c in range(5) for _ in range(tiles[c] - (c == top))]
    return (*below, top)


def play_moon(state: State, move: Moon) -> State:
    names = rules_data().colours
    colour = names.index(move.colour)
    stacks, chips_after, bag = list(state.moons), state.chips, state.bag
    for source, top in move.tops:
        index = FACTORIES.index(source) - 1
        below = list(stacks[index][:-1])
        if top is None:
            chips_after = put(chips_after, index, CHIP_TURNED)
            stacks[index] = ()
        else:
            shown = names.index(top)
            if shown not in below:
                # It was counted among those in the bag, as nobody knew of it.
                bag = put(bag, shown, max(0, bag[shown] - 1))
            below.remove(shown if shown in below else UNSEEN_TILE)
            stacks[index] = (*below, shown)
    from_large = FACTORIES[LARGE] in move.sources
    takes_marker = from_large and state.marker_on_large
    mover, tower = lay(state, move.player, colour, move.count, move.to, move.laid, takes_marker)
    return next_turn(
        state._replace(
            players=with_player(state, move.player, mover), moons=tuple(stacks), chips=chips_after, bag=bag,
            tower=tower, large_moon=put(state.large_moon, colour, 0) if from_large else state.large_moon,
            marker_on_large=state.marker_on_large and not takes_marker,
        )
    )


def lay(
    state: State, player: int, colour: int, count: int, to: str, laid: int | None, takes_marker: bool
) -> tuple[PlayerState, Counts]:
    """The player's board with the picked tiles on it, and the tower with those that found no room."""
    mover = state.players[player - 1]
    counts, colours = mover.counts, mover.colours
    over = count
    if to != BROKEN:
        index = LINES.index(to)
        fitting = min(index + 1 - counts[index], count) if laid is None else laid
        over = count - fitting
        counts = put(counts, index, counts[index] + fitting)
        colours = put(colours, index, colour)
    broken, tower = mover.broken, state.tower
    if over:
        kept = min(over, len(rules_data().broken_values) - len(broken))
        broken = broken + (colour,) * kept
        tower = discard(state, tower, colour, over - kept)
    return (
        PlayerState(
            counts, colours, mover.plates, mover.cells, broken, mover.chips, mover.tokens_used,
            mover.has_marker or takes_marker, mover.has_passed, mover.has_tiled, mover.score,
        ),
        tower,
    )


def discard(state: State, tower: Counts, colour: int, count: int) -> Counts:
    return put(tower, colour, tower[colour] + count) if count else tower


def play_chip(state: State, move: Chip) -> State:
    index = FACTORIES.index(move.source) - 1
    mover = state.players[move.player - 1]
    mover = mover._replace(chips=put(mover.chips, int(move.to.removeprefix("chips.")) - 1, state.chips[index]))
    return next_turn(
        state._replace(players=with_player(state, move.player, mover), chips=put(state.chips, index, NOTHING))
    )


def play_pass(state: State, move: Pass) -> State:
    mover = state.players[move.player - 1]._replace(has_passed=True)
    return next_turn(state._replace(players=with_player(state, move.player, mover)))


def with_player(state: State, player: int, changed: PlayerState) -> tuple[PlayerState, PlayerState]:
    return (changed, state.players[1]) if player == 1 else (state.players[0], changed)


def next_turn(state: State) -> State:
    """Hand the turn on; the phase ends when the factories are empty and all tokens are used (D64)."""
    other = 3 - state.turn
    turn = state.turn if state.players[other - 1].has_passed else other
    if CHIP_TURNED in state.chips:
        return state._replace(turn=turn, phase=REVEAL)
    if is_acquired(state):
        return begin_tiling(state)
    return state._replace(turn=turn, phase=ACQUIRE)


def is_acquired(state: State) -> bool:
    data = rules_data()
    if any(chip != NOTHING for chip in state.chips) or any(state.large_moon):
        return False
    if any(state.moons) or any(sun != NO_TILES for sun in state.suns):
        return False
    return state.round == data.rounds or all(
        player.tokens_used == data.tokens or player.has_passed for player in state.players
    )


def begin_tiling(state: State) -> State:
    """The second phase; chips that were taken unread are looked at now, in the store."""
    players = tuple(
        player._replace(chips=tuple(CHIP_TURNED if chip == CHIP_UNKNOWN else chip for chip in player.chips))
        if CHIP_UNKNOWN in player.chips
        else player
        for player in state.players
    )
    unread = any(CHIP_TURNED in player.chips for player in players)
    return state._replace(players=(players[0], players[1]), phase=REVEAL if unread else TILING)


def after_reveal(state: State) -> State:
    """The position once the turned chips have been read: the turn has been handed on already."""
    if any(CHIP_TURNED in player.chips for player in state.players):
        return state._replace(phase=REVEAL)
    if is_acquired(state):
        return state._replace(phase=TILING)
    return state._replace(phase=ACQUIRE)


PLAY: Mapping[type[Move], Callable[[State, Any], State]] = {
    StartPlate: play_start_plate,
    Plate: play_plate,
    Sun: play_sun,
    Moon: play_moon,
    Chip: play_chip,
    Pass: play_pass,
}


def play(state: State, move: Move) -> State:
    """The position after an action that is known to be legal."""
    return PLAY[type(move)](state, move)
