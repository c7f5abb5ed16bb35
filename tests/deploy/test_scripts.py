"""The quick part of the installation's tests; the whole is `deploy/test-install.sh`. If one of these fails, a Pi cannot
be set up, or is left open to the network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

import pytest

from companion.config import Settings, load_settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SCRIPTS = sorted(DEPLOY.glob("*.sh"))
MACHINES = sorted((DEPLOY / "settings").glob("*.toml"))
UNIT = (DEPLOY / "companion.service").read_text(encoding="utf-8")
EXPOSURE_TENTHS_AT_MOST = 19

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_sound(script: Path) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", str(script)], check=True)


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="this is no Debian")
def test_a_dry_run_names_every_step_and_does_none() -> None:
    """Somebody who only wants to look would find their system changed."""
    told = subprocess.run(
        [str(DEPLOY / "install.sh"), "--dry-run"], check=True, capture_output=True, text=True,
    ).stdout
    assert "This was a dry run" in told or "nothing was changed" in told
    if not Path("/opt/table-companion").exists():
        for step in ("the user 'companion'", "settings.toml", "table-companion/versions", "at every boot"):
            assert step in told
        assert not Path("/opt/table-companion").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--frob"], "no option '--frob'"), (["--offline", "/no/such"], "needs a folder"), (["--machine", "pc"], "pi5")],
)
def test_a_wrong_option_is_explained(words: list[str], said: str) -> None:
    done = subprocess.run(
        [str(DEPLOY / "install.sh"), "--dry-run", *words], check=False, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert said in done.stderr


@needs_systemd
def test_the_units_exposure_is_under_two(tmp_path: Path) -> None:
    """A fault in the pages would put the whole machine within reach."""
    unit = shutil.copy(DEPLOY / "companion.service", tmp_path)
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE_TENTHS_AT_MOST}", unit],
        check=False, capture_output=True, text=True,
    )
    if "unrecognized option" in done.stderr or "unknown" in done.stderr.lower():
        pytest.skip("this systemd-analyze cannot look at a file")
    assert done.returncode == 0, done.stdout[-400:] + done.stderr


@needs_systemd
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "companion.service"
    program = tmp_path / "companion"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    unit.write_text(re.sub(r"/opt/\S+/companion ", f"{program} ", UNIT), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], check=False, capture_output=True, text=True)
    wrong = [line for line in done.stderr.splitlines() if "companion.service" in line and "man " not in line]
    assert not wrong


def test_the_camera_is_not_hidden_from_the_service() -> None:
    assert "PrivateDevices=yes" not in UNIT
    assert "SupplementaryGroups=video" in UNIT
    assert "Type=notify" in UNIT
    assert "WatchdogSec=" in UNIT


@pytest.mark.parametrize("file", MACHINES, ids=lambda path: path.stem)
def test_the_settings_of_every_machine_are_good(file: Path) -> None:
    """The companion would refuse to start on that machine."""
    settings = load_settings(file, environment={})
    assert settings.source_kind in ("pi", "webcam")
    assert set(tomllib.loads(file.read_text(encoding="utf-8"))) <= {field.name for field in fields(Settings)}
    assert settings.width_px % 2 == settings.height_px % 2 == 0


def test_the_announced_port_is_the_one_that_is_served() -> None:
    """Phones would find the name and then nothing behind it."""
    told = ElementTree.parse(DEPLOY / "companion.avahi").findtext("service/port")
    assert told == str(Settings().port)
    assert f":{Settings().port}/tv" in (DEPLOY / "companion-tv.desktop").read_text(encoding="utf-8")
    assert f":{Settings().port}/" in (DEPLOY / "install.sh").read_text(encoding="utf-8")
