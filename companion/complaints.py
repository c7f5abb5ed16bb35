"""Turns the project's own errors into one sentence on the terminal, for every command alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from calibration.calibrate import CalibrationError
from calibration.refine import RefineError
from calibration.scikit import TrainingError
from engine.errors import EngineError
from vision.camera import CameraError
from vision.layout import LayoutError
from vision.pictures import PictureError
from vision.pose import PoseError
from vision.recording import RecordingError

KNOWN = (EngineError, RecordingError, PictureError, LayoutError, CameraError, CalibrationError, RefineError, PoseError,
         TrainingError)


@contextmanager
def complain() -> Iterator[None]:
    """Inside it, a known error ends the command with its sentence and exit code 1."""
    try:
        yield
    except KNOWN as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename or 'a file'}: {error.strerror or error}") from error
