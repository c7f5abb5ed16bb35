"""A group of commands found by scanning a package: one file, one command, no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

import click


class CommandFolder(click.Group):
    """Offers the `command` of every module in a package, and imports one only when it is used or described."""

    def __init__(self, package: ModuleType, **settings: Any) -> None:
        super().__init__(**settings)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = (module.name for module in pkgutil.iter_modules(self.package.__path__))
        return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{self.package.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command
