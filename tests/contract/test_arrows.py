"""If an import points the wrong way, rules and pixels grow together and a new game needs edits everywhere."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "vision", "calibration", "companion", "web")
MAY_IMPORT = {
    "engine": {"engine"},
    "vision": {"vision"},
    "calibration": {"calibration", "vision"},
    "companion": set(PACKAGES),
    "web": {"web"},
}
STDLIB_ONLY = {"engine"}


def imports_of(path: Path) -> set[str]:
    """The top-level names a file imports, wherever in the file it does so."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        wrong = (imports_of(path) & set(PACKAGES)) - MAY_IMPORT[package]
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}, which {package} may not"


@pytest.mark.parametrize("package", sorted(STDLIB_ONLY))
def test_the_engine_needs_nothing_but_python(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        foreign = imports_of(path) - set(sys.stdlib_module_names) - set(PACKAGES)
        assert not foreign, f"{path.relative_to(ROOT)} imports {sorted(foreign)} from outside the standard library"


def test_a_game_does_not_know_another_game() -> None:
    for folder in sorted(path for path in (ROOT / "engine" / "games").iterdir() if path.is_dir()):
        others = {path.name for path in folder.parent.iterdir() if path.is_dir()} - {folder.name, "__pycache__"}
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    parts = set(node.module.split("."))
                    assert not (parts & others), f"{path.relative_to(ROOT)} imports another game: {node.module}"
