"""A position in the middle of a game, from what lies on the table; and what is hidden in a position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import SetupError
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.acquire import is_acquired
from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.dealing import chip_letters
from engine.games.azul_duel.state import (
    ACQUIRE,
    CHIP_DOWN,
    CHIP_UNKNOWN,
    CHIP_USED,
    DEAL,
    FACTORIES,
    NO_TILES,
    NOTHING,
    PHASES,
    SETUP,
    SPECIAL_TILE,
    STORE,
    TILING,
    UNSEEN_TILE,
    Counts,
    Options,
    PlayerState,
    State,
    unseen_chips,
    unseen_plates,
)
from engine.types import UNKNOWN, Content, Place, Visible

HINTS = ("round", "start_player", "phase", "broken", "below", "chips_taken")


def position_from(seen: Visible, options: Options, to_move: int, **hints: Any) -> State:
    """The position that shows this table. Places that are missing or hidden are taken to be empty.

    Hints, for what nobody can see: `round`, `start_player`, `phase`, `broken` (player → colours, bottom to top, `?` for
    one below the top that nobody saw), `below` (small factory → colours under the top tile), `chips_taken` (player →
    chips taken this round).
    """
    unknown = sorted(set(hints) - set(HINTS))
    if unknown:
        raise SetupError(f"Azul Duel cannot use the hint '{unknown[0]}'; the hints are: {', '.join(HINTS)}.")
    if to_move not in (1, 2):
        raise SetupError(f"Player {to_move} cannot be to move: Azul Duel has players 1 and 2.")
    reader = _Reader(seen, hints)
    plates = reader.laid_plates()
    current = int(hints.get("round") or reader.round(plates))
    first, second = (reader.player(number, plates[number - 1], current) for number in (1, 2))
    suns = tuple(reader.heap(f"{name}.sun") for name in FACTORIES)
    state = State(
        players=(first, second), suns=suns, large_moon=reader.heap("big.moon"),
        moons=tuple(reader.moon(name) for name in FACTORIES[1:]),
        chips=tuple(reader.chip(name) for name in FACTORIES[1:]),
        marker_on_large=see.MARKER in (reader.content("big.moon") or {}),
        offer=reader.offer(),
        bag=NO_TILES, tower=NO_TILES, supply_is_split=False, round=current, phase=ACQUIRE, turn=to_move,
        starter=int(hints.get("start_player", to_move)), options=options,
    )
    _check_pieces(state)
    state = state._replace(
        bag=_hidden_tiles(state), supply_is_split=current <= 1 and sum(on_table(state)) == _dealt_first(state)
    )
    return state._replace(phase=_phase(state, hints.get("phase")), **_before_the_game(state))


class _Reader:
    """Contents turned into codes; SetupError names the place that cannot be."""

    def __init__(self, seen: Visible, hints: Mapping[str, Any]) -> None:
        self.seen = seen
        self.hints = hints

    def content(self, place: Place) -> Content:
        content = self.seen.get(place)
        return None if content == UNKNOWN else content

    def colour(self, name: Any, place: Place) -> int:
        if name not in rules_data().colours:
            raise SetupError(f"There is no tile '{name}' that could lie on {place}.")
        return rules_data().colours.index(name)

    def heap(self, place: Place) -> Counts:
        tiles = {name: count for name, count in (self.content(place) or {}).items() if name != see.MARKER}
        for name in tiles:
            self.colour(name, place)
        return tuple(int(tiles.get(colour, 0)) for colour in rules_data().colours)

    def plate(self, place: Place) -> int:
        content = self.content(place)
        if content is None:
            return NOTHING
        code = see.plate_code(content)
        if code is None:
            raise SetupError(f"No plate of the game shows {', '.join(map(str, content))}, as {place} seems to.")
        return code

    def offer(self) -> tuple[int, ...]:
        return tuple(self.plate(f"offer.{index}") for index in range(1, rules_data().open_plates + 1))

    def laid_plates(self) -> list[tuple[int, ...]]:
        """The nine plate slots of each player. Where tiles hide some of the spaces of a plate (`?`), it is any plate of
        the game that shows the others, fits the tiles and lies nowhere else."""
        names = [[f"p{number}.plate.{row}.{column}" for row in (1, 2, 3) for column in (1, 2, 3)] for number in (1, 2)]
        fitting = {
            place: self.fitting_plates(place) for board in names for place in board
            if UNKNOWN in (self.content(place) or ())
        }
        found = {place: self.plate(place) for board in names for place in board if place not in fitting}
        taken = {code >> 2 for code in (*found.values(), *self.offer()) if code != NOTHING}
        found.update(_told_apart(fitting, taken))
        return [tuple(found[place] for place in board) for board in names]

    def fitting_plates(self, place: Place) -> list[int]:
        """The plates, turned each way, that may lie where tiles hide some of the spaces."""
        number, row, column = place[1], *(2 * int(each) - 1 for each in place.split(".")[-2:])
        tiles = [self.content(f"p{number}.dome.{row + down}.{column + right}") for down in (0, 1) for right in (0, 1)]
        content, names = self.content(place) or (), rules_data().space_names
        fitting = [
            code for code, spaces in enumerate(rules_data().prints)
            if all(
                names[space] == shown if shown != UNKNOWN else _may_hide(names[space], tile)
                for space, shown, tile in zip(spaces, content, tiles, strict=True)
            )
        ]
        if not fitting:
            raise SetupError(f"No plate of the game fits what lies on {place}; look at the tiles upon it again.")
        return fitting

    def round(self, plates: list[tuple[int, ...]]) -> int:
        """The round, from the plates on the domes: one before the game, two a round; a full display is a new round."""
        laid = [9 - board.count(NOTHING) for board in plates]
        used = [self.tokens(number) for number in (1, 2)]
        possible = [
            number for number in range(1, rules_data().rounds + 1)
            if all(
                2 * number - 1 + (tokens or 0) == min(count, 9) if tokens is not None
                else 2 * number - 1 <= count <= 2 * number + 1
                for count, tokens in zip(laid, used, strict=True)
            )
        ]
        if not possible:
            return 1 if max(laid) <= 1 else min(rules_data().rounds, (max(laid) + 1) // 2)
        full = all(self.content(f"offer.{index}") is not None for index in (1, 2, 3))
        return possible[-1] if full or max(laid) == 9 else possible[0]

    def tokens(self, number: int) -> int | None:
        places = [f"p{number}.token.{index}" for index in range(1, rules_data().tokens + 1)]
        if any(self.seen.get(place, UNKNOWN) == UNKNOWN for place in places):
            return None
        return sum(self.seen[place] is not None for place in places)

    def player(self, number: int, plates: tuple[int, ...], current: int) -> PlayerState:
        lines = [self.line(number, line) for line in range(1, 7)]
        used = self.tokens(number)
        if used is None:
            laid = 9 - plates.count(NOTHING)
            used = 0 if current == rules_data().rounds else max(0, min(rules_data().tokens, laid - (2 * current - 1)))
        score = self.content(f"p{number}.score")
        return PlayerState(
            counts=tuple(count for count, _ in lines), colours=tuple(colour for _, colour in lines), plates=plates,
            cells=tuple(self.cell(f"p{number}.dome.{i // 6 + 1}.{i % 6 + 1}") for i in range(36)),
            broken=self.broken(number), chips=self.store(number, current), tokens_used=used,
            has_marker=self.content(f"p{number}.start") == see.MARKER, has_passed=False, has_tiled=False,
            score=rules_data().start_score if score is None else int(score),
        )

    def line(self, number: int, line: int) -> tuple[int, int]:
        tiles = [self.content(f"p{number}.line{line}.{cell}") for cell in range(1, line + 1)]
        kinds = {self.colour(tile, f"p{number}.line{line}") for tile in tiles if tile is not None}
        if len(kinds) > 1:
            raise SetupError(f"Pattern line {line} of player {number} holds two colours; put that right first.")
        return sum(tile is not None for tile in tiles), kinds.pop() if kinds else NOTHING

    def cell(self, place: Place) -> int:
        content = self.content(place)
        if content is None:
            return NOTHING
        return SPECIAL_TILE if content == "special" else self.colour(content, place)

    def broken(self, number: int) -> tuple[int, ...]:
        told = (self.hints.get("broken") or {}).get(number)
        top = self.content(f"p{number}.broken")
        names = list(told) if told is not None else ([top["top"]] if top else [])
        below = [UNSEEN_TILE if name == UNKNOWN else self.colour(name, f"p{number}.broken") for name in names[:-1]]
        return (*below, *(self.colour(name, f"p{number}.broken") for name in names[-1:]))

    def moon(self, name: str) -> tuple[int, ...]:
        top = self.content(f"{name}.moon")
        if not top:
            return ()
        told = (self.hints.get("below") or {}).get(name)
        if told is None:
            # Whoever stacked them had taken at least one of the factory's tiles, and one lies on top.
            number = rules_data().factory_tiles[FACTORIES.index(name)] - 2
            below = [UNSEEN_TILE] * number
        else:
            below = sorted(self.colour(tile, f"{name}.moon") for tile in told)
        return (*below, self.colour(top["top"], f"{name}.moon"))

    def chip(self, name: str) -> int:
        content = self.content(f"{name}.chip")
        if content == see.FACE_DOWN or (content is None and self.content(f"{name}.moon")):
            return CHIP_DOWN
        if content is None:
            return CHIP_DOWN if self.seen.get(f"{name}.chip") == UNKNOWN else NOTHING
        kind = see.chip_code(content)
        return CHIP_UNKNOWN if kind is None else kind

    def store(self, number: int, current: int) -> tuple[int, ...]:
        """The chip store as it was seen; where it was not, chips of earlier rounds are there but unknown."""
        each = rules_data().chips_per_round
        taken = int((self.hints.get("chips_taken") or {}).get(number, 0))
        chips = []
        for place in range(STORE):
            content = self.seen.get(f"p{number}.chips.{place + 1}", UNKNOWN)
            if content == see.FACE_DOWN:
                chips.append(CHIP_UNKNOWN + CHIP_USED)
            elif content is None:
                chips.append(NOTHING)
            elif content != UNKNOWN:
                kind = see.chip_code(content)
                chips.append(CHIP_UNKNOWN if kind is None else kind)
            else:
                was_taken = place < (current - 1) * each or (current - 1) * each <= place < (current - 1) * each + taken
                chips.append(CHIP_UNKNOWN if was_taken else NOTHING)
        return tuple(chips)


def _may_hide(space: str, tile: Content) -> bool:
    """Whether a tile may lie on a printed space; without one, anything may be printed there."""
    return tile is None or space == tile or (space == "joker" and tile != "special")


def _told_apart(fitting: Mapping[Place, list[int]], taken: set[int]) -> dict[Place, int]:
    """One plate for each place, no plate twice; SetupError when there are not enough."""
    if not fitting:
        return {}
    place = min(fitting, key=lambda each: len(fitting[each]))
    rest = {other: codes for other, codes in fitting.items() if other != place}
    for code in fitting[place]:
        if code >> 2 not in taken:
            try:
                return {place: code, **_told_apart(rest, taken | {code >> 2})}
            except SetupError:
                continue
    raise SetupError(f"No plate is left that could lie on {place}; look at the plates again.")


def _check_pieces(state: State) -> None:
    laid = [place >> 2 for place in state.offer if place >= 0]
    laid += [place >> 2 for player in state.players for place in player.plates if place >= 0]
    twice = sorted({plate for plate in laid if laid.count(plate) > 1})
    if twice:
        raise SetupError(f"Plate {twice[0]} seems to lie on the table twice; look at the plates again.")
    if any(count < 0 for count in unseen_chips(state)):
        raise SetupError("More bonus chips of one kind seem to lie on the table than there are; look at them again.")


def on_table(state: State) -> Counts:
    """How many tiles of each colour lie outside bag and tower."""
    counts = [0] * len(rules_data().colours)
    for heap in (*state.suns, state.large_moon):
        for colour, count in enumerate(heap):
            counts[colour] += count
    for stack in state.moons:
        for colour in stack:
            if colour != UNSEEN_TILE:
                counts[colour] += 1
    for player in state.players:
        for count, colour in zip(player.counts, player.colours, strict=True):
            if count:
                counts[colour] += count
        for tile in (*player.cells, *player.broken):
            if 0 <= tile < SPECIAL_TILE:
                counts[tile] += 1
    return tuple(counts)


def _dealt_first(state: State) -> int:
    """How many tiles have come out of the bag in the first round. Where not all of them can be seen, nobody knows which
    of the others lie in the bag."""
    return 0 if _is_untouched(state) else sum(rules_data().factory_tiles)


def _hidden_tiles(state: State) -> Counts:
    hidden = []
    for name, count in zip(rules_data().colours, on_table(state), strict=True):
        if count > rules_data().tiles_per_colour:
            raise SetupError(
                f"{count} {name} tiles seem to lie on the table, but there are only {rules_data().tiles_per_colour}."
            )
        hidden.append(rules_data().tiles_per_colour - count)
    return tuple(hidden)


def _phase(state: State, told: str | None) -> int:
    if told is not None:
        if told not in PHASES:
            raise SetupError(f"There is no phase '{told}' in Azul Duel; the phases are: {', '.join(PHASES)}.")
        return PHASES.index(told)
    if _is_untouched(state):
        return DEAL
    if any(all(plate == NOTHING for plate in player.plates) for player in state.players):
        return SETUP
    return TILING if is_acquired(state) else ACQUIRE


def _is_untouched(state: State) -> bool:
    """Nothing has been dealt to the factories, and no plate lies on a dome."""
    no_tiles = not any(any(sun) for sun in state.suns)
    return no_tiles and all(plate == NOTHING for player in state.players for plate in player.plates)


def _before_the_game(state: State) -> dict[str, Any]:
    if _is_untouched(state):
        return {"round": 0, "turn": state.starter}
    if all(plate == NOTHING for plate in state.players[2 - state.starter].plates):
        return {"turn": 3 - state.starter}
    return {}


# -- what is hidden --------------------------------------------------------------------------------------------


def supplies(state: State) -> Mapping[str, Any]:
    """Bag and tower, the plates of the stack, unseen chips, special tiles, and what lies in each moon stack."""
    colours = rules_data().colours
    both = [bag + tower for bag, tower in zip(state.bag, state.tower, strict=True)]
    open_split = {name: {"min": 0, "max": count} for name, count in zip(colours, both, strict=True)}
    is_split = state.supply_is_split
    placed = sum(player.cells.count(SPECIAL_TILE) for player in state.players)
    moons: dict[str, Any] = {}
    for name, stack in zip(FACTORIES[1:], state.moons, strict=True):
        below = [colours[colour] for colour in stack[:-1] if colour != UNSEEN_TILE]
        moons[name] = {
            "count": len(stack) - stack.count(UNSEEN_TILE),
            "top": colours[stack[-1]] if stack else None,
            "below": below,
            "order_known": len(set(stack[:-1])) < 2 and UNSEEN_TILE not in stack,
        }
    return {
        "bag": dict(zip(colours, state.bag, strict=True)) if is_split else open_split,
        "tower": dict(zip(colours, state.tower, strict=True)) if is_split else open_split,
        "bag_and_tower": dict(zip(colours, both, strict=True)),
        "plates": list(unseen_plates(state)),
        "chips": {chip_letters(kind): count for kind, count in enumerate(unseen_chips(state)) if count},
        "special": rules_data().special_tiles - placed,
        "moons": moons,
        "broken": {f"p{number}": len(player.broken) for number, player in enumerate(state.players, start=1)},
    }
