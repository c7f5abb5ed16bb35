"""Single looks that are mistaken, and what came in between: if one of these fails, one bad look decides on a move, or
whoever has put a slip right, or had nothing to do with it, is accused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from companion.catalogue import played_game
from companion.reconcile.belief import Event, SlipCleared, SlipRaised
from companion.reconcile.explanation import Explanation, Fit
from companion.reconcile.judging import told_apart
from companion.reconcile.unique_pieces import conserve
from companion.trials.noise import Noise
from companion.trials.run import right_names, run_trial
from companion.trials.script import Scene
from engine.types import Slip
from tests.companion.reconcile.blockers_table import reached, shown, tile
from tests.companion.reconcile.watching import Watching, moves_of

PLAYED = played_game("blockers", 2)
GAME = PLAYED.game


class Table(Watching):
    """A table of two that shows a position, but for some places."""

    def __init__(self, state: Any) -> None:
        super().__init__(PLAYED, state)

    def show(self, state: Any, frames: int, hidden: tuple[str, ...] = (), **cells: Any) -> list[Event]:
        return self.watch({**shown(PLAYED, state, cells), **dict.fromkeys(hidden, "?")}, frames)


def played(*moves: str) -> Any:
    return reached(PLAYED, *moves)


def slips_of(events: list[Event]) -> list[tuple[str, int | None]]:
    return [(slip.slug, slip.player) for event in events if isinstance(event, SlipRaised) for slip in event.slips]


def test_whoever_puts_a_slip_right_is_believed_at_once() -> None:
    """The tile that was taken up at last might have been taken elsewhere, under a sleeve: so the move was not agreed
    on, and what the next player did wrong was held against this one."""
    state = played("p1:red-A@A1", "p2:blue-C@C2", "p1:red-B@B1", "p2:blue-4@D4")
    move = GAME.parse_move("p1:red-2@C2xblue")
    after, table = GAME.play(state, move), Table(state)
    forgotten = {"p1.captured": GAME.visible(state)["p1.captured"]}
    events = table.watch({**GAME.visible(after), **forgotten}, 20)
    assert slips_of(events) == [("captured-not-kept", 1)]
    events = table.show(after, 3, hidden=("board.D4",))
    assert moves_of(events) == [move] and any(isinstance(event, SlipCleared) for event in events)


def test_a_settled_tile_that_is_moved_after_a_move_that_nobody_saw_is_the_next_players_slip() -> None:
    state = played("p1:red-D@D5", "p2:blue-A@A1")
    move = GAME.parse_move("p1:red-C@C7")
    events = Table(state).show(GAME.play(state, move), 30, D5=None, C4=tile("red", "D"))
    assert moves_of(events) == [move] and slips_of(events) == [("settled-tile-moved", 2)]


def test_a_face_may_come_that_lies_elsewhere_in_only_one_of_the_positions_there_may_be() -> None:
    """Nobody saw which tile had been captured: the true one was read as another when it was laid down."""
    lies, other = played("p1:red-C@C2"), played("p1:red-2@C2")
    table = Table(lies)
    table.show(lies, 2)
    look = table.next_look({**GAME.visible(lies), "board.C5": tile("red", "C")})
    reading = look.readings["board.C5"]
    doubted = {**reading.parts, "face": {"C": math.log(0.9), "5": math.log(0.1)}}
    look = replace(look, readings={**look.readings, "board.C5": replace(reading, parts=doubted)})

    def faces_read(*states: Any) -> set[Any]:
        return set(conserve(GAME, states, table.reconciler.evidence.sift(look)).seen["board.C5"].parts["face"])

    assert faces_read(lies) == {"5"} and faces_read(lies, other) == {"C", "5"}


def test_a_slip_right_after_a_move_is_named_though_one_of_its_places_came_to_be_seen_first() -> None:
    """One place was read a look before the others: neither the move nor the slip was ever told."""
    four = played_game("azul", 4)
    game, state = four.game, four.game.new(4, four.options, 1)
    state = game.play(state, game.random_deal(state, 5))
    move = next(
        move for move in game.legal_moves(state)
        if (game.describe(move)["from"], game.describe(move)["to"]) == ("f1", "line3")
    )
    after = game.play(state, move)
    slip = next(
        each for each in game.plausible_moves(after)
        if each.slips and each.slips[0].slug == "split-over-lines" and "f2" in each.places
    )
    table = Watching(four, state)
    events = table.watch(game.visible(state), 12)
    events += table.watch({**game.visible(state), "f2": {}}, 1)
    events += table.watch({**game.visible(after), **slip.places}, 45)
    assert moves_of(events) == [move] and slips_of(events) == [("split-over-lines", 2)]


def test_a_face_that_stayed_the_same_on_a_cell_that_was_captured_twice_was_laid_again() -> None:
    """A G was captured with a G, which was captured in turn before its move was clear: it was told to have been a 1,
    which nobody had ever seen there, and somebody was thought to have another G left."""
    state = played("p1:green-G@G1", "p2:yellow-A@A1", "p1:red-B@B1")
    first, second = (GAME.parse_move(move) for move in ("p2:blue-G@G1xgreen", "p1:green-moon@G1xblue"))
    between = GAME.play(state, first)
    table = Table(state)
    table.show(state, 12)
    table.watch(GAME.visible(between), 8, hand=True)
    events = table.show(GAME.play(between, second), 20)
    assert moves_of(table.events) == [first, second], [GAME.format_move(move) for move in moves_of(events)]


def test_a_slip_that_one_look_denies_is_not_told_as_two_moves_and_another() -> None:
    """A tile that had been left in the air was read on the floor in a single look: its player was told to have moved it
    there, and the next player to have taken one that was in plain sight."""
    trial = run_trial(played_game("azul", 3), Noise(), 111600000013, slip_rate=0.1, most_frames=1030)
    assert trial.slips and not trial.missed and not trial.false_alarms, trial


def test_two_answers_in_the_same_words_are_one() -> None:
    """The phone asked whether it was a gap in the line or a gap in the line."""
    def fit(*slugs: str) -> Fit:
        slips = tuple(Slip(slug, 1, ("f1",), "error") for slug in slugs)
        return Fit(Explanation((), None, {}, (), slips), 0.0, frozenset(), frozenset(), frozenset(), 0.0)

    fits = [fit("gap-in-line"), fit("gap-in-line"), fit("out-of-turn")]
    assert told_apart(fits, lambda explanation: explanation.steps) == [fits[0], fits[2]]
    assert told_apart(fits, lambda explanation: None) == []


def test_a_slip_that_looks_like_another_from_the_last_table_that_was_shown_may_be_called_that() -> None:
    """A trial asks for no more than anybody could see: where the move before was never shown, the same table is the
    slip of whoever made that."""
    before = played("p1:red-D@D5")
    after = GAME.play(before, GAME.parse_move("p2:blue-5@G5"))
    moved = next(
        each for each in GAME.plausible_moves(after)
        if each.places.get("board.G6") == tile("blue", "5") and each.places.get("board.G5", "") is None
    )
    scene = Scene({**GAME.visible(after), **moved.places}, 1, slip=moved.slips[0])
    own = (moved.slips[0].slug, moved.slips[0].player)
    assert right_names(scene, (), GAME) == {own}
    assert right_names(scene, (before,), GAME) == {own, ("face-does-not-fit", 2)}
