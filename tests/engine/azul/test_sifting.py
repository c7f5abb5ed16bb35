"""The mistakes that have to do with what shows: if one of these fails, a slip lies on the table and nobody is told."""

from __future__ import annotations

from engine.games.azul.rules import GAME


def test_every_mistake_of_an_offer_is_thought_of_where_it_shows() -> None:
    """Only those that begin with a source that looks otherwise are listed: none may be lost by that."""
    state = GAME.new(2, {}, 1)
    state = GAME.play(state, GAME.random_deal(state, 7))
    for number in range(12):
        before = GAME.visible(state)
        mistakes = [each for each in GAME.plausible_moves(state) if each.slips]
        assert mistakes
        for each in mistakes:
            shown = {place: content for place, content in each.places.items() if before[place] != content}
            found = GAME.plausible_towards(state, shown, ())
            assert found is not None
            assert (shown, each.slips) in [(other.places, other.slips) for other in found], each
        moves = GAME.legal_moves(state)
        state = GAME.play(state, moves[number % len(moves)])
        if state.phase != "offer":
            break


def test_an_emptied_factory_is_where_the_tiles_came_from() -> None:
    """The centre has only grown: what may go wrong with a take from there is not looked through in every frame."""
    state = GAME.new(2, {}, 1)
    state = GAME.play(state, GAME.random_deal(state, 7))
    state = GAME.play(state, GAME.legal_moves(state)[0])
    move = next(move for move in GAME.legal_moves(state) if " f2 " in GAME.format_move(move))
    after = GAME.visible(GAME.play(state, move))
    seen = {place: content for place, content in after.items() if GAME.visible(state)[place] != content}
    found = list(GAME.plausible_towards(state, seen, ()) or ())
    assert found and all("f2" in each.places for each in found if each.move is not None)
