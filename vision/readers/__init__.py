"""Readers of places, one file for each kind or family of kinds, found by scanning this folder.

A file offers `KINDS`, the kinds it reads, and `make(table)`, which returns a `vision.view.Reader`.
"""

from __future__ import annotations

import importlib
import pkgutil

from vision.reading import Kind
from vision.view import Reader, Table


def readers_for(table: Table) -> list[Reader]:
    """A reader for every kind of place that lies on this table and that some file here can read."""
    present = {place.kind for piece in table.pieces.values() for place in piece.places}
    found: list[Reader] = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        kinds: tuple[Kind, ...] = loaded.KINDS
        if present.intersection(kinds):
            found.append(loaded.make(table))
    return found
