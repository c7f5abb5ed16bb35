"""A table joined half-way: nobody would play on with one that is read wrong from the start."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from companion.commands.starts import command


def test_a_folder_that_is_no_recording_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path)])
    assert result.exit_code != 0
    assert str(tmp_path) in result.output
