"""The `companion` program: one subcommand for each file in `companion/commands/`."""

from __future__ import annotations

import gc
from typing import Any

import click

import companion.commands
from companion.command_folder import CommandFolder
from engine.errors import EngineError

CYCLES_LOOKED_FOR = (10_000, 20, 50)
"""How rarely Python looks for what holds itself in memory: what a look makes is gone again without that, and
`companion bench reconcile` shows what looking for it costs."""


class Program(CommandFolder):
    """The top of the program: what the engine refuses is told in its one sentence, without a traceback."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(companion.commands, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EngineError as error:
            raise click.ClickException(str(error)) from error


@click.command(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="table-companion", prog_name="companion")
def main() -> None:
    """Watches a tile game on a real table, keeps the score and says when a tile lies where it may not."""
    gc.set_threshold(*CYCLES_LOOKED_FOR)


if __name__ == "__main__":
    main(prog_name="companion")
