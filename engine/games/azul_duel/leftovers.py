"""Names for what no known move and no known slip explains, place by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.games.azul_duel import visible as see
from engine.games.azul_duel.data import slip
from engine.games.azul_duel.state import ACQUIRE, DEAL, NOTHING, OVER, TILING, State
from engine.types import Content, Place, Slip, Visible


def leftover_slips(
    before: State, seen: Visible, expected: Mapping[Place, Content], places: Iterable[Place]
) -> Iterator[Slip]:
    """A slip for each of these places, where `expected` says what should lie there (as before, if it does not)."""
    now = see.visible(before)
    for place in places:
        wanted = expected.get(place, now[place])
        got = seen.get(place, now[place])
        if before.phase == OVER and place.endswith(".sun"):
            yield slip("round-after-the-end", None, [place])
            continue
        piece, _, rest = place.partition(".")
        if piece.startswith("p"):
            yield from _on_board(before, int(piece[1:]), rest, place, wanted, got)
        else:
            yield from _in_middle(before, rest, place, wanted, got)


def _on_board(
    before: State, number: int, rest: str, place: Place, wanted: Content, got: Content
) -> Iterator[Slip]:
    kind = rest.split(".")[0]
    is_tidying = before.phase in (TILING, DEAL, OVER)
    if kind == "score":
        yield slip("score-marker-wrong", number, [place], expected=wanted, shown=got)
    elif kind.startswith("line"):
        yield _in_line(before, number, int(kind[4:]), int(rest.split(".")[1]), place, wanted, got)
    elif kind == "dome":
        if see.visible(before)[place] is not None:
            # Nobody takes a tile from the dome or lays one over it: that is misread first.
            yield slip("impossible-tiles", number, [place], place=place)
        elif not is_tidying:
            yield slip("tiled-too-early", number, [place], place=place)
        elif "special" in (wanted, got):
            yield slip("special-tile-wrong", number, [place], place=place)
        else:
            yield slip("wrong-dome-space", number, [place], place=place)
    elif kind == "plate":
        if got is not None and see.plate_code(got) is None:
            yield slip("impossible-tiles", number, [place], "D10", place=place)
        elif see.visible(before)[place] is not None:
            yield slip("plate-moved", number, [place], place=place)
        else:
            # A plate that came to a free slot with no token for it.
            slug = "plate-misplaced" if before.phase != ACQUIRE else "token-plate-mismatch"
            yield slip(slug, number, [place], place=place)
    elif kind == "broken":
        if is_tidying:
            yield slip("broken-not-cleared", number, [place], place=place)
        elif isinstance(got, Mapping) and got.get("top") == see.MARKER:
            yield slip("marker-misplaced", number, [place])
        elif got is None:
            yield slip("overflow-missing", number, [place], count=1)
        else:
            slug = "split-over-lines" if number == before.turn else "out-of-turn"
            yield slip(slug, number, [place], "D61" if number == before.turn else None)
    elif kind == "start":
        # After tiling the start tile lies before its holder: on its space or beside it.
        if before.phase == DEAL:
            if before.players[number - 1].has_marker and got == see.MARKER:
                return
            yield slip("round-not-prepared", number, [place], place=place)
        elif not (is_tidying and before.players[number - 1].has_marker):
            yield slip("marker-misplaced", number, [place])
    elif kind == "token":
        slug = "round-not-prepared" if before.phase == DEAL else "token-plate-mismatch"
        yield slip(slug, number, [place], place=place)
    else:
        yield slip("chips-misused", number, [place], place=place)


def _in_line(
    before: State, number: int, line: int, cell: int, place: Place, wanted: Content, got: Content
) -> Slip:
    if before.phase in (TILING, DEAL, OVER):
        if got is None:
            return slip("line-cleared-too-early", number, [place], line=line)
        return slip("line-not-cleared", number, [place], line=line)
    mover = before.players[number - 1]
    if got is None:
        if mover.counts[line - 1] >= cell:
            return slip("impossible-tiles", number, [place], place=place)
        return slip("overflow-missing", number, [place], count=1)
    colour = mover.colours[line - 1]
    if colour != NOTHING and got != see.tile_names()[colour]:
        return slip("colour-mixed-in-line", number, [place], line=line)
    if number != before.turn:
        return slip("out-of-turn", number, [place])
    if cell > mover.counts[line - 1] + 1 and wanted is None:
        return slip("gap-in-line", number, [place], line=line)
    return slip("split-over-lines", number, [place], line=line)


def _in_middle(before: State, rest: str, place: Place, wanted: Content, got: Content) -> Iterator[Slip]:
    mover = before.turn if before.phase not in (TILING, DEAL, OVER) else None
    is_tidying = mover is None
    if place.startswith("offer"):
        if is_tidying:
            yield slip("round-not-prepared", None, [place], "D91", place=place)
        elif got is not None and wanted is None:
            yield slip("display-refilled-early", None, [place], place=place)
        else:
            yield slip("plate-misplaced", mover, [place], place=place)
    elif rest == "sun":
        yield _on_sun(mover, place, wanted or {}, got or {}, see.visible(before)[place])
    elif rest == "chip":
        if got is not None:
            yield slip("chip-face-wrong", None, [place], place=place)
        elif is_tidying:
            yield slip("factory-wrong-count", None, [place], place=place, count=0, expected=1)
        else:
            yield slip("chip-taken-early", mover, [place], place=place)
    else:
        lies, should = (see.MARKER in (content or {}) for content in (got, wanted))
        if is_tidying:
            yield slip("round-not-prepared", None, [place], place=place)
        elif place == "big.moon" and lies != should:
            yield slip("marker-misplaced" if should else "marker-not-taken", mover, [place])
        else:
            yield slip("rest-misplaced", mover, [place], place=place)


def _on_sun(
    mover: int | None, place: Place, wanted: Mapping[str, int], got: Mapping[str, int], was: Mapping[str, int]
) -> Slip:
    if mover is None or sum(got.values()) > sum(was.values()):
        count, expected = sum(got.values()), sum(wanted.values())
        return slip("factory-wrong-count", None, [place], place=place, count=count, expected=expected)
    if sum(got.values()) > sum(wanted.values()):
        return slip("rest-not-moved", mover, [place], place=place)
    return slip("two-colours-taken", mover, [place], place=place, colours=sorted(set(was) - set(got)) or list(was))
