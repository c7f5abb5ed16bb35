"""The Pi's own camera through picamera2. The only file that imports it, and only when a camera is opened.

One video configuration with a large `main` and a small `lores` stream serves for everything: switching modes takes half
a second and forgets the controls. Exposure, gain, white balance and focus are found once, then written into the
configuration, where they hold until somebody asks for new ones.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.camera import CameraError
from vision.camera_source import Light, Settled, Source
from vision.shared_frames import Bytes, Notice, image_in, small_in

AF_MANUAL, AF_CONTINUOUS = 0, 2
"""libcamera's numbers for its focus modes."""
SETTLED_FRAMES = 5
"""Light counts as settled when so many frames in a row agree."""
SETTLED_WITHIN = 0.02
"""Agreeing means: exposure, gains and focus differ by no more than this share."""
SETTLE_AT_MOST_S = 4.0
"""Under a lamp that flickers, light never settles quite; then the last values are taken."""
SPARE_ROWS = 16
"""A buffer may be so much longer than its picture, as memory is given out in whole pages."""
MAIN_FORMAT, LORES_FORMAT = "RGB888", "YUV420"
"""picamera2's RGB888 lies in memory as blue, green, red: OpenCV's order."""


@dataclass(frozen=True, slots=True)
class PiOpener:
    """How to open the Pi's camera."""

    size_px: tuple[int, int] = (1536, 864)
    """Width and height of the pictures that are read; both even."""
    small_size_px: tuple[int, int] = (384, 216)
    """Width and height of the grey pictures in which movement is looked for; both even."""
    fps: float = 10.0
    buffers: int = 4
    """Pictures that the camera may have under way. Each takes memory that the kernel sets aside for cameras."""
    number: int = 0
    """Which of several cameras."""

    @property
    def slot_bytes(self) -> int:
        return self.size_px[0] * self.size_px[1] * 3 + self.small_size_px[0] * self.small_size_px[1]

    @property
    def name(self) -> str:
        return "The camera"

    def open(self, light: Light | None, settled: Settled) -> Source:
        return PiSource(self, light, settled)


class PiSource:
    """An opened Pi camera."""

    def __init__(self, opener: PiOpener, light: Light | None, settled: Settled) -> None:
        self._opener, self._settled = opener, settled
        self._picamera2, self._mapped_array = _picamera2()
        try:
            self._camera: Any = self._picamera2(opener.number)
        except (RuntimeError, IndexError) as error:
            raise CameraError(
                "No camera answers; switch the Pi off, push both ends of the flat cable home, and switch it on again."
            ) from error
        self._has_focus = "LensPosition" in self._camera.camera_controls
        self._begin(light)
        if light is None:
            self._lock()

    def capture(self, slot: int, into: Bytes) -> Notice:
        try:
            request = self._camera.capture_request()
        except RuntimeError as error:
            raise CameraError(f"The camera stopped answering ({error}); it is being started again.") from error
        try:
            return self._write(request, slot, into)
        finally:
            request.release()

    def relight(self) -> None:
        self._camera.stop()
        self._begin(None)
        self._lock()

    def close(self) -> None:
        self._camera.stop()
        self._camera.close()

    def _begin(self, light: Light | None) -> None:
        """Configure and start, locked to a light or left to find its own."""
        opener = self._opener
        configuration = self._camera.create_video_configuration(
            main={"size": opener.size_px, "format": MAIN_FORMAT},
            lores={"size": opener.small_size_px, "format": LORES_FORMAT},
            controls=controls_for(light, opener.fps, self._has_focus),
            buffer_count=opener.buffers,
            queue=True,
        )
        try:
            self._camera.configure(configuration)
            self._camera.start()
        except RuntimeError as error:
            raise CameraError(
                f"The camera refuses pictures of {opener.size_px[0]} × {opener.size_px[1]} ({error}); "
                "choose another size in the settings."
            ) from error
        self._main = _stream(self._camera, "main", opener.size_px, bytes_per_pixel=3)
        self._lores = _stream(self._camera, "lores", opener.small_size_px, bytes_per_pixel=1)

    def _lock(self) -> None:
        """Wait until the light has settled, and start again with just that in the configuration."""
        light = self._settle()
        self._settled(light)
        self._camera.stop()
        self._begin(light)

    def _settle(self) -> Light:
        until_s = time.monotonic() + SETTLE_AT_MOST_S
        light = light_of(self._camera.capture_metadata())
        agreed = 1
        while agreed < SETTLED_FRAMES and time.monotonic() < until_s:
            now = light_of(self._camera.capture_metadata())
            agreed = agreed + 1 if agree(now, light) else 1
            light = now
        return light

    def _write(self, request: Any, slot: int, into: Bytes) -> Notice:
        metadata = request.get_metadata()
        light = light_of(metadata)
        notice = Notice(
            slot, self._opener.size_px, self._opener.small_size_px, on_monotonic_clock(metadata["SensorTimestamp"]),
            light.exposure_us, light.analogue_gain, light.colour_gains, light.focus_dioptres,
        )
        # The buffer is taken as it lies in memory: how wide a row is there depends on camera and version.
        with self._mapped_array(request, "main", reshape=False) as mapped:
            rows = self._main.rows(mapped.array)
            np.copyto(image_in(into, notice).reshape(rows.shape), rows)
        small = small_in(into, notice)
        assert small is not None
        with self._mapped_array(request, "lores", reshape=False) as mapped:
            np.copyto(small, self._lores.rows(mapped.array))
        return notice


@dataclass(frozen=True, slots=True)
class Stream:
    """How a stream's picture lies in memory. Of YUV420 only the first plane, the brightness, is used."""

    height: int
    row_bytes: int
    stride_bytes: int
    """From the beginning of one row to that of the next."""
    buffer_rows: int
    """Rows of all its planes together."""

    def rows(self, buffer: Bytes) -> Bytes:
        """(height, row_bytes): the picture without what fills the rows up. Raises CameraError when it cannot be."""
        flat = np.asarray(buffer, dtype=np.uint8).reshape(-1)
        expected = self.buffer_rows * self.stride_bytes
        # A row that is longer or shorter than was said would slant the whole picture and every reading with it.
        if not expected <= flat.size <= expected + SPARE_ROWS * self.stride_bytes:
            raise CameraError(
                f"The camera delivers pictures of a wrong size ({flat.size} bytes instead of {expected}); "
                "it is being started again."
            )
        return flat[: self.height * self.stride_bytes].reshape(self.height, self.stride_bytes)[:, : self.row_bytes]


def _stream(camera: Any, name: str, size_px: tuple[int, int], bytes_per_pixel: int) -> Stream:
    """What the camera made of a stream that was asked for. Raises CameraError when it is another size."""
    granted = camera.stream_configuration(name)
    width, height = size_px
    row_bytes = width * bytes_per_pixel
    if tuple(granted["size"]) != size_px or granted["stride"] < row_bytes:
        raise CameraError(
            f"The camera offers pictures of {granted['size'][0]} × {granted['size'][1]} instead of {width} × {height}; "
            "choose a size that it knows in the settings."
        )
    planes_rows = height if bytes_per_pixel == 3 else height * 3 // 2
    return Stream(height, row_bytes, granted["stride"], planes_rows)


def controls_for(light: Light | None, fps: float, has_focus: bool) -> dict[str, Any]:
    """The controls of a configuration. A value for exposure or gain turns the automatic off by itself."""
    duration_us = round(1_000_000 / fps)
    controls: dict[str, Any] = {"FrameDurationLimits": (duration_us, duration_us)}
    if light is not None:
        controls |= {
            "ExposureTime": light.exposure_us,
            "AnalogueGain": light.analogue_gain,
            "ColourGains": light.colour_gains,
        }
    if has_focus and light is not None and light.focus_dioptres is not None:
        controls |= {"AfMode": AF_MANUAL, "LensPosition": light.focus_dioptres}
    elif has_focus:
        controls["AfMode"] = AF_CONTINUOUS
    return controls


def light_of(metadata: dict[str, Any]) -> Light:
    """What a frame's metadata say about its light."""
    red, blue = metadata["ColourGains"]
    return Light(
        int(metadata["ExposureTime"]), float(metadata["AnalogueGain"]), (float(red), float(blue)),
        float(metadata["LensPosition"]) if "LensPosition" in metadata else None,
    )


def agree(one: Light, other: Light) -> bool:
    """Whether two lights are as good as the same."""
    pairs = [
        (one.exposure_us * one.analogue_gain, other.exposure_us * other.analogue_gain),
        *zip(one.colour_gains, other.colour_gains, strict=True),
        (one.focus_dioptres or 0.0, other.focus_dioptres or 0.0),
    ]
    return all(abs(a - b) <= SETTLED_WITHIN * max(a, b) for a, b in pairs)


def on_monotonic_clock(sensor_timestamp_ns: int) -> int:
    """The camera stamps frames on the clock that also counts sleep; ours does not."""
    age_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - sensor_timestamp_ns
    return time.monotonic_ns() - max(age_ns, 0)


def _picamera2() -> tuple[Any, Any]:
    """picamera2's two classes that we use."""
    try:
        from picamera2 import MappedArray, Picamera2
    except (ImportError, RuntimeError) as error:
        raise CameraError(
            "picamera2 is missing or does not start; install it with: sudo apt install python3-picamera2"
        ) from error
    return Picamera2, MappedArray
