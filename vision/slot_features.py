"""What tells a tile from the print below it, as a few numbers for each slot.

All compare the printed space and its surroundings with how they look empty. Shadows of hands and of neighbouring tiles
darken a print, and a lamp's reflection washes it out, without changing what it is: so the space is also compared with
its reference darkened and washed out as suits it best. A print cannot become purer in colour that way; a tile is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.colours import ColourTable, table_rows, to_lab
from vision.frame import Image

Floats = NDArray[np.float32]

NAMES = (
    "unlike_low", "unlike_middle", "unlike_shaded_low", "unlike_shaded_middle", "unlike_washed", "unlike_chroma",
    "unlike_texture", "unlike_texture_log", "purer", "darkening", "texture_gain", "darker_than_around", "tile_like",
    "tile_lead", "texture", "top_unlike_low", "top_unlike_middle", "top_unlike_texture",
)
_LEVELS = np.arange(256, dtype=np.float32) / 255.0
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4).astype(np.float32)
_OFFSET = np.float32(0.004)
"""Added to linear light before ratios are taken, so that noise in black print stays small."""
_LOGS = np.log(_LINEAR + _OFFSET)
CORE_SHARE, SHIFT_SHARE = 0.43, 0.14
"""Of the width of a sampled top: the middle of a tile, and how far off it is looked for."""
DARKEST, BRIGHTEST = 0.25, 1.3
MOST_WASHED = 0.35


def features(
    face: Image, empty: Image, top: Image, empty_top: Image, colours: ColourTable
) -> tuple[Floats, Floats]:
    """(slots, len(NAMES)) numbers, and (slots, colours) mean log densities of the tops.

    `face` and `empty` (slots, n, n, 3) are the spaces now and empty, lit alike; `top` and `empty_top` (slots, m, m, 3)
    are where the top of a tile would be seen, now and without a tile.
    """
    density = tile_density(top, colours)
    faces = face_features(face, empty, density, colours)
    return np.concatenate([faces, np.stack(_unlike_top(top, empty_top), axis=1)], axis=1), density


def face_features(face: Image, empty: Image, density: Floats, colours: ColourTable) -> Floats:
    """The first of the numbers, all but those that compare the tops, given the densities of the tops."""
    edge = face.shape[1] // 8
    now, then = (np.ascontiguousarray(part[:, edge:-edge, edge:-edge]) for part in (face, empty))
    lab_now, lab_then = to_lab(now), to_lab(then)
    unlike = _distance(lab_now, lab_then)

    linear_now, linear_then = _LINEAR[now] + _OFFSET, _LINEAR[then] + _OFFSET
    shade = np.clip(_dot(linear_now, linear_then) / _dot(linear_then, linear_then), DARKEST, BRIGHTEST)
    shaded = to_lab(_gamma(linear_then * shade[..., None]) * 255.0)
    unlike_shaded = _distance(lab_now, shaded)
    washed = to_lab(_gamma(_wash(linear_now, linear_then)) * 255.0)
    unlike_washed = _distance(lab_now, washed)

    logs_now, logs_then = _LOGS[now], _LOGS[then]
    chroma = (logs_now[..., ::2] - logs_now[..., 1:2]) - (logs_then[..., ::2] - logs_then[..., 1:2])
    weight = np.minimum(linear_now.max(axis=-1), linear_then.max(axis=-1))
    chroma_apart = np.hypot(chroma[..., 0], chroma[..., 1]) * np.minimum(1.0, weight / np.float32(0.05))

    purer = np.hypot(lab_now[..., 1], lab_now[..., 2]) - np.hypot(lab_then[..., 1], lab_then[..., 2])
    texture, energy_now, energy_then = _texture(lab_now[..., 0], lab_then[..., 0])
    lead = _tile_lead(face, empty, density, colours)
    low, unlike_middle = quantiles(unlike, 0.3, 0.5)
    shaded_low, shaded_middle = quantiles(unlike_shaded, 0.3, 0.5)
    (washed_middle,), (chroma_middle,), (purer_middle,), (shade_middle,), (inner_shade,) = (
        quantiles(values, 0.5) for values in (unlike_washed, chroma_apart, purer, shade, shade[:, 2:-2, 2:-2])
    )
    columns = [
        np.log1p(low), np.log1p(unlike_middle), np.log1p(shaded_low), np.log1p(shaded_middle), np.log1p(washed_middle),
        chroma_middle, texture, np.log(0.04 + np.maximum(0.0, texture)), purer_middle / 10.0, np.log(shade_middle),
        np.log((energy_now + 1.0) / (energy_then + 1.0)), np.log(inner_shade) - _rim_shade(face, empty, edge),
        np.clip(density.max(axis=1), -25.0, -4.0), np.clip(lead, -6.0, 6.0), np.log1p(energy_now),
    ]
    return np.asarray(np.stack(columns, axis=1), dtype=np.float32)


def _unlike_top(top: Image, empty_top: Image) -> tuple[Floats, Floats, Floats]:
    """The same comparison where a tile's top would be seen: at a slant that is other print than the space itself."""
    cut = top.shape[1] // 4
    now, then = (np.ascontiguousarray(part[:, cut:-cut, cut:-cut]) for part in (top, empty_top))
    linear_now, linear_then = _LINEAR[now] + _OFFSET, _LINEAR[then] + _OFFSET
    shade = np.clip(_dot(linear_now, linear_then) / _dot(linear_then, linear_then), DARKEST, BRIGHTEST)
    lab_now = to_lab(now)
    shaded = to_lab(_gamma(linear_then * shade[..., None]) * 255.0)
    texture, _, _ = _texture(lab_now[..., 0], to_lab(then)[..., 0])
    low, middle = quantiles(_distance(lab_now, shaded), 0.3, 0.5)
    return np.log1p(low), np.log1p(middle), texture


def quantiles(values: Floats, *shares: float) -> list[Floats]:
    """For each share the quantile of every row of values (N, ...): one sort serves all, where numpy's own take longer
    over a few rows than everything else together."""
    ordered = np.sort(values.reshape(len(values), -1), axis=1)
    last = ordered.shape[1] - 1
    found = []
    for share in shares:
        below = int(share * last)
        weight = np.float32(share * last - below)
        above = ordered[:, min(below + 1, last)]
        found.append(np.asarray(ordered[:, below] * (1 - weight) + above * weight, dtype=np.float32))
    return found


def _dot(one: Floats, other: Floats) -> Floats:
    """The sum over channels of the products."""
    return np.asarray(np.einsum("...i,...i->...", one, other), dtype=np.float32)


def _distance(one: Floats, other: Floats) -> Floats:
    """How far colours (..., 3) lie apart."""
    apart = one - other
    return np.sqrt(_dot(apart, apart))


def _tile_lead(face: Image, empty: Image, density: Floats, colours: ColourTable) -> Floats:
    """(slots,) how much more the middle of the space looks like a tile of the likeliest colour than the empty space
    does."""
    best = density.argmax(axis=1)[:, None, None]
    third = face.shape[1] // 4
    now, then = (
        colours.log_densities[table_rows(part[:, third:-third, third:-third]), best].reshape(len(part), -1).mean(axis=1)
        for part in (face, empty)
    )
    return np.asarray(now - then, dtype=np.float32)


def tile_density(top: Image, colours: ColourTable) -> Floats:
    """(slots, colours): mean log densities of the middle of a tile, where it looks most like one. Tiles lie askew and
    off their spaces, so the middle is looked for up to a fifth of a tile around."""
    density = colours.pixels(top)
    count, side = density.shape[:2]
    width, step = round(side * CORE_SHARE), max(1, round(side * SHIFT_SHARE))
    total = np.zeros((count, side + 1, side + 1, density.shape[-1]), dtype=np.float32)
    total[:, 1:, 1:] = density.cumsum(axis=1).cumsum(axis=2)
    first = (side - width) // 2
    windows = []
    for row in (first - step, first, first + step):
        for column in (first - step, first, first + step):
            windows.append(
                total[:, row + width, column + width] - total[:, row, column + width]
                - total[:, row + width, column] + total[:, row, column]
            )
    means = np.stack(windows) / (width * width)
    best = means.max(axis=2).argmax(axis=0)
    return np.asarray(means[best, np.arange(count)], dtype=np.float32)


def _wash(now: Floats, then: Floats) -> Floats:
    """The empty space darkened, and washed out by white light, as far as it comes closest to now; one mix a slot."""
    count = len(now)
    flat_now, flat_then = now.reshape(count, -1), then.reshape(count, -1)
    mean_now, mean_then = flat_now.mean(axis=1, keepdims=True), flat_then.mean(axis=1, keepdims=True)
    spread = ((flat_then - mean_then) ** 2).sum(axis=1, keepdims=True) + 1e-4
    gain = ((flat_now - mean_now) * (flat_then - mean_then)).sum(axis=1, keepdims=True) / spread
    gain = np.clip(gain, DARKEST, BRIGHTEST)
    white = np.clip(mean_now - gain * mean_then, 0.0, MOST_WASHED)
    plain = np.clip((flat_now * flat_then).sum(axis=1, keepdims=True) / (flat_then**2).sum(axis=1, keepdims=True),
                    DARKEST, BRIGHTEST)
    gain = np.where(white > 0, gain, plain)
    return np.asarray((gain * flat_then + white).reshape(now.shape), dtype=np.float32)


def _rim_shade(face: Image, empty: Image, edge: int) -> Floats:
    """(slots,) log of how much darker the rim around each space is than it was."""
    rim = np.ones(face.shape[1:3], dtype=bool)
    rim[edge:-edge, edge:-edge] = False
    now, then = _LINEAR[face[:, rim]] + _OFFSET, _LINEAR[empty[:, rim]] + _OFFSET
    (middle,) = quantiles(np.clip(_dot(now, then) / _dot(then, then), DARKEST, BRIGHTEST), 0.5)
    return np.log(middle)


def _texture(now: Floats, then: Floats) -> tuple[Floats, Floats, Floats]:
    """How unlike the fine structure is (0 same, 1 unrelated, 2 opposite), and how strong it is in both."""
    gradients = []
    for lightness in (now, then):
        across = lightness[:, 1:-1, 2:] - lightness[:, 1:-1, :-2]
        down = lightness[:, 2:, 1:-1] - lightness[:, :-2, 1:-1]
        gradients.append(np.stack([across, down], axis=1).reshape(len(lightness), -1))
    a, b = gradients
    energy_now, energy_then = (a * a).mean(axis=1), (b * b).mean(axis=1)
    together = (a * b).mean(axis=1) / np.sqrt((energy_now + 2.0) * (energy_then + 2.0))
    return (
        np.asarray(1.0 - together, dtype=np.float32), np.asarray(np.sqrt(energy_now), dtype=np.float32),
        np.asarray(np.sqrt(energy_then), dtype=np.float32),
    )


def _gamma(linear: Floats) -> Floats:
    low = np.clip(linear - _OFFSET, 0.0, 1.0)
    bent = 1.055 * np.power(low, np.float32(1 / 2.4)) - 0.055
    return np.asarray(np.where(low <= 0.0031308, low * 12.92, bent), dtype=np.float32)
