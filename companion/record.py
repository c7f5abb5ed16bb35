"""Writes what the camera sees as a `table-recording/1` folder: only when something changed, never beyond a size."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.runtime.messages import Seen
from companion.runtime.pictures import mask_secret, to_jpeg
from companion.runtime.rig import Rig
from companion.runtime.sitting import Sitting
from vision.calibration import Calibration
from vision.frame import Frame
from vision.layout import Layout, PieceSpec
from vision.reading import Observation
from web.contract import Reply

LEAST_FREE_MB = 200
"""A recording ends before the disk is fuller than this."""
STILL_FRAMES = 3
"""So many frames of a table at rest are kept; the next is kept when something moves."""
BUSY_EVERY_S = 0.4
"""While hands move, a frame is kept this often."""

log = logging.getLogger(__name__)


class Recorder:
    """Switched on and off by the table's thread, fed with every frame."""

    def __init__(self, folder: Path, most_mb: int) -> None:
        self._root, self._most_bytes = folder, most_mb * 1_000_000
        self.on = False
        self.full = False
        """True when a recording had to end because of its size or the disk."""
        self.folder: Path | None = None
        self.wanted: Path | None = None
        """A folder for a recording that is to begin by itself with the first frame."""
        self._bytes = self._count = self._still = 0
        self._zero_ns: int | None = None
        self._last_ns = 0

    def begin(
        self, sitting: Sitting, latest: tuple[Rig, Frame, Observation | None] | None, folder: Path | None = None
    ) -> Reply:
        """Start a recording of the game under way in a new folder."""
        if self.on:
            return Reply(True)
        if latest is None or latest[0].calibration is None or latest[0].layout is None:
            return Reply(False, "refused.busy")
        rig, frame, _ = latest
        assert rig.calibration is not None and rig.layout is not None
        target = folder or self._root / f"{time.strftime('%Y%m%d-%H%M%S')}-game-{sitting.number}"
        try:
            (target / "frames").mkdir(parents=True)
            (target / "setup").mkdir()
            described = describe(sitting, rig.layout, rig.calibration, (frame.image.shape[1], frame.image.shape[0]))
            (target / "recording.json").write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")
            if rig.calibration.empty is not None:
                self._picture(target / "setup" / "empty.jpg", rig, rig.calibration.empty)
            (target / "frames.jsonl").touch()
        except OSError as error:
            log.warning("the recording could not begin: %s", error)
            return Reply(False, "refused.disk", {"detail": error.strerror or str(error)})
        self.folder, self.on, self.full = target, True, False
        self._bytes = self._count = self._still = 0
        self._zero_ns = None
        return Reply(True, data={"folder": target.name})

    @property
    def count(self) -> int:
        """Frames kept so far."""
        return self._count

    @property
    def megabytes(self) -> float:
        return self._bytes / 1e6

    def note(self, seen: Seen) -> None:
        """Keep a frame, if it shows anything new."""
        if not self.on or self.folder is None:
            return
        now_ns, observation = seen.frame.captured_ns, seen.observation
        busy = not observation.still
        self._still = 0 if busy else self._still + 1
        if (not busy and self._still > STILL_FRAMES) or (busy and now_ns - self._last_ns < BUSY_EVERY_S * 1e9):
            return
        try:
            self._keep(self.folder, seen)
        except OSError as error:
            log.warning("the recording ended: %s", error)
            self._end(full=True)

    def _keep(self, folder: Path, seen: Seen) -> None:
        if self._bytes >= self._most_bytes or (
            self._count % 20 == 0 and shutil.disk_usage(folder).free < LEAST_FREE_MB * 1_000_000
        ):
            self._end(full=True)
            return
        self._last_ns = seen.frame.captured_ns
        if self._zero_ns is None:
            self._zero_ns = self._last_ns
        self._count += 1
        name = f"frames/{self._count:06d}.jpg"
        self._bytes += self._picture(folder / name, seen.rig, seen.frame.image)
        line = {"file": name, "t": round((self._last_ns - self._zero_ns) / 1e9, 3)}
        with (folder / "frames.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(line) + "\n")

    @staticmethod
    def _picture(path: Path, rig: Rig, image: Any) -> int:
        data = to_jpeg(mask_secret(image, rig.secrets, rig.secrets_width_px))
        path.write_bytes(data)
        return len(data)

    def stop(self) -> None:
        """End the recording; what was written stays."""
        self._end(full=False)

    def _end(self, full: bool) -> None:
        self.on = False
        self.full = full


def describe(sitting: Sitting, layout: Layout, calibration: Calibration, size_px: tuple[int, int]) -> dict[str, Any]:
    """recording.json of a game that is recorded from here on."""
    game, header = sitting.play.game, sitting.journal.header
    scale = size_px[0] / calibration.size_px[0]
    setup: dict[str, Any] = {"places": {
        piece.name: tap for piece in layout.pieces if (tap := _tap(piece, calibration, scale)) is not None
    }}
    if calibration.empty is not None:
        setup["empty"] = "setup/empty.jpg"
    described: dict[str, Any] = {
        "format": "table-recording/1", "game": game.id, "options": dict(header.options),
        "players": [{"name": seat.name, "colour": seat.colour} for seat in sitting.seats],
        "start_player": header.start_player, "camera": {"width": size_px[0], "height": size_px[1]}, "setup": setup,
    }
    if sitting.played.lines:
        described["start_position"] = dict(game.visible(sitting.state))
        movers = game.to_move(sitting.state)
        if movers:
            described["start_player"] = movers[0]
    if "colours" not in game.options:
        described["players"] = [{"name": seat.name} for seat in sitting.seats]
    return described


def _tap(piece: PieceSpec, calibration: Calibration, scale: float) -> Mapping[str, Any] | None:
    """A piece as a person would have tapped it, from where it was found."""
    matrix = calibration.matrices.get(piece.name)
    if matrix is None:
        polygon = calibration.polygons_px.get(piece.name)
        return None if polygon is None else {"polygon": (polygon * scale).round(1).tolist()}

    def at(u: float, v: float) -> list[float]:
        x, y, w = matrix @ (u, v, 1.0)
        return [round(float(x / w) * scale, 1), round(float(y / w) * scale, 1)]

    if piece.frame == "disc":
        return {"centre": at(0.5, 0.5), "rim": at(1.0, 0.5)}
    return {"corners": [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)]}
