"""The lamp above the table, how it drifts, and the noise of the sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulation.lens import Lens
from vision.frame import Image

Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp and the daylight beside it."""

    x_mm: float
    y_mm: float
    height_mm: float = 900.0
    daylight: float = 0.6
    """The share of the light that comes from everywhere."""
    level: float = 1.0
    """Brightness of the whole; 1 is well exposed."""

    def brightness(self, x_mm: NDArray[np.float64], y_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """How bright the table is at points of it."""
        away = ((x_mm - self.x_mm) ** 2 + (y_mm - self.y_mm) ** 2) / self.height_mm**2
        return self.level * (self.daylight + (1 - self.daylight) * 1.25 / (1 + away) ** 1.5)

    def at(self, x_mm: float, y_mm: float) -> float:
        """How bright it is at one point."""
        return float(self.brightness(np.array([x_mm]), np.array([y_mm]))[0])

    def shadow_mm(self, x_mm: float, y_mm: float, height_mm: float) -> tuple[float, float]:
        """How far the shadow of something so high falls."""
        reach = height_mm / max(self.height_mm - height_mm, 50.0)
        return (x_mm - self.x_mm) * reach, (y_mm - self.y_mm) * reach

    def towards(self, x_mm: float, y_mm: float) -> tuple[float, float, float]:
        """The direction of the lamp from a point of the table, of length 1."""
        direction = np.array([self.x_mm - x_mm, self.y_mm - y_mm, self.height_mm])
        x, y, z = direction / np.linalg.norm(direction)
        return float(x), float(y), float(z)


def light_map(lamp: Lamp, lens: Lens) -> Map:
    """(height, width) brightness of the table in the picture, darker towards the corners as lenses are."""
    step = 16
    xs = np.arange(0, lens.width_px + step, step, dtype=np.float64)
    ys = np.arange(0, lens.height_px + step, step, dtype=np.float64)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    ground = lens.ground(grid)
    off = ((grid - (lens.width_px / 2, lens.height_px / 2)) ** 2).sum(axis=1) / lens.focal_px**2
    light = lamp.brightness(ground[:, 0], ground[:, 1]) / (1 + 0.25 * off)
    coarse = light.reshape(len(ys), len(xs)).astype(np.float32)
    fine = cv2.resize(coarse, (len(xs) * step, len(ys) * step), interpolation=cv2.INTER_LINEAR)
    return np.asarray(fine[step // 2 : step // 2 + lens.height_px, step // 2 : step // 2 + lens.width_px], np.float32)


@dataclass(frozen=True, slots=True)
class Cast:
    """What the light does to a whole frame: a gain for blue, green and red."""

    blue: float = 1.0
    green: float = 1.0
    red: float = 1.0

    def times(self, other: Cast) -> Cast:
        """One cast after another."""
        return Cast(self.blue * other.blue, self.green * other.green, self.red * other.red)

    def stepped(self) -> Cast:
        """The same in steps of a third of a percent."""
        blue, green, red = (round(gain * 300) / 300 for gain in (self.blue, self.green, self.red))
        return Cast(blue, green, red)

    def apply(self, image: Image) -> Image:
        """The image under this light."""
        gains = np.array([self.blue, self.green, self.red])
        if np.abs(gains - 1.0).max() < 1e-3:
            return image
        table = np.clip(np.arange(256)[:, None] * gains + 0.5, 0, 255).astype(np.uint8).reshape(1, 256, 3)
        return np.asarray(cv2.LUT(image, table), np.uint8)


WARM = Cast(0.72, 0.94, 1.1)
COOL = Cast(1.12, 1.0, 0.86)
DARK = Cast(0.20, 0.19, 0.18)


def drift(t_s: float, seed: int, strength: float) -> Cast:
    """The slow wandering of lamp and daylight."""
    phase = seed % 97
    slow = math.sin(t_s / 37.0 + phase) + 0.5 * math.sin(t_s / 11.0 + 2.1 * phase)
    tint = math.sin(t_s / 53.0 + 3.3 * phase)
    level = 1.0 + 0.02 * strength * slow
    return Cast(level * (1 - 0.012 * strength * tint), level, level * (1 + 0.012 * strength * tint))


class SensorNoise:
    """Grain that differs from frame to frame; drawn once and shifted about, because drawing it costs more."""

    def __init__(self, width_px: int, height_px: int, sigma: float, seed: int) -> None:
        rng = np.random.default_rng((seed, 41))
        self._size = (height_px, width_px)
        self._sigma = sigma
        shape = (height_px + 64, width_px + 64, 3)
        grain = rng.normal(0.0, sigma, shape) if sigma > 0 else np.zeros(shape)
        self._brighter = np.clip(np.round(grain), 0, 255).astype(np.uint8)
        self._darker = np.clip(np.round(-grain), 0, 255).astype(np.uint8)
        self._rng = rng

    def apply(self, image: Image) -> Image:
        """The image with grain, as a new array."""
        if self._sigma <= 0:
            return image.copy()
        height, width = self._size
        dy, dx = (int(shift) for shift in self._rng.integers(0, 64, 2))
        window = np.s_[dy : dy + height, dx : dx + width]
        noisy = cv2.add(image, self._brighter[window])
        return np.asarray(cv2.subtract(noisy, self._darker[window], dst=noisy), np.uint8)
