"""Pictures of the places that a slip or a question is about, as they were when it came up."""

from __future__ import annotations

from companion.runtime.messages import Seen
from companion.runtime.pictures import crop_places, mask_secret, to_jpeg, where_now
from companion.runtime.sitting import Sitting
from vision.calibration import corrected

MOST = 24
"""So many pictures are kept; the oldest goes first."""


class Crops:
    """Made in the table's thread, read by the pages."""

    def __init__(self) -> None:
        self._pictures: dict[str, bytes] = {}
        self._seen: Seen | None = None

    def look(self, seen: Seen) -> None:
        """The frame that a crop would be cut from now."""
        self._seen = seen

    def has(self, name: str) -> bool:
        return name in self._pictures

    def get(self, name: str) -> bytes | None:
        """The JPEG; safe from any thread."""
        return self._pictures.get(name)

    def clear(self) -> None:
        self._pictures, self._seen = {}, None

    def keep(self, sitting: Sitting) -> None:
        """Cut out what is new."""
        for alert in sitting.alerts:
            if alert.id not in self._pictures:
                self._cut(alert.id, alert.slip.places or tuple(alert.table))
        asking = sitting.asking
        if asking is not None and asking.id not in self._pictures:
            self._cut(asking.id, asking.places)

    def _cut(self, name: str, places: tuple[str, ...]) -> None:
        seen = self._seen
        if seen is None or seen.rig.layout is None or seen.rig.calibration is None or seen.rig.eyes is None:
            return
        image = mask_secret(seen.frame.image, seen.rig.secrets, seen.rig.secrets_width_px)
        calibration = where_now(seen.rig.calibration, seen.rig.eyes.matrices)
        cut = crop_places(image, corrected(seen.rig.layout, calibration.corrections), calibration, places)
        if cut is None:
            return
        kept = list(self._pictures.items())[-(MOST - 1):]
        self._pictures = dict([*kept, (name, to_jpeg(cut))])
