"""Games that sift their moves and mistakes by what shows: if one of these fails, a move is never found or a slip goes
unnamed, though it lies there for all to see."""

from __future__ import annotations

from random import Random

import pytest

from engine.api import Sifting
from engine.types import UNKNOWN
from tests.contract.setups import CHECKED, Setup

SIFTING = [setup for setup in CHECKED if isinstance(setup.game, Sifting)]
EVERY = 11
"""Of a random game so many steps apart are looked at."""


@pytest.mark.parametrize("setup", SIFTING, ids=str)
def test_no_move_or_mistake_is_sifted_out_whose_places_show_or_are_covered(setup: Setup) -> None:
    game, chance = setup.game, Random(3)
    assert isinstance(game, Sifting)
    for number, (state, _, _) in enumerate(setup.walk(3)):
        moves = game.legal_moves(state)
        if number % EVERY or not moves:
            continue
        everywhere = sorted(game.visible(state))
        mistakes = [each for each in game.plausible_moves(state) if each.slips]
        for mistake in chance.sample(mistakes, min(4, len(mistakes))):
            shown = {place: content for place, content in mistake.places.items() if content != UNKNOWN}
            # Of plates that cannot be seen one stands for all.
            hideable = [place for place in sorted(shown)[1:] if not isinstance(shown[place], list)]
            covered = {place for place in hideable if chance.random() < 0.3}
            seen = {place: content for place, content in shown.items() if place not in covered}
            seen = {**dict.fromkeys(chance.sample(everywhere, 5), UNKNOWN), **seen}
            found = game.plausible_towards(state, seen, covered)
            assert found is None or not shown or mistake in list(found), mistake
        for move in [moves[chance.randrange(len(moves))] for _ in range(4)]:
            changes = game.changes(state, game.play(state, move))
            seen = {place: content for place, content in changes.items() if content != UNKNOWN}
            sifted = game.moves_towards(state, seen, ())
            assert sifted is None or not seen or move in sifted, move
