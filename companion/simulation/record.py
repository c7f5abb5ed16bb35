"""Writes a simulated sitting as a `table-recording/1` folder, truth and outcome beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2

from companion.simulation.table import SimulatedTable
from vision.frame import Image

JPEG_QUALITY = 86
STEP_S = 0.5
"""How often a sparse recording looks whether something changed."""
DENSE_STEP_S = 0.1


class RecordingFolderError(Exception):
    """A folder that cannot be written to; the message says what to do."""


def record(table: SimulatedTable, folder: Path, sparse: bool = True, until_s: float = 7200.0) -> int:
    """Play the table's game to its end (or up to a moment) into a folder; the number of frames written."""
    if folder.exists() and any(folder.iterdir()):
        raise RecordingFolderError(f"{folder} is not empty; name a new folder for the recording")
    (folder / "frames").mkdir(parents=True, exist_ok=True)
    (folder / "setup").mkdir(exist_ok=True)
    setup = table.setup()
    _write_picture(folder / "setup" / "empty.jpg", setup.empty)
    _write_picture(folder / "setup" / "samples.jpg", setup.samples)
    _write_json(folder / "recording.json", setup.recording)
    count = 0
    moments = sparse_moments(table, until_s) if sparse else dense_moments(table, until_s)
    with (folder / "frames.jsonl").open("w", encoding="utf-8") as frames, \
            (folder / "truth.jsonl").open("w", encoding="utf-8") as truths:
        for truth in moments:
            count += 1
            name = f"frames/{count:06d}.jpg"
            _write_picture(folder / name, table.masked(table.picture()))
            frames.write(json.dumps({"file": name, "t": truth["t"]}) + "\n")
            truths.write(json.dumps(truth) + "\n")
    _write_json(folder / "outcome.json", table.outcome())
    return count


def sparse_moments(table: SimulatedTable, until_s: float) -> Iterator[dict[str, Any]]:
    """Two settled moments of each position, and one or two with hands on the way from one to the next."""
    quiet, busy = 0, 0
    last: dict[str, Any] | None = None
    # One more look after the end, so that the last position is settled in the recording.
    while table.t_s < until_s:
        table.advance(table.t_s + STEP_S)
        if table.settled:
            busy = 0
            places = table.truth()["places"]
            quiet = quiet + 1 if last == places else 1
            last = places
            if quiet <= 2:
                yield table.truth()
        else:
            quiet, busy = 0, busy + 1
            if busy in (3, 6, 11):
                yield table.truth()
        if table.sitting.over:
            return


def dense_moments(table: SimulatedTable, until_s: float) -> Iterator[dict[str, Any]]:
    """Every tenth of a second in which something changed, and one a second and a half after."""
    still = 0
    while table.t_s < until_s:
        table.advance(table.t_s + DENSE_STEP_S)
        still = still + 1 if table.settled else 0
        if still <= 10 or still == 25:
            yield table.truth()
        if table.sitting.over:
            return


def _write_picture(path: Path, image: Image) -> None:
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise RecordingFolderError(f"{path}: the picture could not be encoded")
    path.write_bytes(data.tobytes())


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
