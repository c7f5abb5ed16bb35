"""From a frame to readings of every place of the table: one `Observer` for each camera.

It remembers where boards lay and what the last frame showed, so that a nudged board is found again and a frame in which
nothing changed costs next to nothing.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.atlas import Atlas, locate
from vision.calibration import Calibration
from vision.card import Card, card_wanted, covered_spots, learn_card, light_of, never_covered
from vision.colours import ColourTable, Light
from vision.frame import Frame, Image
from vision.layout import Layout
from vision.readers import readers_for
from vision.reading import Observation, Reading
from vision.rectify import Matrix
from vision.stillness import Thumbnail, is_still, thumbnail
from vision.view import Table, View

DARK_LEVEL = 12.0
"""A frame whose bright parts stay below this shows nothing: the lamp is off or the lens is covered."""


class Observer:
    """Reads frames of one table from one camera."""

    def __init__(self, layout: Layout, calibration: Calibration) -> None:
        self._calibration = calibration
        self._pieces = {
            piece.name: piece for piece in layout.pieces
            if piece.name in calibration.matrices or piece.name in calibration.polygons_px
        }
        self._table = Table(layout, calibration, ColourTable(calibration.colours), self._pieces)
        self._readers = readers_for(self._table)
        self._matrices = dict(calibration.matrices)
        self._poses = dict(calibration.poses)
        self._boards = [name for name in calibration.matrices if self._pieces[name].frame == "corners"]
        self._wanted = {f"card.{name}": (name, card_wanted()) for name in self._boards}
        for reader in self._readers:
            self._wanted.update(reader.wanted())
        self._atlas = Atlas({key: self._locate(key) for key in self._wanted})
        self._cards: dict[str, Card] = {}
        self._seen: Thumbnail | None = None
        self._before: Thumbnail | None = None
        self._readings: dict[str, Reading] = {}
        self._learn(calibration.reference)

    def observe(self, frame: Frame) -> Observation:
        """Readings of all places; a frame that cannot be used at all comes back not trusted."""
        image = self._fit(frame.image)
        small = thumbnail(image)
        still = self._before is not None and is_still(small, self._before)
        self._before = small
        if float(np.percentile(small, 99)) < DARK_LEVEL:
            return Observation(frame.captured_ns, {}, still, trusted=False, why="dark")
        if self._seen is None or not is_still(small, self._seen):
            view = self._view(image)
            self._readings = {reading.place: reading for reader in self._readers for reading in reader.read(view)}
            self._seen = small
        hand = any(reading.occluded for reading in self._readings.values())
        return Observation(frame.captured_ns, self._readings, still, hand=hand)

    def _learn(self, image: Image) -> None:
        pixels = self._atlas.fetch(image)
        for name in self._boards:
            spots = pixels[self._atlas.spans[f"card.{name}"]]
            free = never_covered(self._pieces[name], self._table.layout, self._lean(name))
            self._cards[name] = learn_card(spots, free)
        view = self._view(image, is_reference=self._calibration.empty is not None)
        for reader in self._readers:
            reader.learn(view)

    def _view(self, image: Image, is_reference: bool = False) -> View:
        pixels = self._atlas.fetch(image)
        parts = {key: pixels[span] for key, span in self._atlas.spans.items()}
        lights = {name: light_of(self._cards[name], parts[f"card.{name}"]) for name in self._boards}
        covered = {
            name: covered_spots(self._cards[name], parts[f"card.{name}"], lights[name]) for name in self._boards
        }
        # What lies between the boards is lit as the boards are, on the whole.
        middle = np.exp(np.median([np.log(light.gains) for light in lights.values()], axis=0))
        between = Light((float(middle[0]), float(middle[1]), float(middle[2])))
        lights.update({name: between for name in self._pieces if name not in lights})
        return View(
            image, parts, lights, self._calibration.camera, self._poses, self._matrices, covered, is_reference
        )

    def _locate(self, key: str) -> Matrix:
        piece, wanted = self._wanted[key]
        return locate(self._calibration.camera, self._poses[piece], self._matrices[piece], wanted)

    def _lean(self, name: str) -> Matrix:
        """How far the top of the tallest thing on a board appears shifted at its middle, in fractions of the board."""
        tallest = max((item.height_mm for item in self._table.layout.items.values()), default=0.0)
        pose, camera = self._poses[name], self._calibration.camera
        seen = camera.project(pose.points_mm([[0.5, 0.5]], tallest))
        foot = pose.fractions(camera.to_plane(seen, pose.thickness_mm))
        return np.asarray(foot[0] - 0.5, dtype=np.float64)

    def _fit(self, image: Image) -> Image:
        """The frame at the size the table was calibrated at."""
        width, height = self._calibration.size_px
        if image.shape[1] == width and image.shape[0] == height:
            return image
        return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
