"""Fills a folder with every wheel that an install without a network needs, for each Python of Raspberry Pi OS.

The versions are those of uv.lock. A package that offers no wheel is built here, which works for those written in Python
alone. Usage: python deploy/gather_wheels.py FOLDER [--python 3.11] [--machine aarch64]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.13")
"""Of bookworm and trixie."""
FOR_PICAMERA2 = "simplejpeg"
"""picamera2 imports it, and Debian's own is built for an older numpy than ours."""
GLIBC = ("2_28", "2_27", "2_17")


def locked() -> list[Requirement]:
    """What uv.lock names for running, without what is only for working on the companion."""
    uv = Path(sys.executable).with_name("uv")
    told = subprocess.run(
        [str(uv) if uv.exists() else "uv", "export", "--quiet", "--frozen", "--no-dev", "--no-emit-project",
         "--no-hashes", "--no-annotate", "--no-header", "--format", "requirements-txt"],
        check=True, cwd=ROOT, capture_output=True, text=True,
    ).stdout
    return [Requirement(line) for line in told.splitlines() if line.strip()]


def wanted(requirements: list[Requirement], python: str, machine: str) -> list[str]:
    """Those that this Python needs, without their conditions."""
    environment = {
        "python_version": python, "python_full_version": f"{python}.0", "platform_machine": machine,
        "sys_platform": "linux", "platform_system": "Linux", "implementation_name": "cpython", "extra": "",
        "platform_python_implementation": "CPython", "os_name": "posix",
    }
    return [
        f"{each.name}{each.specifier}" for each in requirements
        if each.marker is None or each.marker.evaluate(environment)
    ]


def fetch(names: list[str], folder: Path, python: str, machine: str) -> None:
    """Download wheels, and build what has none. Raises CalledProcessError when neither works."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    platforms = [f"--platform=manylinux_{glibc}_{machine}" for glibc in GLIBC] + [f"--platform=manylinux2014_{machine}"]
    for name in names:
        download = [*pip, "download", "--no-deps", "--only-binary=:all:", f"--python-version={python}", *platforms,
                    "-d", str(folder), "--find-links", str(folder), name]
        if subprocess.run(download, capture_output=True, check=False).returncode == 0:
            continue
        with tempfile.TemporaryDirectory() as place:
            subprocess.run([*pip, "wheel", "--no-deps", "-w", place, name], check=True)
            (made,) = Path(place).glob("*.whl")
            if not made.name.endswith("-none-any.whl"):
                raise SystemExit(f"{name} has no wheel for Python {python} on {machine}; choose another version.")
            made.replace(folder / made.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", action="append", choices=PYTHONS)
    parser.add_argument("--machine", default="aarch64")
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    requirements = locked()
    for python in told.python or PYTHONS:
        names = wanted(requirements, python, told.machine)
        print(f"Python {python}: {len(names) + 1} wheels")
        fetch([*names, FOR_PICAMERA2], told.folder, python, told.machine)
    (told.folder / "requirements.txt").write_text("".join(f"{each}\n" for each in requirements), encoding="utf-8")


if __name__ == "__main__":
    main()
