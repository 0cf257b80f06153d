"""The reference of command lines documents exactly the existing options and environment variables."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stringd.api.settings import Setting, option_of, settings_by_key, variable_of
from stringd.config import Config
from stringd.extensions.registration import load_plugins
from tests.docs.pages import ROOT, text_of
from tests.programs import run_stringd

PAGE = "docs/reference/command-line.md"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
VARIABLE = re.compile(r"STRINGD_[A-Z_]*[A-Z]")


def help_of(*words: str) -> str:
    return run_stringd(*words, "--help", folder=ROOT).stdout


def help_of_string() -> str:
    command = [str(Path(sys.executable).with_name("string")), "--help"]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=20).stdout


def subcommands() -> list[str]:
    """The words after `stringd` that its own help lists."""
    listed = words_in(help_of())
    assert listed, "stringd --help lists no subcommands"
    return listed


def words_in(helped: str) -> list[str]:
    """The words that a program's or a subcommand's help lists as the next one."""
    return re.findall(r"^    ([a-z]+)(?: {2,}|$)", helped, re.MULTILINE)


@pytest.fixture(scope="module")
def helps() -> str:
    """What all programs and subcommands say about themselves."""
    by_word = {word: help_of(word) for word in subcommands()}
    actions = [help_of(word, it) for word, text in by_word.items() for it in words_in(text)]
    return "\n".join([help_of_string(), help_of(), *by_word.values(), *actions])


@pytest.mark.long
def test_every_option_is_documented(helps: str) -> None:
    assert set(OPTION.findall(helps)) == set(OPTION.findall(text_of(PAGE)))


def test_every_subcommand_is_documented() -> None:
    page = text_of(PAGE)
    assert [word for word in subcommands() if f"`stringd {word}" not in page] == []


def test_every_environment_variable_is_documented() -> None:
    sources = [path for root in ("core", "plugins") for path in (ROOT / root).rglob("*.py")]
    read = {name for path in sources for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    assert read == set(VARIABLE.findall(text_of(PAGE)))


def test_every_setting_of_a_built_in_plugin_has_its_line() -> None:
    declared = load_plugins(Config(plugins=())).settings.declared
    rows = {
        f"| `{plugin}.{key}` | `{variable_of(plugin, key)}` | {_option_cell(plugin, it)} |"
        for plugin, settings in declared.items()
        for key, it in settings_by_key(settings).items()
    }
    page = text_of("docs/reference/settings.md")
    assert rows == set(
        re.findall(r"^\| `\w+\.\w+` \| `STRINGD_\w+` \| (?:`--[\w-]+`|none) \|", page, re.MULTILINE)
    )


def _option_cell(plugin: str, it: Setting) -> str:
    option = option_of(plugin, it)
    return f"`{option}`" if option else "none"
