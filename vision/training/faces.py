"""Teaching the face reader, and finding out how well it reads styles that it never saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.faces import TWINS, FaceModel, Inputs, normalise, with_prior
from vision.glyphs import FACES, Style
from vision.glyphs.symbols import SYMBOLS
from vision.training.fit import Labels, Plan, fit, fit_temperature
from vision.training.styles import draw_styles, training_styles, tuning_styles
from vision.training.tiles import HARDER, Trouble, bend, example

CLASSES = tuple(face for face in FACES if face not in TWINS.values())
"""What the network tells apart."""
LABELS = {face: CLASSES.index(face) for face in CLASSES} | {twin: CLASSES.index(face) for face, twin in TWINS.items()}
TILE_PX = (18.0, 60.0)
"""The sizes it learns from, in pixels of a tile's edge."""
LEAST_TEMPERATURE = 1.0
"""Prints that nobody drew here are stranger than any that were: scores are never made sharper than they are."""
EACH = 2
"""How many pictures of every face in every style it learns from."""
TWICE = frozenset({"1", "I", "joker"})
"""Of these twice as many: in many styles a stem with hardly anything to it, a word that from afar looks like one."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Pictures of tiles and what they show."""

    inputs: Inputs
    faces: tuple[str, ...]

    @property
    def labels(self) -> Labels:
        return np.array([LABELS[face] for face in self.faces], np.int64)


def lesson(styles: Sequence[Style], each: int, tile_px: float | None, seed: int, is_bent: bool) -> Lesson:
    """Every face in every style, so many times, at one size or at any. The same every time."""
    inputs, faces = [], []
    for style, inks in zip(styles, draw_styles(styles), strict=True):
        rng = np.random.default_rng([seed, style.seed])
        pictures = []
        for face, ink in zip(FACES, inks, strict=True):
            for _ in range(2 * each if is_bent and face in TWICE else each):
                size = tile_px or float(np.exp(rng.uniform(*np.log(TILE_PX))))
                pictures.append(example(bend(ink, face not in SYMBOLS, rng), size, HARDER, rng) if is_bent else
                                example(ink, size, Trouble(), rng))
                faces.append(face)
        inputs.append(normalise(np.stack(pictures)))
    return Lesson(np.concatenate(inputs), tuple(faces))


def training_lesson(part: int, parts: int) -> Lesson:
    """One part of what the network learns from, so that parts can be drawn side by side: joined, they are the same
    however many there are."""
    styles = training_styles()
    first, last = (len(styles) * end // parts for end in (part, part + 1))
    return lesson(styles[first:last], EACH, None, seed=1, is_bent=True)


def learn(lessons: Sequence[Lesson], plan: Plan, tell: Callable[[int, float], None]) -> FaceModel:
    """A face reader fitted to the lessons, its probabilities tempered on styles that are in none of them."""
    inputs = np.concatenate([each.inputs for each in lessons])
    labels = np.concatenate([each.labels for each in lessons])
    weights = fit(inputs, labels, len(CLASSES), plan, tell)
    tuning = lesson(tuning_styles(), 4, None, seed=2, is_bent=False)
    fitted = fit_temperature(weights, tuning.inputs, tuning.labels)
    return FaceModel(CLASSES, weights, max(LEAST_TEMPERATURE, fitted))


@dataclass(frozen=True, slots=True)
class Figures:
    """How often a face was read right."""

    tiles: int
    strict: float
    """Share right when a 6 taken for a 9 counts as wrong: at best 27 of 28, since the two are one print."""
    alone: float
    """Share right without the cell, 6 and 9 counted as one."""
    alone_one_and_i: float
    """The same with 1 and I counted as one too."""
    with_cell: float
    """Share right when the cell says which four faces it accepts, over all cells on which the tile may lie."""
    confused: tuple[tuple[str, str, int], ...]
    """The commonest mistakes without the cell: true face, face read, how often."""


def measure(model: FaceModel, lesson_: Lesson, cells: Sequence[Sequence[str]]) -> Figures:
    """Read every picture of a lesson, alone and as if it lay on each of the cells that accept its face."""
    by_face = {face: [cell for cell in cells if face in cell] for face in FACES}
    right: Counter[str] = Counter()
    with_cell = 0.0
    mistakes: Counter[tuple[str, str]] = Counter()
    for face, table in zip(lesson_.faces, _tables(model, lesson_.inputs), strict=True):
        read = max(table, key=lambda name: (table[name], name))
        right["strict"] += read == face
        right["alone"] += (is_same := _plain(read) == _plain(face))
        right["one"] += is_same or {read, face} == {"1", "I"}
        with_cell += sum(_likeliest(table, cell) == face for cell in by_face[face]) / len(by_face[face])
        if not is_same:
            mistakes[face, read] += 1
    total = len(lesson_.faces)
    common = tuple((true, read, count) for (true, read), count in mistakes.most_common(5))
    strict, alone, one = (right[key] / total for key in ("strict", "alone", "one"))
    return Figures(total, strict, alone, one, with_cell / total, common)


def _likeliest(table: Mapping[str, float], cell: Sequence[str]) -> str:
    """What is read on a cell that accepts these faces."""
    helped = with_prior(table, cell)
    return max(helped, key=lambda name: helped[name])


def _tables(model: FaceModel, inputs: Inputs) -> Iterator[dict[str, float]]:
    rows: NDArray[np.float64] = model.log_probs(inputs)
    return (model.table(row) for row in rows)


def _plain(face: str) -> str:
    """The name under which the network knows a face."""
    return CLASSES[LABELS[face]]
