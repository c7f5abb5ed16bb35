"""What is known of tile colours before a table has been seen."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from companion.catalogue import played_game
from vision.colour_learning import builtin_model, builtin_patches
from vision.colours import ColourTable, to_gamma, to_linear
from vision.patches import PatchModel, thirds

PLAIN = {"red": (60, 50, 185), "blue": (190, 95, 45)}
"""Blue, green, red of two tiles without ornament."""


@pytest.fixture(scope="module")
def patches() -> PatchModel:
    return builtin_patches(played_game("azul", 2, {}).layout.colours)


@pytest.mark.parametrize("colour", list(PLAIN))
@pytest.mark.parametrize("veil", [0.0, 0.3, 0.45])
def test_a_reflection_that_fades_over_a_top_is_no_ornament(patches: PatchModel, colour: str, veil: float) -> None:
    """At a slant, plain tiles far from the camera would be taken for others that carry a pale star."""
    fading = np.linspace(-0.5, 1.0, 81).clip(0.0)[:, None] * veil
    top = to_gamma(to_linear(np.array(PLAIN[colour]) / 255.0) + fading) * 255.0
    seen = patches.log_probs(thirds(top))
    assert max(seen, key=lambda name: seen[name]) == colour


def test_weighing_all_colours_takes_little_memory() -> None:
    """On a Pi with 512 MB, setting up a table would push everything else out of memory."""
    model = builtin_model(played_game("azul", 2, {}).layout.colours)
    tracemalloc.start()
    table = ColourTable(model)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 50 * table.log_densities.nbytes
