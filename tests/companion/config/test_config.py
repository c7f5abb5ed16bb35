"""If one of these fails, somebody changes a setting and nothing happens, or not what the page says."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import click
import pytest

from companion.commands.run import command
from companion.config import ConfigError, Settings, load_settings
from companion.settings_page import PATH, documented, settings_page


def test_each_place_overrides_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('port = 1000\nspeed = 2\nlanguage = "nl"\n')
    settings = load_settings(file, {"COMPANION_PORT": "2000", "COMPANION_SPEED": "3.5"}, {"port": 3000, "seed": None})
    assert (settings.port, settings.speed, settings.language, settings.seed) == (3000, 3.5, "nl", 1)


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("seed = 9\n")
    assert load_settings(None, {"COMPANION_CONFIG": str(file)}).seed == 9


@pytest.mark.parametrize(("text", "named"), [
    ("prot = 1000", "prot"), ("port = 'many'", "port"), ("port = true", "port"), ("port = [", "settings"),
    ("port = 70000", "port"), ("source = 'telescope'", "telescope"), ("source = 'recording'", "recording"),
    ("pin = '12'", "pin"), ("language = 'de'", "de"), ("fps = 0", "fps"), ("slips = 2.0", "slips"),
])
def test_a_setting_that_cannot_be_is_an_error_that_names_it(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=named):
        load_settings(file, {})


@pytest.mark.parametrize("variables", [{"COMPANION_PROT": "1"}, {"COMPANION_PORT": "many"}])
def test_an_environment_variable_that_is_no_setting_is_an_error(variables: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=next(iter(variables))):
        load_settings(None, variables)


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such settings file"):
        load_settings(tmp_path / "none.toml", {})


def test_every_setting_is_documented() -> None:
    assert set(documented()) == {field.name for field in fields(Settings)}
    assert PATH.read_text(encoding="utf-8") == settings_page(), (
        "docs/settings.md is old: write companion.settings_page.settings_page() to it")


def test_every_flag_of_run_is_a_setting() -> None:
    names = {parameter.name for parameter in command.params if isinstance(parameter, click.Option)}
    assert names - {"file"} <= {field.name for field in fields(Settings)}
