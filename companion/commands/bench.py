"""`companion bench NAME`: one bench for each file in `companion/bench/`."""

from __future__ import annotations

import companion.bench
from companion.command_folder import CommandFolder

command = CommandFolder(
    companion.bench,
    name="bench",
    help="Measures how fast a part is, as ratios that hold on any machine.",
)
