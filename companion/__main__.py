"""The `companion` program: one subcommand for each file in `companion/commands/`."""

from __future__ import annotations

import importlib
import pkgutil

import click

import companion.commands


class CommandFolder(click.Group):
    """Finds subcommands by scanning the folder, and imports one only when it is used or described."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(companion.commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"companion.commands.{cmd_name}")
        command: click.Command = module.command
        return command


@click.command(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="table-companion", prog_name="companion")
def main() -> None:
    """Watches a tile game on a real table, keeps the score and says when a tile lies where it may not."""


if __name__ == "__main__":
    main(prog_name="companion")
