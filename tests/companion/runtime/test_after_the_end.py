"""Somebody plays on although the game is over: the scores on the phone would no longer be those on the table."""

from __future__ import annotations

from tests.companion.runtime.tables import Shown


def test_a_tile_laid_after_the_end_is_named_and_clearing_the_table_is_not() -> None:
    shown = Shown("blockers")
    game = shown.play.game
    while not game.is_over(shown.state):
        shown.step()
    table, sitting = shown.now(), shown.sitting
    slip = next(
        each for each in game.plausible_moves(shown.state)
        if each.slips and each.slips[0].slug == "play-after-the-end"
    )
    shown.show({**table, **slip.places}, looks=6)
    assert [(alert.slip.slug, alert.slip.player) for alert in sitting.alerts] == [
        ("play-after-the-end", slip.slips[0].player)
    ]
    shown.show(table, looks=6)
    assert not sitting.alerts
    lying = [place for place, content in table.items() if isinstance(content, dict) and "colour" in content]
    for count in (1, 3, 10, 30, len(lying)):
        shown.show({**table, **dict.fromkeys(lying[:count])}, looks=6)
        assert not sitting.alerts and sitting.question is None
    shown.show({**dict.fromkeys(table), **slip.places}, looks=6)
    assert not sitting.alerts and sitting.is_over
