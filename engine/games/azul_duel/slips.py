"""Which slips a changed table contains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.errors import EngineError
from engine.games.azul_duel import dealing, effects
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.data import rules_data, slip
from engine.games.azul_duel.effects import Delta
from engine.games.azul_duel.leftovers import leftover_slips
from engine.games.azul_duel.plausible import explanations, wrong_scores
from engine.games.azul_duel.plausible_tiling import tiling_moves
from engine.games.azul_duel.scoring import final_scores
from engine.games.azul_duel.state import DEAL, OVER, REVEAL, TILING, State
from engine.types import UNKNOWN, Content, Place, Plausible, Slip, Visible


def problems(before: State, after: Visible) -> tuple[Slip, ...]:
    """Every slip, the most specific first; empty when a legal move, a deal or nothing explains the table."""
    table = Table(before, after)
    if not table.changed:
        return ()
    found = list(_named(before, table))
    impossible = list(_impossible(table)) if found else []
    return _merged([*impossible, *found])


class Table:
    """What was seen, against what lay there before."""

    def __init__(self, before: State, seen: Visible) -> None:
        self.before = before
        self.now = see.visible(before)
        self.seen = {place: content for place, content in seen.items() if place in self.now and content != UNKNOWN}
        self.changed = {place for place, content in self.seen.items() if not self.agrees(place, self.now[place])}

    def content(self, place: Place) -> Content:
        """What lies on a place: as before where it was not seen."""
        return self.seen.get(place, self.now[place])

    def agrees(self, place: Place, expected: Content, delta: Mapping[Place, Content] | None = None) -> bool:
        """Whether a place looks as expected. The chip store and the tokens count only when they were seen."""
        if place.endswith(".start") and expected is None and self.before.phase == TILING:
            # Some leave the start tile on its space until the next round is prepared: that is no slip.
            return self.content(place) in (None, self.now[place])
        if place not in self.seen:
            is_extra = ".chips." in place or ".token." in place
            return is_extra or expected == UNKNOWN or expected == self.now[place]
        got = self.seen[place]
        if expected != UNKNOWN:
            return bool(effects.frozen(got) == effects.frozen(expected))
        if ".chips." in place:
            return True
        # A chip that nobody can know yet: one under its stack is not seen, one that was turned up shows colours.
        moon = place.replace(".chip", ".moon")
        covered = (delta or {}).get(moon, self.now.get(moon)) is not None
        return got is None if covered else isinstance(got, (list, tuple))

    def misses(self, delta: Mapping[Place, Content]) -> list[Place]:
        """The places that a delta does not explain."""
        wrong = [place for place, content in delta.items() if not self.agrees(place, content, delta)]
        wrong.extend(place for place in self.changed if place not in delta)
        return wrong


def _named(before: State, table: Table) -> Iterator[Slip]:
    if before.phase == REVEAL:
        yield from _after_reveal(before, table)
    elif before.phase == DEAL:
        yield from _after_deal(before, table)
    elif before.phase == OVER:
        final = final_scores(before)
        expected: Delta = {}
        for number in (1, 2):
            place = f"p{number}.score"
            if table.content(place) == see.shown_score(final[number - 1]):
                expected[place] = table.content(place)
        yield from leftover_slips(before, table.seen, expected, table.misses(expected))
    elif before.phase == TILING:
        for number in (1, 2):
            own = f"p{number}."
            part = {place: content for place, content in table.seen.items() if place.startswith(own)}
            mine = Table(before, part)
            if mine.changed:
                has_tiled = before.players[number - 1].has_tiled
                options = wrong_scores(before, part) if has_tiled else tiling_moves(before, number, mine.changed)
                yield from _nearest(before, mine, options)
        rest = Table(before, {place: content for place, content in table.seen.items() if place[0] != "p"})
        yield from leftover_slips(before, rest.seen, {}, rest.changed)
    else:
        wanted = {place: table.seen[place] for place in table.changed}
        yield from _nearest(before, table, explanations(before, wanted))


def _nearest(before: State, table: Table, options: Iterable[Plausible]) -> Iterator[Slip]:
    """The slips of the explanation that leaves least unexplained, and what it leaves."""
    best: Plausible | None = None
    missed = sorted(table.changed)
    for plausible in options:
        # Most explanations have nothing to do with what changed: a look at the sizes is enough to pass them over.
        if len(table.changed - plausible.places.keys()) >= len(missed):
            continue
        misses = table.misses(plausible.places)
        if len(misses) < len(missed):
            best, missed = plausible, misses
            if not missed:
                break
    if best is not None:
        yield from best.slips
    yield from leftover_slips(before, table.seen, best.places if best else {}, missed)


def _after_reveal(before: State, table: Table) -> Iterator[Slip]:
    """The chips as they were turned up; then whatever else happened."""
    place = next((place for place in dealing.turned(before) if table.seen.get(place) == see.FACE_DOWN), None)
    if place is not None:
        yield slip("chip-face-wrong", None, [place], place=place)
    move = dealing.make_deal(before, table.seen)
    slips = dealing.deal_slips(before, move)
    yield from slips
    if not slips and place is None:
        yield from problems(dealing.play_deal(before, move), table.seen)


def _after_deal(before: State, table: Table) -> Iterator[Slip]:
    request = dealing.request(before)
    wanted = {*request.places, *request.choices} if request else set()
    if not wanted & table.changed:
        yield from leftover_slips(before, table.seen, {}, sorted(table.changed))
        return
    try:
        move = dealing.make_deal(before, {place: table.content(place) for place in table.now})
    except EngineError:
        yield slip("impossible-tiles", None, sorted(wanted & table.changed), place=min(wanted & table.changed))
        return
    slips = dealing.deal_slips(before, move)
    yield from slips
    expected: Delta
    if slips:
        fixed = dict(request.fixed) if request else {}
        expected = {**{place: table.content(place) for place in wanted}, **fixed}
    else:
        after = dealing.play_deal(before, move)
        if after.phase in (DEAL, REVEAL):
            yield from problems(after, table.seen)
            return
        expected = effects.difference(table.now, see.visible(after))
    yield from leftover_slips(before, table.seen, expected, table.misses(expected))


def _impossible(table: Table) -> Iterator[Slip]:
    """More tiles of a colour than exist: only a misreading explains that."""
    data = rules_data()
    counts = dict.fromkeys((*data.colours, "special"), 0)
    where: dict[str, list[Place]] = {name: [] for name in counts}
    for place in table.now:
        if ".plate." in place or place.startswith("offer") or "chip" in place or ".token." in place:
            continue
        content = table.content(place)
        if isinstance(content, str):
            content = {content: 1}
        elif isinstance(content, dict) and "top" in content:
            content = {content["top"]: 1}
        if isinstance(content, dict):
            for name, count in content.items():
                if name in counts:
                    counts[name] += count
                    where[name].append(place)
    for name, count in counts.items():
        if count > (data.special_tiles if name == "special" else data.tiles_per_colour):
            places = [place for place in where[name] if place in table.changed] or where[name]
            yield slip("impossible-tiles", None, places, place=places[0])


def _merged(found: list[Slip]) -> tuple[Slip, ...]:
    """Each slug once for each player, with all its places."""
    merged: dict[tuple[str, int | None], Slip] = {}
    for one in found:
        name = (one.slug, one.player)
        first = merged.get(name)
        if first is None:
            merged[name] = one
        else:
            places = tuple(dict.fromkeys((*first.places, *one.places)))
            merged[name] = Slip(first.slug, first.player, places, first.rule, first.severity, first.params)
    return tuple(merged.values())
