"""Small checks, each a short file: what is wrong, what follows from it, what to do. Found by scanning this folder."""

from __future__ import annotations

import importlib
import pkgutil

from companion.health.facts import Facts
from web.contract import HealthView

__all__ = ["Facts", "check_all", "check_names"]


def check_names() -> list[str]:
    """The checks, one for each file."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "facts")


def check_all(facts: Facts) -> tuple[HealthView, ...]:
    """What every check has to say; those that are well say nothing."""
    views: list[HealthView] = []
    for name in check_names():
        module = importlib.import_module(f"{__name__}.{name}")
        found: list[HealthView] = module.check(facts)
        views.extend(found)
    return tuple(views)
