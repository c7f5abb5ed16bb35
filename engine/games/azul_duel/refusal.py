"""Why a move that somebody asked for is not allowed, as a slip."""

from __future__ import annotations

from engine.games.azul_duel import acquire, dealing
from engine.games.azul_duel.acquire import STACK, destinations
from engine.games.azul_duel.data import rules_data, slip
from engine.games.azul_duel.moves import Chip, Deal, Moon, Move, Pass, Plate, StartPlate, Sun, Tile
from engine.games.azul_duel.state import (
    ACQUIRE,
    BROKEN,
    CHIP_UNKNOWN,
    FACTORIES,
    LARGE,
    LINES,
    NOTHING,
    OVER,
    SETUP,
    TILING,
    State,
    chips_taken,
    unseen_plates,
)
from engine.games.azul_duel.tiling import can_pay, demanded, face_up, fitting_columns
from engine.types import Slip


def refused(state: State, move: Move) -> Slip | None:
    """The slip of a move that the rules forbid now; None when it is legal."""
    if isinstance(move, Deal):
        slips = dealing.deal_slips(state, move)
        return slips[0] if slips else None
    if state.phase == OVER:
        return slip("round-after-the-end", move.player, ())
    if isinstance(move, Tile):
        return _refused_tile(state, move)
    if isinstance(move, StartPlate) != (state.phase == SETUP) or state.phase not in (SETUP, ACQUIRE):
        return slip("out-of-turn", move.player, (), place=FACTORIES[LARGE])
    if move.player != state.turn:
        return slip("out-of-turn", move.player, ())
    if isinstance(move, StartPlate):
        legal = move in acquire.start_plates(state, move.player)
        return None if legal else slip("plate-misplaced", move.player, [f"p{move.player}.{move.to}"], place=move.to)
    if isinstance(move, Sun):
        return None if move in list(acquire.suns(state, move.player)) else _refused_sun(state, move)
    if isinstance(move, Moon):
        return None if move in list(acquire.moons(state, move.player)) else _refused_moon(state, move)
    if isinstance(move, Plate):
        return _refused_plate(state, move)
    if isinstance(move, Chip):
        return _refused_chip(state, move)
    if list(acquire.actions(state, move.player)[:1]) != [Pass(move.player)]:
        return slip("out-of-turn", move.player, (), "D65")
    return None


def _refused_sun(state: State, move: Sun) -> Slip:
    place = f"{move.source}.sun"
    sun = state.suns[FACTORIES.index(move.source)]
    colour = rules_data().colours.index(move.colour)
    if move.count > sun[colour]:
        return slip("impossible-tiles", move.player, [place], place=place)
    if move.count < sun[colour]:
        return slip("tiles-left-behind", move.player, [place], colour=move.colour, place=place)
    moon = f"{move.source}.moon"
    return _refused_line(state, move, colour) or slip("rest-misplaced", move.player, [moon], place=moon)


def _refused_moon(state: State, move: Moon) -> Slip:
    colour = rules_data().colours.index(move.colour)
    sources = tuple(FACTORIES[factory] for factory in acquire.moon_sources(state, colour))
    if set(move.sources) - set(sources):
        return slip("impossible-tiles", move.player, [f"{move.sources[0]}.moon"], place=f"{move.sources[0]}.moon")
    left = [f"{source}.moon" for source in sources if source not in move.sources]
    if left:
        return slip("tiles-left-behind", move.player, left, "D54", colour=move.colour, place=left[0])
    return _refused_line(state, move, colour) or slip(
        "stack-overtaken", move.player, [f"{sources[0]}.moon" if sources else "big.moon"], place="big.moon"
    )


def _refused_line(state: State, move: Sun | Moon, colour: int) -> Slip | None:
    mover = state.players[move.player - 1]
    partial = state.options.partial_voluntary_break
    if (move.to, move.laid) in destinations(mover, colour, move.count, partial):
        return None
    if move.laid is not None or move.to == BROKEN:
        return slip("overflow-missing", move.player, [f"p{move.player}.broken"], "D61", count=move.count)
    line = LINES.index(move.to)
    place = f"p{move.player}.{move.to}.1"
    if mover.counts[line] > line:
        return slip("line-overfilled", move.player, [place], line=line + 1)
    return slip("colour-mixed-in-line", move.player, [place], line=line + 1)


def _refused_plate(state: State, move: Plate) -> Slip | None:
    mover = state.players[move.player - 1]
    place = f"p{move.player}.{move.to}"
    if not acquire.may_lay_plate(state, move.player):
        return slip("token-plate-mismatch", move.player, [place], "D46", place=move.to)
    if mover.plates[acquire.SLOTS.index(move.to)] != NOTHING:
        return slip("plate-misplaced", move.player, [place], place=move.to)
    if move.source == STACK:
        if move.plate not in unseen_plates(state):
            return slip("impossible-tiles", move.player, [place], "D10", place=move.to)
        if not 1 <= move.drawn <= acquire.draw_prices(state, move.player):
            return slip("stack-draw-unpaid", move.player, [f"p{move.player}.score"], place=move.to)
        return None
    shown = state.offer[acquire.OFFERS.index(move.source)]
    if shown == NOTHING or shown >> 2 != move.plate:
        return slip("impossible-tiles", move.player, [move.source], "D10", place=move.source)
    if move.drawn:
        return slip("stack-draw-misplayed", move.player, [move.source], place=move.source)
    return None


def _refused_chip(state: State, move: Chip) -> Slip | None:
    place = f"{move.source}.chip"
    if not 0 <= state.chips[FACTORIES.index(move.source) - 1] <= CHIP_UNKNOWN:
        return slip("chip-taken-early", move.player, [place], place=place)
    if chips_taken(state, state.players[move.player - 1]) >= rules_data().chips_per_round:
        return slip("chip-overdrawn", move.player, [place], place=place)
    if move not in list(acquire.chips(state, move.player)):
        return slip("chips-misused", move.player, [f"p{move.player}.{move.to}"], "D62", place=move.to)
    return None


def _refused_tile(state: State, move: Tile) -> Slip | None:
    number = move.player
    if state.phase != TILING:
        return slip("tiled-too-early", number, [f"p{number}.dome.1.1"], place=f"p{number}.dome.1.1")
    mover = state.players[number - 1]
    if mover.has_tiled:
        return slip("out-of-turn", number, ())
    for row in range(6):
        column, count = move.columns[row], mover.counts[row]
        place = f"p{number}.dome.{row + 1}.{column}" if column else f"p{number}.line{row + 1}.1"
        if column and (not count or column not in fitting_columns(mover, row, mover.colours[row])):
            return slip("wrong-dome-space", number, [place], place=place)
        if not column and count == row + 1 and fitting_columns(mover, row, mover.colours[row]):
            return slip("complete-line-not-tiled", number, [place], line=row + 1)
    demands = demanded(mover, move.columns)
    if not set(move.chips) <= set(face_up(mover)) or len(set(move.chips)) < len(move.chips):
        return slip("chips-misused", number, [f"p{number}.chips.{place}" for place in move.chips], place="chips")
    if not can_pay(tuple(mover.chips[place - 1] for place in move.chips), demands):
        if demands and not move.chips:
            short = next(row for row in range(6) if move.columns[row] and mover.counts[row] <= row)
            place = f"p{number}.dome.{short + 1}.{move.columns[short]}"
            return slip("incomplete-line-tiled", number, [place], line=short + 1)
        return slip("chips-misused", number, [f"p{number}.chips.{place}" for place in move.chips], place="chips")
    return None
