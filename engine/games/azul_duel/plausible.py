"""What hands are likely to do while plates, tiles and chips are taken, right and wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from engine.games.azul_duel import acquire, effects
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.effects import Delta, Pick, targets, wrong
from engine.games.azul_duel.moves import Move, Pass
from engine.games.azul_duel.plausible_picks import Shown, moon_slips, open_suns, sun_slips
from engine.games.azul_duel.plausible_plates import Wanted, plate_slips, plates, start_plates
from engine.games.azul_duel.plausible_tiling import tiling_moves
from engine.games.azul_duel.state import (
    ACQUIRE,
    CHIP_DOWN,
    CHIP_TURNED,
    CHIP_UNKNOWN,
    FACTORIES,
    LINES,
    NOTHING,
    REVEAL,
    SETUP,
    TILING,
    PlayerState,
    State,
    store_places,
    unseen_chips,
)
from engine.games.azul_duel.tiling import fitting_columns
from engine.types import UNKNOWN, Content, Place, Plausible


def plausible_moves(state: State) -> Iterator[Plausible]:
    """Every legal move, then the slips; of slips that look alike, or like a legal move, only the likeliest."""
    return _distinct(state, explanations(state))


def tilings_and_slips(state: State, seen: Collection[Place], covered: Collection[Place]) -> Iterator[Plausible]:
    """The same while the domes are tiled, of what has to do with places that show something new."""
    waiting = [number for number in (1, 2) if not state.players[number - 1].has_tiled]
    tilings = (each for number in waiting for each in tiling_moves(state, number, seen, covered))
    return _distinct(state, chain(tilings, wrong_scores(state, None)))


def picks_and_slips(
    state: State, seen: Mapping[Place, Content], covered: Collection[Place]
) -> Iterator[Plausible]:
    """The same while tiles are taken, of what changes no other places than these."""
    wanted = {**dict.fromkeys(covered, UNKNOWN), **seen}
    return _distinct(state, chain(_acquire(state, wanted, wanted), wrong_scores(state, wanted)), wanted)


def _distinct(
    state: State, options: Iterable[Plausible], shown: Collection[Place] | None = None
) -> Iterator[Plausible]:
    """Of slips that look alike, or like a legal move, only the first; none that changes any but the places `shown`."""
    found: set[frozenset[object]] = set()
    now = see.visible(state)
    for plausible in options:
        delta = {place: content for place, content in plausible.places.items() if now[place] != content}
        if shown is not None and any(place not in shown for place, content in delta.items() if content != UNKNOWN):
            continue
        name = effects.key(delta)
        if not plausible.slips or (delta and name not in found):
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
                yield wrong("chip-face-wrong", None, {place: see.FACE_DOWN}, [place], place=place)
    yield from wrong_scores(state, wanted)


def _acquire(state: State, wanted: Wanted, shown: Shown = None) -> Iterator[Plausible]:
    number = state.turn
    picks = [*open_suns(state, shown), *effects.moon_picks(state)]
    about_plates = wanted is None or any(".plate." in place or "offer" in place or "token" in place for place in wanted)
    yield from _legal(state, picks)
    if about_plates:
        yield from plates(state, number, wanted)
    yield from sun_slips(state, number, shown)
    yield from moon_slips(state, number)
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


# -- the player's board ----------------------------------------------------------------------------------------


def _laying_slips(state: State, number: int, pick: Pick) -> Iterator[Plausible]:
    """The right tiles, laid down wrongly."""
    mover = state.players[number - 1]
    name = rules_data().colours[pick.colour]
    source = {**pick.delta, **effects.marker_delta(number, pick.takes_marker)}
    lines = targets(mover, pick.colour, pick.count)
    full = len(mover.broken) == len(rules_data().broken_values)
    for line in range(6):
        room, to = line + 1 - mover.counts[line], LINES[line]
        meant = pick.move(number, to)
        said = {"line": line + 1, "colour": name}
        if to in lines:
            over = pick.count - room
            if over > 0 and not full:
                delta = {**source, **effects.line_delta(number, mover, line, pick.colour, room)}
                yield wrong("overflow-missing", number, delta, [f"p{number}.broken"], meant, count=over)
            fitting = min(room, pick.count)
            if fitting > 1 or (fitting and over > 0):
                fewer = {**source, **effects.line_delta(number, mover, line, pick.colour, fitting - 1)}
                lacking = effects.cells(number, line, mover.counts[line] + fitting - 1, 1)
                yield wrong("overflow-missing", number, fewer, lacking, meant, count=1)
            yield from _gaps(number, mover, pick, line, source, meant)
            yield from _splits(number, mover, pick, line, source, meant, lines)
        elif not room:
            shown = {**source, f"p{number}.line{line + 1}.{line + 1}": name}
            if mover.colours[line] != pick.colour:
                yield wrong("line-overfilled", number, shown, [f"p{number}.line{line + 1}.{line + 1}"], None, **said)
        else:
            delta = {**source, **effects.laid(number, mover, pick.colour, pick.count, to)}
            places = effects.cells(number, line, mover.counts[line], min(room, pick.count))
            yield wrong("colour-mixed-in-line", number, delta, places, None, **said)
        if pick.count == 1:
            for column in fitting_columns(mover, line, pick.colour):
                cell = f"p{number}.dome.{line + 1}.{column}"
                rightful = meant if to in lines else None
                yield wrong("tiled-too-early", number, {**source, cell: name}, [cell], rightful, place=cell)


def _gaps(
    number: int, mover: PlayerState, pick: Pick, line: int, source: Delta, meant: Move
) -> Iterator[Plausible]:
    """Tiles laid too far to the left."""
    name, first = rules_data().colours[pick.colour], mover.counts[line]
    for skipped in range(1, line + 2 - first - pick.count):
        places = effects.cells(number, line, first + skipped, pick.count)
        delta = {**source, **dict.fromkeys(places, name)}
        yield wrong("gap-in-line", number, delta, places, meant, line=line + 1)


def _splits(
    number: int, mover: PlayerState, pick: Pick, line: int, source: Delta, meant: Move, lines: list[str]
) -> Iterator[Plausible]:
    """Tiles shared between two lines, or between a line with room and the broken tiles."""
    room = line + 1 - mover.counts[line]
    for here in range(1, min(room, pick.count)):
        places = [*effects.cells(number, line, mover.counts[line], here), f"p{number}.broken"]
        delta = {**source, **effects.line_delta(number, mover, line, pick.colour, here)}
        delta.update(effects.broken_delta(number, mover, pick.colour))
        yield wrong("split-over-lines", number, delta, places, meant, "D61", line=line + 1)
    for second in range(line + 1, 6):
        if LINES[second] not in lines:
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
            yield wrong("split-over-lines", number, delta, places, meant, line=line + 1)


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
                yield wrong("tiled-too-early", number, {**tile, **emptied}, [cell], None, place=cell)
                first: Delta = dict.fromkeys(effects.cells(number, line, 0, 1))
                yield wrong("tiled-too-early", number, {**tile, **first}, [cell], None, place=cell)


# -- chips, turns and stones -----------------------------------------------------------------------------------


def _chip_slips(state: State, number: int) -> Iterator[Plausible]:
    first, after = store_places(state)
    store = state.players[number - 1].chips
    free = [place for place in range(len(store)) if store[place] == NOTHING]
    unseen = [see.chip_content(kind) for kind, count in enumerate(unseen_chips(state)) if count]
    for index, chip in enumerate(state.chips):
        place = f"f{index + 1}.chip"
        if chip == CHIP_DOWN and not state.moons[index]:
            for shown in (see.FACE_DOWN, *unseen):
                stored = {f"p{number}.chips.{free[0] + 1}": shown} if free else {}
                yield wrong("chip-taken-early", number, {place: None, **stored}, [place], None, place=place)
            for content in unseen:
                yield wrong("chip-face-wrong", None, {place: content}, [place], None, "D52", place=place)
        if 0 <= chip <= CHIP_UNKNOWN:
            yield wrong("chip-face-wrong", None, {place: see.FACE_DOWN}, [place], None, place=place)
            if NOTHING not in store[first:after] and free:
                third = f"p{number}.chips.{free[0] + 1}"
                delta = {place: None, third: see.chip_content(chip)}
                yield wrong("chip-overdrawn", number, delta, [place, third], None, place=place)


def _out_of_turn(state: State, picks: list[Pick]) -> Iterator[Plausible]:
    """The other player did something, though the one whose turn it is could."""
    if acquire.may_only_pass(state):
        return
    other = 3 - state.turn
    mover = state.players[other - 1]
    for pick in picks:
        marker = effects.marker_delta(other, pick.takes_marker)
        for to in targets(mover, pick.colour, pick.count):
            board = effects.laid(other, mover, pick.colour, pick.count, to)
            places = list(board) or [f"p{other}.broken"]
            yield wrong("out-of-turn", other, {**pick.delta, **board, **marker}, places)
    for chip in acquire.chips(state, other):
        content = see.chip_content(state.chips[FACTORIES.index(chip.source) - 1])
        place = f"p{other}.{chip.to}"
        yield wrong("out-of-turn", other, {f"{chip.source}.chip": None, place: content}, [place])


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
                yield wrong("score-marker-wrong", number, {place: value}, [place], None, **said)
