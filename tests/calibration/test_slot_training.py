"""Fitting the numbers that tell tiles from print."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from calibration.scikit import TrainingError
from calibration.slot_training import fit_logistic


def test_the_fit_finds_the_odds_that_made_the_answers() -> None:
    """Wrong odds would make the companion sure of what it should ask about."""
    random = np.random.default_rng(5)
    true, bias = np.array([2.0, -1.0, 0.0, 0.5]), 0.7
    features = random.normal(size=(20000, 4))
    answers = random.random(20000) < 1 / (1 + np.exp(-(features @ true + bias)))
    found, found_bias = fit_logistic(features, answers, np.ones(20000), 10.0)
    assert np.abs(found - true).max() < 0.1
    assert abs(found_bias - bias) < 0.1


def test_answers_that_one_feature_decides_stay_within_bounds() -> None:
    """Without a hold on them the weights would grow for ever, and every slot would be given 100 %."""
    features = np.random.default_rng(6).normal(size=(400, 3))
    found, _ = fit_logistic(features, features[:, 0] > 0, np.ones(400), 0.3)
    assert 1.0 < found[0] < 20.0
    assert np.abs(found[1:]).max() < 1.0


def test_without_scikit_learn_there_is_a_sentence_that_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The companion is set up without it, needing only the numbers: whoever fits them must learn what is missing."""
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(TrainingError, match="needs scikit-learn"):
        fit_logistic(np.zeros((4, 1)), np.array([True, False, True, False]), np.ones(4), 0.3)
