"""What a real table does to a picture: other light, noise, blur, a nudged board, a hand. Each is a seeded function of a
picture, so that the same trouble can be made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from vision.frame import Image
from vision.rectify import Matrix, apply

Disturbance = Callable[[Image], Image]


def gains(blue: float, green: float, red: float) -> Disturbance:
    """Another light: linear gains of the three channels."""

    def disturb(image: Image) -> Image:
        levels = np.arange(256) / 255.0
        linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)[:, None]
        lit = np.clip(linear * np.array([blue, green, red]), 0.0, 1.0)
        bent = np.where(lit <= 0.0031308, lit * 12.92, 1.055 * lit ** (1 / 2.4) - 0.055)
        curves = np.round(bent * 255.0).astype(np.uint8)[None]
        return np.asarray(cv2.LUT(image, curves), dtype=np.uint8)

    return disturb


def blur(sigma_px: float) -> Disturbance:
    """A lens out of focus."""
    return lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), dtype=np.uint8)


def noise(sigma: float, seed: int = 1) -> Disturbance:
    """A sensor in the dark: independent errors of every pixel, in levels of 255."""

    def disturb(image: Image) -> Image:
        grain = np.random.default_rng(seed).normal(0.0, sigma, image.shape)
        return np.asarray(np.clip(image + grain, 0, 255), dtype=np.uint8)

    return disturb


def jpeg(quality: int) -> Disturbance:
    """A hard-pressed JPEG."""

    def disturb(image: Image) -> Image:
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        decoded = cv2.imdecode(data, cv2.IMREAD_COLOR)
        assert decoded is not None
        return np.asarray(decoded, dtype=np.uint8)

    return disturb


def shifted(dx_px: float, dy_px: float) -> Disturbance:
    """The camera, or the whole table, moved in the picture."""

    def disturb(image: Image) -> Image:
        move = np.array([[1.0, 0.0, dx_px], [0.0, 1.0, dy_px]])
        size = (image.shape[1], image.shape[0])
        return np.asarray(cv2.warpAffine(image, move, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)

    return disturb


def nudged(matrix: Matrix, dx_px: float, dy_px: float, turn_rad: float = 0.0) -> Disturbance:
    """One board pushed and turned: its part of the picture moves, and the table it leaves is filled in."""

    def disturb(image: Image) -> Image:
        corners = apply(matrix, [[-0.01, -0.01], [1.01, -0.01], [1.01, 1.01], [-0.01, 1.01]])
        middle = corners.mean(axis=0)
        cosine, sine = np.cos(turn_rad), np.sin(turn_rad)
        turn = np.array([[cosine, -sine], [sine, cosine]])
        shift = middle + np.array([dx_px, dy_px]) - turn @ middle
        move = np.column_stack([turn, shift])
        size = (image.shape[1], image.shape[0])
        mask = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 255)
        # What lay under the board is unknown: the table beside it will do.
        table = cv2.inpaint(
            cv2.resize(image, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA),
            cv2.dilate(cv2.resize(mask, None, fx=0.125, fy=0.125), np.ones((3, 3), np.uint8)), 3, cv2.INPAINT_TELEA,
        )
        ground = np.where(mask[..., None] > 0, cv2.resize(table, size), image)
        moved_mask = cv2.warpAffine(mask, move, size)[..., None].astype(np.float32) / 255.0
        moved = cv2.warpAffine(image, move, size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(ground * (1 - moved_mask) + moved * moved_mask, dtype=np.uint8)

    return disturb


def hand(matrix: Matrix, side: int) -> Disturbance:
    """A hand and sleeve over a third of a board, reaching in from one of its sides (0 top … 3 left)."""
    # As if reaching in from the top; the other sides are this one turned.
    from_top = np.array([[0.1, -0.6], [0.9, -0.6], [0.8, 0.25], [0.6, 0.36], [0.3, 0.33], [0.15, 0.18]]) - 0.5
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    outline = apply(matrix, from_top @ np.linalg.matrix_power(quarter, side) + 0.5)

    def disturb(image: Image) -> Image:
        mask = np.zeros(image.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 255)
        soft = cv2.GaussianBlur(mask, (0, 0), 2.0)[..., None].astype(np.float32) / 255.0
        grain = np.random.default_rng(side).normal(0.0, 6.0, (*image.shape[:2], 1))
        skin = np.array([110.0, 140.0, 190.0]) + cv2.GaussianBlur(grain, (0, 0), 9.0)[..., None] * 8
        return np.asarray(np.clip(image * (1 - soft) + skin * soft, 0, 255), dtype=np.uint8)

    return disturb


def hidden_by_hand(side: int, at: tuple[float, float]) -> bool:
    """Whether that hand is over, or just beside, a point of the board."""
    depth = {0: at[1], 1: 1 - at[0], 2: 1 - at[1], 3: at[0]}[side]
    return depth < 0.42


LIGHTS: Mapping[str, Disturbance] = {
    "brightness ×0.4": gains(0.4, 0.4, 0.4),
    "brightness ×0.7": gains(0.7, 0.7, 0.7),
    "brightness ×1.3": gains(1.3, 1.3, 1.3),
    "brightness ×1.6": gains(1.6, 1.6, 1.6),
    "warm cast": gains(0.55, 0.9, 1.2),
    "cool cast": gains(1.3, 1.0, 0.7),
}
GRAIN: Mapping[str, Disturbance] = {
    "blur 1 px": blur(1.0),
    "blur 2 px": blur(2.0),
    "noise 5": noise(5.0),
    "noise 12": noise(12.0),
    "JPEG 50": jpeg(50),
}
