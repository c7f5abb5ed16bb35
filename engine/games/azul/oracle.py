"""Replays a complete game that another engine wrote down, and tells where this one sees it differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError
from engine.games.azul.data import EMPTY, LINES, MARKER, GameData
from engine.games.azul.dealing import deal_slips, play_deal
from engine.games.azul.moves import CENTRE, FLOOR, Deal, Take
from engine.games.azul.notation import format_position
from engine.games.azul.offer import play_take, refusal
from engine.games.azul.scoring import complete_rows, final_result
from engine.games.azul.state import State, make_rules, new_state
from engine.games.azul.tiling import legal_tilings, play_tile
from engine.games.azul.visible import MARKER_NAME
from engine.types import Reason


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that is not the same."""

    where: str
    """Round and step, such as `round 3, score of player 2`."""
    expected: Any
    """What the file says."""
    got: Any
    """What the engine says."""
    position: str
    """The engine's position there, in notation."""

    def __str__(self) -> str:
        return f"{self.where}: the file says {self.expected!r}, the engine {self.got!r}, in {self.position}"


def first_difference(record: Mapping[str, Any], data: GameData) -> Difference | None:
    """None when every deal, move, gain, penalty, position, bonus and winner is the same.

    EngineError when the record is no game of this kind at all.
    """
    try:
        return next(differences(record, data), None)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise EngineError(f"The record is no complete game: {type(error).__name__} at {error}.") from error


def differences(record: Mapping[str, Any], data: GameData) -> Iterator[Difference]:
    """Whatever is not the same, in the order of play; only the first is meaningful."""
    rules = make_rules(data, record["players"], None)
    state = new_state(rules, record["first_player"] + 1)
    bag = record["bag"]
    for entry in record["rounds"]:
        name = f"round {entry['round']}"
        if state.phase != "deal":
            yield Difference(f"{name}, phase", "deal", state.phase, format_position(state))
            return
        drawn, bag = draw(entry, bag)
        found, state = replay_deal(state, entry, name, drawn)
        yield from found
        for number, move in enumerate(entry["moves"], 1):
            found, state = replay_take(state, move, f"{name}, move {number}")
            yield from found
        yield from same(state, name, [("end of the offer", "tiling", state.phase)])
        found, state = replay_tiling(state, entry, name)
        yield from found
    yield from same(state, "after the last round", [("phase", "over", state.phase)])
    yield from compare_end(state, record["end"])


def same(state: State, name: str, triples: list[tuple[str, Any, Any]]) -> Iterator[Difference]:
    """A difference for each triple of what, expected and got that is not equal."""
    for what, expected, got in triples:
        if expected != got:
            yield Difference(f"{name}, {what}", expected, got, format_position(state))


def draw(entry: Mapping[str, Any], bag: str) -> tuple[str, str]:
    """The tiles that the draw order gives this round, and the order that is left."""
    number = sum(len(disc) for disc in entry["factories"])
    refill = entry["refill"]
    if refill is None:
        return bag[:number], bag[number:]
    drawn = bag[: refill["after_drawn"]]
    rest = number - len(drawn)
    return drawn + refill["lid_order"][:rest], refill["lid_order"][rest:]


def replay_deal(state: State, entry: Mapping[str, Any], name: str, drawn: str) -> tuple[list[Difference], State]:
    data = state.rules.data
    deal = Deal(tuple(tuple(disc.count(letter) for letter in data.letters[:LINES]) for disc in entry["factories"]))
    slips = [slip.slug for slip in deal_slips(state, deal)]
    before = state.supply.bag_total
    refill = entry["refill"]
    found = [
        *same(state, name, [("deal", [], slips), ("draw order", drawn, "".join(entry["factories"]))]),
        *same(state, name, [("starter", entry["starter"], state.starter - 1), ("number", entry["round"], state.round)]),
    ]
    if refill is not None:
        found += same(state, name, [("tiles in the bag before the refill", refill["after_drawn"], before)])
        pool = [refill["lid_order"].count(letter) for letter in data.letters[:LINES]]
        found += same(state, name, [("tiles in the lid", pool, list(state.supply.lid))])
    if found:
        return found, state
    state = play_deal(state, deal)
    left = [
        ("tiles left in the bag", entry["bag_left"], sum(state.supply.bag)),
        ("tiles left in the lid", entry["lid_left"], sum(state.supply.lid)),
    ]
    return list(same(state, name, left)), state


def replay_take(state: State, move: Mapping[str, Any], name: str) -> tuple[list[Difference], State]:
    data = state.rules.data
    source = CENTRE if move["source"] == "centre" else move["source"] + 1
    to = FLOOR if move["line"] == "floor" else move["line"]
    colour = data.colours.index(move["colour"])
    counts = state.discs[source - 1] if source else state.centre
    take = Take(move["player"] + 1, source, colour, to, counts[colour])
    slug = refusal(state, take)[0] if state.phase == "offer" else "out-of-turn"
    if slug:
        return [Difference(name, dict(move), slug, format_position(state))], state
    return [], play_take(state, take)


def replay_tiling(state: State, entry: Mapping[str, Any], name: str) -> tuple[list[Difference], State]:
    data, players = state.rules.data, state.rules.players
    names = [*data.colours, MARKER_NAME]
    floors = [[names[item] for item in board.floor] for board in state.boards]
    taker = None if state.is_marker_in_centre else state.starter - 1
    found = [
        *same(state, name, [("floors before the tiling", entry["floor_before_tiling"], floors)]),
        *same(state, name, [("marker taken by", entry["marker_taken_by"], taker)]),
    ]
    reasons: list[Reason] = []
    while state.phase == "tiling":
        state = play_tile(state, legal_tilings(state)[0], reasons)
    for player in range(1, players + 1):
        own = [reason for reason in reasons if reason.player == player]
        gain = sum(reason.points for reason in own if reason.key in ("lone", "across", "down"))
        cost = -sum(reason.points for reason in own if reason.key == "floor")
        board, seen = state.boards[player - 1], entry["after"][player - 1]
        wall = ["".join("." if cell == EMPTY else "1" for cell in row) for row in board.wall]
        lines = [{"colour": data.colours[colour], "count": count} if count else None for colour, count in board.lines]
        found += same(
            state,
            f"{name}, player {player}",
            [
                ("gain", entry["gain"][player - 1], gain),
                ("penalty", entry["penalty"][player - 1], cost),
                ("wall", seen["wall"], wall),
                ("lines", seen["lines"], lines),
                ("floor", seen["floor"], [item for item in board.floor if item != MARKER]),
                ("score", seen["score"], board.score),
            ],
        )
    if state.phase != "over" or "next_starter" in entry:  # the last round needs none
        found += same(state, name, [("next starter", entry["next_starter"], state.starter - 1)])
    return found, state


def compare_end(state: State, end: Mapping[str, Any]) -> Iterator[Difference]:
    result = final_result(state)
    for standing in result.standings:
        keys = (("rows", "bonus-row"), ("columns", "bonus-column"), ("colours", "bonus-colour"))
        got = {key: sum(each.points for each in standing.reasons if each.key == reason) for key, reason in keys}
        expected = end["bonus"][standing.player - 1]
        yield from same(state, f"end, player {standing.player}", [("bonus", expected, got)])
    rows = [complete_rows(board) for board in state.boards]
    scores = [standing.score for standing in result.standings]
    winners = [player - 1 for player in result.winners]
    triples = [("scores", end["scores"], scores), ("complete rows", end["complete_rows"], rows)]
    yield from same(state, "end", [*triples, ("winners", end["winners"], winners)])
