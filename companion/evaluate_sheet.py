"""A picture sheet of the surest misreadings: what was there, what was read, and how it looked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.evaluate import Misreading
from companion.replay import Start, start_replay
from companion.runtime.pictures import mask_secret, secret_of
from vision.draw import crop_place
from vision.frame import Image
from vision.pictures import read_picture

MOST = 48
COLUMNS = 8
CROP_PX = 120
CAPTION_PX = 36


def write_sheet(path: Path, misread: Sequence[Misreading], folders: Mapping[str, Path], start: Start) -> None:
    """Save crops of the surest misreadings as one PNG."""
    tiles: list[Image] = []
    worst = sorted(misread, key=lambda wrong: -wrong.probability)[:MOST]
    for name in sorted({wrong.folder for wrong in worst}):
        replay = start_replay(folders[name], start)
        secrets = secret_of(replay.played.layout, replay.calibration)
        files = {file.t_s: file for file in replay.recording.frames}
        for wrong in [wrong for wrong in worst if wrong.folder == name]:
            image = mask_secret(read_picture(files[wrong.t_s].path), secrets, replay.calibration.size_px[0])
            crop = crop_place(image, replay.played.layout, replay.calibration, wrong.place, CROP_PX)
            tiles.append(_captioned(crop, wrong))
    if not tiles:
        tiles = [np.full((CROP_PX + CAPTION_PX, CROP_PX, 3), 255, np.uint8)]
    blank = np.full_like(tiles[0], 255)
    rows = [tiles[index : index + COLUMNS] for index in range(0, len(tiles), COLUMNS)]
    rows[-1] += [blank] * (COLUMNS - len(rows[-1]))
    cv2.imwrite(str(path), np.vstack([np.hstack(row) for row in rows]))


def _captioned(crop: Image, wrong: Misreading) -> Image:
    caption = np.full((CAPTION_PX, CROP_PX, 3), 255, np.uint8)
    for line, text in enumerate((wrong.place, f"{wrong.true} > {wrong.seen}")):
        cv2.putText(caption, text[:22], (2, 14 + 16 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.32, (0, 0, 0), 1, cv2.LINE_AA)
    return np.vstack([crop, caption])
