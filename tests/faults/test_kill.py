"""If this fails, pulling the plug loses moves that people had already seen on their phones."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.endurance.kills import check_replays, run


@pytest.mark.slow
def test_nothing_that_was_shown_is_lost_when_the_plug_is_pulled(tmp_path: Path) -> None:
    """A handful here; `companion endure kills` pulls it two hundred times."""
    figures = run(tmp_path, kills=3, seed=5)
    assert figures.kills == 3
    assert not figures.lost and not figures.is_stuck
    assert figures.games >= 1 and figures.exact == figures.games
    assert figures.damaged == 0
    assert check_replays(tmp_path) >= 1
