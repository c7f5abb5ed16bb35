"""A stand-in for picamera2: it knows the documented calls and fields that a video configuration needs, fails on any
other, and misbehaves as told by one word in a file.

The word is read again at each step, so that a test can change it while the camera runs in its own process:

    good       all is well                      absent     no camera is found (unplugged)
    stall      no more pictures, no error       die        the process ends at once
    stride     buffers do not fit their stride  size       the camera grants another size than was asked for
    hang-stop  stop() never returns             raise      capture_request raises RuntimeError
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

STRIDE_ALIGN_BYTES = 64
FORMATS = {"RGB888": 3, "BGR888": 3, "XRGB8888": 4, "XBGR8888": 4, "YUV420": 1}
KNOWN_CONTROLS = {
    "AeEnable", "AnalogueGain", "AwbEnable", "ColourGains", "ExposureTime", "FrameDurationLimits", "NoiseReductionMode",
}
FOCUS_CONTROLS = {"AfMode", "AfTrigger", "LensPosition"}
CONFIGURATION_FIELDS = {"main", "lores", "raw", "controls", "buffer_count", "queue", "transform", "colour_space",
                        "display", "encode"}
SETTLING_FRAMES = 6
"""How many frames the automatic exposure takes to find its value."""


class UnknownError(AssertionError):
    """A call, field or control that picamera2 does not document."""


def only(given: Any, known: set[str], what: str) -> None:
    wrong = set(given) - known
    if wrong:
        raise UnknownError(f"picamera2 knows no {what} called {sorted(wrong)}")


class Picamera2:
    """One camera."""

    mood_file: ClassVar[Path]
    has_focus: ClassVar[bool] = True
    fps_limit: ClassVar[float] = 100.0
    log: ClassVar[list[str]] = []

    def __init__(self, camera_num: int = 0) -> None:
        if self._mood() == "absent":
            # What the real one raises when libcamera finds nothing.
            raise IndexError("list index out of range")
        self._configuration: dict[str, Any] | None = None
        self._started = False
        self._frames = 0
        self._controls: dict[str, Any] = {}
        self._held = 0

    def __getattr__(self, name: str) -> Any:
        raise UnknownError(f"picamera2 has no '{name}', or this stand-in does not know it")

    @property
    def camera_controls(self) -> dict[str, tuple[Any, Any, Any]]:
        known = KNOWN_CONTROLS | (FOCUS_CONTROLS if self.has_focus else set())
        return {name: (0, 1_000_000, None) for name in sorted(known)}

    @property
    def camera_properties(self) -> dict[str, Any]:
        return {"Model": "imx708", "PixelArraySize": (4608, 2592)}

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        return [{"size": (1536, 864), "fps": 120.13}, {"size": (2304, 1296), "fps": 56.03},
                {"size": (4608, 2592), "fps": 14.35}]

    def create_video_configuration(self, **fields: Any) -> dict[str, Any]:
        only(fields, CONFIGURATION_FIELDS, "configuration field")
        for name in ("main", "lores"):
            only(fields.get(name) or {}, {"size", "format"}, f"field of the {name} stream")
        return {"buffer_count": 6, "queue": True, "controls": {}, "lores": None, **fields}

    def configure(self, configuration: dict[str, Any]) -> None:
        if self._started:
            raise RuntimeError("Camera must be stopped before configuring")
        only(configuration, CONFIGURATION_FIELDS, "configuration field")
        self._check_controls(configuration["controls"])
        main, lores = configuration["main"], configuration["lores"]
        for stream in (main, lores):
            if stream["format"] not in FORMATS:
                raise RuntimeError(f"Bad format {stream['format']}")
            if stream["size"][0] % 2 or stream["size"][1] % 2:
                raise RuntimeError("width and height should be even")
        if lores["size"][0] > main["size"][0] or not lores["format"].startswith("YUV"):
            raise RuntimeError("lores stream dimensions may not exceed main stream, and it must be YUV")
        self._controls = dict(configuration["controls"])
        self._configuration = {**configuration, "main": self._granted(main), "lores": self._granted(lores)}

    def stream_configuration(self, name: str = "main") -> dict[str, Any]:
        assert self._configuration is not None
        return dict(self._configuration[name])

    def camera_configuration(self) -> dict[str, Any]:
        assert self._configuration is not None
        return dict(self._configuration)

    def start(self) -> None:
        if self._configuration is None:
            raise RuntimeError("Camera has not been configured")
        self._started = True
        self._frames = 0

    def stop(self) -> None:
        if self._mood() == "hang-stop":
            time.sleep(3600)
        self._started = False

    def close(self) -> None:
        self.stop()

    def set_controls(self, controls: dict[str, Any]) -> None:
        self._check_controls(controls)
        self._controls |= controls

    def capture_metadata(self) -> dict[str, Any]:
        request = self.capture_request()
        metadata = request.get_metadata()
        request.release()
        return metadata

    def capture_request(self) -> CompletedRequest:
        assert self._configuration is not None
        if not self._started:
            time.sleep(3600)
        mood = self._mood()
        while mood in ("stall", "absent"):
            # An unplugged camera just stops delivering, and the call that waits for it never returns.
            time.sleep(0.02)
            mood = self._mood()
        if mood == "die":
            os._exit(11)
        if mood == "raise":
            raise RuntimeError("camera frontend has timed out")
        low_us, _ = self._controls.get("FrameDurationLimits", (33_333, 33_333))
        time.sleep(max(low_us / 1e6, 1 / self.fps_limit))
        if self._held >= self._configuration["buffer_count"]:
            raise UnknownError("every buffer is held: a request was not released")
        self._held += 1
        self._frames += 1
        return CompletedRequest(self, self._frames)

    def _check_controls(self, controls: dict[str, Any]) -> None:
        only(controls, set(self.camera_controls), "control")
        if controls.keys() & {"AeEnable", "AwbEnable"} and controls.keys() & {"ExposureTime", "ColourGains"}:
            raise UnknownError("AeEnable beside ExposureTime can freeze wrong values")

    def _granted(self, stream: dict[str, Any]) -> dict[str, Any]:
        width, height = stream["size"]
        if self._mood() == "size":
            width, height = width // 2, height // 2
        row = width * FORMATS[stream["format"]]
        stride = -(-row // STRIDE_ALIGN_BYTES) * STRIDE_ALIGN_BYTES
        rows = height * 3 // 2 if stream["format"].startswith("YUV") else height
        return {**stream, "size": (width, height), "stride": stride, "framesize": stride * rows}

    def _mood(self) -> str:
        return self.mood_file.read_text(encoding="utf-8").strip()


class CompletedRequest:
    """A picture with its metadata, held until it is released."""

    def __init__(self, camera: Picamera2, number: int) -> None:
        self._camera, self._number, self._released = camera, number, False

    def __getattr__(self, name: str) -> Any:
        raise UnknownError(f"a CompletedRequest has no '{name}', or this stand-in does not know it")

    def get_metadata(self) -> dict[str, Any]:
        controls, number = self._camera._controls, self._number
        drift = max(SETTLING_FRAMES - number, 0)
        gains = controls.get("ColourGains", (1.8 + 0.1 * drift, 1.6))
        metadata = {
            "SensorTimestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME) - 5_000_000,
            "ExposureTime": controls.get("ExposureTime", 12_000 - 1_500 * drift),
            "AnalogueGain": controls.get("AnalogueGain", 2.0), "DigitalGain": 1.0, "ColourGains": gains,
            "Lux": 240.0, "AeLocked": False, "SensorTemperature": 40.0, "FrameDuration": 33_333,
        }
        if self._camera.has_focus:
            metadata |= {"LensPosition": controls.get("LensPosition", 1.4), "AfState": 2, "FocusFoM": 900}
        return metadata

    def make_array(self, name: str) -> NDArray[np.uint8]:
        with MappedArray(self, name) as mapped:
            return mapped.array.copy()

    def release(self) -> None:
        if self._released:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        self._released = True
        self._camera._held -= 1

    def _buffer(self, name: str) -> NDArray[np.uint8]:
        stream = self._camera.stream_configuration(name)
        width, height = stream["size"]
        buffer = np.full(stream["framesize"], 99, np.uint8)
        rows = buffer.reshape(-1, stream["stride"])
        if name == "main":
            # A picture that can be told from any other: blue grows with the column, green with the row, red is 200.
            picture = rows[:height, : width * 3].reshape(height, width, 3)
            picture[..., 0] = np.arange(width) % 256
            picture[..., 1] = (np.arange(height) % 256)[:, None]
            picture[..., 2] = 200
        else:
            rows[:height, :width] = 77
        if self._camera._mood() == "stride":
            return np.resize(buffer, buffer.size + 128 * rows.shape[0])
        return buffer


class MappedArray:
    """A stream's buffer in place."""

    def __init__(self, request: CompletedRequest, stream: str, reshape: bool = True, write: bool = True) -> None:
        if request._released:
            raise RuntimeError("the request was released already")
        self._request, self._stream, self._reshape = request, stream, reshape
        self.array: NDArray[np.uint8] = np.empty(0, np.uint8)

    def __enter__(self) -> MappedArray:
        self.array = self._request._buffer(self._stream)
        if self._reshape:
            stream = self._request._camera.stream_configuration(self._stream)
            width, height = stream["size"]
            if stream["format"] == "YUV420":
                self.array = self.array.reshape(height * 3 // 2, stream["stride"])
            else:
                self.array = self.array.reshape(height, stream["stride"])[:, : width * 3].reshape(height, width, 3)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.array = np.empty(0, np.uint8)
