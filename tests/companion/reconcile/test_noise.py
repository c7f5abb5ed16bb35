"""A camera that errs: if one of these fails, players are accused, or moves are made up, because of what was misread."""

from __future__ import annotations

import pytest

from companion.catalogue import played_game
from companion.reconcile.belief import Confirmed, SlipCleared, SlipRaised
from companion.reconcile.reconciler import Reconciler
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS, run_trial

SURE = Noise(slot_error=0.002, heap_error=0.01)
HASTY = Noise(most_unseen=9)
"""The usual noise, at a table where many moves may come between two frames."""


def follow_alone(game: str, players: int, seed: int) -> None:
    """The game of a seed is followed to its end: exact, with nobody asked and nobody accused."""
    trial = run_trial(played_game(game, players), HASTY, seed)
    assert trial.exact, trial.first_difference
    assert (trial.questions, trial.false_alarms) == (0, 0)


def test_a_whole_game_is_exact_although_places_are_misread_and_hidden() -> None:
    follow_alone("azul", 2, 300001)


def test_a_chip_that_came_to_be_seen_while_its_move_was_waited_for_is_known() -> None:
    """It was covered when the move was first thought of: the move would be agreed on with a chip that nobody knows,
    though it had lain there for all to see."""
    trial = run_trial(played_game("azul-duel", 2), HASTY, 400003)
    assert trial.exact, trial.first_difference
    assert trial.questions == 0


def test_what_a_pile_hides_is_found_out_by_what_follows() -> None:
    """The next player's tile lies under a sleeve when a move is agreed on: the wrong one of two runs that look alike
    puts the wrong player on turn, and accuses whoever plays next."""
    follow_alone("azul-duel", 2, 88000000094)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(91000000007, id="a space is misread once and covered since"),
        pytest.param(9500000105, id="what lay there before a burst is gone after it"),
        pytest.param(9520000020, id="a tile falls on a full floor"),
    ],
)
def test_a_burst_of_bad_frames_makes_nothing_up(seed: int) -> None:
    """A move that nobody made stays in the score of the whole game, and an accusation after it is unjust."""
    follow_alone("azul", 2, seed)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(9530000010, id="a tile is captured before anybody saw its face"),
        pytest.param(9530000018, id="the tile before the last is covered until the last look"),
        pytest.param(9910000018, id="a tile is captured by one of the same face"),
    ],
)
def test_what_a_burst_covered_is_neither_guessed_nor_held_against_anybody(seed: int) -> None:
    """The face that was guessed would make a duplicate of the tile that bears it, and accuse whoever lays it."""
    follow_alone("blockers", 3, seed)


@pytest.mark.parametrize(
    ("game", "players", "seed", "frames"),
    [
        pytest.param("azul", 2, 107000000009, 1100, id="a slip shows as soon as a space is seen again"),
        pytest.param("blockers", 2, 107000000009, 1400, id="a tile is captured while two moves are thought over"),
        pytest.param("blockers", 5, 106100000005, 1640, id="a face is misread once, just before a hand covers it"),
    ],
)
def test_what_may_lie_under_a_hand_is_waited_for(game: str, players: int, seed: int, frames: int) -> None:
    """A tile that nobody laid was told, and everybody was accused, or asked, for the rest of the game."""
    trial = run_trial(played_game(game, players), Noise(), seed, 0.1, most_frames=frames)
    assert trial.exact and not trial.questions and not trial.false_alarms, trial.first_difference


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(9530000006, id="the rest is miscounted once while it is missing"),
        pytest.param(9530000016, id="the move before it fell on a full floor"),
        pytest.param(9922000026, id="what was laid just before it was tidied up with it"),
        pytest.param(88600000001, id="another player has tidied up before it, and much lies otherwise"),
    ],
)
def test_a_slip_is_named_whatever_was_played_before_it(seed: int) -> None:
    """Unseen it stays on the table, and the score is wrong from there on."""
    trial = run_trial(played_game("azul", 2), HASTY, seed, slip_rate=0.1)
    assert trial.exact, trial.first_difference
    assert trial.slips and trial.found == trial.slips, trial.missed


def test_a_slip_is_not_put_right_by_being_covered() -> None:
    """Otherwise a sleeve over the floor line would turn a slip into a move."""
    played = played_game("azul", 2)
    game = played.game
    state = game.new(2, played.options, 1)
    state = game.play(state, game.random_deal(state, 5))
    slip = next(
        each for each in game.plausible_moves(state)
        if [found.slug for found in each.slips] == ["overflow-missing"] and "p1.line1.1" in each.places
    )
    camera = NoisyCamera(played.layout, SURE, 1)
    kinds = {name: place.kind for name, place in played.layout.places.items()}
    reconciler = Reconciler(game, kinds, state)
    wrong = {**game.visible(state), **slip.places}
    covered = {**wrong, **{place: "?" for place in slip.slips[0].places}}
    events = []
    for number, table in enumerate([*[dict(game.visible(state))] * 4, *[wrong] * 10, *[covered] * 10]):
        events += reconciler.observe(camera.clear_look(table, (number + 1) * FRAME_NS)).events
    assert [type(event) for event in events if isinstance(event, SlipRaised)] == [SlipRaised]
    assert not [event for event in events if isinstance(event, Confirmed | SlipCleared)]


def test_nobody_is_accused_because_of_a_refill_that_was_never_seen() -> None:
    """Two factories are filled and emptied within a burst: what lay on each is guessed, and a guess may make it look as
    if somebody had left tiles behind."""
    trial = run_trial(played_game("azul", 2), HASTY, 9924000033, slip_rate=0.1)
    assert not trial.false_alarms
    assert trial.slips and trial.found == trial.slips, trial.missed


def test_a_heap_that_is_miscounted_twice_in_a_row_accuses_nobody() -> None:
    """The rest of a factory that was seen in the centre, and miscounted since, would be called misplaced."""
    trial = run_trial(played_game("azul", 2), HASTY, 9924000119, slip_rate=0.1)
    assert trial.exact, trial.first_difference
    assert (trial.questions, trial.false_alarms, trial.found) == (0, 0, trial.slips)


def test_a_slip_after_what_a_burst_covered_is_named() -> None:
    """A factory is filled and emptied onto the wrong place within a burst: only one refill leaves that behind; whoever
    erred would hear nothing of it."""
    trial = run_trial(played_game("azul", 2), HASTY, 9990000016, slip_rate=0.1)
    assert trial.exact and not trial.questions, trial.first_difference
    assert trial.slips and trial.found == trial.slips, trial.missed
