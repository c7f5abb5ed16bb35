"""What hands are likely to do while plates, tiles and chips are taken, right and wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from engine.games.azul_duel import acquire, effects
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.data import rules_data, slip
from engine.games.azul_duel.effects import Delta, Pick
from engine.games.azul_duel.moves import Move, Pass
from engine.games.azul_duel.plausible_plates import Wanted, plate_slips, plates, start_plates
from engine.games.azul_duel.plausible_tiling import tiling_moves
from engine.games.azul_duel.state import (
    ACQUIRE,
    BROKEN,
    CHIP_DOWN,
    CHIP_TURNED,
    CHIP_UNKNOWN,
    FACTORIES,
    LARGE,
    LINES,
    NOTHING,
    REVEAL,
    SETUP,
    TILING,
    PlayerState,
    State,
    add,
    put,
    store_places,
    unseen_chips,
)
from engine.games.azul_duel.tiling import fitting_columns
from engine.types import UNKNOWN, Place, Plausible


def plausible_moves(state: State) -> Iterator[Plausible]:
    """Every legal move, then the slips; each way the table can look is named once, by what is likeliest."""
    found: set[frozenset[object]] = set()
    now = see.visible(state)
    for plausible in explanations(state):
        delta = {place: content for place, content in plausible.places.items() if now[place] != content}
        name = effects.key(delta)
        if name not in found and (delta or not plausible.slips):
            found.add(name)
            yield Plausible(plausible.move, delta, plausible.slips)


def explanations(state: State, wanted: Wanted = None) -> Iterator[Plausible]:
    """The same without looking for repetitions: the first that fits is the likeliest."""
    if state.phase == ACQUIRE:
        yield from _acquire(state, wanted)
    elif state.phase == SETUP:
        yield from start_plates(state)
    elif state.phase == TILING:
        for number in (1, 2):
            if not state.players[number - 1].has_tiled:
                yield from tiling_moves(state, number)
    elif state.phase == REVEAL:
        for index, chip in enumerate(state.chips):
            if chip == CHIP_TURNED:
                place = f"f{index + 1}.chip"
                yield _wrong("chip-face-wrong", None, {place: see.FACE_DOWN}, [place], place=place)
    yield from wrong_scores(state, wanted)


def _wrong(
    slug: str, player: int | None, delta: Mapping[Place, object], places: Iterable[Place], meant: Move | None = None,
    rule: str | None = None, /, **params: object,
) -> Plausible:
    return Plausible(meant, delta, (slip(slug, player, places, rule, **params),))


def _acquire(state: State, wanted: Wanted) -> Iterator[Plausible]:
    number = state.turn
    picks = [*effects.sun_picks(state), *effects.moon_picks(state)]
    about_plates = wanted is None or any(".plate." in place or "offer" in place or "token" in place for place in wanted)
    yield from _legal(state, picks)
    if about_plates:
        yield from plates(state, number, wanted)
    yield from _sun_slips(state, number)
    yield from _moon_slips(state, number)
    for pick in picks:
        yield from _laying_slips(state, number, pick)
    yield from _chip_slips(state, number)
    yield from _early_tiling(state)
    yield from _out_of_turn(state, picks)
    if about_plates:
        yield from plate_slips(state, number, wanted)


def _legal(state: State, picks: list[Pick]) -> Iterator[Plausible]:
    number = state.turn
    mover = state.players[number - 1]
    partial = state.options.partial_voluntary_break
    for pick in picks:
        marker = effects.marker_delta(number, pick.takes_marker)
        for to, kept in acquire.destinations(mover, pick.colour, pick.count, partial):
            if kept is None:
                board = effects.laid(number, mover, pick.colour, pick.count, to)
            else:
                line = LINES.index(to)
                board = effects.line_delta(number, mover, line, pick.colour, kept)
                board.update(effects.broken_delta(number, mover, pick.colour))
            yield Plausible(pick.move(number, to, kept), {**pick.delta, **board, **marker})
    for chip in acquire.chips(state, number):
        content = see.chip_content(state.chips[FACTORIES.index(chip.source) - 1])
        yield Plausible(chip, {f"{chip.source}.chip": None, f"p{number}.{chip.to}": content})
    moves = acquire.actions(state, number)
    if len(moves) == 1 and not picks and Pass(number) in moves:
        yield Plausible(moves[0], {})


def _targets(mover: PlayerState, colour: int, count: int) -> list[str]:
    return [to for to, _ in acquire.destinations(mover, colour, count, False)]


# -- the factories ---------------------------------------------------------------------------------------------


def _sun_slips(state: State, number: int) -> Iterator[Plausible]:
    mover = state.players[number - 1]
    names = rules_data().colours
    for pick in effects.sun_picks(state):
        factory = FACTORIES.index(pick.factories[0])
        sun, place, moon = state.suns[factory], pick.sources[0], f"{pick.factories[0]}.moon"
        rest = put(sun, pick.colour, 0)
        name = names[pick.colour]
        said = {"colour": name, "place": place}
        for to in _targets(mover, pick.colour, pick.count):
            meant = pick.move(number, to)
            board = {
                **effects.laid(number, mover, pick.colour, pick.count, to),
                **effects.marker_delta(number, pick.takes_marker),
            }
            if any(rest):
                yield _wrong("rest-not-moved", number, {place: see.heap(rest), **board}, [place], meant, place=place)
                yield from _misplaced_rest(state, number, pick, rest, board, meant)
            for left in range(1, pick.count):
                fewer = effects.laid(number, mover, pick.colour, pick.count - left, to)
                on_sun = {**pick.delta, place: {name: left}, **fewer}
                yield _wrong("tiles-left-behind", number, on_sun, [place], meant, **said)
                if factory == LARGE:
                    tiles = put(add(state.large_moon, rest), pick.colour, left)
                    on_moon: Delta = {place: {}, moon: see.heap(tiles, state.marker_on_large), **fewer}
                else:
                    on_moon = {place: {}, moon: {"top": name}, f"{pick.factories[0]}.chip": UNKNOWN, **fewer}
                yield _wrong("tiles-left-behind", number, on_moon, [moon], meant, **said)
            if factory == LARGE and state.marker_on_large and any(rest):
                taken = {**pick.delta, moon: see.heap(add(state.large_moon, rest)), **board}
                taken[f"p{number}.start"] = see.MARKER
                yield _wrong("marker-misplaced", number, taken, [moon, f"p{number}.start"], meant, "D53")
    yield from _two_sun_colours(state, number)
    yield from _two_suns(state, number)


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
                yield _wrong("rest-misplaced", number, delta, ["big.moon"], meant, place="big.moon")
        return
    large = {place: {}, "big.moon": see.heap(add(state.large_moon, rest), state.marker_on_large), **board}
    yield _wrong("rest-misplaced", number, large, ["big.moon"], meant, place="big.moon")
    beside = {**pick.delta, f"{source}.chip": see.FACE_DOWN, **board}
    yield _wrong("rest-misplaced", number, beside, [f"{source}.moon"], meant, place=f"{source}.moon")
    for other in FACTORIES[1:]:
        if other != source and meant is not None:
            delta = {place: {}, f"{other}.moon": {"top": pick.top}, f"{other}.chip": UNKNOWN, **board}
            yield _wrong("rest-misplaced", number, delta, [f"{other}.moon"], meant, place=f"{other}.moon")


def _two_sun_colours(state: State, number: int) -> Iterator[Plausible]:
    """Two colours of one sun went to the player's board."""
    names = rules_data().colours
    for factory, sun in enumerate(state.suns):
        place = FACTORIES[factory]
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
                    yield _wrong("two-colours-taken", number, both, [f"{place}.sun"], None, **said)


def _two_colours_laid(
    state: State, number: int, one: tuple[int, int], other: tuple[int, int]
) -> Iterator[Delta]:
    mover = state.players[number - 1]
    for first in _targets(mover, *one):
        for second in _targets(mover, *other):
            if first != second:
                yield {**effects.laid(number, mover, *one, first), **effects.laid(number, mover, *other, second)}
            elif first != BROKEN:
                line = LINES.index(first)
                room = line + 1 - mover.counts[line]
                if room > one[1]:
                    delta = effects.line_delta(number, mover, line, one[0], one[1])
                    grown = mover._replace(counts=put(mover.counts, line, mover.counts[line] + one[1]))
                    yield {**delta, **effects.laid(number, grown, *other, first)}


def _two_suns(state: State, number: int) -> Iterator[Plausible]:
    """One colour from two suns."""
    mover = state.players[number - 1]
    names = rules_data().colours
    picks = list(effects.sun_picks(state))
    for one, other in combinations(picks, 2):
        if one.colour == other.colour and one.sources != other.sources:
            count = one.count + other.count
            for to in _targets(mover, one.colour, count):
                delta = {**one.delta, **other.delta, **effects.laid(number, mover, one.colour, count, to)}
                places = [*one.sources, *other.sources]
                said = {"place": places[0], "colours": [names[one.colour]]}
                yield _wrong("two-colours-taken", number, delta, places, one.move(number, to), **said)


def _moon_slips(state: State, number: int) -> Iterator[Plausible]:
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
        for to in _targets(mover, colour, whole.count):
            meant = whole.move(number, to)
            if large and state.marker_on_large:
                for pick in effects.moon_pick(state, colour, small, large, has_marker=True):
                    board = effects.laid(number, mover, colour, pick.count, to)
                    delta = {**pick.delta, **board}
                    yield _wrong("marker-not-taken", number, delta, ["big.moon", start], meant)
                for pick in effects.moon_pick(state, colour, small, large):
                    board = effects.laid(number, mover, colour, pick.count, to)
                    yield _wrong("marker-misplaced", number, {**pick.delta, **board}, [start], meant)
                    stacked = {**pick.delta, **board, f"p{number}.broken": {"top": see.MARKER}}
                    yield _wrong("marker-misplaced", number, stacked, [f"p{number}.broken"], meant)
            elif state.marker_on_large:
                for pick in effects.moon_pick(state, colour, small, large):
                    delta = {**pick.delta, **effects.laid(number, mover, colour, pick.count, to), start: see.MARKER}
                    delta["big.moon"] = see.heap(state.large_moon)
                    yield _wrong("marker-misplaced", number, delta, ["big.moon", start], meant)
            for kept_small, kept_large in _partial_sources(small, large):
                for pick in effects.moon_pick(state, colour, kept_small, kept_large):
                    delta = {
                        **pick.delta, **effects.laid(number, mover, colour, pick.count, to),
                        **effects.marker_delta(number, pick.takes_marker),
                    }
                    left = [f"{FACTORIES[f]}.moon" for f in small if f not in kept_small]
                    left += ["big.moon"] if kept_large < large else []
                    said = {"colour": name, "place": left[0]}
                    yield _wrong("tiles-left-behind", number, delta, left, meant, "D54", **said)
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
                yield _wrong("stack-overtaken", number, delta, [place], meant, place=place)


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
            yield _wrong("two-colours-taken", number, delta, dict.fromkeys(places), None, "D54", **said)


# -- the player's board ----------------------------------------------------------------------------------------


def _laying_slips(state: State, number: int, pick: Pick) -> Iterator[Plausible]:
    """The right tiles, laid down wrongly."""
    mover = state.players[number - 1]
    name = rules_data().colours[pick.colour]
    source = {**pick.delta, **effects.marker_delta(number, pick.takes_marker)}
    targets = _targets(mover, pick.colour, pick.count)
    full = len(mover.broken) == len(rules_data().broken_values)
    for line in range(6):
        room, to = line + 1 - mover.counts[line], LINES[line]
        meant = pick.move(number, to)
        said = {"line": line + 1, "colour": name}
        if to in targets:
            over = pick.count - room
            if over > 0 and not full:
                delta = {**source, **effects.line_delta(number, mover, line, pick.colour, room)}
                yield _wrong("overflow-missing", number, delta, [f"p{number}.broken"], meant, count=over)
            fitting = min(room, pick.count)
            if fitting > 1 or (fitting and over > 0):
                fewer = {**source, **effects.line_delta(number, mover, line, pick.colour, fitting - 1)}
                lacking = effects.cells(number, line, mover.counts[line] + fitting - 1, 1)
                yield _wrong("overflow-missing", number, fewer, lacking, meant, count=1)
            yield from _gaps(number, mover, pick, line, source, meant)
            yield from _splits(number, mover, pick, line, source, meant, targets)
        elif not room:
            shown = {**source, f"p{number}.line{line + 1}.{line + 1}": name}
            if mover.colours[line] != pick.colour:
                yield _wrong("line-overfilled", number, shown, [f"p{number}.line{line + 1}.{line + 1}"], None, **said)
        else:
            delta = {**source, **effects.laid(number, mover, pick.colour, pick.count, to)}
            places = effects.cells(number, line, mover.counts[line], min(room, pick.count))
            yield _wrong("colour-mixed-in-line", number, delta, places, None, **said)
        if pick.count == 1:
            for column in fitting_columns(mover, line, pick.colour):
                cell = f"p{number}.dome.{line + 1}.{column}"
                yield _wrong("tiled-too-early", number, {**source, cell: name}, [cell], meant, place=cell)


def _gaps(
    number: int, mover: PlayerState, pick: Pick, line: int, source: Delta, meant: Move
) -> Iterator[Plausible]:
    """Tiles laid too far to the left."""
    name, first = rules_data().colours[pick.colour], mover.counts[line]
    for skipped in range(1, line + 2 - first - pick.count):
        places = effects.cells(number, line, first + skipped, pick.count)
        delta = {**source, **dict.fromkeys(places, name)}
        yield _wrong("gap-in-line", number, delta, places, meant, line=line + 1)


def _splits(
    number: int, mover: PlayerState, pick: Pick, line: int, source: Delta, meant: Move, targets: list[str]
) -> Iterator[Plausible]:
    """Tiles shared between two lines, or between a line with room and the broken tiles."""
    room = line + 1 - mover.counts[line]
    for here in range(1, min(room, pick.count)):
        places = [*effects.cells(number, line, mover.counts[line], here), f"p{number}.broken"]
        delta = {**source, **effects.line_delta(number, mover, line, pick.colour, here)}
        delta.update(effects.broken_delta(number, mover, pick.colour))
        yield _wrong("split-over-lines", number, delta, places, meant, "D61", line=line + 1)
    for second in range(line + 1, 6):
        if LINES[second] not in targets:
            continue
        for here in range(1, min(room, pick.count - 1) + 1):
            there = pick.count - here
            if there > second + 1 - mover.counts[second]:
                continue
            places = [
                *effects.cells(number, line, mover.counts[line], here),
                *effects.cells(number, second, mover.counts[second], there),
            ]
            delta = {**source, **dict.fromkeys(places, rules_data().colours[pick.colour])}
            yield _wrong("split-over-lines", number, delta, places, meant, line=line + 1)


def _early_tiling(state: State) -> Iterator[Plausible]:
    """A complete line that is tiled while the others still take tiles."""
    names = rules_data().colours
    for number, mover in enumerate(state.players, start=1):
        for line in range(6):
            if mover.counts[line] != line + 1:
                continue
            for column in fitting_columns(mover, line, mover.colours[line]):
                cell = f"p{number}.dome.{line + 1}.{column}"
                tile = {cell: names[mover.colours[line]]}
                emptied: Delta = dict.fromkeys(effects.cells(number, line, 0, line + 1))
                yield _wrong("tiled-too-early", number, {**tile, **emptied}, [cell], None, place=cell)
                first: Delta = dict.fromkeys(effects.cells(number, line, 0, 1))
                yield _wrong("tiled-too-early", number, {**tile, **first}, [cell], None, place=cell)


# -- chips, turns and stones -----------------------------------------------------------------------------------


def _chip_slips(state: State, number: int) -> Iterator[Plausible]:
    first, after = store_places(state)
    store = state.players[number - 1].chips
    free = [place for place in range(len(store)) if store[place] == NOTHING]
    unseen = [see.chip_content(kind) for kind, count in enumerate(unseen_chips(state)) if count]
    for index, chip in enumerate(state.chips):
        place = f"f{index + 1}.chip"
        if chip == CHIP_DOWN and not state.moons[index]:
            taken = {place: None, **({f"p{number}.chips.{free[0] + 1}": UNKNOWN} if free else {})}
            yield _wrong("chip-taken-early", number, taken, [place], None, place=place)
            for content in unseen:
                yield _wrong("chip-face-wrong", None, {place: content}, [place], None, "D52", place=place)
        if 0 <= chip <= CHIP_UNKNOWN:
            yield _wrong("chip-face-wrong", None, {place: see.FACE_DOWN}, [place], None, place=place)
            if NOTHING not in store[first:after] and free:
                third = f"p{number}.chips.{free[0] + 1}"
                delta = {place: None, third: see.chip_content(chip)}
                yield _wrong("chip-overdrawn", number, delta, [place, third], None, place=place)


def _out_of_turn(state: State, picks: list[Pick]) -> Iterator[Plausible]:
    """The other player did something."""
    other = 3 - state.turn
    mover = state.players[other - 1]
    for pick in picks:
        marker = effects.marker_delta(other, pick.takes_marker)
        for to in _targets(mover, pick.colour, pick.count):
            board = effects.laid(other, mover, pick.colour, pick.count, to)
            places = list(board) or [f"p{other}.broken"]
            yield _wrong("out-of-turn", other, {**pick.delta, **board, **marker}, places)
    for chip in acquire.chips(state, other):
        content = see.chip_content(state.chips[FACTORIES.index(chip.source) - 1])
        place = f"p{other}.{chip.to}"
        yield _wrong("out-of-turn", other, {f"{chip.source}.chip": None, place: content}, [place])


def wrong_scores(state: State, wanted: Wanted = None) -> Iterator[Plausible]:
    """A stone that moved for no reason."""
    for number, player in enumerate(state.players, start=1):
        place = f"p{number}.score"
        expected = see.shown_score(player.score)
        if wanted is not None and place not in wanted:
            continue
        for value in range(rules_data().score_track_max + 1):
            if value != expected:
                said = {"expected": expected, "shown": value}
                yield _wrong("score-marker-wrong", number, {place: value}, [place], None, **said)
