"""If this fails, nonsense from the network makes the companion stumble. The long run: `python -m tests.web.fuzz`."""

from __future__ import annotations

import pytest

from tests.web.fuzz import fuzz, fuzzed_app


@pytest.mark.parametrize("seed", [1, 2])
def test_nonsense_is_refused_and_nothing_breaks(seed: int) -> None:
    app, table = fuzzed_app(seed)
    seen = fuzz(app, 1000, seed)
    assert seen[400] > 100 and seen[401] > 20 and seen[200] > 50, seen
    assert table.commands, "some of it must get as far as the table"
    assert app.extensions["companion-hub"].listening == 0
