"""Measuring the colours that the companion knows from memory."""

from __future__ import annotations

import json
import sys
from importlib import resources

import numpy as np
import pytest

from calibration.colour_training import shades, source, white_under
from calibration.scikit import TrainingError
from vision.colours import Light, from_lab, to_lab


def tops_of(lab: list[list[float]], shares: list[float], seed: int) -> list[np.ndarray]:
    """Three tile tops of 20 × 20 pixels, made of some shades with a little grain."""
    random = np.random.default_rng(seed)
    picked = random.choice(len(lab), size=(3, 20, 20), p=shares)
    grain = random.normal(0, 1.5, (3, 20, 20, 3))
    return list(np.clip(np.rint(from_lab(np.array(lab)[picked] + grain)), 0, 255).astype(np.uint8))


def test_ground_and_ornament_are_told_apart() -> None:
    """A white tile known by the mean of its paper white and its turquoise star looks like no tile at all."""
    found = shades(tops_of([[92, -3, 0], [70, -22, -12]], [0.65, 0.35], 3))
    assert [round(blob.share, 1) for blob in found] == [0.7, 0.3]
    assert np.abs(np.array(found[0].lab) - [92, -3, 0]).max() < 2.0
    assert np.abs(np.array(found[1].lab) - [70, -22, -12]).max() < 2.0


def test_a_source_says_what_white_looked_like() -> None:
    """Red tiles under a lamp would be remembered as orange, and players accused at the next table."""
    light = Light((1.6, 1.1, 0.9))
    measured = source("lamp", light, {"red": tops_of([[45, 55, 30], [50, 50, 28]], [0.5, 0.5], 4)})
    red, green, blue = measured["white_srgb"]
    lit = light.apply(np.array([[[blue, green, red]]], dtype=np.uint8))
    assert np.abs(lit.astype(int) - 225).max() <= 1
    assert white_under(Light()) == (225, 225, 225)
    assert json.loads(json.dumps(measured)) == measured


def test_every_stored_colour_has_shades_that_make_up_the_whole() -> None:
    """A torn or hand-edited file of colours would make every tile of a colour unknown without a word."""
    stored = json.loads(resources.files("vision").joinpath("builtin_colours.json").read_text(encoding="utf-8"))
    for table in stored:
        assert len(table["white_srgb"]) == 3
        for name, blobs in table["colours"].items():
            assert abs(sum(blob["share"] for blob in blobs) - 1.0) < 0.02, (table["source"], name)
            assert all(np.isfinite(to_lab(from_lab(np.array(blob["lab"])))).all() for blob in blobs)


def test_without_scikit_learn_there_is_a_sentence_that_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The companion is set up without it, needing only the numbers: whoever fits them must learn what is missing."""
    monkeypatch.setitem(sys.modules, "sklearn.mixture", None)
    with pytest.raises(TrainingError, match="needs scikit-learn"):
        shades(tops_of([[50, 0, 0]], [1.0], 5))
