"""`companion endure NAME`: one long trial for each file in `companion/endurance/`."""

from __future__ import annotations

import companion.endurance
from companion.command_folder import CommandFolder

command = CommandFolder(
    companion.endurance,
    name="endure",
    help="Long trials of the whole companion, each with a table of what came of it.",
)
