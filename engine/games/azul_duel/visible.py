"""What a camera should see of a position, place by place, in the shapes of the recording format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from engine.games.azul_duel.data import rules_data
from engine.games.azul_duel.state import (
    CHIP_DOWN,
    CHIP_TURNED,
    CHIP_UNKNOWN,
    CHIP_USED,
    FACTORIES,
    NOTHING,
    STORE,
    TILING,
    Counts,
    PlayerState,
    State,
)
from engine.types import UNKNOWN, Content, Place

MARKER = "marker"
TOKEN = "token"
FACE_DOWN = "face-down"


@cache
def tile_names() -> tuple[str, ...]:
    """What a tile is called, by its code."""
    return (*rules_data().colours, "special")


@cache
def all_places() -> tuple[Place, ...]:
    """Every place, in a fixed order."""
    names: list[Place] = []
    for player in (1, 2):
        names += [f"p{player}.line{line}.{cell}" for line in range(1, 7) for cell in range(1, line + 1)]
        names += [f"p{player}.dome.{row}.{column}" for row in range(1, 7) for column in range(1, 7)]
        names += [f"p{player}.plate.{row}.{column}" for row in range(1, 4) for column in range(1, 4)]
        names += [f"p{player}.broken", f"p{player}.start", f"p{player}.score"]
        names += [f"p{player}.chips.{place}" for place in range(1, STORE + 1)]
        names += [f"p{player}.token.{place}" for place in range(1, rules_data().tokens + 1)]
    for number in range(1, len(FACTORIES)):
        names += [f"f{number}.sun", f"f{number}.moon", f"f{number}.chip"]
    names += ["big.sun", "big.moon"]
    names += [f"offer.{number}" for number in range(1, rules_data().open_plates + 1)]
    return tuple(names)


@cache
def plate_content(place: int) -> list[str] | None:
    """The four spaces of a plate as it lies."""
    if place == NOTHING:
        return None
    names = rules_data().space_names
    return [names[code] for code in rules_data().prints[place]]


@cache
def _plate_codes() -> dict[tuple[str, ...], int]:
    names = rules_data().space_names
    return {tuple(names[code] for code in spaces): place for place, spaces in enumerate(rules_data().prints)}


def plate_code(content: Content) -> int | None:
    """Which plate lies there and how it is turned; None when no plate looks like that."""
    return _plate_codes().get(tuple(content)) if isinstance(content, (list, tuple)) else None


def heap(tiles: Counts, marker: bool = False) -> dict[str, int]:
    """Loose tiles as counts, zeros left out."""
    found = {name: count for name, count in zip(rules_data().colours, tiles, strict=True) if count}
    if marker:
        found[MARKER] = 1
    return found


@cache
def chip_content(chip: int) -> Content:
    """What a chip shows."""
    if chip == NOTHING:
        return None
    if chip == CHIP_DOWN or chip >= CHIP_USED:
        return FACE_DOWN
    if chip in (CHIP_TURNED, CHIP_UNKNOWN):
        return UNKNOWN
    return [rules_data().colours[colour] for colour in rules_data().chip_kinds[chip]]


def chip_code(content: Content) -> int | None:
    """The kind of a chip that shows these colours, in any order; None when there is no such chip."""
    if not isinstance(content, (list, tuple)):
        return None
    for kind, colours in enumerate(rules_data().chip_kinds):
        if sorted(rules_data().colours[colour] for colour in colours) == sorted(set(content)):
            return kind
    return None


@lru_cache(maxsize=512)
def board(player: PlayerState, number: int, marker_lies_on_board: bool) -> dict[Place, Content]:
    """The places of one player. The result is shared: copy it before changing it."""
    seen: dict[Place, Content] = {}
    for group in _groups(player, number, marker_lies_on_board):
        seen.update(group)
    return seen


def _groups(player: PlayerState, number: int, marker_lies_on_board: bool) -> tuple[dict[Place, Content], ...]:
    """The places of one player, in groups of which a move changes few. They are shared."""
    return (
        _lines(number, player.counts, player.colours),
        _dome(number, player.cells),
        _plates(number, player.plates),
        _chips(number, player.chips),
        _pieces(number, player.broken[-1:], marker_lies_on_board, player.score, player.tokens_used),
    )


@lru_cache(maxsize=512)
def _lines(number: int, counts: Counts, colours: Counts) -> dict[Place, Content]:
    names = tile_names()
    return {
        f"p{number}.line{line + 1}.{cell + 1}": names[colours[line]] if cell < counts[line] else None
        for line in range(6) for cell in range(line + 1)
    }


@lru_cache(maxsize=512)
def _dome(number: int, cells: Counts) -> dict[Place, Content]:
    names = tile_names()
    return {
        f"p{number}.dome.{cell // 6 + 1}.{cell % 6 + 1}": None if tile == NOTHING else names[tile]
        for cell, tile in enumerate(cells)
    }


@lru_cache(maxsize=512)
def _plates(number: int, plates: Counts) -> dict[Place, Content]:
    return {
        f"p{number}.plate.{slot // 3 + 1}.{slot % 3 + 1}": plate_content(plate) for slot, plate in enumerate(plates)
    }


@lru_cache(maxsize=512)
def _chips(number: int, chips: Counts) -> dict[Place, Content]:
    return {f"p{number}.chips.{place}": chip_content(chip) for place, chip in enumerate(chips, start=1)}


@lru_cache(maxsize=512)
def _pieces(number: int, top: Counts, marker: bool, score: int, tokens_used: int) -> dict[Place, Content]:
    """What lies beside the lines and the dome."""
    seen: dict[Place, Content] = {
        f"p{number}.broken": {"top": tile_names()[top[0]]} if top else None,
        f"p{number}.start": MARKER if marker else None,
        f"p{number}.score": shown_score(score),
    }
    for token in range(rules_data().tokens):
        seen[f"p{number}.token.{token + 1}"] = TOKEN if token < tokens_used else None
    return seen


def shown_score(score: int) -> int:
    """The number that the two stones show: the tens stone starts again after the last number of its track."""
    return score % (rules_data().score_track_max + 1)


def marker_is_on(state: State, number: int) -> bool:
    """Whether the start tile lies on a player's space: from the pick until that player has tiled."""
    player = state.players[number - 1]
    return player.has_marker and state.phase <= TILING and not player.has_tiled


def visible(state: State) -> dict[Place, Content]:
    """Every place with its content."""
    return {
        **board(state.players[0], 1, marker_is_on(state, 1)),
        **board(state.players[1], 2, marker_is_on(state, 2)),
        **shared(state),
    }


def shared(state: State) -> dict[Place, Content]:
    """The places that are no player's: factories and display."""
    seen: dict[Place, Content] = {}
    for number in range(1, len(FACTORIES)):
        seen.update(_factory_of(state, number))
    seen["big.sun"] = heap(state.suns[0])
    seen["big.moon"] = heap(state.large_moon, state.marker_on_large)
    for index, plate in enumerate(state.offer, start=1):
        seen[f"offer.{index}"] = plate_content(plate)
    return seen


def _factory_of(state: State, number: int) -> dict[Place, Content]:
    """The places of a small factory. The result is shared."""
    return _factory(number, state.suns[number], state.moons[number - 1], state.chips[number - 1])


@lru_cache(maxsize=2048)
def _factory(number: int, sun: Counts, stack: Counts, chip: int) -> dict[Place, Content]:
    return {
        f"f{number}.sun": heap(sun),
        f"f{number}.moon": {"top": tile_names()[stack[-1]]} if stack else None,
        f"f{number}.chip": UNKNOWN if stack else chip_content(chip),
    }


def changes(before: State, after: State) -> dict[Place, Content]:
    """The places that show something else after than before."""
    seen: dict[Place, Content] = {}
    for number, (old, new) in enumerate(zip(before.players, after.players, strict=True), start=1):
        earlier, later = marker_is_on(before, number), marker_is_on(after, number)
        if old is new and earlier == later:
            continue
        for was, now in zip(_groups(old, number, earlier), _groups(new, number, later), strict=True):
            _add_changes(seen, was, now)
    for number in range(1, len(FACTORIES)):
        _add_changes(seen, _factory_of(before, number), _factory_of(after, number))
    if before.suns[0] != after.suns[0]:
        seen["big.sun"] = heap(after.suns[0])
    if (before.large_moon, before.marker_on_large) != (after.large_moon, after.marker_on_large):
        seen["big.moon"] = heap(after.large_moon, after.marker_on_large)
    for index, (had, has) in enumerate(zip(before.offer, after.offer, strict=True), start=1):
        if had != has:
            seen[f"offer.{index}"] = plate_content(has)
    return seen


def _add_changes(seen: dict[Place, Content], was: Mapping[Place, Content], now: Mapping[Place, Content]) -> None:
    """Add the places of which one group shows something else than another."""
    if was is not now:
        for place, content in now.items():
            if was[place] != content:
                seen[place] = content
