"""If one of these fails, a tile in a hand is taken for one that lies on the board, or nothing is read at all."""

from __future__ import annotations

import numpy as np

from companion.runtime.gate import RESTLESS_S, MotionGate
from vision.frame import Frame

STEP_NS = 100_000_000


def frame(number: int, at: int | None = None) -> Frame:
    image = np.full((360, 640, 3), 90, np.uint8)
    if at is not None:
        image[100:200, at : at + 100] = 220
    return Frame(image, number * STEP_NS)


def test_a_table_at_rest_is_read_and_a_moving_one_is_not() -> None:
    gate = MotionGate()
    assert [gate.passes(frame(number)) for number in range(3)] == [True, True, True]
    assert not any(gate.passes(frame(3 + number, 40 * number)) for number in range(6))


def test_a_hand_that_pauses_for_a_moment_is_not_taken_for_rest() -> None:
    gate = MotionGate()
    gate.passes(frame(0, 10))
    gate.passes(frame(1, 200))
    assert [gate.passes(frame(number, 200)) for number in range(2, 6)] == [False, False, True, True]


def test_frames_far_apart_are_all_read() -> None:
    gate = MotionGate()
    assert all(gate.passes(frame(number * 5, 60 * number)) for number in range(6))


def test_a_hand_is_not_read_because_reading_took_long() -> None:
    """On a small machine the next frame comes late: a plate was seen to lie where a hand carried it past, and its owner
    was accused of having moved it."""
    gate = MotionGate()
    assert all(gate.passes(frame(number)) for number in (0, 1, 2))
    assert [gate.passes(frame(number, at)) for number, at in ((7, 60), (8, 200), (9, 200))] == [False, False, False]
    assert all(gate.passes(frame(number, 200)) for number in (12, 13, 18))
    # Once no frame follows another closely, waiting for one would be in vain.
    assert [gate.passes(frame(18 + 20 * number, 60 * number)) for number in (1, 2, 3)] == [False, False, True]


def test_a_table_that_never_rests_is_read_now_and_then() -> None:
    gate = MotionGate()
    count = round(RESTLESS_S * 10) + 40
    passed = [gate.passes(frame(number, 10 + 60 * (number % 6))) for number in range(count)]
    assert 3 <= sum(passed[20:]) <= 6


def test_a_camera_that_hangs_shows_no_table_at_rest() -> None:
    """It hung with a hand over a board: sleeve and shadow were tiles for as long, and people were asked about them.
    When it had hung for long, it passed for a table that never rests: a slip was named that had been put right."""
    gate, chance = MotionGate(has_grain=True), np.random.default_rng(1)

    def grainy(number: int, at: int | None) -> Frame:
        plain = frame(number, at)
        return Frame(plain.image + chance.integers(0, 3, plain.image.shape, dtype=np.uint8), plain.captured_ns)

    assert all(gate.passes(grainy(number, None)) for number in range(3))
    assert not any(gate.passes(grainy(number, 40 * number)) for number in range(3, 6))
    hanging = grainy(6, 240).image
    until = 60 + round(RESTLESS_S * 10)
    assert not any(gate.passes(Frame(hanging, number * STEP_NS)) for number in range(6, until))
    assert [gate.passes(grainy(number, None)) for number in range(until, until + 6)][-2:] == [True, True]
