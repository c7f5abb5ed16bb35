"""Writes a simulated sitting as a `table-recording/1` folder, truth and outcome beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import cv2

from companion.simulation.table import Request, SimulatedTable
from vision.frame import Image

JPEG_QUALITY = 86
STEP_S = 0.5
"""How often a sparse recording looks whether something changed."""
DENSE_STEP_S = 0.1
TROUBLE_EVERY_S = 20.0
"""Simulated seconds from one disturbance to the next."""
TROUBLES: tuple[tuple[Request, Request | None], ...] = (
    (Request.NUDGE, None), (Request.WARM, Request.LAMP_ON), (Request.COOL, Request.LAMP_ON),
    (Request.BLUR, Request.SHARP),
)
"""What goes wrong, and what puts it right again before the next thing does."""


class RecordingFolderError(Exception):
    """A folder that cannot be written to; the message says what to do."""


class Troubles:
    """Boards that are pushed, another light, a lens out of focus: one after another while a sitting is recorded."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(f"{seed} troubles")
        self._due_s = TROUBLE_EVERY_S
        self._remedy: Request | None = None

    def disturb(self, table: SimulatedTable) -> bool:
        """Let the next thing go wrong when its time has come; whether it has."""
        if table.t_s < self._due_s:
            return False
        self._due_s = table.t_s + TROUBLE_EVERY_S
        if self._remedy is not None:
            table.request(self._remedy)
        trouble, self._remedy = self._rng.choice(TROUBLES)
        table.request(trouble)
        return True


def record(
    table: SimulatedTable, folder: Path, sparse: bool = True, until_s: float = 7200.0, disturbed: bool = False
) -> int:
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
    troubles = Troubles(table.seed) if disturbed else None
    moments = sparse_moments(table, until_s, troubles) if sparse else dense_moments(table, until_s, troubles)
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


def sparse_moments(
    table: SimulatedTable, until_s: float, troubles: Troubles | None = None
) -> Iterator[dict[str, Any]]:
    """Two settled moments of each position, and one or two with hands on the way from one to the next."""
    quiet, busy = 0, 0
    last: dict[str, Any] | None = None
    # One more look after the end, so that the last position is settled in the recording.
    while table.t_s < until_s:
        table.advance(table.t_s + STEP_S)
        if troubles is not None and troubles.disturb(table):
            last = None
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


def dense_moments(
    table: SimulatedTable, until_s: float, troubles: Troubles | None = None
) -> Iterator[dict[str, Any]]:
    """Every tenth of a second in which something changed, and one a second and a half after."""
    still = 0
    while table.t_s < until_s:
        table.advance(table.t_s + DENSE_STEP_S)
        is_disturbed = troubles is not None and troubles.disturb(table)
        still = still + 1 if table.settled and not is_disturbed else 0
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
