"""What hands are likely to do wrong at the factories: tiles left behind, colours mixed, the rest on the wrong moon."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from engine.games.azul_duel import acquire, effects
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.effects import Delta, Pick, targets, wrong
from engine.games.azul_duel.moves import Move
from engine.games.azul_duel.state import BROKEN, FACTORIES, LARGE, LINES, State, add, put
from engine.types import UNKNOWN, Place, Plausible

Shown = Collection[Place] | None
"""The places that show something new or cannot be seen: from no other sun was anything taken. None: from any."""


def open_suns(state: State, shown: Shown) -> list[Pick]:
    """The sun picks from suns that do not lie as they lay. (A moon may look the same after a pick.)"""
    return [pick for pick in effects.sun_picks(state) if shown is None or pick.sources[0] in shown]


def sun_slips(state: State, number: int, shown: Shown = None) -> Iterator[Plausible]:
    mover = state.players[number - 1]
    names = rules_data().colours
    picks = open_suns(state, shown)
    for pick in picks:
        factory = FACTORIES.index(pick.factories[0])
        sun, place, moon = state.suns[factory], pick.sources[0], f"{pick.factories[0]}.moon"
        rest = put(sun, pick.colour, 0)
        name = names[pick.colour]
        said = {"colour": name, "place": place}
        for to in targets(mover, pick.colour, pick.count):
            meant = pick.move(number, to)
            board = {
                **effects.laid(number, mover, pick.colour, pick.count, to),
                **effects.marker_delta(number, pick.takes_marker),
            }
            if any(rest):
                yield wrong("rest-not-moved", number, {place: see.heap(rest), **board}, [place], meant, place=place)
                yield from _misplaced_rest(state, number, pick, rest, board, meant)
            for left in range(1, pick.count):
                fewer = effects.laid(number, mover, pick.colour, pick.count - left, to)
                on_sun = {**pick.delta, place: {name: left}, **fewer}
                yield wrong("tiles-left-behind", number, on_sun, [place], meant, **said)
                if factory == LARGE:
                    tiles = put(add(state.large_moon, rest), pick.colour, left)
                    on_moon: Delta = {place: {}, moon: see.heap(tiles, state.marker_on_large), **fewer}
                else:
                    on_moon = {place: {}, moon: {"top": name}, f"{pick.factories[0]}.chip": UNKNOWN, **fewer}
                yield wrong("tiles-left-behind", number, on_moon, [moon], meant, **said)
            if factory == LARGE and state.marker_on_large and any(rest):
                taken = {**pick.delta, moon: see.heap(add(state.large_moon, rest)), **board}
                taken[f"p{number}.start"] = see.MARKER
                yield wrong("marker-misplaced", number, taken, [moon, f"p{number}.start"], meant, "D53")
    yield from _two_sun_colours(state, number, shown)
    yield from _two_suns(state, number, picks)


def _misplaced_rest(
    state: State, number: int, pick: Pick, rest: tuple[int, ...], board: Delta, meant: Move
) -> Iterator[Plausible]:
    """The rest on the wrong moon, beside the chip, or in a stack on the large factory."""
    names = rules_data().colours
    place, source = pick.sources[0], pick.factories[0]
    colours = [names[c] for c in range(5) if rest[c]]
    if source == FACTORIES[LARGE]:
        if sum(rest) > 1:
            for name in colours:
                tiles = put(state.large_moon, names.index(name), state.large_moon[names.index(name)] + 1)
                delta = {place: {}, "big.moon": see.heap(tiles, state.marker_on_large), **board}
                yield wrong("rest-misplaced", number, delta, ["big.moon"], meant, place="big.moon")
        return
    large = {place: {}, "big.moon": see.heap(add(state.large_moon, rest), state.marker_on_large), **board}
    yield wrong("rest-misplaced", number, large, ["big.moon"], meant, place="big.moon")
    beside = {**pick.delta, f"{source}.chip": see.FACE_DOWN, **board}
    yield wrong("rest-misplaced", number, beside, [f"{source}.moon"], meant, place=f"{source}.moon")
    for other in FACTORIES[1:]:
        if other != source and meant is not None:
            delta = {place: {}, f"{other}.moon": {"top": pick.top}, f"{other}.chip": UNKNOWN, **board}
            yield wrong("rest-misplaced", number, delta, [f"{other}.moon"], meant, place=f"{other}.moon")


def _two_sun_colours(state: State, number: int, shown: Shown) -> Iterator[Plausible]:
    """Two colours of one sun went to the player's board."""
    names = rules_data().colours
    for factory, sun in enumerate(state.suns):
        place = FACTORIES[factory]
        if shown is not None and f"{place}.sun" not in shown:
            continue
        for one, other in combinations([c for c in range(5) if sun[c]], 2):
            rest = put(put(sun, one, 0), other, 0)
            delta: Delta = {f"{place}.sun": {}}
            deltas = [delta]
            if factory == LARGE:
                delta["big.moon"] = see.heap(add(state.large_moon, rest), state.marker_on_large)
            elif any(rest):
                deltas = [
                    {**delta, f"{place}.moon": {"top": names[c]}, f"{place}.chip": UNKNOWN} for c in range(5) if rest[c]
                ]
            else:
                delta[f"{place}.chip"] = UNKNOWN
            said = {"place": f"{place}.sun", "colours": [names[one], names[other]]}
            for boards in _two_colours_laid(state, number, (one, sun[one]), (other, sun[other])):
                for source in deltas:
                    both = {**source, **boards}
                    yield wrong("two-colours-taken", number, both, [f"{place}.sun"], None, **said)


def _two_colours_laid(
    state: State, number: int, one: tuple[int, int], other: tuple[int, int]
) -> Iterator[Delta]:
    mover = state.players[number - 1]
    for first in targets(mover, *one):
        for second in targets(mover, *other):
            if first != second:
                yield {**effects.laid(number, mover, *one, first), **effects.laid(number, mover, *other, second)}
            elif first != BROKEN:
                line = LINES.index(first)
                room = line + 1 - mover.counts[line]
                if room > one[1]:
                    delta = effects.line_delta(number, mover, line, one[0], one[1])
                    grown = mover._replace(counts=put(mover.counts, line, mover.counts[line] + one[1]))
                    yield {**delta, **effects.laid(number, grown, *other, first)}


def _two_suns(state: State, number: int, picks: Sequence[Pick]) -> Iterator[Plausible]:
    """One colour from two suns."""
    mover = state.players[number - 1]
    names = rules_data().colours
    for one, other in combinations(picks, 2):
        if one.colour == other.colour and one.sources != other.sources:
            count = one.count + other.count
            for to in targets(mover, one.colour, count):
                delta = {**one.delta, **other.delta, **effects.laid(number, mover, one.colour, count, to)}
                places = [*one.sources, *other.sources]
                said = {"place": places[0], "colours": [names[one.colour]]}
                yield wrong("two-colours-taken", number, delta, places, one.move(number, to), **said)


def moon_slips(state: State, number: int) -> Iterator[Plausible]:
    mover = state.players[number - 1]
    names = rules_data().colours
    start = f"p{number}.start"
    shown = {colour: acquire.moon_sources(state, colour) for colour in range(5)}
    for colour, sources in shown.items():
        if not sources:
            continue
        small = [factory for factory in sources if factory != LARGE]
        large = state.large_moon[colour]
        name = names[colour]
        whole = next(effects.moon_pick(state, colour, small, large))
        for to in targets(mover, colour, whole.count):
            meant = whole.move(number, to)
            if large and state.marker_on_large:
                for pick in effects.moon_pick(state, colour, small, large, has_marker=True):
                    board = effects.laid(number, mover, colour, pick.count, to)
                    delta = {**pick.delta, **board}
                    yield wrong("marker-not-taken", number, delta, ["big.moon", start], meant)
                for pick in effects.moon_pick(state, colour, small, large):
                    board = effects.laid(number, mover, colour, pick.count, to)
                    yield wrong("marker-misplaced", number, {**pick.delta, **board}, [start], meant)
                    stacked = {**pick.delta, **board, f"p{number}.broken": {"top": see.MARKER}}
                    yield wrong("marker-misplaced", number, stacked, [f"p{number}.broken"], meant)
            elif state.marker_on_large:
                for pick in effects.moon_pick(state, colour, small, large):
                    delta = {**pick.delta, **effects.laid(number, mover, colour, pick.count, to), start: see.MARKER}
                    delta["big.moon"] = see.heap(state.large_moon)
                    yield wrong("marker-misplaced", number, delta, ["big.moon", start], meant)
            for kept_small, kept_large in _partial_sources(small, large):
                for pick in effects.moon_pick(state, colour, kept_small, kept_large):
                    delta = {
                        **pick.delta, **effects.laid(number, mover, colour, pick.count, to),
                        **effects.marker_delta(number, pick.takes_marker),
                    }
                    left = [f"{FACTORIES[f]}.moon" for f in small if f not in kept_small]
                    left += ["big.moon"] if kept_large < large else []
                    said = {"colour": name, "place": left[0]}
                    yield wrong("tiles-left-behind", number, delta, left, meant, "D54", **said)
            yield from _overtaken(state, number, colour, small, large, to, meant)
    yield from _two_tops(state, number, shown)


def _partial_sources(small: list[int], large: int) -> Iterator[tuple[list[int], int]]:
    """A moon pick that forgot one top, or some of the tiles on the large moon."""
    for factory in small:
        kept = [other for other in small if other != factory]
        if kept or large:
            yield kept, large
    for left in range(large):
        if left or small:
            yield small, left


def _overtaken(
    state: State, number: int, colour: int, small: list[int], large: int, to: str, meant: Move
) -> Iterator[Plausible]:
    """Two tiles of the colour off one stack."""
    mover = state.players[number - 1]
    for factory in small:
        if colour not in state.moons[factory - 1][:-1]:
            continue
        place = f"{FACTORIES[factory]}.moon"
        for pick in effects.moon_pick(state, colour, [f for f in small if f != factory], large):
            for _, part in effects.moon_after(state, factory, taken=2):
                delta = {
                    **pick.delta, **part, **effects.laid(number, mover, colour, pick.count + 2, to),
                    **effects.marker_delta(number, pick.takes_marker),
                }
                yield wrong("stack-overtaken", number, delta, [place], meant, place=place)


def _two_tops(state: State, number: int, shown: Mapping[int, list[int]]) -> Iterator[Plausible]:
    names = rules_data().colours
    for one, other in combinations([colour for colour in shown if shown[colour]], 2):
        small = [[factory for factory in shown[colour] if factory != LARGE] for colour in (one, other)]
        counts = [len(small[0]) + state.large_moon[one], len(small[1]) + state.large_moon[other]]
        first = next(effects.moon_pick(state, one, small[0], state.large_moon[one]))
        second = next(effects.moon_pick(state, other, small[1], state.large_moon[other]))
        source: Delta = {**first.delta, **second.delta}
        takes = first.takes_marker or second.takes_marker
        if state.large_moon[one] or state.large_moon[other]:
            left = put(put(state.large_moon, one, 0), other, 0)
            source["big.moon"] = see.heap(left, state.marker_on_large and not takes)
        source.update(effects.marker_delta(number, takes))
        places = [f"{FACTORIES[factory]}.moon" for factory in (*shown[one], *shown[other])]
        said = {"place": places[0], "colours": [names[one], names[other]]}
        for board in _two_colours_laid(state, number, (one, counts[0]), (other, counts[1])):
            delta = {**source, **board}
            yield wrong("two-colours-taken", number, delta, dict.fromkeys(places), None, "D54", **said)
