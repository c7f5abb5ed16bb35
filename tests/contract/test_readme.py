"""If one of these fails, the first thing a newcomer types does not work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from companion.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMANDS = [line.strip() for block in BLOCKS for line in block.splitlines() if line.strip()]


def test_the_first_two_commands_play_and_test() -> None:
    assert COMMANDS[:2] == ["./run", "./run test"]


@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_a_script_can_be_run_and_is_sound(script: str) -> None:
    path = ROOT / script
    assert os.access(path, os.X_OK), f"{script} is not executable"
    subprocess.run(["bash", "-n", str(path)], check=True)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_readme_exists(line: str) -> None:
    """Each word that names a command or an option is known to the program."""
    script, *words = shlex.split(line)
    assert (ROOT / script).exists()
    if not words or words[0] == "test":
        return
    command: click.Command = main
    context = click.Context(command)
    while words and not words[0].startswith("-") and isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found is not None, f"there is no command '{name}'"
        command, context = found, click.Context(found, parent=context)
    known = {option for parameter in command.params for option in parameter.opts} | {"--help", "-h"}
    unknown = {word for word in words if word.startswith("-")} - known
    assert not unknown, f"'{line}' uses {sorted(unknown)}, which it does not have"


def test_folders_the_readme_names_are_there() -> None:
    named = re.findall(r"`((?:engine|vision|calibration|companion|web|tests|deploy)/[a-z_./]*)`", README)
    assert named
    for name in named:
        assert (ROOT / name).exists(), name


def test_every_command_explains_itself() -> None:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(), f"'companion {name}' has no help"
        assert command.get_help(click.Context(command, info_name=name))
