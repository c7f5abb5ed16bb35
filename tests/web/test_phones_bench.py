"""If this fails, `companion bench phones` no longer measures what the README promises."""

from __future__ import annotations

from companion.bench.phones import measure


def test_phones_that_stopped_reading_do_not_keep_the_others_from_hearing_everything() -> None:
    figures = measure(phones=6, asleep=3, seconds=1.5, rate=4.0, seed=2, readings="told")
    assert figures.snapshots >= 2
    assert figures.frames_a_second_with_phones > 0, "the camera stands still"
    assert figures.heard >= 6 * (figures.snapshots - 1), "only the last may come late"
