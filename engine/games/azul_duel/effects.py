"""How the table looks different after a hand did something: small pieces that right and wrong moves are built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from engine.games.azul_duel import visible as see
from engine.games.azul_duel.acquire import come_to_light, destinations, moon_sources
from engine.games.azul_duel.data import rules_data, slip
from engine.games.azul_duel.moves import Moon, Move, Sun
from engine.games.azul_duel.state import BROKEN, FACTORIES, LARGE, LINES, NOTHING, PlayerState, State, add, put
from engine.types import UNKNOWN, Content, Place, Plausible

Delta = dict[Place, Content]


@dataclass(frozen=True, slots=True)
class Pick:
    """Tiles that left the factories, and how these look afterwards."""

    colour: int
    count: int
    delta: Mapping[Place, Content]
    sources: tuple[str, ...]
    """The places the tiles came from, such as `f1.sun` or `big.moon`."""
    takes_marker: bool = False
    top: str | None = None
    tops: tuple[tuple[str, str | None], ...] = ()
    factories: tuple[str, ...] = field(default=())

    @property
    def is_sun(self) -> bool:
        return self.sources[0].endswith(".sun")

    def move(self, player: int, to: str, laid: int | None = None) -> Sun | Moon:
        """The legal move of which this is the first half."""
        colour = rules_data().colours[self.colour]
        if self.is_sun:
            return Sun(player, self.factories[0], colour, self.count, to, self.top, laid)
        return Moon(player, colour, self.count, self.factories, to, self.tops, laid)


def sun_picks(state: State) -> Iterator[Pick]:
    """What a factory looks like after each legal sun pick."""
    names = rules_data().colours
    for factory, sun in enumerate(state.suns):
        place = FACTORIES[factory]
        for colour in range(5):
            if not sun[colour]:
                continue
            rest = put(sun, colour, 0)
            sources, factories = (f"{place}.sun",), (place,)
            if factory == LARGE:
                takes = state.marker_on_large and not any(rest)
                moon = see.heap(add(state.large_moon, rest), state.marker_on_large and not takes)
                large = {"big.sun": {}, "big.moon": moon}
                yield Pick(colour, sun[colour], large, sources, takes, factories=factories)
            elif not any(rest):
                bare = {f"{place}.sun": {}, f"{place}.chip": UNKNOWN}
                yield Pick(colour, sun[colour], bare, sources, factories=factories)
            else:
                for top in (names[c] for c in range(5) if rest[c]):
                    delta = {f"{place}.sun": {}, f"{place}.moon": {"top": top}, f"{place}.chip": UNKNOWN}
                    yield Pick(colour, sun[colour], delta, sources, top=top, factories=factories)


def moon_after(state: State, factory: int, taken: int = 1) -> list[tuple[str | None, Delta]]:
    """What can come to light on a small moon when tiles are taken off it."""
    place, names = FACTORIES[factory], rules_data().colours
    bare: Delta = {f"{place}.moon": None, f"{place}.chip": UNKNOWN}
    if taken > 1 and not state.moons[factory - 1][:-taken]:
        return [(None, bare)]
    shown = [None if colour is None else names[colour] for colour in come_to_light(state, factory)]
    return [(top, bare if top is None else {f"{place}.moon": {"top": top}}) for top in shown]


def moon_pick(
    state: State, colour: int, small: Iterable[int], large: int, has_marker: bool | None = None
) -> Iterator[Pick]:
    """What the moons look like when these tops and that many tiles of the large moon were taken."""
    small = list(small)
    leaves_marker = state.marker_on_large and (not large if has_marker is None else has_marker)
    large_delta: Delta = {}
    if large:
        left = put(state.large_moon, colour, state.large_moon[colour] - large)
        large_delta = {"big.moon": see.heap(left, leaves_marker)}
    factories = (*(FACTORIES[factory] for factory in small), *((FACTORIES[LARGE],) if large else ()))
    for shown in product(*(moon_after(state, factory) for factory in small)):
        delta = dict(large_delta)
        for _, part in shown:
            delta.update(part)
        tops = tuple((FACTORIES[factory], top) for factory, (top, _) in zip(small, shown, strict=True))
        yield Pick(
            colour, len(small) + large, delta, tuple(f"{name}.moon" for name in factories),
            state.marker_on_large and not leaves_marker, None, tops, factories,
        )


def moon_picks(state: State) -> Iterator[Pick]:
    """What the moons look like after each legal moon pick."""
    for colour in range(5):
        sources = moon_sources(state, colour)
        if sources:
            yield from moon_pick(state, colour, [f for f in sources if f != LARGE], state.large_moon[colour])


# -- a player's board ------------------------------------------------------------------------------------------


def cells(number: int, line: int, first: int, count: int) -> list[Place]:
    """Places of a pattern line (from 0): `count` cells after the first `first`."""
    return [f"p{number}.line{line + 1}.{cell + 1}" for cell in range(first, first + count)]


def line_delta(number: int, player: PlayerState, line: int, colour: int, count: int) -> Delta:
    """A line that grows by `count` tiles."""
    name = rules_data().colours[colour]
    return dict.fromkeys(cells(number, line, player.counts[line], count), name)


def broken_delta(number: int, player: PlayerState, colour: int) -> Delta:
    """Tiles on the broken pile; a full pile takes none."""
    if len(player.broken) == len(rules_data().broken_values):
        return {}
    return {f"p{number}.broken": {"top": rules_data().colours[colour]}}


def laid(number: int, player: PlayerState, colour: int, count: int, to: str) -> Delta:
    """Tiles laid as the rules say: on the line, the rest broken."""
    if to == BROKEN:
        return broken_delta(number, player, colour)
    line = LINES.index(to)
    fitting = min(line + 1 - player.counts[line], count)
    delta = line_delta(number, player, line, colour, fitting)
    return {**delta, **broken_delta(number, player, colour)} if fitting < count else delta


def marker_delta(number: int, takes_marker: bool) -> Delta:
    return {f"p{number}.start": see.MARKER} if takes_marker else {}


def plate_delta(number: int, slot: str, place: int) -> Delta:
    return {f"p{number}.{slot}": see.plate_content(place)}


def token_delta(number: int, player: PlayerState) -> Delta:
    """One more token on the scoring board."""
    used = player.tokens_used
    return {f"p{number}.token.{used + 1}": see.TOKEN} if used < rules_data().tokens else {}


def free_slots(player: PlayerState) -> list[int]:
    return [slot for slot, plate in enumerate(player.plates) if plate == NOTHING]


def difference(before: Mapping[Place, Content], after: Mapping[Place, Content]) -> Delta:
    """The places of `after` that look different."""
    return {place: content for place, content in after.items() if before.get(place) != content}


def key(delta: Mapping[Place, Any]) -> frozenset[Any]:
    """A delta as a value that can be compared and stored."""
    return frozenset([(place, frozen(content)) for place, content in delta.items()])


def frozen(content: Content) -> Any:
    """A content as a value: a chip's colours in any order, a heap without its zeros."""
    if isinstance(content, dict):
        return tuple(sorted((name, count) for name, count in content.items() if count))
    if isinstance(content, (list, tuple)):
        return tuple(sorted(content)) if len(content) < 4 else tuple(content)
    return content

def wrong(
    slug: str, player: int | None, delta: Mapping[Place, object], places: Iterable[Place], meant: Move | None = None,
    rule: str | None = None, /, **params: object,
) -> Plausible:
    """Something that is not allowed, with its slip and the legal move that was most likely meant."""
    return Plausible(meant, delta, (slip(slug, player, places, rule, **params),))


def targets(mover: PlayerState, colour: int, count: int) -> list[str]:
    """Where picked tiles may go."""
    return [to for to, _ in destinations(mover, colour, count, False)]
