"""What the checks look at: gathered once by the table's thread, or by `companion doctor`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from companion.runtime.loop import Vitals
from companion.store.games import Trouble
from vision.calibration import Calibration
from web.contract import HealthView


@dataclass(frozen=True, slots=True)
class Facts:
    """The state of everything, as plain values."""

    folder: Path
    """Where games are kept."""
    source: str = "simulated"
    camera: str = "ok"
    """`ok`, `lost`, `dark` or `starting`."""
    camera_detail: str = ""
    vitals: Vitals = field(default_factory=Vitals)
    calibration: Calibration | None = None
    calibrated_s: float | None = None
    """When the table was set up, in seconds since 1970; None where that is not known."""
    troubles: tuple[Trouble, ...] = ()
    lasting: bool = True
    """False while games are kept in memory only."""
    recording_full: bool = False


def view(check: str, level: str, key: str, **params: object) -> HealthView:
    """One finding; `key` is below `health.` in the page's words."""
    return HealthView(check, level, f"health.{key}", params)
