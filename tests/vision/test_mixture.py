"""The blobs of a tile's colour."""

from __future__ import annotations

import numpy as np
from sklearn.mixture import GaussianMixture

from vision.mixture import fit_mixture


def test_a_glaze_of_three_shades_is_known_by_all_three() -> None:
    """An ornament's second and third shade would be strange to the companion: its tiles would be unknown."""
    random = np.random.default_rng(3)
    shades, shares = np.array([[60.0, 30, 20], [75.0, 5, -10], [40.0, 0, 40]]), (300, 150, 50)
    values = np.concatenate([shade + random.normal(0, 3, (count, 3))
                             for shade, count in zip(shades, shares, strict=True)])
    found = fit_mixture(values, 3, 4.0)
    order = np.argsort(-found.weights)
    assert np.allclose(found.weights[order], [0.6, 0.3, 0.1], atol=0.01)
    assert np.abs(found.means[order] - shades).max() < 1.5
    spreads = np.sqrt(found.covariances[:, [0, 1, 2], [0, 1, 2]])
    assert ((spreads > 2.5) & (spreads < 5.0)).all()


def test_a_tile_of_one_flat_colour_can_be_learnt() -> None:
    """A sample without any grain (an overexposed white) would end the set-up with an error."""
    found = fit_mixture(np.tile([[95.0, 0.0, 2.0]], (40, 1)), 3, 4.0)
    assert np.isfinite(found.means).all()
    assert np.isclose(found.weights.sum(), 1.0)
    assert np.allclose(found.means[found.weights > 0.01], [95.0, 0.0, 2.0])
    assert (np.linalg.eigvalsh(found.covariances) >= 3.99).all()


def test_the_blobs_are_those_that_scikit_learn_finds() -> None:
    """A table's own shades are fitted without scikit-learn, which would not fit in a small Pi's memory beside all else:
    worse blobs than its own would make white tiles start markers."""
    random = np.random.default_rng(8)
    parts = [random.multivariate_normal(mean, np.diag(spread), count)
             for mean, spread, count in (([85, -15, -15], [9, 16, 4], 400), ([98, -5, -2], [4, 4, 9], 300),
                                         ([70, -10, -5], [25, 9, 9], 100))]
    values = np.concatenate(parts)
    ours = fit_mixture(values, 3, 4.0)
    theirs = GaussianMixture(3, reg_covar=4.0, n_init=3, random_state=0).fit(values)
    mine = GaussianMixture(3)
    mine.weights_, mine.means_, mine.covariances_ = ours.weights, ours.means, ours.covariances
    mine.precisions_cholesky_ = np.stack([np.linalg.cholesky(np.linalg.inv(one)) for one in ours.covariances])
    assert mine.score(values) > theirs.score(values) - 0.02
