"""If this fails, a camera that drops out costs players a move, the score, or the pages on their phones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.companion.runtime.tables import quick_table
from tests.faults.evening import Evening

FAULTS = ("stall", "die", "absent", "hang-stop", "stride", "raise")


@pytest.mark.slow
def test_a_game_survives_every_fault_of_its_camera(tmp_path: Path) -> None:
    """The pages answer and say *lost*, the camera comes back by itself, and the score at the end is exact."""
    evening = Evening(quick_table(tmp_path, haste=3.0), tmp_path)
    try:
        assert evening.suffer(FAULTS) == len(FAULTS)
        table = evening.cameras[0].table
        # The companion may know the end before the hand that brought it about has left the picture.
        shown = evening.until(lambda page: page["result"] is not None and "final" in table.outcome())
        assert shown["result"]["scores"] == table.outcome()["final"]["scores"]
        assert not shown["alerts"]
    finally:
        evening.stop()
