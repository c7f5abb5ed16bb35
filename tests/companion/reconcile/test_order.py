"""What came first, and what was only covered when it came: if one of these fails, moves are told in an order in which
nobody made them, or a chip that everybody saw stays unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from companion.catalogue import played_game
from companion.reconcile.choosing import read_choices
from companion.reconcile.evidence import Evidence
from companion.reconcile.explanation import Explanation, is_out_of_order, timeliness
from companion.reconcile.parts import Change
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import FRAME_NS
from engine.types import DealRequest
from tests.companion.reconcile.duel_positions import acquiring
from tests.companion.reconcile.watching import Watching
from vision.reading import Reading

PLAYED = played_game("azul-duel", 2)
GAME = PLAYED.game
KINDS = {name: place.kind for name, place in PLAYED.layout.places.items()}
START = dict(GAME.visible(GAME.new(2, PLAYED.options, 1)))


def watched(*tables: dict[str, Any], awaited: Iterable[str] = (), **chips: Any) -> Evidence:
    """What is known after the start, with chips on some factories and places that are to be filled, and some looks at
    other tables."""
    camera, evidence = NoisyCamera(PLAYED.layout, Noise(), 1), Evidence(KINDS)
    start = {**START, **{f"{factory}.chip": chip for factory, chip in chips.items()}}
    evidence.expect(start)
    evidence.watch(awaited)
    for number, table in enumerate([{}, *tables]):
        look = camera.clear_look({**start, **table}, (number + 1) * FRAME_NS)
        evidence.look(evidence.sift(look))
    return evidence


def test_a_chip_that_everybody_saw_is_known_though_a_sleeve_lies_over_it_now() -> None:
    """It would be in the game as one of which nobody knows the colours."""
    evidence = watched(*[{"f2.chip": ["red"]}] * 4, *[{"f2.chip": "?"}] * 3)
    request = DealRequest({}, {}, 0, choices={"f2.chip": (["red"], ["blue"])})
    (reading,) = read_choices(evidence, request, dict)
    assert reading.contents == {"f2.chip": ["red"]}


def test_a_chip_that_looks_as_much_like_none_as_like_any_stays_unknown() -> None:
    """A factory was thought to lie elsewhere, and what was seen of its chip looked as much like an empty moon. It was
    taken for one of the chips that the stack above it had looked like, and when another was taken from there, the game
    stood still."""
    covered = {("blue",): -0.06, ("black", "blue"): -3.67, None: -3.76, "face-down": -5.13}
    bare = {("black", "blue"): -1.0, None: -1.04, "face-down": -1.62, ("blue",): -3.23}
    camera, evidence = NoisyCamera(PLAYED.layout, Noise(), 1), Evidence(KINDS)
    for number, table in enumerate([covered] * 20 + [bare] * 3):
        evidence.expect({**START, "f2.chip": "face-down" if table is covered else "?"})
        look = camera.clear_look(START, (number + 1) * FRAME_NS)
        chip = Reading("f2.chip", KINDS["f2.chip"], {"value": dict(table)})
        evidence.look(evidence.sift(replace(look, readings={**look.readings, "f2.chip": chip})))
    request = DealRequest({}, {}, 0, choices={"f2.chip": (["blue"], ["black", "blue"], ["red"])})
    (reading,) = read_choices(evidence, request, dict)
    assert reading.contents == {"f2.chip": "?"}


def test_a_chip_that_was_seen_and_taken_is_not_the_one_that_went_from_one_place_to_another() -> None:
    """A red chip was taken from one factory, and a black and blue one turned up and taken from another. That was read
    as one more red chip, and a chip of the round before, long taken, as another than everybody had seen."""
    gone: dict[str, Any] = {"f4.chip": None, "f3.chip": None, "p1.chips.1": ["red"]}
    evidence = watched(*[{"f4.chip": ["black", "blue"]}] * 4, *[gone] * 12, f3=["red"], f4="?")
    request = DealRequest({}, {}, 0, choices={"f4.chip": (["red"], ["black", "blue"])})
    (reading,) = read_choices(evidence, request, lambda: {**START, "f3.chip": ["red"], "f4.chip": "?"})
    assert reading.contents == {"f4.chip": ["black", "blue"]}


def run_of_two(first: Change, second: Change) -> Explanation:
    return Explanation(
        steps=("one", "other"), state=None, table={}, changes=(first, second), stages=(frozenset({first}),)
    )


def test_what_was_covered_when_it_came_is_not_said_to_have_come_late() -> None:
    """The first of two moves lay under a sleeve until after the second: their order would be told the wrong way."""
    first, second = Change(("f1.chip", "value"), None), Change(("f2.chip", "value"), None)
    gone: dict[str, Any] = {"f1.chip": None, "f2.chip": None}
    evidence = watched({}, *[{**gone, "f1.chip": "?"}] * 3, *[gone] * 3, f1=["red"], f2=["blue"])
    assert timeliness(run_of_two(first, second), evidence, 8 * FRAME_NS) >= 0
    evidence = watched({}, *[{"f2.chip": None}] * 3, *[gone] * 3, f1=["red"], f2=["blue"])
    assert timeliness(run_of_two(first, second), evidence, 8 * FRAME_NS) < 0


def test_what_was_misread_as_it_came_to_light_may_have_lain_there_all_the_while() -> None:
    """A tile under a sleeve was taken for another in the first look at it: so it seemed to have come only then, after
    what the next player had done, and the moves were told as others, in an order that nobody had seen."""
    key = ("p1.line3.1", "value")
    sleeve, misread, red = ({"p1.line3.1": content} for content in ("?", "blue", "red"))
    seen = watched({}, *[sleeve] * 5, misread, *[red] * 2)
    assert seen.stood(key, "red", 10 * FRAME_NS) == (1, 8)
    laid = watched({}, *[sleeve] * 5, *[{}] * 3, *[red] * 2)
    looks, most = laid.stood(key, "red", 12 * FRAME_NS)
    assert looks == most


def test_what_comes_to_light_last_was_mostly_done_last() -> None:
    """A chip lay under a stack and was turned up after the moves of that evening. It was taken for the oldest of all,
    because it may have lain there like that for as long as the stack had covered it."""
    laid, turned = Change(("f2.chip", "value"), None), Change(("f1.chip", "value"), ("red",))
    evidence = watched(
        *[{"f1.chip": "?"}] * 20, *[{"f1.chip": "?", "f2.chip": None}] * 8,
        *[{"f1.chip": ["red"], "f2.chip": None}] * 4, f2=["blue"],
    )
    told, other = (
        timeliness(run_of_two(*changes), evidence, 33 * FRAME_NS) for changes in ((laid, turned), (turned, laid))
    )
    assert told > other


def test_what_lies_under_a_sleeve_did_not_come_before_the_sleeve() -> None:
    """A tile of the first player may lie where nobody can see it now; it was not there when the second had long moved.
    Each covered place was thought of, and nothing could be agreed on."""
    first, second = Change(("p1.line3.1", "value"), "red"), Change(("f2.chip", "value"), None)
    gone: dict[str, Any] = {"f2.chip": None}
    run = run_of_two(first, second)
    evidence = watched({}, *[gone] * 8, *[{**gone, "p1.line3.1": "?"}] * 2, f2=["blue"])
    assert timeliness(run, evidence, 12 * FRAME_NS) < 0
    evidence = watched({}, *[{**gone, "p1.line3.1": "?"}] * 10, f2=["blue"])
    assert timeliness(run, evidence, 12 * FRAME_NS) >= 0


def test_of_two_orders_the_one_that_misses_by_less_is_likelier() -> None:
    """A look that was mistaken makes either seem wrong: then the one is told that nobody could have seen."""
    first, second = Change(("f1.chip", "value"), ("red",)), Change(("f2.chip", "value"), ("red",))
    evidence = watched(
        {}, *[{"f2.chip": ["red"]}] * 8, *[{"f1.chip": ["red"], "f2.chip": ["red"]}] * 2,
    )
    slightly = watched({}, {"f2.chip": ["red"]}, *[{"f1.chip": ["red"], "f2.chip": ["red"]}] * 2)
    run = run_of_two(first, second)
    assert timeliness(run, evidence, 11 * FRAME_NS) < timeliness(run, slightly, 5 * FRAME_NS) < 0


def test_what_lay_there_long_before_the_first_move_was_not_brought_by_the_second() -> None:
    """Five moves were told in an order in which nobody had made them: tiles that everybody had seen gone for seconds
    were said to have been taken by a later one, and a game ended wrong without a word."""
    first, second = Change(("f1.chip", "value"), ("red",)), Change(("f2.chip", "value"), ("red",))
    both = {"f1.chip": ["red"], "f2.chip": ["red"]}
    evidence = watched({}, *[{"f2.chip": ["red"]}] * 12, *[both] * 3)
    assert is_out_of_order(run_of_two(first, second), evidence, 17 * FRAME_NS)
    assert not is_out_of_order(run_of_two(second, first), evidence, 17 * FRAME_NS)
    # One or two looks may be mistaken, and what lay under a sleeve may have come before it.
    shortly = watched({}, *[{"f2.chip": ["red"]}] * 2, *[both] * 12)
    assert not is_out_of_order(run_of_two(first, second), shortly, 16 * FRAME_NS)
    under = watched({}, *[{"f1.chip": "?", "f2.chip": ["red"]}] * 12, *[both] * 3)
    assert not is_out_of_order(run_of_two(first, second), under, 17 * FRAME_NS)


def two_like_one() -> tuple[Any, Any, Any]:
    """A position, and two moves in a row that look like another single one, but for what shows between them."""
    for seed in range(80):
        for state in acquiring(seed):
            if len(GAME.legal_moves(state)) > 60:
                continue
            singles = [GAME.changes(state, GAME.play(state, move)) for move in GAME.legal_moves(state)]
            for first in GAME.legal_moves(state):
                between = GAME.play(state, first)
                if not getattr(first, "tops", ()) or GAME.deal_request(between) is not None:
                    continue
                shown = GAME.changes(state, between)
                for second in GAME.legal_moves(between):
                    changes = GAME.changes(state, GAME.play(between, second))
                    passed = [place for place in shown if shown[place] != changes.get(place, shown[place])]
                    if changes in singles and passed and all(changes[place] and shown[place] for place in passed):
                        return state, first, second
    raise AssertionError("no such position")


def test_two_moves_that_look_like_one_are_two_where_the_table_between_them_was_seen() -> None:
    """The next player's turn would be the wrong one, and he would be accused of playing twice."""
    state, first, second = two_like_one()
    between = GAME.play(state, first)
    table = Watching(PLAYED, state)
    table.watch(GAME.visible(state), 6)
    table.watch(GAME.visible(between), 5, hand=True)
    table.watch(GAME.visible(GAME.play(between, second)), 14)
    assert table.reconciler.state == GAME.play(between, second)


def test_what_a_single_look_said_is_forgotten_where_all_others_tell_nothing() -> None:
    """Nobody could say of a plate's space whether a tile lay on it, and one look in passing had said so. When one came
    minutes later, it seemed to have been lying there unexplained for all that time, and people were asked at once."""
    key, space = ("p1.dome.5.2", "value"), KINDS["p1.dome.5.2"]
    camera, evidence = NoisyCamera(PLAYED.layout, Noise(), 1), Evidence(KINDS)
    evidence.expect(START)
    for number, odds in enumerate([8.0] + [-0.01] * 8):
        look = camera.clear_look(START, (number + 1) * FRAME_NS)
        slot = Reading(key[0], space, {"value": {None: -0.7 - odds / 2, "blue": -0.7 + odds / 2, "red": -19.0}})
        evidence.look(evidence.sift(replace(look, readings={**look.readings, key[0]: slot})))
    assert not evidence.surprises(0.0)
