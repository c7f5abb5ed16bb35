"""What many tests share: the games, and a tiny extra game in a folder of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from engine.api import Game
from engine.registry import find_games

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def extra_folder(tmp_path: Path) -> Path:
    """A folder outside the engine that holds one more game."""
    folder = tmp_path / "more-games"
    shutil.copytree(FIXTURES / "pebbles", folder / "pebbles", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def pebbles() -> Game:
    """The tiny game itself."""
    return find_games(FIXTURES)["pebbles"]


# Every run tries the same examples: a failure can be repeated, and a pass today is a pass tomorrow.
# Most examples are seeds of whole games, which have no simpler form to look for.
settings.register_profile(
    "seeded", derandomize=True, deadline=None, database=None, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("seeded")
