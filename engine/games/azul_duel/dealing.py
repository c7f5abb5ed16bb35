"""What chance brings, read from the table: the display, the factories, and the fronts of chips that are turned up."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from engine.errors import EngineError
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.acquire import OFFERS, after_reveal
from engine.games.azul_duel.data import LETTERS, rules_data, slip
from engine.games.azul_duel.moves import Deal
from engine.games.azul_duel.state import (
    ACQUIRE,
    CHIP_DOWN,
    CHIP_TURNED,
    CHIP_UNKNOWN,
    DEAL,
    FACTORIES,
    LARGE,
    NO_TILES,
    NOTHING,
    OVER,
    REVEAL,
    SETUP,
    Counts,
    State,
    add,
    put,
    subtract,
    unseen_chips,
    unseen_plates,
)
from engine.types import UNKNOWN, Content, DealRequest, Place, Slip


def empty_offers(state: State) -> list[int]:
    """The places of the display that a deal fills, as far as the stack reaches."""
    empty = [index for index, place in enumerate(state.offer) if place == NOTHING]
    return empty[: len(unseen_plates(state))]


def deals_factories(state: State) -> bool:
    """Whether the awaited deal fills the factories: at the start once the plates lie open, and after each round."""
    if state.round == 0:
        return NOTHING not in state.offer
    return all(player.has_tiled for player in state.players)


def factory_counts(state: State) -> list[int]:
    """How many tiles each factory gets, the large one first; the last go short when the tiles run out (D94)."""
    left = sum(state.bag) + sum(state.tower)
    counts = []
    for wanted in rules_data().factory_tiles:
        counts.append(min(wanted, left))
        left -= counts[-1]
    return counts


def bounds(state: State) -> tuple[Counts, Counts]:
    """The most and the least of each colour that can come: a bag that runs out is emptied first (D93)."""
    need = sum(factory_counts(state))
    together = add(state.bag, state.tower)
    if not state.supply_is_split:
        return together, NO_TILES
    return (state.bag, NO_TILES) if sum(state.bag) >= need else (together, state.bag)


def turned(state: State) -> list[Place]:
    """Chips whose front has to be read: on factories, or in a store when they were taken unread."""
    found = [f"f{index + 1}.chip" for index, chip in enumerate(state.chips) if chip == CHIP_TURNED]
    for number, player in enumerate(state.players, start=1):
        found += [f"p{number}.chips.{place}" for place, chip in enumerate(player.chips, 1) if chip == CHIP_TURNED]
    return found


def request(state: State) -> DealRequest | None:
    """What has to be read from the table now, or None."""
    if state.phase == REVEAL:
        left = unseen_chips(state)
        fronts = tuple(see.chip_content(kind) for kind, count in enumerate(left) if count)
        return DealRequest({}, {}, 0, choices={place: fronts for place in turned(state)})
    if state.phase != DEAL:
        return None
    plates = tuple(see.plate_content(plate * 4 + turn) for plate in unseen_plates(state) for turn in range(4))
    choices = {OFFERS[index]: plates for index in empty_offers(state)}
    if not deals_factories(state):
        return DealRequest({}, {}, 0, choices=choices)
    counts = factory_counts(state)
    most, least = bounds(state)
    colours = rules_data().colours
    fixed: dict[Place, Content] = {"big.moon": {see.MARKER: 1}}
    for factory in range(1, len(FACTORIES)):
        if counts[factory]:
            fixed[f"f{factory}.chip"] = see.FACE_DOWN
    for number in (1, 2):
        fixed.update({f"p{number}.token.{place}": None for place in range(1, rules_data().tokens + 1)})
    return DealRequest(
        {f"{name}.sun": count for name, count in zip(FACTORIES, counts, strict=True)},
        dict(zip(colours, most, strict=True)), sum(counts), fixed, dict(zip(colours, least, strict=True)), choices,
    )


# -- reading a deal --------------------------------------------------------------------------------------------


def make_deal(state: State, contents: Mapping[Place, Content]) -> Deal:
    """The deal that these contents tell, not yet checked against the rules."""
    found: dict[Place, str] = {}
    if state.phase == REVEAL:
        for place in turned(state):
            kind = see.chip_code(contents.get(place, UNKNOWN))
            found[place] = "?" if kind is None else chip_letters(kind)
        return Deal(tuple(sorted(found.items())))
    for index in empty_offers(state):
        content = contents.get(OFFERS[index], UNKNOWN)
        if content == UNKNOWN:
            raise EngineError(f"The deal cannot be read while {OFFERS[index]} is hidden.")
        found[OFFERS[index]] = _plate_text(content)
    if deals_factories(state):
        for name in FACTORIES:
            content = contents.get(f"{name}.sun", UNKNOWN)
            if content == UNKNOWN:
                raise EngineError(f"The deal cannot be read while {name}.sun is hidden.")
            found[f"{name}.sun"] = _heap_text(content, name)
    return Deal(tuple(sorted(found.items())))


def _plate_text(content: Content) -> str:
    if content is None:
        return "-"
    place = see.plate_code(content)
    if place is None:
        return "!" + "/".join(str(space) for space in content)
    return f"{place >> 2}@{place % 4 * 90}"


def _heap_text(content: Mapping[str, int], name: str) -> str:
    colours = rules_data().colours
    foreign = sorted(set(content) - set(colours))
    if foreign:
        raise EngineError(f"There is no tile '{foreign[0]}' to deal on {name}.sun.")
    return tiles_text(tuple(int(content.get(colour, 0)) for colour in colours))


def tiles_text(tiles: Counts) -> str:
    return "".join(letter * count for letter, count in zip(LETTERS, tiles, strict=True)) or "-"


def tiles_counts(text: str) -> Counts:
    return tuple(text.count(letter) for letter in LETTERS)


def chip_letters(kind: int) -> str:
    return "".join(LETTERS[colour] for colour in rules_data().chip_kinds[kind])


def chip_kind(letters: str) -> int:
    """The kind of a chip by its letters, CHIP_UNKNOWN for `?`; -1 when there is none."""
    if letters == "?":
        return CHIP_UNKNOWN
    wanted = sorted(LETTERS.find(letter) for letter in letters)
    return next((kind for kind, shown in enumerate(rules_data().chip_kinds) if sorted(shown) == wanted), -1)


def plate_place(text: str) -> int:
    """4 × plate + quarter turns out of `2@180`; -1 when it names none."""
    number, at, turn = text.partition("@")
    if not at or not number.isdecimal() or turn not in ("0", "90", "180", "270"):
        return -1
    place = int(number) * 4 + int(turn) // 90
    return place if place < len(rules_data().prints) else -1


# -- may it be? ------------------------------------------------------------------------------------------------


def deal_slips(state: State, move: Deal) -> list[Slip]:
    """Everything that is wrong with a deal, most specific first."""
    brought = dict(move.contents)
    if state.phase == OVER:
        return [slip("round-after-the-end", None, brought)]
    if state.phase == REVEAL:
        return _reveal_slips(state, brought)
    if state.phase != DEAL:
        if any(place in OFFERS for place in brought) and state.phase == ACQUIRE:
            return [slip("display-refilled-early", None, [p for p in brought if p in OFFERS])]
        return [slip("factory-wrong-count", None, brought, place=next(iter(brought), "big.sun"), count=0, expected=0)]
    expected = {OFFERS[index] for index in empty_offers(state)}
    if deals_factories(state):
        expected |= {f"{name}.sun" for name in FACTORIES}
    found = [*_factory_slips(state, brought)] if deals_factories(state) else []
    for place in sorted(set(brought) ^ expected):
        found.append(slip("round-not-prepared", None, [place], place=place))
    plates = unseen_plates(state)
    seen: set[int] = set()
    for place in sorted(expected & set(brought)):
        if place not in OFFERS:
            continue
        if brought[place] == "-":
            found.append(slip("round-not-prepared", None, [place], "D91", place=place))
            continue
        code = plate_place(brought[place])
        if code < 0 or code >> 2 not in plates or code >> 2 in seen:
            found.append(slip("impossible-tiles", None, [place], "D10", place=place))
        seen.add(code >> 2)
    return found


def _reveal_slips(state: State, brought: Mapping[Place, str]) -> list[Slip]:
    wanted = turned(state)
    found = [slip("chip-face-wrong", None, [place], place=place) for place in sorted(set(wanted) ^ set(brought))]
    left = list(unseen_chips(state))
    for place in sorted(set(wanted) & set(brought)):
        kind = chip_kind(brought[place])
        if kind == CHIP_UNKNOWN:
            continue
        if kind < 0 or not left[kind]:
            found.append(slip("impossible-tiles", None, [place], "D12", place=place))
        else:
            left[kind] -= 1
    return found


def _factory_slips(state: State, brought: Mapping[Place, str]) -> list[Slip]:
    suns = [tiles_counts(brought.get(f"{name}.sun", "-")) for name in FACTORIES]
    counts, expected = [sum(sun) for sun in suns], factory_counts(state)
    found = []
    # When the tiles run out, which small factory goes short is nobody's business.
    if counts[LARGE] != expected[LARGE] or sorted(counts) != sorted(expected):
        short = sum(expected) < sum(rules_data().factory_tiles)
        for name, count, wanted in zip(FACTORIES, counts, expected, strict=True):
            if count != wanted and not (short and name != FACTORIES[LARGE] and sum(counts) == sum(expected)):
                place = f"{name}.sun"
                found.append(slip("factory-wrong-count", None, [place], place=place, count=count, expected=wanted))
        if not found:
            found.append(slip("factory-wrong-count", None, ["f1.sun"], place="f1.sun", count=counts[1], expected=4))
    total = NO_TILES
    for sun in suns:
        total = add(total, sun)
    most, least = bounds(state)
    for colour in range(len(LETTERS)):
        if total[colour] > most[colour] or (sum(total) >= sum(expected) and total[colour] < least[colour]):
            places = [f"{factory}.sun" for factory, sun in zip(FACTORIES, suns, strict=True) if sun[colour]]
            possible = total[colour] <= state.bag[colour] + state.tower[colour]
            places = places or ["big.sun"]
            found.append(slip("impossible-tiles", None, places, "D93" if possible else "D2", place=places[0]))
    large = list(tiles_text(suns[LARGE]))
    if not found and len(set(large)) == 1 and _other_colours(state, large):
        params = {"place": "big.sun", "count": counts[LARGE], "expected": expected[LARGE]}
        found.append(slip("factory-wrong-count", None, ["big.sun"], "D29", **params))
    return found


def _other_colours(state: State, drawn: list[str]) -> bool:
    """Whether another colour could have come to the large factory than the one that did."""
    if len(drawn) < 2:
        return False
    from_bag = state.supply_is_split and sum(state.bag) >= len(drawn)
    supply = state.bag if from_bag else add(state.bag, state.tower)
    return any(count for letter, count in zip(LETTERS, supply, strict=True) if letter != drawn[0])


# -- making it -------------------------------------------------------------------------------------------------


def play_deal(state: State, move: Deal) -> State:
    """The position after a deal that is known to be possible."""
    brought = dict(move.contents)
    if state.phase == REVEAL:
        return _play_reveal(state, brought)
    offer = state.offer
    for index, place in enumerate(OFFERS):
        if place in brought:
            offer = put(offer, index, plate_place(brought[place]))
    if not deals_factories(state):
        after = state._replace(offer=offer)
        return after if state.round == 0 else _next_start_plate(after)
    suns = tuple(tiles_counts(brought[f"{name}.sun"]) for name in FACTORIES)
    total = NO_TILES
    for sun in suns:
        total = add(total, sun)
    if state.supply_is_split and sum(total) <= sum(state.bag):
        bag, tower = subtract(state.bag, total), state.tower
    else:
        bag, tower = subtract(add(state.bag, state.tower), total), NO_TILES
    players = tuple(
        player._replace(tokens_used=0, has_marker=False, has_passed=False, has_tiled=False)
        for player in state.players
    )
    chips = tuple(CHIP_DOWN if any(sun) else CHIP_TURNED for sun in suns[1:])
    after = state._replace(
        players=(players[0], players[1]), suns=suns, large_moon=NO_TILES, moons=((),) * 4, chips=chips,
        marker_on_large=True, offer=offer, bag=bag, tower=tower, round=state.round + 1, turn=state.starter,
    )
    if state.round == 0:
        return after._replace(phase=SETUP, turn=3 - state.starter)
    return after._replace(phase=REVEAL if CHIP_TURNED in chips else ACQUIRE)


def _next_start_plate(state: State) -> State:
    """After a start plate the display is full again: the other player chooses, or the first round begins (D31)."""
    is_waiting = all(plate == NOTHING for plate in state.players[state.starter - 1].plates)
    return state._replace(phase=SETUP if is_waiting else ACQUIRE, turn=state.starter)


def _play_reveal(state: State, brought: Mapping[Place, str]) -> State:
    chips = state.chips
    players = list(state.players)
    for place, letters in brought.items():
        piece, _, rest = place.partition(".")
        if piece.startswith("f"):
            chips = put(chips, int(piece[1:]) - 1, chip_kind(letters))
        else:
            owner = players[int(piece[1:]) - 1]
            store = put(owner.chips, int(rest.removeprefix("chips.")) - 1, chip_kind(letters))
            players[int(piece[1:]) - 1] = owner._replace(chips=store)
    return after_reveal(state._replace(chips=chips, players=(players[0], players[1])))


# -- by chance -------------------------------------------------------------------------------------------------


def random_deal(state: State, rng: Random) -> Deal:
    """A deal as a shuffled bag, stack and chip supply would give it."""
    found: dict[Place, str] = {}
    if state.phase == REVEAL:
        places = turned(state)
        left = [kind for kind, count in enumerate(unseen_chips(state)) for _ in range(count)]
        for place, kind in zip(places, rng.sample(left, len(places)), strict=True):
            found[place] = chip_letters(kind)
        return Deal(tuple(sorted(found.items())))
    offers = empty_offers(state)
    for index, plate in zip(offers, rng.sample(unseen_plates(state), len(offers)), strict=True):
        found[OFFERS[index]] = f"{plate}@{rng.randrange(4) * 90}"
    if deals_factories(state):
        counts = factory_counts(state)
        tiles = _draw(state, sum(counts), counts[LARGE], rng)
        start = 0
        for name, count in zip(FACTORIES, counts, strict=True):
            found[f"{name}.sun"] = "".join(sorted(tiles[start : start + count], key=LETTERS.index)) or "-"
            start += count
    return Deal(tuple(sorted(found.items())))


def _draw(state: State, need: int, first: int, rng: Random) -> list[str]:
    """Letters of drawn tiles; five of one colour on the large factory go back (D29)."""
    bag, tower = ([LETTERS[c] for c in range(5) for _ in range(tiles[c])] for tiles in (state.bag, state.tower))
    while True:
        rng.shuffle(bag)
        rng.shuffle(tower)
        drawn = (bag + tower)[:need] if state.supply_is_split else rng.sample(bag + tower, need)
        if len(set(drawn[:first])) > 1 or not _other_colours(state, drawn[:first]):
            return drawn
