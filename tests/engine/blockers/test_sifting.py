"""Sifted moves: if this fails, a tile that was laid is not found, or a search takes seconds in which nobody is
answered."""

from __future__ import annotations

from collections import Counter
from random import Random

from engine.games.blockers.rules import STAND_INS, Blockers

GAME = Blockers()


def test_every_tile_is_looked_for_where_something_shows_and_a_few_where_nobody_can_look() -> None:
    chance, state = Random(3), GAME.new(3)
    for _ in range(20):
        moves = GAME.legal_moves(state)
        cells = sorted({f"board.{move.cell}" for move in moves})
        seen, covered = dict.fromkeys(chance.sample(cells, 3)), chance.sample(cells, 6)
        found = GAME.moves_towards(state, seen, covered) or ()
        assert set(found) <= set(moves) and len(found) == len(set(found))
        assert {move for move in moves if f"board.{move.cell}" in seen} <= set(found)
        all_there = Counter(f"board.{move.cell}" for move in moves)
        kept = Counter(f"board.{move.cell}" for move in found)
        for place in set(covered) - set(seen):
            assert kept[place] == min(STAND_INS, all_there[place])
        assert set(kept) <= {*seen, *covered}
        state = GAME.play(state, chance.choice(moves))
