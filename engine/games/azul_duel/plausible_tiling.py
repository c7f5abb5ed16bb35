"""What hands are likely to do while the dome is tiled, right and wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from engine.games.azul_duel import effects
from engine.games.azul_duel import visible as see
from engine.games.azul_duel.acquire import with_player
from engine.games.azul_duel.data import JOKER, SPECIAL, rules_data, slip
from engine.games.azul_duel.effects import Delta
from engine.games.azul_duel.moves import Tile
from engine.games.azul_duel.scoring import loss, place_name, space, tile_points
from engine.games.azul_duel.sifting import tilings_towards
from engine.games.azul_duel.state import NOTHING, SPECIAL_TILE, PlayerState, State, put
from engine.games.azul_duel.tiling import face_up, fitting_columns, payments, play_tile, tilings, unplaceable
from engine.types import Place, Plausible

BASES = 6
"""How many different tilings are varied: a player has rarely more than two or three to choose from."""


def tiling_moves(
    state: State, number: int, seen: Collection[Place] | None = None, covered: Collection[Place] = ()
) -> Iterator[Plausible]:
    """Every tiling of a player, then those with a slip in them. Where it is known which places show something new, only
    the tilings that have to do with it."""
    mover = state.players[number - 1]
    now = see.board(mover, number, see.marker_is_on(state, number))
    bases: dict[tuple[int, ...], Tile] = {}
    for move in tilings(state, number) if seen is None else tilings_towards(state, number, seen, covered):
        delta = _delta(now, number, _tiled(state, number, mover, move))
        yield Plausible(move, delta)
        bases.setdefault(move.columns, move)
    for move in list(bases.values())[:BASES]:
        variations = Variations(state, number, move, now)
        for slug, delta, places, params in variations.all():
            yield Plausible(move, delta, (slip(slug, number, places, **params),))


def _tiled(state: State, number: int, mover: PlayerState, move: Tile) -> PlayerState:
    changed = state._replace(players=with_player(state, number, mover))
    return play_tile(changed, move).players[number - 1]


def _delta(now: Mapping[Place, object], number: int, after: PlayerState) -> Delta:
    return effects.difference(now, see.board(after, number, False))


Found = tuple[str, Delta, Iterable[Place], Mapping[str, object]]


class Variations:
    """One tiling, done wrong in every likely way."""

    def __init__(self, state: State, number: int, move: Tile, now: Mapping[Place, object]) -> None:
        self.state = state
        self.number = number
        self.move = move
        self.now = now
        self.mover = state.players[number - 1]
        self.done = _tiled(state, number, self.mover, move)
        self.right = _delta(now, number, self.done)
        self.score = f"p{number}.score"

    def all(self) -> Iterator[Found]:
        yield from self.kept_lines()
        yield from self.leftovers()
        yield from self.wrong_spaces()
        yield from self.specials()
        yield from self.incomplete_lines()
        yield from self.cleared_lines()
        yield from self.broken()
        yield from self.chips()
        yield from self.scores()

    def scored(self, delta: Delta, *scores: int) -> Iterator[Delta]:
        """The same look with each of these scores on the stones."""
        for score in dict.fromkeys(scores):
            yield {**delta, self.score: see.shown_score(max(0, score))}

    def cell(self, row: int, column: int) -> Place:
        return f"p{self.number}.dome.{row + 1}.{column}"

    def without(self, row: int) -> tuple[PlayerState, Delta]:
        """The board when one line is left alone: it lies there as before."""
        stripped = self.mover._replace(
            counts=put(self.mover.counts, row, 0), colours=put(self.mover.colours, row, NOTHING)
        )
        columns = put(self.move.columns, row, 0)
        done = _tiled(self.state, self.number, stripped, Tile(self.number, columns, self.move.chips))
        delta = _delta(self.now, self.number, done)
        for place in effects.cells(self.number, row, 0, self.mover.counts[row]):
            delta.pop(place, None)
        return done, delta

    def kept_lines(self) -> Iterator[Found]:
        for row in range(6):
            count = self.mover.counts[row]
            places = effects.cells(self.number, row, 0, count)
            if count == row + 1 and self.move.columns[row]:
                done, delta = self.without(row)
                for look in self.scored(delta, done.score, self.done.score):
                    yield "complete-line-not-tiled", look, places, {"line": row + 1}
            elif not self.move.columns[row] and unplaceable(self.mover, row):
                done, delta = self.without(row)
                for look in self.scored(delta, done.score, self.done.score):
                    yield "unplaceable-line-kept", look, places, {"line": row + 1}

    def leftovers(self) -> Iterator[Found]:
        for row in range(1, 6):
            count = self.mover.counts[row]
            if self.move.columns[row] and count > 1:
                left = effects.cells(self.number, row, 1, count - 1)
                delta = {place: content for place, content in self.right.items() if place not in left}
                yield "line-not-cleared", delta, left, {"line": row + 1}

    def wrong_spaces(self) -> Iterator[Found]:
        """A tile on another space of its row, or on one above, below or of its colour elsewhere."""
        for row in range(6):
            column = self.move.columns[row]
            if not column:
                continue
            colour = self.mover.colours[row]
            done, _ = self.without(row)
            for cell in range(36):
                other_row, other_column = divmod(cell, 6)
                printed = space(self.mover.plates, other_row, other_column)
                is_near = other_row == row or abs(other_row - row) == 1 or printed in (colour, JOKER)
                if done.cells[cell] != NOTHING or not is_near:
                    continue
                if other_row == row and other_column + 1 in fitting_columns(self.mover, row, colour):
                    continue
                cells = put(done.cells, cell, colour)
                wrong = done._replace(cells=cells)
                delta = _delta(self.now, self.number, wrong)
                place = place_name(self.number, cell)
                for look in self.scored(delta, self.done.score, done.score + tile_points(cells, cell)):
                    yield "wrong-dome-space", look, [place], {"place": place, "line": row + 1}

    def specials(self) -> Iterator[Found]:
        for cell in range(36):
            place = place_name(self.number, cell)
            if self.done.cells[cell] == SPECIAL_TILE and self.mover.cells[cell] == NOTHING:
                delta = {name: content for name, content in self.right.items() if name != place}
                points = rules_data().special_row_points[cell // 6]
                for look in self.scored(delta, self.done.score, self.done.score - points):
                    yield "special-tile-wrong", look, [place], {"place": place}
            elif self.done.cells[cell] == NOTHING and space(self.mover.plates, *divmod(cell, 6)) in (SPECIAL, JOKER):
                points = rules_data().special_row_points[cell // 6]
                for look in self.scored({**self.right, place: "special"}, self.done.score, self.done.score + points):
                    yield "special-tile-wrong", look, [place], {"place": place}

    def incomplete_lines(self) -> Iterator[Found]:
        """A line that lacks tiles is tiled, and no chip is turned for it."""
        up = tuple(self.mover.chips[place - 1] for place in face_up(self.mover) if place not in self.move.chips)
        for row in range(6):
            count = self.mover.counts[row]
            if not count or count > row:
                continue
            if self.move.columns[row]:
                delta = {place: content for place, content in self.right.items() if ".chips." not in place}
                places = [f"p{self.number}.chips.{place}" for place in self.move.chips]
                yield "chips-misused", delta, places, {"place": self.cell(row, self.move.columns[row])}
                continue
            for column in fitting_columns(self.mover, row, self.mover.colours[row]):
                filled = self.mover._replace(counts=put(self.mover.counts, row, row + 1))
                move = Tile(self.number, put(self.move.columns, row, column), self.move.chips)
                done = _tiled(self.state, self.number, filled, move)
                delta = _delta(self.now, self.number, done)
                place = self.cell(row, column)
                is_payable = bool(payments(up, ((self.mover.colours[row], row + 1 - count),)))
                slug = "chips-misused" if is_payable else "incomplete-line-tiled"
                for look in self.scored(delta, done.score, self.done.score):
                    yield slug, look, [place], {"place": place, "line": row + 1}

    def cleared_lines(self) -> Iterator[Found]:
        for row in range(6):
            count = self.mover.counts[row]
            if not count or self.move.columns[row] or unplaceable(self.mover, row):
                continue
            places = effects.cells(self.number, row, 0, count)
            delta: Delta = {**self.right, **dict.fromkeys(places)}
            broken = (*self.mover.broken, *(self.mover.colours[row],) * count)[: len(rules_data().broken_values)]
            paid = loss(self.mover._replace(broken=broken)) - loss(self.mover)
            for look in self.scored(delta, self.done.score, self.done.score - paid):
                yield "line-cleared-too-early", look, places, {"line": row + 1}

    def broken(self) -> Iterator[Found]:
        place = f"p{self.number}.broken"
        smashed = [row for row in range(6) if not self.move.columns[row] and unplaceable(self.mover, row)]
        room = len(rules_data().broken_values) - len(self.mover.broken)
        delta = {name: content for name, content in self.right.items() if name != place}
        if smashed and room:
            delta[place] = {"top": rules_data().colours[self.mover.colours[smashed[-1]]]}
        if smashed or self.mover.broken:
            owed = loss(self.mover)
            for look in self.scored(delta, self.done.score, self.done.score + owed):
                yield "broken-not-cleared", look, [place], {"place": place}

    def chips(self) -> Iterator[Found]:
        """A chip that was turned down for nothing."""
        for place in face_up(self.mover):
            if place not in self.move.chips:
                name = f"p{self.number}.chips.{place}"
                yield "chips-misused", {**self.right, name: see.FACE_DOWN}, [name], {"place": name}

    def scores(self) -> Iterator[Found]:
        """Points forgotten, or one stone moved and the other not."""
        right, before, owed = self.done.score, self.mover.score, loss(self.mover)
        tens, units = divmod(before, 10)[0], right % 10
        wrong = [right + step for step in (-1, 1, -2, 2, -3, 3, -10, 10)]
        wrong += [before, right + owed, right + rules_data().marker_penalty, tens * 10 + units]
        for value in dict.fromkeys(see.shown_score(max(0, score)) for score in wrong):
            if value != see.shown_score(right):
                said = {"expected": see.shown_score(right), "shown": value}
                yield "score-marker-wrong", {**self.right, self.score: value}, [self.score], said
