"""Every slip that a changed table contains, most specific first."""

from __future__ import annotations

from collections.abc import Mapping

from engine.games.azul.diagnosis_offer import offer_slips
from engine.games.azul.diagnosis_tiling import round_slips, settled_slips, tiling_slips
from engine.games.azul.hands import take_delta
from engine.games.azul.moves import CENTRE, source_name
from engine.games.azul.offer import legal_takes
from engine.games.azul.scoring import shown_score
from engine.games.azul.state import State
from engine.games.azul.table import Table, agrees, read_table, tiles_on_table
from engine.games.azul.visible import visible
from engine.types import Content, Place, Slip

ORDER = (
    "round-after-the-end",
    "two-sources-used",
    "two-colours-taken",
    "out-of-turn",
    "tiles-left-behind",
    "rest-not-moved",
    "rest-misplaced",
    "marker-not-taken",
    "tiled-too-early",
    "line-overfilled",
    "colour-mixed-in-line",
    "split-over-lines",
    "incomplete-line-tiled",
    "wrong-wall-space",
    "colour-repeated-in-row",
    "colour-repeated-in-column",
    "complete-line-not-tiled",
    "line-not-cleared",
    "settled-tile-moved",
    "colour-already-on-wall",
    "line-cleared-too-early",
    "floor-not-cleared",
    "overflow-missing",
    "marker-misplaced",
    "score-marker-wrong",
    "factory-wrong-count",
    "floor-instead-of-line",
    "gap-in-line",
    "gap-in-floor",
    "impossible-tiles",
)
"""What explains most stands first; warnings and doubts stand last."""


def problems(before: State, after: Mapping[Place, Content]) -> tuple[Slip, ...]:
    """All slips; none when nothing changed or a legal move explains what was seen."""
    table = read_table(before, after)
    data = before.rules.data
    if table.strange:
        return (data.slip("impossible-tiles", None, table.strange, "A3", colour="", count=len(table.strange)),)
    if agrees(table, before) or is_legal_take(before, table):
        return ()
    if before.phase == "offer":
        found = offer_slips(before, table) + stones_moved(before, table)
    elif before.phase == "tiling":
        found = tiling_slips(before, table)
    else:
        found = [slip for player in range(1, before.rules.players + 1) for slip in settled_slips(before, table, player)]
        found += round_slips(before, table)
    found += surplus(before, table)
    return tuple(sorted(unique(found), key=lambda slip: ORDER.index(slip.slug)))


def is_legal_take(before: State, table: Table) -> bool:
    """Whether a legal take explains everything that was seen."""
    if before.phase != "offer":
        return False
    expected = visible(before)
    changed = {place: content for place, content in table.known.items() if expected[place] != content}
    hidden = [source for source in range(before.rules.discs + 1) if source_name(source) not in table.known]
    touched = [source for source in range(1, before.rules.discs + 1) if source_name(source) in changed]
    candidates = {*(touched or [CENTRE]), *hidden}
    for move in legal_takes(before):
        if move.source not in candidates:
            continue
        delta = take_delta(before, move)
        if all(delta.get(place, expected[place]) == content for place, content in changed.items()) and all(
            table.known.get(place, content) == content for place, content in delta.items()
        ):
            return True
    return False


def stones_moved(before: State, table: Table) -> list[Slip]:
    """Score stones that moved although nothing was scored."""
    data = before.rules.data
    found = []
    for player, (board, seen) in enumerate(zip(before.boards, table.boards, strict=True), 1):
        score = shown_score(board.score, data)
        if seen.score != score:
            found.append(data.slip("score-marker-wrong", player, (f"p{player}.score",), seen=seen.score, score=score))
    return found


def surplus(before: State, table: Table) -> list[Slip]:
    """More tiles of a colour in view than exist."""
    data = before.rules.data
    return [
        data.slip("impossible-tiles", None, (), colour=data.colours[colour], count=count)
        for colour, count in enumerate(tiles_on_table(table))
        if count > data.tiles_per_colour
    ]


def unique(slips: list[Slip]) -> list[Slip]:
    """Each slip once: the same slug by the same player becomes one, with all its places."""
    merged: dict[tuple[str, int | None, str], Slip] = {}
    for slip in slips:
        key = (slip.slug, slip.player, str(slip.params.get("line", "")))
        if key in merged:
            first = merged[key]
            places = tuple(dict.fromkeys((*first.places, *slip.places)))
            merged[key] = Slip(first.slug, first.player, places, first.rule, first.severity, first.params)
        else:
            merged[key] = slip
    return list(merged.values())
