"""scikit-learn, for those who fit models: a companion at a table needs only the numbers they found.

It and what it brings along take some hundred megabytes of memory, a third of what a small Pi has to spare.
"""

from __future__ import annotations

import importlib
from types import ModuleType


class TrainingError(Exception):
    """A model cannot be fitted here."""


def scikit(part: str) -> ModuleType:
    """A part of scikit-learn, such as `mixture`."""
    try:
        return importlib.import_module(f"sklearn.{part}")
    except ImportError as error:
        raise TrainingError(
            "fitting needs scikit-learn, which is not installed: set the project up with `./run test` first"
        ) from error
