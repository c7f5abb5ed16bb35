"""Faces: which number, letter or symbol a tile shows, whichever way round it lies.

A small network reads brightness only (the brightest of the three channels: a card of any colour is bright in it and
the dark print is not), from the middle of the tile. A 6 and a 9 are the same print turned round: the network calls
both 6 and the likelihood is shared out evenly; the cell, or the way the same player's other tiles lie, decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.convnet import Weights, forward, read_weights
from vision.frame import Image

CUT_PX = 40
"""The side of the picture that is cut out of a frame for each tile."""
FIELD = 0.92
"""How much of the tile's edge that picture shows."""
INPUT_PX = 32
"""The side of the picture that the network reads: the print alone, whatever its size and place on the tile."""
MARGIN = 1.3
"""How much wider than the print that is."""
USUAL_EXTENT = 0.6
"""The usual size of a print against the tile's edge."""
RESIZED = 0.6
"""How far prints are brought to that size: 1 all the way. A word that fills a tile may still look larger than an I."""
UNSURE_LOG_PROB = float(np.log(0.99))
"""A tile whose best face is less likely than this is looked at again from the other three sides."""

Inputs = NDArray[np.float32]
"""(n, INPUT_PX, INPUT_PX): 0 the card, 1 the print."""

TWINS = {"6": "9"}
"""Faces that are each other turned round; the network knows only the first."""

FIRST_TWIN = 0.85
"""On a cell that accepts neither of two twins, which it is makes no difference to anybody: the first is preferred, so
that it can be said at all that the tile does not fit."""

FITS_PRIOR = 0.97
"""How often a tile shows one of the faces that its cell accepts. Not 1, so that a misplaced tile is noticed."""

MODEL = "faces.npz"


def normalise(brightness: NDArray[np.float32]) -> Inputs:
    """Pictures (n, CUT_PX, CUT_PX) of brightness as the network wants them."""
    return frame_print(without_surroundings(find_ink(brightness)))


def find_ink(brightness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Brightness as ink from 0 (the card) to 1, whatever the light and the colour of the card."""
    side = brightness.shape[1]
    rim = max(1, side // 16)
    ring = np.ones((side, side), bool)
    ring[3 * rim : -3 * rim, 3 * rim : -3 * rim] = False
    ring[:rim] = ring[-rim:] = False
    ring[:, :rim] = ring[:, -rim:] = False
    around = brightness[:, ring][:, ::3]
    card = np.partition(around, around.shape[1] // 2, axis=1)[:, around.shape[1] // 2]
    middle = brightness[:, side // 5 : -(side // 5), side // 5 : -(side // 5)].reshape(len(brightness), -1)
    darkest = np.partition(middle, middle.shape[1] // 33, axis=1)[:, middle.shape[1] // 33]
    contrast = np.maximum(card - darkest, 0.25 * card + 4.0)
    return np.asarray(np.clip((card[:, None, None] - brightness) / contrast[:, None, None], -0.4, 1.3), np.float32)


def without_surroundings(ink: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same without dark things that reach in from outside: the board's lines, a neighbour's rim, a shadow."""
    clean = ink.copy()
    for picture in clean:
        dark = np.asarray(picture > 0.45, np.uint8)
        if not (dark[0].any() or dark[-1].any() or dark[:, 0].any() or dark[:, -1].any()):
            continue
        count, labels = cv2.connectedComponents(dark, connectivity=4)
        outside = np.zeros(count, bool)
        outside[np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])] = True
        outside[0] = False
        # A print may touch what lies around it: what fills the middle of the tile is never taken away.
        inner = len(picture) // 5
        middle = np.bincount(labels[inner:-inner, inner:-inner].ravel(), minlength=count)
        middle[0] = 0
        largest = int(middle.argmax())
        if 2 * middle[largest] > middle.sum():
            outside[largest] = False
        foreign = outside[labels]
        # Its blurred edge goes with it.
        halo = cv2.dilate(foreign.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        picture[halo & (foreign | (dark == 0))] = 0.0
    return clean


def frame_print(ink: NDArray[np.float32]) -> Inputs:
    """The print of each tile in the middle of a picture of its own, filling it."""
    side = ink.shape[1]
    reach = np.abs(np.arange(side) - (side - 1) / 2) / (side / 2)
    # Towards the rim of the tile there is hardly any print, but what surrounds it may show.
    near = np.clip((0.95 - reach) / 0.1, 0, 1)
    dark = np.clip((ink - 0.4) / 0.4, 0, 1) * (near[:, None] * near[None, :])
    left, right = _extent(dark.sum(axis=1))
    top, foot = _extent(dark.sum(axis=2))
    extent = np.clip(np.maximum(right - left, foot - top), 0.3 * side, 0.95 * side)
    usual = USUAL_EXTENT / FIELD * side
    scale = usual * (extent / usual) ** RESIZED * MARGIN / INPUT_PX
    shift_x = (left + right) / 2 - scale * (INPUT_PX - 1) / 2
    shift_y = (top + foot) / 2 - scale * (INPUT_PX - 1) / 2
    framed = np.empty((len(ink), INPUT_PX, INPUT_PX), np.float32)
    for index, picture in enumerate(ink):
        matrix = np.array([[scale[index], 0, shift_x[index]], [0, scale[index], shift_y[index]]])
        framed[index] = cv2.warpAffine(
            picture, matrix, (INPUT_PX, INPUT_PX), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT, borderValue=0.0,
        )
    return framed


def _extent(profile: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Between which positions nearly all ink of each profile (n, side) lies; the middle where there is none."""
    side = profile.shape[1]
    share = np.cumsum(profile, axis=1, dtype=np.float64)
    total = share[:, -1:]
    empty = total[:, 0] < 1.0
    share /= np.maximum(total, 1e-6)
    # Each value is reached at the far edge of its pixel; half of one before is the pixel's middle.
    low = (share < 0.02).sum(axis=1) - 0.5
    high = (share < 0.98).sum(axis=1) + 0.5
    return np.where(empty, 0.25 * side, low), np.where(empty, 0.75 * side, high)


def brightness(image: Image) -> NDArray[np.float32]:
    """The brightest channel of each pixel."""
    return np.asarray(image.max(axis=2), np.float32)


def cut_tiles(image: Image, corners_px: NDArray[np.float64]) -> NDArray[np.float32]:
    """The middle of each tile, its edges level: (n, CUT_PX, CUT_PX) brightness.

    `corners_px` is (n, 4, 2): where the tile's corners lie in the image, clockwise from the cell's top left.
    """
    if corners_px.ndim != 3 or corners_px.shape[1:] != (4, 2):
        raise ValueError(f"corners must be (n, 4, 2), but got {corners_px.shape}")
    side = (1 - FIELD) / 2
    near, far = side, 1 - side
    inner = np.array([(near, near), (far, near), (far, far), (near, far)], np.float32)
    grid = np.array([(0, 0), (CUT_PX, 0), (CUT_PX, CUT_PX), (0, CUT_PX)], np.float32) - 0.5
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    cut = np.empty((len(corners_px), CUT_PX, CUT_PX), np.float32)
    for index, corners in enumerate(corners_px):
        low = np.floor(corners.min(axis=0) - 3).astype(int).clip(0)
        high = np.ceil(corners.max(axis=0) + 4).astype(int)
        patch = image[low[1] : high[1], low[0] : high[0]]
        if patch.size == 0:
            cut[index] = 0
            continue
        # Image coordinates have the middle of the first pixel at 0.5, OpenCV's at 0.
        to_cell = cv2.getPerspectiveTransform(unit, (corners - low - 0.5).astype(np.float32))
        target = cv2.perspectiveTransform(inner[None], to_cell)[0]
        matrix = np.asarray(cv2.getPerspectiveTransform(grid, target), np.float64)
        cut[index] = _sample(brightness(patch), matrix, float(np.sqrt(cv2.contourArea(target)) / CUT_PX))
    return cut


def _sample(patch: NDArray[np.float32], matrix: NDArray[np.float64], step_px: float) -> NDArray[np.float32]:
    """Resample a patch onto the reader's grid, smoothing first where the grid is coarser than the picture."""
    if step_px > 1.2:
        patch = np.asarray(cv2.GaussianBlur(patch, (0, 0), 0.4 * step_px), np.float32)
    return np.asarray(
        cv2.warpPerspective(
            patch, matrix, (CUT_PX, CUT_PX), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        np.float32,
    )


@dataclass(frozen=True, slots=True, eq=False)
class FaceModel:
    """A fitted face reader."""

    faces: tuple[str, ...]
    """What the network tells apart; one of each pair of twins."""
    weights: Weights
    temperature: float
    """By how much its scores are softened, so that a probability of 0.9 is right nine times in ten."""

    def log_probs(self, inputs: Inputs) -> NDArray[np.float64]:
        """(n, faces) natural log-probabilities."""
        found = self._look(inputs)
        unsure = found.max(axis=1) < UNSURE_LOG_PROB
        if unsure.any():
            turned = [self._look(np.rot90(inputs[unsure], quarters, axes=(1, 2))) for quarters in (1, 2, 3)]
            found[unsure] = np.logaddexp.reduce([found[unsure], *turned], axis=0) - np.log(4.0)
        return found

    def _look(self, inputs: Inputs) -> NDArray[np.float64]:
        """Log-probabilities from one side."""
        scores = forward(self.weights, inputs[..., None]).astype(np.float64) / self.temperature
        scores -= scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))

    def read(
        self, image: Image, corners_px: NDArray[np.float64], accepted: Sequence[Sequence[str]] | None = None
    ) -> list[dict[str, float]]:
        """For each tile, the log-probability of each face; `accepted` are the faces that each cell takes."""
        if not len(corners_px):
            return []
        tables = [self.table(row) for row in self.log_probs(normalise(cut_tiles(image, corners_px)))]
        if accepted is None:
            return tables
        return [with_prior(table, faces) for table, faces in zip(tables, accepted, strict=True)]

    def table(self, row: NDArray[np.float64]) -> dict[str, float]:
        """The log-probabilities of one tile by name, those of twins shared out."""
        table: dict[str, float] = {}
        for face, value in zip(self.faces, row, strict=True):
            twin = TWINS.get(face)
            table[face] = float(value) - (float(np.log(2)) if twin else 0.0)
            if twin:
                table[twin] = table[face]
        return table


def with_prior(table: Mapping[str, float], accepted: Sequence[str]) -> dict[str, float]:
    """Log-probabilities that take the faces a cell accepts to be much likelier than the others."""
    if not accepted:
        return dict(table)
    others = max(1, len(table) - len(accepted))
    weighed = {
        face: value + float(np.log(FITS_PRIOR / len(accepted) if face in accepted else (1 - FITS_PRIOR) / others))
        for face, value in table.items()
    }
    for face, twin in TWINS.items():
        if face in weighed and twin in weighed and face not in accepted and twin not in accepted:
            both = float(np.logaddexp(weighed[face], weighed[twin]))
            weighed[face], weighed[twin] = both + float(np.log(FIRST_TWIN)), both + float(np.log1p(-FIRST_TWIN))
    total = float(np.logaddexp.reduce(list(weighed.values())))
    return {face: value - total for face, value in weighed.items()}


@cache
def load_faces() -> FaceModel:
    """The model that comes with the companion, read once."""
    with resources.as_file(resources.files("vision").joinpath("data", MODEL)) as path:
        faces, temperature, weights = read_weights(path)
    return FaceModel(faces, weights, temperature)
