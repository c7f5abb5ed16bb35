"""The blobs of a tile's colour."""

from __future__ import annotations

import numpy as np

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
