"""The faces on tiles: a face read wrong is a move understood wrong, or a player told off for nothing."""

from __future__ import annotations

import tracemalloc
from importlib import resources

import cv2
import numpy as np
import pytest

from vision.convnet import forward
from vision.face_teaching import teach
from vision.faces import (
    CUT_PX,
    FIELD,
    INPUT_PX,
    cut_tiles,
    find_ink,
    load_faces,
    normalise,
    with_prior,
    without_surroundings,
)
from vision.glyphs import FACES, SIDE_PX, Style, draw_glyph
from vision.training.faces import CLASSES, LABELS, lesson, measure
from vision.training.fit import Plan, begin, fit, gradients
from vision.training.styles import held_out_styles, training_styles, tuning_styles
from vision.training.tiles import Trouble, example

CELLS = [(row, column, "star", "joker") for row in "ABCDEFGHI" for column in "123456789"] + [
    ("A", "1", symbol, "joker") for symbol in FACES[18:27]
]


def test_every_face_can_be_drawn_and_differs_from_the_others() -> None:
    pictures = {face: draw_glyph(face, Style("plain", seed=1)) for face in FACES}
    assert len(FACES) == 28
    assert all(picture.shape == (SIDE_PX, SIDE_PX) and picture.max() > 0.9 for picture in pictures.values())
    assert len({picture.tobytes() for picture in pictures.values()}) == 28


def test_the_same_seed_draws_the_same_tile() -> None:
    """Figures that nobody can get again prove nothing."""
    style = [Style("serif", seed=5, is_serif=True, is_contrasted=True)]
    first, second = (lesson(style, 1, 30.0, seed=7, is_bent=True) for _ in range(2))
    assert np.array_equal(first.inputs, second.inputs)


def test_styles_that_are_reported_on_were_not_learnt_from() -> None:
    learnt = {style.seed for style in training_styles()}
    held_out = {style.seed for style in held_out_styles()}
    tuned = {style.seed for style in tuning_styles()}
    assert not learnt & held_out and not learnt & tuned and not held_out & tuned


def test_the_shipped_model_reads_styles_it_never_saw() -> None:
    """A small share of what `companion train faces --report` measures, so that a broken model cannot be shipped."""
    styles = held_out_styles()[::3]
    for tile_px, least in ((40.0, 0.975), (24.0, 0.955)):
        figures = measure(load_faces(), lesson(styles, 2, tile_px, seed=11, is_bent=False), CELLS)
        assert figures.alone >= least
        assert figures.with_cell >= 0.99


def test_a_shining_lamp_and_the_edge_of_a_shadow_are_read_through() -> None:
    """Every table has a lamp, and hands throw shadows."""
    rng = np.random.default_rng(4)
    faces = [face for face in FACES for _ in range(6)]
    inks = {face: draw_glyph(face, held_out_styles()[5]) for face in FACES}
    cuts = [example(inks[face], 40.0, Trouble(glare=0.4), rng) for face in faces]
    read = load_faces().log_probs(normalise(np.stack(cuts))).argmax(axis=1)
    assert (read == np.array([LABELS[face] for face in faces])).mean() >= 0.93


def test_a_one_with_serifs_is_no_i() -> None:
    """At the top of its stem a 1 has a flag to the left and nothing to the right."""
    for seed in range(30, 40):
        one, letter = (draw_glyph(face, Style("serif", seed, is_serif=True)) for face in ("1", "I"))
        ends = [np.flatnonzero(ink[26:30].max(axis=0) > 0.5)[-1] for ink in (one, letter)]
        stems = [np.flatnonzero(ink[46:50].max(axis=0) > 0.5)[-1] for ink in (one, letter)]
        assert ends[0] - stems[0] <= 1 and ends[1] - stems[1] >= 2


def test_a_print_that_touches_a_line_beside_the_tile_is_not_taken_away_with_it() -> None:
    """Tiles lie against each other and on a lined board: a face must not vanish because it touches a dark edge."""
    rng = np.random.default_rng(6)
    cut = example(draw_glyph("H", Style("plain", seed=2)), 40.0, Trouble(turn_deg=0, shift=0, noise=(0.0, 0.1)), rng, 0)
    lined, touching = cut.copy(), cut.copy()
    lined[:2] = touching[:2] = 10.0
    touching[:20, 18:22] = 10.0
    plain, apart, joined = (without_surroundings(find_ink(each[None]))[0] for each in (cut, lined, touching))
    assert np.array_equal(plain[8:-8, 8:-8], apart[8:-8, 8:-8]) and apart[:2].max() <= 0.45
    assert joined[8:-8, 8:-8].sum() >= 0.8 * plain[8:-8, 8:-8].sum()


def test_the_shipped_model_is_small() -> None:
    """It is copied to every Raspberry Pi."""
    assert len(resources.files("vision").joinpath("data", "faces.npz").read_bytes()) < 2_000_000


def test_six_and_nine_are_told_apart_by_the_cell() -> None:
    model = load_faces()
    six = lesson([Style("plain", seed=3)], 1, 40.0, seed=2, is_bent=False)
    table = model.table(model.log_probs(six.inputs[5:6])[0])
    assert table["6"] == table["9"]
    assert max(with_prior(table, ["A", "9", "star", "joker"]).items(), key=lambda item: item[1])[0] == "9"
    assert max(with_prior(table, ["A", "6", "cross", "joker"]).items(), key=lambda item: item[1])[0] == "6"
    neither = with_prior(table, ["A", "4", "cross", "joker"])
    assert neither["6"] > neither["9"] + 1.0, "a tile that fits nowhere must be read as something"


def test_probabilities_sum_to_one_with_and_without_the_cell() -> None:
    model = load_faces()
    drawn = lesson([Style("plain", seed=3)], 1, 24.0, seed=2, is_bent=False)
    for row in model.log_probs(drawn.inputs):
        table = model.table(row)
        assert set(table) == set(FACES)
        for each in (table, with_prior(table, ["A", "1", "star", "joker"]), with_prior(table, [])):
            assert np.exp(list(each.values())).sum() == pytest.approx(1.0)


def test_a_misplaced_tile_is_noticed_in_spite_of_the_cell() -> None:
    """The cell helps, but a clear B in the row of A must stay a B, or the slip would go unseen."""
    table = dict.fromkeys(FACES, float(np.log(1e-5)))
    table["B"] = 0.0
    helped = with_prior(table, ["A", "6", "cross", "joker"])
    assert max(helped, key=lambda face: helped[face]) == "B"


def test_a_tile_is_cut_out_where_it_lies() -> None:
    """A cut that is off by a few pixels loses the print of small tiles."""
    image = np.full((200, 300, 3), 40, np.uint8)
    corners = np.array([[(100.0, 60.0), (150.0, 60.0), (150.0, 110.0), (100.0, 110.0)]])
    image[60:110, 100:150] = (30, 200, 240)
    image[80:90, 120:130] = 20
    cut = cut_tiles(image, corners)[0]
    assert cut.shape == (CUT_PX, CUT_PX)
    assert np.median(cut) == pytest.approx(240, abs=0.01)
    dark = np.argwhere(cut < 120)
    assert dark.mean(axis=0) == pytest.approx([(CUT_PX - 1) / 2] * 2, abs=0.3)
    assert np.ptp(dark[:, 0]) + 1 == pytest.approx(10 / 50 / FIELD * CUT_PX, abs=1.1)
    with pytest.raises(ValueError, match=r"corners must be \(n, 4, 2\)"):
        cut_tiles(image, corners[0])


def test_light_and_colour_of_the_card_do_not_matter() -> None:
    """A lamp that is switched on must not change what a tile says."""
    rng = np.random.default_rng(3)
    cut = example(draw_glyph("E", Style("plain", seed=2)), 40.0, Trouble(noise=(0.0, 0.1)), rng)
    bright, dim = normalise(cut[None]), normalise(cut[None] * np.float32(0.5))
    assert bright.shape == (1, INPUT_PX, INPUT_PX)
    assert np.abs(bright - dim).mean() < 0.03


def test_the_slopes_of_the_network_are_right() -> None:
    """With a wrong gradient the network would still learn something, only never well."""
    plan = Plan(channels=(2, 3, 4), hidden=5)
    weights = {name: value.astype(np.float64) for name, value in begin(plan, 16, 4).items()}
    rng = np.random.default_rng(0)
    x, labels = rng.random((3, 16, 16, 1)), np.array([0, 3, 1])
    keep = np.ones((3, 5))

    def loss(changed: dict[str, np.ndarray]) -> float:
        scores = forward(changed, x)  # type: ignore[arg-type]
        scores = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return float(-(0.98 * scores[np.arange(3), labels] + 0.02 * scores.mean(axis=1)).mean())

    _, slopes = gradients(weights, x, labels, keep)  # type: ignore[arg-type]
    for name, value in weights.items():
        for index in list(np.ndindex(*value.shape))[:: max(1, value.size // 6)]:
            step = np.zeros_like(value)
            step[index] = 1e-4
            change = loss({**weights, name: value + step}) - loss({**weights, name: value - step})
            assert slopes[name][index] == pytest.approx(change / 2e-4, rel=0.03, abs=4e-3), name


def test_fitting_learns_and_gives_the_same_again() -> None:
    drawn = lesson([Style("plain", seed=3)], 4, 40.0, seed=2, is_bent=False)
    plan = Plan(channels=(4, 6, 8), hidden=24, epochs=3, batch=28)
    losses: list[float] = []
    first = fit(drawn.inputs, drawn.labels, len(CLASSES), plan, lambda _, loss: losses.append(loss))
    second = fit(drawn.inputs, drawn.labels, len(CLASSES), plan, lambda _, loss: None)
    assert losses[-1] < losses[0]
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_an_edition_of_ones_own_can_be_taught() -> None:
    """A copy with other symbols: after one picture of each tile they are read, which the shipped model cannot do."""
    strange = np.zeros((SIDE_PX, SIDE_PX), np.float32)
    cv2.ellipse(strange, (48, 48), (22, 9), 30, 0, 360, 1.0, -1)
    cv2.circle(strange, (34, 66), 9, 1.0, 3)
    usual = [draw_glyph(face, Style("plain", seed=3)) for face in FACES]
    inks = [strange if face == "moon" else ink for face, ink in zip(FACES, usual, strict=True)]
    rng = np.random.default_rng(1)
    shown = normalise(np.stack([example(ink, 40.0, Trouble(), rng, quarters=0) for ink in inks]))
    taught = teach(load_faces(), shown, FACES)
    later = normalise(np.stack([example(ink, 40.0, Trouble(), rng) for ink in inks for _ in range(4)]))
    read = taught.log_probs(later).argmax(axis=1)
    wanted = np.array([LABELS[face] for face in FACES for _ in range(4)])
    moon = wanted == LABELS["moon"]
    assert (read[moon] == wanted[moon]).all()
    assert (read == wanted).mean() > 0.98
    assert (load_faces().log_probs(later[moon]).argmax(axis=1) != LABELS["moon"]).any()
    with pytest.raises(ValueError, match="no face sun to teach"):
        teach(load_faces(), shown[:1], ["sun"])


def test_a_few_sample_tiles_do_not_spoil_the_faces_that_were_not_among_them() -> None:
    """People lay out the tiles they have at hand: a 9 must not become a 5 because a 5 was shown and a 9 was not."""
    rng = np.random.default_rng(5)
    right = {"alone": 0, "taught": 0}
    for style in held_out_styles()[::6]:
        inks = [draw_glyph(face, style) for face in FACES]
        shown = normalise(np.stack([example(ink, 36.0, Trouble(), rng) for ink in inks[::2]]))
        later = normalise(np.stack([example(ink, 36.0, Trouble(), rng) for ink in inks]))
        wanted = np.array([LABELS[face] for face in FACES])
        taught = teach(load_faces(), shown, FACES[::2])
        right["alone"] += int((load_faces().log_probs(later).argmax(axis=1) == wanted).sum())
        right["taught"] += int((taught.log_probs(later).argmax(axis=1) == wanted).sum())
    assert right["taught"] >= right["alone"]


def test_teaching_all_faces_takes_little_memory() -> None:
    """A Pi with 512 MB could not be shown an edition of one's own."""
    rng = np.random.default_rng(2)
    style = held_out_styles()[0]
    shown = normalise(np.stack([example(draw_glyph(face, style), 36.0, Trouble(), rng) for face in FACES]))
    teach(load_faces(), shown[:1], FACES[:1])
    tracemalloc.start()
    taught = teach(load_faces(), shown, FACES)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(taught.prints) > 10 * len(FACES)
    assert most_bytes < 50e6
