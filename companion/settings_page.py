"""docs/settings.md, made from the settings themselves so that it cannot fall behind."""

from __future__ import annotations

import ast
import inspect
import itertools
from dataclasses import fields
from pathlib import Path

from companion import config
from companion.config import FILE_VARIABLE, PREFIX, Settings, setting_types

PATH = Path(__file__).resolve().parents[1] / "docs" / "settings.md"


def documented() -> dict[str, str]:
    """Each setting with the text below it in the source."""
    tree = ast.parse(inspect.getsource(config))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == Settings.__name__).body
    found = {}
    for node, after in itertools.pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(after, ast.Expr):
            assert isinstance(after.value, ast.Constant)
            found[node.target.id] = str(after.value.value)
    return found


def settings_page() -> str:
    """The whole page."""
    texts, types = documented(), setting_types()
    lines = [
        "# Settings", "",
        "Each can stand in a TOML file, in the environment, or after `companion run` as a flag; each overrides the one "
        "before. A name that is no setting is an error.", "",
        f"The file is `settings.toml` in the user's folder for settings, or the one that `{FILE_VARIABLE}` or "
        "`--config` names.", "",
        "| in the file | in the environment | usually | what it does |", "| --- | --- | --- | --- |",
    ]
    for field in fields(Settings):
        default = f"`{field.default!r}`".replace("'", '"') if types[field.name] is str else f"`{field.default}`"
        text = texts[field.name].replace("\n    ", " ").replace("|", "\\|")
        lines.append(f"| `{field.name}` | `{PREFIX}{field.name.upper()}` | {default} | {text} |")
    return "\n".join(lines) + "\n"
